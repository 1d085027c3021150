//! The weather as it is asked for.

use super::trouble::ErrorRule;
use crate::limits::WEATHER_MILLISECONDS_MAX;

/// How the service behaves on a day that isn't a fine one. Everything is off by default, and times are
/// milliseconds of the engine's clock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weather {
    /// Where chance begins: the same requests in the same order meet the same weather.
    pub seed: u64,
    /// How far eventually consistent reads are behind.
    pub lag: Option<Lag>,
    /// The throughput that there is.
    pub throttling: Option<Throttling>,
    /// How often an item of a batch is left unprocessed.
    pub partial_batches: Rate,
    /// What concurrent transactions do to each other.
    pub conflicts: Option<Conflicts>,
    /// How long answers take.
    pub latency: Option<Latency>,
    /// Errors, by rule; of several that apply to a request, the first counts.
    pub errors: Vec<ErrorRule>,
    /// How long tables and indexes take to become what they are asked to be.
    pub lifecycle: Option<Lifecycle>,
}

impl Weather {
    /// Whether it makes no difference.
    pub fn is_fine(&self) -> bool {
        Weather { seed: 0, ..self.clone() } == Weather::default()
    }
}

/// How often something happens, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Rate(pub(super) u32);

impl Rate {
    /// Every time.
    pub const ALWAYS: Rate = Rate(1_000_000);

    /// The rate of a share between 0 and 1; nothing for what is none.
    pub fn of_share(share: f64) -> Option<Rate> {
        (0.0..=1.0).contains(&share).then(|| Rate((share * f64::from(Rate::ALWAYS.0)).round() as u32))
    }

    /// The share, between 0 and 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(Rate::ALWAYS.0)
    }
}

/// How far eventually consistent reads are behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lag {
    /// Those of a table and its local secondary indexes.
    pub table: u64,
    /// Those of global secondary indexes, which are never anything else.
    pub index: u64,
}

impl Lag {
    /// The longer of the two: how far back old images are needed.
    pub(crate) fn longest(self) -> u64 {
        self.table.max(self.index)
    }
}

/// The throughput that there is, in units a second. Provisioned units and on-demand maxima are the tables' own.
///
/// The defaults are the service's: it keeps up to five minutes of unused units for bursts, and a partition serves
/// 3,000 read and 1,000 write units a second (Developer Guide, "DynamoDB burst and adaptive capacity"); a new table
/// on demand takes 12,000 and 4,000 at once, and twice what it has served before, if that was half an hour ago
/// ("DynamoDB on-demand capacity mode"); an account's table serves 40,000 of each ("Quotas in Amazon DynamoDB").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttling {
    /// Seconds of unused provisioned units that are kept.
    pub burst_seconds: u64,
    /// Read units of a partition.
    pub partition_read: u64,
    /// Write units of a partition.
    pub partition_write: u64,
    /// Read units of a new table or index on demand.
    pub on_demand_read: u64,
    /// Write units of a new table or index on demand.
    pub on_demand_write: u64,
    /// Read units of a table or index on demand, however much it has grown.
    pub account_read: u64,
    /// Write units of a table or index on demand, however much it has grown.
    pub account_write: u64,
    /// Milliseconds after which the traffic there was may be doubled.
    pub growth: u64,
    /// Milliseconds for which a partition turns requests away before it is split for heat. The service names no
    /// figure; it speaks of sustained traffic.
    pub split_after: u64,
}

impl Default for Throttling {
    fn default() -> Throttling {
        Throttling {
            burst_seconds: 300,
            partition_read: 3_000,
            partition_write: 1_000,
            on_demand_read: 12_000,
            on_demand_write: 4_000,
            account_read: 40_000,
            account_write: 40_000,
            growth: 30 * 60 * 1_000,
            split_after: 5 * 60 * 1_000,
        }
    }
}

/// What concurrent transactions do to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conflicts {
    /// For how long a transaction that writes holds its items. Its own answer comes when it lets go of them.
    pub hold: u64,
    /// How often a transaction is given up as if another held one of its items.
    pub rate: Rate,
}

/// How long an answer takes: a time between the two, each as likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latency {
    /// At least.
    pub min: u64,
    /// At most.
    pub max: u64,
}

/// How long tables and indexes take to become what they are asked to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lifecycle {
    /// A table that is made, changed or deleted.
    pub table: u64,
    /// An index that is prepared, changed or deleted.
    pub index: u64,
    /// An index that is filled, at least.
    pub backfill: u64,
    /// A stream that is enabled or disabled.
    pub stream: u64,
    /// Expiry that is enabled or disabled.
    pub time_to_live: u64,
}

/// The longest time that any setting can have.
pub(super) const TIME_MAX: u64 = WEATHER_MILLISECONDS_MAX;
