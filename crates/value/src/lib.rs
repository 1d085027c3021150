//! DynamoDB's attribute values: how they are written, stored, measured and ordered.
//!
//! This is the lowest layer of Keyplan. It knows the ten types of values and nothing of tables,
//! expressions or stores; it does no I/O, and nothing a request or a file holds makes it panic.
//!
//! # The types that matter
//!
//! * [`json::Tape`] and [`json::Node`]: a request's JSON, scanned once and read in place.
//! * [`Item`] and [`ItemRef`], [`Value`] and [`ValueRef`]: the *stored form*, owned and borrowed. A
//!   request's items go from the tape into it directly; an attribute is read from it by name without
//!   decoding the others, and answers are written from it. Equal values have equal bytes.
//! * [`AttributeValue`]: the same as a tree of Rust values, for programs that build items or take them
//!   apart. The engine does without.
//! * [`Number`]: exact, 38 decimal digits.
//! * [`key`]: keys as bytes, and the ranges that conditions on sort keys admit.
//! * [`ValueError`]: what can be wrong with a value, with the service's words for it.
//!
//! # An item, there and back
//!
//! ```
//! use keyplan_value::json::{Limits, Tape};
//! use keyplan_value::{AttributeValue, Item, ValueError, key};
//!
//! // As a request sends it.
//! let body = br#"{"pk": {"S": "CUSTOMER#1"}, "sk": {"S": "ORDER#7"}, "total": {"N": "19.90"}}"#;
//! let tape = Tape::parse(body, &Limits::default())?;
//! let item = Item::from_json(tape.root())?;
//!
//! // As a program builds it.
//! let built = Item::from_attributes([
//!     ("pk", AttributeValue::from("CUSTOMER#1")),
//!     ("sk", AttributeValue::from("ORDER#7")),
//!     ("total", AttributeValue::N("19.9".parse()?)),
//! ])?;
//! assert_eq!(item, built);
//!
//! // Read by name; measured as DynamoDB does it.
//! let total = item.as_ref().get("total").expect("it was sent");
//! assert_eq!(total.number().map(|number| number.to_string()).as_deref(), Some("19.9"));
//! assert_eq!(item.as_ref().size(), 12 + 9 + 8);
//!
//! // Where it lies in the store.
//! let attribute = |name| item.as_ref().get(name);
//! let place = key::item_key(attribute("pk"), attribute("sk"))?;
//! assert!(place.starts_with(&key::partition_prefix(attribute("pk"))?));
//!
//! // Refused as the service refuses it.
//! let tape = Tape::parse(br#"{"tags": {"SS": []}}"#, &Limits::default())?;
//! let error = Item::from_json(tape.root()).unwrap_err();
//! assert!(matches!(error, ValueError::EmptySet(_)));
//! assert_eq!(
//!     error.to_string(),
//!     "One or more parameter values were invalid: An string set  may not be empty"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # It is not
//!
//! a general JSON or serialization library, and not the place for rules about keys, tables or requests:
//! those are the engine's.

mod attribute_value;
pub mod base64;
mod error;
mod from_json;
mod given;
pub mod json;
pub mod key;
mod kind;
pub mod limits;
mod messages;
mod number;
pub mod order;
mod size;
mod stored;

pub use attribute_value::{AttributeValue, ReadError};
pub use error::{DuplicateInSet, ExpectedJson, ValueError, WrongJsonType};
pub use from_json::read_boolean;
pub use given::Given;
pub use kind::ValueKind;
pub use number::{Number, NumberError};
pub use stored::{Elements, Item, ItemBuilder, ItemRef, Members, StoredFormError, Value, ValueRef};
