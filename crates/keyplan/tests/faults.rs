//! Requests on a file whose disk fails at every call in turn: each is answered as the service answers a fault of
//! its own, and what is in the tables is what the requests that were acknowledged make.

#![cfg(feature = "sqlite")]

use std::sync::Arc;

use keyplan::{Clock, Database, Timestamp};
use keyplan_failing_disk::{Call, Disk, Fault};

const TABLE: &str = r#"{"TableName":"Orders","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"state","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
    "GlobalSecondaryIndexes":[{"IndexName":"ByState","KeySchema":[{"AttributeName":"state","KeyType":"HASH"}],
      "Projection":{"ProjectionType":"ALL"}}],
    "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;

/// Each is applied whole or not at all.
const WRITES: &[(&str, &str)] = &[
    ("PutItem", r#"{"TableName":"Orders","Item":{"id":{"S":"a"},"state":{"S":"open"}}}"#),
    (
        "UpdateItem",
        r#"{"TableName":"Orders","Key":{"id":{"S":"count"}},"UpdateExpression":"ADD n :one",
            "ExpressionAttributeValues":{":one":{"N":"1"}}}"#,
    ),
    (
        "TransactWriteItems",
        r#"{"TransactItems":[{"Put":{"TableName":"Orders","Item":{"id":{"S":"left"},"state":{"S":"open"}}}},
            {"Put":{"TableName":"Orders","Item":{"id":{"S":"right"},"state":{"S":"done"}}}},
            {"Update":{"TableName":"Orders","Key":{"id":{"S":"count"}},"UpdateExpression":"ADD n :ten",
              "ExpressionAttributeValues":{":ten":{"N":"10"}}}}]}"#,
    ),
    (
        "CreateTable",
        r#"{"TableName":"Other","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
            "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#,
    ),
    ("DeleteItem", r#"{"TableName":"Orders","Key":{"id":{"S":"before"}}}"#),
    ("DeleteTable", r#"{"TableName":"Early"}"#),
];

const READS: &[(&str, &str)] = &[
    ("ListTables", "{}"),
    ("Scan", r#"{"TableName":"Orders","ConsistentRead":true}"#),
    ("Scan", r#"{"TableName":"Orders","IndexName":"ByState"}"#),
];

fn options() -> keyplan::Options {
    Database::options().clock(Clock::standing_at(Timestamp(1_764_500_000_000))).seed(7)
}

/// A database with what the writes expect.
fn prepared(database: Database) -> Database {
    let early = WRITES[3].1.replace("Other", "Early");
    let before = WRITES[0].1.replace(r#""a""#, r#""before""#);
    for (operation, body) in [("CreateTable", TABLE), ("CreateTable", &early), ("PutItem", &before)] {
        assert_eq!(database.call(operation, body.as_bytes()).status, 200);
    }
    database
}

fn state(database: &Database) -> Vec<String> {
    let answers = READS.iter().map(|(operation, body)| {
        let answer = database.call(operation, body.as_bytes());
        format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body))
    });
    answers.collect()
}

/// Runs the writes while one call fails; says whether it was made.
fn run(call: Call, fault: Fault, after: u64) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let disk: Arc<Disk> = Disk::at(folder.path()).expect("it is there");
    let path = folder.path().join("shop.db");
    let database = prepared(options().open(&path).expect("the disk is fine"));
    let reference = prepared(options().in_memory());

    disk.fail(call, fault, after, 1);
    for (operation, body) in WRITES {
        let answer = database.call(operation, body.as_bytes());
        let text = String::from_utf8_lossy(&answer.body);
        match answer.status {
            200 => assert_eq!(reference.call(operation, body.as_bytes()).status, 200, "{operation}"),
            500 => assert!(text.contains(r#""message":"Internal server error""#), "{operation}: {text}"),
            status => panic!("{operation}: {status} {text}"),
        }
    }
    let has_failed = disk.mend() > 0;
    let case = format!("{call:?} {fault:?} after {after}");
    assert_eq!(state(&database), state(&reference), "{case}");

    // What was refused can be sent again, and what was not doesn't come back.
    let again = WRITES[1];
    for database in [&database, &reference] {
        assert_eq!(database.call(again.0, again.1.as_bytes()).status, 200, "{case}");
    }
    drop(database);
    let reopened = options().open(&path).unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(state(&reopened), state(&reference), "{case}, opened again");
    has_failed
}

#[test]
fn requests_on_a_disk_that_fails() {
    for (call, fault) in [
        (Call::Write, Fault::Full),
        (Call::Write, Fault::Short),
        (Call::Sync, Fault::Fails),
        (Call::Read, Fault::Fails),
    ] {
        let calls = (0..).find(|after| !run(call, fault, *after)).unwrap_or_default();
        assert!(call == Call::Read || calls > 0, "no {call:?} was made");
    }
}
