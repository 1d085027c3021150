//! The engine: a store, the catalog over it, and what can be undone.

use std::fmt;
use std::sync::Arc;

use keyplan_store::{Store, StoreError};

use crate::call::{Call, Reply, Timestamp};
use crate::catalog::Catalog;
use crate::dispatch::NextLook;
use crate::error::InternalError;
use crate::expressions::ExpressionCache;
use crate::inspect::{InspectError, Inspection, Window};
use crate::kept::KeptItems;
use crate::undo::{UndoLog, Undone};

/// What an engine is opened with.
#[derive(Debug, Clone, Copy)]
pub struct EngineOptions {
    /// How many writes can be undone, newest first; 0 keeps nothing for undo.
    pub undo_depth: usize,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { undo_depth: crate::limits::UNDO_RECORDS_MAX }
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
}

impl Engine {
    /// Opens an engine on a store, empty or written by an engine before.
    ///
    /// # Errors
    /// When the store can't be read, or its records are of an unknown form.
    pub fn open(store: Arc<dyn Store>, options: EngineOptions) -> Result<Engine, OpenError> {
        crate::format::check(&*store)?;
        Ok(Engine {
            catalog: Catalog::new(),
            undo: UndoLog::new(options.undo_depth),
            expressions: ExpressionCache::default(),
            next_look: NextLook::default(),
            store,
        })
    }

    /// Answers one request.
    pub fn dispatch(&self, call: &Call<'_>) -> Reply {
        crate::dispatch::dispatch(self, call, None)
    }

    /// As [`Engine::dispatch`], but the answer's items are put into `kept` as they are stored.
    pub fn dispatch_keeping(&self, call: &Call<'_>, kept: &KeptItems) -> Reply {
        crate::dispatch::dispatch(self, call, Some(kept))
    }

    /// Advances due work by at most `budget` store entries; says when the next is due.
    ///
    /// # Errors
    /// When the store fails.
    pub fn step(&self, now: Timestamp, budget: u32) -> Result<Option<Timestamp>, StoreError> {
        crate::jobs::step(self, now, budget)
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

    /// Takes back the newest write that changed something and is still kept; nothing when none is. It
    /// is a write of its own, made at `now`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn undo(&self, now: Timestamp) -> Result<Option<Undone>, InternalError> {
        crate::undo::undo(self, now)
    }

    /// Whether a call may wait for the store, so that it belongs on a thread that may block.
    pub fn may_block(&self) -> bool {
        self.store.may_block()
    }
}
