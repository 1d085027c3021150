//! What is wrong with the state of a table or an index, rather than with the request.

use std::fmt;

use super::Busy;
use super::definition::Unit;
use crate::calendar::date;
use crate::call::Timestamp;
use crate::limits::{
    DECREASES_OF_A_DAY_AT_WILL, GLOBAL_INDEXES_MAX, IMPORTS_AT_ONCE_MAX, MILLISECONDS_BETWEEN_DECREASES,
    RESTORES_AT_ONCE_MAX,
};

/// What a ResourceNotFoundException names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// Item operations don't name the table.
    Resource,
    /// Table operations do.
    Table(String),
    /// An index that is to be updated or deleted.
    Index {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
    /// Operations on tags name the ARN.
    Arn(String),
    /// Operations on streams do too.
    Stream(String),
    /// Operations on policies name a stream by its label.
    StreamOfTable {
        /// The table.
        table: String,
        /// The label.
        label: String,
    },
    /// The scaling of replicas names the table by what it isn't.
    GlobalTable(String),
    /// Contributor insights name the index.
    IndexOfTable {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
    /// A shard that the stream doesn't have, or has no more.
    Shard,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let NotFound::GlobalTable(name) = self {
            return write!(f, "Global table with name: '{name}' does not exist.");
        }
        f.write_str("Requested resource not found")?;
        match self {
            NotFound::Resource | NotFound::GlobalTable(_) => Ok(()),
            NotFound::Table(table) => write!(f, ": Table: {table} not found"),
            NotFound::Index { table, index } => write!(f, ": Index {index} for table {table}"),
            NotFound::Arn(arn) => write!(f, ": ResourceArn: {arn} not found"),
            NotFound::Stream(arn) => write!(f, ": Stream: {arn} not found"),
            NotFound::StreamOfTable { table, label } => {
                write!(f, ": Stream: {label} not found for Table: {table}")
            }
            NotFound::IndexOfTable { table, index } => {
                write!(f, ": Index: {index} not found for table: {table}")
            }
            NotFound::Shard => f.write_str(": Shard does not exist"),
        }
    }
}

/// What a ResourceInUseException says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InUse {
    /// CreateTable of a table that is there.
    TableExists(String),
    /// A change of a table that is being restored or imported.
    TableIsBeingCreated(String),
    /// A bulk put into a table whose indexes change.
    TableUpdated(String),
    /// A change of a global table whose members are changing.
    Replicas,
    /// DeleteTable of a replica whose items are still being copied.
    ReplicaInUse(String),
    /// DeleteTable while an index of it is being made.
    IndexesChange,
    /// A change of provisioned units while an index is being made.
    UnitsWhileIndexIsMade {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
    /// Something of the table is under way.
    Busy {
        /// The table.
        table: String,
        /// What.
        busy: Busy,
    },
}

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHANGE: &str = "Attempt to change a resource which is still in use: ";
        match self {
            InUse::TableExists(table) => write!(f, "Table already exists: {table}"),
            InUse::TableIsBeingCreated(table) => write!(f, "{CHANGE}Table is being created: {table}"),
            InUse::TableUpdated(table) => {
                write!(f, "{CHANGE}Table: {table} is in the process of being updated.")
            }
            InUse::Replicas => f.write_str("The resource which you are attempting to change is in use."),
            InUse::ReplicaInUse(table) => write!(f, "{CHANGE}Table: {table} is being used."),
            InUse::IndexesChange => {
                write!(f, "{CHANGE}Cannot delete table while indexes are being created, updated, or deleted.")
            }
            InUse::UnitsWhileIndexIsMade { table, index } => write!(
                f,
                "{CHANGE}Can't change table IOPS when an index is being created. Table: {table} Indexes: \
                 [{index}]"
            ),
            InUse::Busy { table, busy } => {
                f.write_str(CHANGE)?;
                busy.write(table, f)
            }
        }
    }
}

