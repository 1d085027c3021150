//! Time to live under a clock that moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use keyplan_engine::spaces;
use keyplan_store::{Bounds, Direction, MemoryStore, StoreExt, Visit};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, cases, n, s};
use super::streams::{create as create_with_stream, records};

#[track_caller]
fn set(engine: &Harness, enabled: bool) {
    let specification = json!({"Enabled": enabled, "AttributeName": "ttl"});
    engine
        .call("UpdateTimeToLive", &json!({"TableName": "Items", "TimeToLiveSpecification": specification}))
        .ok();
}

fn status(engine: &Harness) -> Value {
    let described = engine.call("DescribeTimeToLive", &json!({"TableName": "Items"})).ok();
    described["TimeToLiveDescription"]["TimeToLiveStatus"].clone()
}

fn keys(engine: &Harness) -> Vec<String> {
    let scanned = engine.call("Scan", &json!({"TableName": "Items"})).ok();
    let key = |item: &Value| item["pk"]["S"].as_str().expect("a key").to_owned();
    let mut keys: Vec<_> = scanned["Items"].as_array().expect("items").iter().map(key).collect();
    keys.sort();
    keys
}

fn seconds(engine: &Harness) -> u64 {
    engine.now().0 / 1_000
}

#[track_caller]
fn put(engine: &Harness, pk: &str, ttl: u64) {
    engine.put("Items", &json!({"pk": s(pk), "ttl": n(ttl)}));
}

#[test]
fn items_go_within_ten_seconds_of_their_time() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    set(&engine, true);
    let start = seconds(&engine);
    put(&engine, "soon", start + 60);
    put(&engine, "later", start + 3_600);
    put(&engine, "moved", start + 60);
    put(&engine, "cleared", start + 60);
    let update = |pk: &str, expression: &str, values: Value| {
        let mut request = json!({"TableName": "Items", "Key": {"pk": s(pk)}, "UpdateExpression": expression});
        if !values.is_null() {
            request["ExpressionAttributeValues"] = values;
        }
        request["ExpressionAttributeNames"] = json!({"#t": "ttl"});
        engine.call("UpdateItem", &request).ok();
    };
    update("moved", "SET #t = :t", json!({":t": n(start + 3_600)}));
    update("cleared", "REMOVE #t", Value::Null);
    engine.advance(59_000);
    engine.settle();
    assert_eq!(keys(&engine), ["cleared", "later", "moved", "soon"], "its time is not over");
    engine.advance(2_000);
    let due = engine.engine.step(engine.now(), 0).expect("the store works").expect("a look is due");
    assert!(due.0 <= engine.now().0 + 8_000, "in time");
    engine.advance(6_000);
    engine.settle();
    assert_eq!(keys(&engine), ["cleared", "later", "moved"]);
    engine.advance(3_600_000);
    assert_eq!(keys(&engine), ["cleared"], "a request does what is due as well");
}

#[test]
fn a_table_in_use_is_looked_through() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    let start = seconds(&engine);
    for pk in 0..700 {
        put(&engine, &format!("{pk:03}"), if pk % 7 == 0 { start + 1_000_000 } else { start - 10 });
    }
    set(&engine, true);
    assert_eq!(status(&engine), "ENABLING");
    // A write beside the job.
    put(&engine, "001", start + 1_000_000);
    engine.advance(10_000);
    engine.settle();
    assert_eq!(status(&engine), "ENABLED");
    engine.advance(10_000);
    engine.settle();
    assert_eq!(keys(&engine).len(), 101);
}

fn entries(store: &MemoryStore, space: keyplan_store::Space) -> usize {
    let mut count = 0;
    let ranged = store.view(|snapshot| {
        snapshot.range(space, Bounds::ALL, Direction::Forward, 1, &mut |_, _| {
            count += 1;
            Visit::Continue
        })
    });
    ranged.expect("the store works").expect("the store works");
    count
}

#[test]
fn nothing_expires_once_it_is_disabled() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Items", "S", None);
    set(&engine, true);
    put(&engine, "a", seconds(&engine) + 60);
    set(&engine, false);
    assert_eq!(status(&engine), "DISABLED");
    engine.advance(120_000);
    engine.settle();
    assert_eq!(keys(&engine), ["a"]);
    assert_eq!(entries(&store, spaces::EXPIRY_TABLES) + entries(&store, spaces::JOBS), 0);
    set(&engine, true);
    engine.settle();
    assert_eq!(keys(&engine), [""; 0], "it is looked through anew");
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.settle();
    assert_eq!(entries(&store, spaces::EXPIRY_TABLES) + entries(&store, spaces::JOBS), 0);
}

