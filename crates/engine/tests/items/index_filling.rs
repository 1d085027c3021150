//! Indexes that are added to a table and taken away from it, beside other requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use keyplan_engine::spaces;
use keyplan_store::{MemoryStore, Space};
use serde_json::{Value, json};

use super::freeing::entries;
use super::harness::{Harness, n, s, sorted};

const GSI: &str = "byG";

fn filled(engine: &Harness, count: u32) {
    engine.create("Items", "N", None);
    for pk in 0..count {
        engine.put("Items", &json!({"pk": n(pk), "g": s("old")}));
    }
}

fn added() -> Value {
    json!({
        "TableName": "Items", "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": GSI, "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }}],
    })
}

fn removed() -> Value {
    json!({"TableName": "Items", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": GSI}}]})
}

/// The index as the table is described; the request itself steps due work.
fn described(engine: &Harness) -> Option<Value> {
    let table = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    table["Table"].get("GlobalSecondaryIndexes").map(|indexes| indexes[0].clone())
}

fn step_to_the_end(engine: &Harness) {
    while engine.engine.step(engine.now(), 1_000).expect("the store works").is_some() {}
}

/// Every item with `g` has its entry, each entry its item, and the index's totals are theirs.
#[track_caller]
fn assert_index_fits(engine: &Harness) {
    let scan = |index: Option<&str>| {
        let mut request = json!({"TableName": "Items"});
        if let Some(index) = index {
            request["IndexName"] = json!(index);
        }
        let mut items: Vec<Value> = Vec::new();
        loop {
            let page = engine.call("Scan", &request).ok();
            items.extend(page["Items"].as_array().expect("items").iter().cloned());
            match page.get("LastEvaluatedKey") {
                Some(key) => request["ExclusiveStartKey"] = key.clone(),
                None => break,
            }
        }
        sorted(items)
    };
    let mut items = scan(None);
    items.retain(|item| item.get("g").is_some());
    assert_eq!(scan(Some(GSI)), items);
    let index = described(engine).expect("the index");
    assert_eq!(index["ItemCount"], json!(items.len()));
}

#[test]
fn a_small_table_has_its_index_with_the_next_request() {
    let engine = Harness::new();
    filled(&engine, 20);
    engine.put("Items", &json!({"pk": n(100)}));
    // Left over from before the index: no key of it, and no fault.
    engine.put("Items", &json!({"pk": n(101), "g": n(1)}));
    engine.put("Items", &json!({"pk": n(102), "g": s("")}));
    let answer = engine.call("UpdateTable", &added()).ok();
    let table = &answer["TableDescription"];
    assert_eq!(table["TableStatus"], json!("UPDATING"));
    let index = &table["GlobalSecondaryIndexes"][0];
    assert_eq!((&index["IndexStatus"], &index["Backfilling"]), (&json!("CREATING"), &json!(false)));
    let index = described(&engine).expect("the index");
    assert_eq!((&index["IndexStatus"], index.get("Backfilling")), (&json!("ACTIVE"), None));
    assert_eq!(index["ItemCount"], json!(20));
}

#[test]
fn a_large_table_fills_its_index_in_steps_and_refuses_what_would_disturb_it() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    filled(&engine, 2_000);
    engine.call("UpdateTable", &added()).ok();
    let index = described(&engine).expect("the index");
    assert_eq!((&index["IndexStatus"], &index["Backfilling"]), (&json!("CREATING"), &json!(true)));
    let space = Space(Space::RESERVED + 1);
    let before = entries(&store, space);
    assert!(before < 1_000, "requests in between fill only little: {before}");
    engine.engine.step(engine.now(), 100).expect("the store works");
    assert_eq!(entries(&store, space) - before, 100, "a step keeps to its budget");

    for (operation, request) in [
        ("Scan", json!({"TableName": "Items", "IndexName": GSI})),
        (
            "Query",
            json!({
                "TableName": "Items", "IndexName": GSI, "KeyConditionExpression": "g = :g",
                "ExpressionAttributeValues": {":g": s("old")},
            }),
        ),
    ] {
        assert_eq!(
            engine.call(operation, &request).refusal(),
            "Cannot read from backfilling global secondary index: byG"
        );
    }
    let in_use = "Attempt to change a resource which is still in use: ";
    let (name, text) = engine.call("DeleteTable", &json!({"TableName": "Items"})).error();
    assert_eq!(name, "ResourceInUseException");
    assert_eq!(
        text,
        format!("{in_use}Cannot delete table while indexes are being created, updated, or deleted.")
    );
    let mut other = added();
    other["GlobalSecondaryIndexUpdates"][0]["Create"]["IndexName"] = json!("other");
    let (name, text) = engine.call("UpdateTable", &other).error();
    assert_eq!(name, "LimitExceededException");
    assert_eq!(
        text,
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
    );
    let provisioned = json!({
        "TableName": "Items", "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
        "GlobalSecondaryIndexUpdates": [{"Update": {
            "IndexName": GSI, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
        }}],
    });
    let (name, text) = engine.call("UpdateTable", &provisioned).error();
    assert_eq!(name, "ResourceInUseException");
    assert_eq!(
        text,
        format!(
            "{in_use}Can't change table IOPS when an index is being created. Table: Items Indexes: [byG]"
        )
    );
    step_to_the_end(&engine);
    assert_index_fits(&engine);
}

#[test]
fn filling_goes_on_where_it_stood_after_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    filled(&engine, 1_500);
    engine.call("UpdateTable", &added()).ok();
    engine.engine.step(engine.now(), 300).expect("the store works");
    drop(engine);
    let engine = Harness::on(store, 0);
    let index = described(&engine).expect("the index");
    assert_eq!(index["IndexStatus"], json!("CREATING"));
    step_to_the_end(&engine);
    assert_index_fits(&engine);
}

