//! The service's words for what is wrong with a value, in its newer validation layer's form.

use crate::base64::Base64Error;
use crate::error::{DuplicateInSet, ExpectedJson, ValueError, WrongJsonType};
use crate::json::Kind;
use crate::kind::ValueKind;
use crate::number::NumberError;
use crate::order;

/// The lead of most of the texts about values.
const INVALID: &str = "One or more parameter values were invalid: ";

/// The text for `error`, if the service sends one.
pub(crate) fn value(error: &ValueError) -> Option<String> {
    Some(match error {
        ValueError::WrongJsonType(error) => return wrong_json_type(error),
        ValueError::NotBase64(error) => base64(error),
        ValueError::EmptyAttributeName => "Empty attribute name".into(),
        ValueError::AttributeNameTooLarge => {
            "Attribute name is too large, must be less than 65536 bytes".into()
        }
        ValueError::NullFalse => {
            format!("{INVALID}Null attribute value types must have the value of true")
        }
        ValueError::Empty => "Supplied AttributeValue is empty, must contain exactly one of the supported \
                              datatypes"
            .into(),
        ValueError::MoreThanOneType => "Supplied AttributeValue has more than one datatypes set, must \
                                        contain exactly one of the supported datatypes"
            .into(),
        ValueError::EmptySet(kind) => format!("{INVALID}{}", empty_set(*kind)),
        ValueError::DuplicateInSet(duplicate) => format!("{INVALID}{}", duplicate_in_set(duplicate)),
        ValueError::Number { error: NumberError::NotANumber, text } => {
            // The newer layer keeps the colon before an empty text.
            format!("{}: {text}", number(NumberError::NotANumber))
        }
        ValueError::Number { error, .. } => number(*error).into(),
        ValueError::NestedTooDeep { .. } => "Nesting Levels have exceeded supported limits: Attributes in \
                                             the item have nested levels beyond supported limit"
            .into(),
    })
}

/// The text for `error` as the service worded it before its newer layer.
pub(crate) fn value_in_older_words(error: &ValueError) -> Option<String> {
    match error {
        ValueError::Number { error, text } if text.is_empty() => Some(number(*error).into()),
        ValueError::DuplicateInSet(duplicate) => Some(match duplicate.kind {
            // Without the lead, and without the full stop.
            ValueKind::Ns => "Input collection contains duplicates".into(),
            kind => {
                let of_type = if kind == ValueKind::Bs { "of type BS" } else { "" };
                let members = duplicate.members.join(", ");
                format!("{INVALID}Input collection [{members}]{of_type} contains duplicates.")
            }
        }),
        error => value(error),
    }
}

/// The text for a number error, without the number.
pub(crate) fn number(error: NumberError) -> &'static str {
    match error {
        NumberError::NotANumber => "The parameter cannot be converted to a numeric value",
        NumberError::TooManyDigits => "Attempting to store more than 38 significant digits in a Number",
        NumberError::Overflow => {
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        }
        NumberError::Underflow => {
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        }
    }
}

fn empty_set(kind: ValueKind) -> &'static str {
    match kind {
        // The service's double spaces.
        ValueKind::Ss => "An string set  may not be empty",
        ValueKind::Ns => "An number set  may not be empty",
        _ => "Binary sets should not be empty",
    }
}

fn duplicate_in_set(duplicate: &DuplicateInSet) -> String {
    let quoted = |members: &[String], separator: &str| {
        members.iter().map(|member| format!("\"{member}\"")).collect::<Vec<_>>().join(separator)
    };
    match duplicate.kind {
        ValueKind::Ns => "Input collection contains duplicates.".into(),
        ValueKind::Bs => {
            // The missing space before "of" is the service's.
            format!("Input collection [{}]of type BS contains duplicates.", quoted(&duplicate.members, ","))
        }
        _ => {
            // The service has the members before the repeated one in order already.
            let mut members = duplicate.members.clone();
            if let Some(before) = members.get_mut(..duplicate.repeated) {
                order::sort_by(before, String::cmp);
            }
            format!("Input collection [{}] contains duplicates.", quoted(&members, ", "))
        }
    }
}

fn base64(error: &Base64Error) -> String {
    match error {
        Base64Error::Length(length) => {
            format!("Base64 encoded length is expected a multiple of 4 bytes but found: {length}")
        }
        Base64Error::LastCharacter => "Invalid last non-pad Base64 character dectected".into(),
        Base64Error::Character(character) => format!("Invalid base64 character: '{character}'"),
    }
}

