//! What is wrong with a request about a backup, or about recovery to a point in time.

use std::fmt;

use super::resource::Moment;
use crate::call::Timestamp;

/// What the state of tables and backups refuses. Each family has an error of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupError {
    /// No such table; the operations on backups name it in words of their own, as it was sent.
    NoTable(String),
    /// No such backup: its ARN.
    NoBackup(String),
    /// The backup is being made: its ARN.
    Creating(String),
    /// A table is being restored from the backup: its ARN.
    Restoring(String),
    /// The table can't be recovered to a point in time.
    NotRecoverable(String),
    /// A moment to which the table can't be restored.
    Moment {
        /// The first that it can be restored to.
        earliest: Timestamp,
        /// The last.
        latest: Timestamp,
    },
    /// The table to be made is there.
    TableExists(String),
}

impl BackupError {
    /// The error's name on the wire.
    pub(super) fn name(&self) -> &'static str {
        match self {
            BackupError::NoTable(_) => "TableNotFoundException",
            BackupError::NoBackup(_) => "BackupNotFoundException",
            BackupError::Creating(_) | BackupError::Restoring(_) => "BackupInUseException",
            BackupError::NotRecoverable(_) => "PointInTimeRecoveryUnavailableException",
            BackupError::Moment { .. } => "InvalidRestoreTimeException",
            BackupError::TableExists(_) => "TableAlreadyExistsException",
        }
    }
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackupError::NoTable(table) => write!(f, "Table not found: {table}"),
            BackupError::NoBackup(arn) => write!(f, "Backup not found: {arn}"),
            BackupError::Creating(arn) => write!(f, "Backup is being created: {arn}"),
            BackupError::Restoring(arn) => write!(f, "Backup is being used to restore another table: {arn}"),
            BackupError::NotRecoverable(table) => {
                write!(f, "Point in time recovery is not enabled for table '{table}'")
            }
            BackupError::Moment { earliest, latest } => write!(
                f,
                "An invalid restore time was specified. RestoreDateTime must be between \
                 EarliestRestorableDateTime {} and LatestRestorableDateTime {}.",
                Moment(*earliest),
                Moment(*latest)
            ),
            BackupError::TableExists(table) => write!(f, "Table already exists: {table}"),
        }
    }
}

/// A request that can't be right, as a ValidationException says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupFault {
    /// No ARN of a backup.
    Arn,
    /// An ARN of a backup whose last part none has.
    Id,
    /// A backup of the service's own, which goes at a moment.
    System {
        /// The ARN.
        arn: String,
        /// The moment.
        expires_at: Timestamp,
    },
    /// The first moment of a range comes after its last.
    Range,
    /// A page that begins behind a backup of another region.
    StartRegion,
    /// A recovery period for a table that is not to be recovered.
    PeriodDisabled,
    /// Both or neither of two ways to say the moment.
    OneMoment,
    /// Both or neither of two ways to name the table.
    OneSource,
    /// An index that the source doesn't have.
    Index(String),
    /// A source in another region, and nothing about its encryption.
    EncryptionElsewhere,
    /// Provisioned units of a table that is to be on demand.
    UnitsOnDemand,
    /// A table that is to be a provisioned one without units.
    UnitsMissing,
}

impl fmt::Display for BackupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = match self {
            BackupFault::Arn => return f.write_str("Invalid Backup ARN"),
            BackupFault::Range => {
                return f.write_str(
                    "One or more parameter values were invalid: Time range lower bound must be less than or \
                     equal to upper bound",
                );
            }
            BackupFault::OneSource => {
                return f.write_str("Must provide exactly one of: sourceTableArn, sourceTableName");
            }
            BackupFault::Id => "BackupArn is not valid",
            BackupFault::System { arn, expires_at } => {
                return write!(
                    f,
                    "Invalid Request: User is not allowed to delete the system backup with arn {arn}. It will \
                     automatically expire on {}",
                    Moment(*expires_at)
                );
            }
            BackupFault::StartRegion => "The supplied ExclusiveStartBackupArn does not match the region",
            BackupFault::PeriodDisabled => {
                "Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
            }
            BackupFault::OneMoment => {
                "Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both"
            }
            BackupFault::Index(index) => {
                return write!(
                    f,
                    "Invalid Request: Index {index} does not match a secondary index that existed in the source \
                     table and cannot be created during the restore operation"
                );
            }
            BackupFault::EncryptionElsewhere => {
                "sseSpecificationOverride must be provided for cross-region restores"
            }
            BackupFault::UnitsOnDemand => {
                "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"
            }
            BackupFault::UnitsMissing => {
                "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"
            }
        };
        write!(f, "Invalid Request: {rest}")
    }
}
