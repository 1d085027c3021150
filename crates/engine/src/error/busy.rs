//! What a table is busy with when it refuses to be changed.

use std::fmt;

/// Why a table, or an index of it, can't be changed right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Busy {
    /// The table is being made.
    Made,
    /// The same, as UpdateTimeToLive says it.
    MadeWithoutExpiry,
    /// The table is being deleted.
    Deleted,
    /// Something of the table is being changed.
    Updated,
    /// Units while units are.
    Units,
    /// A stream while units are.
    StreamDuringUnits,
    /// Indexes while units are.
    IndexesDuringUnits,
    /// On-demand maxima while the billing mode is.
    MaximaDuringBilling,
    /// DeleteTable while a stream is.
    DeleteDuringStream,
    /// Units while a stream is.
    UnitsDuringStream(StreamMove),
    /// A stream while a stream is.
    StreamDuringStream(StreamMove),
    /// Indexes while a stream is.
    IndexesDuringStream,
    /// The class while the class is.
    Class(&'static str),
    /// Units while an index is being deleted.
    UnitsDuringIndexDeletion(String),
    /// Deleting an index for which room is being made.
    IndexAllocated(String),
    /// Changing an index for which room is being made.
    IndexNotBackfilling(String),
    /// An index that is being deleted.
    IndexDeleted(String),
    /// An index that is being changed.
    IndexUpdated(String),
}

/// A stream that is being enabled or disabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamMove {
    /// Its label.
    pub label: String,
    /// Whether it is enabled.
    pub enables: bool,
}

impl fmt::Display for StreamMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = if self.enables { "ENABLE" } else { "DISABLE" };
        write!(f, "Stream: {} Operation: {operation}", self.label)
    }
}

impl Busy {
    pub(super) fn write(&self, table: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Busy::Made => write!(f, "Table is being created: {table}"),
            Busy::MadeWithoutExpiry => write!(f, "Table {table} is being created"),
            Busy::Deleted => write!(f, "Table is being deleted: {table}"),
            Busy::Updated => write!(f, "Table: {table} is in the process of being updated."),
            Busy::Units => write!(f, "Table IOPS are currently being updated. Table: {table}"),
            Busy::StreamDuringUnits => {
                write!(f, "Can't enable or disable stream while table IOPS are being updated. Table: {table}")
            }
            Busy::IndexesDuringUnits => {
                write!(f, "Can't create or delete indexes while table IOPS are being updated. Table: {table}")
            }
            Busy::MaximaDuringBilling => {
                f.write_str("OnDemandThroughput cannot be updated while BillingMode update is in progress")
            }
            Busy::DeleteDuringStream => {
                f.write_str("Cannot delete table while stream is being enabled/disabled.")
            }
            Busy::UnitsDuringStream(stream) => {
                write!(
                    f,
                    "Can't change table IOPS when stream status is being updated. Table: {table} {stream}"
                )
            }
            Busy::StreamDuringStream(stream) => {
                write!(f, "A stream status change is currently in progress. Table: {table} {stream}")
            }
            Busy::IndexesDuringStream => {
                f.write_str("Can't create or delete an index when stream status is being updated.")
            }
            Busy::Class(class) => write!(
                f,
                "Can't update table class when a table class update is in progress. Table: {table} \
                 TableClassUpdateInProgress: {class}"
            ),
            Busy::UnitsDuringIndexDeletion(index) => write!(
                f,
                "Can't change table IOPS when an index is being deleted. Table: {table} Indexes: [{index}]"
            ),
            Busy::IndexAllocated(index) => write!(
                f,
                "Index creation is in resource allocation phase. Retry deletion during backfilling phase or when \
                 the index is active. Table: {table} Index: {index}"
            ),
            Busy::IndexNotBackfilling(index) => {
                write!(f, "Index is being created but is not backfilling yet. Table: {table} Index: {index}")
            }
            Busy::IndexDeleted(index) => write!(f, "Index is being deleted. Table: {table} Index: {index}"),
            Busy::IndexUpdated(index) => write!(f, "Index is being updated. Table: {table} Index: {index}"),
        }
    }
}
