//! What the service says of attribute values in a request: which error, and in which order.

use keyplan_value::base64::Base64Error;
use keyplan_value::json::{Kind, Limits, Tape};
use keyplan_value::{
    AttributeValue, DuplicateInSet, ExpectedJson, Item, Number, NumberError, Value, ValueError, ValueKind,
    WrongJsonType,
};

fn value(text: &str) -> Result<Value, ValueError> {
    let tape = Tape::parse(text.as_bytes(), &Limits::default()).expect("a test writes JSON");
    Value::from_json(tape.root())
}

fn item(text: &str) -> Result<Item, ValueError> {
    let tape = Tape::parse(text.as_bytes(), &Limits::default()).expect("a test writes JSON");
    Item::from_json(tape.root())
}

fn error(text: &str) -> ValueError {
    value(text).expect_err(text)
}

/// The JSON that a read answers.
fn answered(text: &str) -> String {
    let mut json = Vec::new();
    value(text).unwrap_or_else(|error| panic!("{text}: {error}")).as_ref().write_json(&mut json);
    String::from_utf8(json).expect("JSON is UTF-8")
}

#[test]
fn all_ten_types_are_answered_in_normal_form() {
    let cases = [
        (r#"{"S":""}"#, r#"{"S":""}"#),
        (r#"{"S":"\u0000\u00e9\ud83d\ude00/"}"#, "{\"S\":\"\\u0000é😀/\"}"),
        (r#"{"N":"+1.50e1"}"#, r#"{"N":"15"}"#),
        (r#"{"B":""}"#, r#"{"B":""}"#),
        (r#"{"B":"YWI="}"#, r#"{"B":"YWI="}"#),
        (r#"{"SS":["b","","a"]}"#, r#"{"SS":["","a","b"]}"#),
        (r#"{"NS":["10","-1","2"]}"#, r#"{"NS":["-1","2","10"]}"#),
        (r#"{"BS":["Yg==","","YQ=="]}"#, r#"{"BS":["","YQ==","Yg=="]}"#),
        (r#"{"BOOL":true}"#, r#"{"BOOL":true}"#),
        (r#"{"BOOL":"No"}"#, r#"{"BOOL":false}"#),
        (r#"{"NULL":true}"#, r#"{"NULL":true}"#),
        (r#"{"NULL":"Y"}"#, r#"{"NULL":true}"#),
        (r#"{"L":[]}"#, r#"{"L":[]}"#),
        (r#"{"M":{}}"#, r#"{"M":{}}"#),
        (r#"{"M":{"b":{"L":[{"N":"01"}]},"a":{"S":"x"}}}"#, r#"{"M":{"a":{"S":"x"},"b":{"L":[{"N":"1"}]}}}"#),
    ];
    for (sent, expected) in cases {
        assert_eq!(answered(sent), expected);
    }
}

#[test]
fn null_and_unknown_members_do_not_count() {
    assert_eq!(answered(r#"{"S":"a","N":null,"X":1}"#), r#"{"S":"a"}"#);
    assert_eq!(answered(r#"{"N":"1","S":"a","N":null}"#), r#"{"S":"a"}"#);
    assert_eq!(answered(r#"{"S":"a","\u0053":"b"}"#), r#"{"S":"b"}"#);
    assert_eq!(answered(r#"{"M":{"a":{"S":"x"},"b":null}}"#), r#"{"M":{"a":{"S":"x"}}}"#);
    assert_eq!(error(r#"{"X":1}"#), ValueError::Empty);
    assert_eq!(error(r#"{}"#), ValueError::Empty);
    assert_eq!(error(r#"{"S":null}"#), ValueError::Empty);
    assert_eq!(error(r#"{"L":[null]}"#), ValueError::Empty);
}

#[test]
fn the_last_of_two_equal_names_counts() {
    let stored = item(r#"{"a":{"S":"1"},"b":{"S":"2"},"\u0061":{"S":"3"}}"#).unwrap();
    assert_eq!(format!("{stored:?}"), r#"{"a":{"S":"3"},"b":{"S":"2"}}"#);
    assert!(item(r#"{"a":{"S":"1"},"a":null}"#).unwrap().as_ref().is_empty());
}

#[test]
fn several_types_are_read_before_they_are_counted() {
    assert_eq!(error(r#"{"S":"a","N":"1"}"#), ValueError::MoreThanOneType);
    assert_eq!(error(r#"{"S":"a","N":"x","NULL":false,"SS":[]}"#), ValueError::EmptySet(ValueKind::Ss));
    let number = ValueError::Number { error: NumberError::NotANumber, text: "x".into() };
    assert_eq!(error(r#"{"NULL":false,"N":"x"}"#), number);
    assert_eq!(error(r#"{"NULL":false,"S":"a"}"#), ValueError::NullFalse);
    let boolean = WrongJsonType { expected: ExpectedJson::Boolean, found: Kind::String };
    assert_eq!(error(r#"{"SS":[],"BOOL":"maybe"}"#), ValueError::WrongJsonType(boolean));
    assert_eq!(error(r#"{"L":[{"N":"x"}],"S":"a"}"#), ValueError::MoreThanOneType);
}

#[test]
fn errors_of_sets() {
    for kind in [ValueKind::Ss, ValueKind::Ns, ValueKind::Bs] {
        assert_eq!(error(&format!(r#"{{"{}":[]}}"#, kind.code())), ValueError::EmptySet(kind));
    }
    let duplicate = |kind, members: &[&str], repeated| {
        let members = members.iter().map(|member| member.to_string()).collect();
        ValueError::DuplicateInSet(DuplicateInSet { kind, members, repeated })
    };
    assert_eq!(
        error(r#"{"SS":["b","a","b","C","a"]}"#),
        duplicate(ValueKind::Ss, &["b", "a", "b", "C", "a"], 2)
    );
    assert_eq!(error(r#"{"NS":["1","2","1.0"]}"#), duplicate(ValueKind::Ns, &["1", "2", "1.0"], 2));
    assert_eq!(error(r#"{"BS":["YQ==","YQ=="]}"#), duplicate(ValueKind::Bs, &["YQ==", "YQ=="], 1));
    let number = ValueError::Number { error: NumberError::NotANumber, text: String::new() };
    assert_eq!(error(r#"{"NS":["1",""]}"#), number);
}

#[test]
fn errors_of_json_types_have_the_service_s_words() {
    let cases = [
        (r#"{"S":1}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"S":-0}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"N":1.0}"#, "DECIMAL_VALUE cannot be converted to String"),
        (r#"{"S":true}"#, "TRUE_VALUE cannot be converted to String"),
        (r#"{"N":false}"#, "FALSE_VALUE cannot be converted to String"),
        (r#"{"S":[]}"#, "Unrecognized collection type class java.lang.String"),
        (r#"{"S":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"B":1}"#, "only base-64-encoded strings are convertible to bytes"),
        (r#"{"B":[]}"#, "Unrecognized collection type class java.nio.ByteBuffer"),
        (r#"{"B":"abc"}"#, "Base64 encoded length is expected a multiple of 4 bytes but found: 3"),
        (r#"{"B":"YR=="}"#, "Invalid last non-pad Base64 character dectected"),
        (r#"{"B":"YW-j"}"#, "Invalid base64 character: '-'"),
        (r#"{"BOOL":1}"#, "NUMBER_VALUE cannot be converted to Boolean"),
        (r#"{"NULL":1.5}"#, "DECIMAL_VALUE cannot be converted to Boolean"),
        (r#"{"BOOL":"maybe"}"#, "Unexpected token received from parser"),
        (r#"{"BOOL":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"SS":"a"}"#, "Unexpected field type"),
        (r#"{"SS":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"SS":[1]}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"NS":[[]]}"#, "Unrecognized collection type class java.lang.String"),
        (r#"{"BS":[1]}"#, "only base-64-encoded strings are convertible to bytes"),
        (r#"{"L":1}"#, "Unexpected field type"),
        (r#"{"L":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"L":["a"]}"#, "Unexpected value type in payload"),
        (
            r#"{"L":[[]]}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
        ),
        (r#"{"M":1}"#, "Unexpected field type"),
        (
            r#"{"M":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, \
             com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
        (r#"{"M":{"a":"b"}}"#, "Unexpected value type in payload"),
    ];
    for (sent, message) in cases {
        let error = error(sent);
        assert!(error.is_serialization(), "{sent}: {error:?}");
        assert_eq!(error.message().as_deref(), Some(message), "of {sent}");
    }
    assert_eq!(error(r#"{"BOOL":[]}"#).message(), None, "the one error without a message");
    assert_eq!(error(r#"{"B":"abc"}"#), ValueError::NotBase64(Base64Error::Length(3)));
    let not_a_map = item("[]").unwrap_err();
    let expected = WrongJsonType { expected: ExpectedJson::Map, found: Kind::Array };
    assert_eq!(not_a_map, ValueError::WrongJsonType(expected));
}

#[test]
fn errors_of_an_item_are_ranked_by_kind_before_place() {
    let number = ValueError::Number { error: NumberError::NotANumber, text: "x".into() };
    assert_eq!(item(r#"{"a":{"N":"x"},"b":{"SS":[]}}"#), Err(number));
    assert_eq!(item(r#"{"a":{"N":"x"},"b":{"NULL":false}}"#), Err(ValueError::NullFalse));
    let nested = r#"{"a":{"N":"x"},"b":{"NULL":false},"c":{"M":{"":{"S":"a"}}}}"#;
    assert_eq!(item(nested), Err(ValueError::EmptyAttributeName));
    let json = r#"{"a":{"N":"x"},"":{"NULL":false},"c":{"S":1}}"#;
    assert!(item(json).unwrap_err().is_serialization());
}

#[test]
fn names_have_1_to_65535_bytes() {
    let named = |name: &str| item(&format!(r#"{{"{name}":{{"M":{{"{name}":{{"S":"a"}}}}}}}}"#));
    assert!(named(&"n".repeat(65_535)).is_ok());
    assert_eq!(named(&"n".repeat(65_536)), Err(ValueError::AttributeNameTooLarge));
    assert_eq!(named(&"é".repeat(32_768)), Err(ValueError::AttributeNameTooLarge));
    assert_eq!(named(""), Err(ValueError::EmptyAttributeName));
}

#[test]
fn nesting_is_counted_in_levels_of_values() {
    let nested = |levels: usize| {
        let lists = levels - 1;
        format!("{}{{\"S\":\"a\"}}{}", r#"{"L":["#.repeat(lists), "]}".repeat(lists))
    };
    assert!(value(&nested(32)).is_ok());
    for levels in [33, 62, 63, 500] {
        assert_eq!(error(&nested(levels)), ValueError::NestedTooDeep { levels });
    }
    let stored = item(&format!(r#"{{"a":{}}}"#, nested(32))).unwrap();
    let mut deepest = stored.as_ref().get("a");
    for _ in 1..32 {
        deepest = deepest.and_then(|value| value.index(0));
    }
    assert_eq!(deepest.and_then(|value| value.as_str()), Some("a"));
}

#[test]
fn sizes_are_those_of_the_service() {
    let cases = [
        (r#"{"S":"é😀"}"#, 6),
        (r#"{"N":"1000"}"#, 2),
        (r#"{"B":"YWI="}"#, 2),
        (r#"{"BOOL":false}"#, 1),
        (r#"{"NULL":true}"#, 1),
        (r#"{"SS":["a","bc"]}"#, 3),
        (r#"{"NS":["1","-42"]}"#, 5),
        (r#"{"BS":["YQ=="]}"#, 1),
        (r#"{"L":[]}"#, 3),
        (r#"{"L":[{"S":"ab"},{"L":[]}]}"#, 3 + 1 + 2 + 1 + 3),
        (r#"{"M":{"key":{"N":"1.5"}}}"#, 3 + 1 + 3 + 3),
    ];
    for (sent, size) in cases {
        assert_eq!(value(sent).unwrap().as_ref().size(), size, "of {sent}");
        let stored = item(&format!(r#"{{"name":{sent}}}"#)).unwrap();
        assert_eq!(stored.as_ref().size(), size + 4, "of an item of {sent}");
    }
}

#[test]
fn programs_build_what_requests_send() {
    let built = Item::from_attributes([
        ("pk", AttributeValue::from("a")),
        ("n", AttributeValue::from(Number::from(15))),
        ("ok", AttributeValue::from(true)),
    ])
    .unwrap();
    let sent = item(r#"{"ok":{"BOOL":true},"n":{"N":"1.5e1"},"pk":{"S":"a"}}"#).unwrap();
    assert_eq!(built, sent);
    assert_eq!(built.stored(), sent.stored());
    let empty = Item::from_attributes([("s", AttributeValue::Ss(Default::default()))]);
    assert_eq!(empty, Err(ValueError::EmptySet(ValueKind::Ss)));
    assert_eq!(Item::from_attributes([("", AttributeValue::Null)]), Err(ValueError::EmptyAttributeName));
}
