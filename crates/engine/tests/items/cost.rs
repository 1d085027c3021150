//! What a request cost: `ConsumedCapacity`, and the trace that shows how it came about.

use serde_json::json;

use super::harness::{Harness, n, s};

fn shop() -> Harness {
    let engine = Harness::new();
    engine.create("Shop", "S", Some("S"));
    for (pk, sk) in [("a", "1"), ("a", "2"), ("a", "3"), ("b", "1")] {
        engine.put("Shop", &json!({"pk": s(pk), "sk": s(sk), "n": n(7)}));
    }
    engine
}

/// `pk` 2+1, `sk` 2+1, `n` 1+2 bytes.
const ITEM_BYTES: u64 = 9;

#[test]
fn a_query_shows_what_it_examined_and_what_it_returned() {
    let engine = shop();
    let answer = engine.traced("Query", &json!({
        "TableName": "Shop", "KeyConditionExpression": "pk = :p", "FilterExpression": "n = :n AND sk2 <> :x",
        "ExpressionAttributeValues": {":p": s("a"), ":n": n(7), ":x": s("x")}, "Limit": 2,
        "ReturnConsumedCapacity": "TOTAL",
    }));
    let key = |sk: &str| json!({"pk": s("a"), "sk": s(sk)});
    let trace = answer.trace();
    let access = &trace["accesses"][0];
    let hash = access["partitions"][0]["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(hash.len(), 8, "{hash}");
    assert_eq!(
        trace,
        json!({
            "operation": "Query",
            "accesses": [{
                "table": "Shop", "index": null, "kind": "read",
                "partitions": [{
                    "hash": hash, "partitionKey": {"pk": s("a")},
                    "runs": [{"first": key("1"), "last": key("2"), "items": 2, "bytes": 2 * ITEM_BYTES}],
                    "returned": [key("1"), key("2")], "returnedBytes": 2 * ITEM_BYTES,
                }],
                "examined": {"items": 2, "bytes": 2 * ITEM_BYTES},
                "returned": {"items": 2, "bytes": 2 * ITEM_BYTES},
                "stopped": "limit",
                "arithmetic": [
                    {"step": "bytes", "value": 18},
                    {"step": "divide", "by": 4096, "value": 0.0044},
                    {"step": "round-up", "value": 1},
                    {"step": "factor", "by": 0.5, "because": "eventually consistent", "value": 0.5},
                ],
                "charged": {"bytes": 4096, "hidden": 4096 - 18},
                "units": {"read": 0.5, "write": 0.0},
            }],
            "units": {"read": 0.5, "write": 0.0},
        })
    );
    assert_eq!(answer.ok()["ConsumedCapacity"]["CapacityUnits"], json!(0.5));
}

#[test]
fn a_filter_takes_items_off_the_answer_and_not_off_the_bill() {
    let engine = shop();
    let answer = engine.traced(
        "Query",
        &json!({
            "TableName": "Shop", "KeyConditionExpression": "pk = :p", "FilterExpression": "n > :n",
            "ExpressionAttributeValues": {":p": s("a"), ":n": n(7)}, "ConsistentRead": true,
        }),
    );
    let access = &answer.trace()["accesses"][0];
    assert_eq!(access["examined"], json!({"items": 3, "bytes": 3 * ITEM_BYTES}));
    assert_eq!(access["returned"], json!({"items": 0, "bytes": 0}));
    assert_eq!(access["partitions"][0]["returned"], json!([]));
    assert_eq!(access["stopped"], json!("end"));
    assert_eq!(access["units"], json!({"read": 1.0, "write": 0.0}));
}

#[test]
fn a_partition_with_nothing_in_it_is_shown_and_costs_the_least() {
    let engine = shop();
    let answer = engine.traced("Query", &json!({
        "TableName": "Shop", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": s("none")},
    }));
    let access = &answer.trace()["accesses"][0];
    assert_eq!(access["partitions"][0]["partitionKey"], json!({"pk": s("none")}));
    assert_eq!(access["partitions"][0]["runs"], json!([]));
    assert_eq!(access["arithmetic"][2], json!({"step": "minimum", "value": 1}));
    assert_eq!(access["units"]["read"], json!(0.5));
}

#[test]
fn a_scan_shows_each_partition_once_in_the_order_it_meets_them() {
    let engine = shop();
    let trace = engine.traced("Scan", &json!({"TableName": "Shop"})).trace();
    let partitions = trace["accesses"][0]["partitions"].as_array().expect("partitions").clone();
    let hashes: Vec<_> = partitions.iter().map(|partition| partition["hash"].to_string()).collect();
    assert_eq!(partitions.len(), 2);
    assert!(hashes.is_sorted(), "{hashes:?}");
}

#[test]
fn a_write_shows_the_sizes_before_and_after() {
    let engine = shop();
    let item = json!({"pk": s("a"), "sk": s("1"), "text": s(&"x".repeat(2_000))});
    let grown = engine.traced("PutItem", &json!({"TableName": "Shop", "Item": item}));
    let access = &grown.trace()["accesses"][0];
    assert_eq!(access["kind"], json!("write"));
    assert_eq!((&access["before"], &access["after"]), (&json!(ITEM_BYTES), &json!(2_010)));
    assert_eq!(access["examined"], json!({"items": 1, "bytes": ITEM_BYTES}));
    assert_eq!(access["arithmetic"][1], json!({"step": "divide", "by": 1024, "value": 1.9629}));
    assert_eq!(access["charged"], json!({"bytes": 2_048, "hidden": 38}));
    assert_eq!(access["units"], json!({"read": 0.0, "write": 2.0}));

    let deleted = engine.traced(
        "DeleteItem",
        &json!({
            "TableName": "Shop", "Key": {"pk": s("a"), "sk": s("1")}, "ReturnConsumedCapacity": "INDEXES",
        }),
    );
    let access = &deleted.trace()["accesses"][0];
    assert_eq!((&access["before"], &access["after"]), (&json!(2_010), &json!(0)));
    assert_eq!(
        deleted.ok()["ConsumedCapacity"],
        json!({"TableName": "Shop", "CapacityUnits": 2.0, "Table": {"CapacityUnits": 2.0}})
    );
}

#[test]
fn a_failed_condition_costs_what_it_examined() {
    let engine = shop();
    let long = json!({"pk": s("a"), "sk": s("1"), "text": s(&"x".repeat(2_000))});
    engine.put("Shop", &long);
    let refused = engine.traced(
        "DeleteItem",
        &json!({
            "TableName": "Shop", "Key": {"pk": s("a"), "sk": s("1")},
            "ConditionExpression": "attribute_exists(nothing)",
        }),
    );
    let trace = refused.trace();
    assert_eq!(trace["units"], json!({"read": 0.0, "write": 2.0}));
    let run = &trace["accesses"][0]["partitions"][0]["runs"][0];
    assert_eq!(run["first"], json!({"pk": s("a"), "sk": s("1")}));
    assert_eq!(refused.error().0, "ConditionalCheckFailedException");

    let nothing = engine.traced("PutItem", &json!({
        "TableName": "Shop", "Item": {"pk": s("new"), "sk": s("1")}, "ConditionExpression": "attribute_exists(pk)",
    }));
    assert_eq!(nothing.trace()["units"]["write"], json!(1.0), "the least a write costs");
    let items = engine.call("Scan", &json!({"TableName": "Shop", "Select": "COUNT"})).ok();
    assert_eq!(items["Count"], json!(4), "nothing was written");
}

#[test]
fn a_request_that_reaches_no_item_is_traced_as_free() {
    let engine = shop();
    for (operation, body) in [("Query", json!({"TableName": "Shop"})), ("ListTables", json!({}))] {
        let trace = engine.traced(operation, &body).trace();
        assert_eq!(trace["operation"], json!(operation));
        assert_eq!(trace["accesses"], json!([]), "{operation}");
        assert_eq!(trace["units"], json!({"read": 0.0, "write": 0.0}), "{operation}");
    }
}

#[test]
fn no_trace_is_made_unless_asked_for() {
    let engine = shop();
    assert!(engine.call("Scan", &json!({"TableName": "Shop"})).trace.is_none());
}

#[test]
fn capacity_names_the_table_as_the_request_did() {
    let engine = shop();
    let arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Shop";
    let answer = engine.call(
        "GetItem",
        &json!({
            "TableName": arn, "Key": {"pk": s("a"), "sk": s("1")}, "ReturnConsumedCapacity": "TOTAL",
        }),
    );
    assert_eq!(answer.ok()["ConsumedCapacity"], json!({"TableName": arn, "CapacityUnits": 0.5}));
}
