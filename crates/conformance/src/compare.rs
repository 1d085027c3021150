//! An answer held against what is expected, placeholders and orders considered.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The first place where an answer is not what is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Where: members and places in lists, such as `Items[1].id`.
    pub path: String,
    /// What is expected there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// An object with this member may have further members, and a list with this element further elements.
const MORE: &str = "<more>";

/// The longest text of a mismatch that is shown, in characters.
const SHOWN_CHARACTERS_MAX: usize = 400;

/// The part of a body at a path such as `Shards.0.ShardId`.
pub(crate) fn at_path<'b>(body: &'b Value, path: &str) -> Option<&'b Value> {
    path.split('.').try_fold(body, |part, step| match part {
        Value::Array(elements) => elements.get(step.parse::<usize>().ok()?),
        part => part.get(step),
    })
}

/// Holds `found` against `expected`; lists of members named in `unordered` have no order.
pub(crate) fn compare(expected: &Value, found: &Value, unordered: &BTreeSet<String>) -> Result<(), Mismatch> {
    Comparison { unordered }.values("", None, expected, found)
}

struct Comparison<'u> {
    unordered: &'u BTreeSet<String>,
}

impl Comparison<'_> {
    fn values(
        &self,
        path: &str,
        member: Option<&str>,
        expected: &Value,
        found: &Value,
    ) -> Result<(), Mismatch> {
        let fits = match (expected, found) {
            (Value::String(pattern), found) if pattern == "<any>" => !found.is_null(),
            (Value::String(pattern), Value::Number(_)) if pattern == "<seconds>" => true,
            (Value::String(pattern), Value::String(text)) => text_fits(pattern, text),
            // 1 and 1.0 are one JSON number.
            (Value::Number(expected), Value::Number(found)) => expected.as_f64() == found.as_f64(),
            (Value::Object(expected), Value::Object(found)) => {
                return self.objects(path, expected, found);
            }
            (Value::Array(expected), Value::Array(found)) if expected.iter().any(|one| one == MORE) => {
                return self.lists_with_more(path, expected, found);
            }
            (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
                return if self.is_unordered(member) {
                    self.unordered_lists(path, expected, found)
                } else {
                    self.lists(path, expected, found)
                };
            }
            (expected, found) => expected == found,
        };
        if fits { Ok(()) } else { Err(mismatch(path, expected, found)) }
    }

    /// Sets have no order, wherever they stand.
    fn is_unordered(&self, member: Option<&str>) -> bool {
        member.is_some_and(|name| matches!(name, "SS" | "NS" | "BS") || self.unordered.contains(name))
    }

    fn objects(
        &self,
        path: &str,
        expected: &Map<String, Value>,
        found: &Map<String, Value>,
    ) -> Result<(), Mismatch> {
        for (name, expected) in expected.iter().filter(|(name, _)| *name != MORE) {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let Some(found) = found.get(name) else {
                let found = "nothing".to_owned();
                return Err(Mismatch { path, expected: shown(expected), found });
            };
            self.values(&path, Some(name), expected, found)?;
        }
        let further = found.iter().find(|(name, _)| !expected.contains_key(*name));
        match further {
            Some((name, value)) if !expected.contains_key(MORE) => {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                Err(Mismatch { path, expected: "nothing".to_owned(), found: shown(value) })
            }
            _ => Ok(()),
        }
    }

    fn lists(&self, path: &str, expected: &[Value], found: &[Value]) -> Result<(), Mismatch> {
        for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
            self.values(&format!("{path}[{index}]"), None, expected, found)?;
        }
        Ok(())
    }

    /// The elements stand in the list in their order, perhaps among others.
    fn lists_with_more(&self, path: &str, expected: &[Value], found: &[Value]) -> Result<(), Mismatch> {
        let mut left = found.iter();
        for expected in expected.iter().filter(|one| *one != MORE) {
            if !left.any(|found| self.values(path, None, expected, found).is_ok()) {
                let found = cut(&Value::from(found).to_string());
                return Err(Mismatch { path: format!("{path}[]"), expected: shown(expected), found });
            }
        }
        Ok(())
    }

    fn unordered_lists(&self, path: &str, expected: &[Value], found: &[Value]) -> Result<(), Mismatch> {
        let mut left: Vec<&Value> = found.iter().collect();
        for expected in expected {
            let place = left.iter().position(|found| self.values(path, None, expected, found).is_ok());
            match place {
                Some(place) => {
                    left.swap_remove(place);
                }
                None => {
                    let found = left.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" or ");
                    let found = cut(&found);
                    return Err(Mismatch { path: format!("{path}[]"), expected: shown(expected), found });
                }
            }
        }
        Ok(())
    }
}

