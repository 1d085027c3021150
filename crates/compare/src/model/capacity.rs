//! What requests are charged, counted in halves of a unit.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::Table;
use crate::request::Detail;
use crate::value::{Item, size};

/// A write: each kilobyte of the larger image begun.
pub fn write_halves(before: Option<&Item>, after: Option<&Item>) -> u64 {
    let bytes = before.map_or(0, size).max(after.map_or(0, size));
    2 * bytes.div_ceil(1_024).max(1)
}

/// A read of so many bytes: each four kilobytes begun, at half the price where it may be stale.
pub fn read_halves(bytes: u64, is_consistent: bool) -> u64 {
    bytes.div_ceil(4_096).max(1) * if is_consistent { 2 } else { 1 }
}

/// What a request consumed of one table.
#[derive(Clone, Debug, Default)]
pub struct Consumed {
    table: u64,
    global: BTreeMap<String, u64>,
    local: BTreeMap<String, u64>,
}

impl Consumed {
    /// What the table itself consumed.
    pub fn of_table(halves: u64) -> Consumed {
        Consumed { table: halves, ..Consumed::default() }
    }

    /// What a write consumed. A transaction pays the table twice, and the indexes once.
    pub fn of_write(table: &Table, before: Option<&Item>, after: Option<&Item>, factor: u64) -> Consumed {
        let mut consumed = Consumed::of_table(write_halves(before, after) * factor);
        for index in &table.spec.indexes {
            let old = before.and_then(|item| table.entry(index, item));
            let new = after.and_then(|item| table.entry(index, item));
            let halves = match (&old, &new) {
                (None, None) => continue,
                (Some(old), Some(new)) if old == new => continue,
                (Some((old_key, old)), Some((new_key, new))) if old_key == new_key => {
                    write_halves(Some(old), Some(new))
                }
                // An entry whose key changes is deleted and put.
                (old, new) => {
                    let one = |entry: &Option<(super::Key, Item)>| {
                        entry.as_ref().map_or(0, |(_, view)| write_halves(Some(view), None))
                    };
                    one(old) + one(new)
                }
            };
            consumed.add_index(&index.name, index.is_global, halves);
        }
        consumed
    }

    /// Adds what an index consumed.
    pub fn add_index(&mut self, name: &str, is_global: bool, halves: u64) {
        let indexes = if is_global { &mut self.global } else { &mut self.local };
        *indexes.entry(name.to_owned()).or_default() += halves;
    }

    /// Adds what else was consumed of the table.
    pub fn add(&mut self, other: Consumed) {
        self.table += other.table;
        for (name, halves) in other.global {
            self.add_index(&name, true, halves);
        }
        for (name, halves) in other.local {
            self.add_index(&name, false, halves);
        }
    }

    /// The block that an answer has of it; transactions repeat each figure under a name of its own.
    pub fn to_json(&self, table: &str, detail: Detail, repeated_as: Option<&str>) -> Json {
        let figures = |halves: u64| -> Map<String, Json> {
            let units = Json::from(halves as f64 / 2.0);
            let mut figures = Map::from_iter([("CapacityUnits".to_owned(), units.clone())]);
            if let Some(name) = repeated_as {
                figures.insert(name.to_owned(), units);
            }
            figures
        };
        let indexes = [("GlobalSecondaryIndexes", &self.global), ("LocalSecondaryIndexes", &self.local)];
        let total = self.table + indexes.iter().flat_map(|(_, indexes)| indexes.values()).sum::<u64>();
        let mut block = figures(total);
        block.insert("TableName".to_owned(), json!(table));
        if detail == Detail::Indexes {
            block.insert("Table".to_owned(), figures(self.table).into());
            for (member, indexes) in indexes.into_iter().filter(|(_, indexes)| !indexes.is_empty()) {
                let arms: Map<String, Json> =
                    indexes.iter().map(|(name, halves)| (name.clone(), figures(*halves).into())).collect();
                block.insert(member.to_owned(), arms.into());
            }
        }
        block.into()
    }
}

/// The list of blocks of a request about several tables, in the order in which it names them.
#[derive(Debug, Default)]
pub struct ConsumedByTable(Vec<(String, Consumed)>);

impl ConsumedByTable {
    /// Adds what was consumed of one table.
    pub fn add(&mut self, table: &str, consumed: Consumed) {
        match self.0.iter_mut().find(|(name, _)| name == table) {
            Some((_, sum)) => sum.add(consumed),
            None => self.0.push((table.to_owned(), consumed)),
        }
    }

    /// Puts the list into an answer, if it is wanted.
    pub fn tell(&self, body: &mut Json, detail: Detail, repeated_as: Option<&str>) {
        if detail != Detail::None {
            let blocks = self.0.iter().map(|(table, consumed)| consumed.to_json(table, detail, repeated_as));
            body["ConsumedCapacity"] = blocks.collect();
        }
    }
}
