//! Whole requests.

use std::sync::Arc;

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp, shapes};
use keyplan_store::MemoryStore;

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

/// The first byte chooses the operation, the second how many requests the rest is split into (at `\n`);
/// each is answered, and never by a fault of our own.
pub fn request(data: &[u8]) {
    let [operation, rest @ ..] = data else { return };
    let operations = shapes::operations();
    let operation = &operations[usize::from(*operation) % operations.len()];
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default())
        .expect("an empty store can be opened");
    for (name, body) in SETUP {
        let status = ask(&engine, &format!("DynamoDB_20120810.{name}"), body.as_bytes());
        assert_eq!(status, 200, "{name} sets the table up");
    }
    let target = format!("{}{}", operation.service.prefix(), operation.name);
    for body in rest.split(|byte| *byte == b'\n').take(4) {
        let status = ask(&engine, &target, body);
        assert!(status == 200 || status == 400, "{target} answered {status}");
    }
    engine.step(Timestamp(1_800_000_000_000), 1000).expect("what is due can be done");
}

fn ask(engine: &Engine, target: &str, body: &[u8]) -> u16 {
    let reply = engine.dispatch(&Call {
        target: Some(target),
        authentication: Authentication::NotRequired { region: "us-east-1" },
        body,
        now: Timestamp(1_764_500_000_000),
        random: 7,
        trace: true,
    });
    reply.status
}
