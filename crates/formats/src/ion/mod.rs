//! Ion text, as far as items are written in it.
//!
//! A string is a string, a decimal a number, a blob binary, a struct a map; a set is a list that is annotated
//! `$dynamodb_SS`, `$dynamodb_NS` or `$dynamodb_BS`, and `null` is NULL.

mod read;
mod write;

use std::fmt;

use keyplan_value::{NumberError, ValueKind};

pub use read::read;
pub use write::{write_item, write_value};

/// What annotates the list that a set is written as.
fn annotation(kind: ValueKind) -> Option<&'static str> {
    match kind {
        ValueKind::Ss => Some("$dynamodb_SS"),
        ValueKind::Ns => Some("$dynamodb_NS"),
        ValueKind::Bs => Some("$dynamodb_BS"),
        _ => None,
    }
}

/// Why a text is not Ion, or not a value of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IonError {
    /// It is not UTF-8.
    NotText,
    /// It is not Ion text.
    Syntax {
        /// Bytes before what is wrong.
        at: usize,
    },
    /// It is nested too deep.
    TooDeep,
    /// It has a type that no attribute has.
    Type {
        /// The type, in Ion's terms.
        found: &'static str,
    },
    /// A number that no attribute can hold.
    Number(NumberError),
    /// A set with an element twice, or of another type.
    Set,
}

impl fmt::Display for IonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IonError::NotText => f.write_str("the record is not UTF-8"),
            IonError::Syntax { at } => write!(f, "the record is not Ion text, at byte {at}"),
            IonError::TooDeep => f.write_str("the record is nested too deep"),
            IonError::Type { found } => write!(f, "no attribute can be an Ion {found}"),
            IonError::Number(error) => error.fmt(f),
            IonError::Set => f.write_str("a set holds an element twice, or elements of other types"),
        }
    }
}

impl std::error::Error for IonError {}
