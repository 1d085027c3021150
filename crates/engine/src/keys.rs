//! Where an item lies in its table's keyspace, and an entry in its index's.
//!
//! The place is `hash || partition key || sort key`: four bytes of a hash of the encoded partition
//! key, then the encoded key attributes. So a partition's items lie together in sort key order, and
//! partitions lie in the order of their hashes, which is the order of a Scan. An index entry's place goes
//! on with the key of its table's item, as many items may have one index key.

use keyplan_value::key;
use keyplan_value::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use keyplan_value::{Item, ItemBuilder, ItemRef, ValueKind, ValueRef};

use crate::catalog::{KeyAttribute, KeySchema};
use crate::error::ItemFault;

/// The place of one item or entry, or of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemKey {
    bytes: Vec<u8>,
    partition_end: usize,
}

impl ItemKey {
    /// The place of the partition with these partition key values.
    ///
    /// # Errors
    /// When a value is of no key type.
    pub fn of_partition<'v>(partition: impl IntoIterator<Item = ValueRef<'v>>) -> Result<ItemKey, ItemFault> {
        let bytes = key::partition_prefix(partition).map_err(|_| ItemFault::KeyMismatch)?;
        Ok(ItemKey { partition_end: bytes.len(), bytes })
    }

    fn new<'v>(
        schema: &KeySchema,
        values: &[ValueRef<'v>],
        behind: impl IntoIterator<Item = ValueRef<'v>>,
    ) -> Result<ItemKey, ItemFault> {
        let (partition, sort) = values.split_at(schema.partition.len().min(values.len()));
        let mut place = ItemKey::of_partition(partition.iter().copied())?;
        place.extend(sort.iter().copied().chain(behind))?;
        Ok(place)
    }

    /// Appends further attributes.
    ///
    /// # Errors
    /// When a value is of no key type.
    pub fn extend<'v>(&mut self, values: impl IntoIterator<Item = ValueRef<'v>>) -> Result<(), ItemFault> {
        for value in values {
            key::encode_attribute(value, &mut self.bytes).map_err(|_| ItemFault::KeyMismatch)?;
        }
        Ok(())
    }

    /// The place of an item that is to be put.
    ///
    /// # Errors
    /// When a key attribute is missing, of another type, empty or too long.
    pub fn of_item(schema: &KeySchema, item: ItemRef<'_>) -> Result<ItemKey, ItemFault> {
        let attribute = |definition: &KeyAttribute| match item.get(&definition.name) {
            None => Err(ItemFault::MissingKey { name: definition.name.clone() }),
            Some(value) if value.kind() != definition.kind => Err(ItemFault::KeyType {
                name: definition.name.clone(),
                expected: definition.kind,
                actual: value.kind(),
            }),
            Some(value) => Ok(value),
        };
        let values = schema.attributes().map(attribute).collect::<Result<Vec<_>, _>>()?;
        check_values(schema, &values)?;
        ItemKey::new(schema, &values, [])
    }

    /// The place that a request's key names; it has the key attributes and nothing else.
    ///
    /// # Errors
    /// When the attributes aren't those of the schema, or a value is empty or too long.
    pub fn of_key(schema: &KeySchema, key: ItemRef<'_>) -> Result<ItemKey, ItemFault> {
        let values = key_values(schema, key)
            .filter(|values| values.len() == key.len())
            .ok_or(ItemFault::KeyMismatch)?;
        check_values(schema, &values)?;
        ItemKey::new(schema, &values, [])
    }

    /// The place in an index of an item's entry, with the schemas of the index and of the table; nothing
    /// if the item has none, as it lacks a key attribute of the index or has one that can't be a key.
    pub fn of_entry(index: &KeySchema, table: &KeySchema, item: ItemRef<'_>) -> Option<ItemKey> {
        let values = key_values(index, item)?;
        check_values(index, &values).ok()?;
        ItemKey::new(index, &values, key_values(table, item)?).ok()
    }

    /// The place in a vector index of the entry of the item at `item_place`: behind the value that parts the
    /// index, if there is one.
    pub(crate) fn of_vector(hash: Option<ValueRef<'_>>, item_place: &ItemKey) -> Result<ItemKey, ItemFault> {
        let Some(hash) = hash else { return Ok(item_place.clone()) };
        let mut place = ItemKey::of_partition([hash])?;
        place.bytes.extend_from_slice(&item_place.bytes);
        Ok(place)
    }

    /// A place as it lies in the store; nothing that is no place.
    pub(crate) fn from_bytes(schema: &KeySchema, bytes: &[u8]) -> Option<ItemKey> {
        let mut rest = bytes.get(key::HASH_BYTES..)?;
        for _ in &schema.partition {
            rest = key::decode_attribute(rest).ok()?.1;
        }
        Some(ItemKey { partition_end: bytes.len() - rest.len(), bytes: bytes.to_vec() })
    }

    /// The place, as a key of the store.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The part of the place that all items of the partition share.
    pub fn partition_bytes(&self) -> &[u8] {
        self.bytes.get(..self.partition_end).unwrap_or(&self.bytes)
    }

    /// The place as a key of the store, to keep.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The partition key, as an item of its own.
    pub fn partition_item(&self, schema: &KeySchema) -> Item {
        self.attributes(&schema.partition)
    }

    /// The attributes that the place is made of, in their order, as an item of their own.
    pub fn attributes<'s>(&self, attributes: impl IntoIterator<Item = &'s KeyAttribute>) -> Item {
        // A place that was made here can be read back.
        let values = key::decode_item_key(&self.bytes).map(|(_, values)| values).unwrap_or_default();
        let mut builder = ItemBuilder::new();
        for (attribute, value) in attributes.into_iter().zip(&values) {
            builder.insert(&attribute.name, value.as_ref());
        }
        builder.finish()
    }

    /// The hash of the partition key.
    pub fn hash(&self) -> u32 {
        hash_of_place(&self.bytes)
    }
}