/// What a LimitExceededException says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitExceeded {
    /// More provisioned units than a table may have.
    UnitsOfTable {
        /// Which.
        unit: Unit,
        /// The units asked for.
        asked: u64,
        /// The most there can be.
        most: u64,
        /// The request's region.
        region: String,
    },
    /// Too many tables restored at once.
    Restores,
    /// Two indexes made or taken away at once.
    OneIndexAtATime,
    /// Too many imports in progress.
    Imports,
    /// Too many global secondary indexes.
    GlobalIndexes,
    /// Provisioned units decreased too often in a day.
    Decreases {
        /// How often they were today.
        count: u64,
        /// When last.
        last: Timestamp,
    },
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SUBSCRIBER: &str = "Subscriber limit exceeded: ";
        match self {
            LimitExceeded::UnitsOfTable { unit, asked, most, region } => write!(
                f,
                "The requested {}CapacityUnits, {asked}, is above the per table maximum for the account in \
                 {region}. Per table maximum: {most}. Refer to the Amazon DynamoDB Developer Guide for \
                 current limits and how to request higher limits.",
                unit.word()
            ),
            LimitExceeded::Restores => write!(
                f,
                "{SUBSCRIBER}Only {RESTORES_AT_ONCE_MAX} restore operations can be done simultaneously"
            ),
            LimitExceeded::OneIndexAtATime => write!(
                f,
                "{SUBSCRIBER}Only 1 online index can be created or deleted simultaneously per table"
            ),
            LimitExceeded::Imports => write!(
                f,
                "{SUBSCRIBER}Only {IMPORTS_AT_ONCE_MAX} import operations can be done simultaneously"
            ),
            LimitExceeded::GlobalIndexes => write!(
                f,
                "{SUBSCRIBER}Number of global secondary indexes exceeds per-table limit of {GLOBAL_INDEXES_MAX}"
            ),
            LimitExceeded::Decreases { count, last } => write!(
                f,
                "{SUBSCRIBER}Provisioned throughput decreases are limited within a given UTC day. After the \
                 first {DECREASES_OF_A_DAY_AT_WILL} decreases, each subsequent decrease in the same UTC day \
                 can be performed at most once every {} seconds. Number of decreases today: {count}. Last \
                 decrease at {}. Next decrease can be made at {}",
                MILLISECONDS_BETWEEN_DECREASES / 1_000,
                Moment(*last),
                Moment(Timestamp(last.0.saturating_add(MILLISECONDS_BETWEEN_DECREASES)))
            ),
        }
    }
}

/// A moment as these texts write it: `Sunday, November 30, 2025 9:05:00 PM UTC`.
pub(super) struct Moment(pub(super) Timestamp);

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAYS: [&str; 7] =
            ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let seconds = self.0.0 / 1_000;
        let (days, of_day) = (seconds / 86_400, seconds % 86_400);
        let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
        let (year, month, day) = date(days);
        let weekday = usize::try_from(days % 7).ok().and_then(|day| DAYS.get(day)).unwrap_or(&"");
        let month = usize::try_from(month).ok().and_then(|month| MONTHS.get(month)).unwrap_or(&"");
        let half = if hour < 12 { "AM" } else { "PM" };
        let hour = (hour + 11) % 12 + 1;
        write!(f, "{weekday}, {month} {day}, {year} {hour}:{minute:02}:{second:02} {half} UTC")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_out() {
        for (seconds, text) in [
            (0, "Thursday, January 1, 1970 12:00:00 AM UTC"),
            (951_782_400, "Tuesday, February 29, 2000 12:00:00 AM UTC"),
            (951_868_800, "Wednesday, March 1, 2000 12:00:00 AM UTC"),
            (1_764_536_700, "Sunday, November 30, 2025 9:05:00 PM UTC"),
            (1_798_761_599, "Thursday, December 31, 2026 11:59:59 PM UTC"),
            (4_107_542_399, "Sunday, February 28, 2100 11:59:59 PM UTC"),
            (4_107_542_400, "Monday, March 1, 2100 12:00:00 AM UTC"),
        ] {
            assert_eq!(Moment(Timestamp(seconds * 1_000 + 999)).to_string(), text);
        }
    }
}
