//! What writes do to indexes: which entries there are, what they cost, what is refused.

use std::sync::Arc;

use keyplan_engine::spaces;
use keyplan_engine::undo::Undone;
use keyplan_store::{Batch, MemoryStore, Space, StoreExt};
use serde_json::{Value, json};

use super::harness::{Harness, n, s};

/// Makes a table `Items` with the key `pk`, `sk` of type S, and indexes of a name, key attributes and a
/// projection. A plus in front of an attribute makes it one of the sort key; one whose name starts with `n`
/// is a number.
pub fn create(engine: &Harness, global: &[(&str, &[&str], Value)], local: &[(&str, &str, Value)]) {
    let mut names = vec!["pk", "sk"];
    names.extend(global.iter().flat_map(|(_, keys, _)| keys.iter().map(|key| key.trim_start_matches('+'))));
    names.extend(local.iter().map(|(_, sort, _)| *sort));
    names.sort_unstable();
    names.dedup();
    let kind = |name: &str| if name.starts_with('n') { "N" } else { "S" };
    let definitions: Vec<Value> =
        names.iter().map(|name| json!({"AttributeName": name, "AttributeType": kind(name)})).collect();
    let element = |key: &str| match key.strip_prefix('+') {
        Some(name) => json!({"AttributeName": name, "KeyType": "RANGE"}),
        None => json!({"AttributeName": key, "KeyType": "HASH"}),
    };
    let mut request = json!({
        "TableName": "Items", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions,
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    });
    let index = |name: &str, keys: Vec<Value>, projection: &Value| json!({"IndexName": name, "KeySchema": keys, "Projection": projection});
    if !global.is_empty() {
        let indexes = global.iter().map(|(name, keys, projection)| {
            index(name, keys.iter().map(|key| element(key)).collect(), projection)
        });
        request["GlobalSecondaryIndexes"] = indexes.collect();
    }
    if !local.is_empty() {
        let indexes = local.iter().map(|(name, sort, projection)| {
            index(name, vec![element("pk"), element(&format!("+{sort}"))], projection)
        });
        request["LocalSecondaryIndexes"] = indexes.collect();
    }
    engine.call("CreateTable", &request).ok();
}

pub fn keys_only() -> Value {
    json!({"ProjectionType": "KEYS_ONLY"})
}

pub fn all() -> Value {
    json!({"ProjectionType": "ALL"})
}

pub fn include(names: &[&str]) -> Value {
    json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names})
}

/// Puts an item; gives what it consumed, by index.
#[track_caller]
fn put(engine: &Harness, item: Value) -> Value {
    let request = json!({"TableName": "Items", "Item": item, "ReturnConsumedCapacity": "INDEXES"});
    engine.call("PutItem", &request).ok()["ConsumedCapacity"].clone()
}

#[track_caller]
fn refused(engine: &Harness, item: Value) -> String {
    engine.call("PutItem", &json!({"TableName": "Items", "Item": item})).refusal()
}

pub fn entries(engine: &Harness, index: &str) -> Vec<Value> {
    let scanned = engine.call("Scan", &json!({"TableName": "Items", "IndexName": index})).ok();
    scanned["Items"].as_array().expect("items").clone()
}

#[test]
fn entries_hold_the_keys_of_both_and_what_is_projected() {
    let engine = Harness::new();
    create(
        &engine,
        &[
            ("all", &["g"], all()),
            ("keys", &["g"], keys_only()),
            ("some", &["g"], include(&["a", "sk", "zz"])),
        ],
        &[("local", "l", include(&["b"]))],
    );
    let item = json!({"pk": s("p"), "sk": s("1"), "g": s("x"), "l": s("y"), "a": n(1), "b": n(2)});
    engine.put("Items", &item);
    assert_eq!(entries(&engine, "all"), [item]);
    assert_eq!(entries(&engine, "keys"), [json!({"pk": s("p"), "sk": s("1"), "g": s("x")})]);
    assert_eq!(entries(&engine, "some"), [json!({"pk": s("p"), "sk": s("1"), "g": s("x"), "a": n(1)})]);
    assert_eq!(entries(&engine, "local"), [json!({"pk": s("p"), "sk": s("1"), "l": s("y"), "b": n(2)})]);
}

#[test]
fn an_item_without_a_key_attribute_has_no_entry() {
    let engine = Harness::new();
    create(&engine, &[("two", &["g", "+n1"], all())], &[]);
    engine.put("Items", &json!({"pk": s("p"), "sk": s("1"), "g": s("x")}));
    engine.put("Items", &json!({"pk": s("p"), "sk": s("2"), "n1": n(1)}));
    engine.put("Items", &json!({"pk": s("p"), "sk": s("3"), "g": s("x"), "n1": n(1)}));
    assert_eq!(entries(&engine, "two"), [json!({"pk": s("p"), "sk": s("3"), "g": s("x"), "n1": n(1)})]);
    // The attribute goes, and with it the entry.
    engine.put("Items", &json!({"pk": s("p"), "sk": s("3"), "g": s("x")}));
    assert_eq!(entries(&engine, "two"), Vec::<Value>::new());
}

