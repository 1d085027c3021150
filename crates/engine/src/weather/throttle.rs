//! Who may use how many units: the meters of tables and indexes, and what is told to who is turned away.

use std::collections::HashMap;

use keyplan_store::Space;

use super::Throttling;
use super::meter::{Bucket, Flow, Growth, Partitions};
use crate::arn::{index_arn, table_arn};
use crate::call::Timestamp;
use crate::capacity::{Charge, Units};
use crate::catalog::{BillingMode, IndexScope, TableDefinition, Throughput};
use crate::error::{Limited, Throttled, ThrottlingReason};
use crate::limits::METERS_MAX;
use crate::read::Source;
use crate::write::{Mutation, Outcome, Rejection};

/// What a request wants of a table or an index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand<'t> {
    source: Source<'t>,
    /// The hash of the partition, where it is one.
    hash: Option<u32>,
    writes: bool,
    units: Units,
}

impl<'t> Demand<'t> {
    fn new(source: Source<'t>, hash: Option<u32>, writes: bool, units: Units) -> Demand<'t> {
        // A local secondary index has no units of its own.
        Demand { source: Source { index: source.global_index(), ..source }, hash, writes, units }
    }

    /// A read, whose units are not known yet.
    pub(crate) fn read(source: Source<'t>, hash: Option<u32>) -> Demand<'t> {
        Demand::new(source, hash, false, Units::ZERO)
    }

    /// The same, when it has been carried out.
    pub(crate) fn costing(self, units: Units) -> Demand<'t> {
        Demand { units, ..self }
    }

    fn throughput(&self) -> &'t crate::catalog::ThroughputSettings {
        let Source { table, index } = self.source;
        index.map_or(&table.throughput, |index| &index.throughput)
    }

    fn of(&self, both: Throughput) -> u64 {
        if self.writes { both.write } else { both.read }
    }

    fn side(&self) -> usize {
        usize::from(self.writes)
    }
}

/// What a mutation wants, of its table and of the global secondary indexes whose entries it changes: an index that
/// has no units left turns the write to the table away.
pub(crate) fn of_write<'m>(
    mutation: &'m Mutation,
    applied: Result<&'m Outcome, &'m Rejection>,
    transactional: bool,
) -> Vec<Demand<'m>> {
    let table = Source { table: &mutation.table, index: None };
    let charge = match applied {
        Ok(outcome) => outcome.charge(),
        Err(Rejection::ConditionFailed { item: Some(item) }) => Charge::write(item.as_ref().size(), 0),
        Err(_) => Charge::write(0, 0),
    };
    let charge = if transactional { charge.in_transaction() } else { charge };
    let hash = Some(mutation.key.hash());
    let mut demands = vec![Demand::new(table, hash, true, charge.units())];
    for (index, write) in applied.into_iter().flat_map(Outcome::entry_writes) {
        let hash = if index.scope == IndexScope::Global { Some(write.place.hash()) } else { hash };
        let source = Source { index: Some(index), ..table };
        demands.push(Demand::new(source, hash, true, write.charge().units()));
    }
    demands
}

/// Why a request is turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttle {
    table: String,
    index: Option<String>,
    writes: bool,
    provisioned: bool,
    limit: Limit,
}

/// Which limit has nothing left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Provisioned,
    KeyRange,
    OnDemandMaximum,
    Account,
}

impl Throttle {
    /// What the client is told.
    pub(crate) fn told(&self, region: &str) -> Throttled {
        let index = self.index.is_some();
        let limited = match self.limit {
            Limit::Account => Limited::Account,
            Limit::OnDemandMaximum => Limited::OnDemandMaximum,
            Limit::Provisioned | Limit::KeyRange if self.provisioned => Limited::Provisioned { index },
            Limit::Provisioned | Limit::KeyRange => Limited::OnDemand { index },
        };
        let words = [
            if index { "Index" } else { "Table" },
            if self.writes { "Write" } else { "Read" },
            match self.limit {
                Limit::Provisioned => "ProvisionedThroughputExceeded",
                Limit::KeyRange => "KeyRangeThroughputExceeded",
                Limit::OnDemandMaximum => "MaxOnDemandThroughputExceeded",
                Limit::Account => "AccountLimitExceeded",
            },
        ];
        let resource = match &self.index {
            Some(index) => index_arn(region, &self.table, index),
            None => table_arn(region, &self.table),
        };
        Throttled { limited, reasons: vec![ThrottlingReason { reason: words.concat(), resource }] }
    }
}

/// The meters of the tables and indexes that were used.
#[derive(Debug, Clone)]
pub(super) struct Meters {
    settings: Throttling,
    of: HashMap<Space, Meter>,
}

#[derive(Debug, Clone)]
struct Meter {
    /// Of reads, and of writes.
    sides: [Side; 2],
    partitions: Partitions,
    used: Timestamp,
}

#[derive(Debug, Clone, Copy, Default)]
struct Side {
    provisioned: Bucket,
    on_demand: Bucket,
    account: Bucket,
    maximum: Bucket,
    growth: Growth,
}

impl Meters {
    pub(super) fn new(settings: Throttling) -> Meters {
        Meters { settings, of: HashMap::new() }
    }

