//! DynamoDB's attribute values.

mod attribute_value;
pub mod base64;
mod error;
mod from_json;
pub mod json;
pub mod key;
mod kind;
pub mod limits;
mod messages;
mod number;
mod size;
mod stored;

pub use attribute_value::{AttributeValue, ReadError};
pub use error::{DuplicateInSet, ExpectedJson, ValueError, WrongJsonType};
pub use from_json::read_boolean;
pub use kind::ValueKind;
pub use number::{Number, NumberError};
pub use stored::{
    Elements, Item, ItemBuilder, ItemRef, Members, StoredFormError, Value, ValueRef,
};
