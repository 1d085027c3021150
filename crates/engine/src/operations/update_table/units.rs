//! Throughput under a change of units or of the billing mode; a table and an index change alike.

use crate::call::Timestamp;
use crate::catalog::{BillingMode, Maxima, Throughput, ThroughputSettings, is_decrease};
use crate::error::{InUse, LimitExceeded, ServiceError, UpdateError};
use crate::limits::{DECREASES_OF_A_DAY_AT_WILL, MILLISECONDS_BETWEEN_DECREASES};
use crate::operations::table_parameters::throughput::{AskedThroughput, least_warm, warm_units};

/// How a table is and will be charged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Billing<'t> {
    /// The table's name.
    pub(super) table: &'t str,
    pub(super) from: BillingMode,
    pub(super) to: BillingMode,
    pub(super) now: Timestamp,
    /// The name of the index that is being filled, if there is one.
    pub(super) filling: Option<&'t str>,
}

impl Billing<'_> {
    /// Whether the table is charged so from now on, and wasn't.
    pub(super) fn becomes(&self, billing_mode: BillingMode) -> bool {
        self.to == billing_mode && self.from != billing_mode
    }

    /// The throughput of the table, or of an index, with what is asked.
    ///
    /// # Errors
    /// What can't be asked of it.
    pub(super) fn changed(
        &self,
        current: ThroughputSettings,
        asked: &AskedThroughput,
        index: Option<&str>,
    ) -> Result<ThroughputSettings, ServiceError> {
        let mut settings = current;
        if asked.units.is_some() || self.from != self.to {
            if let Some(filling) = self.filling {
                return Err(ServiceError::ResourceInUse(InUse::UnitsWhileIndexIsMade {
                    table: self.table.to_owned(),
                    index: filling.to_owned(),
                }));
            }
            settings = self.with_units(current, asked.units, index)?;
        }
        settings.on_demand_maxima = asked.maxima_over(settings.on_demand_maxima, index)?;
        let least = warm_units(self.to, &settings);
        let too_low = |unit| UpdateError::WarmDecrease { unit, index: index.map(str::to_owned) };
        if let Some(warm) = asked.warm_over(least, too_low)? {
            settings.warm = Some(warm);
        }
        Ok(settings)
    }

    /// Throughput with other units: those asked for, or none on demand.
    fn with_units(
        &self,
        current: ThroughputSettings,
        asked: Option<Throughput>,
        index: Option<&str>,
    ) -> Result<ThroughputSettings, ServiceError> {
        let units = asked.unwrap_or(current.provisioned);
        let mut settings = self.switched(current, units);
        if self.to == BillingMode::PayPerRequest {
            return Ok(settings);
        }
        if self.from == self.to && units == current.provisioned {
            return Err(UpdateError::UnitsUnchanged { index: index.map(str::to_owned), units }.into());
        }
        if is_decrease(current.provisioned, units) {
            self.check_decreases(&current)?;
        }
        settings.changes = current.changes.after(current.provisioned, units, self.now);
        Ok(settings)
    }

    /// Units go down only so often in a day.
    fn check_decreases(&self, current: &ThroughputSettings) -> Result<(), ServiceError> {
        let count = current.changes.decreases_today(self.now);
        match current.changes.decreased_at {
            Some(last)
                if count >= DECREASES_OF_A_DAY_AT_WILL
                    && self.now.0 < last.0.saturating_add(MILLISECONDS_BETWEEN_DECREASES) =>
            {
                Err(ServiceError::LimitExceeded(LimitExceeded::Decreases { count, last }))
            }
            _ => Ok(()),
        }
    }

    /// Throughput with other units under the new billing mode. Bounds of on-demand units go with the mode;
    /// what is ready at once never becomes less.
    pub(super) fn switched(&self, current: ThroughputSettings, units: Throughput) -> ThroughputSettings {
        let least = least_warm(self.to, units);
        let warm = warm_units(self.from, &current).max(least);
        let (provisioned, on_demand_maxima) = match self.to {
            BillingMode::Provisioned => (units, Maxima::default()),
            BillingMode::PayPerRequest => (Throughput::default(), current.on_demand_maxima),
        };
        let warm = Some(warm).filter(|warm| *warm != least);
        ThroughputSettings { provisioned, on_demand_maxima, warm, ..current }
    }
}
