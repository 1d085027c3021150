//! The engine held against a small, plain model of the service, with random requests.
//!
//! # What it is
//!
//! A [`Generator`] makes steps: requests of every kind, waits, and ends of the process. A [`World`] takes each
//! of them on an engine and on the [`Model`], and compares the whole answers: items, reads of indexes, pages,
//! capacity units, the words of errors, the reasons why a transaction was cancelled, and the records of
//! streams. Under the engine lies a store that runs some closures again, in memory or on a file, and that is
//! closed and opened, or left behind as by a process that was killed.
//!
//! The model is written to be obviously right, not to be quick: a table is an ordered map, an index is what
//! filtering it gives, and a condition is a tree that is walked. It takes nothing from the engine, and it
//! reads no text: the generator holds the trees, and `wire` writes them out.
//!
//! [`compare`] runs many worlds. When engine and model part, the steps that aren't needed for it are left out,
//! and what remains is a replay.
//!
//! ```
//! use keyplan_compare::{Plan, compare};
//!
//! let agreed = compare(&Plan { requests: 300, seed: 1, program: None }, &mut |_| {}).expect("engine and model agree");
//! assert!(agreed.requests() >= 300);
//! ```
//!
//! # What it is not
//!
//! It is no proof of what the service does: where model and engine misread it alike, they agree. The facts stand
//! in `conformance/`. What the text of an expression alone shows to be wrong isn't generated; those errors have
//! cases there.
#![forbid(unsafe_code)]

use std::path::PathBuf;

mod expression;
mod generate;
mod legacy;
mod model;
mod order;
mod process;
mod request;
mod shrink;
mod store;
mod subject;
mod tally;
mod update;
mod value;
mod wire;
mod world;

pub use generate::Generator;
pub use model::{Answer, Model};
pub use order::Order;
pub use process::{SERVE, serve};
pub use request::{Request, Step};
pub use shrink::Replay;
pub use store::Rerunning;
pub use subject::Home;
pub use tally::Tally;
pub use world::{Difference, World};

/// How many steps a world takes: enough for its tables to fill, and few enough to find out which of them matter.
const STEPS: usize = 1_500;

/// Of so many worlds one lies on a file, one is in a process that is killed, and one has items of which a few
/// fill a page.
const FILE_EVERY: u64 = 8;
const PROCESS_EVERY: u64 = 20;
const LARGE_EVERY: u64 = 25;

/// How many requests are compared, and where chance begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// At least so many requests.
    pub requests: u64,
    /// The first world's seed; those after it follow.
    pub seed: u64,
    /// A program that calls [`serve`] when it is told to by [`SERVE`], for worlds in processes that are killed;
    /// without one there are none.
    pub program: Option<PathBuf>,
}

/// Runs worlds until enough requests were compared; gives what they were. `progress` is told after each world
/// how many it were so far.
///
/// # Errors
/// When engine and model part: the steps that lead there.
pub fn compare(plan: &Plan, progress: &mut dyn FnMut(u64)) -> Result<Tally, Box<Replay>> {
    let mut order = Order::new();
    let (mut compared, mut seed) = (Tally::default(), plan.seed);
    while compared.requests() < plan.requests {
        compared.add(&world(seed, plan, plan.requests - compared.requests(), &mut order)?);
        progress(compared.requests());
        seed += 1;
    }
    Ok(compared)
}

/// Runs one world, for at most about so many requests.
fn world(seed: u64, plan: &Plan, requests: u64, order: &mut Order) -> Result<Tally, Box<Replay>> {
    run_world(seed, &home_of(seed, plan), requests, order)
}

fn home_of(seed: u64, plan: &Plan) -> Home {
    match &plan.program {
        Some(program) if seed % PROCESS_EVERY == 5 => Home::Process(program.clone()),
        _ if seed % FILE_EVERY == 3 => Home::File,
        _ => Home::Memory,
    }
}

fn run_world(seed: u64, home: &Home, requests: u64, order: &mut Order) -> Result<Tally, Box<Replay>> {
    let has_large_items = seed % LARGE_EVERY == 7;
    let mut generator = Generator::new(seed, has_large_items);
    let mut world = World::new(home, order);
    let mut steps = generator.beginning();
    let kept = steps.len();
    let mut parted = steps.iter().find_map(|step| world.step(step).err());
    while parted.is_none() && steps.len() < STEPS && world.compared.requests() < requests {
        let step = generator.step(&world.model, world.now());
        parted = world.step(&step).err();
        steps.push(step);
    }
    match parted {
        None => Ok(world.compared),
        Some(difference) => {
            Err(Box::new(shrink::shrunk(seed, home.clone(), (steps, kept), *difference, order)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a world whose store loses a write.
    fn lost(write: u64) -> Option<Box<Difference>> {
        let (mut order, mut generator) = (Order::new(), Generator::new(2, false));
        let mut world = World::new(&Home::Losing(write), &mut order);
        let parted = generator.beginning().iter().find_map(|step| world.step(step).err());
        parted.or_else(|| {
            (0..300).find_map(|_| {
                let step = generator.step(&world.model, world.now());
                world.step(&step).err()
            })
        })
    }

    #[test]
    fn a_store_that_loses_a_write_is_found_out() {
        // A write that is refused, or changes nothing, can be lost unseen.
        let found = (50..56).find_map(lost).expect("somebody misses one of six writes").to_string();
        assert!(found.contains("  model:  ") && found.contains("  engine: "), "{found}");
    }
}
