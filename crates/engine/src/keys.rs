//! Where an item lies in its table's keyspace.
//!
//! The place is `hash || partition key || sort key`: four bytes of a hash of the encoded partition
//! key, then the encoded key attributes. So a partition's items lie together in sort key order, and
//! partitions lie in the order of their hashes, which is the order of a Scan.

use keyplan_value::key;
use keyplan_value::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use keyplan_value::{Item, ItemBuilder, ItemRef, ValueKind, ValueRef};

use crate::catalog::{KeyAttribute, KeySchema};
use crate::error::ItemFault;

/// The place of one item, or of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemKey {
    bytes: Vec<u8>,
    partition_end: usize,
}

impl ItemKey {
    /// The place of the partition with this partition key.
    ///
    /// # Errors
    /// When the value is of no key type.
    pub fn of_partition(partition: ValueRef<'_>) -> Result<ItemKey, ItemFault> {
        let bytes = key::partition_prefix([partition]).map_err(|_| ItemFault::KeyMismatch)?;
        Ok(ItemKey { partition_end: bytes.len(), bytes })
    }

    fn new(partition: ValueRef<'_>, sort: Option<ValueRef<'_>>) -> Result<ItemKey, ItemFault> {
        let mut place = ItemKey::of_partition(partition)?;
        if let Some(sort) = sort {
            key::encode_attribute(sort, &mut place.bytes).map_err(|_| ItemFault::KeyMismatch)?;
        }
        Ok(place)
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
        let partition = attribute(&schema.partition)?;
        let sort = schema.sort.as_ref().map(attribute).transpose()?;
        check_values(schema, partition, sort)?;
        ItemKey::new(partition, sort)
    }

    /// The place that a request's key names; it has the key attributes and nothing else.
    ///
    /// # Errors
    /// When the attributes aren't those of the schema, or a value is empty or too long.
    pub fn of_key(schema: &KeySchema, key: ItemRef<'_>) -> Result<ItemKey, ItemFault> {
        let (partition, sort) = key_values(schema, key).ok_or(ItemFault::KeyMismatch)?;
        check_values(schema, partition, sort)?;
        ItemKey::new(partition, sort)
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

    /// The key attributes of the item here, as an item of their own.
    pub fn key_item(&self, schema: &KeySchema) -> Item {
        self.attributes(schema.attributes())
    }

    /// The partition key, as an item of its own.
    pub fn partition_item(&self, schema: &KeySchema) -> Item {
        self.attributes(std::iter::once(&schema.partition))
    }

    fn attributes<'s>(&self, attributes: impl Iterator<Item = &'s KeyAttribute>) -> Item {
        // A place that was made here can be read back.
        let values = key::decode_item_key(&self.bytes).map(|(_, values)| values).unwrap_or_default();
        let mut builder = ItemBuilder::new();
        for (attribute, value) in attributes.zip(&values) {
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

/// The values of the key attributes, if `key` has exactly those, each of its type.
pub fn key_values<'a>(schema: &KeySchema, key: ItemRef<'a>) -> Option<(ValueRef<'a>, Option<ValueRef<'a>>)> {
    let of_kind =
        |definition: &KeyAttribute| key.get(&definition.name).filter(|value| value.kind() == definition.kind);
    let partition = of_kind(&schema.partition)?;
    let sort = match &schema.sort {
        Some(definition) => Some(of_kind(definition)?),
        None => None,
    };
    (key.len() == schema.attribute_count()).then_some((partition, sort))
}

/// An item's key as an item of its own.
pub fn key_of(schema: &KeySchema, item: ItemRef<'_>) -> Item {
    attributes_of(schema.attributes(), item)
}

/// An item's partition key as an item of its own.
pub fn partition_key_of(schema: &KeySchema, item: ItemRef<'_>) -> Item {
    attributes_of(std::iter::once(&schema.partition), item)
}

fn attributes_of<'s>(attributes: impl Iterator<Item = &'s KeyAttribute>, item: ItemRef<'_>) -> Item {
    let mut builder = ItemBuilder::new();
    for attribute in attributes {
        if let Some(value) = item.get(&attribute.name) {
            builder.insert(&attribute.name, value);
        }
    }
    builder.finish()
}

/// Key values are neither empty nor too long.
///
/// # Errors
/// An empty value is reported before one that is too long, and the partition key before the sort key.
pub fn check_values(
    schema: &KeySchema,
    partition: ValueRef<'_>,
    sort: Option<ValueRef<'_>>,
) -> Result<(), ItemFault> {
    check_not_empty(&schema.partition, partition)?;
    if let (Some(definition), Some(sort)) = (&schema.sort, sort) {
        check_not_empty(definition, sort)?;
    }
    check_partition_size(partition)?;
    sort.map_or(Ok(()), check_sort_size)
}

/// A key attribute's string or binary value isn't empty.
///
/// # Errors
/// When it is.
pub fn check_not_empty(definition: &KeyAttribute, value: ValueRef<'_>) -> Result<(), ItemFault> {
    // The size of an S or B value is its length; no number has size 0.
    if matches!(value.kind(), ValueKind::S | ValueKind::B) && value.size() == 0 {
        return Err(ItemFault::EmptyKey { name: definition.name.clone(), kind: value.kind() });
    }
    Ok(())
}

/// A partition key's value isn't too long.
///
/// # Errors
/// When it is.
pub fn check_partition_size(value: ValueRef<'_>) -> Result<(), ItemFault> {
    if value.size() > PARTITION_KEY_BYTES_MAX { Err(ItemFault::PartitionKeyTooLarge) } else { Ok(()) }
}

/// A sort key's value isn't too long.
///
/// # Errors
/// When it is.
pub fn check_sort_size(value: ValueRef<'_>) -> Result<(), ItemFault> {
    if value.size() > SORT_KEY_BYTES_MAX { Err(ItemFault::SortKeyTooLarge) } else { Ok(()) }
}
