//! Capacity units: what a request is charged.
//!
//! A [`Charge`] is one sum of bytes turned into units, and it remembers how: the `ConsumedCapacity`
//! of an answer and the arithmetic of a [trace](crate::trace) are two ways to write down the same
//! charge. Nothing else in the engine computes units.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use keyplan_value::json::Writer;

use crate::catalog::{IndexDefinition, IndexScope, VectorIndexDefinition};
use crate::limits::{
    READ_UNIT_BYTES, VECTOR_REQUEST_BYTES_MIN, VECTOR_SEARCH_BYTES_OF_DIMENSIONS, WRITE_UNIT_BYTES,
};

/// Capacity units, exact: the service charges in halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Units {
    halves: u64,
}

impl Units {
    /// No units.
    pub const ZERO: Units = Units { halves: 0 };

    /// Whole units.
    pub const fn whole(units: u64) -> Units {
        Units { halves: units.saturating_mul(2) }
    }

    /// Half units.
    pub const fn halves(halves: u64) -> Units {
        Units { halves }
    }

    /// How many halves of a unit.
    pub const fn in_halves(self) -> u64 {
        self.halves
    }

    /// The units as a floating-point number, exact for every charge that can occur.
    pub fn as_f64(self) -> f64 {
        self.halves as f64 / 2.0
    }
}

impl Add for Units {
    type Output = Units;

    fn add(self, other: Units) -> Units {
        Units { halves: self.halves.saturating_add(other.halves) }
    }
}

impl Sum for Units {
    fn sum<I: Iterator<Item = Units>>(units: I) -> Units {
        units.fold(Units::ZERO, Add::add)
    }
}

/// The service's form: always one decimal, `1.0` or `0.5`.
impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.halves / 2, if self.halves % 2 == 1 { 5 } else { 0 })
    }
}

/// How sure a read is to see every write that was acknowledged before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consistency {
    /// Half price.
    Eventual,
    /// Full price.
    Strong,
}

/// What kind of work is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Read units.
    Read(Consistency),
    /// Write units.
    Write,
    /// Bytes of a search in a vector index; no units.
    VectorSearch,
    /// Bytes written to a vector index; no units.
    VectorWrite,
}

impl Work {
    fn unit_bytes(self) -> u64 {
        match self {
            Work::Read(_) => READ_UNIT_BYTES,
            Work::Write => WRITE_UNIT_BYTES,
            Work::VectorSearch | Work::VectorWrite => 1,
        }
    }

    /// Whether it is charged by bytes rather than units.
    pub fn is_of_vectors(self) -> bool {
        matches!(self, Work::VectorSearch | Work::VectorWrite)
    }

    /// Units that nothing costs less than; bytes, of what is charged by them.
    fn least(self) -> u64 {
        if self.is_of_vectors() { VECTOR_REQUEST_BYTES_MIN } else { 1 }
    }
}

/// Bytes, and the units they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    work: Work,
    bytes: u64,
    /// Units of bytes, rounded up.
    rounded: u64,
    /// How many sums of bytes were rounded, each by itself.
    parts: u64,
    transactional: bool,
}

/// One line of a charge's arithmetic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// The bytes that count.
    Bytes(u64),
    /// The bytes in units of `by` bytes, in ten-thousandths.
    Divide {
        /// Bytes of one unit.
        by: u64,
        /// The quotient times 10,000, rounded.
        ten_thousandths: u64,
    },
    /// The quotient rounded up.
    RoundUp {
        /// How many sums were rounded, each by itself.
        parts: u64,
        /// What they come to.
        value: u64,
    },
    /// Nothing costs less than one unit, or than these bytes where bytes are charged.
    Minimum(u64),
    /// What the consistency, or a transaction, makes of it.
    Factor {
        /// The factor.
        by: Units,
        /// Why it applies.
        because: &'static str,
        /// The product.
        value: Units,
    },
}

