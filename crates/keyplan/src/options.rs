//! What a database is opened with.

use std::sync::{Arc, Mutex, PoisonError};

use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::buckets::Buckets;
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
    pub(crate) buckets: Option<Arc<dyn Buckets>>,
    #[cfg(feature = "sqlite")]
    pub(crate) durability: crate::Durability,
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

    /// Where exports put their objects and imports find theirs; without them, buckets in memory that come
    /// to be with their first object.
    pub fn buckets(mut self, buckets: Arc<dyn Buckets>) -> Options {
        self.buckets = Some(buckets);
        self
    }

    /// What an acknowledged write survives, of a database in a file; without it, a loss of power.
    #[cfg(feature = "sqlite")]
    pub fn durability(mut self, durability: crate::Durability) -> Options {
        self.durability = durability;
        self
    }

    /// An empty database in memory.
    pub fn in_memory(self) -> Database {
        let opened = Engine::open(Arc::new(MemoryStore::new()), self.engine_options());
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
        let options = keyplan_store_sqlite::Options { durability: self.durability };
        let store = keyplan_store_sqlite::SqliteStore::open(path.as_ref(), options)
            .map_err(crate::OpenFileError::Store)?;
        let engine =
            Engine::open(Arc::new(store), self.engine_options()).map_err(crate::OpenFileError::Engine)?;
        Ok(Database::new(engine, self))
    }

    /// Opens the database in a file to read it as it is now, beside whoever has it open. Writes are refused, and
    /// what others write from now on is not seen.
    ///
    /// # Errors
    /// When there is no such file, or it can't be used.
    #[cfg(feature = "sqlite")]
    pub fn open_to_read(self, path: impl AsRef<std::path::Path>) -> Result<Database, crate::OpenFileError> {
        let store = keyplan_store_sqlite::SqliteStore::open_to_read(path.as_ref())
            .map_err(crate::OpenFileError::Store)?;
        let engine =
            Engine::open(Arc::new(store), self.engine_options()).map_err(crate::OpenFileError::Engine)?;
        Ok(Database::new(engine, self))
    }

    pub(crate) fn region_or_default(&self) -> &str {
        self.region.as_deref().unwrap_or(DEFAULT_REGION)
    }

    fn engine_options(&self) -> EngineOptions {
        let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
        match &self.buckets {
            Some(buckets) => EngineOptions { buckets: Arc::clone(buckets), ..options },
            None => options,
        }
    }
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
