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
    MaximumOutOfRange {
        /// Which.
        unit: Unit,
        /// Of which index, if not of the table.
        index: Option<String>,
    },
    /// Fewer warm units than the table or index starts with.
    WarmTooLow {
        /// Which.
        unit: Unit,
        /// Whether the table is provisioned.
        provisioned: bool,
        /// Of which index, if not of the table.
        index: Option<String>,
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
            E::MaximumOutOfRange { unit, index } => {
                // The space in front of the colon is the service's.
                let of = index.as_ref().map_or("table".to_owned(), |index| format!("index : {index}"));
                let unit = unit.word();
                (
                    INVALID,
                    format!(
                        "Requested Max{unit}RequestUnits for OnDemandThroughput for {of} is outside of valid \
                         range"
                    ),
                )
            }
            E::WarmTooLow { unit, provisioned, index } => {
                let (unit, of) = (unit.word(), subject(index.as_deref()));
                let than = if *provisioned {
                    format!("{unit}CapacityUnits of ProvisionedThroughput")
                } else {
                    "initial throughput for OnDemand".to_owned()
                };
                (
                    INVALID,
                    format!(
                        "Requested {unit}UnitsPerSecond for WarmThroughput for {of} is lower than {than}"
                    ),
                )
            }
        };
        f.write_str(lead)?;
        f.write_str(&text)
    }
}

/// What units are of.
pub(super) fn subject(index: Option<&str>) -> String {
    index.map_or("table".to_owned(), |index| format!("index {index}"))
}
