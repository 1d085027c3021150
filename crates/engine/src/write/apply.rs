//! What one mutation does to the store.

use keyplan_expression::{Update, UpdateError};
use keyplan_store::{Batch, Snapshot};
use keyplan_value::Item;
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;

use super::{Action, Applied, Mutation, Outcome, Refusal, Rejection};
use crate::catalog::{self, TableDefinition, TableTotals, counters};
use crate::error::{InternalError, ItemFault};

/// Adds to `batch` what mutations do to the state that `snapshot` shows, and says what became of each,
/// also of those that were found before not to fit their tables. Each sees the items as they were, so
/// no item may be in two of them.
pub(super) fn apply_all<'m>(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    mutations: impl IntoIterator<Item = Result<&'m Mutation, &'m ItemFault>>,
) -> Result<Vec<Applied>, Refusal> {
    let mut applied = Vec::new();
    for mutation in mutations {
        applied.push(match mutation {
            Ok(mutation) => apply(snapshot, batch, mutation)?,
            Err(fault) => Err(Rejection::Fault(fault.clone())),
        });
    }
    Ok(applied)
}

/// Adds to `batch` what a mutation does to the state that `snapshot` shows.
///
/// It is pure, as a store's transaction must be: the store may run it again.
fn apply(snapshot: &dyn Snapshot, batch: &mut Batch, mutation: &Mutation) -> Result<Applied, Refusal> {
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
        return Ok(Err(Rejection::ConditionFailed { item: before }));
    }
    let after = match &mutation.action {
        Action::Put(item) => Some(item.clone()),
        Action::Update(update) => match updated(mutation, before.as_ref(), update.as_deref()) {
            Ok(after) => after,
            Err(fault) => return Ok(Err(Rejection::Fault(fault))),
        },
        Action::Delete => None,
        Action::Check => before.clone(),
    };
    let outcome = Outcome { before, after };
    // A write that changes nothing is none: no entry, no record of it.
    if outcome.before != outcome.after {
        put_item(batch, table, mutation.key.bytes(), &outcome);
    }
    Ok(Ok(outcome))
}

/// The item after an update; nothing where an update that only takes away finds nothing.
fn updated(
    mutation: &Mutation,
    before: Option<&Item>,
    update: Option<&Update>,
) -> Result<Option<Item>, ItemFault> {
    let schema = &mutation.table.key_schema;
    let with_key_alone = || mutation.key.key_item(schema);
    let Some(update) = update else {
        return Ok(Some(before.cloned().unwrap_or_else(with_key_alone)));
    };
    let is_key = |name: &str| schema.attributes().any(|attribute| attribute.name == name);
    if let Some(target) = update.targets().find(|target| is_key(target.attribute())) {
        return Err(ItemFault::KeyTarget { name: target.attribute().to_string() });
    }
    let old = before.cloned().unwrap_or_else(with_key_alone);
    let after = update.apply(old.as_ref())?;
    if before.is_none() && update.is_deletions_only() {
        return Ok(None);
    }
    if after.as_ref().size() > ITEM_SIZE_BYTES_MAX {
        return Err(UpdateError::TooLarge.into());
    }
    Ok(Some(after))
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
