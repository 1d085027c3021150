//! What an engine can be asked about itself: how much it holds, and what its requests have consumed so far.

use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_store::{Bounds, Direction, Snapshot, StoreExt, Visit};

use crate::capacity::{Charge, Units, Work};
use crate::catalog::{counters, table_in};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::spaces::CATALOG;

/// What an engine holds, and what was consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Tables, each replica as one.
    pub tables: u64,
    /// Items of all tables.
    pub items: u64,
    /// The bytes of these items, as the service counts them.
    pub bytes: u64,
    /// Read units since the engine was opened.
    pub read: Units,
    /// Write units since the engine was opened.
    pub write: Units,
}

impl Figures {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Figures) -> Figures {
        Figures {
            tables: self.tables + other.tables,
            items: self.items + other.items,
            bytes: self.bytes + other.bytes,
            read: self.read + other.read,
            write: self.write + other.write,
        }
    }
}

/// Units that were consumed, added up by all requests at once; in halves.
#[derive(Debug, Default)]
pub(crate) struct Consumed {
    read: AtomicU64,
    write: AtomicU64,
}

impl Consumed {
    /// Adds what something cost. Searches and the writes of vector indexes have no units.
    pub(crate) fn add(&self, charge: Charge) {
        let of_work = match charge.work() {
            Work::Read(_) => &self.read,
            Work::Write => &self.write,
            Work::VectorSearch | Work::VectorWrite => return,
        };
        of_work.fetch_add(charge.units().in_halves(), Ordering::Relaxed);
    }
}

/// The figures of an engine, from one snapshot.
pub(crate) fn figures(engine: &Engine) -> Result<Figures, InternalError> {
    let [read, write] = [&engine.consumed.read, &engine.consumed.write];
    let units = |of_work: &AtomicU64| Units::halves(of_work.load(Ordering::Relaxed));
    let mut figures = Figures { read: units(read), write: units(write), ..Figures::default() };
    engine.store.view(|snapshot| {
        for name in table_keys(snapshot)? {
            let Some(table) = table_in(snapshot, &name)? else { continue };
            let totals = counters::of_table(snapshot, &table)?;
            figures.tables += 1;
            figures.items += u64::try_from(totals.items).unwrap_or_default();
            figures.bytes += u64::try_from(totals.bytes).unwrap_or_default();
        }
        Ok(figures)
    })?
}

/// The places of all tables in the catalog.
fn table_keys(snapshot: &dyn Snapshot) -> Result<Vec<String>, InternalError> {
    let mut keys = Vec::new();
    snapshot.range(
        CATALOG,
        Bounds::new(Bound::Unbounded, Bound::Unbounded),
        Direction::Forward,
        100,
        &mut |key, _| {
            keys.push(String::from_utf8_lossy(key).into_owned());
            Visit::Continue
        },
    )?;
    Ok(keys)
}
