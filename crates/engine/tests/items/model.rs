//! Random requests against the engine and against a naive model of the service: a sorted map.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, cases, n, s};

/// Keys: a partition, and in it an item.
type Key = (u8, i16);

#[derive(Debug, Clone)]
enum Request {
    Put {
        key: Key,
        text: usize,
        only_new: bool,
    },
    Delete {
        key: Key,
        only_longer: Option<usize>,
    },
    Get {
        key: Key,
        strong: bool,
    },
    Query {
        partition: u8,
        bounds: Option<(i16, i16)>,
        backward: bool,
        limit: Option<u8>,
        longer: Option<usize>,
    },
    Scan {
        limit: Option<u8>,
    },
}

fn key() -> impl Strategy<Value = Key> {
    (0..4_u8, -6..6_i16)
}

fn text() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0..40_usize, 1 => 900..1_200_usize, 1 => 4_000..4_200_usize]
}

fn request() -> impl Strategy<Value = Request> {
    let bounds =
        proptest::option::of((-7..7_i16, -7..7_i16).prop_map(|(one, two)| (one.min(two), one.max(two))));
    let limit = || proptest::option::of(1..6_u8);
    prop_oneof![
        6 => (key(), text(), any::<bool>()).prop_map(|(key, text, only_new)| Request::Put { key, text, only_new }),
        2 => (key(), proptest::option::of(text())).prop_map(|(key, only_longer)| Request::Delete { key, only_longer }),
        1 => (key(), any::<bool>()).prop_map(|(key, strong)| Request::Get { key, strong }),
        3 => (0..4_u8, bounds, any::<bool>(), limit(), proptest::option::of(text())).prop_map(
            |(partition, bounds, backward, limit, longer)| Request::Query { partition, bounds, backward, limit, longer }
        ),
        1 => limit().prop_map(|limit| Request::Scan { limit }),
    ]
}

fn item(key: Key, text: usize) -> Value {
    json!({"pk": n(key.0), "sk": n(key.1), "text": s(&"x".repeat(text))})
}

fn number_bytes(number: i64) -> u64 {
    // No number here has more than two digits: one pair, unless it is zero.
    1 + u64::from(number != 0) + u64::from(number < 0)
}

fn item_bytes(key: Key, text: usize) -> u64 {
    2 + number_bytes(key.0.into()) + 2 + number_bytes(key.1.into()) + 4 + text as u64
}

fn write_units(before: u64, after: u64) -> f64 {
    before.max(after).div_ceil(1_024).max(1) as f64
}

fn read_units(bytes: u64, strong: bool) -> f64 {
    bytes.div_ceil(4_096).max(1) as f64 * if strong { 1.0 } else { 0.5 }
}

/// The service, as naively as can be.
#[derive(Debug, Default)]
struct Model {
    /// Text lengths.
    items: BTreeMap<Key, usize>,
}

impl Model {
    fn bytes(&self, key: Key) -> u64 {
        self.items.get(&key).map_or(0, |text| item_bytes(key, *text))
    }

    fn totals(&self) -> (usize, u64) {
        (self.items.len(), self.items.iter().map(|(key, text)| item_bytes(*key, *text)).sum())
    }
}

struct Both {
    engine: Harness,
    model: Model,
}

impl Both {
    fn write(&mut self, key: Key, request: &Value, operation: &str, holds: bool, after: Option<usize>) {
        let before = self.model.bytes(key);
        let answer = self.engine.call(operation, request);
        if !holds {
            assert_eq!(answer.error().0, "ConditionalCheckFailedException", "{request}");
            return;
        }
        let old = self.model.items.get(&key).map(|text| item(key, *text));
        match after {
            Some(text) => _ = self.model.items.insert(key, text),
            None => _ = self.model.items.remove(&key),
        }
        let body = answer.ok();
        assert_eq!(body.get("Attributes"), old.as_ref(), "{request}");
        let units = write_units(before, self.model.bytes(key));
        assert_eq!(body["ConsumedCapacity"]["CapacityUnits"], json!(units), "{request}");
    }

    /// Pages through a read to its end and compares every page.
    fn page(
        &self,
        operation: &str,
        mut request: Value,
        expected: &[Key],
        limit: Option<u8>,
        keep: impl Fn(usize) -> bool,
    ) {
        let limit = limit.map_or(usize::MAX, usize::from);
        let mut rest = expected;
        loop {
            let (examined, after) = rest.split_at(limit.min(rest.len()));
            let body = self.engine.call(operation, &request).ok();
            let text = |key: &Key| self.model.items[key];
            let returned: Vec<Value> =
                examined.iter().filter(|key| keep(text(key))).map(|key| item(*key, text(key))).collect();
            let bytes = examined.iter().map(|key| self.model.bytes(*key)).sum();
            assert_eq!(body["Items"], json!(returned), "{operation} {request}");
            assert_eq!(body["Count"], json!(returned.len()));
            assert_eq!(body["ScannedCount"], json!(examined.len()));
            assert_eq!(body["ConsumedCapacity"]["CapacityUnits"], json!(read_units(bytes, false)));
            let full = examined.len() == limit;
            let last = examined.last().filter(|_| full).map(|(pk, sk)| json!({"pk": n(pk), "sk": n(sk)}));
            assert_eq!(body.get("LastEvaluatedKey"), last.as_ref(), "{operation} {request}");
            match last {
                Some(key) => request["ExclusiveStartKey"] = key,
                None => return,
            }
            rest = after;
        }
    }

