//! What a read walks: a table, or one of its indexes.

use keyplan_store::Space;
use keyplan_value::{Item, ItemRef};

use crate::catalog::{IndexDefinition, IndexScope, KeyAttribute, KeySchema, TableDefinition};
use crate::error::ItemFault;
use crate::keys::{self, ItemKey};

/// A table, or one of its indexes. An index is read as a table is: its entries are items.
#[derive(Debug, Clone, Copy)]
pub struct Source<'t> {
    /// The table.
    pub table: &'t TableDefinition,
    /// The index, if it isn't the table itself.
    pub index: Option<&'t IndexDefinition>,
}

impl<'t> Source<'t> {
    /// The table, or the index of it that a request names.
    ///
    /// # Errors
    /// When there is no such index, or it is a vector index.
    pub fn named(table: &'t TableDefinition, index: Option<&str>) -> Result<Source<'t>, ItemFault> {
        let missing = |name: &str| match table.vector_index(name) {
            Some(_) => ItemFault::ReadOfVectorIndex { query: false },
            None => ItemFault::NoSuchIndex { index: name.to_owned() },
        };
        let index = index.map(|name| table.index(name).ok_or_else(|| missing(name)));
        Ok(Source { table, index: index.transpose()? })
    }

    /// The keyspace of the items or entries.
    pub fn space(self) -> Space {
        self.index.map_or(self.table.space, |index| index.space)
    }

    /// The key that places them.
    pub fn key_schema(self) -> &'t KeySchema {
        self.index.map_or(&self.table.key_schema, |index| &index.key_schema)
    }

    /// The index, if it is a global secondary one.
    pub fn global_index(self) -> Option<&'t IndexDefinition> {
        self.index.filter(|index| index.scope == IndexScope::Global)
    }

    /// The attributes that a place is made of, in their order: the key's, and behind an index's key the
    /// table's. They tell an item or entry from all others.
    pub fn position(self) -> impl Iterator<Item = &'t KeyAttribute> {
        let behind = self.index.map(|_| self.table.key_schema.attributes());
        self.key_schema().attributes().chain(behind.into_iter().flatten())
    }

    /// The place that the position attributes of `item` name, if it has them all and they are valid.
    pub fn place_of(self, item: ItemRef<'_>) -> Option<ItemKey> {
        match self.index {
            Some(index) => ItemKey::of_entry(&index.key_schema, &self.table.key_schema, item),
            None => ItemKey::of_item(&self.table.key_schema, item).ok(),
        }
    }

    /// The index's name, if it isn't the table itself.
    pub fn index_name(self) -> Option<String> {
        self.index.map(|index| index.name.clone())
    }

    /// The position attributes of an item or entry, as an item of their own.
    pub fn position_of(self, item: ItemRef<'_>) -> Item {
        keys::attributes_of(self.position(), item)
    }

    /// The bytes that the service bills for an item or entry. Only a table bills its vectors by their numbers
    /// of four bytes.
    pub fn billed_bytes(self, item: ItemRef<'_>) -> u64 {
        match self.index {
            None => self.table.billed_bytes(item),
            Some(_) => item.size(),
        }
    }

    /// The partition key of an item or entry, as an item of its own.
    pub fn partition_key_of(self, item: ItemRef<'_>) -> Item {
        keys::attributes_of(&self.key_schema().partition, item)
    }
}
