//! Random writes against an engine with indexes of every kind and against a naive model of them: after each
//! write its cost, and in the end every index's entries, order, pages and totals.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, n, s, sorted};
use super::index_writes::{all, create, include, keys_only};

/// An item, naively: what its attributes hold, of which any but the key may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    g: Option<u8>,
    n1: Option<i8>,
    text: Option<usize>,
}

type Key = (u8, u8);

#[derive(Debug, Clone)]
enum Request {
    Put(Key, Item),
    Delete(Key),
}

fn item() -> impl Strategy<Value = Item> {
    let text = prop_oneof![3 => 0..20_usize, 1 => 1_000..1_100_usize];
    (proptest::option::of(0..3_u8), proptest::option::of(-3..3_i8), proptest::option::of(text))
        .prop_map(|(g, n1, text)| Item { g, n1, text })
}

fn request() -> impl Strategy<Value = Request> {
    let key = || (0..2_u8, 0..6_u8);
    prop_oneof![
        4 => (key(), item()).prop_map(|(key, item)| Request::Put(key, item)),
        1 => key().prop_map(Request::Delete),
    ]
}

fn text(number: u8) -> Value {
    s(&number.to_string())
}

fn as_json(key: Key, item: &Item) -> Value {
    let mut json = json!({"pk": text(key.0), "sk": text(key.1)});
    let members = [
        ("g", item.g.map(text)),
        ("n1", item.n1.map(n)),
        ("text", item.text.map(|length| s(&"x".repeat(length)))),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            json[name] = value;
        }
    }
    json
}

/// Bytes of an item or entry, by the service's rule; numbers here have at most one digit.
fn bytes(item: &Value) -> u64 {
    let size = |value: &Value| match (value["S"].as_str(), value["N"].as_str()) {
        (Some(text), _) => text.len(),
        (None, Some("0")) => 1,
        (None, Some(number)) => 2 + usize::from(number.starts_with('-')),
        (None, None) => 0,
    };
    let members = item.as_object().expect("an item");
    members.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>() as u64
}

/// An index of the model: its name, its key attributes, and what it keeps.
struct Index {
    name: &'static str,
    keys: &'static [&'static str],
    is_local: bool,
    kept: Option<&'static [&'static str]>,
}

const INDEXES: [Index; 4] = [
    Index { name: "all", keys: &["g", "n1"], is_local: false, kept: None },
    Index { name: "keys", keys: &["g"], is_local: false, kept: Some(&[]) },
    Index { name: "many", keys: &["n1", "g", "sk"], is_local: false, kept: Some(&["text"]) },
    Index { name: "local", keys: &["pk", "n1"], is_local: true, kept: Some(&[]) },
];

impl Index {
    fn entry(&self, item: &Value) -> Option<Value> {
        if self.keys.iter().any(|key| item.get(key).is_none()) {
            return None;
        }
        let Some(kept) = self.kept else { return Some(item.clone()) };
        let names = self.keys.iter().chain(&["pk", "sk"]).chain(kept);
        let members = names.filter_map(|name| Some(((*name).to_owned(), item.get(name)?.clone())));
        Some(members.collect())
    }

    fn key(&self, entry: &Value) -> Vec<Value> {
        self.keys.iter().map(|key| entry[key].clone()).collect()
    }

    /// What a change of an item costs here.
    fn units(&self, before: Option<&Value>, after: Option<&Value>) -> f64 {
        let units = |entry: &Value| bytes(entry).div_ceil(1_024) as f64;
        match (before.and_then(|item| self.entry(item)), after.and_then(|item| self.entry(item))) {
            (None, None) => 0.0,
            (None, Some(entry)) | (Some(entry), None) => units(&entry),
            (Some(before), Some(after)) if before == after => 0.0,
            (Some(before), Some(after)) if self.key(&before) == self.key(&after) => {
                units(&before).max(units(&after))
            }
            (Some(before), Some(after)) => units(&before) + units(&after),
        }
    }
}

struct Both {
    engine: Harness,
    items: BTreeMap<Key, Value>,
}

