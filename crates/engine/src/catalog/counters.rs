//! How many items a table holds, how many entries an index has, and how many bytes they take: counters
//! that every write adds to. A keyspace's number is never used twice, so it names what is counted.

use keyplan_store::{Batch, Snapshot, Space, StoreError, counter_value};
use keyplan_value::Item;

use super::definition::TableDefinition;
use crate::spaces::COUNTERS;

const ITEMS: u8 = b'i';
const BYTES: u8 = b'b';
/// What vectors take less, of the bytes of their items, than the lists of numbers that they are.
const SAVED: u8 = b's';

/// What a table or an index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Items, or entries.
    pub items: i64,
    /// Their bytes, by the service's rule.
    pub bytes: i64,
}

impl Totals {
    /// What changes when an item takes the place of another; nothing stands for no item.
    pub fn change(before: Option<&Item>, after: Option<&Item>) -> Totals {
        let held = |item: Option<&Item>| {
            item.map_or(0, |item| i64::try_from(item.as_ref().size()).unwrap_or(i64::MAX))
        };
        Totals {
            items: i64::from(after.is_some()) - i64::from(before.is_some()),
            bytes: held(after) - held(before),
        }
    }
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.items += other.items;
        self.bytes += other.bytes;
    }
}

fn key(space: Space, which: u8) -> [u8; 9] {
    let mut key = [which; 9];
    key[1..].copy_from_slice(&space.0.to_be_bytes());
    key
}

/// Adds to the totals of the keyspace `space`, in the batch of the write that changes them.
pub fn add(batch: &mut Batch, space: Space, change: Totals) {
    if change.items != 0 {
        batch.add(COUNTERS, key(space, ITEMS), change.items);
    }
    if change.bytes != 0 {
        batch.add(COUNTERS, key(space, BYTES), change.bytes);
    }
}

/// Adds to what the vectors of a vector index save of their items' bytes.
pub(crate) fn add_saved(batch: &mut Batch, space: Space, change: i64) {
    if change != 0 {
        batch.add(COUNTERS, key(space, SAVED), change);
    }
}

/// Drops the totals of a keyspace, in the batch that takes it out of the catalog.
pub(crate) fn remove(batch: &mut Batch, space: Space) {
    for which in [ITEMS, BYTES, SAVED] {
        batch.delete(COUNTERS, key(space, which));
    }
}

/// The totals of a table, as the service bills them: a vector counts four bytes a number.
///
/// # Errors
/// When the store fails.
pub fn of_table(snapshot: &dyn Snapshot, table: &TableDefinition) -> Result<Totals, StoreError> {
    let mut sum = totals(snapshot, table.space)?;
    // Of the indexes on one attribute the one with the most entries tells of it. An index without a HASH
    // attribute has them all; that others lack some is a few bytes that a table alone with those is off by.
    let mut of_attributes: Vec<(&str, i64, i64)> = Vec::new();
    for index in &table.vector_indexes {
        let entries = totals(snapshot, index.space)?.items;
        let saved = saved(snapshot, index.space)?;
        match of_attributes.iter_mut().find(|(attribute, ..)| *attribute == index.attribute) {
            Some(known) if known.1 >= entries => {}
            Some(known) => (known.1, known.2) = (entries, saved),
            None => of_attributes.push((&index.attribute, entries, saved)),
        }
    }
    sum.bytes -= of_attributes.iter().map(|(_, _, saved)| saved).sum::<i64>();
    Ok(sum)
}

/// What the vectors of a vector index save of their items' bytes.
///
/// # Errors
/// When the store fails.
pub(crate) fn saved(snapshot: &dyn Snapshot, space: Space) -> Result<i64, StoreError> {
    let saved = snapshot.get(COUNTERS, &key(space, SAVED))?;
    Ok(saved.and_then(|bytes| counter_value(&bytes)).unwrap_or_default())
}

/// The keyspace that a counter's key tells.
pub(crate) fn counted(key: &[u8]) -> Option<Space> {
    let (which, space) = key.split_first()?;
    let space = space.try_into().ok().map(u64::from_be_bytes)?;
    [ITEMS, BYTES, SAVED].contains(which).then_some(Space(space))
}

/// The totals of a keyspace.
///
/// # Errors
/// When the store fails.
pub fn totals(snapshot: &dyn Snapshot, space: Space) -> Result<Totals, StoreError> {
    let (items, bytes) = (key(space, ITEMS), key(space, BYTES));
    let mut found = snapshot.get_many(COUNTERS, &[&items, &bytes])?.into_iter();
    let mut next = || found.next().flatten().and_then(|value| counter_value(&value)).unwrap_or_default();
    Ok(Totals { items: next(), bytes: next() })
}
