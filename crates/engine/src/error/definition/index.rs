//! Secondary indexes.

use std::fmt;

use super::INVALID;
use super::IndexName;

/// What is wrong with an index of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexError {
    /// A list of indexes is there and empty: its member's name.
    EmptyList(&'static str),
    /// Local secondary indexes on a table without a sort key.
    LocalOnSimpleTable,
    /// A local secondary index without a sort key.
    LocalWithoutRange(IndexName),
    /// A local secondary index with a partition key of its own.
    LocalOtherHash {
        /// The index.
        index: IndexName,
        /// Its partition key.
        of_index: String,
        /// The table's.
        of_table: String,
    },
    /// Too many local secondary indexes.
    TooManyLocal(usize),
    /// Too many global secondary indexes.
    TooManyGlobal(usize),
    /// A global secondary index of a provisioned table without provisioned units.
    ThroughputMissing(IndexName),
    /// A global secondary index of an on-demand table with provisioned units.
    ThroughputOnDemand(IndexName),
    /// A projection without a type.
    ProjectionUnknown,
    /// Projected attributes are named and the type isn't INCLUDE.
    NonKeyAttributesWith(&'static str),
    /// The type is INCLUDE and no attributes are named.
    NonKeyAttributesMissing,
    /// A projected attribute is named twice.
    NonKeyAttributeTwice(String),
    /// Too many projected attributes over all indexes.
    TooManyNonKeyAttributes(usize),
    /// Two indexes of one name.
    Twice(IndexName),
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use IndexError as E;
        f.write_str(INVALID)?;
        match self {
            E::EmptyList(list) => write!(f, "List of {list} is empty"),
            E::LocalOnSimpleTable => f.write_str(
                "Table KeySchema does not have a range key, which is required when specifying a \
                 LocalSecondaryIndex",
            ),
            E::LocalWithoutRange(index) => {
                write!(f, "Index KeySchema does not have a range key for index: {index}")
            }
            E::LocalOtherHash { index, of_index, of_table } => write!(
                f,
                "Index KeySchema does not have the same leading hash key as table KeySchema for index: \
                     {index}. index hash key: {of_index}, table hash key: {of_table}"
            ),
            E::TooManyLocal(most) => {
                write!(f, "Number of LocalSecondaryIndexes exceeds per-table limit of {most}")
            }
            E::TooManyGlobal(most) => {
                write!(f, "GlobalSecondaryIndex count exceeds the per-table limit of {most}")
            }
            E::ThroughputMissing(index) => {
                write!(f, "ProvisionedThroughput is not specified for index: {index}")
            }
            E::ThroughputOnDemand(index) => write!(
                f,
                "ProvisionedThroughput should not be specified for index: {index} when BillingMode is \
                     PAY_PER_REQUEST"
            ),
            E::ProjectionUnknown => f.write_str("Unknown ProjectionType: null"),
            E::NonKeyAttributesWith(kind) => {
                write!(f, "ProjectionType is {kind}, but NonKeyAttributes is specified")
            }
            E::NonKeyAttributesMissing => {
                f.write_str("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
            }
            E::NonKeyAttributeTwice(name) => write!(f, "Duplicate element in NonKeyAttributes: {name}"),
            E::TooManyNonKeyAttributes(most) => {
                write!(f, "Number of NonKeyAttributes over all indexes exceeds the limit of {most}")
            }
            E::Twice(index) => write!(f, "Duplicate index name: {index}"),
        }
    }
}
