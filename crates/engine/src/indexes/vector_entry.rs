//! The entry of an item in a vector index.
//!
//! It lies where its item lies in the table; in an index with a HASH attribute behind that attribute's hash and
//! value, so that the entries of one value are a range. Its value holds what a search looks at and no more:
//!
//! ```text
//! form (1 byte) | sum of squares (f64) | numbers (f32 each) | filters
//! filter = length (u32; all ones for none) | the encoded value    in the order of the search schema
//! ```
//!
//! All numbers are little-endian. What else a search answers is the table's item, in the same snapshot.

use keyplan_value::{ItemRef, ValueKind, ValueRef, key};

use super::distance::squares;
use crate::catalog::{IndexProjection, KeyAttribute, TableDefinition, VectorIndexDefinition};
use crate::keys::{self, ItemKey};

const FORM: u8 = 1;

/// The bytes in front of the numbers.
const HEAD_BYTES: usize = 1 + 8;

/// The length of a filter's value that isn't there.
const NONE: u32 = u32::MAX;

/// An item's entry in a vector index, as far as it can be told without its vector's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VectorEntry {
    pub(crate) place: ItemKey,
    /// Its bytes, by the service's rule: four for each number.
    pub(crate) bytes: u64,
    /// What the vector takes less than the list of numbers that it is.
    pub(crate) saved: i64,
}

impl VectorEntry {
    /// The entry of the item at `item_place`; nothing if the item lacks the vector or the HASH attribute, or has
    /// an attribute of the index that doesn't fit (which it may have had before the index was made). Whether
    /// the vector's numbers fit is seen by [`value`].
    pub(crate) fn of(
        table: &TableDefinition,
        index: &VectorIndexDefinition,
        item: ItemRef<'_>,
        item_place: &ItemKey,
    ) -> Option<VectorEntry> {
        let vector = vector_of(index, item)?;
        let fits = |attribute: &KeyAttribute| {
            item.get(&attribute.name).is_none_or(|value| value.kind() == attribute.kind)
        };
        if !index.filters().all(fits) {
            return None;
        }
        let hash = match index.hash() {
            Some(attribute) => Some(hash_value(attribute, item)?),
            None => None,
        };
        let size = vector.size();
        let rest = projected_bytes(table, index, item, size);
        Some(VectorEntry {
            place: ItemKey::of_vector(hash, item_place).ok()?,
            bytes: index.vector_bytes() + index.attribute.len() as u64 + rest,
            saved: i64::try_from(size).unwrap_or(i64::MAX) - index.vector_bytes() as i64,
        })
    }
}

/// The item's vector, if it is a list of as many elements as the index has dimensions.
fn vector_of<'i>(index: &VectorIndexDefinition, item: ItemRef<'i>) -> Option<ValueRef<'i>> {
    let vector = item.get(&index.attribute)?;
    let fits = vector.kind() == ValueKind::L && vector.member_count() as u64 == u64::from(index.dimensions);
    fits.then_some(vector)
}

/// The value that parts the index, if the item has one that can.
fn hash_value<'i>(attribute: &KeyAttribute, item: ItemRef<'i>) -> Option<ValueRef<'i>> {
    let value = item.get(&attribute.name).filter(|value| value.kind() == attribute.kind)?;
    let fits =
        !keys::is_empty(value) && keys::check_sizes(std::iter::once(value), std::iter::empty()).is_ok();
    fits.then_some(value)
}

/// The bytes of what an index has of an item besides the vector, whose list takes `vector_bytes`.
fn projected_bytes(
    table: &TableDefinition,
    index: &VectorIndexDefinition,
    item: ItemRef<'_>,
    vector_bytes: u64,
) -> u64 {
    if index.projection == IndexProjection::All {
        return item.size().saturating_sub(vector_bytes + index.attribute.len() as u64);
    }
    let is_projected = |name: &str| name != index.attribute && index.projects(table, name);
    let attributes = item.iter().filter(|(name, _)| is_projected(name));
    attributes.map(|(name, value)| name.len() as u64 + value.size()).sum()
}

