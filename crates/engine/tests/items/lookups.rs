//! How often requests read definitions of tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use keyplan_engine::spaces::CATALOG;
use keyplan_store::{
    Bounds, Direction, MemoryStore, SharedBytes, Snapshot, Space, Store, StoreError, Transaction, Visitor,
    Written,
};
use serde_json::{Value, json};

use super::harness::{Harness, s};

/// A store that counts how often a table's definition is read.
#[derive(Default)]
struct Counting {
    store: MemoryStore,
    lookups: Arc<AtomicUsize>,
}

struct CountingSnapshot<'s> {
    snapshot: &'s dyn Snapshot,
    lookups: &'s AtomicUsize,
}

impl Snapshot for CountingSnapshot<'_> {
    fn get_many(&self, space: Space, keys: &[&[u8]]) -> Result<Vec<Option<SharedBytes>>, StoreError> {
        if space == CATALOG {
            self.lookups.fetch_add(keys.len(), Ordering::Relaxed);
        }
        self.snapshot.get_many(space, keys)
    }

    fn range(
        &self,
        space: Space,
        bounds: Bounds<'_>,
        direction: Direction,
        expected: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<(), StoreError> {
        self.snapshot.range(space, bounds, direction, expected, visit)
    }
}

impl Store for Counting {
    fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        let lookups = &self.lookups;
        self.store.read(&mut |snapshot| reader(&CountingSnapshot { snapshot, lookups }))
    }

    fn write(&self, mut transaction: Transaction) -> Result<Written, StoreError> {
        let lookups = Arc::clone(&self.lookups);
        self.store
            .write(Box::new(move |snapshot| transaction(&CountingSnapshot { snapshot, lookups: &lookups })))
    }

    fn may_block(&self) -> bool {
        self.store.may_block()
    }

    fn epoch(&self) -> u64 {
        self.store.epoch()
    }

    fn new_space(&self) -> Result<Space, StoreError> {
        self.store.new_space()
    }

    fn drop_space(&self, space: Space) -> Result<(), StoreError> {
        self.store.drop_space(space)
    }
}

#[test]
fn a_batch_reads_the_definition_of_each_table_once_in_its_transaction() {
    let store = Arc::new(Counting::default());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Items", "S", None);
    engine.create("Other", "S", None);
    engine.put("Items", &json!({"pk": s("a")}));
    engine.put("Other", &json!({"pk": s("a")}));
    let puts: Vec<Value> =
        (0..12).map(|key| json!({"PutRequest": {"Item": {"pk": s(&key.to_string())}}})).collect();
    store.lookups.store(0, Ordering::Relaxed);
    engine.call("BatchWriteItem", &json!({"RequestItems": {"Items": puts, "Other": puts}})).ok();
    assert_eq!(store.lookups.load(Ordering::Relaxed), 2);
}

#[test]
fn definitions_that_are_known_stay_so_when_a_change_is_refused() {
    let store = Arc::new(Counting::default());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Items", "S", None);
    let tags = json!([{"Key": "k", "Value": "v"}]);
    let refused = [
        ("DeleteTable", json!({"TableName": "None"})),
        ("UpdateTable", json!({"TableName": "None", "BillingMode": "PAY_PER_REQUEST"})),
        (
            "TagResource",
            json!({"ResourceArn": "arn:aws:dynamodb:us-east-1:123456789012:table/None", "Tags": tags}),
        ),
        (
            "CreateTable",
            json!({
                "TableName": "Items", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            }),
        ),
    ];
    for (operation, request) in refused {
        engine.put("Items", &json!({"pk": s("a")}));
        engine.call(operation, &request).error();
        store.lookups.store(0, Ordering::Relaxed);
        engine.put("Items", &json!({"pk": s("a")}));
        assert_eq!(store.lookups.load(Ordering::Relaxed), 1, "{operation}: only whether it is current");
    }
}
