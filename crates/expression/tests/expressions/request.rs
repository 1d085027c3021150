//! Requests and items written in few characters.

use keyplan_expression::Placeholders;
use keyplan_value::json::{Limits, Tape};
use keyplan_value::{Item, Value};

/// An item from its DynamoDB JSON.
pub fn item(json: &str) -> Item {
    let tape = Tape::parse(json.as_bytes(), &Limits::default()).expect("an item's JSON");
    Item::from_json(tape.root()).expect("an item")
}

/// A value from its DynamoDB JSON.
pub fn value(json: &str) -> Value {
    let tape = Tape::parse(json.as_bytes(), &Limits::default()).expect("a value's JSON");
    Value::from_json(tape.root()).expect("a value")
}

/// Placeholders from names, and values as DynamoDB JSON.
pub fn placeholders(names: &[(&str, &str)], values: &[(&str, &str)]) -> Placeholders {
    let names = names.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned()));
    let values = values.iter().map(|(key, json)| ((*key).to_owned(), value(json)));
    Placeholders::new(names, values)
}

/// The placeholders that the tables of these tests use: one value of each type, and aliases.
pub fn everything() -> Placeholders {
    placeholders(
        &[("#a", "a"), ("#dotted", "x.y"), ("#name", "name")],
        &[
            (":s", r#"{"S":"x"}"#),
            (":t", r#"{"S":"b"}"#),
            (":n", r#"{"N":"3"}"#),
            (":b", r#"{"B":"YWJj"}"#),
            (":bool", r#"{"BOOL":true}"#),
            (":null", r#"{"NULL":true}"#),
            (":ss", r#"{"SS":["x"]}"#),
            (":ns", r#"{"NS":["3"]}"#),
            (":bs", r#"{"BS":["YWJj"]}"#),
            (":l", r#"{"L":[{"S":"x"}]}"#),
            (":m", r#"{"M":{"x":{"S":"x"}}}"#),
            (":type", r#"{"S":"SS"}"#),
        ],
    )
}