/// Whether a change of an item leaves what an index has of it as it is.
pub(crate) fn is_same_view(
    table: &TableDefinition,
    index: &VectorIndexDefinition,
    before: ItemRef<'_>,
    after: ItemRef<'_>,
) -> bool {
    let is_in = |name: &str| name == index.attribute || index.projects(table, name);
    before.iter().filter(|(name, _)| is_in(name)).eq(after.iter().filter(|(name, _)| is_in(name)))
}

/// Whether the value of an entry that stays in its place is as it was.
pub(crate) fn is_same_value(index: &VectorIndexDefinition, before: ItemRef<'_>, after: ItemRef<'_>) -> bool {
    let is_same = |name: &str| before.get(name) == after.get(name);
    is_same(&index.attribute) && index.filters().all(|attribute| is_same(&attribute.name))
}

/// The value of an item's entry; nothing if its vector has an element that is no number of 32 bits.
pub(crate) fn value(index: &VectorIndexDefinition, item: ItemRef<'_>) -> Option<Vec<u8>> {
    let vector = vector_of(index, item)?;
    let mut out = Vec::with_capacity(HEAD_BYTES + index.vector_bytes() as usize + 32);
    out.push(FORM);
    out.extend_from_slice(&[0; 8]);
    for element in vector.elements() {
        out.extend_from_slice(&element.to_f32()?.to_le_bytes());
    }
    let (numbers, _) = out.get(HEAD_BYTES..)?.as_chunks::<4>();
    let squares = squares(numbers).to_le_bytes();
    out.get_mut(1..HEAD_BYTES)?.copy_from_slice(&squares);
    for attribute in index.filters() {
        let length_at = out.len();
        out.extend_from_slice(&NONE.to_le_bytes());
        let Some(value) = item.get(&attribute.name) else { continue };
        key::encode_attribute(value, &mut out).ok()?;
        let length = u32::try_from(out.len() - length_at - 4).ok()?;
        out.get_mut(length_at..length_at + 4)?.copy_from_slice(&length.to_le_bytes());
    }
    Some(out)
}

/// An entry's value, to search in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredVector<'a> {
    pub(crate) squares: f64,
    /// The numbers, four bytes each.
    pub(crate) numbers: &'a [[u8; 4]],
    filters: &'a [u8],
}

impl<'a> StoredVector<'a> {
    /// Reads the value of an entry of an index with so many dimensions; nothing where it isn't one.
    pub(crate) fn read(dimensions: usize, bytes: &'a [u8]) -> Option<StoredVector<'a>> {
        let (&form, rest) = bytes.split_first()?;
        let (squares, rest) = rest.split_first_chunk::<8>()?;
        let (numbers, filters) = rest.split_at_checked(dimensions * 4)?;
        let (numbers, _) = numbers.as_chunks::<4>();
        (form == FORM).then_some(StoredVector { squares: f64::from_le_bytes(*squares), numbers, filters })
    }

    /// Whether the values of the filters' attributes are those that are wanted, as they are encoded, in the
    /// order of the search schema; nothing is wanted of an attribute whose value may be any.
    pub(crate) fn passes(&self, wanted: &[Option<Vec<u8>>]) -> bool {
        let mut rest = self.filters;
        for wanted in wanted {
            let Some((length, after)) = rest.split_first_chunk::<4>() else { return false };
            let length = u32::from_le_bytes(*length);
            let (value, after) = match length {
                NONE => (None, after),
                length => match after.split_at_checked(length as usize) {
                    Some((value, after)) => (Some(value), after),
                    None => return false,
                },
            };
            rest = after;
            if wanted.as_deref().is_some_and(|wanted| value != Some(wanted)) {
                return false;
            }
        }
        true
    }
}
