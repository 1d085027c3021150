//! Billing and throughput.

use std::fmt;

use super::INVALID;
use super::Unit;

/// What is wrong with the billing mode or the units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThroughputError {
    /// Provisioned units on an on-demand table.
    OnDemand,
    /// No provisioned units on a provisioned table.
    Missing,
    /// Units that nobody can ask for.
    OutOfBounds {
        /// The units asked for.
        value: i64,
        /// Which.
        unit: Unit,
        /// Of which index, if not of the table.
        index: Option<String>,
    },
    /// A bound on on-demand units of a provisioned table.
    MaximumProvisioned(Unit),
    /// A bound on on-demand units below 1.
    MaximumOutOfRange(Unit),
    /// Fewer warm units than the table starts with.
    WarmTooLow {
        /// Which.
        unit: Unit,
        /// Whether the table is provisioned.
        provisioned: bool,
    },
}

impl fmt::Display for ThroughputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ThroughputError as E;
        let (lead, text): (&str, String) = match self {
            E::OnDemand => (
                INVALID,
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
                 PAY_PER_REQUEST"
                    .to_owned(),
            ),
            E::Missing => (
                INVALID,
                "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is \
                 PROVISIONED"
                    .to_owned(),
            ),
            E::OutOfBounds { value, unit, index } => {
                let of = index.as_ref().map(|index| format!(" for index {index}")).unwrap_or_default();
                let unit = unit.word();
                ("", format!("Given value {value} for {unit}CapacityUnits is out of bounds{of}"))
            }
            E::MaximumProvisioned(unit) => (
                INVALID,
                format!(
                    "Max{}RequestUnits for OnDemandThroughput cannot be specified when table BillingMode is \
                     PROVISIONED.",
                    unit.word()
                ),
            ),
            E::MaximumOutOfRange(unit) => (
                INVALID,
                format!(
                    "Requested Max{}RequestUnits for OnDemandThroughput for table is outside of valid range",
                    unit.word()
                ),
            ),
            E::WarmTooLow { unit, provisioned } => {
                let unit = unit.word();
                let than = if *provisioned {
                    format!("{unit}CapacityUnits of ProvisionedThroughput")
                } else {
                    "initial throughput for OnDemand".to_owned()
                };
                (
                    INVALID,
                    format!(
                        "Requested {unit}UnitsPerSecond for WarmThroughput for table is lower than {than}"
                    ),
                )
            }
        };
        f.write_str(lead)?;
        f.write_str(&text)
    }
}
