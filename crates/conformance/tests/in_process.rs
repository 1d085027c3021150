//! All cases against the engine in this process, through the library, on a store in memory.

use keyplan_conformance::{CaseFile, InProcess, all_targets, built_in, not_built, run, run_in_process};

#[test]
fn every_case_holds_on_the_engine() {
    let files = built_in().unwrap_or_else(|error| panic!("{error}"));
    let report = run_in_process(&files);
    println!("{report}");
    assert_eq!(report.failed(), 0, "\n{report}");
    for outcome in &report.outcomes {
        assert!(!outcome.as_elsewhere, "{}: the engine gives the first answer", outcome.name);
    }
    assert!(report.passed() >= 1_500, "there are only {} cases", report.passed());
}

#[test]
fn every_operation_of_the_service_is_built_and_another_would_be_listed() {
    let mut targets = all_targets();
    targets.push("DynamoDB_20120810.Forget".to_owned());
    let unknown = not_built(&mut InProcess::new(), targets.iter().map(String::as_str));
    assert_eq!(unknown.expect("the engine answers"), ["Forget"]);
}

#[test]
fn the_report_is_json_by_topic_with_each_failure() {
    let file = CaseFile::parse(
        r#"
topic: tables
about: Tables by name.
cases:
  - name: an account without tables lists none
    source: API reference, ListTables
    request: {ListTables: {}}
    answer: {status: 200, body: {"TableNames": []}}
  - name: a wrong case
    source: nobody
    request: {ListTables: {}}
    answer: {status: 400, body: {}}
"#,
        "tables.yaml",
    );
    let report = run(&[file.expect("a case file")], &mut InProcess::new());
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).expect("it is JSON");
    assert_eq!((&json["passed"], &json["failed"]), (&1.into(), &1.into()));
    let topic = &json["topics"][0];
    assert_eq!((&topic["topic"], &topic["about"]), (&"tables".into(), &"Tables by name.".into()));
    assert_eq!((&topic["passed"], &topic["failed"]), (&1.into(), &1.into()));
    assert!(topic["cases"][0]["failure"].is_null());
    let failure = topic["cases"][1]["failure"].as_str().unwrap_or("");
    assert!(failure.contains("should be 400, and is 200"), "{failure}");
}
