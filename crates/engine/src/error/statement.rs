//! What can be wrong with a PartiQL statement, or with its fit to the table.

use std::fmt;

use keyplan_partiql::StatementError;
use keyplan_value::ValueKind;

/// A fault of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementFault {
    /// The statement by itself.
    Statement(StatementError),
    /// A parameter has exactly one level too many.
    ParameterTooDeep,
    /// A write's condition doesn't name one item.
    NoItem,
    /// A write's condition names two values of a key attribute.
    TwoKeyValues {
        /// The attribute.
        name: String,
    },
    /// A key attribute's value is of a type that no key has.
    NoKeyType {
        /// The attribute.
        name: String,
        /// The type.
        kind: ValueKind,
    },
    /// A key attribute's value is of another type than the attribute.
    OtherKeyType {
        /// The attribute.
        name: String,
    },
    /// An item to insert lacks a key attribute.
    MissingKey {
        /// The attribute.
        name: String,
    },
    /// The index doesn't exist.
    NoSuchIndex,
    /// A consistent read of a global secondary index.
    ConsistentGlobalRead,
    /// The index has a key of several attributes of a kind.
    SeveralKeyAttributes,
    /// A read by an index's key looks at attributes that the index doesn't have.
    UnprojectedFilter {
        /// The index.
        index: String,
        /// The attributes.
        attributes: Vec<String>,
    },
    /// Two alternatives of a condition name stretches that meet.
    Overlapping,
    /// A condition names too many stretches.
    TooManyReads,
    /// ORDER BY without WHERE.
    OrderWithoutCondition,
    /// ORDER BY names no key attribute.
    OrderAttribute {
        /// The attribute.
        name: String,
    },
    /// ORDER BY, and no partition is named.
    OrderWithoutPartition,
    /// ORDER BY doesn't order the several partitions that are named.
    OrderOfPartitions,
    /// A token that was not made here.
    NoToken,
    /// A token of another request.
    OtherToken,
    /// A token that is too old.
    OldToken,
    /// A token with a write.
    TokenOfWrite,
    /// EXISTS outside of a transaction of writes.
    ExistsElsewhere,
    /// EXISTS without an item, or without a condition on it.
    ExistsForm,
    /// EXISTS of an index.
    ExistsOfIndex,
    /// Reads and writes in one batch.
    MixedBatch,
    /// Reads and writes in one transaction.
    MixedTransaction,
    /// A read of a batch that isn't by the key.
    BatchRead,
    /// A read of a transaction that isn't by the key.
    TransactionRead,
    /// A read of an index in a transaction.
    TransactionIndex,
    /// RETURNING in a transaction.
    TransactionReturning,
}

impl From<StatementError> for StatementFault {
    fn from(error: StatementError) -> StatementFault {
        StatementFault::Statement(error)
    }
}

impl fmt::Display for StatementFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use StatementFault::*;
        f.write_str(match self {
            Statement(error) => return error.fmt(f),
            ParameterTooDeep => "Nesting Levels have exceeded supported limits",
            NoItem => "Where clause does not contain a mandatory equality on all key attributes",
            TwoKeyValues { name } => {
                return write!(
                    f,
                    "Multiple conditions on same key {name}. Only single item Update/Insert/Delete are supported"
                );
            }
            NoKeyType { name, kind } => {
                return write!(
                    f,
                    "Key value must be of type S, N, or B. Key name: {name}, Key type: {}",
                    kind.code()
                );
            }
            OtherKeyType { name } => {
                return write!(
                    f,
                    "Key attribute's data type should match its data type in table's schema: Key {name}"
                );
            }
            MissingKey { name } => {
                return write!(f, "Key attribute should be present in the item: Key {name}");
            }
            NoSuchIndex => "The table does not have the specified index",
            ConsistentGlobalRead => {
                "Strongly consistent read is not supported on Global Secondary Indexes"
            }
            SeveralKeyAttributes => {
                "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or \
                 multi-attribute RANGE keys."
            }
            UnprojectedFilter { index, attributes } => {
                return write!(
                    f,
                    "One or more parameter values were invalid: Secondary index {index} does not project one or \
                     more filter attributes: [{}]",
                    attributes.join(", ")
                );
            }
            Overlapping => "Overlapping conditions with range keys are not supported in where clause",
            TooManyReads => "Too many decomposed read operations for a given query.",
            OrderWithoutCondition => {
                "Must have WHERE clause in the statement when using ORDER BY clause."
            }
            OrderAttribute { name } => {
                return write!(f, "Attribute {name} in ORDER BY clause must be part of the primary key");
            }
            OrderWithoutPartition => {
                "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY \
                 clause."
            }
            OrderOfPartitions => {
                "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE \
                 clause."
            }
            NoToken => "Invalid NextToken",
            OtherToken => "NextToken does not match request",
            OldToken => "Given NextToken has already expired",
            TokenOfWrite => "NextToken is only valid on a SELECT statement",
            ExistsElsewhere => "EXISTS can only be used in ExecuteTransaction write requests.",
            ExistsForm => "EXISTS() must contain a single item read with additional condition",
            ExistsOfIndex => "Operations on indices are not supported in transactions",
            MixedBatch => "Read and write requests together in the same batch is not supported.",
            MixedTransaction => {
                "ExecuteTransaction API does not support both read and write operations in the same request."
            }
            BatchRead => {
                "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
            }
            TransactionRead => {
                "Select statements within ExecuteTransaction must specify the primary key in the where clause."
            }
            TransactionIndex => "Reads on indices are not supported within transactions.",
            TransactionReturning => "RETURNING clause is not supported in ExecuteTransaction.",
        })
    }
}
