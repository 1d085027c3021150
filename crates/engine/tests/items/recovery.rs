//! Recovery to a point in time: every second between writes against a plain model, while the clock moves, writes
//! are taken back and items expire.

use std::collections::BTreeMap;
use std::sync::Arc;

use keyplan_store::MemoryStore;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::backups::items;
use super::harness::{Harness, cases, n, s, sorted};

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

type Items = BTreeMap<String, Value>;

#[derive(Debug, Clone)]
enum Step {
    Put { pk: u8, n: u8 },
    Update { pk: u8 },
    Delete { pk: u8 },
    Transaction { put: u8, delete: u8 },
    Expiring { pk: u8, seconds: u8 },
    Undo,
    Wait { milliseconds: u32 },
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let pk = || 0..6_u8;
    prop_oneof![
        4 => (pk(), any::<u8>()).prop_map(|(pk, n)| Step::Put { pk, n }),
        3 => pk().prop_map(|pk| Step::Update { pk }),
        3 => pk().prop_map(|pk| Step::Delete { pk }),
        2 => (pk(), pk()).prop_map(|(put, delete)| Step::Transaction { put, delete }),
        1 => (pk(), 1..5_u8).prop_map(|(pk, seconds)| Step::Expiring { pk, seconds }),
        1 => Just(Step::Undo),
        3 => (0..4_000_u32).prop_map(|milliseconds| Step::Wait { milliseconds }),
        1 => Just(Step::Reopen),
    ]
}

struct World {
    store: Arc<MemoryStore>,
    engine: Harness,
    /// The table's states: at the end of each millisecond in which one was looked at.
    states: Vec<(u64, Items)>,
}

fn recover(engine: &Harness, days: u64) {
    let specification = json!({"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": days});
    let request = json!({"TableName": "Items", "PointInTimeRecoverySpecification": specification});
    engine.call("UpdateContinuousBackups", &request).ok();
}

fn reach(engine: &Harness) -> (f64, f64) {
    let described = engine.call("DescribeContinuousBackups", &json!({"TableName": "Items"})).ok();
    let recovery = &described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
    let moment = |member: &str| recovery[member].as_f64().expect("a moment");
    (moment("EarliestRestorableDateTime"), moment("LatestRestorableDateTime"))
}

impl World {
    fn new() -> World {
        let store = Arc::new(MemoryStore::new());
        let engine = Harness::on(store.clone(), 50);
        let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
        let request = json!({
            "TableName": "Items", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"},
            ],
            "KeySchema": [key("pk", "HASH")],
            "GlobalSecondaryIndexes": [{
                "IndexName": "byN", "KeySchema": [key("n", "HASH")], "Projection": {"ProjectionType": "ALL"},
            }],
        });
        engine.call("CreateTable", &request).ok();
        let ttl = json!({"Enabled": true, "AttributeName": "ttl"});
        engine.call("UpdateTimeToLive", &json!({"TableName": "Items", "TimeToLiveSpecification": ttl})).ok();
        engine.settle();
        recover(&engine, 35);
        let mut world = World { store, engine, states: Vec::new() };
        world.look();
        world
    }

    /// Notes what the table is like. Reading it may remove what has expired, at that very moment.
    fn look(&mut self) {
        let found = items(&self.engine, "Items");
        let moment = self.engine.now().0 - 1;
        let items = found.into_iter().map(|item| (item["pk"]["S"].as_str().unwrap().to_owned(), item));
        self.states.push((moment, items.collect()));
    }

    fn run(&mut self, step: &Step) {
        let table = "Items";
        let key = |pk: u8| json!({"pk": s(&pk.to_string())});
        let item = |pk: u8, number: u8| json!({"pk": s(&pk.to_string()), "n": n(number)});
        match *step {
            Step::Put { pk, n } => self.engine.put(table, &item(pk, n)),
            Step::Update { pk } => {
                let update = json!({
                    "TableName": table, "Key": key(pk), "UpdateExpression": "ADD n :one",
                    "ExpressionAttributeValues": {":one": n(1)},
                });
                self.engine.call("UpdateItem", &update).ok();
            }
            Step::Delete { pk } => {
                self.engine.call("DeleteItem", &json!({"TableName": table, "Key": key(pk)})).ok();
            }
            Step::Transaction { put, delete } if put == delete => {}
            Step::Transaction { put, delete } => {
                let actions = json!({"TransactItems": [
                    {"Put": {"TableName": table, "Item": item(put, 7)}},
                    {"Delete": {"TableName": table, "Key": key(delete)}},
                ]});
                self.engine.call("TransactWriteItems", &actions).ok();
            }
            Step::Expiring { pk, seconds } => {
                let mut item = item(pk, 1);
                item["ttl"] = n(self.engine.now().0 / 1_000 + u64::from(seconds));
                self.engine.put(table, &item);
            }
            Step::Undo => {
                let undone = self.engine.engine.undo(self.engine.now()).expect("the store works");
                let undone = undone.expect("there were writes of items");
                assert!(undone.operation.contains("Item"), "{}", undone.operation);
            }
            Step::Wait { milliseconds } => self.engine.advance(milliseconds.into()),
            Step::Reopen => {
                let now = self.engine.now().0;
                self.engine = Harness::on(self.store.clone(), 50);
                self.engine.advance(now - self.engine.now().0);
            }
        }
        self.look();
    }

    /// The states that the table may have had at the end of a millisecond: nothing is known of what happened
    /// between two looks but that the first had the one and the second the other.
    fn may_be(&self, moment: u64) -> Vec<&Items> {
        let before = self.states.iter().rev().find(|state| state.0 <= moment).unwrap_or(&self.states[0]);
        let after = self.states.iter().find(|state| state.0 >= moment);
        [Some(before), after].into_iter().flatten().map(|state| &state.1).collect()
    }
}

