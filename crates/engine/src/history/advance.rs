//! Going on with a copy, a slice at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use keyplan_store::{Batch, Snapshot, Space, StoreError, StoreExt, Visit};
use keyplan_value::Item;

use super::copy::{Copy, Journal, Stage, Target};
use super::items;
use crate::call::Timestamp;
use crate::catalog::{self, KeySchema, TableDefinition, Totals, counters};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::jobs::corrupt;
use crate::journal::{self, Record};
use crate::keys::ItemKey;
use crate::limits::JOB_SLICE_BYTES_MAX;
use crate::write::{self, Action, Mutation, Refusal};

const UNREADABLE_KEY: InternalError = InternalError::Malformed("an item's key");

/// Goes on with the copy into a keyspace. Returns how much of the budget that took, at least 1.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn advance(
    engine: &Engine,
    into: Space,
    now: Timestamp,
    entries: usize,
) -> Result<usize, StoreError> {
    let written = engine.store.transact(move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        let Some(copy) = Copy::of(snapshot, into)? else { return Ok((batch, Advanced::default())) };
        let advanced = slice(snapshot, &mut batch, copy, now, entries)?;
        Ok((batch, advanced))
    })?;
    let (advanced, _) = written.map_err(corrupt)?;
    if advanced.changes_tables {
        engine.catalog.changed();
    }
    Ok(advanced.entries.max(1))
}

/// What a slice came to.
#[derive(Debug, Default)]
struct Advanced {
    entries: usize,
    /// Whether a definition changed.
    changes_tables: bool,
}

/// The table that is copied into, as it is.
enum Into {
    Keyspace(Space),
    Table(Arc<TableDefinition>),
}

fn slice(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    mut copy: Copy,
    now: Timestamp,
    entries: usize,
) -> Result<Advanced, InternalError> {
    let into = match &copy.target {
        Target::Keyspace => Into::Keyspace(copy.into),
        Target::Table(name) => {
            match catalog::table_in(snapshot, name)?.filter(|table| table.space == copy.into) {
                Some(table) => Into::Table(Arc::new(table)),
                // The table was taken back.
                None => {
                    copy.end(snapshot, batch)?;
                    return Ok(Advanced { entries: 1, changes_tables: true });
                }
            }
        }
    };
    let mut leaves_items = false;
    let (looked_at, is_over) = match &copy.stage {
        Stage::Items { cursor } => {
            let page = items(snapshot, copy.source.space, cursor, entries)?;
            let looked_at = page.entries.len();
            let found = page.entries.into_iter().map(|(place, item)| (place, Some(item)));
            into.put(snapshot, batch, now, found.collect(), true)?;
            leaves_items = page.next.is_none();
            copy.stage = match (page.next, copy.source.journal) {
                (Some(cursor), _) => Stage::Items { cursor },
                (None, Some(Journal { space, from })) => {
                    // From here on nothing is looked at that a write could change.
                    let next = journal::next_number(snapshot, space)?;
                    Stage::Back { below: next.unwrap_or(from) }
                }
                (None, None) => Stage::Back { below: 0 },
            };
            if leaves_items {
                copy.leave_items(snapshot, batch)?;
            }
            let from = copy.source.journal.map_or(0, |journal| journal.from);
            (looked_at, matches!(copy.stage, Stage::Back { below } if below <= from))
        }
        Stage::Back { below } => {
            let Some(journal) = copy.source.journal else { return Err(InternalError::Malformed("a copy")) };
            let mut back = Back { first: *below, entries: 0, bytes: 0, before: BTreeMap::new() };
            let schema = &copy.source.key_schema;
            let mut failed = None;
            journal::records_before(
                snapshot,
                journal.space,
                (journal.from, *below),
                entries,
                |number, record| match back.take(schema, number, record) {
                    Ok(()) if back.entries < entries && back.bytes < JOB_SLICE_BYTES_MAX => Visit::Continue,
                    Ok(()) => Visit::Stop,
                    Err(error) => {
                        failed = Some(error);
                        Visit::Stop
                    }
                },
            )?;
            failed.map_or(Ok(()), Err)?;
            let is_over = back.entries == 0 || back.first <= journal.from;
            into.put(snapshot, batch, now, back.before, false)?;
            copy.stage = Stage::Back { below: back.first };
            (back.entries, is_over)
        }
        Stage::Changes { next, until } => {
            let (next, until) = (*next, *until);
            let Some(journal) = copy.source.journal else { return Err(InternalError::Malformed("a copy")) };
            let (looked_at, reached) = gather(snapshot, batch, &copy, journal.space, (next, until), entries)?;
            copy.stage = Stage::Changes { next: reached, until };
            (looked_at, looked_at == 0 || reached >= until)
        }
    };
    if is_over {
        copy.end(snapshot, batch)?;
        if let Into::Table(table) = into {
            finish_table(batch, &table)?;
        }
    } else {
        copy.put(batch)?;
    }
    Ok(Advanced { entries: looked_at, changes_tables: is_over || leaves_items })
}

/// Puts a table into use that was copied into.
fn finish_table(batch: &mut Batch, table: &TableDefinition) -> Result<(), InternalError> {
    let mut table = table.clone();
    table.restored_from = None;
    table.revision = table.next_revision()?;
    catalog::put(batch, &table)
}

/// Records that are taken back.
struct Back {
    /// The number of the first.
    first: u64,
    entries: usize,
    bytes: usize,
    /// How items were before.
    before: BTreeMap<Vec<u8>, Option<Item>>,
}