/// The text of a SerializationException about a JSON value of the wrong type.
pub(crate) fn wrong_json_type(error: &WrongJsonType) -> Option<String> {
    let WrongJsonType { expected, found } = *error;
    let token = match found {
        Kind::Integer => "NUMBER_VALUE",
        Kind::Decimal => "DECIMAL_VALUE",
        Kind::True => "TRUE_VALUE",
        Kind::False => "FALSE_VALUE",
        Kind::String => "STRING_VALUE",
        Kind::Null => "NULL_VALUE",
        Kind::Array | Kind::Object => "",
    };
    Some(match (expected, found) {
        // The service words every attribute value's array but this one.
        (ExpectedJson::Boolean, Kind::Array) => return None,
        (ExpectedJson::String, Kind::Array) => collection("class java.lang.String"),
        (ExpectedJson::Binary, Kind::Array) => collection("class java.nio.ByteBuffer"),
        (ExpectedJson::Map, Kind::Array) => {
            collection("java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>")
        }
        (ExpectedJson::Value | ExpectedJson::ElementValue, Kind::Array) => {
            collection("class com.amazonaws.dynamodb.v20120810.AttributeValue")
        }
        (_, Kind::Object) => "Start of structure or map found where not expected".into(),
        (ExpectedJson::String, _) => format!("{token} cannot be converted to String"),
        (ExpectedJson::Boolean, Kind::String) => "Unexpected token received from parser".into(),
        (ExpectedJson::Boolean, _) => format!("{token} cannot be converted to Boolean"),
        (ExpectedJson::Binary, _) => "only base-64-encoded strings are convertible to bytes".into(),
        (ExpectedJson::ElementValue, _) => "Unexpected value type in payload".into(),
        (ExpectedJson::List | ExpectedJson::Map | ExpectedJson::Value, _) => "Unexpected field type".into(),
    })
}

fn collection(class: &str) -> String {
    format!("Unrecognized collection type {class}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_words_for_duplicates_show_members_as_they_were_sent() {
        let duplicate = |kind, members: &[&str]| {
            let members = members.iter().map(|member| member.to_string()).collect();
            let duplicate = DuplicateInSet { kind, members, repeated: 1 };
            value_in_older_words(&ValueError::DuplicateInSet(duplicate)).unwrap()
        };
        let lead = "One or more parameter values were invalid: Input collection";
        assert_eq!(
            duplicate(ValueKind::Ss, &["b", "a", "b"]),
            format!("{lead} [b, a, b] contains duplicates.")
        );
        assert_eq!(
            duplicate(ValueKind::Bs, &["YQ==", "YQ=="]),
            format!("{lead} [YQ==, YQ==]of type BS contains duplicates.")
        );
        assert_eq!(duplicate(ValueKind::Ns, &["1", "1.0"]), "Input collection contains duplicates");
        let no_number = ValueError::Number { error: NumberError::NotANumber, text: String::new() };
        assert_eq!(
            value_in_older_words(&no_number).unwrap(),
            "The parameter cannot be converted to a numeric value"
        );
    }

    #[test]
    fn the_book_s_texts_stand_word_for_word() {
        let duplicate = |kind, members: &[&str], repeated| {
            let members = members.iter().map(|member| member.to_string()).collect();
            value(&ValueError::DuplicateInSet(DuplicateInSet { kind, members, repeated })).unwrap()
        };
        assert_eq!(
            duplicate(ValueKind::Ss, &["b", "a", "b", "C"], 2),
            "One or more parameter values were invalid: Input collection [\"a\", \"b\", \"b\", \"C\"] \
             contains duplicates."
        );
        assert_eq!(
            duplicate(ValueKind::Bs, &["YQ==", "YQ=="], 1),
            "One or more parameter values were invalid: Input collection [\"YQ==\",\"YQ==\"]of type BS \
             contains duplicates."
        );
        assert_eq!(
            duplicate(ValueKind::Ns, &["1", "1.0"], 1),
            "One or more parameter values were invalid: Input collection contains duplicates."
        );
        assert_eq!(
            value(&ValueError::EmptySet(ValueKind::Ss)).unwrap(),
            "One or more parameter values were invalid: An string set  may not be empty"
        );
        assert_eq!(
            value(&ValueError::Number { error: NumberError::NotANumber, text: String::new() }).unwrap(),
            "The parameter cannot be converted to a numeric value: "
        );
        assert_eq!(
            value(&ValueError::Number { error: NumberError::Overflow, text: "1e126".into() }).unwrap(),
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        );
        assert_eq!(
            value(&ValueError::NestedTooDeep { levels: 33 }).unwrap(),
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels \
             beyond supported limit"
        );
    }
}
