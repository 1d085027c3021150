//! Random writes against an engine with indexes of every kind and against a naive model of them: after each
//! write its cost, and in the end every index's entries, order, pages and totals.

use std::collections::{BTreeMap, BTreeSet};

use keyplan_engine::inspect::Window;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, cases, n, s, sorted};
use super::index_writes::{all, create, include, keys_only};

/// An item, naively: what its attributes hold, of which any but the key may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    g: Option<u8>,
    n1: Option<i8>,
    text: Option<usize>,
}

type Key = (u8, u8);

/// What shall become of an item.
#[derive(Debug, Clone)]
enum Change {
    Put(Item),
    /// Each attribute is left, removed or set.
    Update(Item, [bool; 3]),
    Delete,
}

/// Changes of items, and how they are sent.
#[derive(Debug, Clone)]
enum Request {
    One(Key, Change),
    Batch(BTreeMap<Key, Change>),
    Transaction(BTreeMap<Key, Change>),
}

fn item() -> impl Strategy<Value = Item> {
    let text = prop_oneof![3 => 0..20_usize, 1 => 1_000..1_100_usize];
    (proptest::option::of(0..3_u8), proptest::option::of(-3..3_i8), proptest::option::of(text))
        .prop_map(|(g, n1, text)| Item { g, n1, text })
}

fn key() -> impl Strategy<Value = Key> {
    (0..2_u8, 0..6_u8)
}

fn put_or_delete() -> impl Strategy<Value = Change> {
    prop_oneof![3 => item().prop_map(Change::Put), 1 => Just(Change::Delete)]
}

fn change() -> impl Strategy<Value = Change> {
    let update = (item(), any::<[bool; 3]>()).prop_map(|(item, named)| Change::Update(item, named));
    prop_oneof![1 => put_or_delete(), 1 => update]
}

fn request() -> impl Strategy<Value = Request> {
    use proptest::collection::btree_map;
    prop_oneof![
        4 => (key(), change()).prop_map(|(key, change)| Request::One(key, change)),
        1 => btree_map(key(), put_or_delete(), 1..6).prop_map(Request::Batch),
        1 => btree_map(key(), change(), 1..6).prop_map(Request::Transaction),
    ]
}

fn text(number: u8) -> Value {
    s(&number.to_string())
}

fn key_of(key: Key) -> Value {
    json!({"pk": text(key.0), "sk": text(key.1)})
}

