//! Items in their stored form.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{FORMAT, HEADER_BYTES, Members, Sink, ValueRef};
use crate::attribute_value::AttributeValue;
use crate::error::ValueError;
use crate::from_json;
use crate::json::Node;
use crate::order;

/// Why bytes are not the stored form of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoredFormError {
    /// The bytes end within the header.
    Truncated,
    /// A format that this version does not know.
    UnknownFormat(u8),
    /// The contents are not as the format has them.
    Malformed,
}

impl fmt::Display for StoredFormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredFormError::Truncated => f.write_str("a stored item ends too early"),
            StoredFormError::UnknownFormat(format) => {
                write!(f, "a stored item has the unknown format {format}")
            }
            StoredFormError::Malformed => f.write_str("a stored item is damaged"),
        }
    }
}

impl std::error::Error for StoredFormError {}

/// An item in its stored form, borrowed: a header and attributes in the order of their names.
///
/// Two items are equal if they have the same attributes with equal values.
#[derive(Clone, Copy)]
pub struct ItemRef<'a> {
    /// With its header, which was checked.
    stored: &'a [u8],
}

impl<'a> ItemRef<'a> {
    /// Looks at the header alone. Attributes are checked as they are read: what is damaged reads as
    /// absent. [`check`](Self::check) looks at everything.
    ///
    /// # Errors
    /// If there is no header, or one of a format that this version does not know.
    pub fn from_stored(bytes: &'a [u8]) -> Result<ItemRef<'a>, StoredFormError> {
        match bytes.first_chunk::<HEADER_BYTES>() {
            None => Err(StoredFormError::Truncated),
            Some([FORMAT, ..]) => Ok(ItemRef { stored: bytes }),
            Some([format, ..]) => Err(StoredFormError::UnknownFormat(*format)),
        }
    }

    /// Checks the whole item, as for a file of unknown origin: it is well formed exactly if writing it
    /// anew gives the same bytes.
    ///
    /// # Errors
    /// [`StoredFormError::Malformed`] if anything is not as the format has it.
    pub fn check(&self) -> Result<(), StoredFormError> {
        let attributes = self.iter().map(|(name, value)| (name, value.to_owned()));
        match Item::from_attributes(attributes) {
            Ok(item) if item.as_ref() == *self && item.as_ref().size() == self.size() => Ok(()),
            _ => Err(StoredFormError::Malformed),
        }
    }

    /// The size that DynamoDB counts: names and values.
    pub fn size(&self) -> u64 {
        match self.stored {
            [_, a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]).into(),
            _ => 0,
        }
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.iter().left
    }

    /// True for an item without attributes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of the attribute with that name.
    pub fn get(&self, name: &str) -> Option<ValueRef<'a>> {
        self.iter().find(name)
    }

    /// The attributes in the order of their names.
    pub fn iter(&self) -> Members<'a> {
        Members::new(self.attributes())
    }

    fn attributes(&self) -> &'a [u8] {
        self.stored.get(HEADER_BYTES..).unwrap_or_default()
    }

    /// Appends the item as DynamoDB JSON, such as `{"pk":{"S":"a"}}`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        self.iter().json_within(crate::limits::NESTING_LEVELS_MAX, out);
    }

    /// The item as DynamoDB JSON.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut json);
        String::from_utf8_lossy(&json).into_owned()
    }

    /// The attributes decoded as a whole.
    pub fn to_attributes(&self) -> BTreeMap<String, AttributeValue> {
        order::entered(self.iter().map(|(name, value)| (name.to_owned(), value.to_owned())))
    }
}

impl PartialEq for ItemRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.attributes() == other.attributes()
    }
}

impl Eq for ItemRef<'_> {}

impl<'a> IntoIterator for ItemRef<'a> {
    type Item = (&'a str, ValueRef<'a>);
    type IntoIter = Members<'a>;

    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

/// Shows the item as DynamoDB JSON.
impl fmt::Debug for ItemRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut json = Vec::new();
        self.write_json(&mut json);
        f.write_str(&String::from_utf8_lossy(&json))
    }
}

