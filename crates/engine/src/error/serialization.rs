//! SerializationException: JSON that isn't of the type its member has.

use keyplan_value::ValueError;

use crate::validate::Position;

/// What was found where another JSON type belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SerializationError {
    /// No JSON, or JSON nested too deep: no message at all.
    Unreadable,
    /// The body is empty: no message either.
    EmptyBody,
    /// A scalar of the wrong type where a scalar belongs.
    Scalar {
        /// The token found.
        found: Token,
        /// The type expected.
        expected: ScalarType,
    },
    /// A list where a scalar or a structure belongs; the Java class expected.
    ListForClass(String),
    /// A list where a map belongs; the Java type expected.
    ListForMap(String),
    /// A structure or map where a scalar or list belongs.
    StructureNotExpected,
    /// A scalar where a list, structure or map belongs.
    UnexpectedField,
    /// A scalar where an element of a list or map is a list or a map itself.
    UnexpectedContainer,
    /// A scalar where a list's element is a structure.
    UnexpectedValueInPayload,
    /// A string that is no boolean's word.
    NoBooleanWord,
    /// A binary value that isn't a string.
    BinaryNotString,
    /// A value of the wrong type in a request that is read strictly.
    Strict {
        /// The value, in the text's words.
        found: String,
        /// The type expected.
        expected: &'static str,
        /// Where it stands.
        position: Position,
    },
    /// An attribute value, as its own reader words it.
    Value(ValueError),
}

/// JSON tokens as the texts name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// An integer.
    Number,
    /// A number with a point or an exponent.
    Decimal,
    /// `true`
    True,
    /// `false`
    False,
    /// A string.
    String,
}

/// Scalar types as the texts name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarType {
    /// A string.
    String,
    /// A 32-bit integer.
    Integer,
    /// A 64-bit integer.
    Long,
    /// A double.
    Double,
    /// A boolean.
    Boolean,
    /// A date.
    Date,
}

impl Token {
    fn name(self) -> &'static str {
        match self {
            Token::Number => "NUMBER_VALUE",
            Token::Decimal => "DECIMAL_VALUE",
            Token::True => "TRUE_VALUE",
            Token::False => "FALSE_VALUE",
            Token::String => "STRING_VALUE",
        }
    }
}

impl ScalarType {
    /// The type's name in the texts.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::String => "String",
            ScalarType::Integer => "Integer",
            ScalarType::Long => "Long",
            ScalarType::Double => "Double",
            ScalarType::Boolean => "Boolean",
            ScalarType::Date => "Date",
        }
    }
}

impl SerializationError {
    /// The message; two have none.
    pub fn text(&self) -> Option<String> {
        Some(match self {
            SerializationError::Unreadable | SerializationError::EmptyBody => return None,
            SerializationError::Scalar { found, expected } => {
                format!("{} cannot be converted to {}", found.name(), expected.name())
            }
            SerializationError::ListForClass(class) => format!("Unrecognized collection type class {class}"),
            SerializationError::ListForMap(kind) => format!("Unrecognized collection type {kind}"),
            SerializationError::StructureNotExpected => {
                "Start of structure or map found where not expected".to_owned()
            }
            // The service lets its own language's fault through.
            SerializationError::UnexpectedContainer => {
                "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class \
                 java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and \
                 java.lang.Class are in module java.base of loader 'bootstrap')"
                    .to_owned()
            }
            SerializationError::UnexpectedField => "Unexpected field type".to_owned(),
            SerializationError::UnexpectedValueInPayload => "Unexpected value type in payload".to_owned(),
            SerializationError::NoBooleanWord => "Unexpected token received from parser".to_owned(),
            SerializationError::BinaryNotString => {
                "only base-64-encoded strings are convertible to bytes".to_owned()
            }
            SerializationError::Strict { found, expected, position: Position { line, column } } => {
                format!("invalid type: {found}, expected {expected} at line {line} column {column}")
            }
            SerializationError::Value(error) => return error.message(),
        })
    }
}
