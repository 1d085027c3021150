//! JSON types of SearchVectors, whose requests the service reads elsewhere and strictly: the first member of the
//! wrong type in the order of the text is answered, with its place, and a null is no absent member where one has
//! to be.

use keyplan_value::json::{Kind as Json, Node};

use super::member::number;
use crate::error::SerializationError;
use crate::limits::ECHO_BYTES_MAX;
use crate::shapes::{Kind, Operation, Shape};

/// Whether an operation's requests are read so.
pub(super) fn is_strict(operation: &Operation) -> bool {
    operation.name == "SearchVectors"
}

/// Where a value stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// How many bytes of the line were read when the value was.
    pub column: usize,
}

impl Position {
    /// The position behind so many bytes of the request.
    fn behind(request: Node<'_, '_>, bytes: usize) -> Position {
        let read = request.raw().as_bytes().get(..bytes).unwrap_or_default();
        let lines = read.iter().filter(|byte| **byte == b'\n').count();
        let line_start = read.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        Position { line: lines + 1, column: read.len() - line_start }
    }

    /// The position at which a value's type is seen: behind a scalar, in front of anything else.
    pub(crate) fn of(request: Node<'_, '_>, value: Node<'_, '_>) -> Position {
        let raw = value.raw();
        // A value's text is a part of the request's.
        let start = (raw.as_ptr() as usize).saturating_sub(request.raw().as_ptr() as usize);
        let read = match value.kind() {
            Json::Object | Json::Array => 0,
            // Its last quotation mark is read too.
            Json::String => raw.len() + 1,
            _ => raw.len(),
        };
        Position::behind(request, start + read)
    }

    /// The end of a request.
    pub(crate) fn end(request: Node<'_, '_>) -> Position {
        Position::behind(request, request.raw().len())
    }
}

/// Checks the JSON types of a request's members, and of what its lists and maps hold.
pub(super) fn types(operation: &Operation, request: Node<'_, '_>) -> Result<(), SerializationError> {
    let Kind::Structure(structure) = &operation.input.shape().kind else { return Ok(()) };
    for (name, value) in request.members() {
        let Some(member) = structure.members.iter().find(|member| name.is(member.name)) else { continue };
        if value.is_null() && !member.required {
            continue;
        }
        let shape = member.shape.shape();
        check(request, value, shape)?;
        match &shape.kind {
            Kind::List { element } => {
                for part in value.elements() {
                    check_part(request, part, element.shape())?;
                }
            }
            Kind::Map { value: part, .. } => {
                for (_, entry) in value.members() {
                    check_part(request, entry, part.shape())?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks a string, or an attribute value, which has no null and whose numbers are strings.
fn check_part(request: Node<'_, '_>, value: Node<'_, '_>, shape: &Shape) -> Result<(), SerializationError> {
    if let Kind::Structure(structure) = &shape.kind {
        // One without a member, or null, is none, and has no text.
        if value.is_null() {
            return Err(SerializationError::Unreadable);
        }
        check(request, value, shape)?;
        for (name, part) in value.members() {
            let member = structure.members.iter().find(|member| name.is(member.name));
            if let Some(member) = member.filter(|member| matches!(member.shape.shape().kind, Kind::String)) {
                check(request, part, member.shape.shape())?;
            }
        }
        return Ok(());
    }
    check(request, value, shape)
}

fn check(request: Node<'_, '_>, value: Node<'_, '_>, shape: &Shape) -> Result<(), SerializationError> {
    let found = value.kind();
    let (fits, expected) = match &shape.kind {
        Kind::Structure(_) | Kind::Map { .. } => (found == Json::Object, "a map"),
        Kind::List { .. } => (found == Json::Array, "a sequence"),
        Kind::Integer => (found == Json::Integer, "i32"),
        Kind::Boolean => (matches!(found, Json::True | Json::False), "a boolean"),
        _ => (found == Json::String, "a string"),
    };
    if fits {
        return Ok(());
    }
    let position = Position::of(request, value);
    Err(SerializationError::Strict { found: described(value), expected, position })
}

/// A value as the texts name it.
fn described(value: Node<'_, '_>) -> String {
    match value.kind() {
        Json::Null => "null".to_owned(),
        Json::True => "boolean `true`".to_owned(),
        Json::False => "boolean `false`".to_owned(),
        Json::Integer => format!("integer `{}`", bounded(value.raw())),
        Json::Decimal => format!("floating point `{}`", bounded(value.raw())),
        Json::String => format!("string {:?}", bounded(&value.string().unwrap_or_default())),
        Json::Array => "sequence".to_owned(),
        Json::Object => "map".to_owned(),
    }
}

/// As much of a text as a message repeats.
fn bounded(text: &str) -> &str {
    text.get(..text.floor_char_boundary(ECHO_BYTES_MAX)).unwrap_or(text)
}

/// An integer of no 32 bits, with its position.
pub(crate) fn beyond_32_bits<'a>(request: Node<'_, 'a>, value: Node<'_, 'a>) -> Option<(&'a str, Position)> {
    let fits = number(value)?.is_exact_within(i32::MIN.into(), i32::MAX.into());
    (!fits).then(|| (bounded(value.raw()), Position::of(request, value)))
}
