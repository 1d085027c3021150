//! What one mutation does to the store.

use std::sync::Arc;

use keyplan_store::{Batch, Snapshot};
use keyplan_value::Item;

use super::{Action, Mutation, Outcome, Refusal};
use crate::catalog::{self, Totals, counters};
use crate::error::InternalError;
use crate::indexes::{Followed, add_to_collection, follow};

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
    let mut outcome =
        Outcome { table: Arc::clone(&mutation.table), before, after, entries: Vec::new(), collection: None };
    // A write that changes nothing is none: no entry, no record of it.
    let changed = if outcome.before == outcome.after {
        Totals::default()
    } else {
        put_item(snapshot, batch, mutation, &mut outcome)?
    };
    outcome.collection = add_to_collection(snapshot, batch, table, &mutation.key, changed)?
        .map_err(|_| Refusal::CollectionTooLarge)?;
    Ok(outcome)
}

/// Puts the new image in the place of the old, with everything that follows from it. Gives what the item
/// collection grows by.
fn put_item(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    mutation: &Mutation,
    outcome: &mut Outcome,
) -> Result<Totals, InternalError> {
    let (table, place) = (&*mutation.table, mutation.key.bytes());
    match &outcome.after {
        Some(item) => batch.put(table.space, place, item.stored().clone()),
        None => batch.delete(table.space, place),
    }
    let (before, after) = (outcome.before.as_ref(), outcome.after.as_ref());
    let mut change = Totals::change(before, after);
    counters::add(batch, table.space, change);
    let Followed { changes, local } = follow(snapshot, batch, table, before, after)?;
    change += local;
    outcome.entries = changes;
    Ok(change)
}