impl Charge {
    /// A read of `bytes`: the bytes of every item examined, before filter and projection.
    pub fn read(bytes: u64, consistency: Consistency) -> Charge {
        Charge::new(Work::Read(consistency), bytes)
    }

    /// A write that turned an item of `before` bytes into one of `after`; 0 where there is none.
    /// The larger of the two counts, so a shrinking item still costs what it was.
    pub fn write(before: u64, after: u64) -> Charge {
        Charge::new(Work::Write, before.max(after))
    }

    /// A write to a vector index that turned an entry of `before` bytes into one of `after`; 0 where there is
    /// none.
    pub fn vector_write(before: u64, after: u64) -> Charge {
        Charge::new(Work::VectorWrite, before.max(after))
    }

    /// A search in a vector index of so many dimensions, with what is told of the entries it finds: their bytes
    /// without the vectors. The service's figure depends on the way of its search, which differs from one
    /// to the next, and was measured near this.
    pub fn vector_search(dimensions: u32, found: u64) -> Charge {
        let (bytes, per) = VECTOR_SEARCH_BYTES_OF_DIMENSIONS;
        let looked_at = u64::from(dimensions).saturating_mul(bytes).div_ceil(per);
        Charge::new(Work::VectorSearch, looked_at.saturating_add(found))
    }

    fn new(work: Work, bytes: u64) -> Charge {
        let rounded = bytes.div_ceil(work.unit_bytes()).max(work.least());
        Charge { work, bytes, rounded, parts: 1, transactional: false }
    }

    /// The same work as part of a transaction: at twice the price.
    #[must_use]
    pub fn in_transaction(self) -> Charge {
        Charge { transactional: true, ..self }
    }

    /// This and another charge of the same work, each rounded by itself.
    #[must_use]
    pub fn and(self, other: Charge) -> Charge {
        Charge {
            bytes: self.bytes.saturating_add(other.bytes),
            rounded: self.rounded.saturating_add(other.rounded),
            parts: self.parts.saturating_add(other.parts),
            ..self
        }
    }

    /// What is charged.
    pub fn work(self) -> Work {
        self.work
    }

    /// Whether it is part of a transaction.
    pub(crate) fn is_transactional(self) -> bool {
        self.transactional
    }

    /// The bytes that count.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// The units.
    pub fn units(self) -> Units {
        let units = self.units_outside_transactions();
        if self.transactional { units + units } else { units }
    }

    fn units_outside_transactions(self) -> Units {
        match self.work {
            Work::Read(Consistency::Eventual) => Units::halves(self.rounded),
            Work::Read(Consistency::Strong) | Work::Write => Units::whole(self.rounded),
            Work::VectorSearch | Work::VectorWrite => Units::ZERO,
        }
    }

    /// The bytes that the rounded units stand for; at least [`Charge::bytes`].
    pub fn charged_bytes(self) -> u64 {
        self.rounded.saturating_mul(self.work.unit_bytes())
    }

    /// The bytes that are charged themselves, in place of units, if they are.
    pub fn request_bytes(self) -> Option<u64> {
        self.work.is_of_vectors().then_some(self.rounded)
    }

    /// The arithmetic from the bytes to the units, in order.
    pub fn steps(self) -> Vec<Step> {
        if self.work.is_of_vectors() {
            let is_raised = self.rounded > self.bytes;
            let raised = is_raised.then_some(Step::Minimum(self.rounded));
            return std::iter::once(Step::Bytes(self.bytes)).chain(raised).collect();
        }
        let by = self.work.unit_bytes();
        let quotient = self.bytes.saturating_mul(10_000).saturating_add(by / 2) / by;
        let mut steps = vec![Step::Bytes(self.bytes), Step::Divide { by, ten_thousandths: quotient }];
        steps.push(match self.bytes {
            0 => Step::Minimum(self.rounded),
            _ => Step::RoundUp { parts: self.parts, value: self.rounded },
        });
        if let Work::Read(consistency) = self.work {
            let (by, because) = match consistency {
                Consistency::Eventual => (Units::halves(1), "eventually consistent"),
                Consistency::Strong => (Units::whole(1), "strongly consistent"),
            };
            steps.push(Step::Factor { by, because, value: self.units_outside_transactions() });
        }
        if self.transactional {
            steps.push(Step::Factor { by: Units::whole(2), because: "transactional", value: self.units() });
        }
        steps
    }
}

