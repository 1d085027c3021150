//! The worker's view of the engine.

use std::collections::HashMap;
use std::sync::Arc;

use js_sys::Uint8Array;
use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::inspect::Window;
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Reply, Timestamp};
use keyplan_store::{MemoryStore, Store};
use keyplan_store_sqlite::SqliteStore;
use wasm_bindgen::prelude::*;

/// The engines of a tab, by the names of their stores.
#[wasm_bindgen]
#[derive(Default)]
pub struct Tab {
    engines: HashMap<String, Engine>,
}

/// An answer: the status and body that the service would give, and what the request cost.
#[wasm_bindgen]
pub struct TabReply {
    status: u16,
    body: Vec<u8>,
    trace: Option<String>,
}

#[wasm_bindgen]
impl TabReply {
    /// The HTTP status.
    #[wasm_bindgen(getter)]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The body, DynamoDB JSON in UTF-8.
    #[wasm_bindgen(getter)]
    pub fn body(&self) -> Uint8Array {
        Uint8Array::from(self.body.as_slice())
    }

    /// The trace as JSON, where it was asked for.
    #[wasm_bindgen(getter)]
    pub fn trace(&self) -> Option<String> {
        self.trace.clone()
    }
}

#[wasm_bindgen]
impl Tab {
    /// A tab without stores.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Tab {
        Tab::default()
    }

    /// Opens an empty store in memory under a name; one that had the name before is dropped.
    ///
    /// # Errors
    /// When the engine can't be set up on it.
    pub fn open_memory(&mut self, store: &str) -> Result<(), JsError> {
        self.open(store, Arc::new(MemoryStore::new()))
    }

    /// Opens a database file of the origin's private file system under a name, which is made if it
    /// is not there.
    ///
    /// # Errors
    /// When the browser has no such file system here, another tab holds the file, or the file is
    /// damaged or of a newer format. The text says which.
    pub async fn open_opfs(&mut self, store: String, path: String) -> Result<(), JsError> {
        let opened = open_file(&path).await?;
        self.open(&store, opened)
    }

    /// Closes a store, and with it its file.
    pub fn close(&mut self, store: &str) {
        self.engines.remove(store);
    }

    /// Runs a request on a store. `target` is the header `X-Amz-Target`, such as
    /// `DynamoDB_20120810.PutItem`; `region` is what ARNs name, us-east-1 without it.
    ///
    /// # Errors
    /// When there is no store of that name.
    pub fn dispatch(
        &self,
        store: &str,
        target: Option<String>,
        body: &[u8],
        now_ms: f64,
        trace: bool,
        region: Option<String>,
    ) -> Result<TabReply, JsError> {
        let engine = self.engine(store)?;
        let Reply { status, body, trace, .. } = engine.dispatch(&Call {
            target: target.as_deref(),
            authentication: Authentication::NotRequired {
                region: region.as_deref().unwrap_or(DEFAULT_REGION),
            },
            body,
            now: timestamp(now_ms),
            random: random(),
            trace,
        });
        Ok(TabReply { status, body, trace: trace.map(|trace| trace.to_json()) })
    }

    /// How a table's items lie, as JSON: by partition in the order of a Scan, bounded.
    ///
    /// # Errors
    /// When there is no such store, table or index.
    pub fn inspect(&self, store: &str, table: &str, index: Option<String>) -> Result<String, JsError> {
        let inspection = self.engine(store)?.inspect(table, index.as_deref(), Window::default())?;
        Ok(inspection.to_json())
    }

    /// Takes back the last request that changed something; says what it was as JSON, or nothing if
    /// there is none.
    ///
    /// # Errors
    /// When there is no such store, or it fails.
    pub fn undo(&self, store: &str, now_ms: f64) -> Result<Option<String>, JsError> {
        let undone = self.engine(store)?.undo(timestamp(now_ms))?;
        Ok(undone.map(|undone| undone.to_json()))
    }

    /// Advances work that outlives requests by at most `budget` store entries; says when the next is
    /// due, in milliseconds since 1970.
    ///
    /// # Errors
    /// When there is no such store, or it fails.
    pub fn step(&self, store: &str, now_ms: f64, budget: u32) -> Result<Option<f64>, JsError> {
        let due = self.engine(store)?.step(timestamp(now_ms), budget)?;
        Ok(due.map(|due| due.0 as f64))
    }
}

impl Tab {
    fn open(&mut self, name: &str, store: Arc<dyn Store>) -> Result<(), JsError> {
        let engine = Engine::open(store, EngineOptions::default())?;
        self.engines.insert(name.to_owned(), engine);
        Ok(())
    }

    fn engine(&self, store: &str) -> Result<&Engine, JsError> {
        self.engines
            .get(store)
            .ok_or_else(|| JsError::new(&format!("the store '{store}' is not open; open it first")))
    }
}

#[cfg(target_arch = "wasm32")]
async fn open_file(path: &str) -> Result<Arc<dyn Store>, JsError> {
    Ok(Arc::new(SqliteStore::open_opfs(path, keyplan_store_sqlite::Options::default()).await?))
}

/// Natively this crate is only built to be checked; there is no such file system.
#[cfg(not(target_arch = "wasm32"))]
async fn open_file(path: &str) -> Result<Arc<dyn Store>, JsError> {
    Ok(Arc::new(SqliteStore::open(std::path::Path::new(path), keyplan_store_sqlite::Options::default())?))
}

fn timestamp(milliseconds: f64) -> Timestamp {
    // A cast from f64 saturates, so a clock before 1970 reads as its start.
    Timestamp(milliseconds as u64)
}

/// Chance for one request. Identifiers need to differ, not to be secret.
fn random() -> u128 {
    (0..4).fold(0, |bits, _| (bits << 32) | u128::from((js_sys::Math::random() * f64::from(u32::MAX)) as u32))
}
