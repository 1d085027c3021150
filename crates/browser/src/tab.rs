//! The worker's view of the engine.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use js_sys::Uint8Array;
use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::buckets::objects_to_json;
use keyplan_engine::inspect::Window;
use keyplan_engine::limits::OBJECTS_LISTED_MAX;
use keyplan_engine::trace::Trace;
use keyplan_engine::weather::{Clock, ClockMove, Weather};
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Reply, Timestamp};
use keyplan_grading::{Exercise, grade, read_requests};
use keyplan_prices::Prices;
use keyplan_store::{MemoryStore, Store};
#[cfg(feature = "files")]
use keyplan_store_sqlite::SqliteStore;
use wasm_bindgen::prelude::*;

/// Store entries that one step touches when the clock has been moved.
const SETTLE_BUDGET_ENTRIES: u32 = 5_000;

/// The stores of a tab by name, each with its engine.
#[wasm_bindgen]
#[derive(Default)]
pub struct Tab {
    // In a cell, because one store serves requests while another waits for its file to open.
    stores: RefCell<HashMap<String, Rc<OpenStore>>>,
    prices: RefCell<Option<Prices>>,
    /// The clock that all stores go by.
    clock: Cell<Clock>,
}

pub(crate) struct OpenStore {
    pub(crate) engine: Engine,
    /// The same store, where it is one that can be given away as a file.
    #[cfg(feature = "files")]
    pub(crate) database: Option<Arc<SqliteStore>>,
}

/// An answer: the status and body that the service would give, and what the request cost.
#[wasm_bindgen]
pub struct TabReply {
    status: u16,
    body: Vec<u8>,
    trace: Option<String>,
    price: Option<String>,
    not_before: Option<Timestamp>,
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

    /// The moment of the tab's clock before which the answer isn't to be given, where the weather has one.
    #[wasm_bindgen(getter)]
    pub fn not_before(&self) -> Option<f64> {
        self.not_before.map(|moment| moment.0 as f64)
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
        let engine = engine(Arc::new(MemoryStore::new()))?;
        self.insert(
            store,
            OpenStore {
                engine,
                #[cfg(feature = "files")]
                database: None,
            },
        );
        Ok(())
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
        let Reply { status, body, trace, not_before, .. } = self.store(store)?.engine.dispatch(&Call {
            target: target.as_deref(),
            authentication: Authentication::NotRequired {
                region: region.as_deref().unwrap_or(DEFAULT_REGION),
            },
            body,
            now: self.now(now_ms),
            random: random(),
            trace,
        });
        let price = trace.as_ref().and_then(|trace| self.price(trace));
        Ok(TabReply { status, body, trace: trace.map(|trace| trace.to_json()), price, not_before })
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
        let undone = self.store(store)?.engine.undo(self.now(now_ms))?;
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
        Ok(grade(&exercise, &answer, self.now(now_ms))?.to_json())
    }

