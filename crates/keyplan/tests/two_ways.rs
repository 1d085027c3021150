//! Whatever is written comes back the same by a typed request, where items are handed over as they are stored,
//! and as JSON, where they are written out.

use std::collections::BTreeMap;

use keyplan::{AttributeType, AttributeValue, Database, IntoItem, Item};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

fn scalar() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        any::<String>().prop_map(AttributeValue::S),
        any::<i64>().prop_map(AttributeValue::from),
        vec(any::<u8>(), 0..20).prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        btree_set(any::<String>(), 1..4).prop_map(AttributeValue::Ss),
        btree_set(any::<i64>().prop_map(Into::into), 1..4).prop_map(AttributeValue::Ns),
        btree_set(vec(any::<u8>(), 0..6), 1..4).prop_map(AttributeValue::Bs),
    ]
}

fn value() -> impl Strategy<Value = AttributeValue> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            btree_map(".{1,8}", inner, 0..4).prop_map(AttributeValue::M),
        ]
    })
}

fn attributes() -> impl Strategy<Value = BTreeMap<String, AttributeValue>> {
    ("(?s).{1,30}", btree_map("(?s).{1,12}", value(), 0..6)).prop_map(|(id, mut attributes)| {
        attributes.insert("id".to_owned(), id.into());
        attributes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn an_item_is_the_same_in_both_ways(attributes in attributes()) {
        let database = Database::in_memory();
        database.create_table("Things").partition_key("id", AttributeType::S).send().expect("a table");
        let id = attributes["id"].clone();
        database.put_item("Things", attributes.clone()).send().expect("written");

        let typed = database.get_item("Things", [("id", id.clone())]).send().expect("read").item;
        let typed = typed.expect("there");
        prop_assert_eq!(typed.as_ref().to_attributes(), attributes);

        let key: Item = [("id", id.clone())].into_item().expect("a key");
        let body = format!(r#"{{"TableName":"Things","Key":{}}}"#, key.to_json());
        let answer = database.call("GetItem", body.as_bytes());
        prop_assert_eq!(String::from_utf8_lossy(&answer.body), format!(r#"{{"Item":{}}}"#, typed.to_json()));

        // Names and values of any letters as placeholders' meanings.
        for (name, value) in &typed {
            let found = database.query("Things").key_condition("id = :id").value(":id", id.clone());
            let found = found.filter("#name = :value").name("#name", name).value(":value", value.to_owned());
            // A key attribute can't be in a filter.
            match name {
                "id" => prop_assert!(found.send().is_err()),
                _ => prop_assert_eq!(&found.send().expect("a page").items, std::slice::from_ref(&typed)),
            }
        }
    }
}
