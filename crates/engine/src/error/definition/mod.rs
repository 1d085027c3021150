//! What can be wrong with a table's definition.

mod index;
mod key;
mod setting;
mod tag;
mod throughput;
mod update;
mod vector_index;

use std::fmt;

pub use index::IndexError;
pub use key::KeyError;
pub use setting::SettingError;
pub use tag::TagError;
pub use throughput::ThroughputError;
pub use update::UpdateError;
pub use vector_index::VectorIndexError;

/// A fault of a CreateTable or UpdateTable request that its constraints don't cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionError {
    /// Billing and throughput.
    Throughput(ThroughputError),
    /// Key schemas and attribute definitions.
    Key(KeyError),
    /// Secondary indexes.
    Index(IndexError),
    /// Vector indexes.
    VectorIndex(VectorIndexError),
    /// Stream and encryption.
    Setting(SettingError),
    /// Tags.
    Tag(TagError),
    /// What an UpdateTable request changes.
    Update(UpdateError),
}

/// The name of an index.
pub type IndexName = String;

/// Reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Unit {
    /// `Read` or `Write`, as members start.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Read => "Read",
            Unit::Write => "Write",
        }
    }
}

/// The lead that most of these texts have.
const INVALID: &str = "One or more parameter values were invalid: ";

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DefinitionError::Throughput(error) => error.fmt(f),
            DefinitionError::Key(error) => error.fmt(f),
            DefinitionError::Index(error) => error.fmt(f),
            DefinitionError::VectorIndex(error) => error.fmt(f),
            DefinitionError::Setting(error) => error.fmt(f),
            DefinitionError::Tag(error) => error.fmt(f),
            DefinitionError::Update(error) => error.fmt(f),
        }
    }
}

impl From<ThroughputError> for DefinitionError {
    fn from(error: ThroughputError) -> DefinitionError {
        DefinitionError::Throughput(error)
    }
}

impl From<KeyError> for DefinitionError {
    fn from(error: KeyError) -> DefinitionError {
        DefinitionError::Key(error)
    }
}

impl From<IndexError> for DefinitionError {
    fn from(error: IndexError) -> DefinitionError {
        DefinitionError::Index(error)
    }
}

impl From<VectorIndexError> for DefinitionError {
    fn from(error: VectorIndexError) -> DefinitionError {
        DefinitionError::VectorIndex(error)
    }
}

impl From<SettingError> for DefinitionError {
    fn from(error: SettingError) -> DefinitionError {
        DefinitionError::Setting(error)
    }
}

impl From<TagError> for DefinitionError {
    fn from(error: TagError) -> DefinitionError {
        DefinitionError::Tag(error)
    }
}

impl From<UpdateError> for DefinitionError {
    fn from(error: UpdateError) -> DefinitionError {
        DefinitionError::Update(error)
    }
}
