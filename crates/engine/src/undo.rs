//! The last writes that changed something, and how to take them back.
//!
//! A write that may be taken back goes through [`UndoLog::transact`], which keeps the store's inverse
//! of it. [`Engine::undo`](crate::Engine::undo) applies the newest inverse as a write of its own, in which
//! keyspace numbers, journals and times do not go back: items go through the one write path, which makes
//! anew what follows from them, and definitions become new states of their tables.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyplan_store::{Batch, Change, Snapshot, Space, Store, StoreError, StoreExt};

use crate::call::Timestamp;
use crate::catalog::{self, TableDefinition};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::streams::{self, Replacement};
use crate::{destinations, jobs, journal, replication, spaces, write};

/// What a write is called when it is taken back.
#[derive(Debug, Clone, Copy)]
pub struct WriteLabel<'a> {
    /// The operation, such as `PutItem`.
    pub operation: &'static str,
    /// The table it changes.
    pub table: &'a str,
    /// When it was made.
    pub now: Timestamp,
}

/// A write that was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The operation that had made it.
    pub operation: &'static str,
    /// The table it had changed.
    pub table: String,
    /// When it had been made.
    pub made: Timestamp,
    /// When it was taken back.
    pub taken_back: Timestamp,
}

impl Undone {
    /// Writes `{"operation":…,"table":…}`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut json = keyplan_value::json::Writer::new(out);
        json.begin_object().name("operation").string(self.operation);
        json.name("table").string(&self.table).end_object();
    }

    /// [`Undone::write_json`] as text.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut json);
        String::from_utf8_lossy(&json).into_owned()
    }
}

/// The inverses of the last writes.
#[derive(Debug)]
pub struct UndoLog {
    depth: usize,
    /// Newest last.
    records: Mutex<VecDeque<UndoRecord>>,
}

#[derive(Debug)]
struct UndoRecord {
    operation: &'static str,
    table: String,
    made: Timestamp,
    inverse: Batch,
}

/// A write with an answer.
type Answering<A, E> = Box<dyn FnMut(&dyn Snapshot) -> Result<(Batch, A), E> + Send>;

impl UndoLog {
    /// A log that keeps `depth` records; with 0 it keeps none, and stores prepare no inverses.
    pub fn new(depth: usize) -> UndoLog {
        UndoLog { depth, records: Mutex::new(VecDeque::new()) }
    }

    /// Whether writes are kept, so that what they are called matters.
    pub(crate) fn is_on(&self) -> bool {
        self.depth > 0
    }

    /// Runs a write, and keeps what takes it back if it changed anything.
    ///
    /// Inverses fit only in the order of the commits, so while the log is on it lets one write
    /// through at a time.
    ///
    /// # Errors
    /// When the store fails; inside, the closure's own reason to abort.
    pub fn transact<A, E>(
        &self,
        store: &dyn Store,
        label: WriteLabel<'_>,
        transaction: impl FnMut(&dyn Snapshot) -> Result<(Batch, A), E> + Send + 'static,
    ) -> Result<Result<A, E>, StoreError>
    where
        A: Send + 'static,
        E: Send + 'static,
    {
        self.run(store, label, Box::new(transaction))
    }

    /// The same, written out once for each type of answers.
    fn run<A: Send + 'static, E: Send + 'static>(
        &self,
        store: &dyn Store,
        label: WriteLabel<'_>,
        mut transaction: Answering<A, E>,
    ) -> Result<Result<A, E>, StoreError> {
        if self.depth == 0 {
            return Ok(store.transact(transaction)?.map(|(answer, _)| answer));
        }
        let mut records = self.lock();
        let written = store.transact(move |snapshot| {
            let (mut batch, answer) = transaction(snapshot)?;
            batch.keep_inverse = !batch.is_empty();
            Ok((batch, answer))
        })?;
        Ok(written.map(|(answer, inverse)| {
            if let Some(inverse) = inverse.filter(|inverse| !inverse.is_empty()) {
                if records.len() >= self.depth {
                    records.pop_front();
                }
                let WriteLabel { operation, table, now } = label;
                records.push_back(UndoRecord { operation, table: table.to_owned(), made: now, inverse });
            }
            answer
        }))
    }

