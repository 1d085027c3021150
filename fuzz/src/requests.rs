//! Whole requests.

use std::sync::Arc;

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Reply, Timestamp, shapes};
use keyplan_store::MemoryStore;
use keyplan_value::json::{Limits, Tape, Writer};

const SETUP: &[(&str, &str)] = &[
    (
        "CreateTable",
        r#"{"TableName": "Fuzz", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                     {"AttributeName": "sk", "AttributeType": "N"},
                                     {"AttributeName": "g", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "GlobalSecondaryIndexes": [{"IndexName": "byG", "Projection": {"ProjectionType": "ALL"},
                                        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}]}"#,
    ),
    (
        "PutItem",
        r#"{"TableName": "Fuzz", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"S": "x"}, "v": {"L": [{"N": "1"}]}}}"#,
    ),
];

/// An engine with a table and an item in it.
pub(crate) fn engine() -> Engine {
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default())
        .expect("an empty store can be opened");
    for (name, body) in SETUP {
        let status = ask(&engine, &format!("DynamoDB_20120810.{name}"), body.as_bytes());
        assert_eq!(status, 200, "{name} sets the table up");
    }
    engine
}

/// The first byte chooses the operation, the second how many requests the rest is split into (at `\n`);
/// each is answered, and never by a fault of our own.
pub fn request(data: &[u8]) {
    let [operation, rest @ ..] = data else { return };
    let operations = shapes::operations();
    let operation = &operations[usize::from(*operation) % operations.len()];
    let engine = engine();
    let target = format!("{}{}", operation.service.prefix(), operation.name);
    for body in rest.split(|byte| *byte == b'\n').take(4) {
        let status = ask(&engine, &target, body);
        assert!(status == 200 || status == 400, "{target} answered {status}");
    }
    engine.step(Timestamp(1_800_000_000_000), 1000).expect("what is due can be done");
}

/// A resource policy is refused, or what is given back of it is its canonical form: put again, it is the same.
pub fn policy(data: &[u8]) {
    const ARN: &str = r#""ResourceArn": "arn:aws:dynamodb:us-east-1:123456789012:table/Fuzz""#;
    let Ok(text) = std::str::from_utf8(data) else { return };
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default())
        .expect("an empty store can be opened");
    for (name, body) in SETUP {
        ask(&engine, &format!("DynamoDB_20120810.{name}"), body.as_bytes());
    }
    // What was put, written as the member that puts it.
    let put_and_got = |policy: &str| {
        let body = format!("{{{ARN}, \"Policy\": {policy}}}");
        let status = ask(&engine, "DynamoDB_20120810.PutResourcePolicy", body.as_bytes());
        assert!(status == 200 || status == 400, "a policy was answered with {status}");
        if status != 200 {
            return None;
        }
        let got = reply(&engine, "DynamoDB_20120810.GetResourcePolicy", format!("{{{ARN}}}").as_bytes());
        let tape = Tape::parse(&got.body, &Limits::default()).expect("an answer is JSON");
        let policy = tape.root().get("Policy").and_then(|policy| policy.string()).expect("a policy was put");
        Some(quoted(&policy))
    };
    if let Some(canonical) = put_and_got(&quoted(text)) {
        assert_eq!(put_and_got(&canonical), Some(canonical), "a canonical form has another");
    }
}

fn quoted(text: &str) -> String {
    let mut json = Vec::new();
    Writer::new(&mut json).string(text);
    String::from_utf8(json).expect("JSON is text")
}

pub(crate) fn ask(engine: &Engine, target: &str, body: &[u8]) -> u16 {
    reply(engine, target, body).status
}

fn reply(engine: &Engine, target: &str, body: &[u8]) -> Reply {
    engine.dispatch(&Call {
        target: Some(target),
        authentication: Authentication::NotRequired { region: "us-east-1" },
        body,
        now: Timestamp(1_764_500_000_000),
        random: 7,
        trace: true,
    })
}
