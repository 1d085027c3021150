//! The short text of an attribute value in a plan. Keys are never shortened; long values are, by
//! their type and size. The browser code writes them alike (web/src/plan/values.ts).

use std::borrow::Cow;

use keyplan_value::{ValueKind, ValueRef, base64};

use crate::figures::bytes;

/// Texts longer than this are told by their length.
const TEXT_CHARACTERS_MAX: usize = 48;

/// A key attribute's text: S and N as they are, B in base64.
pub(crate) fn key_text(value: Option<ValueRef<'_>>) -> Cow<'_, str> {
    let Some(value) = value else { return Cow::Borrowed("") };
    match value.kind() {
        ValueKind::B => Cow::Owned(in_base64(value)),
        ValueKind::N => Cow::Owned(number_text(value)),
        _ => Cow::Borrowed(value.as_str().unwrap_or_default()),
    }
}

/// A value's text, shortened by type and size when it is long.
pub(crate) fn value_text(value: ValueRef<'_>) -> String {
    match value.kind() {
        ValueKind::S => {
            let text = value.as_str().unwrap_or_default();
            match text.chars().count() {
                characters if characters > TEXT_CHARACTERS_MAX => {
                    format!("text {}", bytes(text.len() as u64))
                }
                _ => text.to_owned(),
            }
        }
        ValueKind::N => number_text(value),
        ValueKind::B => "binary".to_owned(),
        ValueKind::Bool => value.as_bool().unwrap_or_default().to_string(),
        ValueKind::Null => "null".to_owned(),
        ValueKind::L => format!("list of {}", value.member_count()),
        ValueKind::M => format!("map of {}", value.member_count()),
        ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => format!("set of {}", value.member_count()),
    }
}

fn number_text(value: ValueRef<'_>) -> String {
    value.number().map(|number| number.to_string()).unwrap_or_default()
}

fn in_base64(value: ValueRef<'_>) -> String {
    let mut text = Vec::new();
    base64::encode(value.as_bytes().unwrap_or_default(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use keyplan_value::{AttributeValue, Value};

    use super::*;

    fn value(json: &str) -> Value {
        let read = AttributeValue::from_json_text(json.as_bytes()).expect("DynamoDB JSON");
        Value::try_from(&read).expect("a value that can be stored")
    }

    #[test]
    fn values_are_told_by_type_and_size() {
        let long = format!(r#"{{"S":"{}"}}"#, "x".repeat(49));
        for (json, text) in [
            (r#"{"S":"kettle"}"#, "kettle"),
            (long.as_str(), "text 49 B"),
            (r#"{"N":"84.50"}"#, "84.5"),
            (r#"{"B":"AAEC"}"#, "binary"),
            (r#"{"BOOL":false}"#, "false"),
            (r#"{"NULL":true}"#, "null"),
            (r#"{"L":[{"S":"a"},{"S":"b"}]}"#, "list of 2"),
            (r#"{"M":{"a":{"S":"b"}}}"#, "map of 1"),
            (r#"{"NS":["1","2","3"]}"#, "set of 3"),
        ] {
            assert_eq!(value_text(value(json).as_ref()), text, "{json}");
        }
    }

    #[test]
    fn keys_are_never_shortened() {
        let long = "x".repeat(49);
        let keys = [(format!(r#"{{"S":"{long}"}}"#), long.as_str())];
        let more = [(r#"{"N":"7"}"#.to_owned(), "7"), (r#"{"B":"AAEC"}"#.to_owned(), "AAEC")];
        for (json, text) in keys.into_iter().chain(more) {
            assert_eq!(key_text(Some(value(&json).as_ref())), text);
        }
        assert_eq!(key_text(None), "");
    }
}
