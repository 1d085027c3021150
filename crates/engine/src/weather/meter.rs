//! How many units a table or an index has left: buckets that fill up with time.

use keyplan_value::order;

use crate::call::Timestamp;
use crate::capacity::Units;
use crate::limits::METERED_PARTITIONS_MAX;

/// Parts of a unit that a bucket counts in: each millisecond adds a whole number of them.
const PARTS_OF_HALF: i64 = 1_000;

/// Milliseconds without a refusal after which a partition counts as cool again.
const COOL_AFTER: u64 = 10_000;

/// Places of a partition that are remembered to split it where its traffic is.
const SAMPLES: usize = 8;

fn parts(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX).saturating_mul(2 * PARTS_OF_HALF)
}

fn of_units(units: Units) -> i64 {
    i64::try_from(units.in_halves()).unwrap_or(i64::MAX).saturating_mul(PARTS_OF_HALF)
}

/// Units that become available at a rate, and those that were not used so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bucket {
    level: i64,
    /// When the level was right; nothing before the first look.
    at: Option<Timestamp>,
}

/// How a bucket fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flow {
    /// Units a second.
    pub(super) rate: u64,
    /// Seconds of unused units that are kept, at least one.
    pub(super) seconds: u64,
}

impl Bucket {
    /// Brings the level up to date. A bucket that is looked at first has filled for `idle` milliseconds.
    pub(super) fn fill(&mut self, flow: Flow, now: Timestamp, idle: u64) {
        let passed = match self.at {
            Some(at) => now.0.saturating_sub(at.0),
            None => idle.max(1_000),
        };
        let passed = i64::try_from(passed).unwrap_or(i64::MAX);
        let most = parts(flow.rate).saturating_mul(i64::try_from(flow.seconds.max(1)).unwrap_or(i64::MAX));
        let added = passed.saturating_mul(parts(flow.rate) / 1_000);
        self.level = self.level.saturating_add(added).min(most);
        self.at = Some(self.at.map_or(now, |at| at.max(now)));
    }

    /// Whether there is as much as the least request takes. What one really takes is known only when it has been
    /// carried out, so the last may take more than there is, and the next waits for it.
    pub(super) fn has(&self, least: Units) -> bool {
        self.level >= of_units(least)
    }

    pub(super) fn spend(&mut self, units: Units) {
        self.level = self.level.saturating_sub(of_units(units));
    }
}

/// What a table or index on demand has served, and how much it may grow: to twice the traffic there was half an
/// hour ago.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Growth {
    /// The busiest second that counts, in halves of a unit.
    peak: u64,
    /// The busiest second since `since`.
    busiest: u64,
    since: Option<Timestamp>,
    second: u64,
    halves: u64,
}

impl Growth {
    /// The units a second that can be had at once, where there are `initial` to begin with.
    pub(super) fn available(&mut self, initial: u64, growth: u64, now: Timestamp) -> u64 {
        let since = *self.since.get_or_insert(now);
        if now.0.saturating_sub(since.0) >= growth {
            self.peak = self.peak.max(self.busiest);
            *self = Growth { since: Some(now), busiest: 0, ..*self };
        }
        // Twice the peak; halves are half of that already.
        initial.max(self.peak)
    }

    pub(super) fn spend(&mut self, units: Units, now: Timestamp) {
        let second = now.0 / 1_000;
        if self.second != second {
            (self.second, self.halves) = (second, 0);
        }
        self.halves = self.halves.saturating_add(units.in_halves());
        self.busiest = self.busiest.max(self.halves);
    }
}

/// The partitions that the items of a table or index lie in, in the order of hashes.
#[derive(Debug, Clone)]
pub(super) struct Partitions(Vec<Partition>);

#[derive(Debug, Clone)]
struct Partition {
    /// Its first hash; it goes up to the next partition's.
    start: u32,
    buckets: [Bucket; 2],
    /// Since when it has turned requests away, and when last.
    hot: Option<(Timestamp, Timestamp)>,
    samples: [u32; SAMPLES],
    sampled: usize,
}

impl Partition {
    fn new(start: u32) -> Partition {
        Partition { start, buckets: [Bucket::default(); 2], hot: None, samples: [start; SAMPLES], sampled: 0 }
    }

    fn sample(&mut self, hash: u32) {
        if let Some(place) = self.samples.get_mut(self.sampled % SAMPLES) {
            *place = hash;
        }
        self.sampled = self.sampled.wrapping_add(1);
    }

    /// The hash at which half of its traffic is on each side; nothing when all of it goes to one place, which no
    /// split can help.
    fn split_point(&self) -> Option<u32> {
        let mut known = self.samples;
        let known = known.get_mut(..self.sampled.min(SAMPLES))?;
        order::sort_by(known, u32::cmp);
        let first = *known.first()?;
        let middle = *known.get(known.len() / 2)?;
        [middle].into_iter().chain(known.iter().copied()).find(|hash| *hash > first)
    }
}

impl Partitions {
    pub(super) fn new() -> Partitions {
        Partitions(vec![Partition::new(0)])
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        self.0.len()
    }

    /// Makes at least so many, by splitting the widest.
    pub(super) fn grow(&mut self, count: u64) {
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(METERED_PARTITIONS_MAX);
        while self.0.len() < count {
            let ends = self.0.iter().skip(1).map(|next| u64::from(next.start)).chain([1 << 32]);
            let widths = self.0.iter().zip(ends).map(|(of, end)| (end - u64::from(of.start), of.start));
            let Some((width, start)) = widths.max_by_key(|(width, start)| (*width, !*start)) else { return };
            let Ok(middle) = u32::try_from(u64::from(start) + width / 2) else { return };
            self.split_at(middle);
        }
    }

