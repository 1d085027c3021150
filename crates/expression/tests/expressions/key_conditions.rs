//! Key conditions: what may be said of keys, and the range that it gives for a key schema.

use crate::request::{everything, placeholders, value};
use keyplan_expression::{KeyAttribute, KeyCondition, KeyRange, KeySchema, KeyTest, ParsedKeyCondition};
use keyplan_value::ValueKind;

const fn key(name: &'static str, kind: ValueKind) -> KeyAttribute<'static> {
    KeyAttribute { name, kind }
}

const SIMPLE: KeySchema = KeySchema { partition: &[key("pk", ValueKind::S)], sort: &[] };
const COMPOSITE: KeySchema =
    KeySchema { partition: &[key("pk", ValueKind::S)], sort: &[key("sk", ValueKind::S)] };
const NUMERIC: KeySchema =
    KeySchema { partition: &[key("pk", ValueKind::S)], sort: &[key("sk", ValueKind::N)] };
const SEVERAL: KeySchema = KeySchema {
    partition: &[key("a", ValueKind::S), key("b", ValueKind::N)],
    sort: &[key("c", ValueKind::S), key("d", ValueKind::S), key("e", ValueKind::S)],
};

fn bind(text: &str) -> Result<KeyCondition, String> {
    let parsed = ParsedKeyCondition::parse(text).map_err(|error| error.to_string())?;
    parsed.bind(&everything()).map_err(|error| error.to_string())
}

fn resolve(text: &str, schema: KeySchema) -> Result<KeyRange, String> {
    bind(text).expect(text).resolve(schema).map_err(|error| error.to_string())
}

fn refused(text: &str, schema: KeySchema) -> String {
    resolve(text, schema).expect_err(text)
}

/// A range in few characters: `partition | equal values | test`.
fn told(range: &KeyRange) -> String {
    let list = |values: &[keyplan_value::Value]| {
        values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" ")
    };
    let test = match &range.sort_test {
        None => String::new(),
        Some(KeyTest::Equal(value)) => format!("= {value:?}"),
        Some(KeyTest::Less(value)) => format!("< {value:?}"),
        Some(KeyTest::LessOrEqual(value)) => format!("<= {value:?}"),
        Some(KeyTest::Greater(value)) => format!("> {value:?}"),
        Some(KeyTest::GreaterOrEqual(value)) => format!(">= {value:?}"),
        Some(KeyTest::Between(lower, upper)) => format!("{lower:?}..={upper:?}"),
        Some(KeyTest::BeginsWith(prefix)) => format!("{prefix:?}*"),
    };
    format!("{} | {} | {test}", list(&range.partition), list(&range.sort_prefix))
}

