//! Values read from their stored form, without decoding what is not asked for.

use std::cmp::Ordering;
use std::fmt;

use super::{kind_of, take_bytes, take_length};
use crate::attribute_value::AttributeValue;
use crate::base64;
use crate::json::write_string;
use crate::kind::ValueKind;
use crate::limits::NESTING_LEVELS_MAX;
use crate::number::{Number, ordered_exponent, ordered_length, ordered_size, ordered_to_f32};
use crate::order;
use crate::size;

/// A value in its stored form: a type and a slice of bytes.
///
/// Two values are equal if they are equal as DynamoDB compares them: numbers by value, sets and maps
/// without regard to order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ValueRef<'a> {
    pub(super) kind: ValueKind,
    pub(super) body: &'a [u8],
}

impl<'a> ValueRef<'a> {
    /// The string `value`.
    pub fn string(value: &'a str) -> ValueRef<'a> {
        ValueRef { kind: ValueKind::S, body: value.as_bytes() }
    }

    /// The binary `value`.
    pub fn binary(value: &'a [u8]) -> ValueRef<'a> {
        ValueRef { kind: ValueKind::B, body: value }
    }

    /// The type.
    pub fn kind(&self) -> ValueKind {
        self.kind
    }

    /// The text of an S.
    pub fn as_str(&self) -> Option<&'a str> {
        self.of(ValueKind::S).and_then(|body| std::str::from_utf8(body).ok())
    }

    /// The number of an N.
    pub fn number(&self) -> Option<Number> {
        let body = self.of(ValueKind::N)?;
        Number::read_ordered(body).filter(|(_, length)| *length == body.len()).map(|(number, _)| number)
    }

    /// The bytes of a B, or of an S in UTF-8.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        matches!(self.kind, ValueKind::S | ValueKind::B).then_some(self.body)
    }

    /// The 32-bit floating-point number nearest to the value of an N; nothing beyond the largest.
    pub fn to_f32(&self) -> Option<f32> {
        ordered_to_f32(self.of(ValueKind::N)?)
    }

    /// Whether [`ValueRef::to_f32`] gives anything, found out without it where that is plain.
    pub fn is_f32(&self) -> bool {
        // 3.4028234E38 is the largest.
        let exponent = self.of(ValueKind::N).and_then(ordered_exponent);
        exponent.is_some_and(|exponent| exponent < 38 || self.to_f32().is_some())
    }

    /// The value of a BOOL.
    pub fn as_bool(&self) -> Option<bool> {
        self.of(ValueKind::Bool).map(|body| body == [1])
    }

