//! Billing mode and throughput.

use keyplan_value::json::Node;

use crate::catalog::{BillingMode, Maxima, Throughput};
use crate::error::{LimitExceeded, ServiceError, ThroughputError, Unit};
use crate::limits::{
    PROVISIONED_UNITS_ASKED_MAX, PROVISIONED_UNITS_OF_TABLE_MAX, WARM_READ_UNITS_MIN, WARM_WRITE_UNITS_MIN,
};
use crate::validate::{long, present, string};

/// What a table is charged by, and its units.
#[derive(Clone, Copy)]
pub(super) struct Charged {
    pub(super) billing_mode: BillingMode,
    pub(super) units: Throughput,
}

/// Reads BillingMode and ProvisionedThroughput.
pub(super) fn throughput(request: Node<'_, '_>) -> Result<Charged, ThroughputError> {
    // A table is provisioned unless it says otherwise.
    let billing_mode = string(request, "BillingMode")
        .and_then(|word| BillingMode::from_word(&word))
        .unwrap_or(BillingMode::Provisioned);
    let units = present(request, "ProvisionedThroughput");
    match (billing_mode, units) {
        (BillingMode::PayPerRequest, Some(_)) => Err(ThroughputError::OnDemand),
        (BillingMode::PayPerRequest, None) => Ok(Charged { billing_mode, units: Throughput::default() }),
        (BillingMode::Provisioned, Some(units)) => {
            Ok(Charged { billing_mode, units: provisioned(units, None)? })
        }
        (BillingMode::Provisioned, None) => Err(ThroughputError::Missing),
    }
}

/// Reads the units of a table or an index.
pub(super) fn provisioned(units: Node<'_, '_>, index: Option<&str>) -> Result<Throughput, ThroughputError> {
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

/// Holds the units to what a table may have.
pub(super) fn within_account(units: Throughput, region: &str) -> Result<(), ServiceError> {
    for (unit, asked) in [(Unit::Read, units.read), (Unit::Write, units.write)] {
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

/// Reads OnDemandThroughput; without members it is as good as absent.
pub(super) fn on_demand_maxima(
    request: Node<'_, '_>,
    billing_mode: BillingMode,
) -> Result<Maxima, ThroughputError> {
    let Some(asked) = present(request, "OnDemandThroughput") else { return Ok(Maxima::default()) };
    let read = |unit: Unit, member: &str| {
        let Some(value) = long(asked, member) else { return Ok(None) };
        if billing_mode == BillingMode::Provisioned {
            return Err(ThroughputError::MaximumProvisioned(unit));
        }
        match u64::try_from(value) {
            // -1 is how a bound is taken away.
            Err(_) if value == -1 => Ok(None),
            Err(_) | Ok(0) => Err(ThroughputError::MaximumOutOfRange(unit)),
            Ok(value) => Ok(Some(value)),
        }
    };
    Ok(Maxima {
        read: read(Unit::Read, "MaxReadRequestUnits")?,
        write: read(Unit::Write, "MaxWriteRequestUnits")?,
    })
}

/// Reads WarmThroughput, which can't be lower than what the table starts with.
pub(super) fn warm(request: Node<'_, '_>, charged: Charged) -> Result<Option<Throughput>, ThroughputError> {
    let Some(asked) = present(request, "WarmThroughput") else { return Ok(None) };
    let provisioned = charged.billing_mode == BillingMode::Provisioned;
    let read = |unit: Unit, member: &str| {
        let least = match (provisioned, unit) {
            (true, Unit::Read) => charged.units.read,
            (true, Unit::Write) => charged.units.write,
            (false, Unit::Read) => WARM_READ_UNITS_MIN,
            (false, Unit::Write) => WARM_WRITE_UNITS_MIN,
        };
        let Some(value) = long(asked, member) else { return Ok(least) };
        match u64::try_from(value) {
            Ok(value) if value >= least => Ok(value),
            _ => Err(ThroughputError::WarmTooLow { unit, provisioned }),
        }
    };
    Ok(Some(Throughput {
        read: read(Unit::Read, "ReadUnitsPerSecond")?,
        write: read(Unit::Write, "WriteUnitsPerSecond")?,
    }))
}
