//! The units that a table or a global secondary index may use.

use crate::call::Timestamp;

/// Read and write capacity units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Throughput {
    /// Read units.
    pub read: u64,
    /// Write units.
    pub write: u64,
}

impl Throughput {
    /// The larger of each.
    #[must_use]
    pub fn max(self, other: Throughput) -> Throughput {
        Throughput { read: self.read.max(other.read), write: self.write.max(other.write) }
    }
}

/// The most request units a second, where there is a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Maxima {
    /// Read request units.
    pub read: Option<u64>,
    /// Write request units.
    pub write: Option<u64>,
}

/// What a table or a global secondary index may use, and when that last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThroughputSettings {
    /// Provisioned units; zeros when on demand.
    pub provisioned: Throughput,
    /// How the provisioned units have changed.
    pub changes: ThroughputChanges,
    /// The most units that may be used on demand.
    pub on_demand_maxima: Maxima,
    /// Units that are ready at once, where they are more than anyone has.
    pub warm: Option<Throughput>,
}

/// When provisioned units changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThroughputChanges {
    /// The last increase.
    pub increased_at: Option<Timestamp>,
    /// The last decrease.
    pub decreased_at: Option<Timestamp>,
    /// How many decreases there were on the day of the last one.
    pub decreases: u64,
}

impl ThroughputChanges {
    /// How many decreases there have been on the day of `now`.
    pub fn decreases_today(self, now: Timestamp) -> u64 {
        match self.decreased_at {
            Some(last) if day(last) == day(now) => self.decreases,
            _ => 0,
        }
    }

    /// Notes a change from one figure to another; a change may be an increase and a decrease at once.
    #[must_use]
    pub fn after(self, from: Throughput, to: Throughput, now: Timestamp) -> ThroughputChanges {
        let mut changes = self;
        if to.read > from.read || to.write > from.write {
            changes.increased_at = Some(now);
        }
        if is_decrease(from, to) {
            changes.decreases = self.decreases_today(now) + 1;
            changes.decreased_at = Some(now);
        }
        changes
    }
}

/// Whether units go down by a change; both going down count once.
pub fn is_decrease(from: Throughput, to: Throughput) -> bool {
    to.read < from.read || to.write < from.write
}

/// The day of a moment, in UTC.
fn day(moment: Timestamp) -> u64 {
    moment.0 / 86_400_000
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_764_504_000_000);

    fn units(read: u64, write: u64) -> Throughput {
        Throughput { read, write }
    }

    #[test]
    fn decreases_are_counted_by_the_day() {
        let once = ThroughputChanges::default().after(units(5, 5), units(4, 4), NOON);
        assert_eq!((once.decreases_today(NOON), once.increased_at), (1, None), "both at once count once");
        let hour = 3_600_000;
        let twice = once.after(units(4, 4), units(4, 3), Timestamp(NOON.0 + hour));
        assert_eq!(twice.decreases_today(Timestamp(NOON.0 + 2 * hour)), 2);
        let tomorrow = Timestamp(NOON.0 + 24 * hour);
        assert_eq!(twice.decreases_today(tomorrow), 0);
        assert_eq!(twice.after(units(4, 3), units(3, 3), tomorrow).decreases_today(tomorrow), 1);
    }

    #[test]
    fn a_change_may_go_both_ways() {
        let changed = ThroughputChanges::default().after(units(5, 5), units(4, 6), NOON);
        assert_eq!((changed.increased_at, changed.decreased_at), (Some(NOON), Some(NOON)));
    }
}