    fn split_at(&mut self, hash: u32) {
        if let Err(position) = self.0.binary_search_by_key(&hash, |partition| partition.start) {
            self.0.insert(position, Partition::new(hash));
        }
    }

    /// The bucket of the partition of a hash, as it is now.
    pub(super) fn bucket(
        &mut self,
        hash: u32,
        side: usize,
        flow: Flow,
        now: Timestamp,
    ) -> Option<&mut Bucket> {
        let partition = self.of(hash)?;
        partition.sample(hash);
        let bucket = partition.buckets.get_mut(side)?;
        bucket.fill(flow, now, 0);
        Some(bucket)
    }

    fn of(&mut self, hash: u32) -> Option<&mut Partition> {
        let after = self.0.partition_point(|partition| partition.start <= hash);
        self.0.get_mut(after.checked_sub(1)?)
    }

    /// Notes that a partition turned a request away. One that goes on doing so is split.
    pub(super) fn refused(&mut self, hash: u32, now: Timestamp, split_after: u64) {
        let full = self.0.len() >= METERED_PARTITIONS_MAX;
        let Some(partition) = self.of(hash) else { return };
        let since = match partition.hot {
            Some((since, last)) if now.0.saturating_sub(last.0) < COOL_AFTER => since,
            _ => now,
        };
        partition.hot = Some((since, now));
        if full || now.0.saturating_sub(since.0) < split_after {
            return;
        }
        if let Some(middle) = partition.split_point() {
            partition.hot = None;
            self.split_at(middle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_764_504_000_000);

    fn at(milliseconds: u64) -> Timestamp {
        Timestamp(START.0 + milliseconds)
    }

    #[test]
    fn what_is_not_used_is_kept_for_a_while() {
        let flow = Flow { rate: 10, seconds: 300 };
        let mut bucket = Bucket::default();
        let spent = |bucket: &mut Bucket, now| {
            bucket.fill(flow, now, 0);
            let mut units = 0;
            while bucket.has(Units::whole(1)) {
                bucket.spend(Units::whole(1));
                units += 1;
            }
            units
        };
        assert_eq!(spent(&mut bucket, START), 10, "a second of a new table");
        assert_eq!(spent(&mut bucket, at(500)), 5);
        assert_eq!(spent(&mut bucket, at(60_500)), 600);
        assert_eq!(spent(&mut bucket, at(7_200_000)), 3_000, "five minutes, and no more");
        bucket.fill(flow, at(7_200_100), 0);
        bucket.spend(Units::whole(100));
        bucket.fill(flow, at(7_209_000), 0);
        assert!(!bucket.has(Units::whole(1)), "a large request is paid for by those after it");
    }

    #[test]
    fn traffic_may_double_when_it_has_been_there_for_a_while() {
        let (growth, initial) = (1_800_000, 4_000);
        let mut served = Growth::default();
        assert_eq!(served.available(initial, growth, START), 4_000);
        served.spend(Units::whole(3_500), at(1_000));
        assert_eq!(served.available(initial, growth, at(2_000)), 4_000);
        assert_eq!(served.available(initial, growth, at(growth)), 7_000);
        served.spend(Units::whole(6_000), at(growth + 1_000));
        assert_eq!(served.available(initial, growth, at(growth + 2_000)), 7_000);
        assert_eq!(served.available(initial, growth, at(2 * growth)), 12_000);
        assert_eq!(served.available(initial, growth, at(50 * growth)), 12_000, "it doesn't shrink");
    }

    #[test]
    fn partitions_share_the_hashes() {
        let mut partitions = Partitions::new();
        partitions.grow(4);
        let starts: Vec<u32> = partitions.0.iter().map(|partition| partition.start).collect();
        assert_eq!(starts, [0, 1 << 30, 1 << 31, 3 << 30]);
        partitions.grow(u64::MAX);
        assert_eq!(partitions.count(), METERED_PARTITIONS_MAX);
    }

    #[test]
    fn heat_splits_a_partition_between_its_hot_places_and_not_within_one() {
        let flow = Flow { rate: 1, seconds: 1 };
        let mut partitions = Partitions::new();
        for second in 0..20 {
            for hash in [100, 200] {
                partitions.bucket(hash, 0, flow, at(second * 1_000));
                partitions.refused(hash, at(second * 1_000), 10_000);
            }
        }
        assert_eq!(partitions.count(), 2);
        assert_eq!(partitions.0.last().map(|last| last.start), Some(200));
        let mut alone = Partitions::new();
        for second in 0..60 {
            alone.bucket(7, 0, flow, at(second * 1_000));
            alone.refused(7, at(second * 1_000), 10_000);
        }
        assert_eq!(alone.count(), 1, "one key is never served faster than a partition");
        let mut now_and_then = Partitions::new();
        for minute in 0..60 {
            for hash in [100, 200] {
                now_and_then.bucket(hash, 0, flow, at(minute * 60_000));
                now_and_then.refused(hash, at(minute * 60_000), 10_000);
            }
        }
        assert_eq!(now_and_then.count(), 1, "heat that doesn't last splits nothing");
    }
}
