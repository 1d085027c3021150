//! The past of a table against a plain model: copies and gathered changes, made in small slices while the table
//! is written, deleted, and the engine opened anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use keyplan_engine::catalog::{self, Totals, counters};
use keyplan_engine::history::{self, Start, Target};
use keyplan_engine::{Timestamp, spaces};
use keyplan_store::{Batch, MemoryStore, Space, Store, StoreError, StoreExt};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::freeing::entries;
use super::harness::{Harness, cases, n, s};

#[derive(Debug, Clone)]
enum Step {
    Put {
        pk: u8,
        n: u8,
    },
    Update {
        pk: u8,
        n: u8,
    },
    Delete {
        pk: u8,
    },
    Transaction {
        put: u8,
        delete: u8,
        n: u8,
    },
    Wait {
        milliseconds: u8,
    },
    /// A copy of the present, or of a moment so far back.
    Copy {
        back: Option<u8>,
    },
    /// What changed in the steps from so far back to so far back.
    Changes {
        from: u8,
        to: u8,
    },
    Work {
        entries: u8,
    },
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let pk = || 0..6_u8;
    prop_oneof![
        5 => (pk(), any::<u8>()).prop_map(|(pk, n)| Step::Put { pk, n }),
        3 => (pk(), any::<u8>()).prop_map(|(pk, n)| Step::Update { pk, n }),
        3 => pk().prop_map(|pk| Step::Delete { pk }),
        2 => (pk(), pk(), any::<u8>()).prop_map(|(put, delete, n)| Step::Transaction { put, delete, n }),
        2 => (0..3_u8).prop_map(|milliseconds| Step::Wait { milliseconds }),
        2 => proptest::option::of(0..20_u8).prop_map(|back| Step::Copy { back }),
        1 => (0..20_u8, 0..20_u8).prop_map(|(from, to)| Step::Changes { from, to }),
        4 => (1..4_u8).prop_map(|entries| Step::Work { entries }),
        1 => Just(Step::Reopen),
    ]
}

type Items = BTreeMap<String, Value>;

/// What is to be found in a keyspace in the end.
enum Expected {
    Items(Items),
    Changes { before: Items, after: Items },
}

struct World {
    store: Arc<MemoryStore>,
    engine: Harness,
    /// The table's states, each with the moment from which it was so.
    states: Vec<(Timestamp, Items)>,
    expected: Vec<(Space, Expected)>,
}

impl World {
    fn new() -> World {
        let store = Arc::new(MemoryStore::new());
        let mut engine = Harness::on(store.clone(), 0);
        // Items are copied into tables that no catalog has.
        engine.is_damaged = true;
        engine.create("Items", "S", None);
        let enabled = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
        engine.call("UpdateTable", &json!({"TableName": "Items", "StreamSpecification": enabled})).ok();
        let states = vec![(engine.now(), Items::new())];
        World { store, engine, states, expected: Vec::new() }
    }

    fn present(&self) -> Items {
        self.states.last().expect("a state").1.clone()
    }

    fn moment(&self, back: u8) -> Timestamp {
        self.states[self.states.len().saturating_sub(1 + usize::from(back))].0
    }

    fn at(&self, moment: Timestamp) -> Items {
        self.states.iter().rev().find(|state| state.0 <= moment).expect("a state").1.clone()
    }

    fn write(&mut self, operation: &str, body: &Value, change: impl FnOnce(&mut Items)) {
        self.engine.call(operation, body).ok();
        let mut items = self.present();
        change(&mut items);
        // The request's own moment is the one before.
        let moment = Timestamp(self.engine.now().0 - 1);
        self.states.push((moment, items));
    }

    fn begin(
        &self,
        begin: impl Fn(&dyn keyplan_store::Snapshot, &mut Batch, &mut catalog::TableDefinition, Space, Space)
        + Send
        + 'static,
    ) -> Space {
        let (into, journal) = (self.store.new_space().unwrap(), self.store.new_space().unwrap());
        let begun = self.store.transact(move |snapshot| -> Result<_, StoreError> {
            let mut batch = Batch::new();
            let mut table = catalog::table_in(snapshot, "Items").expect("readable").expect("it is there");
            begin(snapshot, &mut batch, &mut table, into, journal);
            Ok((batch, ()))
        });
        begun.expect("the store works").expect("it begins");
        into
    }