impl Back {
    fn take(&mut self, schema: &KeySchema, number: u64, record: Record) -> Result<(), InternalError> {
        self.first = number;
        self.entries += 1;
        let bytes = |item: &Option<Item>| item.as_ref().map_or(0, |item| item.stored().len());
        self.bytes += bytes(&record.before) + bytes(&record.after);
        if let Some(place) = place(schema, &record)? {
            self.before.insert(place, record.before);
        }
        Ok(())
    }
}

/// The place of the item that a record is of.
fn place(schema: &KeySchema, record: &Record) -> Result<Option<Vec<u8>>, InternalError> {
    let Some(item) = record.after.as_ref().or(record.before.as_ref()) else { return Ok(None) };
    let key = ItemKey::of_item(schema, item.as_ref()).map_err(|_| UNREADABLE_KEY)?;
    Ok(Some(key.into_bytes()))
}

impl Into {
    /// Puts items at their places; nothing stands for none. `fresh` says that nothing lies there yet.
    fn put(
        &self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        now: Timestamp,
        items: BTreeMap<Vec<u8>, Option<Item>>,
        fresh: bool,
    ) -> Result<(), InternalError> {
        match self {
            Into::Keyspace(space) => put_into_keyspace(snapshot, batch, *space, items, fresh),
            Into::Table(table) => put_into_table(snapshot, batch, table, now, items),
        }
    }
}

fn put_into_keyspace(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    space: Space,
    items: BTreeMap<Vec<u8>, Option<Item>>,
    fresh: bool,
) -> Result<(), InternalError> {
    let places: Vec<&[u8]> = items.keys().map(Vec::as_slice).collect();
    let there = if fresh { vec![None; places.len()] } else { snapshot.get_many(space, &places)? };
    let mut change = Totals::default();
    for ((place, item), there) in items.iter().zip(there) {
        let there = there.map(Item::from_stored).transpose()?;
        change += Totals::change(there.as_ref(), item.as_ref());
        match item {
            Some(item) => batch.put(space, place.as_slice(), item.stored().clone()),
            None => batch.delete(space, place.as_slice()),
        }
    }
    counters::add(batch, space, change);
    Ok(())
}

/// Puts items into a table as any write does, so that its indexes and counts are right at every moment. They
/// aren't held against the table's rules: they were items of a table with the same key, and what doesn't fit an
/// index has no entry in it, as when an index is added.
fn put_into_table(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    table: &Arc<TableDefinition>,
    now: Timestamp,
    items: BTreeMap<Vec<u8>, Option<Item>>,
) -> Result<(), InternalError> {
    let mut mutations = Vec::with_capacity(items.len());
    for (place, item) in items {
        let (key, action) = match item {
            Some(item) => {
                let key = ItemKey::of_item(&table.key_schema, item.as_ref()).map_err(|_| UNREADABLE_KEY)?;
                (key, Action::Put(item))
            }
            None => match snapshot.get(table.space, &place)? {
                Some(stored) => {
                    let item = Item::from_stored(stored)?;
                    let key =
                        ItemKey::of_item(&table.key_schema, item.as_ref()).map_err(|_| UNREADABLE_KEY)?;
                    (key, Action::Delete)
                }
                None => continue,
            },
        };
        let table = Arc::clone(table);
        mutations.push(Mutation { table, key, action, condition: None, return_on_failure: false });
    }
    match write::apply_all(snapshot, batch, now, mutations.iter().map(Ok)) {
        Ok(applied) if applied.iter().all(Result::is_ok) => Ok(()),
        Err(Refusal::Internal(error)) => Err(error),
        // The table is the snapshot's, and its items fitted one with the same key.
        Ok(_) | Err(_) => Err(InternalError::Malformed("an item that is copied")),
    }
}

/// Gathers records: for each item one, from how it was first to how it was last. Gives how many there were,
/// and the number behind them.
fn gather(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    copy: &Copy,
    journal: Space,
    (next, until): (u64, u64),
    entries: usize,
) -> Result<(usize, u64), InternalError> {
    let schema = &copy.source.key_schema;
    let mut gathered: BTreeMap<Vec<u8>, Record> = BTreeMap::new();
    let (mut count, mut bytes, mut reached, mut failed) = (0, 0, next, None);
    journal::records(snapshot, journal, next, entries, |number, record| {
        if number >= until || count >= entries || bytes >= JOB_SLICE_BYTES_MAX {
            return Visit::Stop;
        }
        count += 1;
        reached = number.saturating_add(1);
        let size = |item: &Option<Item>| item.as_ref().map_or(0, |item| item.stored().len());
        bytes += size(&record.before) + size(&record.after);
        match place(schema, &record) {
            Ok(Some(place)) => {
                let earlier = gathered.remove(&place);
                gathered.insert(place, earlier.map_or(record.clone(), |earlier| earlier.then(record)));
            }
            Ok(None) => {}
            Err(error) => failed = Some(error),
        }
        if failed.is_some() { Visit::Stop } else { Visit::Continue }
    })?;
    failed.map_or(Ok(()), Err)?;
    let places: Vec<&[u8]> = gathered.keys().map(Vec::as_slice).collect();
    let there = snapshot.get_many(copy.into, &places)?;
    for ((place, record), there) in gathered.iter().zip(there) {
        let earlier = there.map(|stored| Record::decode(&stored)).transpose()?;
        let record = earlier.map_or(record.clone(), |earlier| earlier.then(record.clone()));
        // What came and went in the window was never there.
        if record.before.is_none() && record.after.is_none() {
            batch.delete(copy.into, place.as_slice());
        } else {
            batch.put(copy.into, place.as_slice(), record.to_bytes()?);
        }
    }
    Ok((count, reached))
}
