//! Random reads.

use super::Generator;
use crate::expression::{Comparator, Condition, Operand, Path};
use crate::model::{Model, Table};
use crate::order::SEGMENTS;
use crate::request::{GetBlock, Index, KeySchema, Read, Request, Shown, SortTest};
use crate::value::{Item, Value};

impl Generator {
    /// GetItem.
    pub(super) fn get(&mut self, model: &Model) -> Request {
        let table = self.any_table(model);
        let mut key = self.key(table);
        if self.one_in(60) {
            self.spoil_key(&mut key);
        }
        Request::Get {
            table: self.name_of(table),
            key,
            paths: self.some_paths(),
            is_consistent: self.rng.bool(),
            detail: self.detail(),
        }
    }

    fn some_paths(&mut self) -> Option<Vec<Path>> {
        self.one_in(3).then(|| self.paths())
    }

    /// BatchGetItem.
    pub(super) fn batch_get(&mut self, model: &Model) -> Request {
        let mut tables = Vec::new();
        for table in model.tables.values() {
            let mut keys: Vec<Item> = Vec::new();
            for _ in 0..self.rng.usize(0..8) {
                let key = self.key(table);
                if !keys.contains(&key) || self.one_in(60) {
                    keys.push(key);
                }
            }
            if !keys.is_empty() {
                let (paths, is_consistent) = (self.some_paths(), self.rng.bool());
                tables.push(GetBlock { table: table.spec.name.clone(), keys, paths, is_consistent });
            }
        }
        match tables.is_empty() {
            true => self.get(model),
            false => Request::BatchGet(tables, self.detail()),
        }
    }

    /// TransactGetItems.
    pub(super) fn transact_get(&mut self, model: &Model) -> Request {
        let mut gets: Vec<(String, Item, Option<Vec<Path>>)> = Vec::new();
        for _ in 0..self.rng.usize(1..6) {
            let table = self.any_table(model);
            let mut key = self.key(table);
            if self.one_in(60) {
                self.spoil_key(&mut key);
            }
            let is_double = gets.iter().any(|(name, known, _)| *name == table.spec.name && *known == key);
            if !is_double || self.one_in(30) {
                gets.push((table.spec.name.clone(), key, self.some_paths()));
            }
        }
        Request::TransactGet(gets, self.detail())
    }

