//! What is right, and not there yet.

use std::fmt;

use super::IndexName;

/// What a table asks for that this engine does not have yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotBuilt {
    /// Vector indexes, all of them defined rightly.
    VectorIndexes(Vec<IndexName>),
    /// Something else.
    Other {
        /// What isn't there.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
}

impl fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotBuilt::VectorIndexes(indexes) => write!(
                f,
                "Keyplan doesn't have vector indexes yet. The definitions of {} are right; create the table \
                 without them.",
                indexes.join(", ")
            ),
            NotBuilt::Other { what, instead } => write!(f, "Keyplan doesn't have {what} yet; {instead}."),
        }
    }
}
