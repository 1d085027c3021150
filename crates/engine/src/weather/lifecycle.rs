//! Tables and indexes on their way.
//!
//! What a request changes is changed at once, as on a fine day; only what is told of it, and what is refused
//! meanwhile, follows the times that the weather sets. So nothing has to be put right when the weather changes, or
//! the process ends.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Conditions, Lifecycle, lock};
use crate::call::Timestamp;
use crate::catalog::{IndexDefinition, TableClass, TableDefinition, TableStatus, ThroughputSettings, Totals};

/// What is under way with a table.
#[derive(Debug, Clone)]
pub(crate) enum Move {
    /// It is being made.
    Made {
        /// Whether global secondary indexes are made with it.
        with_indexes: bool,
    },
    /// Its units or its billing mode change; it had these.
    Units(ThroughputSettings),
    /// Its class changes; it had this.
    Class(Option<TableClass>),
    /// A stream of it is enabled or disabled.
    Stream { label: String, enables: bool },
    /// Its items begin or cease to expire.
    Expiry { attribute: String, enables: bool },
    /// An index is added.
    IndexMade(String),
    /// The units of an index change; it had these.
    IndexUnits(String, ThroughputSettings),
    /// An index goes.
    IndexGone(Box<IndexDefinition>),
}

impl Move {
    /// How long it takes, and after which part of that an index is filled.
    fn takes(&self, times: Lifecycle) -> (u64, u64) {
        let Lifecycle { table, index, backfill, stream, time_to_live } = times;
        match self {
            Move::Made { with_indexes: true } => (table.max(index), 0),
            Move::Made { .. } | Move::Units(_) | Move::Class(_) => (table, 0),
            Move::Stream { .. } => (stream, 0),
            Move::Expiry { .. } => (time_to_live, 0),
            Move::IndexMade(_) => (index.saturating_add(backfill), index),
            Move::IndexUnits(..) | Move::IndexGone(_) => (index, 0),
        }
    }
}

/// A table that has been deleted, as long as that is told.
#[derive(Debug, Clone)]
pub(crate) struct Leaving {
    pub(crate) table: Arc<TableDefinition>,
    pub(crate) totals: Totals,
    until: Timestamp,
}

/// All that is under way.
#[derive(Debug, Default)]
pub(super) struct Lives {
    /// By the table's id.
    tables: HashMap<u128, Vec<UnderWay>>,
    /// By the table's name.
    leaving: BTreeMap<String, Leaving>,
}

#[derive(Debug, Clone)]
struct UnderWay {
    step: Move,
    /// When an index begins to be filled.
    fills: Timestamp,
    until: Timestamp,
}

/// What is under way with a table at some moment; mostly nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableState {
    under_way: Vec<UnderWay>,
    now: Timestamp,
}

/// What is under way with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexStep {
    /// Room is made for it.
    Allocating,
    /// It is filled.
    Filling,
    /// Its units change.
    Units,
    /// It goes.
    Leaving,
}

impl TableState {
    /// All of it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Move> {
        self.under_way.iter().map(|under_way| &under_way.step)
    }

    /// Whether the table is still being made.
    pub(crate) fn is_being_made(&self) -> bool {
        self.steps().any(|step| matches!(step, Move::Made { .. }))
    }

    /// What is under way with its indexes.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = (&str, IndexStep)> {
        self.under_way.iter().filter_map(|UnderWay { step, fills, .. }| match step {
            Move::IndexMade(index) if self.now < *fills => Some((index.as_str(), IndexStep::Allocating)),
            Move::IndexMade(index) => Some((index, IndexStep::Filling)),
            Move::IndexUnits(index, _) => Some((index, IndexStep::Units)),
            Move::IndexGone(index) => Some((&index.name, IndexStep::Leaving)),
            _ => None,
        })
    }

    /// What is under way with one of its indexes.
    pub(crate) fn index(&self, name: &str) -> Option<IndexStep> {
        self.indexes().find(|(index, _)| *index == name).map(|(_, step)| step)
    }

    /// The state that a description shows.
    pub(crate) fn status(&self) -> TableStatus {
        if self.is_being_made() {
            return TableStatus::Creating;
        }
        let changes = |step: &Move| matches!(step, Move::Units(_) | Move::Class(_) | Move::Stream { .. });
        let of_index = |step| matches!(step, IndexStep::Allocating | IndexStep::Leaving);
        if self.steps().any(changes) || self.indexes().any(|(_, step)| of_index(step)) {
            TableStatus::Updating
        } else {
            TableStatus::Active
        }
    }
}

impl Conditions {
    /// Notes that something of a table is under way from now on.
    pub(crate) fn begin(&self, table: u128, step: Move, now: Timestamp) {
        let Some(times) = self.weather.lifecycle else { return };
        let (takes, fills) = step.takes(times);
        let later = |milliseconds: u64| Timestamp(now.0.saturating_add(milliseconds));
        let under_way = UnderWay { step, fills: later(fills), until: later(takes) };
        let mut lives = lock(&self.lives);
        lives.tables.retain(|_, under_way| {
            under_way.retain(|under_way| under_way.until > now);
            !under_way.is_empty()
        });
        lives.tables.entry(table).or_default().push(under_way);
    }

    /// What is under way with a table.
    pub(crate) fn state(&self, table: u128, now: Timestamp) -> TableState {
        let mut under_way = match self.weather.lifecycle {
            Some(_) => lock(&self.lives).tables.get(&table).cloned().unwrap_or_default(),
            None => Vec::new(),
        };
        under_way.retain(|under_way| under_way.until > now);
        TableState { under_way, now }
    }

    /// Notes that a table has been deleted.
    pub(crate) fn left(&self, table: &TableDefinition, totals: Totals, now: Timestamp) {
        let Some(times) = self.weather.lifecycle else { return };
        let until = Timestamp(now.0.saturating_add(times.table));
        let leaving = Leaving { table: Arc::new(table.clone()), totals, until };
        let mut lives = lock(&self.lives);
        lives.tables.remove(&table.id);
        lives.leaving.retain(|_, leaving| leaving.until > now);
        lives.leaving.insert(table.name.clone(), leaving);
    }

    /// The tables that have been deleted and are still told of.
    pub(crate) fn leaving(&self, now: Timestamp) -> Vec<Leaving> {
        if self.weather.lifecycle.is_none() {
            return Vec::new();
        }
        let lives = lock(&self.lives);
        lives.leaving.values().filter(|leaving| leaving.until > now).cloned().collect()
    }
}
