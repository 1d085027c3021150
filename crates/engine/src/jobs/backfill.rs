//! Filling an index that was added to a table with the entries of the items that were there; and so a table's
//! expiry times, when its items are to expire from now on.
//!
//! The record holds how far the walk over the table's items has come. Writes beside it keep the entries of
//! their items as ever; both look at items and entries in one transaction, so an entry is put exactly once
//! and never for an item that has changed since. An index is being filled exactly as long as its record is
//! there: nothing in the table's definition changes when the work ends.

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, SharedBytes, Snapshot, Space, StoreError, StoreExt, Visit};
use keyplan_value::{Item, ItemRef};

use super::{Job, RECORD_FORMAT, Work, corrupt};
use crate::call::Timestamp;
use crate::catalog::{
    self, IndexDefinition, TableDefinition, TimeToLive, Totals, VectorIndexDefinition, counters,
};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::expiry;
use crate::indexes::{Entry, VectorEntry, vector_value};
use crate::keys::ItemKey;
use crate::limits::JOB_SLICE_BYTES_MAX;
use crate::spaces::JOBS;

const MALFORMED: InternalError = InternalError::Malformed("a record of work");

/// The record of an index that is being filled.
#[derive(Debug)]
pub(crate) struct Backfill {
    space: Space,
    table: String,
    /// The place of the last item that was looked at; empty at the start.
    cursor: Vec<u8>,
}

impl Backfill {
    /// The record of the index whose entries lie in `space`, if it is being filled.
    pub(crate) fn of(snapshot: &dyn Snapshot, space: Space) -> Result<Option<Backfill>, InternalError> {
        let Some(record) = snapshot.get(JOBS, &key(space))? else { return Ok(None) };
        let (&format, rest) = record.split_first().ok_or(MALFORMED)?;
        let (length, rest) = rest.split_first_chunk().ok_or(MALFORMED)?;
        let table = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)));
        let (table, cursor) = table.filter(|_| format == RECORD_FORMAT).ok_or(MALFORMED)?;
        let table = String::from_utf8(table.to_vec()).map_err(|_| MALFORMED)?;
        Ok(Some(Backfill { space, table, cursor: cursor.to_vec() }))
    }

    /// Whether the walk has come to the item at a place, or past it.
    pub(crate) fn has_reached(&self, place: &[u8]) -> bool {
        place <= self.cursor.as_slice()
    }

    /// Puts the record as it is, so that what takes the batch back restores it.
    pub(crate) fn keep(&self, batch: &mut Batch) {
        // A table's name has at most 255 bytes.
        let length = u16::try_from(self.table.len()).unwrap_or_default();
        let mut record = vec![RECORD_FORMAT];
        record.extend(length.to_be_bytes());
        record.extend(self.table.as_bytes());
        record.extend(&self.cursor);
        batch.put(JOBS, key(self.space), record);
    }

    /// The table, as the snapshot has it, if it has what is being filled.
    fn table(&self, snapshot: &dyn Snapshot) -> Result<Option<TableDefinition>, InternalError> {
        let table = catalog::table_in(snapshot, &self.table)?;
        Ok(table.filter(|table| table.spaces().any(|space| space == self.space)))
    }
}

fn key(space: Space) -> Vec<u8> {
    Job { due: Timestamp(0), work: Work::Fill(space) }.key()
}

/// Whether anything is being filled.
pub(crate) fn is_filling(snapshot: &dyn Snapshot) -> Result<bool, StoreError> {
    // Such records are due at once, and no other kind lies before them.
    let (first, mut found) = (key(Space(0)), false);
    let bounds = Bounds::new(Bound::Included(first.as_slice()), Bound::Unbounded);
    snapshot.range(JOBS, bounds, Direction::Forward, 1, &mut |key, _| {
        found = matches!(Job::from_key(key), Some(Job { work: Work::Fill(_), .. }));
        Visit::Stop
    })?;
    Ok(found)
}

/// Adds to `batch` the record of a job that fills the keyspace of an index, or of expiry times, which the same
/// batch puts into the catalog.
pub(crate) fn schedule_backfill(batch: &mut Batch, table: &TableDefinition, space: Space) {
    Backfill { space, table: table.key().into_owned(), cursor: Vec::new() }.keep(batch);
}

/// Takes the record of such a job away, in the batch that takes the index away.
pub(crate) fn cancel_backfill(batch: &mut Batch, space: Space) {
    batch.delete(JOBS, key(space));
}

/// Puts the entries of the next items, at most `items` of them. Returns how much of the budget that took,
/// at least 1.
pub(super) fn fill_slice(engine: &Engine, space: Space, items: usize) -> Result<usize, StoreError> {
    let written = engine.store.transact(move |snapshot| -> Result<(Batch, usize), InternalError> {
        let mut batch = Batch::new();
        let looked_at = match Backfill::of(snapshot, space)? {
            Some(record) => fill(snapshot, &mut batch, record, items)?,
            None => 0,
        };
        Ok((batch, looked_at.max(1)))
    })?;
    written.map(|(looked_at, _)| looked_at).map_err(corrupt)
}

