//! SIGKILL in the middle of writes, round after round on one file: each write that was acknowledged is
//! there afterwards, and a transaction is there whole or not at all.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::serving::{Client, Serving, put, table, text};

const ROUNDS: usize = 4;
const ROUNDS_LONG: usize = 100;
const WRITERS: usize = 6;

/// What the writers were told is written.
#[derive(Default)]
struct Acknowledged {
    single: BTreeSet<String>,
    /// Pairs that one transaction wrote.
    pairs: BTreeSet<String>,
    /// What an update added up to.
    counted: [u64; WRITERS],
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let rounds = if std::env::var_os("KEYPLAN_LONG_TESTS").is_some() { ROUNDS_LONG } else { ROUNDS };
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("shop.db");
    let known = Arc::new(Mutex::new(Acknowledged::default()));
    Serving::start(&["--db", text(&db)]).call("CreateTable", &table("Tab"));
    let mut writes = 0;
    for round in 0..rounds {
        let mut serving = Serving::start(&["--db", text(&db)]);
        check(&serving, &known.lock().expect("no writer panicked"));
        writes += write_until_killed(&mut serving, round, &known);
    }
    let serving = Serving::start(&["--db", text(&db)]);
    let known = known.lock().expect("no writer panicked");
    check(&serving, &known);
    println!(
        "{rounds} kills, {writes} acknowledged writes ({} in transactions of two), none lost",
        known.pairs.len()
    );
    assert!(writes >= rounds * WRITERS, "writes were under way when it was killed");
}

/// Lets writers write, kills the endpoint while they do, and says how many writes it acknowledged.
fn write_until_killed(serving: &mut Serving, round: usize, known: &Arc<Mutex<Acknowledged>>) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let stopping = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (count, stopping) = (Arc::clone(&count), Arc::clone(&stopping));
            let (known, address) = (Arc::clone(known), serving.address.clone());
            thread::spawn(move || {
                let mut client = Client::to(&address);
                for number in 0.. {
                    let id = format!("{round}-{writer}-{number}");
                    if !write(&mut client, writer, number, &id, &known) {
                        assert!(stopping.load(Ordering::SeqCst), "{id} was refused before the kill");
                        break;
                    }
                    count.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    // After another number of writes each round, so that it falls into different moments.
    let enough = 2 * WRITERS + round * 7 % 61;
    while count.load(Ordering::SeqCst) < enough && writers.iter().any(|writer| !writer.is_finished()) {
        thread::park_timeout(Duration::from_micros(50));
    }
    stopping.store(true, Ordering::SeqCst);
    serving.kill();
    writers.into_iter().for_each(|writer| writer.join().expect("the writer ended well"));
    count.load(Ordering::SeqCst)
}

/// One write; whether it was acknowledged.
fn write(client: &mut Client, writer: usize, number: usize, id: &str, known: &Mutex<Acknowledged>) -> bool {
    let (operation, body) = match number % 3 {
        0 => ("PutItem", put("Tab", id)),
        1 => (
            "TransactWriteItems",
            format!(
                r#"{{"TransactItems":[{{"Put":{}}},{{"Put":{}}}]}}"#,
                put("Tab", &format!("{id}/left")),
                put("Tab", &format!("{id}/right"))
            ),
        ),
        _ => (
            "UpdateItem",
            format!(
                r#"{{"TableName":"Tab","Key":{{"id":{{"S":"count-{writer}"}}}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#
            ),
        ),
    };
    let Some((200, _)) = client.call("us-east-1", "key", operation, &body) else { return false };
    let mut known = known.lock().expect("no writer panicked");
    match number % 3 {
        0 => {
            known.single.insert(id.to_owned());
        }
        1 => {
            known.pairs.insert(id.to_owned());
        }
        _ => known.counted[writer] += 1,
    }
    true
}

fn check(serving: &Serving, known: &Acknowledged) {
    let items = all_items(serving);
    let found: BTreeSet<&str> = items.iter().filter_map(|item| item["id"]["S"].as_str()).collect();
    for id in &known.single {
        assert!(found.contains(id.as_str()), "{id} was acknowledged and is lost");
    }
    for pair in &known.pairs {
        for side in ["left", "right"] {
            assert!(found.contains(format!("{pair}/{side}").as_str()), "{pair}/{side} is lost");
        }
    }
    for id in &found {
        if let Some(pair) = id.strip_suffix("/left") {
            assert!(found.contains(format!("{pair}/right").as_str()), "half of {pair} was written");
        }
        if let Some(pair) = id.strip_suffix("/right") {
            assert!(found.contains(format!("{pair}/left").as_str()), "half of {pair} was written");
        }
    }
    for (writer, acknowledged) in known.counted.iter().enumerate() {
        let counter = items.iter().find(|item| item["id"]["S"] == format!("count-{writer}"));
        let counted =
            counter.and_then(|item| item["n"]["N"].as_str()).map_or(0, |n| n.parse().expect("a count"));
        assert!(counted >= *acknowledged, "count-{writer} is {counted} after {acknowledged} acknowledged");
    }
}

fn all_items(serving: &Serving) -> Vec<Value> {
    let mut items = Vec::new();
    let mut start = String::new();
    loop {
        let answer = serving.call("Scan", &format!(r#"{{"TableName":"Tab","ConsistentRead":true{start}}}"#));
        items.extend(answer["Items"].as_array().expect("items").iter().cloned());
        match &answer["LastEvaluatedKey"] {
            Value::Null => return items,
            key => start = format!(r#","ExclusiveStartKey":{key}"#),
        }
    }
}
