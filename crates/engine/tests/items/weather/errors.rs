//! Errors by rule, and latency.

use keyplan_engine::Timestamp;
use serde_json::{Value, json};

use super::{get, put};
use crate::harness::{Harness, s};

fn statuses(harness: &Harness, operation: &str, request: &Value, times: usize) -> Vec<u16> {
    (0..times).map(|_| harness.call(operation, request).status).collect()
}

#[test]
fn a_rule_is_about_an_operation_a_table_and_the_beginning_of_a_key() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.create("Other", "N", None);
    let meets = |rule: Value, operation: &str, request: &Value| {
        harness.weather(&json!({"errors": [rule]}));
        harness.call(operation, request).status == 500
    };
    let rule = |more: Value| {
        let mut rule = json!({"error": "InternalServerError"});
        for (name, value) in more.as_object().expect("an object") {
            rule[name] = value.clone();
        }
        rule
    };
    let batch = json!({"RequestItems": {"Tab": [{"PutRequest": {"Item": {"pk": s("USER#1")}}}]}});
    let keys = json!({"RequestItems": {"Tab": {"Keys": [{"pk": s("x")}, {"pk": s("USER#1")}]}}});
    let transaction = json!({"TransactItems": [{"Delete": get("USER#1")}]});
    let of_number = json!({"TableName": "Other", "Key": {"pk": {"N": "120"}}});
    for (more, operation, request, expected) in [
        (json!({}), "ListTables", &json!({}), true),
        (json!({"operation": "PutItem"}), "PutItem", &put("a"), true),
        (json!({"operation": "PutItem"}), "GetItem", &get("a"), false),
        (json!({"table": "Tab"}), "GetItem", &get("a"), true),
        (json!({"table": "Tab"}), "ListTables", &json!({}), false),
        (json!({"table": "Other"}), "GetItem", &get("a"), false),
        (json!({"key": "USER#"}), "GetItem", &get("USER#1"), true),
        (json!({"key": "USER#"}), "PutItem", &put("ORDER#1"), false),
        (json!({"key": "USER#"}), "BatchWriteItem", &batch, true),
        (json!({"key": "USER#"}), "BatchGetItem", &keys, true),
        (json!({"key": "USER#"}), "TransactWriteItems", &transaction, true),
        (json!({"key": "12"}), "GetItem", &of_number, true),
        (json!({"key": "13"}), "GetItem", &of_number, false),
    ] {
        assert_eq!(meets(rule(more.clone()), operation, request), expected, "{more} {operation} {request}");
    }
}

#[test]
fn each_error_has_the_services_words() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    for (error, status, part) in [
        ("InternalServerError", 500, "Internal server error"),
        ("ServiceUnavailable", 503, "unavailable"),
        ("ThrottlingException", 400, "Throughput exceeds the current capacity of your table or index."),
        ("ProvisionedThroughputExceededException", 400, "The level of configured provisioned throughput"),
        ("RequestLimitExceeded", 400, "Throughput exceeds the current throughput limit for your account."),
        ("LimitExceededException", 400, "Too many operations"),
        ("TransactionConflictException", 400, "Transaction is ongoing for the item"),
        ("ReplicatedWriteConflictException", 400, "another Region"),
    ] {
        harness.weather(&json!({"errors": [{"error": error}]}));
        let answer = harness.call("GetItem", &get("a"));
        assert_eq!(answer.status, status, "{error}");
        assert_eq!(answer.body["__type"], format!("com.amazonaws.dynamodb.v20120810#{error}"));
        let message = answer.body["message"].as_str().expect("a message");
        assert!(message.contains(part), "{error}: {message}");
    }
}

#[test]
fn a_rule_applies_so_often_and_by_chance_that_a_seed_begins() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&json!({"errors": [{"error": "InternalServerError", "times": 2}]}));
    assert_eq!(statuses(&harness, "GetItem", &get("a"), 4), [500, 500, 200, 200]);
    assert_eq!(harness.happened("errors"), 2);
    let run = |seed: u64| {
        harness.weather(&json!({"seed": seed, "errors": [{"error": "InternalServerError", "rate": 0.3}]}));
        statuses(&harness, "GetItem", &get("a"), 300)
    };
    let first = run(1);
    let failed = first.iter().filter(|status| **status == 500).count();
    assert!((60..120).contains(&failed), "{failed} of 300 at a rate of 0.3");
    assert_eq!(run(1), first, "the same seed, the same weather");
    assert_ne!(run(2), first);
}

#[test]
fn an_answer_can_be_lost_when_the_work_is_done() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    let lost = json!({"error": "InternalServerError", "operation": "UpdateItem", "after": true, "times": 1});
    harness.weather(&json!({"errors": [lost]}));
    let count = json!({"TableName": "Tab", "Key": {"pk": s("a")}, "UpdateExpression": "ADD hits :one",
                       "ExpressionAttributeValues": {":one": {"N": "1"}}});
    assert_eq!(statuses(&harness, "UpdateItem", &count, 2), [500, 200]);
    assert_eq!(harness.call("GetItem", &get("a")).ok()["Item"]["hits"]["N"], "2", "both have counted");
}

#[test]
fn what_is_wrong_is_told_before_the_weather() {
    let harness = Harness::new();
    harness.weather(&json!({"errors": [{"error": "InternalServerError"}]}));
    assert_eq!(harness.call("GetItem", &json!({"TableName": "Tab"})).error().0, "ValidationException");
}

#[test]
fn answers_carry_the_moment_before_which_they_are_not_given() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    assert_eq!(harness.call("GetItem", &get("a")).not_before, None, "a fine day");
    harness.weather(&json!({"seed": 3, "latency": {"min": 20, "max": 60}}));
    let mut waits = Vec::new();
    for _ in 0..50 {
        let before = harness.now();
        let Timestamp(moment) = harness.call("GetItem", &get("a")).not_before.expect("a moment");
        // The request itself is a millisecond later.
        waits.push(moment - before.0 - 1);
    }
    assert!(waits.iter().all(|wait| (20..=60).contains(wait)), "{waits:?}");
    assert!(waits.iter().any(|wait| *wait > 50) && waits.iter().any(|wait| *wait < 30), "{waits:?}");
    assert_eq!(harness.happened("delayed"), 50);
}
