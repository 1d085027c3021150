//! The entry of an item in an index.

use keyplan_value::{Item, ItemBuilder};

use crate::catalog::{IndexDefinition, IndexProjection, TableDefinition};
use crate::keys::ItemKey;

/// An item's entry in an index: an item of its own, at a place of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    place: ItemKey,
    item: Item,
}

impl Entry {
    /// The entry that an item has; nothing if the item lacks a key attribute of the index, or has one
    /// that can't be a key (which it may have had before the index was made).
    pub fn of(table: &TableDefinition, index: &IndexDefinition, item: &Item) -> Option<Entry> {
        let place = ItemKey::of_entry(&index.key_schema, &table.key_schema, item.as_ref())?;
        Some(Entry { place, item: projected(table, index, item) })
    }

    /// Where an item's entry lies, if it has one.
    pub(crate) fn place_of(table: &TableDefinition, index: &IndexDefinition, item: &Item) -> Option<ItemKey> {
        ItemKey::of_entry(&index.key_schema, &table.key_schema, item.as_ref())
    }

    /// The bytes of the entry that an item has.
    pub(crate) fn size_of(table: &TableDefinition, index: &IndexDefinition, item: &Item) -> u64 {
        if index.projection == IndexProjection::All {
            return item.as_ref().size();
        }
        let attributes = item.iter().filter(|(name, _)| index.projects(table, name));
        attributes.map(|(name, value)| name.len() as u64 + value.size()).sum()
    }

    /// Where it lies in the index's keyspace.
    pub fn place(&self) -> &ItemKey {
        &self.place
    }

    /// The entry as an item.
    pub fn item(&self) -> &Item {
        &self.item
    }

    /// Its bytes, by the service's rule for items.
    pub fn size(&self) -> u64 {
        self.item.as_ref().size()
    }
}

/// What an index keeps of an item. All of it is the item itself, whose bytes are shared.
fn projected(table: &TableDefinition, index: &IndexDefinition, item: &Item) -> Item {
    if index.projection == IndexProjection::All {
        return item.clone();
    }
    let keys = index.key_schema.attributes().chain(table.key_schema.attributes());
    let names = keys.map(|attribute| &attribute.name).chain(index.projection.names());
    let item = item.as_ref();
    let mut builder = ItemBuilder::new();
    for name in names {
        if let Some(value) = item.get(name) {
            builder.insert(name, value);
        }
    }
    builder.finish()
}
