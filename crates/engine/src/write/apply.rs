//! What one mutation does to the store.

use keyplan_store::{Batch, Snapshot};
use keyplan_value::Item;

use super::{Action, Mutation, Outcome, Refusal};
use crate::catalog::{self, TableDefinition, TableTotals, counters};
use crate::error::InternalError;

/// Adds to `batch` what a mutation does to the state that `snapshot` shows.
///
/// It is pure, as a store's transaction must be: the store may run it again.
pub(super) fn apply(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    position: usize,
    mutation: &Mutation,
) -> Result<Outcome, Refusal> {
    let table = &*mutation.table;
    if !catalog::is_current(snapshot, table)? {
        return Err(Refusal::TableChanged);
    }
    let before = match snapshot.get(table.space, mutation.key.bytes())? {
        Some(stored) => Some(Item::from_stored(stored).map_err(InternalError::from)?),
        None => None,
    };
    if let Some(condition) = &mutation.condition
        && !condition.matches(before.as_ref().map(Item::as_ref))
    {
        return Err(Refusal::ConditionFailed { mutation: position, item: before });
    }
    let after = match &mutation.action {
        Action::Put(item) => Some(item.clone()),
        Action::Delete => None,
    };
    let outcome = Outcome { before, after };
    // A write that changes nothing is none: no entry, no record of it.
    if outcome.before != outcome.after {
        put_item(batch, table, mutation.key.bytes(), &outcome);
    }
    Ok(outcome)
}

/// Puts the new image in the place of the old, with everything that follows from it.
fn put_item(batch: &mut Batch, table: &TableDefinition, place: &[u8], outcome: &Outcome) {
    match &outcome.after {
        Some(item) => batch.put(table.space, place, item.stored().clone()),
        None => batch.delete(table.space, place),
    }
    let held = |item: &Option<Item>| TableTotals {
        items: i64::from(item.is_some()),
        bytes: item.as_ref().map_or(0, |item| i64::try_from(item.as_ref().size()).unwrap_or(i64::MAX)),
    };
    let (before, after) = (held(&outcome.before), held(&outcome.after));
    let change = TableTotals { items: after.items - before.items, bytes: after.bytes - before.bytes };
    counters::add(batch, table, change);
}