#[test]
fn conditions_on_keys_become_a_range() {
    let cases = [
        ("pk = :s", r#"{"S":"x"} |  | "#),
        (":s = pk", r#"{"S":"x"} |  | "#),
        ("(pk = :s) AND (sk = :t)", r#"{"S":"x"} | {"S":"b"} | "#),
        ("sk < :t AND pk = :s", r#"{"S":"x"} |  | < {"S":"b"}"#),
        ("pk = :s and sk <= :t", r#"{"S":"x"} |  | <= {"S":"b"}"#),
        ("pk = :s AND sk > :t", r#"{"S":"x"} |  | > {"S":"b"}"#),
        ("pk = :s AND sk >= :t", r#"{"S":"x"} |  | >= {"S":"b"}"#),
        ("pk = :s AND :t < sk", r#"{"S":"x"} |  | > {"S":"b"}"#),
        ("pk = :s AND :t >= sk", r#"{"S":"x"} |  | <= {"S":"b"}"#),
        ("pk = :s AND sk BETWEEN :t AND :s", r#"{"S":"x"} |  | {"S":"b"}..={"S":"x"}"#),
        ("(pk = :s AND begins_with(sk, :t))", r#"{"S":"x"} |  | {"S":"b"}*"#),
    ];
    for (text, expected) in cases {
        assert_eq!(resolve(text, COMPOSITE).map(|range| told(&range)).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_a_condition_but_none_on_a_key_is_refused() {
    let operator = |operator| format!("Invalid operator used in KeyConditionExpression: {operator}");
    let several =
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition";
    let first = |operator| {
        format!(
            "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute \
             as its first operand"
        )
    };
    let cases = [
        ("pk = :s OR sk = :s", operator("OR")),
        ("NOT pk = :s", operator("NOT")),
        ("pk <> :s", operator("<>")),
        ("pk = :s AND sk IN (:s)", operator("IN")),
        ("pk = :s AND attribute_exists(sk)", operator("attribute_exists")),
        ("attribute_not_exists(sk)", operator("attribute_not_exists")),
        ("attribute_type(sk, :type)", operator("attribute_type")),
        ("pk = :s AND contains(sk, :s)", operator("contains")),
        ("size(pk) = :n", operator("size")),
        ("pk = size(:s)", operator("size")),
        ("pk = :s AND (sk = :s OR sk = :t)", operator("OR")),
        ("pk.x = :s", "KeyConditionExpressions cannot have conditions on nested attributes".into()),
        (
            "pk = :s AND begins_with(sk[0], :s)",
            "KeyConditionExpressions cannot have conditions on nested attributes".into(),
        ),
        ("pk = :s AND pk = :t", "KeyConditionExpressions must only contain one condition per key".into()),
        (
            "sk > :t AND pk = :s AND sk < :s",
            "KeyConditionExpressions must only contain one condition per key".into(),
        ),
        ("pk = sk", several.into()),
        ("pk BETWEEN :s AND sk", several.into()),
        (":s = :t", "Invalid condition in KeyConditionExpression: No key attribute specified".into()),
        (":s BETWEEN sk AND :t", first("BETWEEN")),
        ("begins_with(:s, sk)", first("begins_with")),
    ];
    for (text, expected) in cases {
        assert_eq!(bind(text).map(drop), Err(expected), "{text}");
    }
}

#[test]
fn operands_are_checked_before_what_keys_may_have() {
    for (text, begins) in [
        ("pk = :s OR sk < :bool", "Incorrect operand type for operator or function; operator or function: <"),
        (
            "pk = :s AND begins_with(sk, :n)",
            "Incorrect operand type for operator or function; operator or function: begins_with",
        ),
        ("pk <> :undefined", "An expression attribute value"),
        ("pk = :s AND sk BETWEEN :s AND :t", "The BETWEEN operator requires upper bound"),
        ("name = :s", "Attribute name is a reserved keyword"),
        ("pk = :s AND", "Syntax error"),
    ] {
        let error = bind(text).expect_err(text);
        assert!(error.starts_with(begins), "{text}: {error}");
    }
}

#[test]
fn a_condition_must_fit_the_key_schema() {
    let mismatch =
        "One or more parameter values were invalid: Condition parameter type does not match schema type";
    let cases = [
        (
            "pk = :s AND sk = :s AND another = :s",
            COMPOSITE,
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)",
        ),
        (
            "pk = :s AND sk = :s",
            SIMPLE,
            "The number of query conditions (2) exceeds the number of key attributes defined in the schema (1)",
        ),
        ("pk > :s", COMPOSITE, "Query key condition not supported"),
        ("begins_with(pk, :s) AND sk = :s", COMPOSITE, "Query key condition not supported"),
        ("sk = :s", COMPOSITE, "Query condition missed key schema element: pk"),
        ("another = :s", COMPOSITE, "Query condition missed key schema element: pk"),
        ("another = :s AND sk = :s", COMPOSITE, "Query condition missed key schema element: pk"),
        ("pk = :s AND another = :s", COMPOSITE, "Query condition missed key schema element: sk"),
        ("pk = :n", COMPOSITE, mismatch),
        ("pk = :bool", COMPOSITE, mismatch),
        ("pk = :s AND sk > :n", COMPOSITE, mismatch),
        ("pk = :s AND begins_with(sk, :s)", NUMERIC, mismatch),
        ("pk = :s AND sk BETWEEN :s AND :s", NUMERIC, mismatch),
    ];
    for (text, schema, expected) in cases {
        assert_eq!(refused(text, schema), expected, "{text}");
    }
}

#[test]
fn keys_are_neither_empty_nor_too_long() {
    let resolve = |text: &str, json: &str| {
        let request = placeholders(&[], &[(":k", r#"{"S":"k"}"#), (":v", json)]);
        let condition = ParsedKeyCondition::parse(text).expect(text).bind(&request).expect(text);
        condition.resolve(COMPOSITE).map(drop).map_err(|error| error.to_string())
    };
    let empty = |name| {
        Err(format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain \
             an empty string value. Key: {name}"
        ))
    };
    let text = |bytes: usize| format!(r#"{{"S":"{}"}}"#, "x".repeat(bytes));
    assert_eq!(resolve("pk = :v", r#"{"S":""}"#), empty("pk"));
    assert_eq!(resolve("pk = :k AND sk > :v", r#"{"S":""}"#), empty("sk"));
    assert_eq!(resolve("pk = :k AND begins_with(sk, :v)", r#"{"S":""}"#), empty("sk"));
    assert_eq!(resolve("pk = :v", &text(2_048)), Ok(()));
    assert_eq!(
        resolve("pk = :v", &text(2_049)),
        Err("One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes".into())
    );
    assert_eq!(resolve("pk = :k AND sk = :v", &text(1_024)), Ok(()));
    assert_eq!(
        resolve("pk = :k AND sk BETWEEN :k AND :v", &text(1_025)),
        Err("One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes".into())
    );
}

#[test]
fn keys_of_several_attributes_need_equalities_up_to_the_last_one_used() {
    let cases = [
        ("a = :s AND b = :n", r#"{"S":"x"} {"N":"3"} |  | "#),
        ("b = :n AND a = :s AND c = :t", r#"{"S":"x"} {"N":"3"} | {"S":"b"} | "#),
        ("d > :t AND c = :s AND b = :n AND a = :s", r#"{"S":"x"} {"N":"3"} | {"S":"x"} | > {"S":"b"}"#),
        (
            "a = :s AND b = :n AND c = :s AND d = :s AND begins_with(e, :t)",
            r#"{"S":"x"} {"N":"3"} | {"S":"x"} {"S":"x"} | {"S":"b"}*"#,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(resolve(text, SEVERAL).map(|range| told(&range)).as_deref(), Ok(expected), "{text}");
    }
    let partition =
        |names| format!("HASH key attributes {names} must have equality conditions specified in the query");
    let sort = |names, last| {
        format!(
            "RANGE key attributes {names} must have equality conditions specified in the query \
             because a condition is present on key attribute {last}"
        )
    };
    let cases = [
        ("a = :s", partition("b")),
        ("c = :s", partition("a, b")),
        ("a = :s AND b > :n", partition("b")),
        ("a = :s AND b = :n AND d = :s", sort("c", "d")),
        ("a = :s AND b = :n AND e = :s", sort("c, d", "e")),
        ("a = :s AND b = :n AND c > :s AND d = :s", sort("c", "d")),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(text, SEVERAL), expected, "{text}");
    }
}

#[test]
fn a_test_of_a_key_is_asked_of_values() {
    let range = |text| resolve(text, COMPOSITE).expect(text).sort_test.expect(text);
    let passes = |test: &KeyTest, json: &str| test.matches(value(json).as_ref());
    for (text, inside, outside) in [
        ("pk = :s AND sk < :s", "wz", "x"),
        ("pk = :s AND sk <= :s", "x", "xa"),
        ("pk = :s AND sk > :s", "xa", "x"),
        ("pk = :s AND sk >= :s", "x", "w"),
        ("pk = :s AND sk BETWEEN :t AND :s", "b", "xa"),
        ("pk = :s AND begins_with(sk, :s)", "xyz", "yx"),
    ] {
        let test = range(text);
        assert!(passes(&test, &format!(r#"{{"S":"{inside}"}}"#)), "{text}: {inside}");
        assert!(!passes(&test, &format!(r#"{{"S":"{outside}"}}"#)), "{text}: {outside}");
        assert!(!passes(&test, r#"{"N":"1"}"#), "{text}: a value of another type");
        assert!(!passes(&test, r#"{"B":"eHh4"}"#), "{text}: a value of another type");
    }
}