    /// The objects of a bucket whose keys begin so, as JSON: `[{"key":…,"bytes":…}]`, at most a thousand that come
    /// behind `after`. Exports write them.
    ///
    /// # Errors
    /// When there is no such store or bucket.
    pub fn objects(
        &self,
        store: &str,
        bucket: &str,
        prefix: &str,
        after: Option<String>,
    ) -> Result<String, JsError> {
        let open = self.store(store)?;
        let found = open.engine.buckets().list(bucket, prefix, after.as_deref(), OBJECTS_LISTED_MAX)?;
        Ok(objects_to_json(&found))
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// When there is no such store, bucket or object.
    pub fn object(&self, store: &str, bucket: &str, key: &str) -> Result<Uint8Array, JsError> {
        let bytes = self.store(store)?.engine.buckets().get(bucket, key, 0, usize::MAX)?;
        Ok(Uint8Array::from(bytes.as_slice()))
    }

    /// Puts an object into a bucket, for an import.
    ///
    /// # Errors
    /// When there is no such store, or the buckets are full.
    pub fn put_object(&self, store: &str, bucket: &str, key: &str, bytes: &[u8]) -> Result<(), JsError> {
        Ok(self.store(store)?.engine.buckets().put(bucket, key, bytes)?)
    }

    /// Advances work that outlives requests by at most `budget` store entries; says when the next is
    /// due, in the machine's milliseconds since 1970. By a clock that stands it never is.
    ///
    /// # Errors
    /// When there is no such store, or it fails.
    pub fn step(&self, store: &str, now_ms: f64, budget: u32) -> Result<Option<f64>, JsError> {
        let due = self.store(store)?.engine.step(self.now(now_ms), budget)?;
        Ok(due
            .and_then(|due| self.clock.get().until(timestamp(now_ms), due))
            .map(|wait| now_ms + wait as f64))
    }

    /// Sets a store's weather, if `weather` is given, and tells what it is and what has come of it, as JSON.
    ///
    /// # Errors
    /// When there is no such store, or the text is no weather; the text says why.
    pub fn weather(&self, store: &str, weather: Option<String>) -> Result<String, JsError> {
        let store = self.store(store)?;
        if let Some(weather) = weather {
            store.engine.set_weather(Weather::parse(weather.as_bytes())?);
        }
        Ok(store.engine.weather().to_json())
    }

    /// Moves the clock of all stores forward or sets how fast it runs, as the JSON text `asked` says, does all work
    /// that is due by then, and tells what the clock shows, as JSON.
    ///
    /// # Errors
    /// When the text asks for what can't be done, or a store fails.
    pub fn clock(&self, asked: &str, now_ms: f64) -> Result<String, JsError> {
        let machine = timestamp(now_ms);
        let mut clock = self.clock.get();
        ClockMove::parse(asked.as_bytes())?.apply(&mut clock, machine);
        self.clock.set(clock);
        let stores: Vec<Rc<OpenStore>> = self.stores.borrow().values().map(Rc::clone).collect();
        for store in stores {
            store.engine.settle(clock.now(machine), SETTLE_BUDGET_ENTRIES)?;
        }
        Ok(clock.to_json(machine))
    }

    /// The machine's milliseconds until the clock shows a moment; nothing if it stands.
    pub fn until(&self, moment: f64, now_ms: f64) -> Option<f64> {
        self.clock.get().until(timestamp(now_ms), timestamp(moment)).map(|wait| wait as f64)
    }
}

impl Tab {
    /// What the clock shows.
    fn now(&self, now_ms: f64) -> Timestamp {
        self.clock.get().now(timestamp(now_ms))
    }

    fn price(&self, trace: &Trace) -> Option<String> {
        let prices = self.prices.borrow();
        Some(prices.as_ref()?.of_million(trace.read_units(), trace.write_units()).to_json())
    }

    pub(crate) fn insert(&self, name: &str, store: OpenStore) {
        self.stores.borrow_mut().insert(name.to_owned(), Rc::new(store));
    }

    pub(crate) fn store(&self, name: &str) -> Result<Rc<OpenStore>, JsError> {
        let stores = self.stores.borrow();
        let found = stores.get(name).map(Rc::clone);
        found.ok_or_else(|| JsError::new(&format!("the store '{name}' is not open; open it first")))
    }
}

pub(crate) fn engine(store: Arc<dyn Store>) -> Result<Engine, JsError> {
    Ok(Engine::open(store, EngineOptions::default())?)
}

fn timestamp(milliseconds: f64) -> Timestamp {
    // A cast from f64 saturates, so a clock before 1970 reads as its start.
    Timestamp(milliseconds as u64)
}

/// Chance for one request. Identifiers need to differ, not to be secret.
fn random() -> u128 {
    (0..4).fold(0, |bits, _| (bits << 32) | u128::from((js_sys::Math::random() * f64::from(u32::MAX)) as u32))
}