#[test]
fn an_index_costs_what_its_entry_does() {
    let engine = Harness::new();
    create(&engine, &[("byG", &["g"], include(&["text"]))], &[]);
    let item = |g: Option<&str>, text: usize, other: &str| {
        let mut item = json!({"pk": s("p"), "sk": s("1"), "text": s(&"x".repeat(text)), "other": s(other)});
        if let Some(g) = g {
            item["g"] = s(g);
        }
        item
    };
    // An entry: `pk` 3, `sk` 3, `g` 2, `text` 4 and its length.
    const ROOM: usize = 1_024 - 3 - 3 - 2 - 4;
    for (g, text, other, units) in [
        (None, 10, "a", None),
        (Some("x"), ROOM, "a", Some(1.0)),
        (Some("x"), ROOM, "b", None),
        (Some("x"), ROOM + 1, "b", Some(2.0)),
        // The larger of both.
        (Some("x"), 10, "b", Some(2.0)),
        // Another key: one entry goes, one comes.
        (Some("y"), ROOM + 1, "b", Some(3.0)),
        (None, ROOM + 1, "b", Some(2.0)),
        (None, 10, "b", None),
    ] {
        let consumed = put(&engine, item(g, text, other));
        let index = consumed.get("GlobalSecondaryIndexes").map(|indexes| &indexes["byG"]["CapacityUnits"]);
        assert_eq!(index.and_then(Value::as_f64), units, "{g:?} {text} {other}: {consumed}");
        let sum = consumed["Table"]["CapacityUnits"].as_f64().expect("units") + units.unwrap_or_default();
        assert_eq!(consumed["CapacityUnits"], json!(sum));
    }
}

#[test]
fn a_trace_shows_each_entry_that_is_written() {
    let engine = Harness::new();
    create(&engine, &[("byG", &["g"], keys_only())], &[]);
    let put = |g: &str| {
        let item = json!({"pk": s("p"), "sk": s("1"), "g": s(g)});
        engine.traced("PutItem", &json!({"TableName": "Items", "Item": item})).trace()
    };
    put("x");
    let trace = put("y");
    let accesses = trace["accesses"].as_array().expect("accesses");
    let shown: Vec<_> = accesses
        .iter()
        .map(|access| {
            let partition = access["partitions"][0]["partitionKey"].clone();
            (access["index"].clone(), partition, access["before"].clone(), access["after"].clone())
        })
        .collect();
    assert_eq!(
        shown,
        [
            (json!(null), json!({"pk": s("p")}), json!(8), json!(8)),
            (json!("byG"), json!({"g": s("x")}), json!(8), json!(0)),
            (json!("byG"), json!({"g": s("y")}), json!(0), json!(8)),
        ]
    );
    let position = json!({"pk": s("p"), "sk": s("1"), "g": s("x")});
    assert_eq!(accesses[1]["partitions"][0]["runs"][0]["first"], position);
    assert_eq!(trace["units"], json!({"read": 0.0, "write": 3.0}));
}

#[test]
fn a_failed_condition_costs_no_index() {
    let engine = Harness::new();
    create(&engine, &[("byG", &["g"], all())], &[]);
    engine.put("Items", &json!({"pk": s("p"), "sk": s("1"), "g": s("x")}));
    let refused = engine.traced(
        "PutItem",
        &json!({
            "TableName": "Items", "Item": {"pk": s("p"), "sk": s("1"), "g": s("y")},
            "ConditionExpression": "attribute_not_exists(pk)",
        }),
    );
    assert_eq!(refused.trace()["accesses"].as_array().map(Vec::len), Some(1));
    assert_eq!(refused.error().0, "ConditionalCheckFailedException");
    assert_eq!(entries(&engine, "byG").len(), 1);
}

