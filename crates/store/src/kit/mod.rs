//! What every store owes, as tests that run on any of them.
//!
//! The invariants are numbered in `docs/store-invariants.md`; [`INVARIANTS`] is the same list with a
//! function each. A store hands in a [`Factory`], runs [`run`] and expects every outcome to be
//! `Ok`. The invariants of [`Where::Everywhere`] start no thread and no process and never panic,
//! so they run in a browser's tab as well ([`run_everywhere`]); those of [`Where::Native`] need
//! threads. What outlives a process needs two of them, and stands in [`survival`]: one writes,
//! the other checks, natively around a kill and in the tab around the end of the worker.
//!
//! ```
//! use std::sync::Arc;
//! use keyplan_store::kit::{self, Factory, Place};
//! use keyplan_store::{MemoryStore, Store, StoreError};
//!
//! struct Memory;
//!
//! impl Place for Memory {
//!     fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
//!         Ok(Arc::new(MemoryStore::new()))
//!     }
//! }
//!
//! impl Factory for Memory {
//!     fn place(&self) -> Result<Box<dyn Place>, StoreError> {
//!         Ok(Box::new(Memory))
//!     }
//!     fn keeps(&self) -> bool {
//!         false
//!     }
//! }
//!
//! for outcome in kit::run_everywhere(&Memory) {
//!     assert_eq!(outcome.result, Ok(()), "{} {}", outcome.number, outcome.name);
//! }
//! ```

/// Ends an invariant with what broke it.
macro_rules! ensure {
    ($holds:expr, $($what:tt)+) => {
        if !$holds {
            return Err(format!($($what)+));
        }
    };
}

/// Ends an invariant if two values differ.
macro_rules! ensure_eq {
    ($found:expr, $expected:expr, $($what:tt)+) => {{
        let (found, expected) = (&$found, &$expected);
        if found != expected {
            let what = format!($($what)+);
            return Err(format!("{what}: found {found:?}, expected {expected:?}"));
        }
    }};
}

mod counters;
mod inverses;
mod model;
mod order;
mod random;
mod reopening;
mod scenes;
mod spaces;
pub mod survival;
mod threads;
mod values;
mod writes;

use std::sync::Arc;

use crate::{Store, StoreError};

/// Makes places for stores of one kind.
pub trait Factory {
    /// A place where no store has been yet.
    fn place(&self) -> Result<Box<dyn Place>, StoreError>;

    /// Whether a place keeps what was written when its store is dropped.
    fn keeps(&self) -> bool;
}

/// Where a store lives. Dropping it may clear it away.
pub trait Place {
    /// Opens the store. It is called again only after what it gave before is dropped.
    fn open(&self) -> Result<Arc<dyn Store>, StoreError>;
}

/// Where an invariant can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Natively and in a browser's tab.
    Everywhere,
    /// Where there are threads.
    Native,
}

/// What is wrong, in words.
pub type Finding = Result<(), String>;

/// One numbered invariant.
#[derive(Clone, Copy)]
pub struct Invariant {
    /// Its number in `docs/store-invariants.md`; never given to another.
    pub number: u32,
    /// What holds.
    pub name: &'static str,
    /// Where it can be checked.
    pub at: Where,
    check: fn(&dyn Factory) -> Finding,
}

/// What became of one invariant.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The invariant's number.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// What was found.
    pub result: Finding,
}

const fn everywhere(number: u32, name: &'static str, check: fn(&dyn Factory) -> Finding) -> Invariant {
    Invariant { number, name, at: Where::Everywhere, check }
}

const fn native(number: u32, name: &'static str, check: fn(&dyn Factory) -> Finding) -> Invariant {
    Invariant { number, name, at: Where::Native, check }
}

/// Every invariant but those of [`survival`], in the order of their numbers.
pub const INVARIANTS: &[Invariant] = &[
    everywhere(1, "keys are ordered as unsigned bytes", order::unsigned_bytes),
    everywhere(2, "bounds include, exclude or are open", order::bounds),
    everywhere(3, "a range without room visits nothing", order::empty_ranges),
    everywhere(4, "a backward range is the forward one reversed", order::backward),
    everywhere(5, "a visitor's stop ends a range", order::stop),
    everywhere(6, "the expected count changes nothing", order::expected),
    everywhere(7, "a visitor can read on the same snapshot", order::nested_reads),
    everywhere(8, "keys and values can be empty", values::empty),
    everywhere(9, "values can be large", values::large),
    everywhere(10, "many keys are answered in their order", values::many),
    everywhere(11, "a value outlives its snapshot", values::kept),
    everywhere(12, "changes apply in their order", writes::in_order),
    everywhere(13, "an abort changes nothing", writes::abort),
    everywhere(14, "a refused batch changes nothing", writes::refused),
    everywhere(15, "a write sees what was written before", writes::sees_earlier),
    everywhere(16, "only the last run of a closure counts", writes::last_run_counts),
    everywhere(17, "a range is deleted between its bounds", writes::delete_range),
    everywhere(18, "a closure that calls its store is not left hanging", writes::reentrant),
    everywhere(19, "counters add, wrap and go at zero", counters::add),
    everywhere(20, "what is no counter is not added to", counters::refused),
    everywhere(21, "additions commute", counters::commute),
    everywhere(22, "an inverse is given when asked for", inverses::asked),
    everywhere(23, "an inverse restores what was there", inverses::restores),
    everywhere(24, "random batches and inverses agree with a model", inverses::random),
    everywhere(25, "reserved keyspaces always exist", spaces::reserved),
    everywhere(26, "a new keyspace is empty and its number new", spaces::numbers),
    everywhere(27, "keyspaces do not touch", spaces::apart),
    everywhere(28, "a dropped keyspace is gone", spaces::dropped),
    everywhere(29, "a keyspace of many entries can be dropped", spaces::large),
    everywhere(30, "the epoch of a sole owner stands still", spaces::epoch),
    everywhere(31, "a reopened store has everything acknowledged", reopening::everything),
    everywhere(32, "numbers are not used again after reopening", reopening::numbers),
    native(33, "a snapshot does not change while others write", threads::isolation),
    native(34, "no snapshot shows half a batch", threads::atomic),
    native(35, "writes are serialisable", threads::serialisable),
    native(36, "counters lose nothing among many writers", threads::counters),
    native(37, "a failing member leaves its group alone", threads::grouped),
    native(38, "a panicking closure breaks nothing", threads::panics),
    native(39, "a long read does not hold up writers", threads::long_read),
];

/// Runs the invariants that can be checked natively: all of them.
pub fn run(factory: &dyn Factory) -> Vec<Outcome> {
    outcomes(factory, |_| true)
}

/// Runs the invariants that can be checked in a browser's tab too.
pub fn run_everywhere(factory: &dyn Factory) -> Vec<Outcome> {
    outcomes(factory, |invariant| invariant.at == Where::Everywhere)
}

fn outcomes(factory: &dyn Factory, chosen: impl Fn(&Invariant) -> bool) -> Vec<Outcome> {
    let chosen = INVARIANTS.iter().filter(|invariant| chosen(invariant));
    chosen
        .map(|invariant| Outcome {
            number: invariant.number,
            name: invariant.name,
            result: (invariant.check)(factory),
        })
        .collect()
}
