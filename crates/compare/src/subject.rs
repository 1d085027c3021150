//! What is compared with the model: an engine on a store, which can be closed or die, and come again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp, shapes};
use keyplan_store::{MemoryStore, Store};
use keyplan_store_sqlite::{Durability, Options, SqliteStore};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::process::Process;
use crate::store::Rerunning;

/// Where the clock stands at first.
const START: u64 = 1_796_040_000_137;

/// How much work one step may do.
const STEP_ENTRIES: u32 = 1_000;

/// Steps after which work that never ends is a fault.
const STEPS_MAX: usize = 10_000;

/// Where an engine and its tables are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Home {
    /// In memory.
    #[default]
    Memory,
    /// In memory, where one write is lost: a world that must be found out.
    Losing(u64),
    /// On a file.
    File,
    /// On a file, in a process of its own, which is killed now and then; the program that it runs.
    Process(PathBuf),
}

/// Where the tables lie.
enum Place {
    Memory(Arc<MemoryStore>),
    File { folder: TempDir, generation: u64 },
}

/// What answers.
enum Running {
    Here(Box<Engine>),
    There(Process),
}

/// An engine, with its clock.
pub struct Subject {
    home: Home,
    /// Nothing while it is closed.
    running: Option<Running>,
    place: Place,
    now: u64,
    calls: u64,
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("now", &self.now).finish_non_exhaustive()
    }
}

fn engine(store: Rerunning) -> Engine {
    #[allow(clippy::needless_update, reason = "whatever else there is to choose is left as it is")]
    let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
    Engine::open(Arc::new(store), options)
        .unwrap_or_else(|error| panic!("the store can't be opened: {error}"))
}

/// An engine on a file.
pub fn engine_on_file(path: &Path) -> Engine {
    let store = SqliteStore::open(path, Options { durability: Durability::Relaxed });
    let store = store.unwrap_or_else(|error| panic!("the file can't be opened: {error}"));
    engine(Rerunning::new(Arc::new(store)))
}

/// Sends an engine a request; gives the status and the body.
pub fn dispatch(engine: &Engine, operation: &str, body: &[u8], now: u64, number: u64) -> (u16, Vec<u8>) {
    let known = shapes::operations().iter().find(|known| known.name == operation);
    let service = known.map_or(shapes::Service::DynamoDb, |known| known.service);
    let reply = engine.dispatch(&Call {
        target: Some(&format!("{}{operation}", service.prefix())),
        authentication: Authentication::NotRequired { region: "us-east-1" },
        body,
        now: Timestamp(now),
        random: u128::from(number),
        trace: false,
    });
    (reply.status, reply.body)
}

/// Has an engine do what is due.
pub fn settle(engine: &Engine, now: u64) {
    for _ in 0..STEPS_MAX {
        match engine.step(Timestamp(now), STEP_ENTRIES) {
            Ok(Some(due)) if due.0 <= now => {}
            Ok(_) => return,
            Err(error) => panic!("the store fails: {error}"),
        }
    }
    panic!("there is always more to do");
}

impl Subject {
    /// An engine without tables.
    pub fn new(home: &Home) -> Subject {
        let place = match home {
            Home::Memory | Home::Losing(_) => Place::Memory(Arc::new(MemoryStore::new())),
            Home::File | Home::Process(_) => {
                let folder = TempDir::new().unwrap_or_else(|error| panic!("no folder for the file: {error}"));
                Place::File { folder, generation: 0 }
            }
        };
        let mut subject = Subject { home: home.clone(), running: None, place, now: START, calls: 0 };
        subject.open();
        subject
    }