fn restore(engine: &Harness, target: &str, moment: u64) -> Items {
    let request = json!({
        "SourceTableName": "Items", "TargetTableName": target, "RestoreDateTime": moment as f64 / 1_000.0,
    });
    let restored = engine.call("RestoreTableToPointInTime", &request).ok();
    assert_eq!(restored["TableDescription"]["TableStatus"], "CREATING");
    engine.settle();
    let found = items(engine, target);
    let described = engine.call("DescribeTable", &json!({"TableName": target})).ok();
    let described = &described["Table"];
    assert_eq!(described["TableStatus"], "ACTIVE");
    assert_eq!(described["ItemCount"], found.len());
    let scanned = engine.call("Scan", &json!({"TableName": target, "IndexName": "byN"})).ok();
    let entries = sorted(scanned["Items"].as_array().expect("entries").clone());
    let indexed: Vec<Value> = found.iter().filter(|item| item.get("n").is_some()).cloned().collect();
    assert_eq!(entries, indexed);
    assert_eq!(described["GlobalSecondaryIndexes"][0]["ItemCount"], indexed.len());
    found.into_iter().map(|item| (item["pk"]["S"].as_str().unwrap().to_owned(), item)).collect()
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_table_is_restored_to_every_second(steps in proptest::collection::vec(step(), 1..40)) {
        let mut world = World::new();
        // Writes of items, so that undo has something to take back that isn't the table.
        for pk in 0..3 {
            world.run(&Step::Put { pk, n: 0 });
        }
        let mut undos = 3;
        for step in &steps {
            match step {
                Step::Undo if undos == 0 => continue,
                Step::Undo => undos -= 1,
                Step::Reopen => undos = 0,
                _ => {}
            }
            world.run(step);
        }
        let (first, last) = (world.states[0].0, world.states[world.states.len() - 1].0);
        // Writes go on while tables are restored, and none of them is to be seen.
        world.engine.advance(5 * MINUTE + 1_000);
        world.engine.put("Items", &json!({"pk": s("later"), "n": n(1)}));
        let (earliest, latest) = reach(&world.engine);
        prop_assert!(earliest <= first as f64 / 1_000.0 && latest * 1_000.0 >= last as f64);
        let mut moments: Vec<u64> = (first / 1_000 + 1..=last / 1_000).map(|second| second * 1_000).collect();
        moments.extend(world.states.iter().map(|state| state.0).step_by(7));
        for (number, moment) in moments.into_iter().enumerate() {
            let restored = restore(&world.engine, &format!("Restored{number}"), moment);
            let may_be = world.may_be(moment);
            prop_assert!(may_be.contains(&&restored), "at {}: {:?}, not one of {:?}", moment, restored, may_be);
        }
    }
}

#[test]
fn what_lies_within_reach_stays_there_and_no_more() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    engine
        .call(
            "CreateTable",
            &json!({
                "TableName": "Other", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            }),
        )
        .ok();
    recover(&engine, 2);
    let (enabled, latest) = reach(&engine);
    assert_eq!(enabled, latest, "there is but one moment yet");
    let mut days = Vec::new();
    for day in 0..6_u32 {
        engine.put("Items", &json!({"pk": s("a"), "n": n(day)}));
        days.push(engine.now().0);
        engine.advance(DAY - 10 * MINUTE);
        engine.settle();
    }
    let now = engine.now().0;
    let (earliest, latest) = reach(&engine);
    assert_eq!((earliest, latest), ((now / 1_000 - 2 * 86_400) as f64, (now / 1_000 - 300) as f64));
    let restore = |target: &str, moment: f64| {
        let request =
            json!({"SourceTableName": "Items", "TargetTableName": target, "RestoreDateTime": moment});
        engine.call("RestoreTableToPointInTime", &request)
    };
    for (target, moment, day) in [
        ("Early", earliest, 3),
        ("Before", (days[4] / 1_000 - 1) as f64, 3),
        ("Behind", (days[4] / 1_000 + 1) as f64, 4),
        ("Late", latest, 5),
    ] {
        restore(target, moment).ok();
        engine.settle();
        assert_eq!(items(&engine, target), [json!({"pk": s("a"), "n": n(day)})], "{target}");
    }
    assert_eq!(restore("TooEarly", earliest - 1.0).error().0, "InvalidRestoreTimeException");
    assert_eq!(restore("TooLate", latest + 2.0).error().0, "InvalidRestoreTimeException");

    // A longer period doesn't bring back what was let go.
    recover(&engine, 35);
    let (longer, _) = reach(&engine);
    assert!(longer >= earliest, "{longer} was out of reach at {earliest}");
    recover(&engine, 1);
    let (shorter, _) = reach(&engine);
    assert!(shorter >= earliest + 86_000.0, "{shorter}");
}

