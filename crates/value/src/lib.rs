//! DynamoDB's attribute values.
#![warn(missing_docs)]

pub mod json;
pub mod limits;
mod messages;
mod number;

pub use number::{Number, NumberError};
