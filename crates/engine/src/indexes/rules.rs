//! The rules for values of attributes that are keys of a secondary index.
//!
//! An item may lack such an attribute, and then has no entry in the index. One that is there must be of the
//! type of its definition, neither empty nor too long, or the write is refused.

use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;
use keyplan_value::{Item, ItemRef, ValueRef};

use super::Entry;
use crate::catalog::{IndexDefinition, IndexScope, KeyAttribute, TableDefinition};
use crate::error::ItemFault;
use crate::keys;

/// An item that is to be put fits the indexes of its table.
///
/// # Errors
/// What breaks the rules of the index whose name comes first; then an item that is too large together with
/// its entries in the local secondary indexes.
pub(crate) fn check_put(table: &TableDefinition, item: &Item) -> Result<(), ItemFault> {
    if table.indexes.is_empty() {
        return Ok(());
    }
    let faults = table
        .indexes
        .iter()
        .filter_map(|index| check(index, item.as_ref()).err().map(|fault| (index, fault)));
    match faults.min_by_key(|(index, _)| index.name.as_str()) {
        Some((_, fault)) => Err(fault),
        None => check_size(table, item),
    }
}

/// An item and its entries in the local secondary indexes share the room of an item.
fn check_size(table: &TableDefinition, item: &Item) -> Result<(), ItemFault> {
    let size = item.as_ref().size();
    // No entry is larger than its item, so most items need no look at their entries.
    let images = 1 + table.indexes_of(IndexScope::Local).count() as u64;
    if size.saturating_mul(images) <= ITEM_SIZE_BYTES_MAX {
        return Ok(());
    }
    let entries: u64 = table
        .indexes_of(IndexScope::Local)
        .filter_map(|index| Entry::of(table, index, item))
        .map(|entry| entry.size())
        .sum();
    if size.saturating_add(entries) > ITEM_SIZE_BYTES_MAX { Err(ItemFault::ItemTooLarge) } else { Ok(()) }
}

fn check(index: &IndexDefinition, item: ItemRef<'_>) -> Result<(), ItemFault> {
    check_types(index, item)?;
    let values = |attributes: &[KeyAttribute]| -> Vec<ValueRef<'_>> {
        attributes.iter().filter_map(|attribute| item.get(&attribute.name)).collect()
    };
    for attribute in index.key_schema.attributes() {
        if let Some(value) = item.get(&attribute.name).filter(|value| keys::is_empty(*value)) {
            return Err(ItemFault::EmptyIndexKey {
                name: attribute.name.clone(),
                kind: value.kind(),
                index: index.name.clone(),
            });
        }
    }
    let key = &index.key_schema;
    keys::check_sizes(values(&key.partition).into_iter(), values(&key.sort).into_iter())
}

/// Those of an index's key attributes that an item has are of their types.
///
/// # Errors
/// The first that isn't.
pub(crate) fn check_types(index: &IndexDefinition, item: ItemRef<'_>) -> Result<(), ItemFault> {
    for attribute in index.key_schema.attributes() {
        if let Some(value) = item.get(&attribute.name).filter(|value| value.kind() != attribute.kind) {
            return Err(ItemFault::IndexKeyType {
                name: attribute.name.clone(),
                expected: attribute.kind,
                actual: value.kind(),
                index: index.name.clone(),
            });
        }
    }
    Ok(())
}
