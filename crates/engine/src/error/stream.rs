//! What is wrong with a request about a stream.

use std::fmt;

/// A fault of a request about a stream, as a ValidationException says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFault {
    /// An ARN that is none of a stream.
    Arn,
    /// A text that is no shard iterator.
    Iterator,
    /// An iterator type that begins at a number, without it.
    SequenceNumberMissing,
    /// A number for an iterator type that begins elsewhere.
    SequenceNumberUnused,
    /// A number that the shard doesn't have.
    SequenceNumber,
    /// An iterator type that begins at a time, without it.
    TimestampMissing,
}

impl fmt::Display for StreamFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INVALID: &str = "One or more parameter values were invalid: ";
        match self {
            StreamFault::Arn => f.write_str("Invalid StreamArn"),
            StreamFault::Iterator => f.write_str("Invalid ShardIterator"),
            StreamFault::SequenceNumberMissing => write!(f, "{INVALID}SequenceNumber cannot be null"),
            StreamFault::SequenceNumberUnused => {
                write!(f, "{INVALID}SequenceNumber should not be passed for this iterator type")
            }
            StreamFault::SequenceNumber => f.write_str("Invalid SequenceNumber for the shard"),
            StreamFault::TimestampMissing => write!(f, "{INVALID}Timestamp cannot be null"),
        }
    }
}
