//! Removing the items that have expired.
//!
//! What is to be done stands in the tables' keyspaces of expiry times, so no record of work says it.

use std::ops::Bound;
use std::sync::Arc;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Space, StoreError, StoreExt, Visit};
use keyplan_value::Item;

use super::corrupt;
use crate::call::Timestamp;
use crate::catalog;
use crate::engine::Engine;
use crate::error::InternalError;
use crate::expiry;
use crate::keys::ItemKey;
use crate::limits::{EXPIRED_ITEMS_AT_ONCE_MAX, EXPIRY_LOOK_MILLISECONDS, JOB_SLICE_BYTES_MAX};
use crate::write::{self, Action, Mutation, Refusal};

/// What a look for expired items came to.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// How many there were.
    pub(super) spent: usize,
    /// When to look again, if any table's items expire.
    pub(super) due: Option<Timestamp>,
}

/// Removes at most `entries` expired items.
///
/// # Errors
/// When the store fails.
pub(super) fn expire(engine: &Engine, now: Timestamp, entries: usize) -> Result<Look, StoreError> {
    let mut look = Look::default();
    for (space, table) in expiry::tables(&*engine.store)? {
        look.due.get_or_insert(Timestamp(now.0.saturating_add(EXPIRY_LOOK_MILLISECONDS)));
        loop {
            let at_once = entries.saturating_sub(look.spent).min(EXPIRED_ITEMS_AT_ONCE_MAX);
            let removed = remove(engine, space, &table, now, at_once)?;
            look.spent += removed.entries;
            if !removed.may_leave_some {
                break;
            }
            if look.spent >= entries {
                look.due = Some(now);
                return Ok(look);
            }
        }
    }
    Ok(look)
}

/// What one transaction removed.
struct Removed {
    entries: usize,
    may_leave_some: bool,
}

/// Removes the first expired items of a table.
fn remove(
    engine: &Engine,
    space: Space,
    table: &str,
    now: Timestamp,
    entries: usize,
) -> Result<Removed, StoreError> {
    // Most looks find nothing, and needn't wait for the store's writer.
    if engine.store.view(|snapshot| first_expired(snapshot, space, now, 1))??.is_empty() {
        return Ok(Removed { entries: 0, may_leave_some: false });
    }
    if entries == 0 {
        return Ok(Removed { entries: 0, may_leave_some: true });
    }
    let name = table.to_owned();
    let removed = engine.undo.beside(&*engine.store, table, move |snapshot| -> Result<_, Refusal> {
        let mut batch = Batch::new();
        let found = first_expired(snapshot, space, now, entries)?;
        let definition = catalog::table_in(snapshot, &name)?;
        let time_to_live =
            |table: &catalog::TableDefinition| table.time_to_live.as_ref().map(|set| set.space);
        let Some(table) = definition.filter(|table| time_to_live(table) == Some(space)).map(Arc::new) else {
            return Ok((batch, (Removed { entries: 0, may_leave_some: false }, Vec::new(), Vec::new())));
        };
        let (mut mutations, mut taken, mut bytes) = (Vec::new(), 0, 0);
        for entry in &found {
            if bytes >= JOB_SLICE_BYTES_MAX {
                break;
            }
            taken += 1;
            // An entry of no item, or of one that expires otherwise, would be found for ever.
            batch.delete(space, entry.as_slice());
            if let Some(stored) = snapshot.get(table.space, expiry::place_of(entry))? {
                bytes += stored.len();
                let item = Item::from_stored(stored).map_err(InternalError::from)?;
                let key = ItemKey::of_item(&table.key_schema, item.as_ref());
                let key = key.map_err(|_| InternalError::Malformed("an item's key"))?;
                mutations.push(Mutation {
                    table: Arc::clone(&table),
                    key,
                    action: Action::Expire(now),
                    condition: None,
                    return_on_failure: false,
                });
            }
        }
        let applied = write::apply_all(snapshot, &mut batch, now, mutations.iter().map(Ok))?;
        let may_leave_some = taken < found.len() || taken == entries;
        Ok((batch, (Removed { entries: taken, may_leave_some }, mutations, applied)))
    })?;
    if let (Ok((_, mutations, applied)), Some(weather)) = (&removed, engine.weather.now()) {
        let applied = mutations.iter().zip(applied.iter().flatten());
        weather.written(applied, now);
    }
    removed.map(|(removed, ..)| removed).or_else(|refusal| match refusal {
        Refusal::Internal(error) => Err(corrupt(error)),
        // The table is the snapshot's, and a removal fits every item.
        Refusal::TableChanged | Refusal::Rejected(_) | Refusal::Throttled(_) => {
            Ok(Removed { entries: 0, may_leave_some: false })
        }
    })
}

fn first_expired(
    snapshot: &dyn Snapshot,
    space: Space,
    now: Timestamp,
    entries: usize,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let expired = expiry::expired(now);
    let (lower, upper) = (expiry::entry(expired.start, &[]), expiry::entry(expired.end, &[]));
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), Bound::Excluded(upper.as_slice()));
    let mut found = Vec::new();
    let ranged = snapshot.range(space, bounds, Direction::Forward, entries, &mut |entry, _| {
        found.push(entry.to_vec());
        if found.len() < entries { Visit::Continue } else { Visit::Stop }
    });
    match ranged {
        // The table's items have stopped expiring since the table was listed.
        Err(StoreError::NoSuchSpace(gone)) if gone == space => Ok(Vec::new()),
        ranged => ranged.map(|()| found),
    }
}
