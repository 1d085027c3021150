//! The handle.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use keyplan_engine::shapes::operations;
use keyplan_engine::{Authentication, Beside, Call, Engine, Reply, Timestamp};

use crate::options::Chance;
use crate::{Answer, Clock, Options, StoreError, Weather};

/// The store entries that one [`Database::step`] may touch.
const STEP_BUDGET_ENTRIES: u32 = 1000;

/// A database: tables and their items, in memory or in a file.
///
/// Clones are handles to the same database. It is freed, and its file closed, with the last of them.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Arc<Engine>,
    options: Options,
    chance: Chance,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("options", &self.inner.options).finish_non_exhaustive()
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
        Options::default().in_memory()
    }

    /// Opens the database in a file, which is made if it is not there. What a call answered with
    /// success is synced to the disk before the answer, unless [`Options::durability`] asks for less.
    ///
    /// # Errors
    /// When the file can't be used: it is open elsewhere, can't be written, is no Keyplan database,
    /// or was written by a newer release. The text says which, and what to do.
    #[cfg(feature = "sqlite")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Database, OpenFileError> {
        Options::default().open(path)
    }

    /// Copies the database in the file `from` to the file `to`, as it is at one moment and whoever has it open: a
    /// backup, and the way back from one. The copy is made beside `to`, checked page by page, synced, and then put
    /// in the place of what is there, whole or not at all.
    ///
    /// # Errors
    /// When `from` is not there, is damaged, no Keyplan database or a newer release's; when `to` is open
    /// somewhere, or can't be written. What was at `to` is there still then.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let (file, backup) = (folder.path().join("shop.db"), folder.path().join("backup.db"));
    /// let database = keyplan::Database::open(&file)?;
    /// keyplan::Database::copy_file(&file, &backup)?;
    /// # drop(database);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "sqlite")]
    pub fn copy_file(
        from: impl AsRef<std::path::Path>,
        to: impl AsRef<std::path::Path>,
    ) -> Result<(), OpenFileError> {
        let copy =
            keyplan_store_sqlite::FileCopy::take(from.as_ref(), to.as_ref()).map_err(OpenFileError::Store)?;
        // What the engine can't read is no backup of it.
        drop(Options::default().open_to_read(copy.path())?);
        copy.put().map_err(OpenFileError::Store)
    }

    /// To open a database with a clock, a seed or a region of its own.
    pub fn options() -> Options {
        Options::default()
    }

    pub(crate) fn new(engine: Engine, options: Options) -> Database {
        let chance = Chance::new(options.seed);
        Database { inner: Arc::new(Inner { engine: Arc::new(engine), options, chance }) }
    }

    /// Runs a request given as the service's JSON. The operation is named as in `PutItem`, or as on the
    /// wire: `DynamoDB_20120810.PutItem`.
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
    /// step; says when the next is due. Requests advance it as well, so a program that sends any need not
    /// call this.
    ///
    /// # Errors
    /// When the store fails.
    pub fn step(&self) -> Result<Option<Timestamp>, StoreError> {
        self.inner.engine.step(self.clock().now(), STEP_BUDGET_ENTRIES)
    }

    /// Moves the clock ahead, and does all work that is due by then.
    ///
    /// # Errors
    /// When the store fails.
    pub fn advance(&self, by: Duration) -> Result<(), StoreError> {
        self.clock().advance(by);
        while self.step()?.is_some_and(|due| due <= self.clock().now()) {}
        Ok(())
    }

    /// Sets the weather: reads that are behind, throttling, conflicts, errors, tables that take their time. It begins
    /// anew with each call; [`Weather::default`] is a fine day.
    ///
    /// ```
    /// use keyplan::{Database, Weather};
    ///
    /// let database = Database::in_memory();
    /// database.set_weather(Weather::parse(br#"{"errors": [{"error": "InternalServerError", "times": 1}]}"#)?);
    /// assert_eq!(database.call("ListTables", b"{}").status, 500);
    /// assert_eq!(database.call("ListTables", b"{}").status, 200);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_weather(&self, weather: Weather) {
        self.inner.engine.set_weather(weather);
    }

    /// The clock that the database goes by.
    pub fn clock(&self) -> &Clock {
        &self.inner.options.clock
    }

    /// The region that stands in ARNs.
    pub fn region(&self) -> &str {
        self.inner.options.region_or_default()
    }

    /// The engine below, to serve it or to look into it.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.inner.engine
    }

    fn run(&self, operation: &str, body: &[u8], trace: bool) -> Answer {
        self.dispatch(target(operation).as_deref(), body, trace, None)
    }

    /// The one way in, for JSON and typed requests alike.
    pub(crate) fn dispatch(
        &self,
        target: Option<&str>,
        body: &[u8],
        trace: bool,
        beside: Option<Beside<'_>>,
    ) -> Answer {
        let call = Call {
            target,
            authentication: Authentication::NotRequired { region: self.region() },
            body,
            now: self.clock().now(),
            random: self.inner.chance.draw(),
            trace,
        };
        let engine = &self.inner.engine;
        let reply = match beside {
            Some(beside) => engine.dispatch_beside(&call, beside),
            None => engine.dispatch(&call),
        };
        let Reply { status, body, trace, not_before, .. } = reply;
        // The weather can let an answer take its time; by a clock that stands nothing does.
        if let Some(moment) = not_before {
            self.clock().wait_for(moment);
        }
        Answer { status, body, trace }
    }
}

/// An operation as the wire names it. A name that the service does not have is no target, and is answered
/// as one.
fn target(operation: &str) -> Option<Cow<'_, str>> {
    if operation.contains('.') {
        return Some(Cow::Borrowed(operation));
    }
    let known = operations().iter().find(|known| known.name == operation)?;
    Some(Cow::Owned(format!("{}{operation}", known.service.prefix())))
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
