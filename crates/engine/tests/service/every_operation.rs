//! The order in which a request is looked at, and that no request breaks anything.

use keyplan_engine::shapes::{self, Service};
use keyplan_engine::{Authentication, AuthenticationError, Call, Engine, operations, validate};
use proptest::prelude::*;

use crate::requests::{NOW, engine};

/// A body for an answer to a raw call.
fn raw(engine: &Engine, target: Option<&str>, signed: bool, body: &str) -> (u16, String) {
    let authentication = if signed {
        Authentication::Signed { region: "us-east-1", access_key: "test" }
    } else {
        Authentication::Refused(AuthenticationError::MissingToken)
    };
    let reply = engine.dispatch(&Call {
        target,
        authentication,
        body: body.as_bytes(),
        now: NOW,
        random: 1,
        trace: true,
    });
    (reply.status, String::from_utf8(reply.body).expect("UTF-8"))
}

const UNREADABLE: &str = r#"{"__type":"com.amazon.coral.service#SerializationException"}"#;
const UNKNOWN: &str = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
const UNSIGNED: &str = r#"{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException","message":"Request is missing Authentication Token"}"#;

#[test]
fn an_earlier_fault_hides_a_later_one() {
    let engine = engine();
    let get = Some("DynamoDB_20120810.GetItem");
    for (target, signed, body, answer) in [
        (None, false, "{", UNREADABLE),
        (None, false, "{}", UNKNOWN),
        (Some("DynamoDB_20120810.Nonsense"), false, "{}", UNKNOWN),
        (Some("GetItem"), true, "{}", UNKNOWN),
        (Some("DynamoDBStreams_20120810.GetItem"), true, "{}", UNKNOWN),
        (get, false, "", UNSIGNED),
        (get, false, r#"{"TableName":1}"#, UNSIGNED),
        (get, true, "", UNREADABLE),
        (get, true, "[]", UNREADABLE),
        (
            get,
            true,
            r#"{"TableName":1}"#,
            r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"NUMBER_VALUE cannot be converted to String"}"#,
        ),
        (
            get,
            true,
            r#"{"TableName":"Shop"}"#,
            r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null"}"#,
        ),
        (
            get,
            true,
            r#"{"TableName":"Shop","Key":{"id":{"S":"a"}}}"#,
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}"#,
        ),
    ] {
        assert_eq!(raw(&engine, target, signed, body), (400, answer.to_owned()), "{target:?} {body}");
    }
}

