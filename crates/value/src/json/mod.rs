//! JSON as bytes: a borrowed [`Tape`] to read it and a [`Writer`] to make it.
//!
//! A request is scanned once. The scan checks the whole text against RFC 8259 and leaves a flat list of
//! positions; nothing is copied, and no tree of values is built. What is needed is then read from the
//! tape by [`Node`]: a member by its name, an element, a string.
//!
//! ```
//! use keyplan_value::json::{Kind, Limits, Tape};
//!
//! let tape = Tape::parse(br#"{"TableName": "Shop", "Limit": 5}"#, &Limits::default())?;
//! let root = tape.root();
//! assert_eq!(root.get("TableName").and_then(|node| node.string()).as_deref(), Some("Shop"));
//! assert_eq!(root.get("Limit").and_then(|node| node.integer()), Some(5));
//! assert_eq!(root.get("Limit").map(|node| node.kind()), Some(Kind::Integer));
//! assert!(root.get("limit").is_none());
//! # Ok::<(), keyplan_value::json::JsonError>(())
//! ```
//!
//! The scan does not recurse, so deep nesting costs memory and never the stack; [`Limits`] bounds both
//! the depth and the length.

mod scan;
mod tape;
mod text;
mod writer;

pub use scan::{JsonError, JsonErrorKind, Limits};
pub use tape::{Elements, Kind, Members, Node, Tape};
pub use text::Text;
pub use writer::{Writer, write_string};

#[cfg(test)]
mod tests;
