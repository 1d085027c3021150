//! The rules for values of attributes that are keys of a secondary index.
//!
//! An item may lack such an attribute, and then has no entry in the index. One that is there must be of the
//! type of its definition, neither empty nor too long, or the write is refused.

use keyplan_expression::DocumentPath;
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;
use keyplan_value::{Item, ItemRef, ValueKind, ValueRef};

use super::Entry;
use crate::catalog::{
    IndexDefinition, IndexScope, KeyAttribute, SearchElement, SearchRole, TableDefinition,
    VectorIndexDefinition,
};
use crate::error::{ItemFault, VectorFault};
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
        |index, name, kind| ItemFault::EmptyIndexKey { name: name.to_owned(), kind, index: index.to_owned() },
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

/// Keys hold no maps and lists, so no path leads into the key of a table or of any of its indexes. `read`
/// is the index that is read, if one is.
///
/// # Errors
/// The first path that does, and whether it is an index's key that it leads into.
pub(crate) fn check_paths<'p>(
    table: &TableDefinition,
    read: Option<&IndexDefinition>,
    paths: impl IntoIterator<Item = &'p DocumentPath>,
) -> Result<(), ItemFault> {
    for path in paths.into_iter().filter(|path| !path.inner().is_empty()) {
        let name = &**path.attribute();
        let is_of = |index: &IndexDefinition| index.key_schema.has(name);
        let of_index = read.is_some_and(is_of) || !table.key_schema.has(name);
        if !of_index || read.is_some_and(is_of) || table.indexes.iter().any(is_of) {
            return Err(ItemFault::NestedKey { name: name.to_owned(), of_index });
        }
    }
    Ok(())
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
    empty: impl Fn(&str, &str, ValueKind) -> ItemFault,
) -> Result<(), ItemFault> {
    let faults = table.indexes.iter().filter_map(|index| {
        let fault = check_index(index, item, &is_looked_at, &empty).err()?;
        Some((index.name.as_str(), fault))
    });
    first_by_name(faults)?;
    let faults = table.vector_indexes.iter().filter_map(|index| {
        let fault = check_vector(index, item, &is_looked_at, &empty).err()?;
        Some((index.name.as_str(), fault))
    });
    first_by_name(faults)
}

fn first_by_name<'n>(faults: impl Iterator<Item = (&'n str, ItemFault)>) -> Result<(), ItemFault> {
    faults.min_by_key(|(name, _)| *name).map_or(Ok(()), |(_, fault)| Err(fault))
}

/// Those attributes of a vector index that are looked at fit it, where the item has them.
fn check_vector(
    index: &VectorIndexDefinition,
    item: ItemRef<'_>,
    is_looked_at: impl Fn(&str) -> bool,
    empty: impl Fn(&str, &str, ValueKind) -> ItemFault,
) -> Result<(), ItemFault> {
    let fault = |fault| Err(ItemFault::Vector { fault, index: index.name.clone() });
    for SearchElement { attribute, role } in &index.search_schema {
        let Some(value) = item.get(&attribute.name).filter(|_| is_looked_at(&attribute.name)) else {
            continue;
        };
        if value.kind() != attribute.kind {
            let (name, expected, actual) = (attribute.name.clone(), attribute.kind, value.kind());
            return fault(VectorFault::SearchAttribute { name, expected, actual });
        }
        if *role == SearchRole::Hash {
            if keys::is_empty(value) {
                return Err(empty(&index.name, &attribute.name, value.kind()));
            }
            keys::check_sizes(std::iter::once(value), std::iter::empty())?;
        }
    }
    let name = || index.attribute.clone();
    let Some(vector) = item.get(&index.attribute).filter(|_| is_looked_at(&index.attribute)) else {
        return Ok(());
    };
    if vector.kind() != ValueKind::L {
        return fault(VectorFault::NotAList { name: name() });
    }
    let (expected, actual) = (index.dimensions, vector.member_count());
    if actual as u64 != u64::from(expected) {
        return fault(VectorFault::Dimensions { name: name(), expected, actual });
    }
    for (position, element) in vector.elements().enumerate() {
        if element.is_f32() {
            continue;
        }
        return fault(match element.number() {
            Some(number) => VectorFault::OutOfRange { name: name(), position, number: Box::new(number) },
            None => VectorFault::Element { name: name(), position, actual: element.kind() },
        });
    }
    Ok(())
}

fn check_index(
    index: &IndexDefinition,
    item: ItemRef<'_>,
    is_looked_at: impl Fn(&str) -> bool,
    empty: impl Fn(&str, &str, ValueKind) -> ItemFault,
) -> Result<(), ItemFault> {
    let mut first_empty = None;
    let mut sizes = [PartSize::default(), PartSize::default()];
    let key = &index.key_schema;
    for (attributes, size) in [&key.partition, &key.sort].into_iter().zip(&mut sizes) {
        for attribute in attributes {
            let is_looked_at = is_looked_at(&attribute.name);
            size.is_looked_at |= is_looked_at;
            let Some(value) = item.get(&attribute.name) else { continue };
            size.bytes += value.size();
            if is_looked_at {
                check_kind(index, attribute, value)?;
                if first_empty.is_none() && keys::is_empty(value) {
                    first_empty = Some((attribute, value.kind()));
                }
            }
        }
    }
    if let Some((attribute, kind)) = first_empty {
        return Err(empty(&index.name, &attribute.name, kind));
    }
    let [partition, sort] = sizes.map(PartSize::counted);
    keys::check_part_sizes(partition, sort)
}

/// The bytes of a part of a key, whose attributes share a bound.
#[derive(Default)]
struct PartSize {
    bytes: u64,
    is_looked_at: bool,
}

impl PartSize {
    fn counted(self) -> u64 {
        if self.is_looked_at { self.bytes } else { 0 }
    }
}

/// Those of an index's key attributes that an item has are of their types.
///
/// # Errors
/// The first that isn't.
pub(crate) fn check_types(index: &IndexDefinition, item: ItemRef<'_>) -> Result<(), ItemFault> {
    for attribute in index.key_schema.attributes() {
        if let Some(value) = item.get(&attribute.name) {
            check_kind(index, attribute, value)?;
        }
    }
    Ok(())
}

fn check_kind(
    index: &IndexDefinition,
    attribute: &KeyAttribute,
    value: ValueRef<'_>,
) -> Result<(), ItemFault> {
    if value.kind() == attribute.kind {
        return Ok(());
    }
    Err(ItemFault::IndexKeyType {
        name: attribute.name.clone(),
        expected: attribute.kind,
        actual: value.kind(),
        index: index.name.clone(),
    })
}
