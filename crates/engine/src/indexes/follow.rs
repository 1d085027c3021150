//! Keeping entries as their items change.

use keyplan_store::{Batch, Snapshot};
use keyplan_value::Item;

use super::Entry;
use crate::capacity::Charge;
use crate::catalog::{IndexDefinition, IndexScope, TableDefinition, Totals, counters};
use crate::error::InternalError;
use crate::jobs::Backfill;
use crate::trace::SizeChange;

/// What the change of an item did to one index: its entry before and after, of which at least one is there
/// and which differ.
#[derive(Debug, Clone)]
pub struct EntryChange {
    /// The index's place among the table's.
    pub index: usize,
    before: Option<Entry>,
    after: Option<Entry>,
}

/// One write of an entry.
#[derive(Debug, Clone, Copy)]
pub struct EntryWrite<'e> {
    /// The entry as it is, or as it was if it is gone.
    pub entry: &'e Entry,
    /// Its size before and after.
    pub change: SizeChange,
}

impl EntryWrite<'_> {
    /// Whether the entry is gone. There is none without a key, so none of no size.
    pub fn is_removal(&self) -> bool {
        self.change.after == 0
    }

    /// What it costs.
    pub fn charge(&self) -> Charge {
        Charge::write(self.change.before, self.change.after)
    }
}

impl EntryChange {
    /// The writes it comes to: one, or where the entry changes its place the removal of the old and the
    /// insertion of the new one.
    pub fn writes(&self) -> impl Iterator<Item = EntryWrite<'_>> {
        let (before, after) = (self.before.as_ref(), self.after.as_ref());
        let is_replaced = |old: &&Entry| after.is_some_and(|new| new.place() == old.place());
        let removal = before
            .filter(|old| !is_replaced(old))
            .map(|old| EntryWrite { entry: old, change: SizeChange { before: old.size(), after: 0 } });
        let replaced = before.filter(is_replaced).map_or(0, Entry::size);
        let put = after
            .map(|new| EntryWrite { entry: new, change: SizeChange { before: replaced, after: new.size() } });
        removal.into_iter().chain(put)
    }
}

/// What the entries of an item came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Followed {
    /// The indexes whose entries changed, in the order of the table's indexes.
    pub(crate) changes: Vec<EntryChange>,
    /// What local secondary indexes hold more, or less, than before.
    pub(crate) local: Totals,
}

/// Adds to `batch` what the change of an item does to the entries that `snapshot` shows.
///
/// # Errors
/// When the store fails.
pub(crate) fn follow(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    table: &TableDefinition,
    before: Option<&Item>,
    after: Option<&Item>,
) -> Result<Followed, InternalError> {
    let mut followed = Followed::default();
    for (position, index) in table.indexes.iter().enumerate() {
        let entry = |item: Option<&Item>| item.and_then(|item| Entry::of(table, index, item));
        let before = stored(snapshot, batch, index, entry(before))?;
        let after = entry(after);
        if before == after {
            continue;
        }
        let change = EntryChange { index: position, before, after };
        for write in change.writes() {
            let place = write.entry.place().bytes();
            if write.is_removal() {
                batch.delete(index.space, place);
            } else {
                batch.put(index.space, place, write.entry.item().stored().clone());
            }
        }
        let (before, after) = (change.before.as_ref(), change.after.as_ref());
        let totals = Totals::change(before.map(Entry::item), after.map(Entry::item));
        counters::add(batch, index.space, totals);
        if index.scope == IndexScope::Local {
            followed.local += totals;
        }
        followed.changes.push(change);
    }
    Ok(followed)
}

/// The entry as the index has it: while a job still fills the index, it may not be there yet.
fn stored(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    index: &IndexDefinition,
    entry: Option<Entry>,
) -> Result<Option<Entry>, InternalError> {
    if !index.added {
        return Ok(entry);
    }
    let Some(backfill) = Backfill::of(snapshot, index.space)? else { return Ok(entry) };
    // The item may be one that the job has yet to come to. Should this write be taken back when the job has
    // passed, the job goes back to where it stands now and comes to the item again.
    backfill.keep(batch);
    let Some(entry) = entry else { return Ok(None) };
    let there = snapshot.get(index.space, entry.place().bytes())?.is_some();
    Ok(there.then_some(entry))
}
