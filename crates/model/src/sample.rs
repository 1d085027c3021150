//! Sample values: what a model file writes plainly, as DynamoDB JSON of the attribute's type.

use keyplan_value::{Number, base64};
use serde_json::{Map, Value, json};

use crate::finding::Findings;
use crate::placed::{At, Plain};
use crate::problem::Problem;
use crate::types::AttributeType;
use crate::yaml::is_null;

/// The value of attribute `name` as DynamoDB JSON of type `kind`.
pub fn typed(name: &str, kind: AttributeType, value: &At<Plain>, findings: &mut Findings) -> Option<Value> {
    let wrong = |findings: &mut Findings| {
        let found = described(&value.value);
        let name = name.to_owned();
        findings.add(value.at, || Problem::ValueType { name, expected: kind, found });
        None
    };
    match (kind, &value.value) {
        (AttributeType::S | AttributeType::N | AttributeType::B, Plain::Text { text, quoted }) => {
            if !quoted && is_null(text) {
                return wrong(findings);
            }
            let scalar = scalar(name, kind, value, text, findings)?;
            Some(json!({ kind.code(): scalar }))
        }
        (AttributeType::Bool, Plain::Text { text, quoted: false }) => match text.as_str() {
            "true" => Some(json!({ "BOOL": true })),
            "false" => Some(json!({ "BOOL": false })),
            _ => wrong(findings),
        },
        (AttributeType::Null, Plain::Text { text, quoted: false }) if is_null(text) => {
            Some(json!({ "NULL": true }))
        }
        (AttributeType::Ss, Plain::List(members)) if !members.is_empty() => {
            set(name, kind, AttributeType::S, members, findings)
        }
        (AttributeType::Ns, Plain::List(members)) if !members.is_empty() => {
            set(name, kind, AttributeType::N, members, findings)
        }
        (AttributeType::Bs, Plain::List(members)) if !members.is_empty() => {
            set(name, kind, AttributeType::B, members, findings)
        }
        (AttributeType::L, Plain::List(_)) | (AttributeType::M, Plain::Mapping(_)) => {
            Some(inferred(&value.value))
        }
        _ => wrong(findings),
    }
}

/// The text of a scalar that is part of a key: numbers in their normal form.
pub(crate) fn key_text(
    name: &str,
    kind: AttributeType,
    value: &At<Plain>,
    findings: &mut Findings,
) -> Option<String> {
    match &value.value {
        Plain::Text { text, quoted } if !text.is_empty() && (*quoted || !is_null(text)) => {
            scalar(name, kind, value, text, findings)
        }
        other => {
            let found = described(other);
            let name = name.to_owned();
            findings.add(value.at, || Problem::ValueType { name, expected: kind, found });
            None
        }
    }
}

fn scalar(
    name: &str,
    kind: AttributeType,
    value: &At<Plain>,
    text: &str,
    findings: &mut Findings,
) -> Option<String> {
    match kind {
        AttributeType::N => match Number::parse(text) {
            Ok(number) => Some(number.to_string()),
            Err(_) => {
                let name = name.to_owned();
                findings.add(value.at, || Problem::NotANumber { name, text: text.to_owned() });
                None
            }
        },
        AttributeType::B if base64::check(text).is_err() => {
            let name = name.to_owned();
            findings.add(value.at, || Problem::NotBase64 { name });
            None
        }
        _ => Some(text.to_owned()),
    }
}

fn set(
    name: &str,
    kind: AttributeType,
    member_kind: AttributeType,
    members: &[At<Plain>],
    findings: &mut Findings,
) -> Option<Value> {
    let mut seen = std::collections::HashSet::new();
    let mut texts = Vec::new();
    for member in members {
        let Plain::Text { text, .. } = &member.value else {
            let found = described(&member.value);
            let name = name.to_owned();
            findings.add(member.at, || Problem::ValueType { name, expected: kind, found });
            return None;
        };
        let text = scalar(name, member_kind, member, text, findings)?;
        if !seen.insert(text.clone()) {
            let name = name.to_owned();
            findings.add(member.at, || Problem::DuplicateInSet { name });
            return None;
        }
        texts.push(text);
    }
    Some(json!({ kind.code(): texts }))
}

/// Inside lists and maps no type is declared: quotes make a text, and a plain value is what it looks
/// like. The reader has bounded the depth.
pub fn inferred(value: &Plain) -> Value {
    match value {
        Plain::Text { text, quoted: true } => json!({ "S": text }),
        Plain::Text { text, quoted: false } => match text.as_str() {
            text if is_null(text) => json!({ "NULL": true }),
            "true" => json!({ "BOOL": true }),
            "false" => json!({ "BOOL": false }),
            text => match Number::parse(text) {
                Ok(number) => json!({ "N": number.to_string() }),
                Err(_) => json!({ "S": text }),
            },
        },
        Plain::List(elements) => {
            let elements: Vec<Value> = elements.iter().map(|element| inferred(&element.value)).collect();
            json!({ "L": elements })
        }
        Plain::Mapping(members) => {
            let members: Map<String, Value> =
                members.iter().map(|(name, value)| (name.value.clone(), inferred(&value.value))).collect();
            json!({ "M": members })
        }
    }
}

fn described(value: &Plain) -> &'static str {
    match value {
        Plain::Text { text, quoted: false } if is_null(text) => "nothing",
        Plain::Text { text, .. } if text.is_empty() => "an empty text",
        Plain::Text { quoted: true, .. } => "a text",
        Plain::Text { .. } => "a single value",
        Plain::List(elements) if elements.is_empty() => "an empty list",
        Plain::List(_) => "a list",
        Plain::Mapping(_) => "a mapping",
    }
}