#[test]
fn writes_beside_the_filling_leave_no_stale_entry() {
    let engine = Harness::new();
    filled(&engine, 3_000);
    engine.call("UpdateTable", &added()).ok();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..3_u32 {
            let (engine, done) = (&engine, &done);
            scope.spawn(move || {
                for turn in 0_u32.. {
                    let pk = (turn * 7 + writer) % 3_100;
                    let (key, other) = (json!({"pk": n(pk)}), json!({"pk": n((pk + 1_500) % 3_100)}));
                    let g = s(&format!("w{writer}"));
                    let mut item = other.clone();
                    item["g"] = g.clone();
                    let update = json!({
                        "TableName": "Items", "Key": key, "UpdateExpression": "SET g = :g",
                        "ExpressionAttributeValues": {":g": g},
                    });
                    let (operation, request) = match turn % 6 {
                        0 => ("PutItem", json!({"TableName": "Items", "Item": item})),
                        1 => ("PutItem", json!({"TableName": "Items", "Item": key})),
                        2 => ("DeleteItem", json!({"TableName": "Items", "Key": key})),
                        3 => ("UpdateItem", update),
                        4 => (
                            "BatchWriteItem",
                            json!({"RequestItems": {"Items": [
                                {"DeleteRequest": {"Key": key}}, {"PutRequest": {"Item": item}},
                            ]}}),
                        ),
                        _ => (
                            "TransactWriteItems",
                            json!({
                                "ClientRequestToken": format!("{writer}-{turn}"),
                                "TransactItems": [
                                    {"Update": update}, {"Delete": {"TableName": "Items", "Key": other}},
                                ],
                            }),
                        ),
                    };
                    engine.call(operation, &request).ok();
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        // What is due at once is done; what is left are the tokens, which are forgotten later.
        let stepped = (0..).find_map(|_| {
            let now = engine.now();
            match engine.engine.step(now, 50) {
                Ok(Some(due)) if due <= now => None,
                finished => Some(finished),
            }
        });
        done.store(true, Ordering::Relaxed);
        assert!(matches!(stepped, Some(Ok(_))), "{stepped:?}");
    });
    assert_eq!(described(&engine).expect("the index")["IndexStatus"], json!("ACTIVE"));
    assert_index_fits(&engine);
}

#[test]
fn an_index_goes_and_its_entries_are_freed() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    filled(&engine, 50);
    engine.call("UpdateTable", &added()).ok();
    step_to_the_end(&engine);
    let answer = engine.call("UpdateTable", &removed()).ok();
    let table = &answer["TableDescription"];
    assert_eq!(table["GlobalSecondaryIndexes"][0]["IndexStatus"], json!("DELETING"));
    assert_eq!(table["AttributeDefinitions"], json!([{"AttributeName": "pk", "AttributeType": "N"}]));
    assert_eq!(described(&engine), None);
    step_to_the_end(&engine);
    assert_eq!(entries(&store, Space(Space::RESERVED + 1)), 0);
    assert_eq!(entries(&store, spaces::COUNTERS), 2, "the table's own");
    assert_eq!(entries(&store, spaces::JOBS), 0);
}

#[test]
fn an_index_can_be_given_up_while_it_is_filled() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    filled(&engine, 1_000);
    engine.call("UpdateTable", &added()).ok();
    engine.call("UpdateTable", &removed()).ok();
    step_to_the_end(&engine);
    assert_eq!(described(&engine), None);
    assert_eq!(entries(&store, spaces::JOBS), 0);
    // The name is free, and a new index starts empty.
    engine.call("UpdateTable", &added()).ok();
    step_to_the_end(&engine);
    assert_index_fits(&engine);
}

