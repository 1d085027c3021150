//! The store in memory against the kit, and against a plain map on batches proptest thinks of.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use keyplan_store::kit::{self, Factory, Place};
use keyplan_store::{
    Batch, Bounds, Direction, MemoryStore, Space, Store, StoreError, StoreExt, Visit, as_slice,
};
use proptest::collection::vec;
use proptest::prelude::*;

struct Memory;

impl Place for Memory {
    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(MemoryStore::new()))
    }
}

impl Factory for Memory {
    fn place(&self) -> Result<Box<dyn Place>, StoreError> {
        Ok(Box::new(Memory))
    }

    fn keeps(&self) -> bool {
        false
    }
}

#[test]
fn the_kit() {
    let failed: Vec<_> = kit::run(&Memory).into_iter().filter(|outcome| outcome.result.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn the_kits_numbers_stand_in_its_document() {
    let document = include_str!("../../../docs/store-invariants.md");
    let numbered = kit::INVARIANTS
        .iter()
        .map(|invariant| (invariant.number, invariant.name))
        .chain([(kit::survival::NUMBER, kit::survival::NAME)]);
    for (number, name) in numbered {
        let line = format!("| {number} | {name} |");
        assert!(document.contains(&line), "no line starts with {line:?}");
    }
    let lines = document.lines().filter(|line| {
        let number = line.strip_prefix("| ").and_then(|rest| rest.split(' ').next());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    });
    assert_eq!(lines.count(), kit::INVARIANTS.len() + 1, "numbered lines");
}

#[test]
fn a_dropped_keyspace_is_freed_by_later_writes() {
    let store = MemoryStore::new();
    let space = store.new_space().expect("memory has room");
    let value: Arc<[u8]> = Arc::from(&b"shared by all"[..]);
    let mut batch = Batch::new();
    for number in 0..1_000_u32 {
        batch.put(space, number.to_be_bytes(), Arc::clone(&value));
    }
    store.write(Box::new(move |_| Some(batch.clone()))).expect("the keyspace exists");
    store.drop_space(space).expect("it is not reserved");
    let mut writes = 0;
    while Arc::strong_count(&value) > 1 {
        assert!(Arc::strong_count(&value) > 1 && writes < 20, "not freed");
        store.write(Box::new(|_| Some(Batch::new()))).expect("an empty batch is fine");
        writes += 1;
    }
    assert!(writes > 1, "all was freed in one step");
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(0), Just(0x7f), Just(0x80), Just(0xff)], 0..4)
}

fn end() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![Just(Bound::Unbounded), key().prop_map(Bound::Included), key().prop_map(Bound::Excluded),]
}

#[derive(Clone, Debug)]
enum Step {
    Put(Vec<u8>, Vec<u8>),
    Delete(Vec<u8>),
    DeleteRange(Bound<Vec<u8>>, Bound<Vec<u8>>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (key(), vec(any::<u8>(), 0..4)).prop_map(|(key, value)| Step::Put(key, value)),
        2 => key().prop_map(Step::Delete),
        1 => (end(), end()).prop_map(|(lower, upper)| Step::DeleteRange(lower, upper)),
    ]
}

fn entries(
    store: &MemoryStore,
    space: Space,
    bounds: Bounds<'_>,
    direction: Direction,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut entries = Vec::new();
    store
        .view(|snapshot| {
            snapshot.range(space, bounds, direction, 8, &mut |key, value| {
                entries.push((key.to_vec(), value.to_vec()));
                Visit::Continue
            })
        })
        .and_then(|read| read)
        .expect("memory can be read");
    entries
}

proptest! {
    #[test]
    fn batches_and_their_inverses_agree_with_a_map(
        batches in vec(vec(step(), 0..8), 1..8),
        ends in (end(), end()),
    ) {
        let store = MemoryStore::new();
        let space = store.new_space().expect("memory has room");
        let mut map = BTreeMap::new();
        let mut states = Vec::new();
        let mut inverses = Vec::new();
        for steps in batches {
            states.push(map.clone());
            let mut batch = Batch::new().keeping_inverse();
            for step in steps {
                match step {
                    Step::Put(key, value) => {
                        map.insert(key.clone(), value.clone());
                        batch.put(space, key, value);
                    }
                    Step::Delete(key) => {
                        map.remove(&key);
                        batch.delete(space, key);
                    }
                    Step::DeleteRange(lower, upper) => {
                        let bounds = Bounds::new(as_slice(&lower), as_slice(&upper));
                        map.retain(|key, _| !bounds.contains(key));
                        batch.delete_range(space, lower, upper);
                    }
                }
            }
            let written = store.transact(move |_| Ok::<_, ()>((batch.clone(), ())));
            let (_, inverse) = written.expect("memory has room").expect("it does not abort");
            inverses.push(inverse.expect("it was asked for"));
            let found = entries(&store, space, Bounds::ALL, Direction::Forward);
            prop_assert_eq!(found, map.clone().into_iter().collect::<Vec<_>>());
        }
        let bounds = Bounds::new(as_slice(&ends.0), as_slice(&ends.1));
        let mut backward = entries(&store, space, bounds, Direction::Backward);
        backward.reverse();
        let expected: Vec<_> = map.into_iter().filter(|(key, _)| bounds.contains(key)).collect();
        prop_assert_eq!(backward, expected);
        for (inverse, state) in inverses.into_iter().zip(states).rev() {
            store.write(Box::new(move |_| Some(inverse.clone()))).expect("memory has room");
            let found = entries(&store, space, Bounds::ALL, Direction::Forward);
            prop_assert_eq!(found, state.into_iter().collect::<Vec<_>>());
        }
    }
}