/// An item in its stored form, shared: cloning it counts a reference.
///
/// ```
/// use keyplan_value::json::{Limits, Tape};
/// use keyplan_value::Item;
///
/// let tape = Tape::parse(br#"{"pk":{"S":"ORDER#1"},"total":{"N":"19.90"}}"#, &Limits::default())?;
/// let item = Item::from_json(tape.root())?;
/// let total = item.as_ref().get("total").and_then(|value| value.number());
/// assert_eq!(total.map(|number| number.to_string()).as_deref(), Some("19.9"));
/// assert_eq!(item.as_ref().size(), 2 + 7 + 5 + 3);
///
/// let mut json = Vec::new();
/// item.as_ref().write_json(&mut json);
/// assert_eq!(json, br#"{"pk":{"S":"ORDER#1"},"total":{"N":"19.9"}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Item {
    bytes: Arc<[u8]>,
}

impl Item {
    /// Reads an item's DynamoDB JSON: an object from names to values.
    ///
    /// # Errors
    /// The first error in the service's order: JSON of a wrong type, an empty or too long name, a false
    /// `NULL`, then whatever else is wrong.
    pub fn from_json(node: Node<'_, '_>) -> Result<Item, ValueError> {
        from_json::item(node)
    }

    /// Builds an item from its attributes; the last one counts if a name is there more than once.
    ///
    /// # Errors
    /// If a name or a value cannot be stored: an empty set, a value nested too deep.
    pub fn from_attributes<N: AsRef<str>>(
        attributes: impl IntoIterator<Item = (N, AttributeValue)>,
    ) -> Result<Item, ValueError> {
        let attributes: Vec<(N, AttributeValue)> = attributes.into_iter().collect();
        let mut sorted: Vec<(&str, &AttributeValue)> =
            attributes.iter().map(|(name, value)| (name.as_ref(), value)).collect();
        order::sort_by(&mut sorted, |(one, _), (other, _)| one.cmp(other));
        sorted.dedup_by(|later, earlier| {
            let is_again = later.0 == earlier.0;
            if is_again {
                earlier.1 = later.1;
            }
            is_again
        });
        // Room for short names and values; longer ones make their own.
        let mut sink = Sink::with_capacity(64 + 32 * sorted.len());
        sink.begin_item();
        let size = sink.attribute_values(sorted.into_iter(), 1)?;
        Ok(sink.finish_item(size))
    }

    /// Takes bytes from the store; see [`ItemRef::from_stored`].
    ///
    /// # Errors
    /// If there is no header, or one of a format that this version does not know.
    pub fn from_stored(bytes: Arc<[u8]>) -> Result<Item, StoredFormError> {
        ItemRef::from_stored(&bytes)?;
        Ok(Item { bytes })
    }

    /// The item, to read.
    pub fn as_ref(&self) -> ItemRef<'_> {
        // The header was checked or written when the item was made.
        ItemRef { stored: &self.bytes }
    }

    /// The value of the attribute with that name, read without decoding the others.
    pub fn get(&self, name: &str) -> Option<ValueRef<'_>> {
        self.as_ref().get(name)
    }

    /// The attributes in the order of their names.
    pub fn iter(&self) -> Members<'_> {
        self.as_ref().iter()
    }

    /// The item as DynamoDB JSON.
    pub fn to_json(&self) -> String {
        self.as_ref().to_json()
    }

    /// The stored form, to put into a store.
    pub fn stored(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The stored form without the item around it.
    pub fn into_stored(self) -> Arc<[u8]> {
        self.bytes
    }

    pub(super) fn from_encoded(bytes: Arc<[u8]>) -> Item {
        Item { bytes }
    }
}

impl<'a> IntoIterator for &'a Item {
    type Item = (&'a str, ValueRef<'a>);
    type IntoIter = Members<'a>;

    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

impl From<ItemRef<'_>> for Item {
    fn from(item: ItemRef<'_>) -> Item {
        Item { bytes: Arc::from(item.stored) }
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for Item {}

/// Shows the item as DynamoDB JSON.
impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}
