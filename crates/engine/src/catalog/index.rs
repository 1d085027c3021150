//! What a secondary index is.

use keyplan_store::Space;

use super::definition::{KeySchema, TableDefinition};
use super::throughput::ThroughputSettings;

/// A secondary index of a table.
///
/// An item has an entry in it if it has every attribute of the index's key. The entry is an item of its
/// own: the key attributes of index and table, and what the index projects.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexDefinition {
    /// The index's name.
    pub name: String,
    /// Whether it has a partition key of its own.
    pub scope: IndexScope,
    /// The keyspace of the entries.
    pub space: Space,
    /// The key.
    pub key_schema: KeySchema,
    /// What an entry has besides keys.
    pub projection: IndexProjection,
    /// The units of a global secondary index; a local one uses its table's.
    pub throughput: ThroughputSettings,
    /// Whether it was added to a table that was there: then a [job](crate::jobs) may still be filling it.
    pub added: bool,
}

impl IndexDefinition {
    /// Whether entries have an attribute, where the item has it.
    pub fn projects(&self, table: &TableDefinition, name: &str) -> bool {
        let included = match &self.projection {
            IndexProjection::All => true,
            IndexProjection::KeysOnly => false,
            IndexProjection::Include(names) => names.iter().any(|included| included == name),
        };
        included || self.key_schema.has(name) || table.key_schema.has(name)
    }
}

/// The two kinds of secondary indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexScope {
    /// A partition key of its own: its partitions are none of the table's.
    Global,
    /// The table's partition key: it orders each partition anew.
    Local,
}

impl IndexScope {
    /// The two kinds.
    pub const ALL: [IndexScope; 2] = [IndexScope::Global, IndexScope::Local];

    /// The member that lists the indexes of this kind.
    pub fn member(self) -> &'static str {
        match self {
            IndexScope::Global => "GlobalSecondaryIndexes",
            IndexScope::Local => "LocalSecondaryIndexes",
        }
    }
}

/// What an entry has besides the keys of index and table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexProjection {
    /// Everything: the entry is the item itself.
    All,
    /// Nothing.
    KeysOnly,
    /// These attributes, in the order they were sent.
    Include(Vec<String>),
}

impl IndexProjection {
    /// The word on the wire.
    pub fn word(&self) -> &'static str {
        match self {
            IndexProjection::All => "ALL",
            IndexProjection::KeysOnly => "KEYS_ONLY",
            IndexProjection::Include(_) => "INCLUDE",
        }
    }

    /// The attributes it names.
    pub fn names(&self) -> &[String] {
        match self {
            IndexProjection::All | IndexProjection::KeysOnly => &[],
            IndexProjection::Include(names) => names,
        }
    }
}

/// The state a description shows of a global secondary index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexStatus {
    /// It is being made; of an index that is added, whether the table's items are being put into it.
    Creating {
        /// Nothing for an index that is made with its table.
        backfilling: Option<bool>,
    },
    /// Its throughput is being changed.
    Updating,
    /// Ready.
    Active,
    /// It is being taken away.
    Deleting,
}

impl IndexStatus {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            IndexStatus::Creating { .. } => "CREATING",
            IndexStatus::Updating => "UPDATING",
            IndexStatus::Active => "ACTIVE",
            IndexStatus::Deleting => "DELETING",
        }
    }
}
