//! Taking back the last write.

use keyplan_engine::undo::Undone;
use serde_json::{Value, json};

use super::harness::{Harness, n, s};

fn undo(engine: &Harness) -> Option<(&'static str, String)> {
    let undone = engine.engine.undo(engine.now()).expect("the store works");
    undone.map(|Undone { operation, table, .. }| (operation, table))
}

fn took_back(operation: &'static str, table: &str) -> Option<(&'static str, String)> {
    Some((operation, table.to_owned()))
}

fn items(engine: &Harness, table: &str) -> Vec<Value> {
    let scanned = engine.call("Scan", &json!({"TableName": table})).ok();
    scanned["Items"].as_array().expect("items").clone()
}

fn totals(engine: &Harness, table: &str) -> (Value, Value) {
    let described = engine.call("DescribeTable", &json!({"TableName": table})).ok();
    (described["Table"]["ItemCount"].clone(), described["Table"]["TableSizeBytes"].clone())
}

#[test]
fn writes_come_back_newest_first_with_their_totals() {
    let engine = Harness::with_undo(50);
    engine.create("Items", "S", None);
    engine.put("Items", &json!({"pk": s("a"), "n": n(1)}));
    engine.put("Items", &json!({"pk": s("a"), "n": n(2), "more": s("text")}));
    engine.call("DeleteItem", &json!({"TableName": "Items", "Key": {"pk": s("a")}})).ok();
    assert_eq!(totals(&engine, "Items"), (json!(0), json!(0)));

    assert_eq!(undo(&engine), took_back("DeleteItem", "Items"));
    assert_eq!(items(&engine, "Items"), [json!({"pk": s("a"), "n": n(2), "more": s("text")})]);
    assert_eq!(undo(&engine), took_back("PutItem", "Items"));
    assert_eq!(items(&engine, "Items"), [json!({"pk": s("a"), "n": n(1)})]);
    assert_eq!(totals(&engine, "Items"), (json!(1), json!(6)));
    assert_eq!(undo(&engine), took_back("PutItem", "Items"));
    assert_eq!(undo(&engine), took_back("CreateTable", "Items"));
    assert_eq!(engine.call("ListTables", &json!({})).ok(), json!({"TableNames": []}));
    let gone = engine.call("GetItem", &json!({"TableName": "Items", "Key": {"pk": s("a")}}));
    assert_eq!(gone.error().0, "ResourceNotFoundException", "no definition is remembered");
    assert_eq!(undo(&engine), None);
}

#[test]
fn what_changes_nothing_is_no_write_to_take_back() {
    let engine = Harness::with_undo(50);
    engine.create("Items", "S", None);
    engine.put("Items", &json!({"pk": s("a")}));
    engine.put("Items", &json!({"pk": s("a")}));
    engine.call("DeleteItem", &json!({"TableName": "Items", "Key": {"pk": s("none")}})).ok();
    engine.call("GetItem", &json!({"TableName": "Items", "Key": {"pk": s("a")}})).ok();
    let refused = json!({
        "TableName": "Items", "Item": {"pk": s("a"), "n": n(1)}, "ConditionExpression": "attribute_not_exists(pk)",
    });
    engine.call("PutItem", &refused).error();
    assert_eq!(undo(&engine), took_back("PutItem", "Items"));
    assert_eq!(items(&engine, "Items"), Vec::<Value>::new());
    assert_eq!(undo(&engine), took_back("CreateTable", "Items"));
}

#[test]
fn a_deleted_table_comes_back_whole_however_often_work_is_stepped() {
    let engine = Harness::with_undo(50);
    engine.create("Items", "S", None);
    engine.put("Items", &json!({"pk": s("a")}));
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    for _ in 0..3 {
        assert_eq!(engine.engine.step(engine.now(), 1_000).expect("the store works"), None);
    }
    assert_eq!(undo(&engine), took_back("DeleteTable", "Items"));
    assert_eq!(items(&engine, "Items"), [json!({"pk": s("a")})]);
    assert_eq!(totals(&engine, "Items"), (json!(1), json!(3)));
    engine.engine.step(engine.now(), 1_000).expect("the store works");
    assert_eq!(items(&engine, "Items"), [json!({"pk": s("a")})], "nothing is left to free it");
}

#[test]
fn a_deleted_table_is_freed_once_nothing_can_bring_it_back() {
    let engine = Harness::with_undo(2);
    engine.create("Items", "S", None);
    engine.put("Items", &json!({"pk": s("a")}));
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.create("Other", "S", None);
    assert_eq!(engine.engine.step(engine.now(), 0).expect("the store works"), None, "it waits");
    engine.put("Other", &json!({"pk": s("b")}));
    let due = engine.engine.step(engine.now(), 0).expect("the store works");
    assert!(due.is_some(), "the deletion has left the log");
    assert_eq!(engine.engine.step(engine.now(), 100).expect("the store works"), None);
    assert_eq!(undo(&engine), took_back("PutItem", "Other"));
    assert_eq!(undo(&engine), took_back("CreateTable", "Other"));
    assert_eq!(undo(&engine), None);
}

#[test]
fn only_so_many_are_kept() {
    let engine = Harness::with_undo(3);
    engine.create("Items", "N", None);
    for pk in 0..5 {
        engine.put("Items", &json!({"pk": n(pk)}));
    }
    for _ in 0..3 {
        assert_eq!(undo(&engine), took_back("PutItem", "Items"));
    }
    assert_eq!(undo(&engine), None);
    assert_eq!(items(&engine, "Items").len(), 2);
}

#[test]
fn without_depth_nothing_is_kept() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    assert_eq!(undo(&engine), None);
}
