//! Stores that fail, and records that aren't as they were written.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use keyplan_engine::error::InternalError;
use keyplan_engine::spaces::CATALOG;
use keyplan_store::{Batch, MemoryStore, Snapshot, Space, Store, StoreError, StoreExt, Transaction, Written};
use keyplan_value::json::{Limits, Tape};
use keyplan_value::{Item, ItemRef};
use serde_json::{Value, json};

use super::harness::Harness;

/// A store whose disk is full at times, and that tells which keyspaces it has.
#[derive(Default)]
pub struct Filling {
    store: MemoryStore,
    is_full: AtomicBool,
    spaces: Mutex<BTreeSet<u64>>,
}

impl Filling {
    pub fn spaces(&self) -> BTreeSet<u64> {
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

/// Sets the revision in a table's definition.
fn set_revision(store: &dyn Store, table: &'static str, revision: u64) {
    let changed = store.transact(move |snapshot| -> Result<_, StoreError> {
        let record = snapshot.get(CATALOG, table.as_bytes())?.expect("the table's record");
        let mut text = Vec::new();
        ItemRef::from_stored(&record).expect("an item").write_json(&mut text);
        let mut json: Value = serde_json::from_slice(&text).expect("JSON");
        assert!(json["Revision"]["N"].is_string(), "{json}");
        json["Revision"] = json!({"N": revision.to_string()});
        let text = json.to_string();
        let tape = Tape::parse(text.as_bytes(), &Limits::default()).expect("JSON");
        let item = Item::from_json(tape.root()).expect("an item");
        let mut batch = Batch::new();
        batch.put(CATALOG, table.as_bytes(), item.into_stored());
        Ok((batch, ()))
    });
    changed.expect("the store works").expect("the record changes");
}

#[test]
fn a_definition_whose_revision_cannot_go_up_is_damaged() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 10);
    engine.create("Items", "S", None);
    let update = json!({"TableName": "Items", "DeletionProtectionEnabled": true});
    engine.call("UpdateTable", &update).ok();
    set_revision(&*store, "Items", u64::MAX);
    let undone = engine.engine.undo(engine.now());
    assert!(matches!(undone, Err(InternalError::Malformed(_))), "{undone:?}");
    let update = json!({"TableName": "Items", "DeletionProtectionEnabled": false});
    assert_eq!(engine.call("UpdateTable", &update).status, 500);
    let arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Items";
    let tag = json!({"ResourceArn": arn, "Tags": [{"Key": "k", "Value": "v"}]});
    assert_eq!(engine.call("TagResource", &tag).status, 500);

    set_revision(&*store, "Items", u64::MAX - 1);
    engine.call("UpdateTable", &update).ok();
}
