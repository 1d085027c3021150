//! Runs of many clients on an engine in this process, on every store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use keyplan_compare::Rerunning;
use keyplan_engine::{Engine, EngineOptions};
use keyplan_store::{MemoryStore, Store};
use keyplan_store_sqlite::{Durability, Options, SqliteStore};

use crate::load::Load;
use crate::run::{Counts, Knowledge};
use crate::service::{Embedded, Service};
use crate::table;

/// Groups of items: few, so that clients meet.
const GROUPS: usize = 12;

/// Between two looks for what is due.
const STEP: Duration = Duration::from_millis(2);

/// Where an engine's tables lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In memory.
    Memory,
    /// In memory, and some closures of writes are run again.
    MemoryRerunning,
    /// On a file.
    File,
    /// On a file, and some closures of writes are run again.
    FileRerunning,
    /// In memory, where one write is lost: runs that must be found out.
    Losing(u64),
}

impl Home {
    /// Every store that must be well.
    pub const ALL: [Home; 4] = [Home::Memory, Home::MemoryRerunning, Home::File, Home::FileRerunning];
}

/// How it is done.
#[derive(Debug, Clone, Copy)]
pub struct Histories {
    /// Clients at the same time.
    pub clients: usize,
    /// Requests of each in a run.
    pub requests: u64,
    /// Where chance begins.
    pub seed: u64,
}

/// Runs one after the other on a store, until `goes_on` says no.
///
/// # Errors
/// When the answers fit no order, or something doesn't follow from the items; in words, with the run.
pub fn histories(
    home: Home,
    histories: Histories,
    goes_on: &mut dyn FnMut(&Counts) -> bool,
) -> Result<Counts, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for the file: {error}"))?;
    let file = || -> Result<Arc<dyn Store>, String> {
        let options = Options { durability: Durability::Relaxed };
        let store = SqliteStore::open(folder.path().join("torture.db"), options);
        Ok(Arc::new(store.map_err(|error| error.to_string())?))
    };
    let memory = || -> Arc<dyn Store> { Arc::new(MemoryStore::new()) };
    let store: Arc<dyn Store> = match home {
        Home::Memory => memory(),
        Home::MemoryRerunning => Arc::new(Rerunning::new(memory())),
        Home::File => file()?,
        Home::FileRerunning => Arc::new(Rerunning::new(file()?)),
        Home::Losing(write) => Arc::new(Rerunning::losing(memory(), write)),
    };
    let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
    let engine = Arc::new(Engine::open(store, options).map_err(|error| error.to_string())?);
    let service = Embedded::new(Arc::clone(&engine));
    table::make(&mut service.clone())?;
    let mut knowledge = Knowledge::new(GROUPS);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let stepping = scope.spawn(|| -> Result<(), String> {
            while !is_over.load(Ordering::Relaxed) {
                service.step()?;
                thread::park_timeout(STEP);
            }
            Ok(())
        });
        let mut counts = Counts::default();
        let mut run = || -> Result<(), String> {
            while goes_on(&counts) {
                let seed = histories.seed.wrapping_add(counts.runs);
                let counted = one(&service, &engine, &mut knowledge, Histories { seed, ..histories });
                counts.add(counted.map_err(|error| format!("{home:?}, from seed {seed}: {error}"))?);
            }
            Ok(())
        };
        let ran = run();
        is_over.store(true, Ordering::Relaxed);
        stepping.join().map_err(|_| "the thread that steps panicked".to_owned())??;
        ran.map(|()| counts)
    })
}

fn one(
    service: &Embedded,
    engine: &Engine,
    knowledge: &mut Knowledge,
    Histories { clients, requests, seed }: Histories,
) -> Result<Counts, String> {
    let client = || Box::new(service.clone()) as Box<dyn Service>;
    let clients = (0..clients).map(|_| client()).collect();
    let load = Load { groups: GROUPS, requests: Some(requests), seed };
    let events = knowledge.load(clients, &mut service.clone(), load, |_| {})?;
    let counts = knowledge.check(&mut service.clone(), events)?;
    let mut differences = Vec::new();
    engine
        .verify(None, &mut |difference| differences.push(difference.to_string()))
        .map_err(|e| e.to_string())?;
    match differences.is_empty() {
        true => Ok(counts),
        false => Err(format!("verify: {}", differences.join("\n"))),
    }
}
