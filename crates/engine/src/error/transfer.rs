//! What is wrong with a request about an export, an import or a bulk put.

use std::fmt;

use super::resource::Moment;
use crate::call::Timestamp;

/// An error of exports, imports and bulk puts that isn't a ValidationException.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferError {
    /// A time that lies outside what is kept.
    ExportTime {
        /// The first that can be exported.
        earliest: Timestamp,
        /// The last.
        latest: Timestamp,
    },
    /// A client token of another export.
    ExportConflict,
    /// A client token of another import.
    ImportConflict,
    /// No such export, import or bulk operation.
    NotFound {
        /// Its word in an ARN.
        kind: &'static str,
        /// The ARN as sent.
        arn: String,
    },
}

impl TransferError {
    /// The error's name without its namespace.
    pub(super) fn name(&self) -> &'static str {
        match self {
            TransferError::ExportTime { .. } => "InvalidExportTimeException",
            TransferError::ExportConflict => "ExportConflictException",
            TransferError::ImportConflict => "ImportConflictException",
            TransferError::NotFound { kind: "export", .. } => "ExportNotFoundException",
            TransferError::NotFound { kind: "import", .. } => "ImportNotFoundException",
            TransferError::NotFound { .. } => "ResourceNotFoundException",
        }
    }
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransferError::ExportTime { earliest, latest } => write!(
                f,
                "An invalid export time was specified. ExportTime must be between EarliestRestorableDateTime {} \
                 and LatestRestorableDateTime {}.",
                Moment(*earliest),
                Moment(*latest)
            ),
            TransferError::ExportConflict => {
                f.write_str("Export conflict: Duplicate request detected with conflicting parameters")
            }
            TransferError::ImportConflict => {
                f.write_str("Import conflict: Duplicate request detected with conflicting parameters")
            }
            TransferError::NotFound { kind: "export", arn } => write!(f, "Export not found: {arn}"),
            TransferError::NotFound { kind: "import", arn } => write!(f, "Import not found: {arn}"),
            TransferError::NotFound { arn, .. } => {
                write!(f, "Requested resource not found: BulkOperation: {arn} not found")
            }
        }
    }
}

/// A fault that a ValidationException tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferFault {
    /// An ARN that is none of such a thing; its word in an ARN.
    Arn(&'static str),
    /// An ARN that is none of a table.
    TableArn,
    /// A page's token that no page gave.
    NextToken,
    /// A full export with a window.
    WindowUnused,
    /// An incremental export without one.
    WindowMissing,
    /// A window without its start.
    WindowStartMissing,
    /// A window that ends before it starts.
    WindowReversed,
    /// A window that is too short.
    WindowShort,
    /// A window that is too long.
    WindowLong,
    /// An incremental export with the time of a full one.
    MomentUnused,
    /// A filter without an expression.
    EmptyFilter,
    /// Options for CSV with another format.
    CsvOptions,
    /// A bulk put without a bucket for its reports.
    OutputBucketMissing,
}

impl fmt::Display for TransferFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INVALID: &str = "One or more parameter values were invalid: ";
        let (lead, text) = match self {
            TransferFault::Arn("export") => ("", "Invalid Export ARN"),
            TransferFault::Arn("import") => ("", "Invalid Import ARN"),
            TransferFault::Arn(_) => ("", "Invalid BulkOperation ARN"),
            TransferFault::TableArn => ("", "tableArn is not a valid ARN"),
            TransferFault::NextToken => ("", "Invalid NextToken"),
            TransferFault::WindowUnused => {
                (INVALID, "IncrementalExportSpecification can only be provided for an INCREMENTAL_EXPORT")
            }
            TransferFault::WindowMissing => {
                (INVALID, "IncrementalExportSpecification must be provided for an INCREMENTAL_EXPORT")
            }
            TransferFault::WindowStartMissing => (INVALID, "ExportFromTime must be provided"),
            TransferFault::WindowReversed => (INVALID, "ExportFromTime must be before ExportToTime"),
            TransferFault::WindowShort => (INVALID, "The export period must be at least 15 minutes"),
            TransferFault::WindowLong => (INVALID, "The export period must be at most 24 hours"),
            TransferFault::MomentUnused => {
                (INVALID, "ExportTime cannot be provided for an INCREMENTAL_EXPORT")
            }
            TransferFault::EmptyFilter => (INVALID, "FilterSpecification must have an expression"),
            TransferFault::CsvOptions => (INVALID, "InputFormatOptions can only be provided for CSV"),
            TransferFault::OutputBucketMissing => {
                (INVALID, "S3Bucket must be provided in OutputS3Configuration")
            }
        };
        f.write_str(lead)?;
        f.write_str(text)
    }
}
