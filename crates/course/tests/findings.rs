//! What is wrong with a lesson file is told with its place and what to do.

use keyplan_course::{Course, CourseError, Lesson};
use serde_json::{Value, json};

const LESSON: &str = include_str!("../../../content/course/06-a-filter-is-no-index.yaml");

fn parsed(text: &str, file: &str) -> Lesson {
    Lesson::parse(text, file).unwrap_or_else(|error| panic!("{error}"))
}

/// What is told of the lesson with `from` in another form.
fn told(from: &str, to: &str) -> String {
    let text = LESSON.replacen(from, to, 1);
    assert_ne!(text, LESSON, "{from}");
    match Lesson::parse(&text, "content/course/06-filter.yaml") {
        Ok(_) => panic!("{to} is taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_lesson_is_read_whole() {
    let lesson = parsed(LESSON, "content/course/06-a-filter-is-no-index.yaml");
    assert_eq!((lesson.order, lesson.slug.as_str()), (6, "a-filter-is-no-index"));
    assert_eq!(lesson.tables, ["Loans"]);
    assert_eq!(lesson.indexes, [("Loans".to_owned(), "ByBorrower".to_owned())]);
    assert_eq!(lesson.setup.len(), 16);
    assert_eq!(lesson.exercise.contract()[0], "Items: 3, in order");
}

#[test]
fn faults_name_their_place_and_what_to_do() {
    for (from, to, expected) in [
        ("keyplan-lesson: 1", "keyplan-lesson: 2", "06-filter.yaml:2:17: this file's form is version 2"),
        ("keyplan-lesson: 1", "keyplan-lesson: 2", "Write `keyplan-lesson: 1`"),
        ("minutes: 8", "minuets: 8", "Did you mean `minutes`?"),
        ("  Loans:\n    - { branch: mill", "  Loan:\n    - { branch: mill", "there is no table `Loan`"),
        (
            "report: { filler: 884 }",
            "report: { filler: a lot }",
            "a number of bytes up to 450000 is expected",
        ),
        ("report: { filler: 884 }", "report: { N: many }", "`report` is a number, but `many` is none"),
        ("      Scan:\n", "      Scam:\n", "`Scam` is no operation"),
        ("examined: 15, returned: 3, read: 2", "examined: 15, read: 0.3", "Units come in halves"),
        (
            "diagnosis: branch-by-branch",
            "diagnosis: branch-by-brunch",
            "unknown diagnosis `branch-by-brunch`",
        ),
        ("diagnosis: branch-by-branch", "diagnosis: branch-by-brunch", "Did you mean `branch-by-branch`?"),
        ("    branch-by-branch:\n", "    wrong-order:\n", "`wrong-order` is the id of a general diagnosis"),
        ("source: engine", "source: hearsay", "`hearsay` is no source"),
        ("    - Look at the figures", "    - One more\n    - Look at the figures", "there are 4 hints"),
        ("Nothing in the key knows about members.", &"word ".repeat(200), "Write 120 to 350 words."),
    ] {
        let told = told(from, to);
        assert!(told.contains(expected), "{told}\n  has no: {expected}");
    }
}

#[test]
fn a_file_is_called_by_its_place_and_slug() {
    for name in ["filter.yaml", "06-.yaml", "six-filter.yaml", "06-A-filter.yaml", "06-filter.yml"] {
        let told = Lesson::parse(LESSON, name).expect_err(name).to_string();
        assert!(told.contains("is no name of a lesson file"), "{told}");
    }
}

#[test]
fn lessons_stand_in_the_order_of_their_numbers() {
    let course = Course::parse(&[("09-b.yaml", LESSON), ("02-a.yaml", LESSON)]);
    let course = course.unwrap_or_else(|error| panic!("{error}"));
    let slugs: Vec<&str> = course.lessons().iter().map(|lesson| lesson.slug.as_str()).collect();
    assert_eq!(slugs, ["a", "b"]);
    assert_eq!(course.lesson("b").map(|(number, _)| number), Some(2));
    let same = Course::parse(&[("09-b.yaml", LESSON), ("09-a.yaml", LESSON)]);
    assert!(matches!(same, Err(CourseError::Same { .. })));
    let earlier = LESSON.replace("chapter: reading", "chapter: foundations");
    let wrong = Course::parse(&[("02-a.yaml", LESSON), ("09-b.yaml", &earlier)]);
    assert!(matches!(wrong, Err(CourseError::Chapter { slug }) if slug == "b"));
}

#[test]
fn values_are_typed_by_how_they_are_written() {
    let text = LESSON.replacen(
        "report: { filler: 884 } }",
        "a: \"42\", b: 42, c: true, d: null, e: [1, x], f: { g: h }, i: { SS: [a, b] }, j: { B: AAEC }, \
         k: { M: { S: x } }, l: { L: [{ NS: [1] }] } }",
        1,
    );
    let lesson = parsed(&text, "06-x.yaml");
    let body: Value = serde_json::from_str(&lesson.setup[1].body).expect("JSON");
    let item = &body["Item"];
    assert_eq!(item["a"], json!({ "S": "42" }));
    assert_eq!(item["b"], json!({ "N": "42" }));
    assert_eq!(item["c"], json!({ "BOOL": true }));
    assert_eq!(item["d"], json!({ "NULL": true }));
    assert_eq!(item["e"], json!({ "L": [{ "N": "1" }, { "S": "x" }] }));
    assert_eq!(item["f"], json!({ "M": { "g": { "S": "h" } } }));
    assert_eq!(item["i"], json!({ "SS": ["a", "b"] }));
    assert_eq!(item["j"], json!({ "B": "AAEC" }));
    assert_eq!(item["k"], json!({ "M": { "S": { "S": "x" } } }));
    assert_eq!(item["l"], json!({ "L": [{ "NS": ["1"] }] }));
    // A request's own members are plain JSON.
    let step: Value = serde_json::from_str(&lesson.steps[3].request.body).expect("JSON");
    assert_eq!(step["Limit"], json!(2));
    assert_eq!(step["ExpressionAttributeValues"], json!({ ":m": { "S": "m-063" } }));
}