    /// Runs a write of the engine's own, which is not one to take back: it removes items of a table that have
    /// expired. Records that would bring back a keyspace of that table (an index's, which knew those items)
    /// don't fit any more and go, with all that were made before.
    pub(crate) fn beside<A: Send + 'static, E: Send + 'static>(
        &self,
        store: &dyn Store,
        table: &str,
        transaction: impl FnMut(&dyn Snapshot) -> Result<(Batch, A), E> + Send + 'static,
    ) -> Result<Result<A, E>, StoreError> {
        let mut records = self.lock();
        let written = store.transact(transaction)?;
        let outdated = records.iter().rposition(|record| {
            record.table == table && record.inverse.changes.iter().any(jobs::takes_back_freeing)
        });
        if let Some(last) = outdated {
            records.drain(..=last);
        }
        Ok(written.map(|(answer, _)| answer))
    }

    /// Runs a write that can't be taken back, and neither can any that was made before it: it changes what those
    /// rest on.
    pub(crate) fn settle<A: Send + 'static, E: Send + 'static>(
        &self,
        store: &dyn Store,
        transaction: impl FnMut(&dyn Snapshot) -> Result<(Batch, A), E> + Send + 'static,
    ) -> Result<Result<A, E>, StoreError> {
        let mut records = self.lock();
        let written = store.transact(transaction)?;
        if written.is_ok() {
            records.clear();
        }
        Ok(written.map(|(answer, _)| answer))
    }

    /// Whether a record can still bring back what lies in the dropped keyspace `space`, so that it can't
    /// be freed yet.
    pub(crate) fn may_restore(&self, space: Space) -> bool {
        self.may_take_out(&jobs::freeing_key(space))
    }

