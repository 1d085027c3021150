//! What a database is opened with.

use std::sync::{Arc, Mutex, PoisonError};

use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::{Engine, EngineOptions};
use keyplan_store::MemoryStore;

use crate::{Clock, Database};

/// Where a database takes its time and its chance from, and which region it is in.
///
/// ```
/// use keyplan::{Clock, Database, Timestamp};
///
/// let database = Database::options()
///     .clock(Clock::standing_at(Timestamp(1_764_500_000_000)))
///     .seed(7)
///     .region("eu-west-1")
///     .in_memory();
/// # let _ = database;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(crate) clock: Clock,
    pub(crate) seed: Option<u64>,
    pub(crate) region: Option<String>,
}

impl Options {
    /// The clock; without one, the machine's.
    pub fn clock(mut self, clock: Clock) -> Options {
        self.clock = clock;
        self
    }

    /// Draws all identifiers from `seed`, so that a run can be repeated.
    pub fn seed(mut self, seed: u64) -> Options {
        self.seed = Some(seed);
        self
    }

    /// The region that stands in ARNs; without one, `us-east-1`.
    pub fn region(mut self, region: impl Into<String>) -> Options {
        self.region = Some(region.into());
        self
    }

    /// An empty database in memory.
    pub fn in_memory(self) -> Database {
        let opened = Engine::open(Arc::new(MemoryStore::new()), engine_options());
        // An empty store in memory holds nothing that could be unreadable.
        let engine = opened.unwrap_or_else(|error| unreachable!("an empty store: {error}"));
        Database::new(engine, self)
    }

    /// Opens the database in a file; see [`Database::open`].
    ///
    /// # Errors
    /// When the file can't be used.
    #[cfg(feature = "sqlite")]
    pub fn open(self, path: impl AsRef<std::path::Path>) -> Result<Database, crate::OpenFileError> {
        let store =
            keyplan_store_sqlite::SqliteStore::open(path.as_ref(), keyplan_store_sqlite::Options::default())
                .map_err(crate::OpenFileError::Store)?;
        let engine = Engine::open(Arc::new(store), engine_options()).map_err(crate::OpenFileError::Engine)?;
        Ok(Database::new(engine, self))
    }

    pub(crate) fn region_or_default(&self) -> &str {
        self.region.as_deref().unwrap_or(DEFAULT_REGION)
    }
}

fn engine_options() -> EngineOptions {
    EngineOptions { undo_depth: 0 }
}

/// A source of chance: the thread's, or one that starts from a seed.
#[derive(Debug)]
pub(crate) struct Chance(Option<Mutex<fastrand::Rng>>);

impl Chance {
    pub(crate) fn new(seed: Option<u64>) -> Chance {
        Chance(seed.map(|seed| Mutex::new(fastrand::Rng::with_seed(seed))))
    }

    pub(crate) fn draw(&self) -> u128 {
        match &self.0 {
            Some(seeded) => seeded.lock().unwrap_or_else(PoisonError::into_inner).u128(..),
            None => fastrand::u128(..),
        }
    }
}
