//! What is wrong with a change of a table's Kinesis destinations.

use std::fmt;

/// Why destinations stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DestinationError {
    /// Changes go to one already.
    Enabled,
    /// Changes don't go to it.
    NotActive,
    /// It is to be disabled, and configured at once.
    DisabledWithConfiguration,
    /// An update that says nothing.
    NothingToUpdate,
    /// The table was never told of it.
    Unknown {
        /// The table.
        table: String,
        /// The data stream.
        arn: String,
    },
    /// An update of one that changes don't go to.
    UpdatedInactive {
        /// The table.
        table: String,
        /// The data stream.
        arn: String,
    },
    /// The precision is to be what it is.
    SamePrecision {
        /// Which.
        precision: &'static str,
        /// The table's id.
        table: String,
        /// The data stream.
        arn: String,
    },
}

impl fmt::Display for DestinationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DestinationError as E;
        const STATE: &str = "Table is not in a valid state to enable Kinesis Streaming Destination:";
        match self {
            E::Enabled => write!(
                f,
                "{STATE} EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform \
                 ENABLE operation."
            ),
            E::NotActive => {
                write!(f, "{STATE} KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.")
            }
            E::DisabledWithConfiguration => {
                f.write_str("Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters")
            }
            E::NothingToUpdate => f.write_str(
                "Streaming destination cannot be updated with given parameters: \
                 UpdateKinesisStreamingConfiguration cannot be null or contain only null values",
            ),
            E::Unknown { table, arn } => write!(
                f,
                "{STATE} No streaming destination with streamArn: {arn} found for table with tableName: \
                 {table}"
            ),
            E::UpdatedInactive { table, arn } => write!(
                f,
                "{STATE} Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. \
                 TableName: {table}, kdsArn: {arn}"
            ),
            E::SamePrecision { precision, table, arn } => write!(
                f,
                "Invalid Request: Precision is already set to the desired value of {precision} for tableId: \
                 {table}, kdsArn: {arn}"
            ),
        }
    }
}
