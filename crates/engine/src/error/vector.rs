//! What can be wrong with a vector that is written or searched by.

use std::fmt;

use keyplan_value::{Number, ValueKind};

use crate::limits::SEARCH_RESULTS_MAX;
use crate::validate::Position;

/// How an item doesn't fit a vector index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VectorFault {
    /// The vector is no list.
    NotAList {
        /// The attribute.
        name: String,
    },
    /// The list has too few or too many elements.
    Dimensions {
        /// The attribute.
        name: String,
        /// The index's dimensions.
        expected: u32,
        /// The elements found.
        actual: usize,
    },
    /// An element is no number.
    Element {
        /// The attribute.
        name: String,
        /// The element's place, from 0.
        position: usize,
        /// The type found.
        actual: ValueKind,
    },
    /// An element is too large for a 32-bit floating-point number.
    OutOfRange {
        /// The attribute.
        name: String,
        /// The element's place, from 0.
        position: usize,
        /// The number.
        number: Box<Number>,
    },
    /// An attribute that searches are narrowed by is of another type.
    SearchAttribute {
        /// The attribute.
        name: String,
        /// The type of the definition.
        expected: ValueKind,
        /// The type found.
        actual: ValueKind,
    },
}

impl fmt::Display for VectorFault {
    /// Writes the text up to the index's name. The stops are the service's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("One or more parameter values were invalid. ")?;
        match self {
            VectorFault::NotAList { name } => {
                write!(f, "Invalid type for parameter {name}, Expected: 32-bit floating point number list")
            }
            VectorFault::Dimensions { name, expected, actual } => {
                write!(f, "Invalid size for parameter {name}, Expected: {expected}, Actual: {actual}")
            }
            VectorFault::Element { name, position, actual } => write!(
                f,
                "Invalid type for parameter {name}[{position}], Expected: 32-bit floating point number, Actual: \
                 {}.",
                actual.code()
            ),
            VectorFault::OutOfRange { name, position, number } => write!(
                f,
                "Invalid value for parameter {name}[{position}], Value: {number} is outside valid range \
                 [-3.4028235E38, 3.4028235E38]."
            ),
            VectorFault::SearchAttribute { name, expected, actual } => write!(
                f,
                "Attribute '{name}' type mismatch. Expected: {}, Actual: {}.",
                expected.code(),
                actual.code()
            ),
        }
    }
}

/// What is wrong with a SearchVectors request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchFault {
    /// A member is missing: which, and where the request ends.
    Missing {
        /// The member.
        member: &'static str,
        /// Where the request ends.
        position: Position,
    },
    /// More results are asked for than there can be.
    TopK(i32),
    /// TopK has more than 32 bits.
    TopKTooLong {
        /// The number as it is written.
        asked: String,
        /// Where it stands.
        position: Position,
    },
    /// The vector has an element that is no 32-bit floating-point number.
    Vector,
    /// The vector has other dimensions than the index.
    Dimensions {
        /// The vector's.
        vector: usize,
        /// The index's.
        index: u32,
    },
    /// The index is still being filled.
    Backfilling {
        /// The index.
        index: String,
    },
    /// The condition names an attribute that isn't in the search schema.
    NotInSchema {
        /// The attribute.
        name: String,
    },
    /// The index is parted, and the condition doesn't say by which value.
    HashMissing,
    /// The condition has a value of another type than the attribute.
    ConditionType {
        /// The attribute.
        name: String,
        /// The type of the definition.
        expected: ValueKind,
        /// The type found.
        actual: ValueKind,
    },
}

impl fmt::Display for SearchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchFault::Missing { member, position: Position { line, column } } => {
                write!(f, "missing field `{member}` at line {line} column {column}")
            }
            SearchFault::TopK(asked) => write!(
                f,
                "Provided TopK value '{asked}' is out of valid range. The value must be between 1 and \
                 {SEARCH_RESULTS_MAX} inclusive"
            ),
            SearchFault::TopKTooLong { asked, position: Position { line, column } } => {
                write!(f, "invalid value: integer `{asked}`, expected i32 at line {line} column {column}")
            }
            SearchFault::Vector => f.write_str(
                "Search vector contains invalid values. All values in the search vector must be a 32-bit \
                 floating-point number attribute",
            ),
            SearchFault::Dimensions { vector, index } => {
                write!(
                    f,
                    "Input search vector dimension {vector} does not match vector index dimension {index}"
                )
            }
            SearchFault::Backfilling { index } => {
                write!(f, "Cannot search backfilling vector index: {index}")
            }
            // The grammar is the service's.
            SearchFault::NotInSchema { name } => write!(
                f,
                "SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid \
                 attribute: {name}"
            ),
            SearchFault::HashMissing => {
                f.write_str("SearchConditionExpression must be provided when SearchSchema has a HASH key")
            }
            SearchFault::ConditionType { name, expected, actual } => write!(
                f,
                "Type of '{name}' attribute in SearchConditionExpression ({}) does not match type in search \
                 schema ({})",
                actual.code(),
                expected.code()
            ),
        }
    }
}
