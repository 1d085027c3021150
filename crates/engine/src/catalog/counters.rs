//! How many items a table holds, how many entries an index has, and how many bytes they take: counters
//! that every write adds to. A keyspace's number is never used twice, so it names what is counted.

use keyplan_store::{Batch, Snapshot, Space, StoreError, counter_value};
use keyplan_value::Item;

use crate::spaces::COUNTERS;

const ITEMS: u8 = b'i';
const BYTES: u8 = b'b';

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

/// Drops the totals of a keyspace, in the batch that takes it out of the catalog.
pub(crate) fn remove(batch: &mut Batch, space: Space) {
    batch.delete(COUNTERS, key(space, ITEMS));
    batch.delete(COUNTERS, key(space, BYTES));
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
