//! The proof finds what isn't as stated.

use keyplan_course::{Lesson, prove};
use keyplan_engine::Timestamp;

const LESSON: &str = include_str!("../../../content/course/06-a-filter-is-no-index.yaml");

fn faults(from: &str, to: &str) -> Vec<String> {
    let text = LESSON.replacen(from, to, 1);
    let lesson = Lesson::parse(&text, "06-filter.yaml").unwrap_or_else(|error| panic!("{error}"));
    prove(&lesson, Timestamp(0)).faults.iter().map(ToString::to_string).collect()
}

#[test]
fn a_lesson_that_says_what_is_so_is_proved() {
    assert_eq!(faults("", ""), Vec::<String>::new());
}

#[test]
fn what_is_not_so_is_told() {
    for (from, to, expected) in [
        ("examined: 15,", "examined: 14,", "step 1: examined is 15, not 14"),
        ("returned: 3, read: 2", "returned: 3, read: 2.5", "step 1: read units is 2.0, not 2.5"),
        (
            "tool: Rotary hammer }, {",
            "tool: Hammer }, {",
            "step 2: tool of item 2 is {\"S\":\"Rotary hammer\"}",
        ),
        (
            "last-evaluated-key: true",
            "last-evaluated-key: false",
            "whether there is a LastEvaluatedKey is true",
        ),
        ("read: 0.5, last", "error: ValidationException, last", "it gets no error, not ValidationException"),
        ("returned: { count: 3,", "returned: { count: 4,", "checks: the solution returns 3 items, not 4"),
        ("    read: 0.5\n  hidden:", "    read: 9\n  hidden:", "its diagnosis is `order-by-chance`"),
        ("ScanIndexForward: false", "ScanIndexForward: true", "it passes"),
        ("loan: 2026-10-19#0402,", "", "tables and items: request 2 of the setup, a PutItem, was refused"),
    ] {
        let faults = faults(from, to);
        assert!(faults.iter().any(|fault| fault.contains(expected)), "{faults:?}\n  has no: {expected}");
    }
}

#[test]
fn hidden_data_must_change_the_right_answer() {
    let text = LESSON.replace("borrower: m-204, due: 2026-12-02", "borrower: m-205, due: 2026-12-02");
    let text = text.replace("borrower: m-204, due: 2026-12-05", "borrower: m-205, due: 2026-12-05");
    let text = text.replace("delete:\n      Loans: [{ branch: harbour, loan: 2026-11-02#0418 }]\n    ", "");
    let lesson = Lesson::parse(&text, "06-filter.yaml").unwrap_or_else(|error| panic!("{error}"));
    let faults = prove(&lesson, Timestamp(0)).faults;
    assert!(faults.iter().any(|fault| fault.place == "hidden"), "{faults:?}");
}