    /// The elements of an L, or the members of a set in their order. Empty for other types.
    pub fn elements(&self) -> Elements<'a> {
        match self.kind {
            ValueKind::L | ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => {
                let mut rest = self.body;
                let left = take_length(&mut rest).unwrap_or(0).min(rest.len());
                Elements { of: self.kind.element_kind(), rest, left }
            }
            _ => Elements { of: None, rest: &[], left: 0 },
        }
    }

    /// The members of an M in the order of their names. Empty for other types.
    pub fn members(&self) -> Members<'a> {
        Members::new(self.of(ValueKind::M).unwrap_or_default())
    }

    /// The member of an M with that name.
    pub fn get(&self, name: &str) -> Option<ValueRef<'a>> {
        self.members().find(name)
    }

    /// The element of an L at that position, from 0.
    pub fn index(&self, position: usize) -> Option<ValueRef<'a>> {
        self.of(ValueKind::L)?;
        self.elements().nth(position)
    }

    /// How many elements an L, a set or an M has; 0 for other types.
    pub fn member_count(&self) -> usize {
        match self.kind {
            ValueKind::M => self.members().left,
            _ => self.elements().left,
        }
    }

    /// The size that DynamoDB counts for the value, without the name of its attribute.
    pub fn size(&self) -> u64 {
        self.size_within(NESTING_LEVELS_MAX)
    }

    fn size_within(&self, levels: usize) -> u64 {
        if levels == 0 {
            return 0;
        }
        match self.kind {
            ValueKind::S | ValueKind::B => self.body.len() as u64,
            ValueKind::N => ordered_size(self.body).unwrap_or(0),
            ValueKind::Bool | ValueKind::Null => size::SCALAR_BYTES,
            ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => {
                self.elements().map(|element| element.size_within(1)).sum()
            }
            ValueKind::L => {
                let elements = self.elements().map(|element| element.size_within(levels - 1));
                size::CONTAINER_BYTES + elements.map(|bytes| bytes + size::ELEMENT_BYTES).sum::<u64>()
            }
            ValueKind::M => {
                let members = self.members().raw().map(|(name, value)| {
                    size::ELEMENT_BYTES + name.len() as u64 + value.size_within(levels - 1)
                });
                size::CONTAINER_BYTES + members.sum::<u64>()
            }
        }
    }

    /// True if this S or B begins with `prefix`, which must be of the same type.
    pub fn begins_with(&self, prefix: &ValueRef<'_>) -> bool {
        self.kind == prefix.kind
            && matches!(self.kind, ValueKind::S | ValueKind::B)
            && self.body.starts_with(prefix.body)
    }

    /// The order of two S, two N or two B. None for other types, and for two values of different types.
    pub fn compare(&self, other: &ValueRef<'_>) -> Option<Ordering> {
        (self.kind == other.kind && self.kind.is_key_type()).then(|| self.body.cmp(other.body))
    }

    /// The value decoded as a whole.
    pub fn to_owned(&self) -> AttributeValue {
        self.owned_within(NESTING_LEVELS_MAX)
    }

    fn owned_within(&self, levels: usize) -> AttributeValue {
        if levels == 0 {
            return AttributeValue::Null;
        }
        let bytes = |value: ValueRef<'a>| value.body.to_vec();
        match self.kind {
            ValueKind::S => AttributeValue::S(self.as_str().unwrap_or_default().to_owned()),
            ValueKind::N => AttributeValue::N(self.number().unwrap_or(Number::ZERO)),
            ValueKind::B => AttributeValue::B(self.body.to_vec()),
            ValueKind::Ss => AttributeValue::Ss(order::entered(
                self.elements().filter_map(|element| element.as_str().map(str::to_owned)),
            )),
            ValueKind::Ns => {
                AttributeValue::Ns(order::entered(self.elements().filter_map(|element| element.number())))
            }
            ValueKind::Bs => AttributeValue::Bs(order::entered(self.elements().map(bytes))),
            ValueKind::Bool => AttributeValue::Bool(self.body == [1]),
            ValueKind::Null => AttributeValue::Null,
            ValueKind::L => {
                AttributeValue::L(self.elements().map(|value| value.owned_within(levels - 1)).collect())
            }
            ValueKind::M => AttributeValue::M(order::entered(
                self.members().map(|(name, value)| (name.to_owned(), value.owned_within(levels - 1))),
            )),
        }
    }

    /// Appends the value as DynamoDB JSON, such as `{"S":"a"}`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        self.json_within(NESTING_LEVELS_MAX, out);
    }

    fn json_within(&self, levels: usize, out: &mut Vec<u8>) {
        if levels == 0 {
            out.extend_from_slice(b"{\"NULL\":true}");
            return;
        }
        out.extend_from_slice(opening(self.kind));
        match self.kind {
            ValueKind::S | ValueKind::N | ValueKind::B => self.scalar_json(out),
            ValueKind::Bool => out.extend_from_slice(if self.body == [1] { b"true" } else { b"false" }),
            ValueKind::Null => out.extend_from_slice(b"true"),
            ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => {
                list_json(self.elements(), out, |element, out| element.scalar_json(out));
            }
            ValueKind::L => {
                list_json(self.elements(), out, |element, out| element.json_within(levels - 1, out));
            }
            ValueKind::M => self.members().json_within(levels - 1, out),
        }
        out.push(b'}');
    }

    /// Appends the JSON string of an S, N or B.
    fn scalar_json(&self, out: &mut Vec<u8>) {
        match self.kind {
            ValueKind::S => write_string(self.as_str().unwrap_or_default(), out),
            ValueKind::N => {
                out.push(b'"');
                self.number().unwrap_or(Number::ZERO).write_text(out);
                out.push(b'"');
            }
            _ => {
                out.push(b'"');
                base64::encode(self.body, out);
                out.push(b'"');
            }
        }
    }

    pub(crate) fn from_body(kind: ValueKind, body: &'a [u8]) -> ValueRef<'a> {
        ValueRef { kind, body }
    }

    /// The bytes of the value without its type. Those of two S, two N or two B are ordered as the values.
    pub(crate) fn body(&self) -> &'a [u8] {
        self.body
    }

    fn of(&self, kind: ValueKind) -> Option<&'a [u8]> {
        (self.kind == kind).then_some(self.body)
    }

    pub(super) fn take(bytes: &mut &'a [u8]) -> Option<ValueRef<'a>> {
        let (&tag, rest) = bytes.split_first()?;
        let kind = kind_of(tag)?;
        *bytes = rest;
        Some(ValueRef { kind, body: take_bytes(bytes)? })
    }
}

