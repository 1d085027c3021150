//! Global tables: how changes come to the other regions.
//!
//! A replica is a table of its own in the catalog, under the table's name and its region, with items, indexes
//! and a journal of its own. What has changed in one region is read from its journal and applied to all others
//! by the one write path, in [`Action::Replicate`]: so indexes, streams and counts follow there as everywhere,
//! and the record in the other journals says that it came from elsewhere, lest it goes round.
//!
//! Of two changes of an item in two regions the one that was committed later counts. Commit times never go back
//! and no two are the same, whatever the region, for one process has all of them. Each member keeps the times of
//! the changes that not all know yet; when all have come to the end of all journals, no change that is still to
//! come can be earlier, and the times are forgotten. How far a member's journal was read stands in
//! [`PACES`](crate::spaces::PACES), and the journal keeps what was not.
//!
//! A new replica is filled with a copy of the items, while changes reach it already; it can't be read before
//! that is done. Strongly consistent tables need none of this: a change is made in all regions in its own
//! transaction.

mod progress;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Space, StoreError, StoreExt, Visit};

pub(crate) use progress::{Progress, forget, note, progress};

use crate::call::Timestamp;
use crate::catalog::{self, Membership, TableDefinition, name_of_key};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::history;
use crate::jobs::corrupt;
use crate::journal::{self, Cause, CommitTime, Record};
use crate::keys::ItemKey;
use crate::limits::{JOB_SLICE_BYTES_MAX, JOB_SLICE_ENTRIES_MAX};
use crate::write::{self, Action, Mutation, Refusal};

/// The definition of the member of a table's global table that was there first, if the table is in one.
///
/// # Errors
/// When the store fails, or a definition can't be read.
pub(crate) fn home(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
) -> Result<Option<TableDefinition>, InternalError> {
    match (table.membership, &table.region) {
        (None, _) => Ok(None),
        (Some(_), None) => Ok(Some(table.clone())),
        (Some(_), Some(_)) => catalog::table_in(snapshot, &table.name),
    }
}

/// The definitions of the other members of a table's global table.
///
/// # Errors
/// When the store fails, or a definition can't be read.
pub(crate) fn others(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
) -> Result<Vec<TableDefinition>, InternalError> {
    let home = home(snapshot, table)?;
    let Some(global) = home.as_ref().and_then(|home| home.global.as_ref()) else { return Ok(Vec::new()) };
    let own = table.key();
    let mut others = Vec::new();
    for key in global.keys(&table.name).filter(|key| *key != own) {
        others.extend(catalog::table_in(snapshot, &key)?);
    }
    Ok(others)
}

/// Whether what happened to an item elsewhere is later than what is known of it here.
///
/// # Errors
/// When the store fails, or the time can't be read.
pub(crate) fn is_news(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
    place: &[u8],
    time: CommitTime,
) -> Result<bool, InternalError> {
    let Some(Membership::Eventual { times }) = table.membership else { return Ok(true) };
    Ok(known_time(snapshot, times, place)?.is_none_or(|known| known < time))
}

fn known_time(
    snapshot: &dyn Snapshot,
    times: Space,
    place: &[u8],
) -> Result<Option<CommitTime>, InternalError> {
    let Some(time) = snapshot.get(times, place)? else { return Ok(None) };
    let time = <[u8; 8]>::try_from(&*time).map_err(|_| InternalError::Malformed("the time of a change"))?;
    Ok(Some(CommitTime(u64::from_be_bytes(time))))
}

/// Adds to `batch` when the item at a place was changed.
pub(crate) fn note_time(batch: &mut Batch, times: Space, place: &[u8], time: CommitTime) {
    batch.put(times, place, time.0.to_be_bytes().to_vec());
}

/// What a look for changes came to.
#[derive(Debug, Default)]
pub(crate) struct Replicated {
    /// How many records and items were looked at.
    pub(crate) spent: usize,
    /// Whether there are more.
    pub(crate) leaves_some: bool,
}

/// Brings at most `entries` changes and items to where they aren't yet.
///
/// # Errors
/// When the store fails, or can't be read.
pub(crate) fn replicate(engine: &Engine, now: Timestamp, entries: usize) -> Result<Replicated, StoreError> {
    let mut done = Replicated::default();
    let members = progress::members(&*engine.store)?;
    for (key, is_filling) in &members {
        loop {
            let at_once = entries.saturating_sub(done.spent).min(JOB_SLICE_ENTRIES_MAX);
            let slice = match is_filling {
                true if at_once > 0 => fill_slice(engine, key, now, at_once)?,
                _ => Slice { looked_at: 0, leaves_some: *is_filling },
            };
            done.spent += slice.looked_at;
            if !slice.leaves_some {
                break;
            }
            if done.spent >= entries {
                done.leaves_some = true;
                break;
            }
        }
        loop {
            let at_once = entries.saturating_sub(done.spent).min(JOB_SLICE_ENTRIES_MAX);
            let slice = change_slice(engine, key, now, at_once)?;
            done.spent += slice.looked_at;
            if !slice.leaves_some {
                break;
            }
            if done.spent >= entries {
                done.leaves_some = true;
                break;
            }
        }
    }
    if !done.leaves_some {
        let mut names: Vec<&str> = members.iter().map(|(key, _)| name_of_key(key)).collect();
        names.dedup();
        for name in names {
            forget_times(engine, name)?;
        }
    }
    Ok(done)
}

