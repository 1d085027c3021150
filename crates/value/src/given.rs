//! Items and values that are given beside a JSON text, which has their numbers.

use crate::stored::{Item, Value};

/// An item or a value that a caller in the same process has in its stored form. In the text it is handed over with
/// stands its number among those given, counted from 0, where else its JSON would stand.
///
/// ```
/// use keyplan_value::json::{Limits, Tape};
/// use keyplan_value::{AttributeValue, Given, Item};
///
/// let key = Item::from_attributes([("pk", AttributeValue::from("a"))])?;
/// let given = [Given::Item(key.clone())];
/// let tape = Tape::parse_with(br#"{"Key":0}"#, &Limits::default(), &given)?;
/// let node = tape.root().get("Key").ok_or("no key")?;
/// assert_eq!(Item::from_json(node)?, key);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub enum Given {
    /// Where an object of attribute values stands: an item or a key.
    Item(Item),
    /// Where an attribute value stands.
    Value(Value),
}
