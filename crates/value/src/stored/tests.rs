//! The stored form: what goes in comes out, sizes to the byte, and bytes that lie.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::json::{Limits, Tape};
use crate::limits::NESTING_LEVELS_MAX;
use crate::{AttributeValue, Number, ValueError};

type Attributes = BTreeMap<String, AttributeValue>;

fn names() -> impl Strategy<Value = String> {
    prop_oneof!["[a-e]{1,3}", "[\u{0}\"é.]{1,4}", "x{120,140}"]
}

fn numbers() -> impl Strategy<Value = Number> {
    (any::<i64>(), -60..60_i32).prop_map(|(digits, power)| {
        Number::parse(&format!("{digits}e{power}")).expect("20 digits within the range")
    })
}

fn values() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        "\\PC{0,12}".prop_map(AttributeValue::S),
        "x{120,300}".prop_map(AttributeValue::S),
        numbers().prop_map(AttributeValue::N),
        any::<Vec<u8>>().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        proptest::collection::btree_set("[a-c\u{0}]{0,3}", 1..5).prop_map(AttributeValue::Ss),
        proptest::collection::btree_set(numbers(), 1..5).prop_map(AttributeValue::Ns),
        proptest::collection::btree_set(any::<Vec<u8>>(), 1..4).prop_map(AttributeValue::Bs),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(AttributeValue::L),
            proptest::collection::btree_map(names(), inner, 0..5).prop_map(AttributeValue::M),
        ]
    })
}

fn attributes() -> impl Strategy<Value = Attributes> {
    proptest::collection::btree_map(names(), values(), 0..6)
}

fn item(attributes: &Attributes) -> Item {
    Item::from_attributes(attributes.clone()).expect("an item that can be stored")
}

/// The sizes by the book's table, written down a second time.
fn size(value: &AttributeValue) -> u64 {
    match value {
        AttributeValue::S(text) => text.len() as u64,
        AttributeValue::N(number) => number.size(),
        AttributeValue::B(bytes) => bytes.len() as u64,
        AttributeValue::Bool(_) | AttributeValue::Null => 1,
        AttributeValue::Ss(members) => members.iter().map(|member| member.len() as u64).sum(),
        AttributeValue::Ns(members) => members.iter().map(Number::size).sum(),
        AttributeValue::Bs(members) => members.iter().map(|member| member.len() as u64).sum(),
        AttributeValue::L(elements) => 3 + elements.iter().map(|value| 1 + size(value)).sum::<u64>(),
        AttributeValue::M(members) => {
            3 + members.iter().map(|(name, value)| 1 + name.len() as u64 + size(value)).sum::<u64>()
        }
    }
}

/// Calls everything that reads an item.
fn read_all(item: ItemRef<'_>) {
    let mut json = Vec::new();
    item.write_json(&mut json);
    let _ = (item.size(), item.len(), item.to_attributes(), item.check(), item.get("a"));
    for (name, value) in item.iter() {
        let _ = (item.get(name), value.size(), value.member_count(), value.to_owned());
        let _ = (value.as_str(), value.number(), value.as_bytes(), value.as_bool());
        let _ = (value.get("a"), value.index(1), value.compare(&value));
        assert_eq!(value, Value::from(value).as_ref());
        let _ = value.begins_with(&value);
        assert!(value.elements().count() <= value.member_count());
        value.write_json(&mut json);
    }
    let mut whole = Vec::new();
    item.write_json(&mut whole);
    Tape::parse(&whole, &Limits::default()).expect("whatever is read is written as JSON");
}