#[test]
fn values_of_index_keys_are_checked_and_the_first_index_by_name_is_told() {
    let engine = Harness::new();
    create(&engine, &[("zebra", &["g"], all()), ("apple", &["h", "+n1"], all())], &[]);
    let item = |members: Value| {
        let mut item = json!({"pk": s("p"), "sk": s("1")});
        item.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        item
    };
    let mismatch = |name: &str, expected: &str, actual: &str, index: &str| {
        format!(
            "One or more parameter values were invalid: Type mismatch for Index Key {name} Expected: {expected} \
             Actual: {actual} IndexName: {index}"
        )
    };
    let empty = |name: &str, index: &str| {
        format!(
            "One or more parameter values are not valid. A value specified for a secondary index key is not \
             supported. The AttributeValue for a key attribute cannot contain an empty string value. \
             IndexName: {index}, IndexKey: {name}"
        )
    };
    for (members, text) in [
        (json!({"g": n(1)}), mismatch("g", "S", "N", "zebra")),
        (json!({"g": {"BOOL": true}}), mismatch("g", "S", "BOOL", "zebra")),
        (json!({"g": s("")}), empty("g", "zebra")),
        // An attribute is checked whether or not the item will have an entry.
        (json!({"n1": s("1")}), mismatch("n1", "N", "S", "apple")),
        (json!({"g": n(1), "h": s("")}), empty("h", "apple")),
        (json!({"h": s(""), "n1": s("")}), mismatch("n1", "N", "S", "apple")),
        (
            json!({"g": s(&"x".repeat(2_049))}),
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit \
             of2048 bytes"
                .to_owned(),
        ),
    ] {
        assert_eq!(refused(&engine, item(members.clone())), text, "{members}");
    }
    engine.put("Items", &item(json!({"g": s(&"x".repeat(2_048)), "h": s("h")})));
    assert_eq!((entries(&engine, "zebra").len(), entries(&engine, "apple").len()), (1, 0));
}

#[test]
fn the_sort_key_attributes_of_an_index_share_a_kilobyte() {
    let engine = Harness::new();
    create(&engine, &[("byAb", &["g", "+a", "+b"], keys_only())], &[]);
    let item = |a: usize, b: usize| {
        let (a, b) = (s(&"x".repeat(a)), s(&"x".repeat(b)));
        json!({"pk": s("p"), "sk": s("1"), "g": s("g"), "a": a, "b": b})
    };
    engine.put("Items", &item(1_000, 24));
    assert_eq!(
        refused(&engine, item(1_000, 25)),
        "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size \
         limit of 1024 bytes"
    );
}

#[test]
fn an_item_and_its_local_entries_share_the_room_of_an_item() {
    let engine = Harness::new();
    create(&engine, &[], &[("local", "l", all())]);
    // `pk` 3, `sk` 3, `l` 2 and `text` 4 bytes: the item and its copy have 409,600.
    let item = |text: usize| json!({"pk": s("p"), "sk": s("1"), "l": s("x"), "text": s(&"x".repeat(text))});
    engine.put("Items", &item(204_800 - 12));
    assert_eq!(refused(&engine, item(204_800 - 11)), "Item size has exceeded the maximum allowed size");
    // Without an entry it has all the room.
    let alone = json!({"pk": s("p"), "sk": s("2"), "text": s(&"x".repeat(300_000))});
    engine.put("Items", &alone);
}

#[test]
fn counts_and_sizes_are_those_of_the_entries() {
    let engine = Harness::new();
    create(&engine, &[("byG", &["g"], keys_only())], &[("local", "l", all())]);
    let described = || {
        let table = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok()["Table"].clone();
        let totals = |index: &Value| (index["ItemCount"].clone(), index["IndexSizeBytes"].clone());
        (totals(&table["GlobalSecondaryIndexes"][0]), totals(&table["LocalSecondaryIndexes"][0]))
    };
    engine.put("Items", &json!({"pk": s("p"), "sk": s("1"), "g": s("x"), "l": s("y"), "more": s("text")}));
    engine.put("Items", &json!({"pk": s("p"), "sk": s("2"), "g": s("x")}));
    assert_eq!(described(), ((json!(2), json!(16)), (json!(1), json!(3 + 3 + 2 + 2 + 8))));
    engine.put("Items", &json!({"pk": s("p"), "sk": s("1"), "l": s("yy")}));
    assert_eq!(described(), ((json!(1), json!(8)), (json!(1), json!(3 + 3 + 3))));
    for sk in ["1", "2"] {
        engine.call("DeleteItem", &json!({"TableName": "Items", "Key": {"pk": s("p"), "sk": s(sk)}})).ok();
    }
    assert_eq!(described(), ((json!(0), json!(0)), (json!(0), json!(0))));
}

