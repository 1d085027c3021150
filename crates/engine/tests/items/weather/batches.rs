//! Batches of which a part is left.

use serde_json::{Value, json};

use crate::harness::{Harness, n, s};

fn writes(count: usize) -> Value {
    let put = |number| json!({"PutRequest": {"Item": {"pk": s(&format!("k{number}")), "v": n(number)}}});
    json!({"RequestItems": {"Tab": (0..count).map(put).collect::<Vec<_>>()}})
}

fn keys(count: usize) -> Value {
    let keys: Vec<Value> = (0..count).map(|number| json!({"pk": s(&format!("k{number}"))})).collect();
    json!({"RequestItems": {"Tab": {"Keys": keys, "ConsistentRead": true, "ProjectionExpression": "pk"}}})
}

#[test]
fn what_is_left_of_a_batch_can_be_sent_as_it_is_until_nothing_is() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&json!({"seed": 11, "partialBatches": 0.6}));
    let mut left = writes(25);
    let mut sent = 0;
    while !left["RequestItems"].as_object().expect("tables").is_empty() {
        let answer = harness.call("BatchWriteItem", &left).ok();
        left = json!({"RequestItems": answer["UnprocessedItems"]});
        sent += 1;
    }
    assert!(sent > 2, "{sent}");
    let mut wanted = keys(25);
    let (mut found, mut sent) = (0, 0);
    while !wanted["RequestItems"].as_object().expect("tables").is_empty() {
        let answer = harness.call("BatchGetItem", &wanted).ok();
        found += answer["Responses"]["Tab"].as_array().expect("items").len();
        wanted = json!({"RequestItems": answer["UnprocessedKeys"]});
        if let Some(table) = wanted["RequestItems"].get("Tab") {
            assert_eq!(
                (&table["ConsistentRead"], &table["ProjectionExpression"]),
                (&json!(true), &json!("pk"))
            );
        }
        sent += 1;
    }
    assert_eq!(found, 25);
    assert!(sent > 2, "{sent}");
    assert!(harness.happened("unprocessed") > 25);
}

#[test]
fn something_of_every_batch_is_processed() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&json!({"partialBatches": 1}));
    let answer = harness.call("BatchWriteItem", &writes(3)).ok();
    assert_eq!(
        answer["UnprocessedItems"]["Tab"],
        json!(writes(3)["RequestItems"]["Tab"].as_array().expect("some")[1..])
    );
    harness.weather(&json!({}));
    assert_eq!(harness.call("Scan", &json!({"TableName": "Tab"})).ok()["Count"], 1);
    assert_eq!(harness.call("BatchWriteItem", &writes(3)).ok(), json!({"UnprocessedItems": {}}));
}
