//! Transactions that hold their items.

use serde_json::{Value, json};

use super::{get, put};
use crate::harness::{Harness, s};

fn transaction(keys: &[&str]) -> Value {
    let actions: Vec<Value> = keys.iter().map(|key| json!({"Put": put(key)})).collect();
    json!({"TransactItems": actions})
}

fn codes(body: &Value) -> Vec<&str> {
    let reasons = body["CancellationReasons"].as_array().expect("reasons");
    reasons.iter().map(|reason| reason["Code"].as_str().expect("a code")).collect()
}

#[test]
fn the_items_of_a_transaction_are_held_until_it_is_done() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&json!({"conflicts": {"hold": 1_000}}));
    let begun = harness.now();
    let first = harness.call("TransactWriteItems", &transaction(&["a", "b"]));
    assert_eq!(
        first.not_before.map(|moment| moment.0),
        Some(begun.0 + 1 + 1_000),
        "its answer comes when it is"
    );
    first.ok();
    let conflict =
        ("TransactionConflictException".to_owned(), "Transaction is ongoing for the item".to_owned());
    for (operation, request) in [("PutItem", put("a")), ("DeleteItem", get("b")), ("UpdateItem", get("a"))] {
        assert_eq!(harness.call(operation, &request).error(), conflict, "{operation}");
    }
    harness.call("PutItem", &put("c")).ok();
    harness.call("GetItem", &get("a")).ok();
    let second = harness.call("TransactWriteItems", &transaction(&["c", "b"]));
    assert_eq!((second.status, second.not_before), (400, None), "a refusal is told at once");
    assert_eq!(second.body["__type"], "com.amazonaws.dynamodb.v20120810#TransactionCanceledException");
    assert_eq!(codes(&second.body), ["None", "TransactionConflict"]);
    assert_eq!(second.body["CancellationReasons"][1]["Message"], "Transaction is ongoing for the item");
    let gets = json!({"TransactItems": [{"Get": get("a")}, {"Get": get("c")}]});
    assert_eq!(codes(&harness.call("TransactGetItems", &gets).body), ["TransactionConflict", "None"]);
    let batch = json!({"RequestItems": {"Tab": [{"DeleteRequest": {"Key": {"pk": s("a")}}},
                                                {"DeleteRequest": {"Key": {"pk": s("c")}}}]}});
    let answer = harness.call("BatchWriteItem", &batch).ok();
    assert_eq!(answer["UnprocessedItems"]["Tab"], json!([{"DeleteRequest": {"Key": {"pk": s("a")}}}]));
    assert!(harness.happened("conflicts") >= 6);
    harness.advance(1_000);
    harness.call("TransactWriteItems", &transaction(&["c", "b"])).ok();
    harness.call("PutItem", &put("a")).ok();
}

#[test]
fn a_transaction_that_came_to_nothing_holds_nothing() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&json!({"conflicts": {"hold": 1_000}}));
    let check = json!({"ConditionCheck": {"TableName": "Tab", "Key": {"pk": s("x")},
                                          "ConditionExpression": "attribute_exists(pk)"}});
    let request = json!({"TransactItems": [{"Put": put("a")}, check]});
    let answer = harness.call("TransactWriteItems", &request);
    assert_eq!(codes(&answer.body), ["None", "ConditionalCheckFailed"]);
    harness.call("PutItem", &put("a")).ok();
}

#[test]
fn a_token_that_is_not_done_is_in_progress_and_then_repeated() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&json!({"conflicts": {"hold": 1_000}}));
    let mut request = transaction(&["a"]);
    request["ClientRequestToken"] = json!("once");
    harness.call("TransactWriteItems", &request).ok();
    let again = harness.call("TransactWriteItems", &request);
    assert_eq!(again.status, 400);
    assert_eq!(again.body["__type"], "com.amazonaws.dynamodb.v20120810#TransactionInProgressException");
    assert_eq!(again.body["Message"], "The transaction with the given request token is already in progress.");
    harness.advance(1_000);
    harness.call("TransactWriteItems", &request).ok();
}

#[test]
fn transactions_can_be_given_up_at_a_rate() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&json!({"seed": 5, "conflicts": {"rate": 0.5}}));
    let outcomes: Vec<u16> =
        (0..100).map(|_| harness.call("TransactWriteItems", &transaction(&["a", "b"])).status).collect();
    let given_up = outcomes.iter().filter(|status| **status == 400).count();
    assert!((30..70).contains(&given_up), "{given_up} of 100 at a rate of 0.5");
    harness.call("PutItem", &put("a")).ok();
}
