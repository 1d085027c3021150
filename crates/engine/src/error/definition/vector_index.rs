//! Vector indexes.

use std::fmt;

use super::INVALID;

/// What is wrong with a vector index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VectorIndexError {
    /// Vector indexes on a provisioned table.
    Provisioned,
    /// Too many vector indexes.
    TooMany(usize),
    /// Two vector indexes on one attribute differ in its dimensions.
    DimensionsConflict(String),
    /// A vector attribute is defined with a scalar type as well.
    AttributeDefined(String),
    /// A vector has too many dimensions.
    Dimensions(i64),
    /// An attribute of a vector index's search schema isn't defined.
    SearchAttributeUndefined,
    /// An attribute comes twice in a search schema.
    SearchAttributeTwice,
    /// A search schema has more than one HASH attribute.
    SearchHashTwice,
}

impl fmt::Display for VectorIndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use VectorIndexError as E;
        f.write_str(INVALID)?;
        match self {
            E::Provisioned => f.write_str("Vector indexes are only supported for PAY_PER_REQUEST tables"),
            E::TooMany(most) => write!(f, "VectorIndex count exceeds the per-table limit of {most}"),
            E::DimensionsConflict(name) => write!(
                f,
                "Conflicting attribute definition for '{name}'. All VectorIndexes on the same vector \
                     attribute must use the same dimensions."
            ),
            E::AttributeDefined(name) => write!(
                f,
                "Conflicting attribute definition for '{name}'. An attribute cannot be defined in \
                     AttributeDefinitions when used as a VectorAttribute."
            ),
            E::Dimensions(most) => write!(f, "Number of dimensions must be between 1 and {most} inclusive."),
            E::SearchAttributeUndefined => {
                f.write_str("One element in SearchSchema is not defined in attribute definitions")
            }
            E::SearchAttributeTwice => f.write_str("SearchSchema contains a duplicate AttributeName"),
            E::SearchHashTwice => f.write_str("SearchSchema contains more than one HASH element"),
        }
    }
}
