//! JSON types against the shapes: the first member of the wrong type is answered.

use keyplan_value::json::{Elements, Kind as Json, Members, Node};
use keyplan_value::{ExpectedJson, ValueError, WrongJsonType, base64, read_boolean};

use super::strict;
use crate::error::{ScalarType, SerializationError, Token};
use crate::shapes::{Kind, Operation, Shape, Structure};

/// Checks the JSON types of a request.
///
/// Walks with a stack of its own, so a value nested as deep as the parser lets through costs memory
/// only.
///
/// # Errors
/// The first member of the wrong type, in the order the service looks.
pub fn types(operation: &Operation, request: Node<'_, '_>) -> Result<(), SerializationError> {
    if strict::is_strict(operation) {
        return strict::types(operation, request);
    }
    let mut open = Vec::new();
    enter(&mut open, request, operation.input.shape(), Place::Member)?;
    while let Some(frame) = open.last_mut() {
        match frame.next() {
            Some((node, shape, place)) => enter(&mut open, node, shape, place)?,
            None => {
                open.pop();
            }
        }
    }
    Ok(())
}

/// Where a value stands; some texts differ by it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Member,
    UnionMember,
    Element,
}

/// A container that is being walked.
enum Frame<'t, 'a> {
    Structure { node: Node<'t, 'a>, structure: &'static Structure, at: usize },
    Union { members: Members<'t, 'a>, structure: &'static Structure },
    List { elements: Elements<'t, 'a>, shape: &'static Shape },
    Map { members: Members<'t, 'a>, shape: &'static Shape },
}

impl<'t, 'a> Frame<'t, 'a> {
    /// The next part that is there, with its shape.
    fn next(&mut self) -> Option<(Node<'t, 'a>, &'static Shape, Place)> {
        loop {
            let (node, shape, place) = match self {
                Frame::Structure { node, structure, at } => {
                    let member = structure.members.get(usize::from(*structure.typing.get(*at)?))?;
                    *at += 1;
                    match node.get(member.name) {
                        Some(value) => (value, member.shape.shape(), Place::Member),
                        None => continue,
                    }
                }
                Frame::Union { members, structure } => {
                    let (name, value) = members.next()?;
                    match structure.members.iter().find(|member| name.is(member.name)) {
                        Some(member) => (value, member.shape.shape(), Place::UnionMember),
                        None => continue,
                    }
                }
                Frame::List { elements, shape } => (elements.next()?, *shape, Place::Element),
                Frame::Map { members, shape } => (members.next()?.1, *shape, Place::Element),
            };
            // A null member is the same as an absent one, everywhere.
            if !node.is_null() {
                return Some((node, shape, place));
            }
        }
    }
}

/// Checks one value's own type; a container of the right type is opened.
fn enter<'t, 'a>(
    open: &mut Vec<Frame<'t, 'a>>,
    node: Node<'t, 'a>,
    shape: &'static Shape,
    place: Place,
) -> Result<(), SerializationError> {
    let found = node.kind();
    match (&shape.kind, found) {
        // Whoever gave an item or a value in its stored form did so where one belongs.
        (Kind::Map { .. } | Kind::Structure(_), Json::Integer) if node.given().is_some() => {}
        (Kind::Structure(structure), Json::Object) if structure.union => {
            open.push(Frame::Union { members: node.members(), structure });
        }
        (Kind::Structure(structure), Json::Object) => open.push(Frame::Structure { node, structure, at: 0 }),
        (Kind::List { element }, Json::Array) => {
            open.push(Frame::List { elements: node.elements(), shape: element.shape() });
        }
        (Kind::Map { value, .. }, Json::Object) => {
            open.push(Frame::Map { members: node.members(), shape: value.shape() });
        }
        (Kind::Structure(_), Json::Array) => {
            return Err(SerializationError::ListForClass(java_type(shape)));
        }
        (Kind::Map { .. }, Json::Array) => return Err(SerializationError::ListForMap(java_type(shape))),
        (Kind::List { .. }, Json::Object) => return Err(SerializationError::StructureNotExpected),
        (Kind::Structure(_), _) if place == Place::Element => {
            return Err(SerializationError::UnexpectedValueInPayload);
        }
        (Kind::List { .. } | Kind::Map { .. }, _) if place == Place::Element => {
            return Err(SerializationError::UnexpectedContainer);
        }
        (Kind::Structure(_) | Kind::List { .. } | Kind::Map { .. }, _) => {
            return Err(SerializationError::UnexpectedField);
        }
        (_, Json::Object) => return Err(SerializationError::StructureNotExpected),
        // The one wrong type that the service doesn't word.
        (Kind::Boolean, Json::Array) if place == Place::UnionMember => {
            let error = WrongJsonType { expected: ExpectedJson::Boolean, found };
            return Err(SerializationError::Value(error.into()));
        }
        (_, Json::Array) => return Err(SerializationError::ListForClass(java_type(shape))),
        _ => return scalar(node, shape),
    }
    Ok(())
}

/// Checks a scalar where a scalar belongs.
fn scalar(node: Node<'_, '_>, shape: &'static Shape) -> Result<(), SerializationError> {
    let found = match node.kind() {
        Json::Integer => Token::Number,
        Json::Decimal => Token::Decimal,
        Json::True => Token::True,
        Json::False => Token::False,
        _ => Token::String,
    };
    let is_number = matches!(found, Token::Number | Token::Decimal);
    let (fits, expected) = match shape.kind {
        Kind::Integer => (is_number, ScalarType::Integer),
        Kind::Long => (is_number, ScalarType::Long),
        Kind::Double => (is_number, ScalarType::Double),
        Kind::Timestamp => (is_number, ScalarType::Date),
        Kind::Boolean if found == Token::String => {
            return read_boolean(node).map(drop).map_err(|_| SerializationError::NoBooleanWord);
        }
        Kind::Boolean => (!is_number, ScalarType::Boolean),
        Kind::Blob if found == Token::String => {
            // Decoded where the bytes are needed; checked here to answer in the right order.
            let checked = base64::check(&node.string().unwrap_or_default());
            return checked.map_err(|error| SerializationError::Value(ValueError::NotBase64(error)));
        }
        Kind::Blob => return Err(SerializationError::BinaryNotString),
        _ => (found == Token::String, ScalarType::String),
    };
    if fits { Ok(()) } else { Err(SerializationError::Scalar { found, expected }) }
}

/// The Java type in the service's words.
fn java_type(shape: &Shape) -> String {
    // Only attribute values hold themselves, and as structures they are named, not entered.
    match &shape.kind {
        Kind::Structure(_) => format!("com.amazonaws.dynamodb.v20120810.{}", shape.name),
        Kind::List { element } => format!("java.util.List<{}>", java_type(element.shape())),
        Kind::Map { value, .. } => {
            format!("java.util.Map<java.lang.String, {}>", java_type(value.shape()))
        }
        Kind::String => "java.lang.String".to_owned(),
        Kind::Integer => "java.lang.Integer".to_owned(),
        Kind::Long => "java.lang.Long".to_owned(),
        Kind::Double => "java.lang.Double".to_owned(),
        Kind::Boolean => "java.lang.Boolean".to_owned(),
        Kind::Blob => "java.nio.ByteBuffer".to_owned(),
        Kind::Timestamp => "java.util.Date".to_owned(),
    }
}