    fn run(&mut self, step: &Step) {
        let table = "Items";
        match *step {
            Step::Put { pk, n: number } => {
                let item = json!({"pk": s(&pk.to_string()), "n": n(number)});
                self.write("PutItem", &json!({"TableName": table, "Item": item}), |items| {
                    items.insert(pk.to_string(), item.clone());
                });
            }
            Step::Update { pk, n: number } => {
                let key = json!({"pk": s(&pk.to_string())});
                let update = json!({
                    "TableName": table, "Key": key, "UpdateExpression": "SET m = :m",
                    "ExpressionAttributeValues": {":m": n(number)},
                });
                self.write("UpdateItem", &update, |items| {
                    items.entry(pk.to_string()).or_insert(key)["m"] = n(number);
                });
            }
            Step::Delete { pk } => {
                let request = json!({"TableName": table, "Key": {"pk": s(&pk.to_string())}});
                self.write("DeleteItem", &request, |items| {
                    items.remove(&pk.to_string());
                });
            }
            Step::Transaction { put, delete, .. } if put == delete => {}
            Step::Transaction { put, delete, n: number } => {
                let item = json!({"pk": s(&put.to_string()), "n": n(number)});
                let actions = json!({"TransactItems": [
                    {"Put": {"TableName": table, "Item": item}},
                    {"Delete": {"TableName": table, "Key": {"pk": s(&delete.to_string())}}},
                ]});
                self.write("TransactWriteItems", &actions, |items| {
                    items.insert(put.to_string(), item.clone());
                    items.remove(&delete.to_string());
                });
            }
            Step::Wait { milliseconds } => self.engine.advance(milliseconds.into()),
            Step::Copy { back } => {
                let as_of = back.map(|back| self.moment(back));
                let now = self.engine.now();
                let into = self.begin(move |snapshot, batch, table, into, journal| {
                    let start = Start { as_of, into, target: Target::Keyspace, journal };
                    history::begin(snapshot, batch, table, start, now).expect("it begins");
                });
                let items = as_of.map_or_else(|| self.present(), |moment| self.at(moment));
                self.expected.push((into, Expected::Items(items)));
            }
            Step::Changes { from, to } => {
                let (from, to) = (self.moment(from.max(to)), self.moment(from.min(to)));
                let into = self.begin(move |snapshot, batch, table, into, _| {
                    history::begin_changes(snapshot, batch, table, (from, to), into).expect("it begins");
                });
                self.expected.push((into, Expected::Changes { before: self.at(from), after: self.at(to) }));
            }
            Step::Work { entries } => {
                self.engine.engine.step(self.engine.now(), entries.into()).expect("the store works");
            }
            Step::Reopen => {
                let now = self.engine.now();
                self.engine = Harness::on(self.store.clone(), 0);
                self.engine.is_damaged = true;
                let behind = now.0 - self.engine.now().0;
                self.engine.advance(behind);
            }
        }
    }

    fn items_in(&self, space: Space) -> Items {
        let page = self.store.view(|snapshot| history::items(snapshot, space, &[], 1_000));
        let page = page.expect("the store works").expect("readable");
        page.entries.iter().map(|(_, item)| (pk(item), shown(item))).collect()
    }

    fn check(&self, space: Space, expected: &Expected) {
        match expected {
            Expected::Items(expected) => {
                assert_eq!(&self.items_in(space), expected);
                let totals = self.store.view(|snapshot| counters::totals(snapshot, space));
                let Totals { items, .. } = totals.expect("the store works").expect("readable");
                assert_eq!(items, expected.len() as i64);
            }
            Expected::Changes { before, after } => {
                let page = self.store.view(|snapshot| history::changes(snapshot, space, &[], 1_000));
                let page = page.expect("the store works").expect("readable");
                let mut changed = before.clone();
                for record in page.entries {
                    let item = record.after.as_ref().or(record.before.as_ref()).expect("an item");
                    let key = pk(item);
                    assert_eq!(record.before.as_ref().map(shown), before.get(&key).cloned(), "{key} before");
                    match record.after {
                        Some(item) => changed.insert(key, shown(&item)),
                        None => changed.remove(&key),
                    };
                }
                assert_eq!(&changed, after);
            }
        }
    }
}

fn pk(item: &keyplan_value::Item) -> String {
    item.get("pk").and_then(|pk| pk.as_str().map(str::to_owned)).expect("a key")
}

fn shown(item: &keyplan_value::Item) -> Value {
    let mut json = Vec::new();
    item.as_ref().write_json(&mut json);
    serde_json::from_slice(&json).expect("an item is JSON")
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn copies_are_the_table_at_their_times(
        steps in proptest::collection::vec(step(), 1..80),
        deletes in any::<bool>(),
    ) {
        let mut world = World::new();
        for step in &steps {
            world.run(step);
        }
        if deletes {
            world.engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
        }
        world.engine.settle();
        for (space, expected) in &world.expected {
            world.check(*space, expected);
        }
        prop_assert_eq!(entries(&world.store, spaces::HELD), 0, "nothing is held any more");
        if !deletes {
            let table = world.store.view(|snapshot| catalog::table_in(snapshot, "Items"));
            let table = table.expect("the store works").expect("readable").expect("it is there");
            prop_assert_eq!(table.copies, Vec::<Space>::new());
        }
    }
}

#[test]
fn what_is_discarded_leaves_nothing() {
    let mut world = World::new();
    for pk in 0..6 {
        world.run(&Step::Put { pk, n: 0 });
    }
    world.run(&Step::Copy { back: Some(3) });
    world.run(&Step::Work { entries: 2 });
    let (space, _) = world.expected.pop().expect("a copy");
    let discarded = world.store.transact(move |snapshot| -> Result<_, StoreError> {
        let mut batch = Batch::new();
        assert!(history::is_copying(snapshot, space).expect("readable"));
        history::discard(snapshot, &mut batch, space).expect("it is dropped");
        Ok((batch, ()))
    });
    discarded.expect("the store works").expect("it is written");
    world.engine.settle();
    assert_eq!(entries(&world.store, spaces::HELD), 0);
    assert_eq!(entries(&world.store, space), 0);
    // What is left is to look after the stream's journal.
    assert_eq!(entries(&world.store, spaces::JOBS), 1);
}