#[test]
fn a_table_that_is_not_recovered_any_more_forgets() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    recover(&engine, 35);
    engine.put("Items", &json!({"pk": s("a")}));
    let disabled = json!({"PointInTimeRecoveryEnabled": false});
    let disable = json!({"TableName": "Items", "PointInTimeRecoverySpecification": disabled});
    engine.call("UpdateContinuousBackups", &disable).ok();
    let request =
        json!({"SourceTableName": "Items", "TargetTableName": "Again", "UseLatestRestorableTime": true});
    let refused = engine.call("RestoreTableToPointInTime", &request).error();
    let message = "Point in time recovery is not enabled for table 'Items'".to_owned();
    assert_eq!(refused, ("PointInTimeRecoveryUnavailableException".to_owned(), message));
    engine.advance(30 * MINUTE);
    engine.put("Items", &json!({"pk": s("b")}));
    recover(&engine, 35);
    let (earliest, _) = reach(&engine);
    assert!(earliest >= (engine.now().0 / 1_000 - 1) as f64, "what wasn't recorded is out of reach");
    engine.put("Items", &json!({"pk": s("c")}));
    engine.call("RestoreTableToPointInTime", &request).ok();
    engine.settle();
    assert_eq!(items(&engine, "Again"), [json!({"pk": s("a")}), json!({"pk": s("b")})]);
}

#[test]
fn taking_back_that_recovery_was_disabled_begins_anew() {
    let engine = Harness::with_undo(50);
    engine.create("Items", "S", None);
    recover(&engine, 35);
    engine.put("Items", &json!({"pk": s("a")}));
    engine.advance(10 * MINUTE);
    let disabled = json!({"PointInTimeRecoveryEnabled": false});
    let disable = json!({"TableName": "Items", "PointInTimeRecoverySpecification": disabled});
    engine.call("UpdateContinuousBackups", &disable).ok();
    // Long enough for the journal to go.
    engine.advance(3 * DAY);
    engine.settle();
    engine.engine.undo(engine.now()).expect("the store works").expect("the change");
    let (earliest, _) = reach(&engine);
    assert!(earliest >= (engine.now().0 / 1_000 - 1) as f64);
    engine.advance(10 * MINUTE);
    engine.put("Items", &json!({"pk": s("b")}));
    let request =
        json!({"SourceTableName": "Items", "TargetTableName": "Again", "UseLatestRestorableTime": true});
    engine.call("RestoreTableToPointInTime", &request).ok();
    engine.settle();
    assert_eq!(items(&engine, "Again"), [json!({"pk": s("a")})]);
}

#[test]
fn a_stream_and_recovery_read_one_journal() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    recover(&engine, 35);
    engine.put("Items", &json!({"pk": s("a")}));
    let enabled = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    let update = json!({"TableName": "Items", "StreamSpecification": enabled});
    let stream = engine.call("UpdateTable", &update).ok()["TableDescription"]["LatestStreamArn"].clone();
    let stream = stream.as_str().expect("an ARN").to_owned();
    engine.put("Items", &json!({"pk": s("b")}));
    let events = |engine: &Harness| super::streams::records(engine, &stream, 10).len();
    assert_eq!(events(&engine), 1, "what was written before the stream was enabled is not in it");
    engine.advance(2 * DAY);
    engine.settle();
    assert_eq!(events(&engine), 0, "a stream goes back a day");
    let moment = (engine.now().0 / 1_000 - 2 * 86_400 - 60) as f64;
    let request = json!({"SourceTableName": "Items", "TargetTableName": "Again", "RestoreDateTime": moment});
    assert_eq!(engine.call("RestoreTableToPointInTime", &request).error().0, "InvalidRestoreTimeException");
    let (earliest, _) = reach(&engine);
    let request =
        json!({"SourceTableName": "Items", "TargetTableName": "Again", "RestoreDateTime": earliest});
    engine.call("RestoreTableToPointInTime", &request).ok();
    engine.settle();
    assert_eq!(items(&engine, "Again"), Vec::<Value>::new());
}