/// How much of its cost an answer tells: the request's `ReturnConsumedCapacity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CapacityDetail {
    /// Nothing.
    #[default]
    None,
    /// The sum.
    Total,
    /// The sum, and what the table and each index touched had of it.
    Indexes,
}

impl CapacityDetail {
    /// From the request's text, which validation has found to be one of the three, or absent.
    pub fn from_request(text: Option<&str>) -> CapacityDetail {
        match text {
            Some("TOTAL") => CapacityDetail::Total,
            Some("INDEXES") => CapacityDetail::Indexes,
            _ => CapacityDetail::None,
        }
    }
}

/// What a request consumed of one table and its indexes.
#[derive(Debug, Clone, Default)]
pub struct Consumption<'t> {
    table: Units,
    /// What counts in the sum and in no part of it.
    apart: Units,
    /// The indexes that were touched, in the order in which they first were.
    indexes: Vec<(&'t IndexDefinition, Units)>,
    /// The bytes written to vector indexes, in the same order.
    vector_indexes: Vec<(&'t VectorIndexDefinition, u64)>,
}

impl<'t> Consumption<'t> {
    /// What the table itself consumed.
    pub fn of_table(units: Units) -> Consumption<'t> {
        Consumption { table: units, ..Consumption::default() }
    }

    /// What is charged to the table and shown in the sum alone.
    pub fn apart(units: Units) -> Consumption<'t> {
        Consumption { apart: units, ..Consumption::default() }
    }

    /// Adds what an index consumed.
    pub fn add_index(&mut self, index: &'t IndexDefinition, units: Units) {
        match self.indexes.iter_mut().find(|(touched, _)| touched.name == index.name) {
            Some((_, sum)) => *sum = *sum + units,
            None => self.indexes.push((index, units)),
        }
    }

    /// Adds bytes that were written to a vector index.
    pub fn add_vector_index(&mut self, index: &'t VectorIndexDefinition, bytes: u64) {
        match self.vector_indexes.iter_mut().find(|(touched, _)| touched.name == index.name) {
            Some((_, sum)) => *sum = sum.saturating_add(bytes),
            None => self.vector_indexes.push((index, bytes)),
        }
    }

    /// Adds what else was consumed of the same table and its indexes.
    pub fn add(&mut self, other: Consumption<'t>) {
        self.table = self.table + other.table;
        self.apart = self.apart + other.apart;
        for (index, units) in other.indexes {
            self.add_index(index, units);
        }
        for (index, bytes) in other.vector_indexes {
            self.add_vector_index(index, bytes);
        }
    }

    /// The units of the table and of all indexes.
    pub fn total(&self) -> Units {
        self.table + self.apart + self.indexes.iter().map(|(_, units)| *units).sum()
    }

    /// Writes the `ConsumedCapacity` member of an answer, if it is wanted. `table` is the table as the
    /// request named it.
    pub fn write(&self, detail: CapacityDetail, table: &str, json: &mut Writer<'_>) {
        if detail != CapacityDetail::None {
            json.name("ConsumedCapacity");
            self.write_object(detail, table, None, json);
        }
    }

    /// Writes it as one of several. Transactions repeat each figure under a name that says whether it was
    /// read or written.
    pub fn write_object(
        &self,
        detail: CapacityDetail,
        table: &str,
        repeated_as: Option<&str>,
        json: &mut Writer<'_>,
    ) {
        let figures = |units: Units, json: &mut Writer<'_>| {
            json.name("CapacityUnits").float(units.as_f64());
            if let Some(name) = repeated_as {
                json.name(name).float(units.as_f64());
            }
        };
        let part = |name: &str, units: Units, json: &mut Writer<'_>| {
            json.name(name).begin_object();
            figures(units, json);
            json.end_object();
        };
        json.begin_object().name("TableName").string(table);
        figures(self.total(), json);
        if detail == CapacityDetail::Indexes {
            part("Table", self.table, json);
            for scope in IndexScope::ALL {
                let mut touched = self.indexes.iter().filter(|(index, _)| index.scope == scope).peekable();
                if touched.peek().is_none() {
                    continue;
                }
                json.name(scope.member()).begin_object();
                for (index, units) in touched {
                    part(&index.name, *units, json);
                }
                json.end_object();
            }
            if !self.vector_indexes.is_empty() {
                json.name("VectorIndexes").begin_object();
                for (index, bytes) in &self.vector_indexes {
                    json.name(&index.name);
                    write_vector_capacity("VectorWriteRequestBytes", *bytes, json);
                }
                json.end_object();
            }
        }
        json.end_object();
    }
}

