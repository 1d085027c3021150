//! A trace as text for people: what was read, what came back, and the sum behind the units.

use std::fmt;

use keyplan_value::Item;

use super::{Access, Partition, Run, Stopped, Tally, Trace, hash_text};
use crate::capacity::{Step, Units, Work};

/// The partitions of an access that are written out; the rest are counted.
const PARTITIONS_SHOWN_MAX: usize = 20;

/// The digits of a partition's hash that are shown, as its badge.
const BADGE_DIGITS: usize = 2;

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation)?;
        if self.accesses.is_empty() {
            return f.write_str(": no item was touched");
        }
        for access in &self.accesses {
            write!(f, "\n{access}")?;
        }
        write!(f, "\nin all: {}", Spent { read: self.read_units(), write: self.write_units() })
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}", self.table)?;
        if let Some(index) = &self.index {
            write!(f, ", index {index}")?;
        }
        match self.charge.work() {
            Work::Read(_) | Work::VectorSearch => {
                write!(f, ": examined {}, returned {}", self.examined, self.returned)?;
                f.write_str(match self.stopped {
                    Some(Stopped::Limit) => ", stopped by Limit",
                    Some(Stopped::Size) => ", stopped by the page's size",
                    Some(Stopped::End) | None => "",
                })?;
            }
            Work::Write | Work::VectorWrite => f.write_str(": write")?,
        }
        if let Some(change) = self.change {
            write!(f, ", {} bytes before, {} after", change.before, change.after)?;
        }
        for partition in self.partitions.iter().take(PARTITIONS_SHOWN_MAX) {
            write!(f, "\n    {partition}")?;
        }
        let more = self.partitions.len().saturating_sub(PARTITIONS_SHOWN_MAX);
        if more > 0 {
            write!(f, "\n    and {more} partitions more")?;
        }
        f.write_str("\n    ")?;
        for step in self.charge.steps() {
            match step {
                Step::Bytes(_) => {}
                Step::Divide { .. } | Step::Factor { .. } => f.write_str(" ")?,
                Step::RoundUp { .. } | Step::Minimum(_) => f.write_str(", ")?,
            }
            write!(f, "{step}")?;
        }
        match self.charge.request_bytes() {
            Some(bytes) => write!(f, ": {bytes} request bytes"),
            None => write!(f, ": {}", Spent { read: self.read_units(), write: self.write_units() }),
        }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = hash_text(self.hash);
        write!(f, "#{} {:?}", hash.get(..BADGE_DIGITS).unwrap_or(&hash), self.partition_key)?;
        if self.runs.is_empty() {
            return f.write_str(": nothing there");
        }
        for Run { first, last, items, bytes } in &self.runs {
            let tally = Tally { items: *items, bytes: *bytes };
            write!(f, ": {tally}, {}", Stretch { first, last })?;
        }
        Ok(())
    }
}

struct Stretch<'a> {
    first: &'a Item,
    last: &'a Item,
}

impl fmt::Display for Stretch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            return write!(f, "{:?}", self.first);
        }
        write!(f, "{:?} to {:?}", self.first, self.last)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({} bytes)", self.items, if self.items == 1 { "item" } else { "items" }, self.bytes)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Step::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Step::Divide { by, ten_thousandths } => {
                write!(f, "/ {by} = {}.{:04}", ten_thousandths / 10_000, ten_thousandths % 10_000)
            }
            Step::RoundUp { parts: 1, value } => write!(f, "rounded up {value}"),
            Step::RoundUp { parts, value } => write!(f, "{parts} sums, each rounded up, {value}"),
            Step::Minimum(value) => write!(f, "at least {value}"),
            Step::Factor { by, because, value } => write!(f, "* {by} ({because}) = {value}"),
        }
    }
}

struct Spent {
    read: Units,
    write: Units,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.read, self.write) {
            (read, Units::ZERO) => write!(f, "{read} read units"),
            (Units::ZERO, write) => write!(f, "{write} write units"),
            (read, write) => write!(f, "{read} read units and {write} write units"),
        }
    }
}