#[test]
fn a_removal_is_recorded_and_leaves_nothing_behind() {
    let engine = Harness::new();
    let stream = create_with_stream(&engine);
    let index = json!({"Create": {
        "IndexName": "by-ttl", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "ttl", "KeyType": "HASH"}],
    }});
    let added = json!({
        "TableName": "Items", "GlobalSecondaryIndexUpdates": [index],
        "AttributeDefinitions": [{"AttributeName": "ttl", "AttributeType": "N"}],
    });
    engine.call("UpdateTable", &added).ok();
    set(&engine, true);
    let time = seconds(&engine) + 1;
    put(&engine, "a", time);
    engine.advance(20_000);
    engine.settle();
    let table = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok()["Table"].clone();
    assert_eq!((&table["ItemCount"], &table["TableSizeBytes"]), (&json!(0), &json!(0)));
    assert_eq!(table["GlobalSecondaryIndexes"][0]["ItemCount"], 0);
    let recorded = records(&engine, &stream, 10);
    let removal = recorded.last().expect("a record");
    assert_eq!(removal["eventName"], "REMOVE");
    assert_eq!(removal["userIdentity"], json!({"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}));
    assert_eq!(removal["dynamodb"]["OldImage"], json!({"pk": s("a"), "ttl": n(time)}));
    assert_eq!(recorded.iter().filter(|record| record.get("userIdentity").is_some()).count(), 1);
}

fn undo(engine: &Harness) -> Option<&'static str> {
    engine.engine.undo(engine.now()).expect("the store works").map(|undone| undone.operation)
}

#[test]
fn what_expired_is_no_write_to_take_back() {
    let engine = Harness::with_undo(50);
    engine.create("Items", "S", None);
    set(&engine, true);
    let start = seconds(&engine);
    put(&engine, "a", start + 1_000_000);
    put(&engine, "a", start + 1);
    put(&engine, "b", start + 1_000_000);
    engine.advance(20_000);
    engine.settle();
    assert_eq!(keys(&engine), ["b"]);
    assert_eq!(undo(&engine), Some("PutItem"));
    assert_eq!(keys(&engine), [""; 0]);
    assert_eq!(undo(&engine), Some("PutItem"), "the item is what it was before");
    assert_eq!(keys(&engine), ["a"]);
    let table = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok()["Table"].clone();
    assert_eq!(table["ItemCount"], 1);
    assert_eq!(undo(&engine), Some("PutItem"));
    assert_eq!(keys(&engine), [""; 0]);
    assert_eq!(undo(&engine), Some("UpdateTimeToLive"));
    assert_eq!(status(&engine), "DISABLED");
}

#[test]
fn the_taking_back_of_an_index_s_end_goes_with_the_items_that_it_knew() {
    let engine = Harness::with_undo(50);
    let request = json!({
        "TableName": "Items", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"},
        ],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by-n", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
        }],
    });
    engine.call("CreateTable", &request).ok();
    set(&engine, true);
    let start = seconds(&engine);
    engine.put("Items", &json!({"pk": s("a"), "n": n(1), "ttl": n(start + 30)}));
    let delete =
        json!({"TableName": "Items", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-n"}}]});
    engine.call("UpdateTable", &delete).ok();
    put(&engine, "b", start + 1_000_000);
    engine.advance(60_000);
    engine.settle();
    assert_eq!(undo(&engine), Some("PutItem"));
    assert_eq!(undo(&engine), None, "the index would come back with an entry of an item that is gone");
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn exactly_what_has_expired_is_gone(
        steps in prop::collection::vec((0..6_u8, proptest::option::of(-20..60_i64), 0..15_u64, any::<bool>()), 1..40),
    ) {
        let engine = Harness::new();
        engine.create("Items", "S", None);
        set(&engine, true);
        let mut model: BTreeMap<String, Option<u64>> = BTreeMap::new();
        for (pk, ttl, wait, toggles) in steps {
            let pk = pk.to_string();
            let time = ttl.map(|ttl| seconds(&engine).saturating_add_signed(ttl));
            let mut item = json!({"pk": s(&pk)});
            if let Some(time) = time {
                item["ttl"] = n(time);
            }
            engine.put("Items", &item);
            model.insert(pk, time);
            if toggles {
                set(&engine, false);
                engine.settle();
                set(&engine, true);
            }
            engine.advance(wait * 1_000);
            engine.settle();
            let now = seconds(&engine);
            model.retain(|_, time| time.is_none_or(|time| time >= now));
            let left = keys(&engine);
            prop_assert_eq!(left, model.keys().cloned().collect::<Vec<_>>());
        }
    }
}
