//! What the engine's inspection of a table says, read from its JSON.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A table's items by partition, in the order a Scan meets them.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Inspection {
    pub table: String,
    pub key: Key,
    pub partitions: Vec<Partition>,
    pub partition_count: u64,
    pub item_count: u64,
    pub bytes: u64,
    pub partitions_left_out: u64,
    pub complete: bool,
}

/// The table's primary key.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Key {
    pub partition: KeyAttribute,
    pub sort: Option<KeyAttribute>,
}

impl Key {
    /// The key attributes' names, partition key first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.partition).chain(&self.sort).map(|key| key.name.as_str())
    }

    /// The attribute that heads an item in its partition: the sort key where there is one.
    pub fn heading(&self) -> &str {
        self.sort.as_ref().unwrap_or(&self.partition).name.as_str()
    }
}

/// One key attribute.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct KeyAttribute {
    pub name: String,
}

/// One partition.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Partition {
    pub badge: String,
    pub partition_key: Map<String, Value>,
    pub items: Vec<InspectedItem>,
    pub item_count: u64,
    pub bytes: u64,
    pub items_left_out: u64,
}

/// One item in DynamoDB JSON, and its size.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct InspectedItem {
    pub bytes: u64,
    pub item: Map<String, Value>,
}
