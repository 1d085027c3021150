//! The stores' kit for a worker: what `docs/store-invariants.md` asks of a store in the tab.
//!
//! Only the browser tests build it. They start workers, end them in the midst of writes, and hold
//! what is found here against the list.

use std::cell::Cell;
use std::sync::Arc;

use js_sys::Function;
use keyplan_store::kit::{self, Factory, Outcome, Place, survival};
use keyplan_store::{MemoryStore, Space, Store, StoreError, StoreExt};
use keyplan_store_sqlite::{Durability, Options, Pool, SqliteStore};
use wasm_bindgen::prelude::*;

/// As pages open their databases: what was committed survives the end of the browser.
const RELAXED: Options = Options { durability: Durability::Relaxed };

/// The one writer of a tab.
const WRITER: u64 = 1;

/// What became of one invariant.
#[wasm_bindgen(getter_with_clone)]
pub struct KitOutcome {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// What broke it, if anything did.
    pub finding: Option<String>,
}

impl From<Outcome> for KitOutcome {
    fn from(Outcome { number, name, result }: Outcome) -> Self {
        Self { number, name: name.to_owned(), finding: result.err() }
    }
}

/// Runs what can be checked everywhere on the store in memory.
#[wasm_bindgen]
pub fn kit_memory() -> Vec<KitOutcome> {
    outcomes(&Memory)
}

/// Runs what can be checked everywhere on files of a folder of OPFS.
#[wasm_bindgen]
pub async fn kit_opfs(folder: String) -> Result<Vec<KitOutcome>, JsError> {
    let pool = Pool::install(&folder).await?;
    Ok(outcomes(&Opfs { pool, places: Cell::new(0) }))
}

/// What the list leaves to the store, on OPFS: who is refused, and that files can be carried.
#[wasm_bindgen]
pub async fn kit_opfs_files(folder: String) -> Result<Vec<String>, JsError> {
    let pool = Pool::install(&folder).await?;
    let mut findings = Vec::new();
    let mut expect = |what: &str, holds: bool| {
        if !holds {
            findings.push(what.to_owned());
        }
    };
    let has_steps = |store: &SqliteStore| survival::next_step(store, WRITER) == Ok(3);

    let store = pool.open("a.db", RELAXED)?;
    let written = survival::write(&store, WRITER, 0, &mut |step| step < 2);
    expect("a database can be written", written.is_ok());
    let second = pool.open("a.db", RELAXED).map(drop);
    expect("a second opener is told that it is open", matches!(second, Err(StoreError::Locked { .. })));
    let early = pool.export("a.db").map(drop);
    expect("an open database is not exported", matches!(early, Err(StoreError::Locked { .. })));
    let image = store.image()?;
    drop(store);
    let file = pool.export("a.db")?;
    for (from, bytes) in [("the image of an open one", &image), ("the export of a closed one", &file)] {
        pool.import("b.db", bytes)?;
        let imported = pool.open("b.db", RELAXED)?;
        expect(&format!("{from} is a file with everything in it"), has_steps(&imported));
        let copy = SqliteStore::open_image(bytes)?;
        expect(&format!("{from} opens in memory with everything in it"), has_steps(&copy));
    }
    let text = pool.import("c.db", b"no database at all");
    expect("what is no database is not imported", matches!(text, Err(StoreError::Foreign { .. })));
    let empty = pool.open("c.db", RELAXED)?;
    let entries = empty.view(|snapshot| snapshot.get(Space(0), b"steps"));
    expect("and leaves nothing behind", matches!(entries, Ok(Ok(None))));
    drop(empty);
    for name in ["a.db", "b.db", "c.db"] {
        pool.remove(name)?;
    }
    Ok(findings)
}

/// A database on OPFS that one worker writes and, after its end, another checks.
#[wasm_bindgen]
pub struct KitStore(SqliteStore);

#[wasm_bindgen]
impl KitStore {
    /// Opens a database; nothing while another worker holds it.
    pub async fn open(path: String) -> Result<Option<KitStore>, JsError> {
        match SqliteStore::open_opfs(&path, RELAXED).await {
            Ok(store) => Ok(Some(Self(store))),
            Err(StoreError::Locked { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Commits steps, going on from the last, until `acknowledge` is told of one and answers `false`.
    pub fn write(&self, acknowledge: &Function) -> Result<(), JsError> {
        let from = survival::next_step(&self.0, WRITER).map_err(found)?;
        let mut told = |step| {
            let answer = acknowledge.call1(&JsValue::NULL, &JsValue::from(step as f64));
            answer.is_ok_and(|more| more.is_truthy())
        };
        survival::write(&self.0, WRITER, from, &mut told).map_err(found)
    }

    /// Checks that every acknowledged step is there, and none in part.
    pub fn check(&self, acknowledged: &[u32]) -> Result<(), JsError> {
        let steps: Vec<_> = acknowledged.iter().map(|step| (WRITER, u64::from(*step))).collect();
        survival::check(&self.0, &steps).map_err(found)
    }
}

fn found(what: String) -> JsError {
    JsError::new(&what)
}

fn outcomes(factory: &dyn Factory) -> Vec<KitOutcome> {
    kit::run_everywhere(factory).into_iter().map(KitOutcome::from).collect()
}

struct Memory;

impl Place for Memory {
    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(MemoryStore::new()))
    }
}

impl Factory for Memory {
    fn place(&self) -> Result<Box<dyn Place>, StoreError> {
        Ok(Box::new(Memory))
    }

    fn keeps(&self) -> bool {
        false
    }
}

/// Files of one pool.
struct Opfs {
    pool: Pool,
    places: Cell<u32>,
}

impl Factory for Opfs {
    fn place(&self) -> Result<Box<dyn Place>, StoreError> {
        let number = self.places.get();
        self.places.set(number + 1);
        Ok(Box::new(OpfsPlace { pool: self.pool.clone(), name: format!("{number}.db") }))
    }

    fn keeps(&self) -> bool {
        true
    }
}

struct OpfsPlace {
    pool: Pool,
    name: String,
}

impl Place for OpfsPlace {
    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(self.pool.open(&self.name, RELAXED)?))
    }
}

impl Drop for OpfsPlace {
    fn drop(&mut self) {
        // One that can't be removed stays in a folder that nobody else reads.
        let _removed = self.pool.remove(&self.name);
    }
}
