//! A deleted table's items go in slices, beside other requests.

use std::sync::Arc;

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp, spaces};
use keyplan_store::{Batch, Bounds, Direction, MemoryStore, Space, Store, StoreError, StoreExt, Visit};
use serde_json::json;

use super::harness::{Harness, n, s};

pub fn entries(store: &MemoryStore, space: Space) -> usize {
    let mut count = 0;
    let counted = store.view(|snapshot| {
        snapshot.range(space, Bounds::ALL, Direction::Forward, 0, &mut |_, _| {
            count += 1;
            Visit::Continue
        })
    });
    counted.expect("the store reads").expect("the store reads");
    count
}

/// The keyspaces of tables that have been made: they are numbered one after the other.
fn first_table_space() -> Space {
    Space(Space::RESERVED)
}

#[test]
fn many_items_go_in_small_steps_between_requests() {
    const ITEMS: usize = 100_000;
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Old", "N", None);
    for pk in 0..ITEMS {
        engine
            .send("PutItem", &format!(r#"{{"TableName":"Old","Item":{{"pk":{{"N":"{pk}"}}}}}}"#), false)
            .ok();
    }
    let space = first_table_space();
    assert_eq!(entries(&store, space), ITEMS);
    engine.call("DeleteTable", &json!({"TableName": "Old"})).ok();

    // The name is free at once, and the new table has nothing of the old.
    engine.create("Old", "N", None);
    let counted = engine.call("Scan", &json!({"TableName": "Old", "Select": "COUNT"})).ok();
    assert_eq!(counted["Count"], json!(0));

    let mut left = entries(&store, space);
    assert!(left + 1_000 > ITEMS, "requests in between free only little");
    let mut steps = 0;
    while let Some(due) = engine.engine.step(engine.now(), 2_000).expect("the store works") {
        assert!(due <= engine.now(), "there is work left");
        let now_left = entries(&store, space);
        assert!(left - now_left <= 2_000, "a step keeps to its budget: {left} to {now_left}");
        left = now_left;
        steps += 1;
        if steps % 10 == 0 {
            engine.put("Old", &json!({"pk": n(steps)}));
            left = entries(&store, space);
        }
    }
    assert_eq!(entries(&store, space), 0);
    assert_eq!(entries(&store, spaces::JOBS), 0, "the work's record is gone");
    let counted = engine.call("Scan", &json!({"TableName": "Old", "Select": "COUNT"})).ok();
    assert_eq!(counted["Count"], json!(steps / 10), "the new table was left alone");
}

#[test]
fn freeing_goes_on_where_it_stood_after_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Items", "N", None);
    for pk in 0..50 {
        engine.put("Items", &json!({"pk": n(pk)}));
    }
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.engine.step(engine.now(), 20).expect("the store works");
    let left = entries(&store, first_table_space());
    assert!((1..50).contains(&left), "{left} left");

    drop(engine);
    let engine = Engine::open(store.clone(), EngineOptions { undo_depth: 0, ..EngineOptions::default() })
        .expect("it opens");
    assert_eq!(engine.step(Timestamp(1), 1_000).expect("the store works"), None);
    assert_eq!(entries(&store, first_table_space()), 0);
    let reply = engine.dispatch(&Call {
        target: Some("DynamoDB_20120810.ListTables"),
        authentication: Authentication::NotRequired { region: "us-east-1" },
        body: b"{}",
        now: Timestamp(2),
        random: 0,
        trace: false,
    });
    assert_eq!(reply.body, br#"{"TableNames":[]}"#);
}

#[test]
fn totals_go_with_the_table() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Items", "S", None);
    engine.put("Items", &json!({"pk": s("a")}));
    assert_eq!(entries(&store, spaces::COUNTERS), 2);
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    assert_eq!(entries(&store, spaces::COUNTERS), 0);
}

#[test]
fn a_keyspace_that_was_dropped_before_its_record_went_is_no_fault() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Old", "S", None);
    engine.put("Old", &json!({"pk": s("a")}));
    engine.call("DeleteTable", &json!({"TableName": "Old"})).ok();
    store.drop_space(first_table_space()).expect("the store works");
    while engine.engine.step(engine.now(), 1).expect("the work ends all the same").is_some() {}
    assert_eq!(entries(&store, spaces::JOBS), 0);
}

#[test]
fn a_damaged_record_of_work_stops_no_other_and_is_told() {
    let store = Arc::new(MemoryStore::new());
    let mut engine = Harness::on(store.clone(), 0);
    engine.is_damaged = true;
    engine.create("Old", "N", None);
    for pk in 0..30 {
        engine.put("Old", &json!({"pk": n(pk)}));
    }
    engine.call("DeleteTable", &json!({"TableName": "Old"})).ok();
    // Due at once: work of an unknown kind, a keyspace without a number, a half-written index to fill.
    let damaged: [&[u8]; 3] =
        [&[0; 9], &[0, 0, 0, 0, 0, 0, 0, 0, 2, 7], &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 9]];
    let damage = store.transact(move |_| {
        let mut batch = Batch::new();
        for key in damaged {
            batch.put(spaces::JOBS, key, [1].as_slice());
        }
        Ok::<_, std::convert::Infallible>((batch, ()))
    });
    damage.expect("the store works").expect("nothing aborts");
    let before = entries(&store, spaces::JOBS);
    for _ in 0..4 {
        let error = engine.engine.step(engine.now(), 20).expect_err("the damage is told");
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    }
    assert_eq!(entries(&store, first_table_space()), 0, "the deleted table was freed all the same");
    assert_eq!(entries(&store, spaces::JOBS), before - 1);
    engine.engine.step(engine.now(), 0).expect("nothing was tried");
}
