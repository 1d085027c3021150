//! The engine: a store, the catalog over it, and what can be undone.

use std::fmt;
use std::sync::{Arc, Mutex};

use keyplan_store::{Space, Store, StoreError};

use crate::buckets::{Buckets, MemoryBuckets};
use crate::call::{Call, Reply, Timestamp};
use crate::catalog::Catalog;
use crate::dispatch::NextLook;
use crate::error::InternalError;
use crate::expressions::ExpressionCache;
use crate::figures::{Consumed, Figures};
use crate::insights::Counting;
use crate::inspect::{InspectError, Inspection, Window};
use crate::kept::Beside;
use crate::transfers::Held;
use crate::undo::{UndoLog, Undone};
use crate::verify::{Difference, Verified};
use crate::weather::{Weather, WeatherReport, WeatherStation};

/// What an engine is opened with.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// How many writes can be undone, newest first; 0 keeps nothing for undo.
    pub undo_depth: usize,
    /// Where exports put their objects, and imports find theirs; in memory by default.
    pub buckets: Arc<dyn Buckets>,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { undo_depth: crate::limits::UNDO_RECORDS_MAX, buckets: Arc::new(MemoryBuckets::new()) }
    }
}

/// Why an engine can't be opened on a store.
#[derive(Debug)]
pub enum OpenError {
    /// The store failed.
    Store(StoreError),
    /// The store's records are of a form this version doesn't know.
    Format {
        /// What was found.
        found: u64,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Store(error) => write!(f, "the store can't be read: {error}"),
            OpenError::Format { found } => write!(
                f,
                "the store was written in form {found}, which this version of Keyplan doesn't know; \
                 open it with the version that wrote it, or a newer one"
            ),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> OpenError {
        OpenError::Store(error)
    }
}

/// All operations of DynamoDB over one store.
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) undo: UndoLog,
    pub(crate) expressions: ExpressionCache,
    pub(crate) next_look: NextLook,
    pub(crate) weather: WeatherStation,
    pub(crate) buckets: Arc<dyn Buckets>,
    pub(crate) transfers: Held,
    /// The turn of what writes objects into buckets: a store tells of two who change one thing, a bucket doesn't.
    pub(crate) objects: Mutex<()>,
    pub(crate) insights: Counting,
    pub(crate) consumed: Consumed,
}

impl Engine {
    /// Opens an engine on a store, empty or written by an engine before.
    ///
    /// # Errors
    /// When the store can't be read, or its records are of an unknown form.
    pub fn open(store: Arc<dyn Store>, options: EngineOptions) -> Result<Engine, OpenError> {
        crate::format::check(&*store)?;
        let insights = Counting::default();
        // Settings that can't be read are told by the operations that ask for them.
        if let Err(InternalError::Store(error)) = insights.refresh(&*store) {
            return Err(error.into());
        }
        Ok(Engine {
            catalog: Catalog::new(),
            undo: UndoLog::new(options.undo_depth),
            expressions: ExpressionCache::default(),
            next_look: NextLook::default(),
            weather: WeatherStation::default(),
            buckets: options.buckets,
            transfers: Held::default(),
            objects: Mutex::default(),
            insights,
            consumed: Consumed::default(),
            store,
        })
    }

    /// Answers one request.
    pub fn dispatch(&self, call: &Call<'_>) -> Reply {
        crate::dispatch::dispatch(self, call, None)
    }

    /// As [`Engine::dispatch`], but items go in and out beside the bodies, as they are stored.
    pub fn dispatch_beside(&self, call: &Call<'_>, beside: Beside<'_>) -> Reply {
        crate::dispatch::dispatch(self, call, Some(beside))
    }

    /// How much there is of everything, and what was consumed so far. It looks at each table, not at its items.
    ///
    /// # Errors
    /// When the store fails, or holds a definition that can't be read.
    pub fn figures(&self) -> Result<Figures, InternalError> {
        crate::figures::figures(self)
    }

    /// Advances due work by at most `budget` store entries; says when the next is due.
    ///
    /// # Errors
    /// When the store fails.
    pub fn step(&self, now: Timestamp, budget: u32) -> Result<Option<Timestamp>, StoreError> {
        crate::jobs::step(self, now, budget)
    }

    /// Advances all work that is due, until none is; `budget` is how many store entries it touches at a time. It
    /// is what is called when the time has been moved.
    ///
    /// # Errors
    /// When the store fails.
    pub fn settle(&self, now: Timestamp, budget: u32) -> Result<(), StoreError> {
        while self.step(now, budget)?.is_some_and(|due| due <= now) {}
        Ok(())
    }

    /// How the items of a table or the entries of an index lie, by partition in the order of a Scan;
    /// billed to nobody.
    ///
    /// # Errors
    /// When there is no such table or index, or the store fails.
    pub fn inspect(
        &self,
        table: &str,
        index: Option<&str>,
        window: Window,
    ) -> Result<Inspection, InspectError> {
        crate::inspect::inspect(self, table, index, window)
    }

    /// Holds all that follows from items against them; see [`verify`](crate::verify::verify).
    ///
    /// # Errors
    /// When the store fails.
    pub fn verify(
        &self,
        keyspaces: Option<&[Space]>,
        differs: &mut dyn FnMut(Difference),
    ) -> Result<Verified, OpenError> {
        crate::verify::verify(&*self.store, keyspaces, differs)
    }

    /// Takes back the newest write that changed something and is still kept; nothing when none is. It
    /// is a write of its own, made at `now`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn undo(&self, now: Timestamp) -> Result<Option<Undone>, InternalError> {
        crate::undo::undo(self, now)
    }

    /// Sets the weather, and begins it anew: what was held, metered and counted before is forgotten. It is of
    /// this process, and no store knows of it.
    pub fn set_weather(&self, weather: Weather) {
        self.weather.set(weather);
    }

    /// The weather, and what has come of it since it was set.
    pub fn weather(&self) -> WeatherReport {
        self.weather.report()
    }

    /// Where exports put their objects and imports find theirs.
    pub fn buckets(&self) -> &Arc<dyn Buckets> {
        &self.buckets
    }

    /// Holds back the changes of a global table's regions from each other, or lets them go on. Says whether there
    /// is such a table. What is held back is not lost, however long that takes; of a strongly consistent table
    /// nothing is.
    ///
    /// # Errors
    /// When the store fails.
    pub fn pause_replication(&self, table: &str, paused: bool) -> Result<bool, InternalError> {
        crate::replication::set_paused(self, table, paused)
    }

    /// The busiest keys of a table or an index, counted while contributor insights are enabled for it, as JSON;
    /// nothing where they aren't. A table that has replicas is that of `region`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn busiest_keys(
        &self,
        region: &str,
        table: &str,
        index: Option<&str>,
    ) -> Result<Option<String>, InternalError> {
        let found = self.catalog.table(&*self.store, table)?;
        let global = found.as_ref().and_then(|table| table.global.as_ref());
        let key = global.map_or_else(|| table.into(), |global| global.key_in(table, region));
        Ok(self.insights.to_json(&key, index))
    }

    /// Whether a call may wait for the store or for buckets, so that it belongs on a thread that may block.
    pub fn may_block(&self) -> bool {
        self.store.may_block() || self.buckets.may_block()
    }
}
