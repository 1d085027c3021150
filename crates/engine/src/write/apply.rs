//! What one mutation does to the store.

use std::sync::Arc;

use keyplan_expression::{Update, UpdateError};
use keyplan_store::{Batch, Snapshot};
use keyplan_value::Item;

use super::{Action, Applied, Mutation, Outcome, Refusal, Rejection, Replicated};
use crate::call::Timestamp;
use crate::catalog::{self, Membership, TableDefinition, Totals, counters};
use crate::error::{InternalError, ItemFault};
use crate::expiry;
use crate::indexes::{self, Changing, Filling, Followed, ItemCollections, follow};
use crate::journal::{Cause, CommitTime, JournalWriter};
use crate::keys::ItemKey;
use crate::replication;

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
    let mut followed = Followers {
        collections: ItemCollections::default(),
        journal: JournalWriter::new(now),
        filling: Filling::default(),
    };
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
    if applied.iter().all(Result::is_ok) {
        apply_elsewhere(snapshot, batch, &mut followed, &applied)?;
    }
    followed.journal.finish(batch);
    Ok(applied)
}

/// Changes the same items in the other regions of strongly consistent global tables.
fn apply_elsewhere(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    followed: &mut Followers,
    applied: &[Applied],
) -> Result<(), Refusal> {
    for outcome in applied.iter().flatten() {
        if outcome.table.membership != Some(Membership::Strong) || outcome.before == outcome.after {
            continue;
        }
        let Some(item) = outcome.after.as_ref().or(outcome.before.as_ref()) else { continue };
        for table in replication::others(snapshot, &outcome.table)? {
            let key = ItemKey::of_item(&table.key_schema, item.as_ref());
            let key = key.map_err(|_| InternalError::Malformed("an item's key"))?;
            let replicated = Replicated { item: outcome.after.clone(), time: CommitTime(0), is_copy: false };
            let mutation = Mutation {
                table: Arc::new(table),
                key,
                action: Action::Replicate(replicated),
                condition: None,
                return_on_failure: false,
            };
            // What the item's own table takes, the others take.
            let _ = apply(snapshot, batch, followed, &mutation)?;
        }
    }
    Ok(())
}

/// What the mutations of one transaction change together.
struct Followers {
    collections: ItemCollections,
    journal: JournalWriter,
    filling: Filling,
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
        Action::Replicate(replicated)
            if replication::is_news(snapshot, table, mutation.key.bytes(), replicated.time)? =>
        {
            replicated.item.clone()
        }
        Action::Check | Action::Expire(_) | Action::Replicate(_) => {
            return Ok(Ok(Outcome::untouched(&mutation.table, before)));
        }
    };
    let mut outcome = Outcome {
        table: Arc::clone(&mutation.table),
        before,
        after,
        entries: Vec::new(),
        vector_entries: Vec::new(),
        collection: None,
    };
    // What is known elsewhere of an item stands even where it changes nothing here.
    if let (Action::Replicate(replicated), Some(Membership::Eventual { times })) =
        (&mutation.action, table.membership)
    {
        replication::note_time(batch, times, mutation.key.bytes(), replicated.time);
    }
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
            // Where there is no item nothing is taken away, wherever the paths lead.
            if before.is_none() && update.is_deletions_only() {
                return Ok(None);
            }
            update.apply(old.as_ref())?
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
    if let Some(journal) = table.written_journal() {
        let cause = match &mutation.action {
            Action::Replicate(replicated) => (!replicated.is_copy).then_some(Cause::Replication),
            Action::Expire(_) => Some(Cause::Expiry),
            Action::Put(_) | Action::Update(_) | Action::Delete | Action::Check => Some(Cause::Request),
        };
        if let Some(cause) = cause {
            followed.journal.append(snapshot, batch, journal, cause, (before, after))?;
        }
        if let (Some(Cause::Request | Cause::Expiry), Some(Membership::Eventual { times })) =
            (cause, table.membership)
        {
            let time = followed.journal.time(snapshot)?;
            replication::note_time(batch, times, place, time);
        }
    }
    let mut change = Totals::change(before, after);
    counters::add(batch, table.space, change);
    let item = Changing { table, place: &mutation.key, before, after };
    let Followed { changes, vector_changes, local } = follow(snapshot, batch, &mut followed.filling, item)?;
    change += local;
    outcome.entries = changes;
    outcome.vector_entries = vector_changes;
    Ok(change)
}