    fn source<'t>(&mut self, table: &'t Table) -> Option<&'t Index> {
        let count = table.spec.indexes.len();
        (count > 0 && self.one_in(2)).then(|| &table.spec.indexes[self.rng.usize(0..count)])
    }

    fn read(&mut self, table: &Table, index: Option<&Index>, filter: Option<Condition>) -> Read {
        let shown = match self.rng.u32(0..10) {
            0..5 => Shown::Default,
            5..8 => Shown::Paths(self.paths()),
            8 => Shown::All,
            _ => Shown::Count,
        };
        let index_name = match self.one_in(150) {
            true => Some("gx.absent.absence".to_owned()),
            false => index.map(|index| index.name.clone()),
        };
        let is_global = index.is_some_and(|index| index.is_global);
        Read {
            table: self.name_of(table),
            index: index_name,
            filter,
            shown,
            limit: self.rng.bool().then(|| self.rng.u64(1..6)),
            start: None,
            is_legacy: false,
            is_consistent: if is_global { self.one_in(60) } else { self.rng.bool() },
            pages: if self.rng.bool() { 4 } else { 1 },
            detail: self.detail(),
        }
    }

    /// Names whole attributes in the place of paths, as the parameters from before expressions do.
    fn make_legacy_read(&mut self, read: &mut Read, is_legacy: bool) {
        read.is_legacy = is_legacy;
        if let Shown::Paths(paths) = &mut read.shown
            && is_legacy
        {
            for path in paths.iter_mut() {
                path.inner.clear();
            }
            paths.sort();
            paths.dedup();
        }
    }

    /// A filter that looks at no key of what is read; a Query refuses another.
    fn filter(&mut self, table: &Table, index: Option<&Index>) -> Option<Condition> {
        if !self.one_in(3) {
            return None;
        }
        let schema = index.map_or(&table.spec.key, |index| &index.key);
        let item = table.items.values().next();
        let condition = self.condition(item, 2);
        let mut names = Vec::new();
        attributes(&condition, &mut names);
        (!names.iter().any(|name| schema.has(name))).then_some(condition)
    }

    /// Query.
    pub(super) fn query(&mut self, model: &Model) -> Request {
        let table = self.any_table(model);
        let index = self.source(table);
        let schema = index.map_or(&table.spec.key, |index| &index.key);
        let mut filter = self.filter(table, index);
        let is_legacy = self.one_in(6);
        if is_legacy && filter.is_some() {
            let condition = self.legacy_condition();
            let mut names = Vec::new();
            attributes(&condition, &mut names);
            filter = (!names.iter().any(|name| schema.has(name))).then_some(condition);
        }
        let mut read = self.read(table, index, filter);
        self.make_legacy_read(&mut read, is_legacy);
        let partition = self.partition(table, schema);
        let sort = match &schema.sort {
            Some((_, kind)) if self.rng.bool() => Some(self.sort_test(kind)),
            _ => None,
        };
        // A key to begin after, which need not be there. With a condition on the sort key it would have to
        // meet that.
        if sort.is_none() && self.one_in(10) && read.index == index.map(|index| index.name.clone()) {
            let mut start = self.new_key(table);
            for (name, kind) in schema.attributes() {
                if !start.contains_key(name) {
                    start.insert(name.clone(), self.key_value(kind));
                }
            }
            start.insert(schema.partition.0.clone(), partition.clone());
            // Where the sort key isn't part of the table's key, or there is none, the partition is all there is.
            let is_free = index.is_none() == table.spec.key.sort.is_some();
            if is_free || index.is_some() {
                read.start = Some(start);
            }
        }
        Request::Query { read, partition, sort, is_forward: self.rng.bool() }
    }

    /// A partition of what is read; seldom of another type.
    fn partition(&mut self, table: &Table, schema: &KeySchema) -> Value {
        let (name, kind) = &schema.partition;
        let known: Vec<&Value> = table
            .items
            .values()
            .filter_map(|item| item.get(name))
            .filter(|value| value.kind() == *kind && !value.is_empty_text())
            .collect();
        match known.is_empty() || self.one_in(8) {
            true if self.one_in(10) => self.key_value(if *kind == "S" { "N" } else { "S" }),
            true => self.key_value(kind),
            false => known[self.rng.usize(0..known.len())].clone(),
        }
    }

    fn sort_test(&mut self, kind: &str) -> SortTest {
        let value = self.key_value(kind);
        match self.rng.u32(0..8) {
            0 | 1 => {
                let mut bounds = [value, self.key_value(kind)];
                bounds.sort();
                let [low, high] = bounds;
                SortTest::Between(low, high)
            }
            2 | 3 if kind != "N" => SortTest::BeginsWith(value),
            _ => {
                let comparators = [
                    Comparator::Equal,
                    Comparator::Less,
                    Comparator::LessOrEqual,
                    Comparator::Greater,
                    Comparator::GreaterOrEqual,
                ];
                SortTest::Compare(self.one_of(&comparators), value)
            }
        }
    }

    /// Scan.
    pub(super) fn scan(&mut self, model: &Model) -> Request {
        let table = self.any_table(model);
        let index = self.source(table);
        let is_legacy = self.one_in(6);
        let filter = self.one_in(3).then(|| match is_legacy {
            true => self.legacy_condition(),
            false => self.condition(table.items.values().next(), 2),
        });
        let mut read = self.read(table, index, filter);
        self.make_legacy_read(&mut read, is_legacy);
        if index.is_none() && read.index.is_none() && self.one_in(10) {
            read.start = Some(self.new_key(table));
        }
        let segment = self.one_in(4).then(|| {
            let total = self.one_of(&SEGMENTS);
            (self.rng.u64(0..total), total)
        });
        Request::Scan { read, segment }
    }
}

/// The attributes that a condition looks at.
fn attributes<'c>(condition: &'c Condition, names: &mut Vec<&'c String>) {
    let mut operand = |operand: &'c Operand| match operand {
        Operand::Path(path) | Operand::Size(path) => names.push(&path.attribute),
        Operand::Value(_) => {}
    };
    match condition {
        Condition::Compare(_, left, right) => [left, right].into_iter().for_each(operand),
        Condition::Between(value, low, high) => [value, low, high].into_iter().for_each(operand),
        Condition::In(value, others) => std::iter::once(value).chain(others).for_each(operand),
        Condition::Exists(path) | Condition::NotExists(path) | Condition::Type(path, _) => {
            names.push(&path.attribute);
        }
        Condition::BeginsWith(path, other)
        | Condition::Contains(path, other)
        | Condition::Lacks(path, other) => {
            operand(other);
            names.push(&path.attribute);
        }
        Condition::And(one, other) | Condition::Or(one, other) => {
            attributes(one, names);
            attributes(other, names);
        }
        Condition::Not(condition) => attributes(condition, names),
    }
}
