//! The short text of an attribute value in a plan. Keys are never shortened; long values are, by
//! their type and size. The browser code writes them alike (web/src/plan/values.ts).

use serde_json::Value;

use crate::figures::counted;

/// Texts longer than this are told by their length.
const TEXT_CHARACTERS_MAX: usize = 48;

/// A key attribute's text: S and N as they are, B in base64.
pub(crate) fn key_text(value: Option<&Value>) -> &str {
    typed(value).and_then(|(_, content)| content.as_str()).unwrap_or_default()
}

/// A value's text, shortened by type and size when it is long.
pub(crate) fn value_text(value: &Value) -> String {
    let Some((kind, content)) = typed(Some(value)) else {
        return String::new();
    };
    match (kind, content) {
        ("S", Value::String(text)) => match text.chars().count() {
            characters if characters > TEXT_CHARACTERS_MAX => {
                format!("text, {}", counted(characters as u64, "character"))
            }
            _ => text.clone(),
        },
        ("N", Value::String(text)) => text.clone(),
        ("B", _) => "binary".to_owned(),
        ("BOOL", content) => content.to_string(),
        ("NULL", _) => "null".to_owned(),
        ("L", content) => format!("list of {}", size(content)),
        ("M", content) => format!("map of {}", size(content)),
        (_, content) => format!("set of {}", size(content)),
    }
}

/// Whether a value is a number, which stands at the right of its place.
pub(crate) fn is_number(value: &Value) -> bool {
    typed(Some(value)).is_some_and(|(kind, _)| kind == "N")
}

fn typed(value: Option<&Value>) -> Option<(&str, &Value)> {
    let (kind, content) = value?.as_object()?.iter().next()?;
    Some((kind, content))
}

fn size(content: &Value) -> usize {
    match content {
        Value::Array(elements) => elements.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_told_by_type_and_size() {
        for (value, text) in [
            (json!({"S": "kettle"}), "kettle"),
            (json!({"S": "x".repeat(49)}), "text, 49 characters"),
            (json!({"N": "84.5"}), "84.5"),
            (json!({"B": "AAEC"}), "binary"),
            (json!({"BOOL": false}), "false"),
            (json!({"NULL": true}), "null"),
            (json!({"L": [{"S": "a"}, {"S": "b"}]}), "list of 2"),
            (json!({"M": {"a": {"S": "b"}}}), "map of 1"),
            (json!({"NS": ["1", "2", "3"]}), "set of 3"),
        ] {
            assert_eq!(value_text(&value), text, "{value}");
        }
        assert_eq!(key_text(Some(&json!({"S": "x".repeat(49)}))).len(), 49, "keys are never shortened");
    }
}
