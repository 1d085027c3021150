//! A stream against the history of its table: random writes, the taking back of some, and a clock that moves.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, cases, n, s};
use super::streams::{create, records};

#[derive(Debug, Clone)]
enum Step {
    Put { pk: u8, n: u8 },
    Update { pk: u8, n: u8 },
    Delete { pk: u8 },
    Batch { put: u8, delete: u8, n: u8 },
    Transaction { put: u8, delete: u8, n: u8, fails: bool },
    Undo,
    Wait { minutes: u16 },
}

fn step() -> impl Strategy<Value = Step> {
    let pk = || 0..5_u8;
    let n = || 0..3_u8;
    prop_oneof![
        4 => (pk(), n()).prop_map(|(pk, n)| Step::Put { pk, n }),
        3 => (pk(), n()).prop_map(|(pk, n)| Step::Update { pk, n }),
        2 => pk().prop_map(|pk| Step::Delete { pk }),
        1 => (pk(), pk(), n()).prop_map(|(put, delete, n)| Step::Batch { put, delete, n }),
        1 => (pk(), pk(), n(), any::<bool>())
            .prop_map(|(put, delete, n, fails)| Step::Transaction { put, delete, n, fails }),
        2 => Just(Step::Undo),
        1 => (0..200_u16).prop_map(|minutes| Step::Wait { minutes }),
    ]
}

fn key(pk: u8) -> Value {
    json!({"pk": s(&pk.to_string())})
}

fn item(pk: u8, number: u8) -> Value {
    json!({"pk": s(&pk.to_string()), "n": n(number)})
}

fn run(engine: &Harness, step: &Step) {
    let table = "Items";
    match *step {
        Step::Put { pk, n } => engine.put(table, &item(pk, n)),
        Step::Update { pk, n: number } => {
            let update = json!({
                "TableName": table, "Key": key(pk), "UpdateExpression": "SET n = :n",
                "ExpressionAttributeValues": {":n": n(number)},
            });
            engine.call("UpdateItem", &update).ok();
        }
        Step::Delete { pk } => {
            engine.call("DeleteItem", &json!({"TableName": table, "Key": key(pk)})).ok();
        }
        Step::Batch { put, delete, .. } | Step::Transaction { put, delete, .. } if put == delete => {}
        Step::Batch { put, delete, n } => {
            let requests =
                json!([{"PutRequest": {"Item": item(put, n)}}, {"DeleteRequest": {"Key": key(delete)}}]);
            engine.call("BatchWriteItem", &json!({"RequestItems": {table: requests}})).ok();
        }
        Step::Transaction { put, delete, n, fails } => {
            let condition = if fails { "attribute_exists(nope)" } else { "attribute_not_exists(nope)" };
            let actions = json!([
                {"Put": {"TableName": table, "Item": item(put, n)}},
                {"Delete": {"TableName": table, "Key": key(delete), "ConditionExpression": condition}},
            ]);
            let status = engine.call("TransactWriteItems", &json!({"TransactItems": actions})).status;
            assert_eq!(status, if fails { 400 } else { 200 });
        }
        Step::Undo => {
            engine.engine.undo(engine.now()).expect("the store works");
        }
        Step::Wait { minutes } => {
            engine.advance(u64::from(minutes) * 60_000);
            engine.settle();
        }
    }
}

type Items = BTreeMap<String, Value>;

fn items(engine: &Harness) -> Items {
    let scanned = engine.call("Scan", &json!({"TableName": "Items"}));
    if scanned.status != 200 {
        return Items::new();
    }
    let found = scanned.ok()["Items"].as_array().expect("items").clone();
    found.into_iter().map(|item| (item["pk"]["S"].as_str().expect("a key").to_owned(), item)).collect()
}

/// What differs between two states: the items before and after, by key.
fn changes(before: &Items, after: &Items) -> BTreeMap<String, (Option<Value>, Option<Value>)> {
    let keys = before.keys().chain(after.keys());
    let change = |key: &String| (key.clone(), (before.get(key).cloned(), after.get(key).cloned()));
    keys.map(change).filter(|(_, (before, after))| before != after).collect()
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_stream_is_the_history_of_its_table(steps in prop::collection::vec(step(), 1..40), page in 1..5_usize) {
        let engine = Harness::with_undo(50);
        let stream = create(&engine);
        let (mut expected, mut before, mut writes) = (Vec::new(), Items::new(), 0_usize);
        for step in &steps {
            // Only writes of items are taken back here: the table and its stream stay.
            if matches!(step, Step::Undo) && writes == 0 {
                continue;
            }
            run(&engine, step);
            let after = items(&engine);
            let changed = changes(&before, &after);
            writes = match step {
                Step::Undo => writes - 1,
                _ => writes + usize::from(!changed.is_empty()),
            };
            expected.push(changed);
            before = after;
        }
        let recorded = records(&engine, &stream, page);
        let mut left = recorded.iter();
        for changed in &expected {
            let mut found = BTreeMap::new();
            for record in left.by_ref().take(changed.len()) {
                let images = &record["dynamodb"];
                let key = images["Keys"]["pk"]["S"].as_str().expect("a key").to_owned();
                let (old, new) = (images.get("OldImage").cloned(), images.get("NewImage").cloned());
                let event = match (&old, &new) {
                    (None, _) => "INSERT",
                    (_, None) => "REMOVE",
                    _ => "MODIFY",
                };
                prop_assert_eq!(&record["eventName"], event);
                found.insert(key, (old, new));
            }
            prop_assert_eq!(&found, changed);
        }
        prop_assert_eq!(left.next(), None, "and nothing else is recorded");
        let numbers: Vec<_> = recorded.iter().map(|record| record["dynamodb"]["SequenceNumber"].as_str()).collect();
        prop_assert!(numbers.is_sorted_by(|one, other| one < other));
        let mut ids: Vec<_> = recorded.iter().map(|record| record["eventID"].as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), recorded.len(), "ids are unique");
    }
}
