//! Item collections: the items of one partition key value, with their entries in local secondary indexes.
//!
//! The service bounds their size, and tells it when asked. It is a counter for each partition key value in
//! a keyspace of the table's own.

use std::collections::BTreeMap;

use keyplan_store::{Batch, Snapshot, counter_value};
use keyplan_value::Item;
use keyplan_value::json::Writer;

use crate::catalog::{TableDefinition, Totals};
use crate::error::InternalError;
use crate::keys::ItemKey;
use crate::limits::{GIGABYTE, ITEM_COLLECTION_BYTES_MAX};

/// An item collection and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemCollection {
    /// The partition key, as an item of its own.
    pub key: Item,
    /// Bytes of items and entries.
    pub bytes: u64,
}

impl ItemCollection {
    /// Writes what `ItemCollectionMetrics` tells of it: the size lies between two whole numbers of gigabytes.
    pub fn write_metrics(&self, json: &mut Writer<'_>) {
        let low = self.bytes / GIGABYTE;
        json.begin_object();
        json.name("ItemCollectionKey").value_with(|out| self.key.as_ref().write_json(out));
        json.name("SizeEstimateRangeGB").begin_array();
        for bound in [low, low + 1] {
            // Whole numbers below 2^53, which a double holds.
            json.float(bound as f64);
        }
        json.end_array().end_object();
    }
}

/// An item collection would become larger than it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CollectionTooLarge;

/// The item collections that the writes of one transaction change, for none of them sees the others in the
/// store.
#[derive(Debug, Default)]
pub(crate) struct ItemCollections {
    /// What was added to the size of each, by its keyspace and key.
    added: BTreeMap<(u64, Vec<u8>), i64>,
}

impl ItemCollections {
    /// Adds to the size of the item collection that `key` is in, and tells what that comes to; nothing on a
    /// table without local secondary indexes.
    ///
    /// # Errors
    /// When the store fails; inside, when the collection would grow beyond its bound.
    pub(crate) fn add(
        &mut self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        table: &TableDefinition,
        key: &ItemKey,
        change: Totals,
    ) -> Result<Result<Option<ItemCollection>, CollectionTooLarge>, InternalError> {
        let Some(space) = table.collections else { return Ok(Ok(None)) };
        let held = snapshot.get(space, key.partition_bytes())?;
        let held = held.and_then(|bytes| counter_value(&bytes)).unwrap_or_default();
        let added = self.added.entry((space.0, key.partition_bytes().to_vec())).or_default();
        *added = added.saturating_add(change.bytes);
        let bytes = u64::try_from(held.saturating_add(*added)).unwrap_or_default();
        if change.bytes > 0 && bytes > ITEM_COLLECTION_BYTES_MAX {
            return Ok(Err(CollectionTooLarge));
        }
        if change.bytes != 0 {
            batch.add(space, key.partition_bytes(), change.bytes);
        }
        Ok(Ok(Some(ItemCollection { key: key.partition_item(&table.key_schema), bytes })))
    }
}