    fn run(&mut self, request: Request) {
        let common = json!({"TableName": "Items", "ReturnConsumedCapacity": "TOTAL"});
        let with = |members: Value| {
            let mut request = common.clone();
            request
                .as_object_mut()
                .expect("an object")
                .extend(members.as_object().expect("an object").clone());
            request
        };
        match request {
            Request::Put { key, text, only_new } => {
                let mut request = with(json!({"Item": item(key, text), "ReturnValues": "ALL_OLD"}));
                if only_new {
                    request["ConditionExpression"] = json!("attribute_not_exists(pk)");
                }
                let holds = !only_new || !self.model.items.contains_key(&key);
                self.write(key, &request, "PutItem", holds, Some(text));
            }
            Request::Delete { key: (pk, sk), only_longer } => {
                let mut request = with(json!({"Key": {"pk": n(pk), "sk": n(sk)}, "ReturnValues": "ALL_OLD"}));
                if let Some(length) = only_longer {
                    request["ConditionExpression"] = json!("size(#t) > :l");
                    request["ExpressionAttributeNames"] = json!({"#t": "text"});
                    request["ExpressionAttributeValues"] = json!({":l": n(length)});
                }
                let stored = self.model.items.get(&(pk, sk));
                let holds = only_longer.is_none_or(|length| stored.is_some_and(|text| *text > length));
                self.write((pk, sk), &request, "DeleteItem", holds, None);
            }
            Request::Get { key: (pk, sk), strong } => {
                let request = with(json!({"Key": {"pk": n(pk), "sk": n(sk)}, "ConsistentRead": strong}));
                let body = self.engine.call("GetItem", &request).ok();
                let stored = self.model.items.get(&(pk, sk)).map(|text| item((pk, sk), *text));
                assert_eq!(body.get("Item"), stored.as_ref(), "{request}");
                let units = read_units(self.model.bytes((pk, sk)), strong);
                assert_eq!(body["ConsumedCapacity"]["CapacityUnits"], json!(units));
            }
            Request::Query { partition, bounds, backward, limit, longer } => {
                let mut request = with(json!({
                    "KeyConditionExpression": "pk = :p", "ScanIndexForward": !backward,
                    "ExpressionAttributeValues": {":p": n(partition)},
                }));
                let (low, high) = bounds.unwrap_or((i16::MIN, i16::MAX));
                if bounds.is_some() {
                    request["KeyConditionExpression"] = json!("pk = :p AND sk BETWEEN :l AND :h");
                    request["ExpressionAttributeValues"][":l"] = n(low);
                    request["ExpressionAttributeValues"][":h"] = n(high);
                }
                if let Some(length) = longer {
                    request["FilterExpression"] = json!("size(#t) > :t");
                    request["ExpressionAttributeNames"] = json!({"#t": "text"});
                    request["ExpressionAttributeValues"][":t"] = n(length);
                }
                if let Some(limit) = limit {
                    request["Limit"] = json!(limit);
                }
                let range = (partition, low)..=(partition, high);
                let mut expected: Vec<Key> = self.model.items.range(range).map(|(key, _)| *key).collect();
                if backward {
                    expected.reverse();
                }
                self.page("Query", request, &expected, limit, |text| {
                    longer.is_none_or(|length| text > length)
                });
            }
            Request::Scan { limit } => {
                // Partitions come in an order of their own; in each, items come in theirs.
                let whole = self.engine.call("Scan", &with(json!({}))).ok();
                let number =
                    |value: &Value| value["N"].as_str().expect("a number").parse().expect("a number");
                let met: Vec<Key> = whole["Items"]
                    .as_array()
                    .expect("items")
                    .iter()
                    .map(|item| (number(&item["pk"]) as u8, number(&item["sk"])))
                    .collect();
                let mut sorted = met.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, self.model.items.keys().copied().collect::<Vec<_>>());
                assert!(met.chunk_by(|one, two| one.0 == two.0).count() <= 4, "each partition is met once");
                assert!(met.chunk_by(|one, two| one.0 == two.0).all(<[Key]>::is_sorted));
                let mut request = with(json!({}));
                if let Some(limit) = limit {
                    request["Limit"] = json!(limit);
                }
                self.page("Scan", request, &met, limit, |_| true);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn the_engine_does_what_a_sorted_map_would(requests in proptest::collection::vec(request(), 1..60)) {
        let engine = Harness::new();
        engine.create("Items", "N", Some("N"));
        let mut both = Both { engine, model: Model::default() };
        for request in requests {
            both.run(request);
        }
        let described = both.engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
        let (items, bytes) = both.model.totals();
        prop_assert_eq!(&described["Table"]["ItemCount"], &json!(items));
        prop_assert_eq!(&described["Table"]["TableSizeBytes"], &json!(bytes));
    }
}
