//! Billing mode and throughput.

use keyplan_value::json::Node;

use crate::catalog::{BillingMode, Maxima, Throughput, ThroughputChanges, ThroughputSettings};
use crate::error::{LimitExceeded, ServiceError, ThroughputError, Unit};
use crate::limits::{
    PROVISIONED_UNITS_ASKED_MAX, PROVISIONED_UNITS_OF_TABLE_MAX, WARM_READ_UNITS_MIN, WARM_WRITE_UNITS_MIN,
};
use crate::validate::{long, present, string};

/// Reads the billing mode that a request sends.
pub(in crate::operations) fn billing_mode(request: Node<'_, '_>) -> Option<BillingMode> {
    string(request, "BillingMode").and_then(|word| BillingMode::from_word(&word))
}

/// Reads how a table that is made is charged, and what is asked of its throughput.
pub(in crate::operations) fn of_new_table(
    request: Node<'_, '_>,
) -> Result<(BillingMode, AskedThroughput), ThroughputError> {
    // A table is provisioned unless it says otherwise.
    let billing_mode = billing_mode(request).unwrap_or(BillingMode::Provisioned);
    if billing_mode == BillingMode::PayPerRequest && present(request, "ProvisionedThroughput").is_some() {
        return Err(ThroughputError::OnDemand);
    }
    let asked = AskedThroughput::read(request, None)?;
    if billing_mode == BillingMode::Provisioned && asked.units.is_none() {
        return Err(ThroughputError::Missing);
    }
    Ok((billing_mode, asked))
}

/// Reads the units of a table or an index.
fn provisioned(units: Node<'_, '_>, index: Option<&str>) -> Result<Throughput, ThroughputError> {
    let read = |unit: Unit, member: &str| {
        let value = long(units, member).unwrap_or_default();
        if value > PROVISIONED_UNITS_ASKED_MAX {
            return Err(ThroughputError::OutOfBounds { value, unit, index: index.map(str::to_owned) });
        }
        // The constraints of the shape hold it above zero.
        Ok(u64::try_from(value).unwrap_or_default())
    };
    Ok(Throughput {
        read: read(Unit::Read, "ReadCapacityUnits")?,
        write: read(Unit::Write, "WriteCapacityUnits")?,
    })
}

/// Holds the units of a table and its global secondary indexes together to what a table may have.
pub(in crate::operations) fn within_account(
    units: impl IntoIterator<Item = Throughput>,
    region: &str,
) -> Result<(), ServiceError> {
    let sum = units.into_iter().fold(Throughput::default(), |sum, one| Throughput {
        read: sum.read.saturating_add(one.read),
        write: sum.write.saturating_add(one.write),
    });
    for (unit, asked) in [(Unit::Read, sum.read), (Unit::Write, sum.write)] {
        if asked > PROVISIONED_UNITS_OF_TABLE_MAX {
            return Err(ServiceError::LimitExceeded(LimitExceeded::UnitsOfTable {
                unit,
                asked,
                most: PROVISIONED_UNITS_OF_TABLE_MAX,
                region: region.to_owned(),
            }));
        }
    }
    Ok(())
}

/// What a request asks of the throughput of a table or an index, besides the billing mode.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::operations) struct AskedThroughput {
    /// Provisioned units.
    pub(in crate::operations) units: Option<Throughput>,
    /// Bounds of on-demand units, as they were sent.
    pub(in crate::operations) maxima: AskedPair,
    /// Units that are to be ready at once, as they were sent; nothing without the member.
    pub(in crate::operations) warm: Option<AskedPair>,
}

/// A figure for reads and one for writes, each of which may be missing.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::operations) struct AskedPair {
    pub(in crate::operations) read: Option<i64>,
    pub(in crate::operations) write: Option<i64>,
}

impl AskedPair {
    fn read(of: Node<'_, '_>, read: &str, write: &str) -> AskedPair {
        AskedPair { read: long(of, read), write: long(of, write) }
    }

    /// The first unit that a figure is sent for.
    pub(in crate::operations) fn first(self) -> Option<Unit> {
        self.read.map(|_| Unit::Read).or(self.write.map(|_| Unit::Write))
    }

    /// How a bound is taken away.
    pub(in crate::operations) const NO_MAXIMUM: i64 = -1;
}

