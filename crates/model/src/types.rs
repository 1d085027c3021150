//! Types of keys and attributes.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// The types that a model's keys may have. (DynamoDB allows B as well; templates make texts.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// A text.
    S,
    /// A number.
    N,
}

impl KeyType {
    /// The type as DynamoDB JSON writes it.
    pub fn code(self) -> &'static str {
        match self {
            KeyType::S => "S",
            KeyType::N => "N",
        }
    }
}

/// The types that a parameter of an expression may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) enum ParameterType {
    /// A text.
    S,
    /// A number.
    N,
}

impl From<ParameterType> for KeyType {
    fn from(kind: ParameterType) -> KeyType {
        match kind {
            ParameterType::S => KeyType::S,
            ParameterType::N => KeyType::N,
        }
    }
}

impl From<KeyType> for AttributeType {
    fn from(kind: KeyType) -> AttributeType {
        match kind {
            KeyType::S => AttributeType::S,
            KeyType::N => AttributeType::N,
        }
    }
}

/// A type of attribute, as DynamoDB JSON writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum AttributeType {
    /// Text.
    S,
    /// Number.
    N,
    /// Binary, written in base64.
    B,
    /// `true` or `false`.
    #[serde(rename = "BOOL")]
    Bool,
    /// Nothing, as a value.
    #[serde(rename = "NULL")]
    Null,
    /// A set of texts.
    #[serde(rename = "SS")]
    Ss,
    /// A set of numbers.
    #[serde(rename = "NS")]
    Ns,
    /// A set of binaries.
    #[serde(rename = "BS")]
    Bs,
    /// A list.
    L,
    /// A map.
    M,
}

impl AttributeType {
    /// The type as DynamoDB JSON writes it.
    pub fn code(self) -> &'static str {
        match self {
            AttributeType::S => "S",
            AttributeType::N => "N",
            AttributeType::B => "B",
            AttributeType::Bool => "BOOL",
            AttributeType::Null => "NULL",
            AttributeType::Ss => "SS",
            AttributeType::Ns => "NS",
            AttributeType::Bs => "BS",
            AttributeType::L => "L",
            AttributeType::M => "M",
        }
    }

    /// How a value of the type is written in a model file.
    pub(crate) fn written(self) -> &'static str {
        match self {
            AttributeType::S => "a text",
            AttributeType::N => "a number",
            AttributeType::B => "bytes in base64",
            AttributeType::Bool => "true or false",
            AttributeType::Null => "null",
            AttributeType::Ss => "a list of texts that is not empty",
            AttributeType::Ns => "a list of numbers that is not empty",
            AttributeType::Bs => "a list of bytes in base64 that is not empty",
            AttributeType::L => "a list",
            AttributeType::M => "a mapping",
        }
    }
}

impl fmt::Display for AttributeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            AttributeType::S => "a text",
            AttributeType::N => "a number",
            AttributeType::B => "binary",
            AttributeType::Bool => "true or false",
            AttributeType::Null => "null",
            AttributeType::Ss => "a set of texts",
            AttributeType::Ns => "a set of numbers",
            AttributeType::Bs => "a set of binaries",
            AttributeType::L => "a list",
            AttributeType::M => "a map",
        };
        write!(f, "{name} ({})", self.code())
    }
}
