//! Attribute values and request bodies, from what a lesson writes plainly to DynamoDB JSON.

use keyplan_model::form::{At, Entries, Findings, Plain, inferred, typed};
use keyplan_model::{AttributeType, Problem};
use serde_json::{Map, Value, json};

/// The member that stands for a text of so many bytes.
const FILLER: &str = "filler";

/// The longest filler: more than an item may weigh, so that a lesson can show that limit.
const FILLER_BYTES_MAX: usize = 450_000;

/// What fillers are made of: prose, so that a plan that shows it looks like one.
const FILLER_TEXT: &str = "The gate sticks in wet weather; lift it a little before you pull. ";

/// An item, or a key.
pub(crate) fn item(entries: &Entries<At<Plain>>, findings: &mut Findings) -> Map<String, Value> {
    let attributes = entries.list.iter();
    attributes.map(|(name, value)| (name.value.clone(), attribute(&name.value, value, findings))).collect()
}

fn attributes(members: &[(At<String>, At<Plain>)], findings: &mut Findings) -> Map<String, Value> {
    members
        .iter()
        .map(|(name, value)| (name.value.clone(), attribute(&name.value, value, findings)))
        .collect()
}

/// One value: as its type says where it is given, else as what it looks like.
fn attribute(name: &str, value: &At<Plain>, findings: &mut Findings) -> Value {
    match &value.value {
        Plain::Text { .. } => inferred(&value.value),
        Plain::List(elements) => list(name, elements, findings),
        Plain::Mapping(members) => match members.as_slice() {
            [(word, inner)] if word.value == FILLER => filler(inner, findings),
            [(word, inner)] => match type_of(&word.value) {
                Some(kind) => of_type(name, kind, inner, findings),
                None => json!({ "M": attributes(members, findings) }),
            },
            _ => json!({ "M": attributes(members, findings) }),
        },
    }
}

fn of_type(name: &str, kind: AttributeType, value: &At<Plain>, findings: &mut Findings) -> Value {
    match (kind, &value.value) {
        (AttributeType::L, Plain::List(elements)) => list(name, elements, findings),
        (AttributeType::M, Plain::Mapping(members)) => json!({ "M": attributes(members, findings) }),
        (AttributeType::Null, _) => json!({ "NULL": true }),
        _ => typed(name, kind, value, findings).unwrap_or_default(),
    }
}

fn list(name: &str, elements: &[At<Plain>], findings: &mut Findings) -> Value {
    let elements: Vec<Value> = elements.iter().map(|element| attribute(name, element, findings)).collect();
    json!({ "L": elements })
}

fn filler(value: &At<Plain>, findings: &mut Findings) -> Value {
    let bytes = match &value.value {
        Plain::Text { text, quoted: false } => text.parse().ok().filter(|bytes| *bytes <= FILLER_BYTES_MAX),
        _ => None,
    };
    let Some(bytes) = bytes else {
        let expected = format!("a number of bytes up to {FILLER_BYTES_MAX}");
        findings.add(value.at, || Problem::Form { expected });
        return Value::Null;
    };
    json!({ "S": FILLER_TEXT.chars().cycle().take(bytes).collect::<String>() })
}

fn type_of(word: &str) -> Option<AttributeType> {
    Some(match word {
        "S" => AttributeType::S,
        "N" => AttributeType::N,
        "B" => AttributeType::B,
        "BOOL" => AttributeType::Bool,
        "NULL" => AttributeType::Null,
        "SS" => AttributeType::Ss,
        "NS" => AttributeType::Ns,
        "BS" => AttributeType::Bs,
        "L" => AttributeType::L,
        "M" => AttributeType::M,
        _ => return None,
    })
}

/// A request's body: plain JSON, but for the members that hold attribute values.
pub(crate) fn body(value: &At<Plain>, findings: &mut Findings) -> Value {
    match &value.value {
        Plain::Text { text, quoted } => scalar(text, *quoted),
        Plain::List(elements) => elements.iter().map(|element| body(element, findings)).collect(),
        Plain::Mapping(members) => {
            let member = |(name, value): &(At<String>, At<Plain>)| {
                (name.value.clone(), member(&name.value, value, findings))
            };
            Value::Object(members.iter().map(member).collect())
        }
    }
}

fn member(name: &str, value: &At<Plain>, findings: &mut Findings) -> Value {
    match (name, &value.value) {
        ("Key" | "Item" | "ExclusiveStartKey" | "ExpressionAttributeValues", Plain::Mapping(members)) => {
            Value::Object(attributes(members, findings))
        }
        ("Keys", Plain::List(elements)) => elements
            .iter()
            .map(|element| match &element.value {
                Plain::Mapping(members) => Value::Object(attributes(members, findings)),
                _ => body(element, findings),
            })
            .collect(),
        _ => body(value, findings),
    }
}

fn scalar(text: &str, quoted: bool) -> Value {
    if quoted {
        return json!(text);
    }
    match text {
        "true" => json!(true),
        "false" => json!(false),
        "" | "~" | "null" => Value::Null,
        _ => match text.parse::<i64>() {
            Ok(number) => json!(number),
            Err(_) => json!(text),
        },
    }
}