#[test]
fn the_size_of_an_item_collection_is_told_in_gigabytes() {
    let engine = Harness::new();
    create(&engine, &[], &[("local", "l", all())]);
    let metrics = |operation: &str, members: Value| {
        let mut request = json!({"TableName": "Items", "ReturnItemCollectionMetrics": "SIZE"});
        request.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        engine.call(operation, &request).ok().get("ItemCollectionMetrics").cloned()
    };
    let small = json!({"ItemCollectionKey": {"pk": s("p")}, "SizeEstimateRangeGB": [0.0, 1.0]});
    let item = json!({"Item": {"pk": s("p"), "sk": s("1"), "l": s("x")}});
    assert_eq!(metrics("PutItem", item.clone()), Some(small.clone()));
    assert_eq!(metrics("PutItem", item), Some(small.clone()), "also of a write that changes nothing");
    let key = json!({"Key": {"pk": s("p"), "sk": s("none")}});
    assert_eq!(metrics("DeleteItem", key), Some(small));

    let plain = Harness::new();
    create(&plain, &[("byG", &["g"], all())], &[]);
    let answer = plain.call(
        "PutItem",
        &json!({
            "TableName": "Items", "Item": {"pk": s("p"), "sk": s("1")}, "ReturnItemCollectionMetrics": "SIZE",
        }),
    );
    assert_eq!(answer.ok(), json!({}), "a table without local secondary indexes has none");
}

#[test]
fn an_item_collection_has_its_bound() {
    const GIGABYTE: i64 = 1 << 30;
    let store = Arc::new(MemoryStore::new());
    let mut engine = Harness::on(store.clone(), 0);
    engine.is_damaged = true;
    create(&engine, &[], &[("local", "l", all())]);
    engine.put("Items", &json!({"pk": s("p"), "sk": s("1"), "l": s("x")}));
    // Its size is the one counter in the last of the table's keyspaces: an item and its entry of 8 bytes.
    let collections = Space(Space::RESERVED + 2);
    let key = keyplan_value::key::partition_prefix([keyplan_value::ValueRef::string("p")]).expect("a key");
    let grow = move |bytes: i64| {
        let mut batch = Batch::new();
        batch.add(collections, key.clone(), bytes);
        let grown: Result<Result<_, ()>, _> = store.transact(move |_| Ok((batch.clone(), ())));
        grown.expect("the store works").expect("it commits");
    };
    grow(10 * GIGABYTE - 16 - 16);
    let put = |sk: &str| {
        let item = json!({"pk": s("p"), "sk": s(sk), "l": s("x")});
        engine.call(
            "PutItem",
            &json!({
                "TableName": "Items", "Item": item, "ReturnItemCollectionMetrics": "SIZE",
            }),
        )
    };
    let last = put("2").ok();
    assert_eq!(last["ItemCollectionMetrics"]["SizeEstimateRangeGB"], json!([10.0, 11.0]));
    let (name, text) = put("3").error();
    assert_eq!(name, "ItemCollectionSizeLimitExceededException");
    assert_eq!(text, "Item collection size limit exceeded.");
    // What doesn't grow it goes through, and makes room.
    engine.call("DeleteItem", &json!({"TableName": "Items", "Key": {"pk": s("p"), "sk": s("1")}})).ok();
    put("3").ok();
}

#[test]
fn writes_are_taken_back_with_their_entries() {
    let engine = Harness::with_undo(50);
    create(&engine, &[("byG", &["g"], all())], &[("local", "l", keys_only())]);
    let first = json!({"pk": s("p"), "sk": s("1"), "g": s("x"), "l": s("a")});
    engine.put("Items", &first);
    engine.put("Items", &json!({"pk": s("p"), "sk": s("1"), "g": s("y")}));
    engine.engine.undo(engine.now()).expect("the store works").expect("a write");
    assert_eq!(entries(&engine, "byG"), [first]);
    assert_eq!(entries(&engine, "local"), [json!({"pk": s("p"), "sk": s("1"), "l": s("a")})]);
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    assert_eq!(described["Table"]["GlobalSecondaryIndexes"][0]["ItemCount"], json!(1));
}

#[test]
fn a_deleted_table_takes_its_indexes_along_and_brings_them_back() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 1);
    create(&engine, &[("byG", &["g"], all())], &[("local", "l", keys_only())]);
    let item = json!({"pk": s("p"), "sk": s("1"), "g": s("x"), "l": s("a")});
    engine.put("Items", &item);
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    while engine.engine.step(engine.now(), 100).expect("the store works").is_some() {}
    let Some(Undone { operation, .. }) = engine.engine.undo(engine.now()).expect("the store works") else {
        panic!("the deletion is kept")
    };
    assert_eq!(operation, "DeleteTable");
    assert_eq!(entries(&engine, "byG"), [item]);

    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.create("Other", "S", None);
    while engine.engine.step(engine.now(), 100).expect("the store works").is_some() {}
    let mut spaces_left = 0;
    for space in (0..8).map(|number| Space(Space::RESERVED + number)).chain([spaces::COUNTERS, spaces::JOBS])
    {
        spaces_left += super::freeing::entries(&store, space);
    }
    assert_eq!(spaces_left, 0, "nothing of the table is left");
}