fn undo(engine: &Harness) -> &'static str {
    engine.engine.undo(engine.now()).expect("the store works").expect("a write").operation
}

#[test]
fn adding_and_removing_an_index_can_be_taken_back() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 50);
    filled(&engine, 20);
    engine.call("UpdateTable", &added()).ok();
    step_to_the_end(&engine);
    engine.call("UpdateTable", &removed()).ok();
    step_to_the_end(&engine);
    assert_eq!(undo(&engine), "UpdateTable");
    step_to_the_end(&engine);
    assert_index_fits(&engine);
    assert_eq!(undo(&engine), "UpdateTable");
    assert_eq!(described(&engine), None);
    step_to_the_end(&engine);
    assert_eq!(entries(&store, Space(Space::RESERVED + 1)), 0, "what the job had put is freed");
    assert_eq!(entries(&store, spaces::COUNTERS), 2);
}

#[test]
fn what_is_taken_back_after_the_filling_still_fits_the_index() {
    let engine = Harness::with_undo(50);
    filled(&engine, 1_000);
    engine.call("UpdateTable", &added()).ok();
    // These are written while most items have no entry yet.
    for pk in [1, 500, 900, 999] {
        engine.put("Items", &json!({"pk": n(pk), "g": s("new")}));
    }
    for pk in [2, 501, 901] {
        engine.call("DeleteItem", &json!({"TableName": "Items", "Key": {"pk": n(pk)}})).ok();
    }
    engine.put("Items", &json!({"pk": n(3)}));
    let [four, five, far] = [4, 5, 950].map(|pk| json!({"pk": n(pk)}));
    engine
        .call(
            "BatchWriteItem",
            &json!({"RequestItems": {"Items": [
                {"DeleteRequest": {"Key": four}}, {"PutRequest": {"Item": far}},
            ]}}),
        )
        .ok();
    engine
        .call(
            "TransactWriteItems",
            &json!({"TransactItems": [
                {"Update": {"TableName": "Items", "Key": five, "UpdateExpression": "REMOVE g"}},
                {"Update": {
                    "TableName": "Items", "Key": far, "UpdateExpression": "SET g = :g",
                    "ExpressionAttributeValues": {":g": s("newer")},
                }},
            ]}),
        )
        .ok();
    step_to_the_end(&engine);
    assert_index_fits(&engine);
    for _ in 0..10 {
        undo(&engine);
        step_to_the_end(&engine);
        assert_index_fits(&engine);
    }
    assert_eq!(described(&engine).expect("the index")["ItemCount"], json!(1_000));
    assert_eq!(undo(&engine), "UpdateTable");
    assert_eq!(described(&engine), None);
}
