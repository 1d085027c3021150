//! Reading connections beside the writer's.
//!
//! A connection that was read through stays in its transaction, and the next reader goes on in it, for as long as
//! nothing is committed: most reads then begin and end without SQLite. The writer ends such transactions before it
//! begins its own, because a log can't begin anew while one sees an older part of it.

use std::cell::Cell;
use std::mem;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyplan_store::{Batch, Bounds, Direction, SharedBytes, Snapshot, Space, StoreError, Visitor};
use rusqlite::{Connection, OpenFlags};

use crate::errors::from_sqlite;
use crate::format;
use crate::recent::{Changed, Moment, Recent};
use crate::snapshot::{SqliteSnapshot, value_of, value_statement};
use crate::writer::Beside;

/// How many connections are kept for the next reader. More are opened when more readers are at work, so that none
/// waits and none can wait for itself; they are closed afterwards.
const KEPT: usize = 8;

/// The connections, and what was read of late.
pub(crate) struct Readers {
    path: PathBuf,
    /// Odd while a commit is under way: what a transaction sees that begins then is not known.
    moment: AtomicU64,
    idle: Mutex<Vec<Reader>>,
    recent: Recent,
}

struct Reader {
    connection: Connection,
    /// The moment that its open transaction sees; without one it is in none.
    sees: Option<Moment>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, moment: AtomicU64::new(0), idle: Mutex::default(), recent: Recent::default() }
    }

    /// Runs a reader on a snapshot that holds everything acknowledged.
    pub(crate) fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        let mapped = |error: rusqlite::Error| from_sqlite(&error, &self.path);
        let kept = self.idle().pop();
        let Reader { connection, sees } = match kept {
            Some(kept) => kept,
            None => Reader { connection: self.connect()?, sees: None },
        };
        let begun = self.moment();
        let sees = sees.filter(|moment| *moment == begun);
        if sees.is_none() {
            // Whatever it saw is over; a connection in no transaction has none to end.
            end(&connection).map_err(mapped)?;
            connection
                .prepare_cached("BEGIN DEFERRED")
                .and_then(|mut begin| begin.execute([]))
                .map_err(mapped)?;
        }
        let sees = {
            let snapshot = ReaderSnapshot {
                sqlite: SqliteSnapshot { connection: &connection, path: &self.path },
                readers: self,
                begun,
                sees: Cell::new(sees),
                is_fixed: Cell::new(sees.is_some()),
            };
            reader(&snapshot);
            snapshot.sees.get()
        };
        self.put_back(Reader { connection, sees }).map_err(mapped)
    }

    fn put_back(&self, mut reader: Reader) -> rusqlite::Result<()> {
        let mut idle = self.idle();
        // The writer moves the moment on before it looks here, so none that is put here is missed by it.
        if reader.sees != Some(self.moment()) {
            end(&reader.connection)?;
            reader.sees = None;
        }
        if idle.len() < KEPT {
            idle.push(reader);
        }
        Ok(())
    }

    /// A commit begins.
    fn before_commit(&self) {
        self.moment.fetch_add(1, Ordering::SeqCst);
        let mut idle = self.idle();
        // One that can't end its transaction is closed, which ends it.
        idle.retain_mut(|reader| reader.sees.take().is_none() || end(&reader.connection).is_ok());
    }

    /// A commit is over, and this is what it changed, or would have.
    fn after_commit(&self, changed: &Changed) {
        let moment = self.moment() + 1;
        self.recent.move_on(moment, changed);
        self.moment.store(moment, Ordering::SeqCst);
    }

    /// Closes the connections that wait for a reader.
    pub(crate) fn close(&self) {
        self.idle().clear();
    }

    /// A new connection that reads.
    pub(crate) fn connect(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)
            .map_err(|error| from_sqlite(&error, &self.path))?;
        format::prepare_reader(&connection, &self.path)?;
        Ok(connection)
    }

    fn moment(&self) -> Moment {
        self.moment.load(Ordering::SeqCst)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the writer tells readers.
pub(crate) struct ReadersBeside {
    readers: Arc<Readers>,
    changed: Changed,
}

impl ReadersBeside {
    pub(crate) fn new(readers: Arc<Readers>) -> Self {
        Self { readers, changed: Changed::default() }
    }
}

impl Beside for ReadersBeside {
    fn before_commit(&mut self) {
        self.readers.before_commit();
    }

    fn changes(&mut self, batch: &Batch) {
        self.changed.note(batch);
    }

    fn drops(&mut self, space: Space) {
        self.changed.note_space(space);
    }

    fn after_commit(&mut self) {
        self.readers.after_commit(&mem::take(&mut self.changed));
    }
}

/// Ends a transaction, if there is one.
fn end(connection: &Connection) -> rusqlite::Result<()> {
    if connection.is_autocommit() {
        return Ok(());
    }
    connection.prepare_cached("COMMIT")?.execute([]).map(drop)
}

/// A snapshot that takes what was read of late from memory.
struct ReaderSnapshot<'a> {
    sqlite: SqliteSnapshot<'a>,
    readers: &'a Readers,
    /// The moment before the transaction began.
    begun: Moment,
    /// The moment that it sees, if that is known.
    sees: Cell<Option<Moment>>,
    /// Whether something was read, which fixes what the transaction sees.
    is_fixed: Cell<bool>,
}

impl ReaderSnapshot<'_> {
    /// To be called after each read through SQLite: the first one fixes what the transaction sees. It is the moment
    /// in which it began if that still goes on; else it can't be told.
    fn fix(&self) {
        let is_commit_under_way = self.begun % 2 == 1;
        if !self.is_fixed.replace(true) && !is_commit_under_way && self.readers.moment() == self.begun {
            self.sees.set(Some(self.begun));
        }
    }

    fn recent(&self, space: Space, key: &[u8]) -> Option<SharedBytes> {
        self.readers.recent.get(self.sees.get()?, space, key)
    }

    fn read(&self, space: Space, key: &[u8]) -> Result<Option<SharedBytes>, StoreError> {
        let found = value_statement(self.sqlite.connection)
            .and_then(|mut statement| value_of(&mut statement, space, key))
            .map_err(|error| from_sqlite(&error, self.sqlite.path))?;
        self.fix();
        if let (Some(moment), Some(value)) = (self.sees.get(), &found) {
            self.readers.recent.put(moment, space, key, value);
        }
        Ok(found)
    }
}

impl Snapshot for ReaderSnapshot<'_> {
    fn get_many(&self, space: Space, keys: &[&[u8]]) -> Result<Vec<Option<SharedBytes>>, StoreError> {
        keys.iter().map(|key| self.get(space, key)).collect()
    }

    fn range(
        &self,
        space: Space,
        bounds: Bounds<'_>,
        direction: Direction,
        expected: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<(), StoreError> {
        self.sqlite.range(space, bounds, direction, expected, visit)?;
        self.fix();
        Ok(())
    }

    fn get(&self, space: Space, key: &[u8]) -> Result<Option<SharedBytes>, StoreError> {
        match self.recent(space, key) {
            Some(value) => Ok(Some(value)),
            None => self.read(space, key),
        }
    }
}