    /// Whether a record can still take out the work whose record lies at `key`, with what gave it.
    pub(crate) fn may_take_out(&self, key: &[u8]) -> bool {
        self.lock().iter().any(|record| {
            record.inverse.changes.iter().any(|change| {
                matches!(change, Change::Delete { space: spaces::JOBS, key: deleted } if deleted == key)
            })
        })
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<UndoRecord>> {
        // A panic while the lock was held left the records whole: they change in single steps.
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes back the newest write that is kept; nothing when none is.
pub(crate) fn undo(engine: &Engine, now: Timestamp) -> Result<Option<Undone>, InternalError> {
    let mut records = engine.undo.lock();
    let Some(record) = records.back() else { return Ok(None) };
    let (inverse, tables) = (record.inverse.clone(), record.table.clone());
    if !take_back(engine, &inverse, &tables, None, now)? {
        let journal = engine.store.new_space()?;
        take_back(engine, &inverse, &tables, Some(journal), now)?;
    }
    // The inverse may have put a table into the catalog, or taken one out, or given work.
    engine.catalog.changed();
    engine.insights.refresh(&*engine.store)?;
    engine.next_look.now();
    Ok(records.pop_back().map(|UndoRecord { operation, table, made, .. }| Undone {
        operation,
        table,
        made,
        taken_back: now,
    }))
}

/// Applies the inverse of a write to `tables`. Says whether it could: a table that comes back may need a keyspace
/// for a journal, where its own is gone.
fn take_back(
    engine: &Engine,
    inverse: &Batch,
    tables: &str,
    journal: Option<Space>,
    now: Timestamp,
) -> Result<bool, InternalError> {
    let (inverse, tables) = (inverse.clone(), tables.to_owned());
    let written = engine.store.transact(move |snapshot| -> Result<(Batch, bool), InternalError> {
        let tables = tables_in(snapshot, &tables)?;
        let is_of_items = |change: &Change| tables.iter().any(|table| table.space == change.space());
        if inverse.changes.iter().any(is_of_items) {
            return Ok((items_taken_back(snapshot, &inverse, &tables, now)?, true));
        }
        let batch = definitions_taken_back(snapshot, &inverse, journal, now)?;
        Ok(batch.map_or_else(|| (Batch::new(), false), |batch| (batch, true)))
    })?;
    written.map(|(applied, _)| applied)
}

/// The tables of a record's label, as far as they are there.
fn tables_in(snapshot: &dyn Snapshot, names: &str) -> Result<Vec<Arc<TableDefinition>>, InternalError> {
    let mut tables = Vec::new();
    for name in names.split(", ") {
        tables.extend(catalog::table_in(snapshot, name)?.map(Arc::new));
    }
    Ok(tables)
}

/// The inverse of a write of items as a write of its own: the items go through the one write path, and what
/// follows from them is made anew. The rest (tokens, how far an index is filled) is as it was.
fn items_taken_back(
    snapshot: &dyn Snapshot,
    inverse: &Batch,
    tables: &[Arc<TableDefinition>],
    now: Timestamp,
) -> Result<Batch, InternalError> {
    // What a strongly consistent global table's other regions have follows as well.
    let mut elsewhere = Vec::new();
    for table in tables {
        elsewhere.extend(replication::others(snapshot, table)?);
    }
    let follows = |change: &Change| {
        let space = change.space();
        matches!(space, spaces::COUNTERS | spaces::JOURNALS | spaces::COMMIT_TIME)
            || tables
                .iter()
                .map(|table| &**table)
                .chain(&elsewhere)
                .any(|table| table.journal == Some(space) || table.spaces().any(|own| own == space))
    };
    let mut batch = Batch::new();
    batch.changes = inverse.changes.iter().filter(|change| !follows(change)).cloned().collect();
    write::restore(snapshot, &mut batch, tables, &inverse.changes, now)?;
    Ok(batch)
}

/// The inverse of a write of definitions as a write of its own: what tables and indexes it takes out of the
/// catalog goes as when they are deleted, a definition that comes back is a new state of its table, and streams
/// end and go on as they do, for journals never go back. Nothing, where a `journal` is needed and not given.
fn definitions_taken_back(
    snapshot: &dyn Snapshot,
    inverse: &Batch,
    journal: Option<Space>,
    now: Timestamp,
) -> Result<Option<Batch>, InternalError> {
    let released: Vec<&[u8]> = inverse.changes.iter().filter_map(released).collect();
    let mut batch = inverse.clone();
    batch.changes.retain(|change| match change {
        Change::Put { space: spaces::JOBS, key, .. } | Change::Delete { space: spaces::JOBS, key } => {
            !jobs::tends_a_journal(key)
        }
        change => !matches!(
            change.space(),
            spaces::STREAMS | spaces::JOURNALS | spaces::COMMIT_TIME | spaces::PACES
        ),
    });
    let mut taken_out: Vec<Space> = Vec::new();
    let mut streams = Batch::new();
    for change in &mut batch.changes {
        let (key, restored) = match change {
            Change::Put { space: spaces::CATALOG, key, value } => (key, Some(value)),
            Change::Delete { space: spaces::CATALOG, key } => (key, None),
            _ => continue,
        };
        let Ok(name) = std::str::from_utf8(key) else { continue };
        let current = catalog::table_in(snapshot, name)?;
        let mut table = restored.as_ref().map(|value| catalog::decode(value)).transpose()?;
        if let Some(table) = &mut table {
            let fresh = (journal, now);
            if journal::take_back(snapshot, &mut streams, current.as_ref(), table, &released, fresh)? {
                return Ok(None);
            }
        }
        let taken_back = Replacement::TakenBack;
        streams::follow(snapshot, &mut streams, taken_back, current.as_ref(), table.as_mut(), now)?;
        destinations::follow(snapshot, &mut streams, current.as_ref(), table.as_ref())?;
        let kept: Vec<Space> = table.iter().flat_map(TableDefinition::spaces).collect();
        if let (Some(value), Some(table)) = (restored, &mut table) {
            if let Some(current) = &current {
                table.revision = current.next_revision()?;
            }
            *value = catalog::encode(table)?;
        }
        let gone = current.iter().flat_map(TableDefinition::spaces).filter(|space| !kept.contains(space));
        taken_out.extend(gone);
    }
    batch.changes.append(&mut streams.changes);
    for space in taken_out {
        catalog::retire(&mut batch, space);
    }
    Ok(Some(batch))
}

/// The record of what is held that a change takes away.
fn released(change: &Change) -> Option<&[u8]> {
    match change {
        Change::Delete { space: spaces::HELD, key } => Some(key.as_slice()),
        _ => None,
    }
}
