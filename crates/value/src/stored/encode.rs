//! Writing the stored form.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FORMAT, HEADER_BYTES, Item, ItemRef, Value, ValueRef, push_length, tag};
use crate::attribute_value::AttributeValue;
use crate::error::ValueError;
use crate::kind::ValueKind;
use crate::limits::{ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX};
use crate::number::Number;
use crate::order;
use crate::size;

/// A buffer that takes values in their stored form. Its methods give the size that DynamoDB counts.
#[derive(Default)]
pub(crate) struct Sink {
    out: Vec<u8>,
}

/// Where a body began whose length is not known yet.
pub(crate) struct Mark(usize);

impl Sink {
    pub(crate) fn with_capacity(bytes: usize) -> Sink {
        Sink { out: Vec::with_capacity(bytes) }
    }

    /// Leaves room for an item's header, which [`finish_item`](Self::finish_item) fills.
    pub(crate) fn begin_item(&mut self) {
        self.out.extend_from_slice(&[0; HEADER_BYTES]);
    }

    pub(crate) fn finish_item(mut self, size: u64) -> Item {
        if let Some(header) = self.out.first_chunk_mut::<HEADER_BYTES>() {
            // No request is large enough for an item of 4 GB.
            let [a, b, c, d] = u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes();
            *header = [FORMAT, a, b, c, d];
        }
        Item::from_encoded(Arc::from(self.out))
    }

    pub(crate) fn finish_value(self) -> Value {
        Value::from_encoded(&self.out)
    }

    pub(super) fn into_bytes(self) -> Box<[u8]> {
        self.out.into()
    }

    /// Begins a body of unknown length: room for a short length is left, and widened if it must be.
    pub(crate) fn open(&mut self, kind: ValueKind) -> Mark {
        self.out.push(tag(kind));
        self.out.push(0);
        Mark(self.out.len())
    }

    pub(crate) fn close(&mut self, mark: Mark) {
        let body = self.out.len() - mark.0;
        if body < 0x80 {
            if let Some(place) = self.out.get_mut(mark.0 - 1) {
                *place = body as u8;
            }
            return;
        }
        let mut length = Vec::new();
        push_length(body, &mut length);
        self.out.splice(mark.0 - 1..mark.0, length);
    }

    /// The buffer, to append a body to.
    pub(crate) fn body(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    pub(crate) fn count(&mut self, count: usize) {
        push_length(count, &mut self.out);
    }

    pub(crate) fn name(&mut self, name: &str) -> u64 {
        self.bytes(name.as_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> u64 {
        push_length(bytes.len(), &mut self.out);
        self.out.extend_from_slice(bytes);
        bytes.len() as u64
    }

    pub(crate) fn string(&mut self, value: &str) -> u64 {
        self.out.push(tag(ValueKind::S));
        self.bytes(value.as_bytes())
    }

    fn binary(&mut self, value: &[u8]) -> u64 {
        self.out.push(tag(ValueKind::B));
        self.bytes(value)
    }

    pub(crate) fn number(&mut self, value: &Number) -> u64 {
        let mark = self.open(ValueKind::N);
        value.write_ordered(&mut self.out);
        self.close(mark);
        value.size()
    }

    pub(crate) fn boolean(&mut self, value: bool) -> u64 {
        self.out.extend_from_slice(&[tag(ValueKind::Bool), 1, u8::from(value)]);
        size::SCALAR_BYTES
    }

    pub(crate) fn null(&mut self) -> u64 {
        self.out.extend_from_slice(&[tag(ValueKind::Null), 0]);
        size::SCALAR_BYTES
    }

    /// An SS or BS of members that are in order and there once.
    pub(crate) fn bytes_set<'m>(
        &mut self,
        kind: ValueKind,
        members: impl ExactSizeIterator<Item = &'m [u8]>,
    ) -> u64 {
        let mark = self.open(kind);
        self.count(members.len());
        let size = members.map(|member| self.bytes(member)).sum();
        self.close(mark);
        size
    }

    /// An NS of members that are in order and there once.
    pub(crate) fn number_set<'m>(&mut self, members: impl ExactSizeIterator<Item = &'m Number>) -> u64 {
        let mark = self.open(ValueKind::Ns);
        self.count(members.len());
        let mut size = 0;
        for member in members {
            member.write_ordered(&mut self.out);
            size += member.size();
        }
        self.close(mark);
        size
    }

    /// A value that is in its stored form already.
    pub(crate) fn copy(&mut self, value: ValueRef<'_>) {
        self.out.push(tag(value.kind));
        self.bytes(value.body);
    }

    /// A value of the library's user, who may have built what cannot be stored.
    pub(crate) fn attribute_value(
        &mut self,
        value: &AttributeValue,
        level: usize,
    ) -> Result<u64, ValueError> {
        if level > NESTING_LEVELS_MAX {
            return Err(ValueError::NestedTooDeep { levels: level });
        }
        Ok(match value {
            AttributeValue::S(value) => self.string(value),
            AttributeValue::N(value) => self.number(value),
            AttributeValue::B(value) => self.binary(value),
            AttributeValue::Bool(value) => self.boolean(*value),
            AttributeValue::Null => self.null(),
            AttributeValue::Ss(members) if members.is_empty() => {
                return Err(ValueError::EmptySet(ValueKind::Ss));
            }
            AttributeValue::Ns(members) if members.is_empty() => {
                return Err(ValueError::EmptySet(ValueKind::Ns));
            }
            AttributeValue::Bs(members) if members.is_empty() => {
                return Err(ValueError::EmptySet(ValueKind::Bs));
            }
            AttributeValue::Ss(members) => {
                self.bytes_set(ValueKind::Ss, members.iter().map(|member| member.as_bytes()))
            }
            AttributeValue::Ns(members) => self.number_set(members.iter()),
            AttributeValue::Bs(members) => {
                self.bytes_set(ValueKind::Bs, members.iter().map(|member| member.as_slice()))
            }
            AttributeValue::L(elements) => {
                let mark = self.open(ValueKind::L);
                self.count(elements.len());
                let mut size = size::CONTAINER_BYTES;
                for element in elements {
                    size += size::ELEMENT_BYTES + self.attribute_value(element, level + 1)?;
                }
                self.close(mark);
                size
            }
            AttributeValue::M(members) => {
                let mark = self.open(ValueKind::M);
                let each = size::ELEMENT_BYTES * members.len() as u64;
                let size = size::CONTAINER_BYTES
                    + each
                    + self.attribute_values(names_with_values(members), level + 1)?;
                self.close(mark);
                size
            }
        })
    }

    /// The attributes of an item or the members of a map, with their count.
    pub(crate) fn attribute_values<'m>(
        &mut self,
        members: impl ExactSizeIterator<Item = (&'m str, &'m AttributeValue)>,
        level: usize,
    ) -> Result<u64, ValueError> {
        self.count(members.len());
        let mut size = 0;
        for (name, value) in members {
            check_name(name)?;
            size += self.name(name) + self.attribute_value(value, level)?;
        }
        Ok(size)
    }
}