struct Slice {
    looked_at: usize,
    leaves_some: bool,
}

/// Runs a transaction of a slice beside those of requests.
fn slice(
    engine: &Engine,
    key: &str,
    transaction: impl FnMut(&dyn Snapshot) -> Result<(Batch, Slice), Refusal> + Send + 'static,
) -> Result<Slice, StoreError> {
    let written = engine.undo.beside(&*engine.store, name_of_key(key), transaction)?;
    written.or_else(|refusal| match refusal {
        Refusal::Internal(error) => Err(corrupt(error)),
        // The tables are the snapshot's.
        Refusal::TableChanged | Refusal::Rejected(_) | Refusal::Throttled(_) => {
            Ok(Slice { looked_at: 1, leaves_some: false })
        }
    })
}

/// Applies the next changes of one member to all others.
fn change_slice(engine: &Engine, key: &str, now: Timestamp, entries: usize) -> Result<Slice, StoreError> {
    // Most looks find nothing, and needn't wait for the store's writer.
    let waits = engine.store.view(|snapshot| -> Result<bool, InternalError> {
        let Some(progress) = progress(snapshot, key)? else { return Ok(false) };
        let end = journal::next_number(snapshot, progress.journal)?.unwrap_or_default();
        Ok(progress.next < end && !is_paused(snapshot, name_of_key(key))?)
    })?;
    if !waits.map_err(corrupt)? {
        return Ok(Slice { looked_at: 0, leaves_some: false });
    }
    if entries == 0 {
        return Ok(Slice { looked_at: 0, leaves_some: true });
    }
    let source = key.to_owned();
    slice(engine, key, move |snapshot| {
        let mut batch = Batch::new();
        let nothing = Slice { looked_at: 0, leaves_some: false };
        let Some(table) = catalog::table_in(snapshot, &source)? else { return Ok((batch, nothing)) };
        let Some(progress) = progress(snapshot, &source)? else { return Ok((batch, nothing)) };
        let end = journal::next_number(snapshot, progress.journal)?.unwrap_or_default();
        let changes = next_changes(snapshot, &table, &progress, entries)?;
        let mut mutations = Vec::new();
        for target in others(snapshot, &table)?.into_iter().map(Arc::new) {
            for (key, record) in changes.latest.values() {
                let replicated =
                    write::Replicated { item: record.after.clone(), time: record.time, is_copy: false };
                mutations.push(replicating(&target, key.clone(), replicated));
            }
        }
        write::apply_all(snapshot, &mut batch, now, mutations.iter().map(Ok))?;
        // A shard's end takes a number and leaves no record.
        let next = changes.last.map_or(end, |last| last + 1);
        note(&mut batch, &table, &Progress { next, ..progress });
        Ok((batch, Slice { looked_at: changes.looked_at.max(1), leaves_some: next < end }))
    })
}

fn replicating(table: &Arc<TableDefinition>, key: ItemKey, replicated: write::Replicated) -> Mutation {
    Mutation {
        table: Arc::clone(table),
        key,
        action: Action::Replicate(replicated),
        condition: None,
        return_on_failure: false,
    }
}

/// Changes that others are to be told of.
struct Changes {
    /// The last of each item, by its place: of several in one go only that one goes on.
    latest: BTreeMap<Vec<u8>, (ItemKey, Record)>,
    looked_at: usize,
    /// The number of the last record that was looked at.
    last: Option<u64>,
}

fn next_changes(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
    progress: &Progress,
    entries: usize,
) -> Result<Changes, InternalError> {
    let mut changes = Changes { latest: BTreeMap::new(), looked_at: 0, last: None };
    let (mut bytes, mut failed) = (0, false);
    journal::records(snapshot, progress.journal, progress.next, entries, |number, record| {
        if changes.looked_at >= entries || bytes >= JOB_SLICE_BYTES_MAX {
            return Visit::Stop;
        }
        changes.looked_at += 1;
        changes.last = Some(number);
        let Some(item) = record.after.as_ref().or(record.before.as_ref()) else { return Visit::Continue };
        if record.cause == Cause::Replication {
            return Visit::Continue;
        }
        bytes += item.stored().len();
        match ItemKey::of_item(&table.key_schema, item.as_ref()) {
            Ok(key) => {
                changes.latest.insert(key.bytes().to_vec(), (key, record));
                Visit::Continue
            }
            Err(_) => {
                failed = true;
                Visit::Stop
            }
        }
    })?;
    if failed { Err(InternalError::Malformed("an item's key")) } else { Ok(changes) }
}

