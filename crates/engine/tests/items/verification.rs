//! Stores that are damaged in each way that `verify` knows, and what it says of each.

use std::ops::Bound;
use std::sync::Arc;

use keyplan_engine::catalog::{self, TableDefinition};
use keyplan_engine::spaces;
use keyplan_engine::verify::{Verified, verify};
use keyplan_store::{Batch, Bounds, Direction, SharedBytes, Space, StoreExt, Visit, counter_bytes};
use serde_json::{Value, json};

use super::damage::Filling;
use super::harness::{Harness, n, s};

/// A table with everything that follows from items, and some of those.
fn world() -> (Arc<Filling>, Harness) {
    let store = Arc::new(Filling::default());
    let mut engine = Harness::on(store.clone(), 0);
    engine.is_damaged = true;
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let definition = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let all = json!({"ProjectionType": "ALL"});
    engine
        .call(
            "CreateTable",
            &json!({
                "TableName": "Items", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": (["pk", "sk", "g", "l"].map(definition)),
                "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
                "GlobalSecondaryIndexes": [
                    {"IndexName": "byG", "KeySchema": [key("g", "HASH")], "Projection": {"ProjectionType": "KEYS_ONLY"}},
                ],
                "LocalSecondaryIndexes": [
                    {"IndexName": "byL", "KeySchema": [key("pk", "HASH"), key("l", "RANGE")], "Projection": all},
                ],
                "VectorIndexes": [{
                    "IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2,
                    "DistanceFunction": "COSINE", "Projection": all,
                    "SearchSchema": [{"AttributeName": "g", "SearchSchemaElementType": "HASH"}],
                }],
                "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            }),
        )
        .ok();
    let expires = json!({"Enabled": true, "AttributeName": "ttl"});
    engine.call("UpdateTimeToLive", &json!({"TableName": "Items", "TimeToLiveSpecification": expires})).ok();
    for number in 0..6 {
        engine.put("Items", &item(number, "first"));
    }
    engine.put("Items", &item(2, "second"));
    (store, engine)
}

fn item(number: u64, text: &str) -> Value {
    json!({
        "pk": s(&format!("p{}", number % 2)), "sk": s(&number.to_string()), "g": s("g"), "l": s("l"),
        "v": {"L": [n(number), n(1)]}, "ttl": n(4_000_000_000 + number), "text": s(text),
    })
}

fn table(store: &Filling) -> TableDefinition {
    let table = store.view(|snapshot| catalog::table_in(snapshot, "Items"));
    table.expect("the store works").expect("readable").expect("the table")
}

/// What is found, and how much was looked at.
fn found(store: &Filling) -> (Vec<String>, Verified) {
    let mut differences = Vec::new();
    let keyspaces: Vec<Space> = store.spaces().into_iter().map(Space).collect();
    let verified =
        verify(store, Some(&keyspaces), &mut |difference| differences.push(difference.to_string()));
    (differences, verified.expect("the store works"))
}

fn change(store: &Filling, change: impl Fn(&mut Batch) + Send + 'static) {
    let written = store.transact(move |_| {
        let mut batch = Batch::new();
        change(&mut batch);
        Ok::<_, std::convert::Infallible>((batch, ()))
    });
    written.expect("the store works").expect("nothing aborts");
}

fn entries(store: &Filling, space: Space) -> Vec<(Vec<u8>, SharedBytes)> {
    let mut entries = Vec::new();
    let walked = store.view(|snapshot| {
        snapshot.range(space, Bounds::ALL, Direction::Forward, 1, &mut |key, value| {
            entries.push((key.to_vec(), value.to_shared()));
            Visit::Continue
        })
    });
    walked.and_then(|walked| walked).expect("the store works");
    entries
}

/// Changes the keyspace in one way and expects exactly these words, one for each difference, to be told.
#[track_caller]
fn told(
    space: impl Fn(&TableDefinition) -> Space,
    damage: impl Fn(&mut Batch, Space, &[(Vec<u8>, SharedBytes)]) + Send + 'static,
    words: &[&str],
) {
    let (store, _engine) = world();
    let space = space(&table(&store));
    let entries = entries(&store, space);
    assert!(!entries.is_empty(), "something can be damaged");
    change(&store, move |batch| damage(batch, space, &entries));
    let (differences, _) = found(&store);
    assert_eq!(differences.len(), words.len(), "{differences:#?}");
    for words in words {
        assert!(differences.iter().any(|told| told.contains(words)), "{words} is not in {differences:#?}");
    }
}

fn index(table: &TableDefinition, name: &str) -> Space {
    table.index(name).expect("the index").space
}

fn near(table: &TableDefinition) -> Space {
    table.vector_index("near").expect("the index").space
}

#[test]
fn what_was_written_has_no_differences() {
    let (store, _engine) = world();
    let (differences, verified) = found(&store);
    assert_eq!(differences, Vec::<String>::new());
    let Verified { tables, items, entries, records, unused, differences } = verified;
    assert_eq!((tables, items, entries, records, unused, differences), (1, 6, 18, 7, 0, 0));
}

#[test]
fn a_missing_entry_is_named_by_its_items_key() {
    let missing = |batch: &mut Batch, space, entries: &[(Vec<u8>, SharedBytes)]| {
        batch.delete(space, entries[0].0.clone());
    };
    told(|table| index(table, "byG"), missing, &["table Items, index byG, the entry of {\"pk\":"]);
    told(|table| index(table, "byL"), missing, &["table Items, index byL, the entry of {\"pk\":"]);
    told(near, missing, &["table Items, vector index near, the entry of {\"pk\":"]);
    told(
        |table| table.time_to_live.as_ref().expect("it expires").space,
        missing,
        &["table Items, expiry times, the entry of {\"pk\":"],
    );
}

#[test]
fn another_value_is_shown_beside_what_it_should_be() {
    let swapped = |batch: &mut Batch, space, entries: &[(Vec<u8>, SharedBytes)]| {
        batch.put(space, entries[0].0.clone(), entries[1].1.clone());
    };
    told(|table| index(table, "byG"), swapped, &["there should be {\"g\":{\"S\":\"g\"},\"pk\":"]);
    told(|table| index(table, "byL"), swapped, &["index byL, the entry of"]);
    told(near, swapped, &["vector index near, the entry of"]);
    let cut = |batch: &mut Batch, space, entries: &[(Vec<u8>, SharedBytes)]| {
        batch.put(space, entries[0].0.clone(), &entries[0].1[..9]);
    };
    told(|table| index(table, "byG"), cut, &["9 bytes that are no item"]);
}

#[test]
fn an_entry_that_no_item_has_is_named() {
    let moved = |batch: &mut Batch, space, entries: &[(Vec<u8>, SharedBytes)]| {
        let mut place = entries[0].0.clone();
        place[0] ^= 0xff;
        batch.put(space, place, entries[0].1.clone());
    };
    told(|table| index(table, "byG"), moved, &["index byG, the entry at {\"g\":{\"S\":\"g\"},\"pk\":"]);
    told(|table| index(table, "byL"), moved, &["nothing, for no item has it"]);
    told(near, moved, &["vector index near, the entry at {\"pk\":"]);
    told(
        |table| table.time_to_live.as_ref().expect("it expires").space,
        moved,
        &["table Items, expiry times, the entry at"],
    );
}

#[test]
fn an_item_that_is_lost_leaves_what_followed_from_it() {
    told(
        |table| table.space,
        |batch, space, entries| batch.delete(space, entries[0].0.clone()),
        &[
            "its count of items: there is 6, and there should be 5",
            "its count of bytes",
            "the size of the item collection {\"pk\":",
            "index byG, the entry at",
            "index byL, the entry at",
            "vector index near, the entry at",
            "expiry times, the entry at",
            "index byG, its count of entries: there is 6, and there should be 5",
            "index byG, its count of bytes",
            "index byL, its count of entries",
            "index byL, its count of bytes",
            "vector index near, its count of entries",
            "vector index near, its count of bytes:",
            "vector index near, its count of bytes saved",
            "there is nothing, and there should be what record",
        ],
    );
}

#[test]
fn an_item_that_is_no_item_or_lies_elsewhere_is_named() {
    let (store, _engine) = world();
    let space = table(&store).space;
    let items = entries(&store, space);
    change(&store, move |batch| batch.put(space, items[0].0.clone(), [1, 2, 3].as_slice()));
    let (differences, _) = found(&store);
    assert!(differences[0].contains("3 bytes that are no item (010203)"), "{differences:#?}");

    let (store, _engine) = world();
    let items = entries(&store, space);
    change(&store, move |batch| batch.put(space, items[0].0.clone(), items[1].1.clone()));
    let (differences, _) = found(&store);
    assert!(differences[0].contains("there should be an item with this key"), "{differences:#?}");
}

#[test]
fn counters_that_are_off_are_named() {
    let off = |batch: &mut Batch, space, entries: &[(Vec<u8>, SharedBytes)]| {
        for (key, _) in entries {
            batch.add(space, key.clone(), 1);
        }
    };
    let two = ["table Items, its count of items: there is 7", "table Items, its count of bytes"];
    let of_indexes = ["byG", "byL"].map(|index| {
        [
            format!("index {index}, its count of entries: there is 7"),
            format!("index {index}, its count of bytes"),
        ]
    });
    let of_vectors = ["its count of entries: there is 7", "its count of bytes:", "its count of bytes saved"]
        .map(|what| format!("vector index near, {what}"));
    let words: Vec<&str> = two
        .into_iter()
        .chain(of_indexes.iter().flatten().map(String::as_str))
        .chain(of_vectors.iter().map(String::as_str))
        .collect();
    told(|_| spaces::COUNTERS, off, &words);
    told(
        |table| table.collections.expect("it has local indexes"),
        off,
        &["the size of the item collection {\"pk\":{\"S\":\"p0\"}}", "collection {\"pk\":{\"S\":\"p1\"}}"],
    );
    told(
        |table| table.collections.expect("it has local indexes"),
        |batch, space, _| {
            let place = keyplan_value::key::partition_prefix([keyplan_value::ValueRef::string("none")]);
            batch.put(space, place.expect("a key"), counter_bytes(9).as_slice());
        },
        &["{\"pk\":{\"S\":\"none\"}}: there is 9, and there should be 0"],
    );
    told(
        |_| spaces::COUNTERS,
        |batch, space, entries| {
            let mut key = entries[0].0.clone();
            key[7] = 0xff;
            batch.put(space, key, counter_bytes(9).as_slice());
        },
        &["the counters, of keyspace"],
    );
}

#[test]
fn a_journal_that_lacks_a_record_or_has_one_out_of_order_is_named() {
    let journal = |table: &TableDefinition| table.journal.expect("a journal");
    // The third put is the item's first of two, so the second's image before hangs in the air no more: but the
    // number is missing.
    told(
        journal,
        |batch, space, entries| batch.delete(space, entries[2].0.clone()),
        &["table Items, journal, records 3 to 3: there is nothing"],
    );
    told(
        journal,
        |batch, space, entries| batch.delete(space, entries[6].0.clone()),
        &["records 7 to 7: there is nothing", "{\"pk\":{\"S\":\"p0\"},\"sk\":{\"S\":\"2\"}}: there is"],
    );
    told(
        journal,
        |batch, space, entries| {
            let [one, other] = [0, 1].map(|at: usize| entries[at].clone());
            batch.put(space, one.0, other.1);
            batch.put(space, other.0, one.1);
        },
        &["record 2: there is the time"],
    );
    told(
        journal,
        |batch, space, entries| {
            let mut late = entries[6].1.to_vec();
            late[2] = 0xff;
            batch.put(space, entries[6].0.clone(), late);
        },
        &["record 7: there is the time"],
    );
    told(
        journal,
        |batch, space, entries| batch.put(space, entries[0].0.clone(), [7].as_slice()),
        &["record 1: there is a damaged record"],
    );
    told(
        journal,
        |batch, space, entries| batch.put(space, [0, 0, 0, 0, 0, 0, 0, 0, 0, 99], entries[6].1.clone()),
        &["record 99: there is a record, and there should be none from 8 on", "record 99"],
    );
}

#[test]
fn images_that_do_not_follow_each_other_are_named() {
    let journal = |table: &TableDefinition| table.journal.expect("a journal");
    // The last record says that the item was put, as if it hadn't been there.
    told(
        journal,
        |batch, space, entries| {
            let (key, record) = &entries[6];
            let before = u32::from_be_bytes(record[10..14].try_into().expect("a length")) as usize;
            let changed = [&record[..10], &[0; 4], &record[14 + before..]].concat();
            batch.put(space, key.clone(), changed);
        },
        &["the item before record 7: there is nothing, and there should be what record 3 left"],
    );
    // A record of two items, and one that changes nothing.
    told(
        journal,
        |batch, space, entries| {
            let (key, record) = &entries[6];
            let of_other = &entries[5].1[14..];
            let mut changed = record[..10].to_vec();
            changed.extend(u32::try_from(of_other.len()).expect("short").to_be_bytes());
            changed.extend_from_slice(of_other);
            let before = u32::from_be_bytes(record[10..14].try_into().expect("a length")) as usize;
            changed.extend_from_slice(&record[14 + before..]);
            batch.put(space, key.clone(), changed);
        },
        &["there should be one item of the table", "there should be what record 3 of its journal left"],
    );
    // The item is what it was before its last record.
    let (store, _engine) = world();
    let items = table(&store).space;
    let earlier = entries(&store, journal(&table(&store)))[2].1[14..].to_vec();
    let place =
        entries(&store, items).into_iter().find(|(_, item)| item.windows(6).any(|word| word == b"second"));
    let place = place.expect("the item that was put twice").0;
    change(&store, move |batch| batch.put(items, place.clone(), earlier.as_slice()));
    let (differences, _) = found(&store);
    let is_told = |words: &str| differences.iter().any(|told| told.contains(words));
    assert!(is_told("and there should be what record 7 of its journal left"), "{differences:#?}");
    assert!(
        is_told("index byL, the entry of {\"pk\":{\"S\":\"p0\"},\"sk\":{\"S\":\"2\"}}"),
        "{differences:#?}"
    );
}

#[test]
fn a_stream_that_does_not_fit_its_table_is_named() {
    told(
        |_| spaces::STREAMS,
        |batch, space, _| batch.delete_range(space, Bound::Unbounded, Bound::Unbounded),
        &["there should be the stream that the table has enabled"],
    );
    told(
        |_| spaces::STREAMS,
        |batch, space, entries| batch.put(space, entries[0].0.clone(), [9].as_slice()),
        &["the streams, Items, ", "there should be the stream that the table has enabled"],
    );
    let (store, _engine) = world();
    change(&store, |batch| batch.delete(spaces::CATALOG, b"Items".as_slice()));
    let (differences, _) = found(&store);
    for words in [
        "its last shard: there is an open shard, and there should be no open shard",
        "6 entries that belong to nothing",
        "the counters, of keyspace 16",
        "the tables whose items expire, table Items: there is a record",
    ] {
        assert!(differences.iter().any(|told| told.contains(words)), "{words} is not in {differences:#?}");
    }
}

#[test]
fn keyspaces_have_one_owner_each_and_those_exist() {
    let (store, _engine) = world();
    let leaked = keyplan_store::Store::new_space(&*store).expect("the store works");
    let (differences, verified) = found(&store);
    assert_eq!((differences.len(), verified.unused), (0, 1), "a number that nothing came of");
    change(&store, move |batch| batch.put(leaked, [1], [2].as_slice()));
    let (differences, _) = found(&store);
    let expected = format!("keyspace {}: there is 1 entries that belong to nothing", leaked.0);
    assert!(differences.len() == 1 && differences[0].contains(&expected), "{differences:#?}");

    let (store, _engine) = world();
    keyplan_store::Store::drop_space(&*store, index(&table(&store), "byG")).expect("the store works");
    let (differences, _) = found(&store);
    let is_told = |words: &str| differences.iter().any(|told| told.contains(words));
    assert!(is_told("of table Items: there is nothing, and there should be a keyspace"), "{differences:#?}");
    assert!(is_told("index byG, the entry of"), "{differences:#?}");
}

#[test]
fn records_of_work_that_are_of_nothing_are_named() {
    told(
        |_| spaces::JOBS,
        |batch, space, _| batch.put(space, [0; 9], [1].as_slice()),
        &["the records of work, bytes 000000000000000000: there is work of an unknown kind"],
    );
    told(
        |_| spaces::JOBS,
        |batch, space, _| batch.delete_range(space, Bound::Unbounded, Bound::Unbounded),
        &["the journal of table Items: there is nothing, and there should be one that tends it"],
    );
    told(
        |_| spaces::JOURNALS,
        |batch, space, _| batch.delete_range(space, Bound::Unbounded, Bound::Unbounded),
        &["there should be the number of its next record"],
    );
    told(
        |_| spaces::EXPIRY_TABLES,
        |batch, space, _| batch.delete_range(space, Bound::Unbounded, Bound::Unbounded),
        &["the tables whose items expire, table Items: there is nothing"],
    );
    let (store, _engine) = world();
    change(&store, |batch| batch.put(spaces::CATALOG, *b"Items", [9].as_slice()));
    let (differences, _) = found(&store);
    assert!(
        differences[0].contains("the catalog, table Items: there is a damaged record"),
        "{differences:#?}"
    );
}

#[test]
fn what_is_being_filled_may_lack_what_the_job_has_not_come_to() {
    let (store, engine) = world();
    for number in 6..200 {
        engine.put("Items", &item(number, "more"));
    }
    let definition = json!({"AttributeName": "text", "AttributeType": "S"});
    let schema = json!([{"AttributeName": "text", "KeyType": "HASH"}]);
    let create = json!({"IndexName": "byText", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}});
    let update = json!({
        "TableName": "Items", "AttributeDefinitions": [definition],
        "GlobalSecondaryIndexUpdates": [{"Create": create}],
    });
    engine.call("UpdateTable", &update).ok();
    engine.engine.step(engine.now(), 60).expect("the store works");
    assert_eq!(found(&store).0, Vec::<String>::new());
    let space = index(&table(&store), "byText");
    let filled = entries(&store, space);
    assert!(!filled.is_empty() && filled.len() < 200, "it is being filled");
    change(&store, move |batch| batch.delete(space, filled[0].0.clone()));
    let (differences, _) = found(&store);
    assert!(differences.iter().any(|told| told.contains("index byText, the entry of")), "{differences:#?}");
}

#[test]
fn records_of_another_form_are_refused() {
    let (store, _engine) = world();
    change(&store, |batch| batch.put(spaces::FORMAT, *b"records", 99_u64.to_be_bytes().as_slice()));
    let refused = verify(&*store, None, &mut |difference| panic!("{difference}"));
    let words = refused.expect_err("it is of a later version").to_string();
    assert!(words.contains("form 99"), "{words}");
}
