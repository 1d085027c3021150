//! Random steps: what a busy client might do, and what goes wrong now and then.
//!
//! Values come from small pools, so that keys meet, conditions hold about half of the time, and sets overlap.

mod expressions;
mod reads;
mod tables;
mod values;
mod writes;

use fastrand::Rng;

use crate::model::{Model, Table};
use crate::request::{Detail, Request, Step};
use crate::value::Item;

/// The tables of a world.
const TABLES: [&str; 3] = ["Alpha", "Beta", "Gamma"];

/// A name that no table has.
const NO_TABLE: &str = "Nowhere";

/// The attribute by which items expire.
const EXPIRES: &str = "expires";

/// A second, a minute, an hour, four, and more than a day. Each is odd, so that nothing is due at the very end.
const WAITS: [u64; 5] = [1_013, 60_017, 3_600_019, 4 * 3_600_023, 25 * 3_600_029];

/// Makes steps from chance.
#[derive(Debug)]
pub struct Generator {
    rng: Rng,
    /// Whether some items are large, so that pages fill.
    has_large_items: bool,
    /// How many transactions had a token.
    tokens: u64,
}

impl Generator {
    /// A generator whose steps depend on the seed alone, and on the worlds they are made for.
    pub fn new(seed: u64, has_large_items: bool) -> Generator {
        Generator { rng: Rng::with_seed(seed), has_large_items, tokens: 0 }
    }

    /// The first steps: tables.
    pub fn beginning(&mut self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for name in TABLES {
            let table = self.table_spec(name);
            steps.push(Step::Request(Box::new(Request::Create(table))));
            if self.one_in(2) {
                steps.push(Step::Request(Box::new(Request::Expire(name.to_owned(), EXPIRES.to_owned()))));
            }
        }
        steps
    }

    /// The next step.
    pub fn step(&mut self, model: &Model, now: u64) -> Step {
        let request = match self.rng.u32(0..1_000) {
            0..4 => return Step::Advance(self.one_of(&WAITS)),
            4..7 => return Step::Reopen,
            7..12 => return Step::ReadStream(self.any_table(model).spec.name.clone()),
            12..16 => self.change_of_indexes(model),
            16..20 => Request::Describe(self.any_table(model).spec.name.clone()),
            20..23 => self.expire(model),
            23..26 => self.change_of_stream(model),
            26..30 => self.come_and_go(model),
            30..36 => {
                let request = match self.rng.u32(0..3) {
                    0 => self.batch_write(model, now),
                    1 => self.transact_write(model, now),
                    _ => self.single_write(model, now),
                };
                return Step::KillDuring(Box::new(request), self.rng.u64(0..100_000));
            }
            36..440 => self.single_write(model, now),
            440..530 => self.get(model),
            530..700 => self.query(model),
            700..780 => self.scan(model),
            780..830 => self.batch_get(model),
            830..890 => self.batch_write(model, now),
            890..930 => self.transact_get(model),
            _ => self.transact_write(model, now),
        };
        Step::Request(Box::new(request))
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.rng.u32(0..count) == 0
    }

    fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.rng.usize(0..choices.len())].clone()
    }

    fn any_table<'m>(&mut self, model: &'m Model) -> &'m Table {
        let tables: Vec<&Table> = model.tables.values().collect();
        tables[self.rng.usize(0..tables.len())]
    }

    /// A table's name; seldom one that isn't there.
    fn name_of(&mut self, table: &Table) -> String {
        if self.one_in(200) { NO_TABLE.to_owned() } else { table.spec.name.clone() }
    }

    fn detail(&mut self) -> Detail {
        self.one_of(&[Detail::None, Detail::Total, Detail::Indexes, Detail::Indexes])
    }

    /// The key of an item that is there, or else one that may be.
    fn key(&mut self, table: &Table) -> Item {
        let count = table.items.len();
        if count > 0 && !self.one_in(3) {
            let item = table.items.values().nth(self.rng.usize(0..count));
            let is_key = |(name, _): &(&String, &crate::value::Value)| table.spec.key.has(name);
            let key = item.into_iter().flatten().filter(is_key);
            return key.map(|(name, value)| (name.clone(), value.clone())).collect();
        }
        self.new_key(table)
    }
}
