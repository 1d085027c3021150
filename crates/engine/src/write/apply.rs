//! What one mutation does to the store.

use std::sync::Arc;

use keyplan_expression::{Update, UpdateError};
use keyplan_store::{Batch, Snapshot};
use keyplan_value::Item;

use super::{Action, Applied, Mutation, Outcome, Refusal, Rejection};
use crate::call::Timestamp;
use crate::catalog::{self, TableDefinition, Totals, counters};
use crate::error::{InternalError, ItemFault};
use crate::expiry;
use crate::indexes::{self, Followed, ItemCollections, follow};
use crate::journal::{Cause, JournalWriter};

/// Adds to `batch` what mutations do to the state that `snapshot` shows, and says what became of each,
/// also of those that were found before not to fit their tables. Each sees the items as they were, so
/// no item may be in two of them.
pub(crate) fn apply_all<'m>(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    now: Timestamp,
    mutations: impl IntoIterator<Item = Result<&'m Mutation, &'m ItemFault>>,
) -> Result<Vec<Applied>, Refusal> {
    let mut applied = Vec::new();
    let mut followed =
        Followers { collections: ItemCollections::default(), journal: JournalWriter::new(now) };
    let mut current: Vec<&Arc<TableDefinition>> = Vec::new();
    for mutation in mutations {
        applied.push(match mutation {
            Ok(mutation) => {
                let table = &mutation.table;
                if !current.iter().any(|current| Arc::ptr_eq(current, table)) {
                    if !catalog::is_current(snapshot, table)? {
                        return Err(Refusal::TableChanged);
                    }
                    current.push(table);
                }
                apply(snapshot, batch, &mut followed, mutation)?
            }
            Err(fault) => Err(Rejection::Fault(fault.clone())),
        });
    }
    followed.journal.finish(batch);
    Ok(applied)
}

/// What the mutations of one transaction change together.
struct Followers {
    collections: ItemCollections,
    journal: JournalWriter,
}

/// Adds to `batch` what a mutation does to the state that `snapshot` shows, in which its table is current.
///
/// It is pure, as a store's transaction must be: the store may run it again.
fn apply(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    followed: &mut Followers,
    mutation: &Mutation,
) -> Result<Applied, Refusal> {
    let table = &*mutation.table;
    let before = match snapshot.get(table.space, mutation.key.bytes())? {
        Some(stored) => Some(Item::from_stored(stored).map_err(InternalError::from)?),
        None => None,
    };
    if let Some(condition) = &mutation.condition
        && !condition.matches(before.as_ref().map(Item::as_ref))
    {
        return Ok(Err(Rejection::ConditionFailed { item: before }));
    }
    let after = match &mutation.action {
        Action::Put(item) => Some(item.clone()),
        Action::Update(update) => match updated(mutation, before.as_ref(), update.as_deref()) {
            Ok(after) => after,
            Err(fault) => return Ok(Err(Rejection::Fault(fault))),
        },
        Action::Delete => None,
        Action::Expire(now) if has_expired(table, before.as_ref(), *now) => None,
        Action::Check | Action::Expire(_) => return Ok(Ok(Outcome::untouched(&mutation.table, before))),
    };
    let mut outcome =
        Outcome { table: Arc::clone(&mutation.table), before, after, entries: Vec::new(), collection: None };
    // A write that changes nothing is none: no entry, no record of it.
    let changed = if outcome.before == outcome.after {
        Totals::default()
    } else {
        put_item(snapshot, batch, followed, mutation, &mut outcome)?
    };
    match followed.collections.add(snapshot, batch, table, &mutation.key, changed)? {
        Ok(collection) => Ok(Ok(Outcome { collection, ..outcome })),
        Err(_) => Ok(Err(Rejection::CollectionTooLarge)),
    }
}

/// Whether an item's time had come at `now`. It may have been changed since that was seen first.
fn has_expired(table: &TableDefinition, item: Option<&Item>, now: Timestamp) -> bool {
    let time = table.time_to_live.as_ref().zip(item);
    time.and_then(|(set, item)| expiry::expiry_time(set, item))
        .is_some_and(|time| expiry::expired(now).contains(&time))
}

/// The item after an update; nothing where an update that only takes away finds nothing.
fn updated(
    mutation: &Mutation,
    before: Option<&Item>,
    update: Option<&Update>,
) -> Result<Option<Item>, ItemFault> {
    let table = &*mutation.table;
    let schema = &table.key_schema;
    let old = before.cloned().unwrap_or_else(|| mutation.key.attributes(schema.attributes()));
    let after = match update {
        None => old,
        Some(update) => {
            if let Some(target) = update.targets().find(|target| schema.has(target.attribute())) {
                return Err(ItemFault::KeyTarget { name: target.attribute().to_string() });
            }
            let after = update.apply(old.as_ref())?;
            if before.is_none() && update.is_deletions_only() {
                return Ok(None);
            }
            after
        }
    };
    indexes::check_update(table, before, &after)?;
    if indexes::is_too_large(table, &after) {
        return Err(UpdateError::TooLarge.into());
    }
    Ok(Some(after))
}

/// Puts the new image in the place of the old, with everything that follows from it. Gives what the item
/// collection grows by.
fn put_item(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    followed: &mut Followers,
    mutation: &Mutation,
    outcome: &mut Outcome,
) -> Result<Totals, InternalError> {
    let (table, place) = (&*mutation.table, mutation.key.bytes());
    match &outcome.after {
        Some(item) => batch.put(table.space, place, item.stored().clone()),
        None => batch.delete(table.space, place),
    }
    let (before, after) = (outcome.before.as_ref(), outcome.after.as_ref());
    if let Some(time_to_live) = &table.time_to_live {
        expiry::follow(batch, time_to_live, place, before, after);
    }
    if let Some(journal) = table.journal {
        let cause = if let Action::Expire(_) = mutation.action { Cause::Expiry } else { Cause::Request };
        followed.journal.append(snapshot, batch, journal, cause, (before, after))?;
    }
    let mut change = Totals::change(before, after);
    counters::add(batch, table.space, change);
    let Followed { changes, local } = follow(snapshot, batch, table, before, after)?;
    change += local;
    outcome.entries = changes;
    Ok(change)
}
