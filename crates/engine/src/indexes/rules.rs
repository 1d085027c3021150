//! The rules for values of attributes that are keys of a secondary index.
//!
//! An item may lack such an attribute, and then has no entry in the index. One that is there must be of the
//! type of its definition, neither empty nor too long, or the write is refused.

use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;
use keyplan_value::{Item, ItemRef, ValueKind, ValueRef};

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
    check(
        table,
        item.as_ref(),
        |_| true,
        |index, name, kind| ItemFault::EmptyIndexKey {
            name: name.to_owned(),
            kind,
            index: index.name.clone(),
        },
    )?;
    if is_too_large(table, item) { Err(ItemFault::ItemTooLarge) } else { Ok(()) }
}

/// What an update made of an item fits the indexes of its table, as far as the update changed it: an item
/// may have broken the rules before the index was made.
///
/// # Errors
/// What breaks the rules of the index whose name comes first.
pub(crate) fn check_update(
    table: &TableDefinition,
    before: Option<&Item>,
    after: &Item,
) -> Result<(), ItemFault> {
    let after = after.as_ref();
    let is_changed = |name: &str| before.and_then(|before| before.as_ref().get(name)) != after.get(name);
    check(table, after, is_changed, |_, _, kind| ItemFault::IndexKeyUpdatedToEmpty { kind })
}

/// Whether an item is larger than it may be. Its entries in the local secondary indexes share its room.
pub(crate) fn is_too_large(table: &TableDefinition, item: &Item) -> bool {
    let size = item.as_ref().size();
    // No entry is larger than its item, so most items need no look at their entries.
    let images = 1 + table.indexes_of(IndexScope::Local).count() as u64;
    if size.saturating_mul(images) <= ITEM_SIZE_BYTES_MAX {
        return false;
    }
    let entries: u64 = table
        .indexes_of(IndexScope::Local)
        .filter_map(|index| Entry::of(table, index, item))
        .map(|entry| entry.size())
        .sum();
    size.saturating_add(entries) > ITEM_SIZE_BYTES_MAX
}

/// Those of an item's attributes that are looked at fit the indexes of its table.
///
/// # Errors
/// What breaks the rules of the index whose name comes first.
fn check(
    table: &TableDefinition,
    item: ItemRef<'_>,
    is_looked_at: impl Fn(&str) -> bool,
    empty: impl Fn(&IndexDefinition, &str, ValueKind) -> ItemFault,
) -> Result<(), ItemFault> {
    let faults = table.indexes.iter().filter_map(|index| {
        let fault = check_index(index, item, &is_looked_at, &empty).err()?;
        Some((index, fault))
    });
    match faults.min_by_key(|(index, _)| index.name.as_str()) {
        Some((_, fault)) => Err(fault),
        None => Ok(()),
    }
}

fn check_index(
    index: &IndexDefinition,
    item: ItemRef<'_>,
    is_looked_at: impl Fn(&str) -> bool,
    empty: impl Fn(&IndexDefinition, &str, ValueKind) -> ItemFault,
) -> Result<(), ItemFault> {
    let key = &index.key_schema;
    let looked_at = || key.attributes().filter(|attribute| is_looked_at(&attribute.name));
    check_kinds(index, looked_at(), item)?;
    for attribute in looked_at() {
        if let Some(value) = item.get(&attribute.name).filter(|value| keys::is_empty(*value)) {
            return Err(empty(index, &attribute.name, value.kind()));
        }
    }
    let values = |attributes: &[KeyAttribute]| -> Vec<ValueRef<'_>> {
        // The attributes of each part of a key share a bound.
        if !attributes.iter().any(|attribute| is_looked_at(&attribute.name)) {
            return Vec::new();
        }
        attributes.iter().filter_map(|attribute| item.get(&attribute.name)).collect()
    };
    keys::check_sizes(values(&key.partition).into_iter(), values(&key.sort).into_iter())
}

/// Those of an index's key attributes that an item has are of their types.
///
/// # Errors
/// The first that isn't.
pub(crate) fn check_types(index: &IndexDefinition, item: ItemRef<'_>) -> Result<(), ItemFault> {
    check_kinds(index, index.key_schema.attributes(), item)
}

fn check_kinds<'i>(
    index: &IndexDefinition,
    attributes: impl Iterator<Item = &'i KeyAttribute>,
    item: ItemRef<'_>,
) -> Result<(), ItemFault> {
    for attribute in attributes {
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