/// Writes what a vector index consumed: an object with one figure.
pub fn write_vector_capacity(name: &str, bytes: u64, json: &mut Writer<'_>) {
    // Far below 2^53, which a double holds.
    json.begin_object().name(name).float(bytes as f64).end_object();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_round_up_to_a_kilobyte_of_the_larger_image() {
        assert_eq!(Charge::write(0, 1_024).units(), Units::whole(1));
        assert_eq!(Charge::write(0, 1_025).units(), Units::whole(2));
        assert_eq!(Charge::write(1_025, 5).units(), Units::whole(2));
        assert_eq!(Charge::write(0, 0).units(), Units::whole(1), "a delete of nothing costs a unit");
    }

    #[test]
    fn eventual_reads_cost_half() {
        assert_eq!(Charge::read(4_097, Consistency::Strong).units().to_string(), "2.0");
        assert_eq!(Charge::read(4_097, Consistency::Eventual).units().to_string(), "1.0");
        assert_eq!(Charge::read(0, Consistency::Eventual).units().to_string(), "0.5");
    }

    #[test]
    fn the_arithmetic_leads_from_the_bytes_to_the_units() {
        let charge = Charge::read(310, Consistency::Eventual);
        assert_eq!(
            charge.steps(),
            [
                Step::Bytes(310),
                Step::Divide { by: 4_096, ten_thousandths: 757 },
                Step::RoundUp { parts: 1, value: 1 },
                Step::Factor {
                    by: Units::halves(1),
                    because: "eventually consistent",
                    value: Units::halves(1)
                },
            ]
        );
        assert_eq!(charge.charged_bytes(), 4_096);
        assert_eq!(Charge::write(0, 0).steps().last(), Some(&Step::Minimum(1)));
    }

    #[test]
    fn a_transaction_doubles_the_price_and_says_so() {
        let write = Charge::write(0, 1_025).in_transaction();
        assert_eq!(write.units(), Units::whole(4));
        let doubled = Step::Factor { by: Units::whole(2), because: "transactional", value: Units::whole(4) };
        assert_eq!(write.steps().last(), Some(&doubled));
        assert_eq!(Charge::read(0, Consistency::Strong).in_transaction().units(), Units::whole(2));
    }

    #[test]
    fn charges_that_are_rounded_by_themselves_cost_more_than_their_sum() {
        let one = Charge::read(30, Consistency::Eventual);
        let three = one.and(one).and(one);
        assert_eq!((three.bytes(), three.units()), (90, Units::halves(3)));
        assert_eq!(three.charged_bytes(), 3 * 4_096);
        assert_eq!(three.steps().get(2), Some(&Step::RoundUp { parts: 3, value: 3 }));
    }

    #[test]
    fn units_have_one_decimal() {
        let sum: Units = [Units::whole(1), Units::halves(1), Units::ZERO].into_iter().sum();
        assert_eq!(sum.to_string(), "1.5");
        assert_eq!(sum.as_f64(), 1.5);
        assert_eq!(Units::ZERO.to_string(), "0.0");
    }
}