/// What the JSON of a value begins with.
fn opening(kind: ValueKind) -> &'static [u8] {
    match kind {
        ValueKind::S => b"{\"S\":",
        ValueKind::N => b"{\"N\":",
        ValueKind::B => b"{\"B\":",
        ValueKind::Ss => b"{\"SS\":",
        ValueKind::Ns => b"{\"NS\":",
        ValueKind::Bs => b"{\"BS\":",
        ValueKind::Bool => b"{\"BOOL\":",
        ValueKind::Null => b"{\"NULL\":",
        ValueKind::L => b"{\"L\":",
        ValueKind::M => b"{\"M\":",
    }
}

fn list_json<'a>(elements: Elements<'a>, out: &mut Vec<u8>, write: impl Fn(ValueRef<'a>, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, element) in elements.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

/// Shows the value as DynamoDB JSON.
impl fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut json = Vec::new();
        self.write_json(&mut json);
        f.write_str(&String::from_utf8_lossy(&json))
    }
}

/// The elements of a list, or the members of a set.
#[derive(Clone)]
pub struct Elements<'a> {
    /// The members' type, if this is a set.
    of: Option<ValueKind>,
    rest: &'a [u8],
    left: usize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = ValueRef<'a>;

    fn next(&mut self) -> Option<ValueRef<'a>> {
        self.left = self.left.checked_sub(1)?;
        let element = match self.of {
            None => ValueRef::take(&mut self.rest),
            Some(ValueKind::N) => ordered_length(self.rest)
                .and_then(|length| self.rest.split_at_checked(length))
                .map(|(body, rest)| {
                    self.rest = rest;
                    ValueRef { kind: ValueKind::N, body }
                }),
            Some(kind) => take_bytes(&mut self.rest).map(|body| ValueRef { kind, body }),
        };
        if element.is_none() {
            self.left = 0;
        }
        element
    }
}

/// The members of a map with their names.
#[derive(Clone)]
pub struct Members<'a> {
    rest: &'a [u8],
    pub(super) left: usize,
}

impl<'a> Members<'a> {
    pub(super) fn new(mut attributes: &'a [u8]) -> Self {
        // Every member takes bytes, so a greater count is a lie.
        let left = take_length(&mut attributes).unwrap_or(0).min(attributes.len());
        Self { rest: attributes, left }
    }

    /// The member with that name. Stops at the first name behind it.
    pub(super) fn find(self, name: &str) -> Option<ValueRef<'a>> {
        for (candidate, value) in self.raw() {
            match candidate.cmp(name.as_bytes()) {
                Ordering::Less => {}
                Ordering::Equal => return Some(value),
                Ordering::Greater => return None,
            }
        }
        None
    }

    pub(super) fn raw(mut self) -> impl Iterator<Item = (&'a [u8], ValueRef<'a>)> {
        std::iter::from_fn(move || self.take_raw())
    }

    fn take_raw(&mut self) -> Option<(&'a [u8], ValueRef<'a>)> {
        self.left = self.left.checked_sub(1)?;
        let member = take_bytes(&mut self.rest)
            .and_then(|name| ValueRef::take(&mut self.rest).map(|value| (name, value)));
        if member.is_none() {
            self.left = 0;
        }
        member
    }

    /// Appends the members as a JSON object of DynamoDB JSON.
    pub(super) fn json_within(self, levels: usize, out: &mut Vec<u8>) {
        /// Quotes, colons and braces of a member.
        const AROUND_MEMBER_BYTES: usize = 14;
        out.reserve(self.rest.len() + self.left * AROUND_MEMBER_BYTES + 2);
        out.push(b'{');
        for (index, (name, value)) in self.enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(name, out);
            out.push(b':');
            value.json_within(levels, out);
        }
        out.push(b'}');
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, ValueRef<'a>);

    fn next(&mut self) -> Option<(&'a str, ValueRef<'a>)> {
        let (name, value) = self.take_raw()?;
        match std::str::from_utf8(name) {
            Ok(name) => Some((name, value)),
            Err(_) => {
                self.left = 0;
                None
            }
        }
    }
}
