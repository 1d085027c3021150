//! The handle.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Reply, Timestamp};
use keyplan_store::MemoryStore;

use crate::{Answer, StoreError};

/// The store entries that one [`Database::step`] may touch.
const STEP_BUDGET_ENTRIES: u32 = 1000;

/// A database: tables and their items, in memory or in a file.
///
/// Clones are handles to the same database. It is freed, and its file closed, with the last of them.
#[derive(Clone)]
pub struct Database {
    engine: Arc<Engine>,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

impl Database {
    /// An empty database in memory.
    ///
    /// ```
    /// let database = keyplan::Database::in_memory();
    /// assert_eq!(database.call("ListTables", b"{}").body, br#"{"TableNames":[]}"#);
    /// ```
    pub fn in_memory() -> Database {
        let opened = Engine::open(Arc::new(MemoryStore::new()), EngineOptions { undo_depth: 0 });
        // An empty store in memory holds nothing that could be unreadable.
        let engine = opened.unwrap_or_else(|error| unreachable!("an empty store: {error}"));
        Database { engine: Arc::new(engine) }
    }

    /// Opens the database in a file, which is made if it is not there. What a call answered with
    /// success is synced to the disk before the answer.
    ///
    /// # Errors
    /// When the file can't be used: it is open elsewhere, can't be written, is no Keyplan database,
    /// or was written by a newer release. The text says which, and what to do.
    #[cfg(feature = "sqlite")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Database, OpenFileError> {
        let store =
            keyplan_store_sqlite::SqliteStore::open(path.as_ref(), keyplan_store_sqlite::Options::default())
                .map_err(OpenFileError::Store)?;
        let engine =
            Engine::open(Arc::new(store), EngineOptions { undo_depth: 0 }).map_err(OpenFileError::Engine)?;
        Ok(Database { engine: Arc::new(engine) })
    }

    /// Runs a request, such as `PutItem`, given as the service's JSON.
    ///
    /// ```
    /// let database = keyplan::Database::in_memory();
    /// let answer = database.call("GetItem", br#"{"TableName": "Nope", "Key": {"id": {"S": "a"}}}"#);
    /// assert_eq!(answer.status, 400);
    /// ```
    pub fn call(&self, operation: &str, body: &[u8]) -> Answer {
        self.run(operation, body, false)
    }

    /// Runs a request, and says in the answer's trace what it read, wrote and cost, and why.
    pub fn explain(&self, operation: &str, body: &[u8]) -> Answer {
        self.run(operation, body, true)
    }

    /// Advances the work that outlives requests, such as freeing deleted tables, by one bounded
    /// step. Requests advance it as well, so a program that sends any need not call this.
    ///
    /// # Errors
    /// When the store fails.
    pub fn step(&self) -> Result<(), StoreError> {
        self.engine.step(now(), STEP_BUDGET_ENTRIES).map(|_| ())
    }

    /// The engine below, to serve it or to look into it.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    fn run(&self, operation: &str, body: &[u8], trace: bool) -> Answer {
        // A name that the service does not have is no target, and is answered as one.
        let known = keyplan_engine::shapes::operations().iter().find(|known| known.name == operation);
        let target = known.map(|known| format!("{}{operation}", known.service.prefix()));
        let Reply { status, body, trace, .. } = self.engine.dispatch(&Call {
            target: target.as_deref(),
            authentication: Authentication::NotRequired { region: DEFAULT_REGION },
            body,
            now: now(),
            random: fastrand::u128(..),
            trace,
        });
        Answer { status, body, trace }
    }
}

fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}

/// Why a file can't be opened as a database.
#[cfg(feature = "sqlite")]
#[derive(Debug)]
pub enum OpenFileError {
    /// The file itself.
    Store(StoreError),
    /// What is in it.
    Engine(keyplan_engine::OpenError),
}

#[cfg(feature = "sqlite")]
impl fmt::Display for OpenFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenFileError::Store(error) => error.fmt(f),
            OpenFileError::Engine(error) => error.fmt(f),
        }
    }
}

#[cfg(feature = "sqlite")]
impl std::error::Error for OpenFileError {}
