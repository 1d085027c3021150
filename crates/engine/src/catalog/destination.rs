//! Where a table's changes go besides its stream.

use crate::call::Timestamp;

/// A Kinesis data stream that a table's changes go to, went to, or were to go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The data stream's ARN, as it was sent.
    pub arn: String,
    /// What became of it.
    pub status: DestinationStatus,
    /// How exact the times of changes are told, where a request said so.
    pub precision: Option<TimePrecision>,
    /// When it was enabled last.
    pub since: Timestamp,
}

/// What became of a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DestinationStatus {
    /// Changes go there.
    Active,
    /// They do no more.
    Disabled,
    /// They never did.
    Failed(EnableFault),
}

/// Why a destination can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnableFault {
    /// It is no data stream that there is.
    Permission,
    /// It is in another region.
    Region,
    /// It is another account's.
    State,
}

/// How exact times are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimePrecision {
    /// To the millisecond.
    Millisecond,
    /// To the microsecond.
    Microsecond,
}

impl DestinationStatus {
    const ALL: [DestinationStatus; 5] = [
        DestinationStatus::Active,
        DestinationStatus::Disabled,
        DestinationStatus::Failed(EnableFault::Permission),
        DestinationStatus::Failed(EnableFault::Region),
        DestinationStatus::Failed(EnableFault::State),
    ];

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            DestinationStatus::Active => "ACTIVE",
            DestinationStatus::Disabled => "DISABLED",
            DestinationStatus::Failed(_) => "ENABLE_FAILED",
        }
    }

    /// What a description says of it.
    pub fn description(self) -> Option<&'static str> {
        match self {
            DestinationStatus::Active | DestinationStatus::Disabled => None,
            DestinationStatus::Failed(EnableFault::Permission) => {
                Some("User does not have a permission to use kinesis stream")
            }
            DestinationStatus::Failed(EnableFault::Region) => Some(
                "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the \
                 current region",
            ),
            DestinationStatus::Failed(EnableFault::State) => Some(
                "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in \
                 Active state",
            ),
        }
    }

    /// What a stored item has of it.
    pub(super) fn code(self) -> u64 {
        DestinationStatus::ALL.iter().position(|status| *status == self).unwrap_or_default() as u64
    }

    pub(super) fn from_code(code: u64) -> Option<DestinationStatus> {
        DestinationStatus::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

impl TimePrecision {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            TimePrecision::Millisecond => "MILLISECOND",
            TimePrecision::Microsecond => "MICROSECOND",
        }
    }

    /// The precision of a word.
    pub fn from_word(word: &str) -> Option<TimePrecision> {
        [TimePrecision::Millisecond, TimePrecision::Microsecond]
            .into_iter()
            .find(|precision| precision.word() == word)
    }
}