fn mismatch(path: &str, expected: &Value, found: &Value) -> Mismatch {
    let path = if path.is_empty() { "the body".to_owned() } else { path.to_owned() };
    Mismatch { path, expected: shown(expected), found: shown(found) }
}

fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// Something inside a text that differs from run to run.
struct Placeholder {
    name: &'static str,
    /// The characters that it may stand for.
    letters: fn(char) -> bool,
    /// How many there are, where that is fixed.
    length: Option<usize>,
}

const PLACEHOLDERS: [Placeholder; 6] = [
    Placeholder {
        name: "<uuid>",
        letters: |letter| letter.is_ascii_hexdigit() || letter == '-',
        length: Some(36),
    },
    Placeholder {
        name: "<region>",
        letters: |letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-',
        length: None,
    },
    Placeholder { name: "<digits>", letters: |letter| letter.is_ascii_digit(), length: None },
    Placeholder {
        name: "<label>",
        letters: |letter| letter.is_ascii_digit() || "-:.T".contains(letter),
        length: Some(23),
    },
    Placeholder {
        name: "<backup-id>",
        letters: |letter| letter.is_ascii_hexdigit() || letter == '-',
        length: Some(23),
    },
    Placeholder { name: "<account>", letters: |letter| letter.is_ascii_digit(), length: Some(12) },
];

fn text_fits(pattern: &str, text: &str) -> bool {
    let first = PLACEHOLDERS
        .iter()
        .filter_map(|placeholder| Some((pattern.find(placeholder.name)?, placeholder)))
        .min_by_key(|(at, _)| *at);
    let Some((at, placeholder)) = first else { return pattern == text };
    let (before, after) = pattern.split_at(at);
    let Some(rest) = text.strip_prefix(before) else { return false };
    let end = rest.find(|letter| !(placeholder.letters)(letter)).unwrap_or(rest.len());
    let (value, rest) = rest.split_at(end);
    let right_length = match placeholder.length {
        Some(length) => value.len() == length,
        None => !value.is_empty(),
    };
    right_length && text_fits(after.strip_prefix(placeholder.name).unwrap_or(""), rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compared(expected: &Value, found: &Value) -> Result<(), String> {
        let unordered = BTreeSet::from(["Items".to_owned()]);
        compare(expected, found, &unordered).map_err(|mismatch| mismatch.path)
    }

    #[test]
    fn values_are_compared_by_what_they_mean() {
        for (expected, found) in [
            (json!({"a": 1, "b": [1, 2]}), json!({"b": [1, 2], "a": 1.0})),
            (json!({"t": {"SS": ["a", "b"]}}), json!({"t": {"SS": ["b", "a"]}})),
            (
                json!({"Items": [{"id": {"S": "a"}}, {"id": {"S": "b"}}]}),
                json!({"Items": [{"id": {"S": "b"}}, {"id": {"S": "a"}}]}),
            ),
            (json!({"T": {"a": 1, "<more>": true}}), json!({"T": {"a": 1, "b": 2}})),
            (json!("<any>"), json!([1])),
            (json!("<seconds>"), json!(1731940000.123)),
            (
                json!("arn:aws:dynamodb:<region>:<account>:table/T"),
                json!("arn:aws:dynamodb:eu-west-2:123456789012:table/T"),
            ),
            (json!("<uuid>"), json!("01234567-89ab-cdef-0123-456789abcdef")),
            (json!("table/T/stream/<label>"), json!("table/T/stream/2026-11-30T21:05:00.123")),
            (json!("<digits>"), json!("12345678901234567890123")),
            (json!({"Streams": [1, 3, "<more>"]}), json!({"Streams": [0, 1, 2, 3]})),
        ] {
            assert_eq!(compared(&expected, &found), Ok(()), "{expected} {found}");
        }
    }

    #[test]
    fn differences_have_a_place() {
        for (expected, found, path) in [
            (json!({"a": 1}), json!({"a": 2}), "a"),
            (json!({"a": 1}), json!({}), "a"),
            (json!({"a": {}}), json!({"a": {"b": 1}}), "a.b"),
            (json!({"L": [1, 2]}), json!({"L": [2, 1]}), "L[0]"),
            (json!({"L": [1]}), json!({"L": [1, 1]}), "L"),
            (json!({"Items": [1, 1]}), json!({"Items": [1, 2]}), "Items[]"),
            (json!({"L": [2, 1, "<more>"]}), json!({"L": [1, 2]}), "L[]"),
            (json!({"m": "1"}), json!({"m": 1}), "m"),
            (json!("<any>"), json!(null), "the body"),
            (json!("<uuid>"), json!("0123"), "the body"),
            (json!("table/T"), json!("table/TT"), "the body"),
        ] {
            assert_eq!(compared(&expected, &found), Err(path.to_owned()), "{expected} {found}");
        }
    }
}
