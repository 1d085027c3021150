use std::sync::Arc;

use keyplan_store::{MemoryStore, Store};

use super::*;
use crate::engine::EngineOptions;

#[test]
fn a_table_that_was_brought_back_since_its_record_was_seen_is_not_freed() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(store.clone(), EngineOptions::default()).expect("it opens");
    let space = store.new_space().expect("the store works");
    let mut batch = Batch::new();
    batch.put(space, b"place".as_slice(), b"item".as_slice());
    commit(&engine, batch).expect("the store works");
    for entries in [1, 10] {
        assert_eq!(free_slice(&engine, space, entries), Ok(1));
        let found = store.view(|snapshot| snapshot.get(space, b"place"));
        assert!(found.expect("the store works").expect("the keyspace is there").is_some(), "{entries}");
    }
}
