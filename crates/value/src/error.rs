//! What can be wrong with a value in a request.

use std::fmt;

use crate::base64::Base64Error;
use crate::json::Kind;
use crate::kind::ValueKind;
use crate::number::NumberError;

/// Why JSON is not an attribute value, an item or a key.
///
/// The variants hold what the service's text needs; [`message`](Self::message) gives that text as the
/// service's newer validation layer words it, without the envelope that an operation puts around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueError {
    /// A member has a JSON type from which it cannot be read. A SerializationException.
    WrongJsonType(WrongJsonType),
    /// A binary is not written in base64. A SerializationException.
    NotBase64(Base64Error),
    /// An attribute name or map key is empty.
    EmptyAttributeName,
    /// An attribute name or map key has more than 65,535 bytes.
    AttributeNameTooLarge,
    /// `NULL` with the value false.
    NullFalse,
    /// No member with the name of a type.
    Empty,
    /// Members of more than one type.
    MoreThanOneType,
    /// A set without members, and its type.
    EmptySet(ValueKind),
    /// A set that holds a member twice.
    DuplicateInSet(DuplicateInSet),
    /// A text that is no number which can be stored.
    Number {
        /// What is wrong with it.
        error: NumberError,
        /// The text.
        text: String,
    },
    /// A value with more than 32 levels, counting the attribute's own value as the first.
    NestedTooDeep {
        /// How many levels there are: the service words more than 62 otherwise.
        levels: usize,
    },
}

/// The members of a set in which one comes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateInSet {
    /// The type of the set.
    pub kind: ValueKind,
    /// The members as sent; those of a BS in base64.
    pub members: Vec<String>,
    /// The position of the first member that was there before.
    pub repeated: usize,
}

/// A JSON value where another type of JSON value was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongJsonType {
    /// What was expected.
    pub expected: ExpectedJson,
    /// What was there.
    pub found: Kind,
}

/// What the JSON of attribute values holds in its places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedJson {
    /// A string.
    String,
    /// A boolean, or a word for one: a string that is found here is no such word.
    Boolean,
    /// A string of base64.
    Binary,
    /// An array.
    List,
    /// An object from names to attribute values.
    Map,
    /// An object that is an attribute value and a member of its own.
    Value,
    /// An object that is an attribute value inside a list or a map.
    ElementValue,
}

impl ValueError {
    /// The service's text. None for the one error that it sends without a message.
    pub fn message(&self) -> Option<String> {
        crate::messages::value(self)
    }

    /// The text in the words from before the newer layer, which BatchWriteItem and transactions keep.
    pub fn older_message(&self) -> Option<String> {
        crate::messages::value_in_older_words(self)
    }

    /// True if the service answers with a SerializationException: the JSON could not be read as a
    /// value. All other errors are of a value that was read and then refused.
    pub fn is_serialization(&self) -> bool {
        matches!(self, ValueError::WrongJsonType(_) | ValueError::NotBase64(_))
    }

    /// The order in which the service looks for errors in one item, whatever their places.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            ValueError::WrongJsonType(_) | ValueError::NotBase64(_) => 0,
            ValueError::EmptyAttributeName | ValueError::AttributeNameTooLarge => 1,
            ValueError::NullFalse => 2,
            _ => 3,
        }
    }
}

impl WrongJsonType {
    /// The service's text. None where it sends none.
    pub fn message(&self) -> Option<String> {
        crate::messages::wrong_json_type(self)
    }
}

impl From<WrongJsonType> for ValueError {
    fn from(error: WrongJsonType) -> Self {
        ValueError::WrongJsonType(error)
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message().as_deref().unwrap_or("unreadable value"))
    }
}

impl std::error::Error for ValueError {}
