//! The worker's view of the engine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use js_sys::Uint8Array;
use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::inspect::Window;
use keyplan_engine::trace::Trace;
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Reply, Timestamp};
use keyplan_grading::{Exercise, grade, read_requests};
use keyplan_prices::Prices;
use keyplan_store::{MemoryStore, Store, StoreError};
use keyplan_store_sqlite::{Options, SqliteStore};
use wasm_bindgen::prelude::*;

/// The stores of a tab by name, each with its engine.
#[wasm_bindgen]
#[derive(Default)]
pub struct Tab {
    // In a cell, because one store serves requests while another waits for its file to open.
    stores: RefCell<HashMap<String, Rc<OpenStore>>>,
    prices: RefCell<Option<Prices>>,
}

struct OpenStore {
    engine: Engine,
    /// The same store, where it is one that can be given away as a file.
    database: Option<Arc<SqliteStore>>,
}

/// An answer: the status and body that the service would give, and what the request cost.
#[wasm_bindgen]
pub struct TabReply {
    status: u16,
    body: Vec<u8>,
    trace: Option<String>,
    price: Option<String>,
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

    /// What a million such requests cost, as JSON, where there is a trace and the tab has prices.
    #[wasm_bindgen(getter)]
    pub fn price(&self) -> Option<String> {
        self.price.clone()
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
    pub fn open_memory(&self, store: &str) -> Result<(), JsError> {
        self.open(store, Arc::new(MemoryStore::new()), None)
    }

    /// Opens a database file of the origin's private file system under a name, which is made if it
    /// is not there. The answer is whether it is open: a file that another worker holds is not,
    /// and may be soon, since one that was ended lets go of its files only after a while.
    ///
    /// # Errors
    /// When the browser has no such file system here, or the file is damaged, of another program or of
    /// a newer format. The text says which.
    pub async fn open_opfs(&self, store: String, path: String) -> Result<bool, JsError> {
        match open_file(&path).await {
            Ok(opened) => self.open_database(&store, opened).map(|()| true),
            Err(StoreError::Locked { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a copy of a database in memory under a name, from the bytes that [`Tab::image`] gave.
    ///
    /// # Errors
    /// When they are no database of ours.
    pub fn open_image(&self, store: &str, image: &[u8]) -> Result<(), JsError> {
        self.open_database(store, SqliteStore::open_image(image)?)
    }

    /// The bytes of a database as it is now: those of its file, with everything in it.
    ///
    /// # Errors
    /// When there is no store of that name, or it is no database with a file.
    pub fn image(&self, store: &str) -> Result<Uint8Array, JsError> {
        let open = self.store(store)?;
        let database = open.database.as_ref();
        let database = database.ok_or_else(|| JsError::new(&format!("the store '{store}' has no file")))?;
        Ok(Uint8Array::from(database.image()?.as_slice()))
    }

    /// Closes a store, and with it its file.
    pub fn close(&self, store: &str) {
        self.stores.borrow_mut().remove(store);
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
        let Reply { status, body, trace, .. } = self.store(store)?.engine.dispatch(&Call {
            target: target.as_deref(),
            authentication: Authentication::NotRequired {
                region: region.as_deref().unwrap_or(DEFAULT_REGION),
            },
            body,
            now: timestamp(now_ms),
            random: random(),
            trace,
        });
        let price = trace.as_ref().and_then(|trace| self.price(trace));
        Ok(TabReply { status, body, trace: trace.map(|trace| trace.to_json()), price })
    }

    /// Takes the price file; from now on every answer with a trace has a price.
    ///
    /// # Errors
    /// When it is no price file; the text says why, and the prices are as before.
    pub fn set_prices(&self, json: &str) -> Result<(), JsError> {
        let prices = Prices::parse(json)?;
        *self.prices.borrow_mut() = Some(prices);
        Ok(())
    }

    /// How a table's items lie, as JSON: by partition in the order of a Scan, bounded.
    ///
    /// # Errors
    /// When there is no such store, table or index.
    pub fn inspect(&self, store: &str, table: &str, index: Option<String>) -> Result<String, JsError> {
        let inspection = self.store(store)?.engine.inspect(table, index.as_deref(), Window::default())?;
        Ok(inspection.to_json())
    }

    /// Takes back the last request that changed something; says what it was as JSON, or nothing if
    /// there is none.
    ///
    /// # Errors
    /// When there is no such store, or it fails.
    pub fn undo(&self, store: &str, now_ms: f64) -> Result<Option<String>, JsError> {
        let undone = self.store(store)?.engine.undo(timestamp(now_ms))?;
        Ok(undone.map(|undone| undone.to_json()))
    }

    /// Grades an answer to an exercise, on engines of its own: no store of the tab is touched.
    /// `grading` is what a lesson's page carries, `requests` is `[{target, body}]` with each body an
    /// object or a text; the answer is a verdict as JSON.
    ///
    /// # Errors
    /// When either is something else, or the exercise's data can't be set up.
    pub fn check(&self, grading: &str, requests: &str, now_ms: f64) -> Result<String, JsError> {
        let exercise = Exercise::from_json(grading.as_bytes())?;
        let answer = read_requests(requests.as_bytes())?;
        Ok(grade(&exercise, &answer, timestamp(now_ms))?.to_json())
    }

    /// Advances work that outlives requests by at most `budget` store entries; says when the next is
    /// due, in milliseconds since 1970.
    ///
    /// # Errors
    /// When there is no such store, or it fails.
    pub fn step(&self, store: &str, now_ms: f64, budget: u32) -> Result<Option<f64>, JsError> {
        let due = self.store(store)?.engine.step(timestamp(now_ms), budget)?;
        Ok(due.map(|due| due.0 as f64))
    }
}

impl Tab {
    fn price(&self, trace: &Trace) -> Option<String> {
        let prices = self.prices.borrow();
        Some(prices.as_ref()?.of_million(trace.read_units(), trace.write_units()).to_json())
    }

    fn open_database(&self, name: &str, database: SqliteStore) -> Result<(), JsError> {
        let database = Arc::new(database);
        self.open(name, Arc::clone(&database) as Arc<dyn Store>, Some(database))
    }

    fn open(
        &self,
        name: &str,
        store: Arc<dyn Store>,
        database: Option<Arc<SqliteStore>>,
    ) -> Result<(), JsError> {
        let engine = Engine::open(store, EngineOptions::default())?;
        self.stores.borrow_mut().insert(name.to_owned(), Rc::new(OpenStore { engine, database }));
        Ok(())
    }

    fn store(&self, name: &str) -> Result<Rc<OpenStore>, JsError> {
        let stores = self.stores.borrow();
        let found = stores.get(name).map(Rc::clone);
        found.ok_or_else(|| JsError::new(&format!("the store '{name}' is not open; open it first")))
    }
}

#[cfg(target_arch = "wasm32")]
async fn open_file(path: &str) -> Result<SqliteStore, StoreError> {
    SqliteStore::open_opfs(path, Options::default()).await
}

/// Natively this crate is only built to be checked; there is no such file system.
#[cfg(not(target_arch = "wasm32"))]
async fn open_file(path: &str) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(std::path::Path::new(path), Options::default())
}

fn timestamp(milliseconds: f64) -> Timestamp {
    // A cast from f64 saturates, so a clock before 1970 reads as its start.
    Timestamp(milliseconds as u64)
}

/// Chance for one request. Identifiers need to differ, not to be secret.
fn random() -> u128 {
    (0..4).fold(0, |bits, _| (bits << 32) | u128::from((js_sys::Math::random() * f64::from(u32::MAX)) as u32))
}
