//! Keeping entries as their items change.

use keyplan_store::{Batch, Snapshot, Space};
use keyplan_value::Item;

use super::Entry;
use super::vector_entry::{self, VectorEntry};
use crate::capacity::Charge;
use crate::catalog::{
    IndexDefinition, IndexProjection, IndexScope, TableDefinition, Totals, VectorIndexDefinition, counters,
};
use crate::error::InternalError;
use crate::jobs::{self, Backfill};
use crate::keys::ItemKey;
use crate::trace::SizeChange;

/// Where an entry lies, and its bytes by the service's rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Its place in the index's keyspace.
    pub place: ItemKey,
    /// Its bytes.
    pub bytes: u64,
}

/// What the change of an item did to one index: its entry before and after, of which at least one is there
/// and which differ.
#[derive(Debug, Clone)]
pub struct EntryChange {
    /// The index's place among the table's of its kind.
    pub index: usize,
    before: Option<Spot>,
    after: Option<Spot>,
}

/// One write of an entry.
#[derive(Debug, Clone, Copy)]
pub struct EntryWrite<'e> {
    /// Where the entry lies, or where it lay if it is gone.
    pub place: &'e ItemKey,
    /// Its size before and after.
    pub change: SizeChange,
}

impl EntryWrite<'_> {
    /// What it costs in a secondary index.
    pub fn charge(&self) -> Charge {
        Charge::write(self.change.before, self.change.after)
    }

    /// What it costs in a vector index.
    pub fn vector_charge(&self) -> Charge {
        Charge::vector_write(self.change.before, self.change.after)
    }
}

impl EntryChange {
    /// The writes it comes to: one, or where the entry changes its place the removal of the old and the
    /// insertion of the new one.
    pub fn writes(&self) -> impl Iterator<Item = EntryWrite<'_>> {
        let removal = self
            .moved_from()
            .map(|old| EntryWrite { place: &old.place, change: SizeChange { before: old.bytes, after: 0 } });
        let replaced = self.replaced().map_or(0, |old| old.bytes);
        let put = self.after.as_ref().map(|new| EntryWrite {
            place: &new.place,
            change: SizeChange { before: replaced, after: new.bytes },
        });
        removal.into_iter().chain(put)
    }

    /// The entry before, if another one has its place now.
    fn replaced(&self) -> Option<&Spot> {
        let after = self.after.as_ref()?;
        self.before.as_ref().filter(|old| old.place == after.place)
    }

    /// The entry before, if its place is free now.
    fn moved_from(&self) -> Option<&Spot> {
        self.before.as_ref().filter(|_| self.replaced().is_none())
    }

    /// How many entries the index has more, and their bytes.
    fn totals(&self) -> Totals {
        let held = |spot: &Option<Spot>| {
            spot.as_ref().map_or(0, |spot| i64::try_from(spot.bytes).unwrap_or(i64::MAX))
        };
        Totals {
            items: i64::from(self.after.is_some()) - i64::from(self.before.is_some()),
            bytes: held(&self.after) - held(&self.before),
        }
    }
}

/// What the entries of an item came to.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// The secondary indexes whose entries changed, in the order of the table's indexes.
    pub(crate) changes: Vec<EntryChange>,
    /// The vector indexes whose entries changed, in the order of the table's.
    pub(crate) vector_changes: Vec<EntryChange>,
    /// What local secondary indexes hold more, or less, than before.
    pub(crate) local: Totals,
}

/// Whether a job is filling an index, looked up when it is asked first, and then known for all of a transaction.
#[derive(Debug, Default)]
pub(crate) struct Filling {
    any: Option<bool>,
}

impl Filling {
    /// The record of the job that fills the index whose entries lie in `space`.
    fn of(&mut self, snapshot: &dyn Snapshot, space: Space) -> Result<Option<Backfill>, InternalError> {
        let any = match self.any {
            Some(any) => any,
            None => *self.any.insert(jobs::is_filling(snapshot)?),
        };
        if any { Backfill::of(snapshot, space) } else { Ok(None) }
    }

    /// Whether a job fills the index, which has to go back to where it stands now should the write of `batch` be
    /// taken back: the item may be one that it has yet to come to.
    fn is_of(
        &mut self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        (space, added): (Space, bool),
    ) -> Result<bool, InternalError> {
        let record = if added { self.of(snapshot, space)? } else { None };
        if let Some(record) = &record {
            record.keep(batch);
        }
        Ok(record.is_some())
    }
}

/// An item that changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Changing<'c> {
    pub(crate) table: &'c TableDefinition,
    pub(crate) place: &'c ItemKey,
    pub(crate) before: Option<&'c Item>,
    pub(crate) after: Option<&'c Item>,
}