impl AskedThroughput {
    /// Reads the members of a request, of an index or of an action on one.
    pub(in crate::operations) fn read(
        of: Node<'_, '_>,
        index: Option<&str>,
    ) -> Result<AskedThroughput, ThroughputError> {
        let units = present(of, "ProvisionedThroughput").map(|units| provisioned(units, index));
        let maxima = present(of, "OnDemandThroughput")
            .map(|maxima| AskedPair::read(maxima, "MaxReadRequestUnits", "MaxWriteRequestUnits"));
        let warm = present(of, "WarmThroughput")
            .map(|warm| AskedPair::read(warm, "ReadUnitsPerSecond", "WriteUnitsPerSecond"));
        Ok(AskedThroughput { units: units.transpose()?, maxima: maxima.unwrap_or_default(), warm })
    }

    /// Reads the members of a request that restores a table.
    pub(in crate::operations) fn overriding(of: Node<'_, '_>) -> Result<AskedThroughput, ThroughputError> {
        let units = present(of, "ProvisionedThroughputOverride").map(|units| provisioned(units, None));
        let maxima = present(of, "OnDemandThroughputOverride")
            .map(|maxima| AskedPair::read(maxima, "MaxReadRequestUnits", "MaxWriteRequestUnits"));
        Ok(AskedThroughput { units: units.transpose()?, maxima: maxima.unwrap_or_default(), warm: None })
    }

    /// What a table or an index that is made may use.
    pub(in crate::operations) fn initial_settings(
        &self,
        billing_mode: BillingMode,
        index: Option<&str>,
    ) -> Result<ThroughputSettings, ThroughputError> {
        let is_provisioned = billing_mode == BillingMode::Provisioned;
        if let Some(unit) = self.maxima.first().filter(|_| is_provisioned) {
            return Err(ThroughputError::MaximumProvisioned(unit));
        }
        let provisioned = self.units.unwrap_or_default();
        let least = least_warm(billing_mode, provisioned);
        let too_low = |unit| ThroughputError::WarmTooLow {
            unit,
            provisioned: is_provisioned,
            index: index.map(str::to_owned),
        };
        Ok(ThroughputSettings {
            provisioned,
            changes: ThroughputChanges::default(),
            on_demand_maxima: self.maxima_over(Maxima::default(), index)?,
            warm: self.warm_over(least, too_low)?,
        })
    }

    /// The bounds of on-demand units once those that are sent are set.
    pub(in crate::operations) fn maxima_over(
        &self,
        current: Maxima,
        index: Option<&str>,
    ) -> Result<Maxima, ThroughputError> {
        let over = |unit: Unit, asked: Option<i64>, current| match asked
            .map(|asked| (asked, u64::try_from(asked)))
        {
            None => Ok(current),
            Some((AskedPair::NO_MAXIMUM, _)) => Ok(None),
            Some((_, Err(_) | Ok(0))) => {
                Err(ThroughputError::MaximumOutOfRange { unit, index: index.map(str::to_owned) })
            }
            Some((_, Ok(units))) => Ok(Some(units)),
        };
        Ok(Maxima {
            read: over(Unit::Read, self.maxima.read, current.read)?,
            write: over(Unit::Write, self.maxima.write, current.write)?,
        })
    }

    /// The units that are to be ready at once, where the request asks for some; `too_low` is the error of a
    /// figure below that in `least`.
    pub(in crate::operations) fn warm_over<E>(
        &self,
        least: Throughput,
        too_low: impl Fn(Unit) -> E,
    ) -> Result<Option<Throughput>, E> {
        let Some(asked) = self.warm else { return Ok(None) };
        let over = |unit: Unit, asked: Option<i64>, least: u64| match asked {
            None => Ok(least),
            Some(asked) => {
                u64::try_from(asked).ok().filter(|units| *units >= least).ok_or_else(|| too_low(unit))
            }
        };
        Ok(Some(Throughput {
            read: over(Unit::Read, asked.read, least.read)?,
            write: over(Unit::Write, asked.write, least.write)?,
        }))
    }
}

/// What is ready at once without anyone asking for it.
pub(in crate::operations) fn least_warm(billing_mode: BillingMode, provisioned: Throughput) -> Throughput {
    match billing_mode {
        BillingMode::Provisioned => provisioned,
        BillingMode::PayPerRequest => Throughput { read: WARM_READ_UNITS_MIN, write: WARM_WRITE_UNITS_MIN },
    }
}

/// What a table or an index has ready at once: what it was asked to have, or else what anyone has.
pub(in crate::operations) fn warm_units(
    billing_mode: BillingMode,
    throughput: &ThroughputSettings,
) -> Throughput {
    throughput.warm.unwrap_or_else(|| least_warm(billing_mode, throughput.provisioned))
}
