//! Attribute values as a tree of Rust values.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::ValueError;
use crate::json::{JsonError, Limits, Node, Tape};
use crate::kind::ValueKind;
use crate::number::Number;
use crate::stored::Value;

/// An attribute value, owned and taken apart: what programs build items from and match on.
///
/// The engine itself reads the stored form ([`ValueRef`](crate::ValueRef)) and does not make these.
///
/// ```
/// use std::collections::BTreeMap;
/// use keyplan_value::AttributeValue;
///
/// let address = AttributeValue::M(BTreeMap::from([
///     ("city".to_owned(), AttributeValue::from("Lisbon")),
///     ("tags".to_owned(), AttributeValue::from(vec!["home".into(), 2.into()])),
/// ]));
/// assert_eq!(
///     address.to_json()?,
///     r#"{"M":{"city":{"S":"Lisbon"},"tags":{"L":[{"S":"home"},{"N":"2"}]}}}"#
/// );
/// assert_eq!(AttributeValue::from_json_text(br#"{"NS":["10","1.0"]}"#)?.kind().code(), "NS");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AttributeValue {
    /// String.
    S(String),
    /// Number.
    N(Number),
    /// Binary.
    B(Vec<u8>),
    /// Boolean.
    Bool(bool),
    /// Null.
    Null,
    /// String set; it cannot be stored empty.
    Ss(BTreeSet<String>),
    /// Number set; it cannot be stored empty.
    Ns(BTreeSet<Number>),
    /// Binary set; it cannot be stored empty.
    Bs(BTreeSet<Vec<u8>>),
    /// List.
    L(Vec<AttributeValue>),
    /// Map.
    M(BTreeMap<String, AttributeValue>),
}

/// Why a text is not the DynamoDB JSON of an attribute value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// It is not JSON.
    Json(JsonError),
    /// It is JSON, but not of an attribute value.
    Value(ValueError),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadError::Json(error) => error.fmt(f),
            ReadError::Value(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

impl AttributeValue {
    /// The type.
    pub fn kind(&self) -> ValueKind {
        match self {
            AttributeValue::S(_) => ValueKind::S,
            AttributeValue::N(_) => ValueKind::N,
            AttributeValue::B(_) => ValueKind::B,
            AttributeValue::Bool(_) => ValueKind::Bool,
            AttributeValue::Null => ValueKind::Null,
            AttributeValue::Ss(_) => ValueKind::Ss,
            AttributeValue::Ns(_) => ValueKind::Ns,
            AttributeValue::Bs(_) => ValueKind::Bs,
            AttributeValue::L(_) => ValueKind::L,
            AttributeValue::M(_) => ValueKind::M,
        }
    }

    /// Reads a value's DynamoDB JSON.
    ///
    /// # Errors
    /// The first error in the service's order.
    pub fn from_json(node: Node<'_, '_>) -> Result<AttributeValue, ValueError> {
        Value::from_json(node).map(|value| value.as_ref().to_owned())
    }

    /// Reads a value from a text of DynamoDB JSON.
    ///
    /// # Errors
    /// If the text is not JSON, or not that of an attribute value.
    pub fn from_json_text(text: &[u8]) -> Result<AttributeValue, ReadError> {
        let tape = Tape::parse(text, &Limits::default()).map_err(ReadError::Json)?;
        AttributeValue::from_json(tape.root()).map_err(ReadError::Value)
    }

    /// The value as DynamoDB JSON.
    ///
    /// # Errors
    /// If the value cannot be stored: an empty set, an empty name, a value nested too deep.
    pub fn to_json(&self) -> Result<String, ValueError> {
        let mut json = Vec::new();
        Value::try_from(self)?.as_ref().write_json(&mut json);
        Ok(String::from_utf8_lossy(&json).into_owned())
    }

    /// The size that DynamoDB counts for the value, without the name of its attribute.
    ///
    /// # Errors
    /// If the value cannot be stored.
    pub fn size(&self) -> Result<u64, ValueError> {
        Value::try_from(self).map(|value| value.as_ref().size())
    }

    /// The text of a string.
    pub fn as_s(&self) -> Option<&str> {
        match self {
            AttributeValue::S(value) => Some(value),
            _ => None,
        }
    }

    /// The number of a number.
    pub fn as_n(&self) -> Option<&Number> {
        match self {
            AttributeValue::N(value) => Some(value),
            _ => None,
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(value: &str) -> Self {
        AttributeValue::S(value.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(value: String) -> Self {
        AttributeValue::S(value)
    }
}

impl From<bool> for AttributeValue {
    fn from(value: bool) -> Self {
        AttributeValue::Bool(value)
    }
}

impl From<Vec<AttributeValue>> for AttributeValue {
    fn from(elements: Vec<AttributeValue>) -> Self {
        AttributeValue::L(elements)
    }
}

impl From<BTreeMap<String, AttributeValue>> for AttributeValue {
    fn from(members: BTreeMap<String, AttributeValue>) -> Self {
        AttributeValue::M(members)
    }
}

macro_rules! from_numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for AttributeValue {
            fn from(value: $number) -> Self {
                AttributeValue::N(value.into())
            }
        }
    )*};
}

from_numbers!(Number, i8, i16, i32, i64, u8, u16, u32, u64);
