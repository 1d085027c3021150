//! What a request did and cost.
//!
//! A trace is made only when a call asks for it, while the request runs; it holds the same
//! [`Charge`]s that the answer's `ConsumedCapacity` is written from.

mod json;
mod text;

pub(crate) use json::hash_text;

use keyplan_value::Item;

use crate::capacity::{Charge, Units, Work};
use crate::figures::Consumed;

/// The record of one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The operation, such as `Query`.
    pub operation: &'static str,
    /// What it touched: one entry for the table, and one for each index.
    pub accesses: Vec<Access>,
}

/// The record of one table or index in a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// The table.
    pub table: String,
    /// The index, if it wasn't the table itself.
    pub index: Option<String>,
    /// The partitions touched, in the order they were met.
    pub partitions: Vec<Partition>,
    /// Everything that was read, before filter and projection; it is what a read is charged for.
    pub examined: Tally,
    /// What the answer holds of it: the items, at their full size.
    pub returned: Tally,
    /// Why a read went no further; nothing for a write.
    pub stopped: Option<Stopped>,
    /// The item's size before and after a write; nothing for a read.
    pub change: Option<SizeChange>,
    /// The cost.
    pub charge: Charge,
}

/// A partition in a trace: a partition key value's items.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The hash that places the partition.
    pub hash: u32,
    /// The partition key.
    pub partition_key: Item,
    /// Stretches of items that were read one after the other.
    pub runs: Vec<Run>,
    /// The keys of the items that the answer holds.
    pub returned: Vec<Item>,
    /// The bytes of those items.
    pub returned_bytes: u64,
}

/// Items read one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The key of the first.
    pub first: Item,
    /// The key of the last.
    pub last: Item,
    /// How many there are.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Partition {
    fn note_returned(&mut self, key: &Item, bytes: u64, returned: bool) {
        if returned {
            self.returned.push(key.clone());
            self.returned_bytes += bytes;
        }
    }
}

impl Run {
    fn of_one(key: Item, bytes: u64) -> Run {
        Run { first: key.clone(), last: key, items: 1, bytes }
    }
}

/// Items and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many items.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Tally {
    /// Counts one item more.
    pub fn add(&mut self, bytes: u64) {
        self.items += 1;
        self.bytes += bytes;
    }
}

/// Why a read ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// There is nothing more.
    End,
    /// As many items as `Limit` allows were examined.
    Limit,
    /// A page's bytes are full.
    Size,
}

/// An item's size before and after a write; 0 where there is no item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeChange {
    /// Bytes before.
    pub before: u64,
    /// Bytes after.
    pub after: u64,
}

impl Trace {
    /// The read units of all accesses.
    pub fn read_units(&self) -> Units {
        self.accesses.iter().map(Access::read_units).sum()
    }

    /// The write units of all accesses.
    pub fn write_units(&self) -> Units {
        self.accesses.iter().map(Access::write_units).sum()
    }

    /// Writes the trace as one JSON object.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        json::write_trace(self, out);
    }

    /// The trace as JSON text.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut json);
        String::from_utf8_lossy(&json).into_owned()
    }
}

impl Access {
    /// The read units.
    pub fn read_units(&self) -> Units {
        match self.charge.work() {
            Work::Read(_) => self.charge.units(),
            Work::Write | Work::VectorSearch | Work::VectorWrite => Units::ZERO,
        }
    }

    /// The write units.
    pub fn write_units(&self) -> Units {
        match self.charge.work() {
            Work::Read(_) | Work::VectorSearch | Work::VectorWrite => Units::ZERO,
            Work::Write => self.charge.units(),
        }
    }
}

/// Adds up what one request costs, and collects its trace, if there shall be one.
#[derive(Debug)]
pub struct Tracer<'a> {
    operation: &'static str,
    accesses: Option<Vec<Access>>,
    consumed: Option<&'a Consumed>,
}

impl<'a> Tracer<'a> {
    /// A collector that collects only when a trace is wanted, and adds to what the engine has consumed.
    pub(crate) fn new(operation: &'static str, wanted: bool, consumed: &'a Consumed) -> Tracer<'a> {
        Tracer { operation, accesses: wanted.then(Vec::new), consumed: Some(consumed) }
    }

    /// A collector of nothing, for a look whose cost is told elsewhere.
    pub(crate) fn untold(operation: &'static str) -> Tracer<'a> {
        Tracer { operation, accesses: None, consumed: None }
    }

    /// Whether anything is collected.
    pub fn is_wanted(&self) -> bool {
        self.accesses.is_some()
    }

    /// Notes an access and what it costs; `access` is called only when a trace is wanted.
    pub fn record(&mut self, charge: Charge, access: impl FnOnce() -> Access) {
        if let Some(consumed) = self.consumed {
            consumed.add(charge);
        }
        if let Some(accesses) = &mut self.accesses {
            accesses.push(access());
        }
    }

    /// The trace, if one is wanted.
    pub fn finish(self) -> Option<Trace> {
        let operation = self.operation;
        self.accesses.map(|accesses| Trace { operation, accesses })
    }
}

/// Collects the partitions of a trace while items are read in order.
#[derive(Debug, Default)]
pub(crate) struct PartitionLog {
    partitions: Vec<Partition>,
}

impl PartitionLog {
    /// Notes an item that was read behind the one before: the hash and the keys of its place, its bytes,
    /// and whether the answer holds it.
    pub(crate) fn examined(&mut self, hash: u32, partition_key: Item, key: Item, bytes: u64, returned: bool) {
        let Some(partition) = self.partition(hash, partition_key) else { return };
        partition.note_returned(&key, bytes, returned);
        match partition.runs.last_mut() {
            Some(run) => {
                run.last = key;
                run.items += 1;
                run.bytes += bytes;
            }
            None => partition.runs.push(Run::of_one(key, bytes)),
        }
    }

    /// Notes an item that was read by its key alone.
    pub(crate) fn picked(&mut self, hash: u32, partition_key: Item, key: Item, bytes: u64, returned: bool) {
        let Some(partition) = self.partition(hash, partition_key) else { return };
        partition.note_returned(&key, bytes, returned);
        partition.runs.push(Run::of_one(key, bytes));
    }

    /// Notes that the answer holds an item of a partition that was noted before, or not for want of room.
    pub(crate) fn returned(&mut self, hash: u32, partition_key: Item, key: &Item, bytes: u64) {
        let noted =
            |partition: &Partition| partition.hash == hash && partition.partition_key == partition_key;
        let at = match self.partitions.iter().position(noted) {
            Some(at) => at,
            None => {
                self.partition_touched(hash, partition_key);
                self.partitions.len() - 1
            }
        };
        if let Some(partition) = self.partitions.get_mut(at) {
            partition.note_returned(key, bytes, true);
        }
    }

    /// How many partitions were noted.
    pub(crate) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// The partition that is being read.
    fn partition(&mut self, hash: u32, partition_key: Item) -> Option<&mut Partition> {
        let is_last = self
            .partitions
            .last()
            .is_some_and(|last| last.hash == hash && last.partition_key == partition_key);
        if !is_last {
            self.partition_touched(hash, partition_key);
        }
        self.partitions.last_mut()
    }

    /// Notes a partition that was looked into, whether or not anything is found there.
    pub(crate) fn partition_touched(&mut self, hash: u32, partition_key: Item) {
        self.partitions.push(Partition {
            hash,
            partition_key,
            runs: Vec::new(),
            returned: Vec::new(),
            returned_bytes: 0,
        });
    }

    /// The partitions, in the order they were met.
    pub(crate) fn into_partitions(self) -> Vec<Partition> {
        self.partitions
    }
}
