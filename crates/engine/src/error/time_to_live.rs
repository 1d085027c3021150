//! What is wrong with a change of a table's time to live.

use std::fmt;

/// Why a table's time to live stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeToLiveError {
    /// It is enabled, with this attribute.
    AlreadyEnabled,
    /// It is not enabled.
    AlreadyDisabled,
    /// It is enabled with another attribute.
    OtherAttribute {
        /// Which.
        current: String,
    },
    /// The table is still being made.
    TableIsBeingMade,
    /// It has been changed just now.
    ChangedTooOften,
}

impl fmt::Display for TimeToLiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeToLiveError::AlreadyEnabled => f.write_str("TimeToLive is already enabled"),
            TimeToLiveError::AlreadyDisabled => f.write_str("TimeToLive is already disabled"),
            TimeToLiveError::TableIsBeingMade => f.write_str(
                "Cannot describe time to live while table is in CREATING state: Current table state is CREATING",
            ),
            TimeToLiveError::ChangedTooOften => {
                f.write_str("Time to live has been modified multiple times within a fixed interval")
            }
            TimeToLiveError::OtherAttribute { current } => write!(
                f,
                "TimeToLive is active on a different AttributeName: current AttributeName is {current}"
            ),
        }
    }
}
