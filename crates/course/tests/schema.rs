//! The published JSON Schema is the one the types make, and it agrees with the reader.

use serde_json::{Value, json};

const PUBLISHED: &str = include_str!("../../../content/lesson.schema.json");
const LESSON: &str = include_str!("../../../content/course/06-a-filter-is-no-index.yaml");

#[test]
fn the_published_schema_is_the_one_the_types_make() {
    assert!(
        PUBLISHED == keyplan_course::json_schema(),
        "content/lesson.schema.json is out of date: \
         cargo run -p keyplan-course --example schema > content/lesson.schema.json"
    );
}

fn lesson() -> Value {
    // YAML 1.2: `N` is a text.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(LESSON, options).expect("the lesson is YAML")
}

fn faults(lesson: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(PUBLISHED).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    validator.iter_errors(lesson).map(|error| error.to_string()).collect()
}

#[test]
fn a_good_lesson_fits_the_schema() {
    assert_eq!(faults(&lesson()), Vec::<String>::new());
}

#[test]
fn what_the_reader_refuses_for_its_form_the_schema_refuses_too() {
    for (pointer, member, value) in [
        ("", "chapters", json!("reading")),
        ("", "chapter", json!("writings")),
        ("", "minutes", json!("eight")),
        ("/tables/Loans", "index", json!({})),
        ("/tables/Loans/indexes/ByBorrower", "projection", json!("some")),
        ("/tables/Loans/indexes/ByBorrower", "scope", json!("here")),
        ("/steps/0/answer", "read", json!(0.3)),
        ("/steps/0/answer", "cost", json!(1)),
        ("/exercise", "start", json!("Scan")),
        ("/exercise/checks", "order", json!("by date")),
        ("/exercise/hidden", "items", json!({})),
        ("/exercise/diagnoses/branch-by-branch/when", "fails", json!("cost")),
        ("/exercise/wrong/0", "diagnosis", json!(["a"])),
        ("/links", "pages", json!([])),
    ] {
        let mut lesson = lesson();
        let target = lesson.pointer_mut(pointer).and_then(Value::as_object_mut);
        target.expect(pointer).insert(member.to_owned(), value);
        assert_ne!(faults(&lesson), Vec::<String>::new(), "{pointer} {member}");
        let text = lesson.to_string(); // JSON is YAML.
        assert!(keyplan_course::Lesson::parse(&text, "06-x.yaml").is_err(), "{pointer} {member}");
    }
}
