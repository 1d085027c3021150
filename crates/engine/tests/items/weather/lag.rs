//! Eventually consistent reads that are behind.

use serde_json::{Value, json};

use super::{get, table_with_index};
use crate::harness::{Harness, n, s};

fn on_demand() -> Value {
    json!({"BillingMode": "PAY_PER_REQUEST"})
}

fn strong(mut request: Value) -> Value {
    request["ConsistentRead"] = json!(true);
    request
}

fn of_group(group: &str) -> Value {
    json!({"TableName": "Tab", "IndexName": "ByGroup", "KeyConditionExpression": "#g = :g",
           "ExpressionAttributeNames": {"#g": "group"}, "ExpressionAttributeValues": {":g": s(group)}})
}

#[test]
fn a_read_sees_a_write_when_the_lag_is_over_and_a_strong_one_at_once() {
    let harness = Harness::new();
    table_with_index(&harness, &on_demand());
    harness.weather(&json!({"lag": {"table": 500, "index": 2_000}}));
    harness.put("Tab", &json!({"pk": s("a"), "group": s("g"), "v": n(1)}));
    let seen = |request: Value| harness.call("GetItem", &request).ok()["Item"]["v"]["N"].clone();
    assert_eq!(seen(get("a")), Value::Null);
    assert_eq!(seen(strong(get("a"))), "1");
    harness.advance(500);
    assert_eq!(seen(get("a")), "1");
    assert_eq!(harness.call("Query", &of_group("g")).ok()["Count"], 0, "the index is further behind");
    harness.advance(1_500);
    assert_eq!(harness.call("Query", &of_group("g")).ok()["Count"], 1);
    harness.put("Tab", &json!({"pk": s("a"), "group": s("h"), "v": n(2)}));
    harness.put("Tab", &json!({"pk": s("a"), "group": s("h"), "v": n(3)}));
    assert_eq!(seen(get("a")), "1", "as it was before both");
    assert_eq!(harness.call("Query", &of_group("g")).ok()["Items"][0]["v"], n(1));
    assert_eq!(harness.call("Query", &of_group("h")).ok()["Count"], 0);
    harness.advance(2_000);
    assert_eq!(harness.call("Query", &of_group("g")).ok()["Count"], 0);
    assert_eq!(harness.call("Query", &of_group("h")).ok()["Items"][0]["v"], n(3));
    harness.call("DeleteItem", &get("a")).ok();
    assert_eq!(seen(get("a")), "3", "what is deleted is still seen");
    assert_eq!(seen(strong(get("a"))), Value::Null);
    assert!(harness.happened("lagging") > 0);
    harness.weather(&json!({}));
    assert_eq!(seen(get("a")), Value::Null, "a fine day");
}