impl Both {
    fn run(&mut self, request: Request) {
        let common = json!({"TableName": "Items", "ReturnConsumedCapacity": "INDEXES"});
        let (operation, key, mut body, after) = match request {
            Request::Put(key, item) => {
                let item = as_json(key, &item);
                ("PutItem", key, json!({"Item": item}), Some(item))
            }
            Request::Delete(key) => {
                let named = json!({"pk": text(key.0), "sk": text(key.1)});
                ("DeleteItem", key, json!({"Key": named}), None)
            }
        };
        let before = match &after {
            Some(item) => self.items.insert(key, item.clone()),
            None => self.items.remove(&key),
        };
        body.as_object_mut().expect("an object").extend(common.as_object().expect("an object").clone());
        let consumed = self.engine.call(operation, &body).ok()["ConsumedCapacity"].clone();
        let size = |item: &Option<Value>| item.as_ref().map_or(0, bytes);
        let table = size(&before).max(size(&after)).div_ceil(1_024).max(1) as f64;
        let mut total = table;
        for index in &INDEXES {
            let units = index.units(before.as_ref(), after.as_ref());
            let scope = if index.is_local { "LocalSecondaryIndexes" } else { "GlobalSecondaryIndexes" };
            let told = consumed[scope][index.name]["CapacityUnits"].as_f64().unwrap_or_default();
            assert_eq!(told, units, "{}: {before:?} to {after:?}", index.name);
            total += units;
        }
        assert_eq!(consumed["Table"]["CapacityUnits"], json!(table));
        assert_eq!(consumed["CapacityUnits"], json!(total));
    }

    /// Holds an index against the model: as a set of entries, and each partition in its order and paged.
    fn check(&self, index: &Index, limit: usize) {
        let expected: Vec<Value> = self.items.values().filter_map(|item| index.entry(item)).collect();
        let scanned = self.pages("Scan", json!({"TableName": "Items", "IndexName": index.name}), limit);
        assert_eq!(sorted(scanned), sorted(expected.clone()), "{}", index.name);
        let partition = index.keys[0];
        // A partition key of several attributes is met by all of them.
        let parts = if index.name == "many" { 2 } else { 1 };
        let partitions: BTreeSet<String> =
            expected.iter().map(|entry| json!(index.key(entry)[..parts]).to_string()).collect();
        for of_partition in partitions {
            let values: Vec<Value> = serde_json::from_str(&of_partition).expect("values");
            let mut query = json!({
                "TableName": "Items", "IndexName": index.name,
                "KeyConditionExpression": format!("{partition} = :v0"),
                "ExpressionAttributeValues": {":v0": values[0]},
            });
            if parts == 2 {
                query["KeyConditionExpression"] =
                    json!(format!("{partition} = :v0 AND {} = :v1", index.keys[1]));
                query["ExpressionAttributeValues"][":v1"] = values[1].clone();
            }
            let found = self.pages("Query", query, limit);
            let here = expected.iter().filter(|entry| index.key(entry)[..parts] == values[..]);
            assert_eq!(sorted(found.clone()), sorted(here.cloned().collect()), "{}", index.name);
            let order = |entry: &Value| match index.keys.get(parts).map(|key| &entry[key]) {
                Some(value) => value["N"].as_str().or(value["S"].as_str()).and_then(|text| text.parse().ok()),
                None => Some(0_i64),
            };
            assert!(found.is_sorted_by_key(|entry| order(entry).expect("a number")), "{found:?}");
        }
        let described = self.engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
        let scope = if index.is_local { "LocalSecondaryIndexes" } else { "GlobalSecondaryIndexes" };
        let indexes = described["Table"][scope].as_array().expect("indexes").clone();
        let told = indexes.iter().find(|told| told["IndexName"] == json!(index.name)).expect("the index");
        assert_eq!(told["ItemCount"], json!(expected.len()), "{}", index.name);
        assert_eq!(told["IndexSizeBytes"], json!(expected.iter().map(bytes).sum::<u64>()), "{}", index.name);
    }

    fn pages(&self, operation: &str, mut request: Value, limit: usize) -> Vec<Value> {
        request["Limit"] = json!(limit);
        request["ReturnConsumedCapacity"] = json!("TOTAL");
        let mut items = Vec::new();
        loop {
            let page = self.engine.call(operation, &request).ok();
            let found = page["Items"].as_array().expect("items");
            let units = found.iter().map(bytes).sum::<u64>().div_ceil(4_096).max(1) as f64 * 0.5;
            assert_eq!(page["ConsumedCapacity"]["CapacityUnits"], json!(units), "{request}");
            items.extend(found.iter().cloned());
            match page.get("LastEvaluatedKey") {
                Some(key) => request["ExclusiveStartKey"] = key.clone(),
                None => return items,
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn indexes_hold_what_a_look_at_all_items_would_find(
        requests in proptest::collection::vec(request(), 1..60), limit in 1..5_usize,
    ) {
        let engine = Harness::new();
        create(
            &engine,
            &[
                ("all", &["g", "+n1"], all()),
                ("keys", &["g"], keys_only()),
                ("many", &["n1", "g", "+sk"], include(&["text"])),
            ],
            &[("local", "n1", keys_only())],
        );
        let mut both = Both { engine, items: BTreeMap::new() };
        for request in requests {
            both.run(request);
        }
        for index in &INDEXES {
            both.check(index, limit);
        }
    }
}