/// The hash in front of a place.
pub fn hash_of_place(place: &[u8]) -> u32 {
    place.first_chunk().copied().map_or(0, u32::from_be_bytes)
}

/// The values of the key attributes in the order of the schema, if the item has them all, each of its
/// type.
fn key_values<'a>(schema: &KeySchema, item: ItemRef<'a>) -> Option<Vec<ValueRef<'a>>> {
    let of_kind = |definition: &KeyAttribute| {
        item.get(&definition.name).filter(|value| value.kind() == definition.kind)
    };
    schema.attributes().map(of_kind).collect()
}

/// Those of an item's attributes that are named, as an item of their own.
pub fn attributes_of<'s>(names: impl IntoIterator<Item = &'s KeyAttribute>, item: ItemRef<'_>) -> Item {
    let mut builder = ItemBuilder::new();
    for attribute in names {
        if let Some(value) = item.get(&attribute.name) {
            builder.insert(&attribute.name, value);
        }
    }
    builder.finish()
}

/// Key values, in the order of the schema, are neither empty nor too long.
///
/// # Errors
/// An empty value is reported before one that is too long, and the partition key before the sort key.
fn check_values(schema: &KeySchema, values: &[ValueRef<'_>]) -> Result<(), ItemFault> {
    for (definition, value) in schema.attributes().zip(values) {
        check_not_empty(definition, *value)?;
    }
    let (partition, sort) = values.split_at(schema.partition.len().min(values.len()));
    check_sizes(partition.iter().copied(), sort.iter().copied())
}

/// Whether a value is an empty string or binary, which no key is.
pub fn is_empty(value: ValueRef<'_>) -> bool {
    // The size of an S or B value is its length; no number has size 0.
    matches!(value.kind(), ValueKind::S | ValueKind::B) && value.size() == 0
}

/// A key attribute's string or binary value isn't empty.
///
/// # Errors
/// When it is.
pub fn check_not_empty(definition: &KeyAttribute, value: ValueRef<'_>) -> Result<(), ItemFault> {
    if is_empty(value) {
        return Err(ItemFault::EmptyKey { name: definition.name.clone(), kind: value.kind() });
    }
    Ok(())
}

/// The values of a key aren't too long, those of each part taken together.
///
/// # Errors
/// When they are, the partition key's first.
pub fn check_sizes<'v>(
    partition: impl Iterator<Item = ValueRef<'v>>,
    sort: impl Iterator<Item = ValueRef<'v>>,
) -> Result<(), ItemFault> {
    let size = |value: ValueRef<'v>| value.size();
    check_part_sizes(partition.map(size).sum(), sort.map(size).sum())
}

/// The same with the bytes of the two parts.
///
/// # Errors
/// Those of [`check_sizes`].
pub(crate) fn check_part_sizes(partition: u64, sort: u64) -> Result<(), ItemFault> {
    if partition > PARTITION_KEY_BYTES_MAX {
        return Err(ItemFault::PartitionKeyTooLarge);
    }
    if sort > SORT_KEY_BYTES_MAX {
        return Err(ItemFault::SortKeyTooLarge);
    }
    Ok(())
}
