//! Many requests at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use serde_json::json;

use super::harness::{Harness, n, s};

#[test]
fn of_many_writers_with_one_condition_one_wins() {
    let engine = Harness::new();
    engine.create("Items", "N", None);
    let won = AtomicU64::new(0);
    thread::scope(|scope| {
        for writer in 0..4 {
            let (engine, won) = (&engine, &won);
            scope.spawn(move || {
                for pk in 0..50 {
                    let answer = engine.call(
                        "PutItem",
                        &json!({
                            "TableName": "Items", "Item": {"pk": n(pk), "writer": n(writer)},
                            "ConditionExpression": "attribute_not_exists(pk)",
                        }),
                    );
                    match answer.status {
                        200 => _ = won.fetch_add(1, Ordering::Relaxed),
                        _ => assert_eq!(answer.error().0, "ConditionalCheckFailedException"),
                    }
                }
            });
        }
    });
    assert_eq!(won.into_inner(), 50);
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    assert_eq!(described["Table"]["ItemCount"], json!(50));
}

/// Sets a flag when it goes out of scope, also by a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_table_deleted_meanwhile_takes_its_items_along_and_no_others() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..3 {
            let (engine, done) = (&engine, &done);
            scope.spawn(move || {
                for turn in 0.. {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    let key = s(&format!("{writer}-{turn}"));
                    let put = engine.call("PutItem", &json!({"TableName": "Items", "Item": {"pk": key}}));
                    let read = engine.call("Scan", &json!({"TableName": "Items", "Select": "COUNT"}));
                    for answer in [put, read] {
                        if answer.status != 200 {
                            assert_eq!(answer.error().0, "ResourceNotFoundException");
                        }
                    }
                }
            });
        }
        // Whatever becomes of this thread, the writers end with it.
        let _end = SetOnDrop(&done);
        for _ in 0..40 {
            engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
            engine.engine.step(engine.now(), 10).expect("the store works");
            engine.create("Items", "S", None);
            thread::yield_now();
        }
    });
    while engine.engine.step(engine.now(), 1_000).expect("the store works").is_some() {}
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    let counted = engine.call("Scan", &json!({"TableName": "Items", "Select": "COUNT"})).ok();
    assert_eq!(described["Table"]["ItemCount"], counted["Count"], "totals and items are of one table");
}