proptest! {
    #[test]
    fn what_is_stored_is_read_back(attributes in attributes()) {
        let item = item(&attributes);
        prop_assert_eq!(item.as_ref().check(), Ok(()));
        prop_assert_eq!(item.as_ref().to_attributes(), attributes.clone());
        prop_assert_eq!(item.as_ref().len(), attributes.len());
        for (name, value) in &attributes {
            let stored = item.as_ref().get(name).expect("it is there");
            prop_assert_eq!(stored.kind(), value.kind());
            prop_assert_eq!(&stored.to_owned(), value);
            prop_assert_eq!(stored.size(), size(value));
        }
        let sum = attributes.iter().map(|(name, value)| name.len() as u64 + size(value)).sum::<u64>();
        prop_assert_eq!(item.as_ref().size(), sum);
        prop_assert!(item.as_ref().get("absent").is_none());
    }

    #[test]
    fn json_gives_the_same_bytes(attributes in attributes()) {
        let item = item(&attributes);
        let mut json = Vec::new();
        item.as_ref().write_json(&mut json);
        let tape = Tape::parse(&json, &Limits::default()).unwrap();
        prop_assert_eq!(Item::from_json(tape.root()).unwrap().into_stored(), item.into_stored());
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok());
    }

    #[test]
    fn values_are_equal_as_their_trees_are(a in values(), b in values()) {
        let (x, y) = (Value::try_from(&a).unwrap(), Value::try_from(&b).unwrap());
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(&x, &Value::try_from(&a).unwrap());
    }

    #[test]
    fn a_builder_copies_values(attributes in attributes(), more in values()) {
        let item = item(&attributes);
        let added = Value::try_from(&more).unwrap();
        let mut builder = ItemBuilder::from_item(item.as_ref());
        builder.insert("added", added.as_ref());
        let longer = builder.finish();
        prop_assert_eq!(longer.as_ref().check(), Ok(()));
        builder.remove("added");
        prop_assert_eq!(builder.finish().into_stored(), item.stored().clone());
    }

    #[test]
    fn a_builder_is_as_a_map_whatever_the_order(
        before in attributes(),
        steps in proptest::collection::vec(("[a-f]{1,2}", proptest::option::of(values())), 0..60),
    ) {
        let mut map = before.clone();
        let before = item(&before);
        let values: Vec<(String, Option<Value>)> = steps
            .iter()
            .map(|(name, value)| (name.clone(), value.as_ref().map(|value| Value::try_from(value).unwrap())))
            .collect();
        let mut builder = ItemBuilder::from_item(before.as_ref());
        for ((name, value), (_, tree)) in values.iter().zip(&steps) {
            match (value, tree) {
                (Some(value), Some(tree)) => {
                    builder.insert(name, value.as_ref());
                    map.insert(name.clone(), tree.clone());
                }
                _ => {
                    builder.remove(name);
                    map.remove(name);
                }
            }
        }
        prop_assert_eq!(builder.finish().into_stored(), item(&map).into_stored());
    }

    #[test]
    fn random_bytes_read_as_something_or_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let mut stored = vec![FORMAT, 0, 0, 0, 0];
        stored.extend_from_slice(&bytes);
        read_all(ItemRef::from_stored(&stored).expect("the header is right"));
        if let Ok(item) = ItemRef::from_stored(&bytes) {
            read_all(item);
        }
    }

    #[test]
    fn damaged_items_read_as_something_or_nothing(
        attributes in attributes(), places in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4),
        cut in any::<usize>(),
    ) {
        let mut bytes = item(&attributes).stored().to_vec();
        for (place, byte) in places {
            let place = HEADER_BYTES + place % (bytes.len() - HEADER_BYTES);
            bytes[place] = byte;
        }
        bytes.truncate(HEADER_BYTES + cut % (bytes.len() - HEADER_BYTES + 1));
        read_all(ItemRef::from_stored(&bytes).expect("the header is whole"));
    }

    #[test]
    fn lengths_are_taken_as_they_are_pushed(length in 0..u32::MAX as usize, shift in 0..32_u32) {
        let length = length >> shift;
        let mut bytes = Vec::new();
        push_length(length, &mut bytes);
        let mut rest = &bytes[..];
        prop_assert_eq!(take_length(&mut rest), Some(length));
        prop_assert!(rest.is_empty());
    }
}

/// A value of so many levels.
fn nested(levels: usize) -> AttributeValue {
    (1..levels).fold(AttributeValue::Null, |inner, level| match level % 2 {
        0 => AttributeValue::L(vec![inner]),
        _ => AttributeValue::M(BTreeMap::from([("m".to_owned(), inner)])),
    })
}

