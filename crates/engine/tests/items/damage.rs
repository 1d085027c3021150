//! Stores that fail, and records that aren't as they were written.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use keyplan_store::{MemoryStore, Snapshot, Space, Store, StoreError, Transaction, Written};
use serde_json::json;

use super::harness::Harness;

/// A store whose disk is full at times, and that tells which keyspaces it has.
#[derive(Default)]
struct Filling {
    store: MemoryStore,
    is_full: AtomicBool,
    spaces: Mutex<BTreeSet<u64>>,
}

impl Filling {
    fn spaces(&self) -> BTreeSet<u64> {
        self.spaces.lock().expect("no panic").clone()
    }
}

impl Store for Filling {
    fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        self.store.read(reader)
    }

    fn write(&self, transaction: Transaction) -> Result<Written, StoreError> {
        if self.is_full.load(Ordering::Relaxed) {
            Err(StoreError::Full)
        } else {
            self.store.write(transaction)
        }
    }

    fn may_block(&self) -> bool {
        self.store.may_block()
    }

    fn epoch(&self) -> u64 {
        self.store.epoch()
    }

    fn new_space(&self) -> Result<Space, StoreError> {
        let space = self.store.new_space()?;
        self.spaces.lock().expect("no panic").insert(space.0);
        Ok(space)
    }

    fn drop_space(&self, space: Space) -> Result<(), StoreError> {
        self.spaces.lock().expect("no panic").remove(&space.0);
        self.store.drop_space(space)
    }
}

#[test]
fn a_request_that_the_store_fails_leaves_no_keyspace_behind() {
    let store = Arc::new(Filling::default());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Items", "S", None);
    let before = store.spaces();
    assert_eq!(before.len(), 1);

    store.is_full.store(true, Ordering::Relaxed);
    let definitions = json!([{"AttributeName": "pk", "AttributeType": "S"}]);
    let schema = json!([{"AttributeName": "pk", "KeyType": "HASH"}]);
    let create = json!({
        "TableName": "Other", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions,
        "KeySchema": schema,
    });
    assert_eq!(engine.call("CreateTable", &create).status, 500);
    let index = json!({"IndexName": "byPk", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}});
    let update = json!({
        "TableName": "Items", "AttributeDefinitions": definitions,
        "GlobalSecondaryIndexUpdates": [{"Create": index}],
    });
    assert_eq!(engine.call("UpdateTable", &update).status, 500);
    assert_eq!(store.spaces(), before);

    store.is_full.store(false, Ordering::Relaxed);
    engine.call("CreateTable", &create).ok();
    engine.call("UpdateTable", &update).ok();
    assert_eq!(store.spaces().len(), 3, "what is made has its keyspaces");
    engine.call("CreateTable", &create).error();
    assert_eq!(store.spaces().len(), 3, "what is there already is made of none");
}