#[test]
fn json_nested_too_deep_is_unreadable() {
    let engine = engine();
    let deep = [r#"{"TableName":"#, &"[".repeat(5_000), &"]".repeat(5_000), "}"].concat();
    let (status, body) = raw(&engine, Some("DynamoDB_20120810.GetItem"), true, &deep);
    assert_eq!((status, body.as_str()), (400, UNREADABLE));
}

#[test]
fn members_that_no_operation_knows_change_nothing_however_many_they_are() {
    let engine = engine();
    let padding: String =
        (0..200).map(|at| format!(r#""m{at}":[{{}}],"TableName":"Wrong","Limit":-1,"#)).collect();
    for (operation, members) in [
        (
            "CreateTable",
            r#""TableName":"Shop","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST""#,
        ),
        ("PutItem", r#""TableName":"Sh\u006fp","Item":{"pk":{"S":"\"a\""},"n":{"N":"1"}},"Nope":null"#),
        ("GetItem", r#""TableName":"Shop","Key":{"pk":{"S":"\"a\""}},"ConsistentRead":true"#),
        ("Scan", r#""TableName":"Shop","Limit":1.5"#),
        ("Scan", r#""TableName":"Shop","Limit":null"#),
        ("GetItem", r#""TableName":1,"Key":{}"#),
    ] {
        let target = format!("DynamoDB_20120810.{operation}");
        // A table is made once, and the first answer would not come twice.
        let of = if operation == "CreateTable" { &self::engine() } else { &engine };
        let plain = raw(of, Some(&target), true, &format!("{{{members}}}"));
        let padded = raw(&engine, Some(&target), true, &format!("{{{padding}{members}}}"));
        assert_eq!(padded, plain, "{operation} {members}");
    }
}

#[test]
fn every_operation_of_the_model_is_known_by_its_own_target_alone() {
    assert_eq!(shapes::operations().len(), 66);
    for operation in shapes::operations() {
        let target = format!("{}{}", operation.service.prefix(), operation.name);
        let found = shapes::operation(&target).map(|found| (found.service, found.name));
        assert_eq!(found, Some((operation.service, operation.name)));
    }
    assert!(shapes::operation("DynamoDBStreams_20120810.PutItem").is_none());
    let streams = shapes::operations().iter().filter(|operation| operation.service == Service::Streams);
    assert_eq!(streams.count(), 4);
}

#[test]
fn every_built_operation_is_one_of_the_model_and_is_found() {
    for name in operations::built_names() {
        assert!(operations::built(name).is_some(), "{name} is out of order in the table");
        let known = shapes::operations().iter().filter(|operation| operation.name == name).count();
        assert_eq!(known, 1, "{name} is one operation, of one of the two targets");
    }
}

#[test]
fn an_operation_that_is_not_built_is_unknown() {
    let engine = engine();
    for operation in shapes::operations() {
        if operations::built(operation.name).is_none() {
            let target = format!("{}{}", operation.service.prefix(), operation.name);
            assert_eq!(raw(&engine, Some(&target), false, "{}"), (400, UNKNOWN.to_owned()), "{target}");
        }
    }
}

/// Texts that mean something somewhere in a request.
const WORDS: [&str; 32] = [
    "",
    "Shop",
    "ab",
    "pk",
    "HASH",
    "RANGE",
    "S",
    "N",
    "B",
    "ALL",
    "INCLUDE",
    "PAY_PER_REQUEST",
    "ALL_OLD",
    "TOTAL",
    "INDEXES",
    "COUNT",
    "EQ",
    "AND",
    "#a",
    ":a",
    "pk = :a",
    "attribute_exists(#a)",
    "a[0].b",
    "arn:aws:dynamodb:x",
    "arn:aws:dynamodb:us-east-1:123456789012:table/Shop",
    "1",
    "-1e200",
    "1e999",
    "YQ==",
    "true",
    "BETWEEN",
    "é",
];

/// Chance to make a request from; it shrinks to nothing, and then so does the request.
struct Chance<'a>(&'a [u8]);

impl Chance<'_> {
    fn below(&mut self, bound: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % bound.max(1)
    }

    fn word(&mut self) -> String {
        let at = self.below(WORDS.len());
        serde_json::json!(WORDS[at]).to_string()
    }

    fn members<T>(&mut self, one: impl Fn(&mut Self) -> Option<(String, T)>) -> Vec<(String, T)> {
        (0..self.below(5)).filter_map(|_| one(self)).collect()
    }

    /// JSON that mostly fits the shape.
    fn value(&mut self, shape: &'static shapes::Shape, depth: usize) -> String {
        if depth > 8 || self.below(12) == 11 {
            return ["null", "1", "1.5", "true", "[]", "{}", "[{}]"][self.below(7)].to_owned();
        }
        let depth = depth + 1;
        match &shape.kind {
            shapes::Kind::Structure(structure) => self.structure(structure, depth),
            shapes::Kind::List { element } => {
                let elements: Vec<String> =
                    (0..self.below(4)).map(|_| self.value(element.shape(), depth)).collect();
                format!("[{}]", elements.join(","))
            }
            shapes::Kind::Map { value, .. } => {
                let entries =
                    self.members(|chance| Some((chance.word(), chance.value(value.shape(), depth))));
                object(entries)
            }
            shapes::Kind::Boolean => ["true", "false", "\"Yes\""][self.below(3)].to_owned(),
            shapes::Kind::Integer | shapes::Kind::Long | shapes::Kind::Double | shapes::Kind::Timestamp => {
                ["1", "0", "-1", "5", "0.5", "4294967296", "1e300"][self.below(7)].to_owned()
            }
            shapes::Kind::Blob => "\"YQ==\"".to_owned(),
            shapes::Kind::String => match shape.rules.iter().find_map(words) {
                Some(words) if self.below(4) > 0 => {
                    let at = self.below(words.len());
                    serde_json::json!(words[at]).to_string()
                }
                _ => self.word(),
            },
        }
    }

    fn structure(&mut self, structure: &'static shapes::Structure, depth: usize) -> String {
        let mut members: Vec<(String, String)> = Vec::new();
        for member in structure.members {
            let chosen = if structure.union { self.below(10) == 1 } else { self.below(3) > 0 };
            if member.required || chosen {
                members.push((
                    serde_json::json!(member.name).to_string(),
                    self.value(member.shape.shape(), depth),
                ));
            }
        }
        object(members)
    }
}

fn object(members: Vec<(String, String)>) -> String {
    let members: Vec<String> = members.into_iter().map(|(name, value)| format!("{name}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn words(rule: &shapes::Rule) -> Option<&'static [&'static str]> {
    match rule {
        shapes::Rule::Enum { accepted, .. } => Some(*accepted),
        _ => None,
    }
}

/// Bytes to make a request from.
fn chance() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..200)
}

/// A request of an operation.
fn request(operation: &shapes::Operation, chance: &[u8]) -> String {
    Chance(chance).value(operation.input.shape(), 0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// An answer to any request is a success or a client's error in JSON: never a fault of ours.
    #[test]
    fn no_request_breaks_an_operation(at in any::<prop::sample::Index>(), chance in chance()) {
        let engine = engine();
        let table = r#"{"TableName":"Shop","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"INCLUDE","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}}"#;
        prop_assert_eq!(raw(&engine, Some("DynamoDB_20120810.CreateTable"), true, table).0, 200);
        let built: Vec<&str> = operations::built_names().collect();
        let name = *at.get(&built);
        let built = shapes::operations().iter().find(|operation| operation.name == name);
        for operation in [built.expect("an operation of the model"), at.get(shapes::operations())] {
            let target = format!("{}{}", operation.service.prefix(), operation.name);
            let body = request(operation, &chance);
            let (status, answer) = raw(&engine, Some(&target), true, &body);
            prop_assert!(matches!(status, 200 | 400), "{} {} answers {}: {}", target, body, status, answer);
            let is_json = serde_json::from_str::<serde_json::Value>(&answer).is_ok();
            prop_assert!(is_json || (status == 200 && answer.is_empty()), "{}", answer);
        }
    }

    /// The two checks by the tables alone hold on every operation, built or not.
    #[test]
    fn no_request_breaks_the_checks(at in any::<prop::sample::Index>(), chance in chance()) {
        let operation = at.get(shapes::operations());
        let body = request(operation, &chance);
        let limits = keyplan_value::json::Limits::default();
        let tape = keyplan_value::json::Tape::parse(body.as_bytes(), &limits).expect("JSON");
        if validate::types(operation, tape.root()).is_ok() {
            let checked = validate::constraints(operation, tape.root());
            let late = validate::late_constraints(operation, tape.root());
            for error in [checked, late].into_iter().filter_map(Result::err) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    /// Nor does any text that isn't a request at all.
    #[test]
    fn no_body_breaks_the_dispatch(body in ".{0,64}") {
        let engine = engine();
        let (status, _) = raw(&engine, Some("DynamoDB_20120810.PutItem"), true, &body);
        prop_assert_eq!(status, 400);
    }
}