impl Item {
    fn members(&self) -> [(&'static str, Option<Value>); 3] {
        [
            ("g", self.g.map(text)),
            ("n1", self.n1.map(n)),
            ("text", self.text.map(|length| s(&"x".repeat(length)))),
        ]
    }
}

fn as_json(key: Key, item: &Item) -> Value {
    let mut json = key_of(key);
    for (name, value) in item.members() {
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

impl Change {
    /// The operation's name, which is the action's too, and its parameters.
    fn parameters(&self, key: Key) -> (&'static str, Value) {
        match self {
            Change::Put(item) => ("Put", json!({"Item": as_json(key, item)})),
            Change::Delete => ("Delete", json!({"Key": key_of(key)})),
            Change::Update(item, named) => {
                let (mut set, mut remove, mut values) = (Vec::new(), Vec::new(), json!({}));
                for ((name, value), _) in item.members().into_iter().zip(named).filter(|(_, named)| **named) {
                    match value {
                        Some(value) => {
                            set.push(format!("#{name} = :{name}"));
                            values[format!(":{name}")] = value;
                        }
                        None => remove.push(format!("#{name}")),
                    }
                }
                let mut names = json!({});
                for name in set
                    .iter()
                    .map(|set| set.split(' ').next().expect("a name"))
                    .chain(remove.iter().map(|name| &**name))
                {
                    names[name] = json!(name[1..]);
                }
                // The clause that is always there changes nothing: no item has such an attribute.
                remove.push("nothing".to_owned());
                let mut update = format!("REMOVE {}", remove.join(", "));
                let mut body = json!({"Key": key_of(key)});
                if !set.is_empty() {
                    update = format!("SET {} {update}", set.join(", "));
                    body["ExpressionAttributeValues"] = values;
                }
                if names != json!({}) {
                    body["ExpressionAttributeNames"] = names;
                }
                body["UpdateExpression"] = json!(update);
                ("Update", body)
            }
        }
    }

    fn after(&self, key: Key, before: Option<&Value>) -> Option<Value> {
        match self {
            Change::Put(item) => Some(as_json(key, item)),
            Change::Delete => None,
            Change::Update(item, named) => {
                let named = || item.members().into_iter().zip(named).filter(|(_, named)| **named);
                if before.is_none() && named().all(|((_, value), _)| value.is_none()) {
                    return None;
                }
                let mut after = before.cloned().unwrap_or_else(|| key_of(key));
                for ((name, value), _) in named() {
                    let members = after.as_object_mut().expect("an item");
                    match value {
                        Some(value) => members.insert(name.to_owned(), value),
                        None => members.remove(name),
                    };
                }
                Some(after)
            }
        }
    }
}

struct Both {
    engine: Harness,
    items: BTreeMap<Key, Value>,
}

impl Both {
    fn run(&mut self, request: Request) {
        let (operation, changes, mut body) = match request {
            Request::One(key, change) => {
                let (operation, mut body) = change.parameters(key);
                body["TableName"] = json!("Items");
                (format!("{operation}Item"), BTreeMap::from([(key, change)]), body)
            }
            Request::Batch(changes) => {
                let element = |(key, change): (&Key, &Change)| {
                    let (kind, parameters) = change.parameters(*key);
                    json!({format!("{kind}Request"): parameters})
                };
                let elements: Vec<Value> = changes.iter().map(element).collect();
                ("BatchWriteItem".to_owned(), changes, json!({"RequestItems": {"Items": elements}}))
            }
            Request::Transaction(changes) => {
                let element = |(key, change): (&Key, &Change)| {
                    let (kind, mut parameters) = change.parameters(*key);
                    parameters["TableName"] = json!("Items");
                    json!({kind: parameters})
                };
                let elements: Vec<Value> = changes.iter().map(element).collect();
                ("TransactWriteItems".to_owned(), changes, json!({"TransactItems": elements}))
            }
        };
        body["ReturnConsumedCapacity"] = json!("INDEXES");
        let answer = self.engine.call(&operation, &body).ok();
        let consumed = match &answer["ConsumedCapacity"] {
            Value::Array(tables) => tables[0].clone(),
            consumed => consumed.clone(),
        };
        let is_transaction = operation == "TransactWriteItems";
        let mut table = 0.0;
        let mut of_indexes = [0.0; INDEXES.len()];
        for (key, change) in changes {
            let before = self.items.get(&key).cloned();
            let after = change.after(key, before.as_ref());
            let size = |item: &Option<Value>| item.as_ref().map_or(0, bytes);
            let units = size(&before).max(size(&after)).div_ceil(1_024).max(1) as f64;
            table += if is_transaction { 2.0 * units } else { units };
            for (index, sum) in INDEXES.iter().zip(&mut of_indexes) {
                *sum += index.units(before.as_ref(), after.as_ref());
            }
            match after {
                Some(item) => self.items.insert(key, item),
                None => self.items.remove(&key),
            };
        }
        let told = |part: &Value| {
            if is_transaction {
                assert_eq!(part["WriteCapacityUnits"], part["CapacityUnits"], "{consumed}");
            }
            part["CapacityUnits"].as_f64()
        };
        for (index, units) in INDEXES.iter().zip(&of_indexes) {
            let scope = if index.is_local { "LocalSecondaryIndexes" } else { "GlobalSecondaryIndexes" };
            let part = consumed.get(scope).and_then(|indexes| indexes.get(index.name));
            // An index that was not touched is not told.
            assert_eq!(part.and_then(told).unwrap_or_default(), *units, "{}: {body}", index.name);
        }
        assert_eq!(told(&consumed["Table"]), Some(table), "{body}");
        assert_eq!(told(&consumed), Some(table + of_indexes.iter().sum::<f64>()), "{body}");
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
        let inspection = self.engine.engine.inspect("Items", Some(index.name), Window::default());
        let inspection: Value =
            serde_json::from_str(&inspection.expect("an index").to_json()).expect("an inspection is JSON");
        let partitions = inspection["partitions"].as_array().expect("partitions");
        let lying = partitions.iter().flat_map(|partition| partition["items"].as_array().expect("items"));
        let lying: Vec<Value> = lying.map(|entry| entry["item"].clone()).collect();
        assert_eq!(sorted(lying), sorted(expected.clone()), "{} as it lies", index.name);
        assert_eq!(inspection["bytes"], json!(expected.iter().map(bytes).sum::<u64>()), "{}", index.name);
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
    #![proptest_config(cases(48))]

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
