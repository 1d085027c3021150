//! Writing: tasks of several callers in one transaction of SQLite.

use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use keyplan_store::{Batch, Space, StoreError, Transaction, Written};
use rusqlite::{Connection, OptionalExtension, params};

use crate::apply::apply;
use crate::errors::from_sqlite;
#[cfg(not(target_arch = "wasm32"))]
use crate::identity::Identity;
use crate::snapshot::{SqliteSnapshot, number};

/// Entries removed in one transaction while a keyspace is dropped; other writes come between.
const ENTRIES_DROPPED_PER_STEP: i64 = 4_096;

/// What a caller wants done.
pub(crate) enum Task {
    /// A write.
    Write(Transaction),
    /// A new keyspace.
    NewSpace,
    /// One step of dropping a keyspace.
    DropStep(Space),
}

/// What was done.
pub(crate) enum Done {
    /// The write was committed or aborted.
    Written(Written),
    /// The keyspace was made.
    Made(Space),
    /// A step was taken; whether the keyspace is gone.
    Dropped(bool),
}

/// Why a task was not done.
pub(crate) enum Failure {
    /// The store refuses, or cannot.
    Refused(StoreError),
    /// The closure panicked; the panic goes on where the call was made.
    Panicked(Box<dyn Any + Send>),
}

/// The answer to a task.
pub(crate) type Answer = Result<Done, Failure>;

/// Those who go beside the writer, and have to know what it commits.
pub(crate) trait Beside: Send {
    /// A transaction is about to begin.
    fn before_commit(&mut self);
    /// A batch is about to be applied in it.
    fn changes(&mut self, batch: &Batch);
    /// Entries of a keyspace are about to be dropped in it.
    fn drops(&mut self, space: Space);
    /// The transaction is committed, or undone.
    fn after_commit(&mut self);
}

/// The one connection that writes.
pub(crate) struct Writer {
    /// Read through between writes where there is no other.
    pub(crate) connection: Connection,
    /// The file.
    pub(crate) path: PathBuf,
    /// Which file that is, where it could be taken away from under its name.
    #[cfg(not(target_arch = "wasm32"))]
    identity: Option<Identity>,
    /// Those who read beside it, where there are such.
    beside: Option<Box<dyn Beside>>,
    /// The keyspaces that exist besides the reserved ones, as the table has them; nothing when that has to be
    /// looked up, since a transaction was undone.
    spaces: Option<HashSet<Space>>,
}

impl Writer {
    /// Takes over a connection that is set up.
    pub(crate) fn new(connection: Connection, path: PathBuf) -> Result<Self, StoreError> {
        let mut writer = Self {
            connection,
            path,
            #[cfg(not(target_arch = "wasm32"))]
            identity: None,
            beside: None,
            spaces: None,
        };
        writer.spaces = Some(writer.stored_spaces()?);
        Ok(writer)
    }

