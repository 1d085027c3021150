//! Two targets on the same cases: where they differ is told, and what both get wrong alike is not.

use keyplan_conformance::{Against, Answer, CaseFile, InProcess, Target, TargetError, run};

const CASES: &str = r#"
topic: tables
about: Tables by name.
cases:
  - name: an account without tables lists none
    source: API reference, ListTables
    request: {ListTables: {}}
    answer: {status: 200, body: {"TableNames": []}}
  - name: limits are described
    source: API reference, DescribeLimits
    request: {DescribeLimits: {}}
    answer: {status: 400, body: {}}
"#;

/// An endpoint that lists no tables, whatever it is asked.
struct Nothing;

impl Target for Nothing {
    fn send(&mut self, _target: &str, _body: &[u8]) -> Result<Answer, TargetError> {
        Ok(Answer { status: 200, head: None, body: br#"{"TableNames":[]}"#.to_vec() })
    }
}

#[test]
fn only_what_two_targets_answer_differently_is_told() {
    let files = [CaseFile::parse(CASES, "tables.yaml").expect("cases")];
    let ours = run(&files, &mut InProcess::new());
    let again = run(&files, &mut InProcess::new());
    assert_eq!(Against::new(&ours, &again).apart(), 0, "both fail the second case alike");

    let nothing = run(&files, &mut Nothing);
    let against = Against::new(&ours, &nothing);
    assert_eq!(against.apart(), 1, "another body is another failure");
    let told = against.to_string();
    assert!(told.starts_with("APART tables: limits are described\n"), "{told}");
    assert!(told.ends_with("1 of 2 cases were answered alike"), "{told}");
}