/// The members of a map as they are written.
fn names_with_values(
    members: &BTreeMap<String, AttributeValue>,
) -> impl ExactSizeIterator<Item = (&str, &AttributeValue)> {
    members.iter().map(|(name, value)| (name.as_str(), value))
}

/// The rules for names of attributes and of a map's members.
pub(crate) fn check_name(name: &str) -> Result<(), ValueError> {
    match name.len() {
        0 => Err(ValueError::EmptyAttributeName),
        1..=ATTRIBUTE_NAME_BYTES_MAX => Ok(()),
        _ => Err(ValueError::AttributeNameTooLarge),
    }
}

/// Puts an item together from values that are stored already, such as those of another item.
///
/// ```
/// use keyplan_value::{AttributeValue, Item, ItemBuilder};
///
/// let before = Item::from_attributes([("pk", AttributeValue::from("a")), ("n", AttributeValue::from(1))])?;
/// let mut builder = ItemBuilder::from_item(before.as_ref());
/// builder.remove("n");
/// let after = builder.finish();
/// assert_eq!(after.as_ref().len(), 1);
/// assert_eq!(after.as_ref().size(), 3);
/// # Ok::<(), keyplan_value::ValueError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ItemBuilder<'a> {
    /// In the order of the names, each once; if `is_unordered`, in any, and the last of one name counts. Those
    /// without a value were taken away.
    attributes: Vec<(&'a str, Option<ValueRef<'a>>)>,
    is_unordered: bool,
}

impl<'a> ItemBuilder<'a> {
    /// A builder of an item without attributes.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder that has the attributes of `item`.
    pub fn from_item(item: ItemRef<'a>) -> Self {
        let mut attributes = Vec::with_capacity(item.len() + 4);
        attributes.extend(item.iter().map(|(name, value)| (name, Some(value))));
        Self { attributes, is_unordered: false }
    }

    /// Sets an attribute, whether it is there or not. Whoever makes up a name sees to its length.
    pub fn insert(&mut self, name: &'a str, value: ValueRef<'a>) -> &mut Self {
        self.set(name, Some(value))
    }

    /// Takes an attribute away, if it is there.
    pub fn remove(&mut self, name: &'a str) -> &mut Self {
        self.set(name, None)
    }

    /// What is there, or comes last, is set in its place. All else waits at the end, so that an item of very many
    /// attributes isn't moved for each of them.
    fn set(&mut self, name: &'a str, value: Option<ValueRef<'a>>) -> &mut Self {
        let place = if self.is_unordered {
            None
        } else {
            Some(self.attributes.binary_search_by(|(other, _)| (*other).cmp(name)))
        };
        match place {
            Some(Ok(place)) => {
                if let Some(attribute) = self.attributes.get_mut(place) {
                    attribute.1 = value;
                }
            }
            _ => {
                self.is_unordered |= place != Some(Err(self.attributes.len()));
                self.attributes.push((name, value));
            }
        }
        self
    }

    /// The item.
    pub fn finish(&mut self) -> Item {
        if self.is_unordered {
            order::sort_by(&mut self.attributes, |(one, _), (other, _)| one.cmp(other));
            self.attributes.dedup_by(|later, earlier| {
                let is_again = later.0 == earlier.0;
                if is_again {
                    earlier.1 = later.1;
                }
                is_again
            });
            self.is_unordered = false;
        }
        let kept = || self.attributes.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
        let room = |(name, value): (&str, ValueRef<'_>)| name.len() + value.body.len() + 8;
        let mut sink = Sink::with_capacity(kept().map(room).sum::<usize>() + 16);
        sink.begin_item();
        sink.count(kept().count());
        let mut size = 0;
        for (name, value) in kept() {
            size += sink.name(name) + value.size();
            sink.copy(value);
        }
        sink.finish_item(size)
    }
}
