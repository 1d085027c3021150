//! How many items a table holds and how many bytes they take: counters that every write adds to.

use keyplan_store::{Batch, Snapshot, StoreError, counter_value};

use super::TableDefinition;
use crate::spaces::COUNTERS;

const ITEMS: u8 = b'i';
const BYTES: u8 = b'b';

/// What a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableTotals {
    /// Items.
    pub items: i64,
    /// Their bytes, by the service's rule.
    pub bytes: i64,
}

fn key(table: &TableDefinition, which: u8) -> [u8; 17] {
    let mut key = [which; 17];
    key[..16].copy_from_slice(&table.id.to_be_bytes());
    key
}

/// Adds to a table's totals, in the batch of the write that changes them.
pub fn add(batch: &mut Batch, table: &TableDefinition, change: TableTotals) {
    if change.items != 0 {
        batch.add(COUNTERS, key(table, ITEMS), change.items);
    }
    if change.bytes != 0 {
        batch.add(COUNTERS, key(table, BYTES), change.bytes);
    }
}

/// Drops a table's totals, in the batch that drops the table.
pub(super) fn remove(batch: &mut Batch, table: &TableDefinition) {
    batch.delete(COUNTERS, key(table, ITEMS));
    batch.delete(COUNTERS, key(table, BYTES));
}

/// A table's totals.
///
/// # Errors
/// When the store fails.
pub fn totals(snapshot: &dyn Snapshot, table: &TableDefinition) -> Result<TableTotals, StoreError> {
    let (items, bytes) = (key(table, ITEMS), key(table, BYTES));
    let mut found = snapshot.get_many(COUNTERS, &[&items, &bytes])?.into_iter();
    let mut next = || found.next().flatten().and_then(|value| counter_value(&value)).unwrap_or_default();
    Ok(TableTotals { items: next(), bytes: next() })
}
