//! Random values, keys and items.

use super::Generator;
use crate::model::Table;
use crate::value::{Item, Number, Value};

/// Texts: prefixes of each other, letters of more than one byte, and one that needs two UTF-16 units.
const TEXTS: [&str; 10] = ["a", "ab", "abc", "b", "B", "é", "😀", "z#1", "z#2", "~"];

/// Numbers, in ten-thousandths.
const NUMBERS: [i128; 12] =
    [0, 10_000, 20_000, -10_000, 15_000, 100_000, 1_000_000, -5, 1_234_567, 9_999, 10_010_000, -123_000_000];

/// Bytes.
const BYTES: [&[u8]; 7] = [&[0], &[0, 0], &[0, 255], &[1], &[127, 1], &[255], &[255, 255, 0]];

/// A text long enough that an item costs more than one unit, and one that an item of a few makes a page of.
const LONG: usize = 1_500;
const LARGE: usize = 110_000;

impl Generator {
    /// A value that may be a key.
    pub(super) fn key_value(&mut self, kind: &str) -> Value {
        match kind {
            "N" => Value::N(Number(self.one_of(&NUMBERS))),
            "B" => Value::B(self.one_of(&BYTES).to_vec()),
            _ => Value::s(self.one_of(&TEXTS)),
        }
    }

    /// A key that an item of the table may have.
    pub(super) fn new_key(&mut self, table: &Table) -> Item {
        let attributes: Vec<(String, &str)> = table.spec.key.attributes().cloned().collect();
        attributes.into_iter().map(|(name, kind)| (name, self.key_value(kind))).collect()
    }

    /// A value of any type, nested at most so deep.
    pub(super) fn value(&mut self, depth: u32) -> Value {
        match self.rng.u32(0..if depth == 0 { 20 } else { 26 }) {
            0..5 => Value::s(self.one_of(&TEXTS)),
            5 => Value::s(""),
            6..11 => Value::N(Number(self.one_of(&NUMBERS))),
            11..13 => Value::B(self.one_of(&BYTES).to_vec()),
            13 => Value::Bool(self.rng.bool()),
            14 => Value::Null,
            15 if self.one_in(4) => self.long_text(),
            15..17 => self.set("SS"),
            17..19 => self.set("NS"),
            19 => self.set("BS"),
            20..23 => self.list(depth - 1),
            _ => self.map(depth - 1),
        }
    }

    fn long_text(&mut self) -> Value {
        let length = if self.has_large_items { LARGE } else { LONG };
        Value::S("x".repeat(self.rng.usize(length / 2..length)))
    }

    pub(super) fn set(&mut self, kind: &str) -> Value {
        let count = self.rng.usize(1..4);
        match kind {
            "SS" => Value::Ss((0..count).map(|_| self.one_of(&TEXTS).to_owned()).collect()),
            "NS" => Value::Ns((0..count).map(|_| Number(self.one_of(&NUMBERS))).collect()),
            _ => Value::Bs((0..count).map(|_| self.one_of(&BYTES).to_vec()).collect()),
        }
    }

    pub(super) fn list(&mut self, depth: u32) -> Value {
        Value::L((0..self.rng.usize(0..4)).map(|_| self.value(depth)).collect())
    }

    pub(super) fn map(&mut self, depth: u32) -> Value {
        let names = ["x", "yy", "z"];
        Value::M(names.into_iter().filter_map(|name| Some((name.to_owned(), self.member(depth)?))).collect())
    }

    fn member(&mut self, depth: u32) -> Option<Value> {
        self.rng.bool().then(|| self.value(depth))
    }

    /// A value that an attribute usually has.
    pub(super) fn usual_value(&mut self, name: &str, now: u64) -> Value {
        match name {
            "g1" | "l1" => self.key_value("S"),
            "g2" | "l2" => self.key_value("N"),
            "g3" => self.key_value("B"),
            "num" => Value::N(Number(self.one_of(&NUMBERS))),
            "tags" => self.set("SS"),
            "nums" => self.set("NS"),
            "bins" => self.set("BS"),
            "lst" => self.list(2),
            "doc" => self.map(2),
            super::EXPIRES => self.expiry_time(now),
            _ => self.value(1),
        }
    }

    /// A time to expire: mostly soon, sometimes never.
    fn expiry_time(&mut self, now: u64) -> Value {
        match self.rng.u32(0..8) {
            // Longer ago than anything expires.
            0 => Value::n(1_000_000_000),
            // No number, so no time.
            1 => Value::s("1700000000"),
            _ => Value::n(i128::from(now / 1_000) + i128::from(self.rng.u32(1..20_000))),
        }
    }

    /// An attribute's name.
    pub(super) fn attribute(&mut self) -> String {
        const NAMES: [&str; 14] =
            ["a", "b", "num", "tags", "nums", "bins", "lst", "doc", "g1", "g2", "g3", "l1", "l2", "cc"];
        self.one_of(&NAMES).to_owned()
    }

    /// An item with a key.
    pub(super) fn item(&mut self, key: Item, now: u64) -> Item {
        let mut item = key;
        for name in
            ["a", "b", "num", "tags", "nums", "bins", "lst", "doc", "g1", "g2", "g3", "l1", "l2", "cc"]
        {
            if self.rng.bool() {
                let value = self.usual_value(name, now);
                item.insert(name.to_owned(), value);
            }
        }
        if self.one_in(3) {
            let time = self.expiry_time(now);
            item.insert(super::EXPIRES.to_owned(), time);
        }
        item
    }

    /// What is wrong with an item now and then: a key of another type or none, or an index's key that is none.
    pub(super) fn spoil(&mut self, table: &Table, item: &mut Item) {
        let (partition, _) = &table.spec.key.partition;
        match self.rng.u32(0..9) {
            6 => {
                item.insert(partition.clone(), Value::S("x".repeat(2_049)));
            }
            7 => {
                item.insert("sk".to_owned(), Value::S("x".repeat(1_025)));
            }
            8 => {
                item.insert("g1".to_owned(), Value::S("x".repeat(2_049)));
            }
            0 => {
                item.remove(partition);
            }
            1 => {
                item.insert(partition.clone(), Value::Bool(true));
            }
            2 => {
                item.insert(partition.clone(), Value::s(""));
            }
            3 => {
                item.insert("g1".to_owned(), Value::n(1));
            }
            4 => {
                item.insert("g1".to_owned(), Value::s(""));
            }
            _ => {
                item.insert("l2".to_owned(), Value::Null);
            }
        }
    }

    /// The same of a key: one too few, one too many, or another type.
    pub(super) fn spoil_key(&mut self, key: &mut Item) {
        match self.rng.u32(0..4) {
            3 => {
                key.insert("pk".to_owned(), Value::S("x".repeat(2_049)));
            }
            0 => {
                key.insert("cc".to_owned(), Value::n(1));
            }
            1 => {
                key.insert("pk".to_owned(), Value::Bool(false));
            }
            _ => {
                let first = key.keys().next().cloned().unwrap_or_default();
                key.insert(first, Value::s(""));
            }
        }
    }
}