/// Adds to `batch` what the change of an item does to the entries that `snapshot` shows. The item isn't what it
/// was.
///
/// # Errors
/// When the store fails.
pub(crate) fn follow(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    filling: &mut Filling,
    item: Changing<'_>,
) -> Result<Followed, InternalError> {
    let mut followed = Followed::default();
    for (position, index) in item.table.indexes.iter().enumerate() {
        let Some((before, after)) = entries(snapshot, batch, filling, index, item)? else { continue };
        let spot = |entry: &Entry| Spot { place: entry.place().clone(), bytes: entry.size() };
        let change = EntryChange { index: position, before, after: after.as_ref().map(spot) };
        if let Some(old) = change.moved_from() {
            batch.delete(index.space, old.place.bytes());
        }
        if let Some(entry) = &after {
            batch.put(index.space, entry.place().bytes(), entry.item().stored().clone());
        }
        let totals = change.totals();
        counters::add(batch, index.space, totals);
        if index.scope == IndexScope::Local {
            followed.local += totals;
        }
        followed.changes.push(change);
    }
    for (position, index) in item.table.vector_indexes.iter().enumerate() {
        let change = follow_vector(snapshot, batch, filling, (position, index), item)?;
        followed.vector_changes.extend(change);
    }
    Ok(followed)
}

/// Where an entry was, and what it is now.
type Entries = (Option<Spot>, Option<Entry>);

/// Where an item's entry in a secondary index was, and what it is now; nothing where it stays as it is, or there
/// is none.
fn entries(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    filling: &mut Filling,
    index: &IndexDefinition,
    Changing { table, before, after, .. }: Changing<'_>,
) -> Result<Option<Entries>, InternalError> {
    // What an index doesn't have of an item needs no look at its entry.
    if let (Some(before), Some(after)) = (before, after)
        && is_same_view(index, before, after)
    {
        return Ok(None);
    }
    let entry_after = after.and_then(|item| Entry::of(table, index, item));
    let spot_before = match before {
        Some(item) => {
            let place = match &entry_after {
                Some(entry) if after.is_some_and(|after| is_same_key(index, item, after)) => {
                    Some(entry.place().clone())
                }
                _ => Entry::place_of(table, index, item),
            };
            place.map(|place| Spot { place, bytes: Entry::size_of(table, index, item) })
        }
        None => None,
    };
    // While a job still fills the index, an entry may not be there yet.
    let spot_before = match spot_before {
        before if !filling.is_of(snapshot, batch, (index.space, index.added))? => before,
        Some(before) => snapshot.get(index.space, before.place.bytes())?.map(|_| before),
        None => None,
    };
    Ok((spot_before.is_some() || entry_after.is_some()).then_some((spot_before, entry_after)))
}

/// Whether a change of an item leaves what a secondary index has of it as it is. The table's key never changes.
fn is_same_view(index: &IndexDefinition, before: &Item, after: &Item) -> bool {
    let is_same = |name: &str| before.get(name) == after.get(name);
    index.projection != IndexProjection::All
        && is_same_key(index, before, after)
        && index.projection.names().iter().all(|name| is_same(name))
}

fn is_same_key(index: &IndexDefinition, before: &Item, after: &Item) -> bool {
    index.key_schema.attributes().all(|key| before.get(&key.name) == after.get(&key.name))
}

/// The same for a vector index, whose entry holds nothing of the item's other attributes.
fn follow_vector(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    filling: &mut Filling,
    (position, index): (usize, &VectorIndexDefinition),
    Changing { table, place, before, after }: Changing<'_>,
) -> Result<Option<EntryChange>, InternalError> {
    let (before, after) = (before.map(Item::as_ref), after.map(Item::as_ref));
    if let (Some(before), Some(after)) = (before, after)
        && vector_entry::is_same_view(table, index, before, after)
    {
        return Ok(None);
    }
    let entry_of = |item| VectorEntry::of(table, index, item, place);
    let is_filling = filling.is_of(snapshot, batch, (index.space, index.added))?;
    let mut entry_before = before.and_then(entry_of);
    // An item that was there before the index may have a vector that doesn't fit, and so no entry.
    if let Some(entry) = &entry_before
        && (is_filling || index.added)
        && snapshot.get(index.space, entry.place.bytes())?.is_none()
    {
        entry_before = None;
    }
    let mut entry_after = after.and_then(entry_of);
    let stays = match (&entry_before, &entry_after) {
        (Some(old), Some(new)) => old.place == new.place,
        _ => false,
    };
    let is_same_value = |(before, after)| vector_entry::is_same_value(index, before, after);
    if let Some(entry) = &entry_after
        && !(stays && before.zip(after).is_some_and(is_same_value))
    {
        match after.and_then(|item| vector_entry::value(index, item)) {
            Some(value) => batch.put(index.space, entry.place.bytes(), value),
            None => entry_after = None,
        }
    }
    let saved = |entry: &Option<VectorEntry>| entry.as_ref().map_or(0, |entry| entry.saved);
    counters::add_saved(batch, index.space, saved(&entry_after) - saved(&entry_before));
    let spot = |entry: VectorEntry| Spot { place: entry.place, bytes: entry.bytes };
    let change =
        EntryChange { index: position, before: entry_before.map(spot), after: entry_after.map(spot) };
    if let Some(old) = change.moved_from() {
        batch.delete(index.space, old.place.bytes());
    }
    counters::add(batch, index.space, change.totals());
    Ok((change.before.is_some() || change.after.is_some()).then_some(change))
}