#[test]
fn pages_batches_and_transactions_follow_the_same_rule() {
    let harness = Harness::new();
    harness.create("Tab", "S", Some("N"));
    for sort in 0..6 {
        harness.put("Tab", &json!({"pk": s("p"), "sk": n(sort), "v": n(0)}));
    }
    harness.weather(&json!({"lag": {"table": 1_000}}));
    harness.call("DeleteItem", &json!({"TableName": "Tab", "Key": {"pk": s("p"), "sk": n(0)}})).ok();
    harness.put("Tab", &json!({"pk": s("p"), "sk": n(2), "v": n(1)}));
    harness.put("Tab", &json!({"pk": s("p"), "sk": n(6), "v": n(1)}));
    let query = |more: Value| {
        let mut request = json!({"TableName": "Tab", "KeyConditionExpression": "pk = :p",
                                 "ExpressionAttributeValues": {":p": s("p")}});
        for (name, value) in more.as_object().expect("an object") {
            request[name] = value.clone();
        }
        let answer = harness.call("Query", &request).ok();
        let item = |item: &Value| {
            format!("{}:{}", item["sk"]["N"].as_str().unwrap(), item["v"]["N"].as_str().unwrap())
        };
        answer["Items"].as_array().expect("items").iter().map(item).collect::<Vec<_>>()
    };
    assert_eq!(query(json!({})), ["0:0", "1:0", "2:0", "3:0", "4:0", "5:0"]);
    assert_eq!(query(json!({"ConsistentRead": true})), ["1:0", "2:1", "3:0", "4:0", "5:0", "6:1"]);
    assert_eq!(query(json!({"ScanIndexForward": false, "Limit": 2})), ["5:0", "4:0"]);
    let next = json!({"Limit": 2, "ExclusiveStartKey": {"pk": s("p"), "sk": n(0)}});
    assert_eq!(query(next), ["1:0", "2:0"]);
    assert_eq!(harness.call("Scan", &json!({"TableName": "Tab", "Select": "COUNT"})).ok()["Count"], 6);
    let keys = json!({"Keys": [{"pk": s("p"), "sk": n(0)}, {"pk": s("p"), "sk": n(6)}]});
    let mut batch = json!({"RequestItems": {"Tab": keys}});
    let found = |batch: &Value| {
        let answer = harness.call("BatchGetItem", batch).ok();
        answer["Responses"]["Tab"][0]["sk"].clone()
    };
    assert_eq!(found(&batch), n(0));
    batch["RequestItems"]["Tab"]["ConsistentRead"] = json!(true);
    assert_eq!(found(&batch), n(6));
    let gets = json!({"TransactItems": [{"Get": {"TableName": "Tab", "Key": {"pk": s("p"), "sk": n(6)}}}]});
    let transaction = harness.call("TransactGetItems", &gets).ok();
    assert_eq!(transaction["Responses"][0]["Item"]["sk"], n(6), "a transaction is never behind");
    harness.advance(1_000);
    assert_eq!(query(json!({})), ["1:0", "2:1", "3:0", "4:0", "5:0", "6:1"]);
}

#[test]
fn items_fetched_for_a_local_index_are_as_old_as_its_entries() {
    let harness = Harness::new();
    let table = json!({
        "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "at", "AttributeType": "N"}
        ],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "LocalSecondaryIndexes": [{
            "IndexName": "ByTime", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]
        }],
    });
    harness.call("CreateTable", &table).ok();
    for (sort, at) in [("a", 1), ("b", 2)] {
        harness.put("Tab", &json!({"pk": s("p"), "sk": s(sort), "at": n(at), "v": s("old")}));
    }
    harness.weather(&json!({"lag": {"table": 1_000}}));
    harness.put("Tab", &json!({"pk": s("p"), "sk": s("c"), "at": n(0), "v": s("new")}));
    harness.call("DeleteItem", &json!({"TableName": "Tab", "Key": {"pk": s("p"), "sk": s("a")}})).ok();
    let read = |consistent: bool| {
        let request = json!({"TableName": "Tab", "IndexName": "ByTime", "Select": "ALL_ATTRIBUTES",
            "ConsistentRead": consistent, "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": s("p")}});
        let answer = harness.call("Query", &request).ok();
        let items = answer["Items"].as_array().expect("items");
        items.iter().map(|item| item["sk"]["S"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read(false), ["a", "b"]);
    assert_eq!(read(true), ["c", "b"]);
}

#[test]
fn what_has_expired_is_seen_for_as_long() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.call(
        "UpdateTimeToLive",
        &json!({"TableName": "Tab", "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": true}}),
    )
    .ok();
    harness.settle();
    harness.put("Tab", &json!({"pk": s("a"), "until": n(harness.now().0 / 1_000 - 10)}));
    harness.weather(&json!({"lag": {"table": 60_000}}));
    harness.advance(10_000);
    harness.settle();
    assert_eq!(harness.call("GetItem", &strong(get("a"))).ok(), json!({}));
    assert!(harness.call("GetItem", &get("a")).ok()["Item"].is_object());
    harness.advance(60_000);
    assert_eq!(harness.call("GetItem", &get("a")).ok(), json!({}));
}