    /// The moment, in milliseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    fn open(&mut self) {
        self.running = Some(match (&self.home, &self.place) {
            (home, Place::Memory(store)) => {
                let store = Arc::clone(store) as Arc<dyn Store>;
                Running::Here(Box::new(engine(match home {
                    Home::Losing(write) => Rerunning::losing(store, *write),
                    _ => Rerunning::new(store),
                })))
            }
            (home, Place::File { folder, generation }) => {
                let file = folder.path().join(format!("{generation}.db"));
                match home {
                    Home::Process(program) => {
                        let started = Process::start(program, &file);
                        let started =
                            started.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
                        Running::There(started)
                    }
                    _ => Running::Here(Box::new(engine_on_file(&file))),
                }
            }
        });
    }

    /// Ends the engine and opens its store again. A process is killed. A store on a file is closed, or every
    /// other time left behind: what lies on the disk at that moment is all that is taken over.
    pub fn reopen(&mut self) {
        match (&mut self.place, self.calls.is_multiple_of(2)) {
            _ if matches!(self.home, Home::Process(_)) => {}
            (Place::Memory(store), _) => {
                let image = store.image().unwrap_or_else(|error| panic!("no image of the store: {error}"));
                *store = Arc::new(MemoryStore::from_image(&image));
            }
            (Place::File { folder, generation }, true) => {
                // The files as a killed process leaves them, with the log that was never taken in.
                let (old, new) = (format!("{generation}.db"), format!("{}.db", *generation + 1));
                for suffix in ["", "-wal"] {
                    let from = folder.path().join(format!("{old}{suffix}"));
                    if from.exists() {
                        let copied = fs::copy(&from, folder.path().join(format!("{new}{suffix}")));
                        copied.unwrap_or_else(|error| panic!("{}: {error}", from.display()));
                    }
                }
                *generation += 1;
            }
            (Place::File { .. }, false) => {}
        }
        self.running = None;
        self.open();
        self.settle();
    }

    /// Sends a request to a process and kills it so many turns of an idle loop later, so that nobody knows what
    /// became of the request; says whether that can be done here.
    pub fn kill_during(&mut self, operation: &str, body: &[u8], turns: u64) -> bool {
        let Some(Running::There(process)) = &mut self.running else { return false };
        self.calls += 1;
        let told = process.tell(self.now, self.calls, operation, body);
        told.unwrap_or_else(|error| panic!("the process is gone: {error}"));
        for _ in 0..turns {
            std::hint::spin_loop();
        }
        self.reopen();
        true
    }

    /// Moves the clock, and does what is due by then.
    pub fn advance(&mut self, milliseconds: u64) {
        self.now += milliseconds;
        self.settle();
    }

    /// Does what is due.
    pub fn settle(&mut self) {
        match &mut self.running {
            Some(Running::Here(engine)) => settle(engine, self.now),
            Some(Running::There(process)) => {
                process.settle(self.now).unwrap_or_else(|error| panic!("the process is gone: {error}"));
            }
            None => {}
        }
    }

    /// What does not follow from the items, in words; of a process nothing is said.
    pub fn verify(&self) -> Vec<String> {
        let mut differences = Vec::new();
        if let Some(Running::Here(engine)) = &self.running {
            let told = engine.verify(None, &mut |difference| differences.push(difference.to_string()));
            told.unwrap_or_else(|error| panic!("the store fails: {error}"));
        }
        differences
    }

    /// Sends a request; gives the status and the body.
    pub fn send(&mut self, operation: &str, body: &[u8]) -> (u16, Json) {
        self.calls += 1;
        let (status, body) = match &mut self.running {
            Some(Running::Here(engine)) => dispatch(engine, operation, body, self.now, self.calls),
            Some(Running::There(process)) => {
                let answer = process.ask(self.now, self.calls, operation, body);
                let (status, body) = answer.unwrap_or_else(|error| panic!("the process is gone: {error}"));
                (status, body.into_bytes())
            }
            None => (0, Vec::new()),
        };
        (status, serde_json::from_slice(&body).unwrap_or(Json::Null))
    }
}

/// Sends a request that must succeed.
pub fn call(subject: &mut Subject, operation: &str, body: &Json) -> Json {
    let (status, answer) = subject.send(operation, body.to_string().as_bytes());
    assert_eq!(status, 200, "{operation} {body}: {answer}");
    answer
}
