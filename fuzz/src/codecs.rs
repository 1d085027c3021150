//! JSON, numbers, items and keys.

use std::sync::Arc;

use keyplan_value::json::{Limits, Tape};
use keyplan_value::{Item, Number, key};

/// A text is JSON or is refused; what is JSON can be read to its end.
pub fn json(data: &[u8]) {
    let Ok(tape) = Tape::parse(data, &Limits::default()) else { return };
    for (name, value) in tape.root().members() {
        assert!(tape.root().get(&name.to_string()).is_some(), "a member is not found by its name");
        let _ = (value.string(), value.integer(), value.elements().count());
    }
}

/// An item that was read from JSON and written is the same when it is read again.
pub fn item(data: &[u8]) {
    let Ok(tape) = Tape::parse(data, &Limits::default()) else { return };
    let Ok(item) = Item::from_json(tape.root()) else { return };
    item.as_ref().check().expect("what was encoded is whole");
    let mut written = Vec::new();
    item.as_ref().write_json(&mut written);
    let tape = Tape::parse(&written, &Limits::default()).expect("an item is written as JSON");
    let again = Item::from_json(tape.root()).expect("a written item can be read");
    assert_eq!(item, again, "an item changed by being written and read");
    assert_eq!(item.as_ref().size(), again.as_ref().size());
    let stored = Item::from_stored(Arc::clone(item.stored())).expect("the stored form can be read");
    assert_eq!(stored, item);
}

/// Damaged bytes where an item should lie are refused, or read without a panic.
pub fn stored_item(data: &[u8]) {
    let Ok(item) = Item::from_stored(Arc::from(data)) else { return };
    if item.as_ref().check().is_err() {
        return;
    }
    let mut written = Vec::new();
    item.as_ref().write_json(&mut written);
    for (name, _) in item.as_ref().iter() {
        assert!(item.as_ref().get(name).is_some(), "an attribute is not found by its name");
    }
}

/// Damaged keys are refused; what is a key is encoded to the same bytes.
pub fn key(data: &[u8]) {
    let _ = key::decode_item_key(data);
    let Ok((value, rest)) = key::decode_attribute(data) else { return };
    let mut encoded = Vec::new();
    key::encode_attribute(value.as_ref(), &mut encoded).expect("what was in a key can be in a key");
    assert_eq!(data, [encoded.as_slice(), rest].concat(), "a key has two encodings");
}

/// Numbers come back from their text and from their encoding, and both agree on their order.
pub fn number(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut numbers = text.split(' ').filter_map(|text| Number::parse(text).ok());
    let Some(first) = numbers.next() else { return };
    assert_eq!(Number::parse(&first.to_string()).as_ref(), Ok(&first), "a number changed with its text");
    let mut encoded = Vec::new();
    first.write_ordered(&mut encoded);
    assert_eq!(Number::read_ordered(&encoded), Some((first, encoded.len())));
    let Some(second) = numbers.next() else { return };
    let mut other = Vec::new();
    second.write_ordered(&mut other);
    assert_eq!(first.cmp(&second), encoded.cmp(&other), "{first} and {second} lie in another order");
    if let (Ok(sum), Ok(same)) = (first.checked_add(&second), second.checked_add(&first)) {
        assert_eq!(sum, same, "{first} + {second} depends on the order");
    }
}
