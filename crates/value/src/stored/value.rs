//! One value in its stored form, owned.

use std::collections::BTreeMap;
use std::fmt;

use super::{Sink, ValueRef};
use crate::attribute_value::AttributeValue;
use crate::error::ValueError;
use crate::from_json;
use crate::json::Node;
use crate::kind::ValueKind;
use crate::number::Number;
use crate::order;

/// One attribute value in its stored form, such as an expression's value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Value {
    kind: ValueKind,
    body: Box<[u8]>,
}

impl Value {
    /// Reads a value's DynamoDB JSON, such as `{"S":"a"}`.
    ///
    /// # Errors
    /// The first error in the service's order.
    pub fn from_json(node: Node<'_, '_>) -> Result<Value, ValueError> {
        from_json::value(node)
    }

    /// The number `number`.
    pub fn number(number: &Number) -> Value {
        let mut body = Vec::new();
        number.write_ordered(&mut body);
        Value { kind: ValueKind::N, body: body.into() }
    }

    /// The list of `elements`.
    pub fn list<'v>(elements: impl IntoIterator<Item = ValueRef<'v>>) -> Value {
        let elements: Vec<_> = elements.into_iter().collect();
        let mut sink = Sink::default();
        sink.count(elements.len());
        for element in elements {
            sink.copy(element);
        }
        Value { kind: ValueKind::L, body: sink.into_bytes() }
    }

    /// The map of `members`; the last one counts if a name is there more than once.
    pub fn map<'v>(members: impl IntoIterator<Item = (&'v str, ValueRef<'v>)>) -> Value {
        let members: BTreeMap<_, _> = order::entered(members);
        let mut sink = Sink::default();
        sink.count(members.len());
        for (name, value) in members {
            sink.name(name);
            sink.copy(value);
        }
        Value { kind: ValueKind::M, body: sink.into_bytes() }
    }

    /// The value, to read.
    pub fn as_ref(&self) -> ValueRef<'_> {
        ValueRef { kind: self.kind, body: &self.body }
    }

    pub(super) fn from_encoded(mut bytes: &[u8]) -> Value {
        ValueRef::take(&mut bytes)
            .map_or_else(|| Value { kind: ValueKind::Null, body: Box::default() }, Value::from)
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Value {
        Value { kind: value.kind, body: value.body.into() }
    }
}

impl TryFrom<&AttributeValue> for Value {
    type Error = ValueError;

    fn try_from(value: &AttributeValue) -> Result<Value, ValueError> {
        let mut sink = Sink::default();
        sink.attribute_value(value, 1)?;
        Ok(sink.finish_value())
    }
}

/// Shows the value as DynamoDB JSON.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}