    /// The same, which from now on commits only while its path still leads to this file.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn of_file(self, identity: Identity) -> Self {
        Self { identity: Some(identity), ..self }
    }

    /// The same, which from now on tells others what it commits.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn with(self, beside: Box<dyn Beside>) -> Self {
        Self { beside: Some(beside), ..self }
    }

    /// Does tasks in one transaction of SQLite, each seeing what those before it wrote, and
    /// answers each in its place.
    ///
    /// When the medium fails, nothing of them is kept, and each is done again by itself: so only
    /// those that do not fit are refused. Closures are pure, so running them again is allowed.
    pub(crate) fn run(&mut self, tasks: &mut [Task]) -> Vec<Answer> {
        match self.commit_together(tasks) {
            Ok(answers) => answers,
            Err(error) if tasks.len() <= 1 => vec![Err(Failure::Refused(error))],
            Err(_) => tasks.chunks_mut(1).flat_map(|alone| self.run(alone)).collect(),
        }
    }

    fn commit_together(&mut self, tasks: &mut [Task]) -> Result<Vec<Answer>, StoreError> {
        if let Some(beside) = &mut self.beside {
            beside.before_commit();
        }
        let outcome = self.try_together(tasks);
        if outcome.is_err() && !self.connection.is_autocommit() {
            // SQLite has rolled back by itself on some errors, and then this is not reached.
            let _undone = self.connection.execute_batch("ROLLBACK");
        }
        if let Some(beside) = &mut self.beside {
            beside.after_commit();
        }
        if outcome.is_err() {
            self.spaces = None;
        }
        outcome
    }

    fn try_together(&mut self, tasks: &mut [Task]) -> Result<Vec<Answer>, StoreError> {
        self.execute("BEGIN IMMEDIATE")?;
        let mut spaces = match self.spaces.take() {
            Some(spaces) => spaces,
            None => self.stored_spaces()?,
        };
        let mut answers = Vec::with_capacity(tasks.len());
        for task in tasks {
            answers.push(self.attempt(task, &mut spaces)?);
        }
        // A look at the name costs a microsecond, a sync hundreds.
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(identity) = self.identity {
            identity.check(&self.path)?;
        }
        self.execute("COMMIT")?;
        self.spaces = Some(spaces);
        Ok(answers)
    }

    /// Does one task. The outer error is the medium's and ends the transaction; the inner one is
    /// the task's own, which has changed nothing then.
    fn attempt(&mut self, task: &mut Task, spaces: &mut HashSet<Space>) -> Result<Answer, StoreError> {
        Ok(match task {
            Task::Write(transaction) => self.write(transaction, spaces)?,
            Task::NewSpace => {
                let space = self.new_space()?;
                spaces.insert(space);
                Ok(Done::Made(space))
            }
            Task::DropStep(space) => {
                if let Some(beside) = &mut self.beside {
                    beside.drops(*space);
                }
                let gone = drop_step(&self.connection, *space).map_err(|error| self.mapped(error))?;
                if gone {
                    spaces.remove(space);
                }
                Ok(Done::Dropped(gone))
            }
        })
    }

    fn write(
        &mut self,
        transaction: &mut Transaction,
        spaces: &HashSet<Space>,
    ) -> Result<Answer, StoreError> {
        let snapshot = SqliteSnapshot { connection: &self.connection, path: &self.path };
        // The batch is whole before anything is applied, so a panic leaves nothing behind.
        let batch = match catch_unwind(AssertUnwindSafe(|| transaction(&snapshot))) {
            Ok(Some(batch)) => batch,
            Ok(None) => return Ok(Ok(Done::Written(Written::Aborted))),
            Err(panic) => return Ok(Err(Failure::Panicked(panic))),
        };
        if let Err(refusal) = batch.check(&snapshot, &|space| spaces.contains(&space)) {
            return Ok(Err(Failure::Refused(refusal)));
        }
        if let Some(beside) = &mut self.beside {
            beside.changes(&batch);
        }
        let inverse = self.apply(batch)?;
        Ok(Ok(Done::Written(Written::Committed { inverse })))
    }

    fn apply(&self, batch: Batch) -> Result<Option<Batch>, StoreError> {
        apply(&self.connection, batch).map_err(|error| self.mapped(error))
    }

    fn new_space(&self) -> Result<Space, StoreError> {
        self.execute("INSERT INTO spaces DEFAULT VALUES")?;
        Ok(Space(self.connection.last_insert_rowid().cast_unsigned()))
    }

    fn stored_spaces(&self) -> Result<HashSet<Space>, StoreError> {
        spaces(&self.connection).map_err(|error| self.mapped(error))
    }

    fn execute(&self, text: &str) -> Result<(), StoreError> {
        let executed = self.connection.prepare_cached(text).and_then(|mut statement| statement.execute([]));
        executed.map(drop).map_err(|error| self.mapped(error))
    }

    fn mapped(&self, error: rusqlite::Error) -> StoreError {
        from_sqlite(&error, &self.path)
    }
}

/// The keyspaces that exist besides the reserved ones.
pub(crate) fn spaces(connection: &Connection) -> rusqlite::Result<HashSet<Space>> {
    let mut statement = connection.prepare_cached("SELECT space FROM spaces")?;
    let numbers = statement.query_map([], |row| row.get::<_, i64>(0))?;
    numbers.map(|number| Ok(Space(number?.cast_unsigned()))).collect()
}

fn drop_step(connection: &Connection, space: Space) -> rusqlite::Result<bool> {
    let space = number(space);
    let next: Option<Vec<u8>> = connection
        .prepare_cached("SELECT key FROM entries WHERE space = ?1 ORDER BY key LIMIT 1 OFFSET ?2")?
        .query_row(params![space, ENTRIES_DROPPED_PER_STEP], |row| row.get(0))
        .optional()?;
    if let Some(next) = next {
        connection
            .prepare_cached("DELETE FROM entries WHERE space = ?1 AND key < ?2")?
            .execute(params![space, next])?;
        return Ok(false);
    }
    connection.prepare_cached("DELETE FROM entries WHERE space = ?1")?.execute([space])?;
    connection.prepare_cached("DELETE FROM spaces WHERE space = ?1")?.execute([space])?;
    Ok(true)
}