    /// The meters that some demands are about, to try what they come to together.
    fn trial<'d, 't: 'd>(&self, demands: impl Iterator<Item = &'d Demand<'t>>) -> Meters {
        let mut trial = Meters::new(self.settings);
        for space in demands.map(|demand| demand.source.space()) {
            if let Some(meter) = self.of.get(&space).filter(|_| !trial.of.contains_key(&space)) {
                trial.of.insert(space, meter.clone());
            }
        }
        trial
    }

    /// Which of several writes are turned away, if they come one after the other.
    pub(super) fn refusals(&self, writes: &[Vec<Demand<'_>>], now: Timestamp) -> Vec<Option<Throttle>> {
        let mut trial = self.trial(writes.iter().flatten());
        let refusal = |demands: &Vec<Demand<'_>>| {
            let refusal = demands.iter().find_map(|demand| trial.limit(demand, now));
            if refusal.is_none() {
                demands.iter().for_each(|demand| trial.spend(demand, now));
            }
            refusal
        };
        writes.iter().map(refusal).collect()
    }

    fn meter(&mut self, space: Space, now: Timestamp) -> &mut Meter {
        if !self.of.contains_key(&space) && self.of.len() >= METERS_MAX {
            let longest_unused = self.of.iter().min_by_key(|(_, meter)| meter.used).map(|(space, _)| *space);
            longest_unused.map(|space| self.of.remove(&space));
        }
        let new = || Meter { sides: [Side::default(); 2], partitions: Partitions::new(), used: now };
        let meter = self.of.entry(space).or_insert_with(new);
        meter.used = now;
        meter
    }

    /// The limit that leaves nothing for a demand.
    pub(super) fn limit(&mut self, demand: &Demand<'_>, now: Timestamp) -> Option<Throttle> {
        let limit = self.exhausted(demand, now)?;
        let Source { table, .. } = demand.source;
        Some(Throttle {
            table: table.name.clone(),
            index: demand.source.index_name(),
            writes: demand.writes,
            provisioned: table.billing_mode == BillingMode::Provisioned,
            limit,
        })
    }

    fn exhausted(&mut self, demand: &Demand<'_>, now: Timestamp) -> Option<Limit> {
        let least = if demand.writes { Units::whole(1) } else { Units::halves(1) };
        let buckets = self.buckets(demand, now);
        buckets.iter().find(|(_, bucket)| !bucket.has(least)).map(|(limit, _)| *limit)
    }

    /// Notes that a demand was met.
    pub(super) fn spend(&mut self, demand: &Demand<'_>, now: Timestamp) {
        for (_, bucket) in self.buckets(demand, now) {
            bucket.spend(demand.units);
        }
        if let Some(side) = self.meter(demand.source.space(), now).sides.get_mut(demand.side()) {
            side.growth.spend(demand.units, now);
        }
    }

    /// The buckets that a demand takes from, as they are now, each with what it limits.
    fn buckets(&mut self, demand: &Demand<'_>, now: Timestamp) -> Vec<(Limit, &mut Bucket)> {
        let settings = self.settings;
        let of_partition =
            demand.of(Throughput { read: settings.partition_read, write: settings.partition_write });
        let throughput = demand.throughput();
        let Meter { sides, partitions, .. } = self.meter(demand.source.space(), now);
        let Some(Side { provisioned, on_demand, account, maximum, growth }) = sides.get_mut(demand.side())
        else {
            return Vec::new();
        };
        let mut buckets = Vec::with_capacity(4);
        let mut add = |limit, bucket, flow: Flow, idle| {
            let bucket: &mut Bucket = bucket;
            bucket.fill(flow, now, idle);
            buckets.push((limit, bucket));
        };
        let at_once = |rate| Flow { rate, seconds: 1 };
        let available = match demand.source.table.billing_mode {
            BillingMode::Provisioned => {
                let rate = demand.of(throughput.provisioned);
                let idle = now.0.saturating_sub(unchanged_since(demand.source.table, demand).0);
                let flow = Flow { rate, seconds: settings.burst_seconds };
                add(Limit::Provisioned, provisioned, flow, idle);
                rate
            }
            BillingMode::PayPerRequest => {
                let maxima = throughput.on_demand_maxima;
                if let Some(most) = if demand.writes { maxima.write } else { maxima.read } {
                    add(Limit::OnDemandMaximum, maximum, at_once(most), 0);
                }
                let quota = Throughput { read: settings.account_read, write: settings.account_write };
                add(Limit::Account, account, at_once(demand.of(quota)), 0);
                let initial = Throughput { read: settings.on_demand_read, write: settings.on_demand_write };
                let initial = demand.of(initial.max(throughput.warm.unwrap_or_default()));
                let available = growth.available(initial, settings.growth, now);
                // A table that hasn't grown yet has too few partitions, and that is what it says.
                add(Limit::KeyRange, on_demand, at_once(available), 0);
                available
            }
        };
        partitions.grow(available.div_ceil(of_partition.max(1)));
        let of_hash =
            demand.hash.and_then(|hash| partitions.bucket(hash, demand.side(), at_once(of_partition), now));
        buckets.extend(of_hash.map(|bucket| (Limit::KeyRange, bucket)));
        buckets
    }

    /// Notes that a demand was turned away for the heat of its partition.
    pub(super) fn refused(&mut self, demand: &Demand<'_>, throttle: &Throttle, now: Timestamp) {
        let split_after = self.settings.split_after;
        if let (Limit::KeyRange, Some(hash)) = (throttle.limit, demand.hash) {
            self.meter(demand.source.space(), now).partitions.refused(hash, now, split_after);
        }
    }
}

/// Since when a table or an index has had the units that it has.
fn unchanged_since(table: &TableDefinition, demand: &Demand<'_>) -> Timestamp {
    let changes = demand.throughput().changes;
    let changed = changes.increased_at.max(changes.decreased_at).unwrap_or_default();
    changed.max(table.created_at)
}
