//! Tags.

use std::fmt;

/// What is wrong with tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagError {
    /// A tag's key is empty, too long, or has characters that tags don't have.
    Key(String),
    /// A tag's key starts with `aws:`.
    ReservedKey(String),
    /// A tag's value is missing, too long, or has characters that tags don't have.
    Value(Option<String>),
    /// A tag's key comes twice.
    KeyTwice(String),
    /// Too many tags.
    TooMany,
    /// TagResource without tags.
    NoTags,
    /// UntagResource without keys.
    NoKeys,
}

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TagError::Key(key) => write!(f, "The Tag Key provided is invalid, Key: {key}"),
            TagError::ReservedKey(key) => write!(f, "Tag Key cannot be prefixed with aws:, Key: {key}"),
            TagError::Value(value) => {
                write!(f, "The Tag Value provided is invalid, Value: {}", value.as_deref().unwrap_or("null"))
            }
            TagError::KeyTwice(key) => {
                write!(f, "Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
            }
            TagError::NoTags => f.write_str("Atleast one Tag needs to be provided as Input."),
            TagError::NoKeys => f.write_str("Atleast one Tag Key needs to be provided as Input."),
            TagError::TooMany => {
                f.write_str("Number of Tags exceed the current limit for the provided ResourceArn")
            }
        }
    }
}