#[test]
fn values_nest_32_levels() {
    let deepest = nested(NESTING_LEVELS_MAX);
    let item = Item::from_attributes([("a", deepest.clone())]).unwrap();
    assert_eq!(item.as_ref().to_attributes()["a"], deepest);
    let error = Item::from_attributes([("a", nested(NESTING_LEVELS_MAX + 1))]).unwrap_err();
    assert_eq!(error, ValueError::NestedTooDeep { levels: 33 });
}

#[test]
fn bytes_that_nest_too_deep_end_in_null() {
    // A list in a list, ten thousand times: made by hand, because nothing here writes it.
    let mut body = vec![tag(ValueKind::Null), 0];
    for _ in 0..10_000 {
        let mut outer = Vec::new();
        push_length(1, &mut outer);
        outer.extend_from_slice(&body);
        body = vec![tag(ValueKind::L)];
        push_length(outer.len(), &mut body);
        body.extend_from_slice(&outer);
    }
    let mut stored = vec![FORMAT, 0, 0, 0, 0, 1, 1, b'a'];
    stored.extend_from_slice(&body);
    let item = ItemRef::from_stored(&stored).unwrap();
    read_all(item);
    assert_eq!(item.check(), Err(StoredFormError::Malformed));
}

#[test]
fn the_header_is_looked_at() {
    assert_eq!(ItemRef::from_stored(&[]), Err(StoredFormError::Truncated));
    assert_eq!(ItemRef::from_stored(&[FORMAT, 0, 0, 0]), Err(StoredFormError::Truncated));
    assert_eq!(ItemRef::from_stored(&[9, 0, 0, 0, 0]), Err(StoredFormError::UnknownFormat(9)));
    let lying = [FORMAT, 7, 0, 0, 0, 0];
    assert_eq!(ItemRef::from_stored(&lying).unwrap().check(), Err(StoredFormError::Malformed));
}

#[test]
fn composites_are_made_of_what_is_stored() {
    let (a, b) = (ValueRef::string("a"), ValueRef::binary(b"b"));
    let list = Value::list([a, b]);
    assert_eq!(list.as_ref().index(1), Some(b));
    assert_eq!(list.as_ref().index(2), None);
    let map = Value::map([("y", a), ("x", b), ("y", list.as_ref())]);
    assert_eq!(format!("{map:?}"), r#"{"M":{"x":{"B":"Yg=="},"y":{"L":[{"S":"a"},{"B":"Yg=="}]}}}"#);
    assert_eq!(map.as_ref().get("y"), Some(list.as_ref()));
    assert_eq!(map.as_ref().member_count(), 2);
    assert_eq!(a.compare(&b), None, "values of two types have no order");
    assert!(ValueRef::string("ab").begins_with(&a) && !a.begins_with(&ValueRef::string("ab")));
    assert!(!a.begins_with(&ValueRef::binary(b"a")), "values of two types begin with nothing of each other");
    assert!(!list.as_ref().begins_with(&list.as_ref()), "lists have no beginning");
    assert_eq!(list.as_ref().compare(&list.as_ref()), None, "lists have no order");
}

#[test]
fn an_item_stays_in_the_form_that_files_have() {
    // If this fails, files written before can no longer be read: a new format byte is due.
    let item = Item::from_attributes([
        ("b", AttributeValue::from(-42)),
        ("a", AttributeValue::from("x")),
        ("c", AttributeValue::L(vec![AttributeValue::Bool(true), AttributeValue::Null])),
    ])
    .unwrap();
    let expected = [
        FORMAT,
        14,
        0,
        0,
        0,
        3, // format, size, count
        1,
        b'a',
        1,
        1,
        b'x', // S
        1,
        b'b',
        2,
        3,
        0x40,
        131 ^ 0xFF,
        84 ^ 0xFF, // N
        1,
        b'c',
        9,
        6,
        2,
        7,
        1,
        1,
        8,
        0, // L of BOOL and NULL
    ];
    assert_eq!(item.stored()[..], expected);
}