/// Copies the next items into a new replica, and opens it when it has all.
fn fill_slice(engine: &Engine, key: &str, now: Timestamp, entries: usize) -> Result<Slice, StoreError> {
    let filled = key.to_owned();
    let done = slice(engine, key, move |snapshot| {
        let mut batch = Batch::new();
        let nothing = Slice { looked_at: 0, leaves_some: false };
        let Some(mut table) = catalog::table_in(snapshot, &filled)? else { return Ok((batch, nothing)) };
        let Some(mut progress) = progress(snapshot, &filled)? else { return Ok((batch, nothing)) };
        let (Some(cursor), Some(home)) = (progress.filled.clone(), home(snapshot, &table)?) else {
            return Ok((batch, nothing));
        };
        let page = history::items(snapshot, home.space, &cursor, entries)?;
        let (items, is_end) = (page.entries, page.next.is_none());
        let target = Arc::new(table.clone());
        let mut mutations = Vec::new();
        for (place, item) in &items {
            let key = ItemKey::of_item(&table.key_schema, item.as_ref());
            let key = key.map_err(|_| InternalError::Malformed("an item's key"))?;
            let time = match home.membership {
                Some(Membership::Eventual { times }) => known_time(snapshot, times, place)?,
                Some(Membership::Strong) | None => None,
            };
            let replicated = write::Replicated {
                item: Some(item.clone()),
                time: time.unwrap_or(CommitTime(0)),
                is_copy: true,
            };
            mutations.push(replicating(&target, key, replicated));
        }
        write::apply_all(snapshot, &mut batch, now, mutations.iter().map(Ok))?;
        progress.filled = page.next;
        note(&mut batch, &table, &progress);
        if is_end {
            table.is_filling = false;
            table.revision = table.next_revision()?;
            catalog::put(&mut batch, &table)?;
        }
        Ok((batch, Slice { looked_at: items.len().max(1), leaves_some: !is_end }))
    })?;
    if !done.leaves_some {
        engine.catalog.changed();
    }
    Ok(done)
}

fn is_paused(snapshot: &dyn Snapshot, name: &str) -> Result<bool, InternalError> {
    let home = catalog::table_in(snapshot, name)?;
    Ok(home.and_then(|home| home.global).is_none_or(|global| global.paused))
}

/// Forgets the times of changes that all members of a global table know.
fn forget_times(engine: &Engine, name: &str) -> Result<(), StoreError> {
    let name = name.to_owned();
    let spaces = |snapshot: &dyn Snapshot, name: &str| -> Result<Vec<Space>, InternalError> {
        let Some(home) = catalog::table_in(snapshot, name)? else { return Ok(Vec::new()) };
        let Some(global) = &home.global else { return Ok(Vec::new()) };
        let mut spaces = Vec::new();
        for key in global.keys(name) {
            let Some(progress) = progress(snapshot, &key)? else { continue };
            let end = journal::next_number(snapshot, progress.journal)?.unwrap_or_default();
            if progress.next < end || progress.filled.is_some() {
                return Ok(Vec::new());
            }
            let table = catalog::table_in(snapshot, &key)?;
            let Some(Membership::Eventual { times }) = table.and_then(|table| table.membership) else {
                continue;
            };
            let mut has_some = false;
            snapshot.range(times, Bounds::ALL, Direction::Forward, 1, &mut |_, _| {
                has_some = true;
                Visit::Stop
            })?;
            spaces.extend(has_some.then_some(times));
        }
        Ok(spaces)
    };
    let found = engine.store.view(|snapshot| spaces(snapshot, &name))?.map_err(corrupt)?;
    if found.is_empty() {
        return Ok(());
    }
    let forgotten = engine.store.transact(move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        for times in spaces(snapshot, &name)? {
            batch.delete_range(times, Bound::Unbounded, Bound::Unbounded);
        }
        Ok((batch, ()))
    })?;
    forgotten.map(|_| ()).map_err(corrupt)
}

/// Holds back, or lets go on, the changes of a global table. Says whether there is such a table.
pub(crate) fn set_paused(engine: &Engine, table: &str, paused: bool) -> Result<bool, InternalError> {
    let name = table.to_owned();
    let written = engine.store.transact(move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        let Some(mut home) = catalog::table_in(snapshot, &name)? else { return Ok((batch, false)) };
        let Some(global) = &mut home.global else { return Ok((batch, false)) };
        if global.paused != paused {
            global.paused = paused;
            home.revision = home.next_revision()?;
            catalog::put(&mut batch, &home)?;
        }
        Ok((batch, true))
    })?;
    engine.catalog.changed();
    engine.next_look.now();
    written.map(|(found, _)| found)
}