fn fill(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    mut record: Backfill,
    items: usize,
) -> Result<usize, InternalError> {
    let Some(table) = record.table(snapshot)? else {
        cancel_backfill(batch, record.space);
        return Ok(0);
    };
    let slice = next_items(snapshot, &table, &record.cursor, items)?;
    let looked_at = slice.items.len();
    if let Some(index) = table.indexes.iter().find(|index| index.space == record.space) {
        put_entries(snapshot, batch, index, slice.entries(&table, index)?)?;
    }
    if let Some(index) = table.vector_indexes.iter().find(|index| index.space == record.space) {
        slice.put_vectors(snapshot, batch, &table, index)?;
    }
    if let Some(time_to_live) = table.time_to_live.as_ref().filter(|set| set.space == record.space) {
        slice.put_expiry_times(batch, time_to_live)?;
    }
    match slice.items.into_iter().next_back() {
        Some((last, _)) if !slice.is_last => {
            record.cursor = last;
            record.keep(batch);
        }
        _ => cancel_backfill(batch, record.space),
    }
    Ok(looked_at)
}

/// Some of a table's items, one after the other.
struct Slice {
    items: Vec<(Vec<u8>, SharedBytes)>,
    /// Whether the table has no more.
    is_last: bool,
}

impl Slice {
    /// The entries of those items that have one.
    fn entries(&self, table: &TableDefinition, index: &IndexDefinition) -> Result<Vec<Entry>, InternalError> {
        let mut entries = Vec::new();
        for (_, stored) in &self.items {
            let item = Item::from_stored(SharedBytes::clone(stored))?;
            entries.extend(Entry::of(table, index, &item));
        }
        Ok(entries)
    }

    /// Puts the entries of those items that have one in a vector index, and that it does not have yet.
    fn put_vectors(
        &self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        table: &TableDefinition,
        index: &VectorIndexDefinition,
    ) -> Result<(), InternalError> {
        let (mut added, mut saved) = (Totals::default(), 0);
        for (place, stored) in &self.items {
            let item = ItemRef::from_stored(stored)?;
            let place = ItemKey::from_bytes(&table.key_schema, place);
            let place = place.ok_or(InternalError::Malformed("an item's place"))?;
            let Some(entry) = VectorEntry::of(table, index, item, &place) else { continue };
            let Some(value) = vector_value(index, item) else { continue };
            if snapshot.get(index.space, entry.place.bytes())?.is_some() {
                continue;
            }
            batch.put(index.space, entry.place.bytes(), value);
            added += Totals { items: 1, bytes: i64::try_from(entry.bytes).unwrap_or(i64::MAX) };
            saved += entry.saved;
        }
        counters::add(batch, index.space, added);
        counters::add_saved(batch, index.space, saved);
        Ok(())
    }

    /// Puts the expiry times of those items that have one. A write beside the job puts the same.
    fn put_expiry_times(&self, batch: &mut Batch, time_to_live: &TimeToLive) -> Result<(), InternalError> {
        for (place, stored) in &self.items {
            let item = Item::from_stored(SharedBytes::clone(stored))?;
            expiry::follow(batch, time_to_live, place, None, Some(&item));
        }
        Ok(())
    }
}

fn next_items(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
    cursor: &[u8],
    items: usize,
) -> Result<Slice, StoreError> {
    let mut slice = Slice { items: Vec::new(), is_last: true };
    let mut bytes = 0;
    let bounds = Bounds::new(Bound::Excluded(cursor), Bound::Unbounded);
    snapshot.range(table.space, bounds, Direction::Forward, items, &mut |place, stored| {
        bytes += stored.bytes().len();
        slice.items.push((place.to_vec(), stored.to_shared()));
        if slice.items.len() < items && bytes < JOB_SLICE_BYTES_MAX {
            return Visit::Continue;
        }
        slice.is_last = false;
        Visit::Stop
    })?;
    Ok(slice)
}

/// Puts those entries that the index does not have: a write beside the job may have put one before.
fn put_entries(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    index: &IndexDefinition,
    entries: Vec<Entry>,
) -> Result<(), InternalError> {
    let places: Vec<&[u8]> = entries.iter().map(|entry| entry.place().bytes()).collect();
    let there = snapshot.get_many(index.space, &places)?;
    let mut added = Totals::default();
    for (entry, there) in entries.iter().zip(there) {
        if there.is_none() {
            batch.put(index.space, entry.place().bytes(), entry.item().stored().clone());
            added += Totals::change(None, Some(entry.item()));
        }
    }
    counters::add(batch, index.space, added);
    Ok(())
}
