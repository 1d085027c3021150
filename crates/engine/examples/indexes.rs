//! What writes with indexes and vector searches take, for instruction counters and clocks:
//!
//! ```text
//! cargo build --release -p keyplan-engine --example indexes
//! valgrind --tool=callgrind target/release/examples/indexes put 2000
//! target/release/examples/indexes search 10000 1536
//! ```
//!
//! `put N` replaces items of a table with five global secondary indexes, three of them KEYS_ONLY, N times; `note N`
//! updates an attribute that only one of those projects; `added N` is `put` with indexes that were added later;
//! `search N D` searches N vectors of D numbers.

use std::sync::Arc;
use std::time::Instant;

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp};
use keyplan_store::MemoryStore;

struct Client(Engine);

impl Client {
    fn send(&self, operation: &str, body: &str) -> String {
        let reply = self.0.dispatch(&Call {
            target: Some(&format!("DynamoDB_20120810.{operation}")),
            authentication: Authentication::NotRequired { region: "us-east-1" },
            body: body.as_bytes(),
            now: Timestamp(1_764_500_000_000),
            random: 7,
            trace: false,
        });
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert_eq!(reply.status, 200, "{operation} {text}");
        text
    }
}

fn definitions(names: &[&str]) -> String {
    let one = |name: &&str| format!(r#"{{"AttributeName":"{name}","AttributeType":"S"}}"#);
    names.iter().map(one).collect::<Vec<_>>().join(",")
}

fn index(at: usize) -> String {
    let projection = if at < 2 { "ALL" } else { "KEYS_ONLY" };
    format!(
        r#"{{"IndexName":"idx{at}","KeySchema":[{{"AttributeName":"g{at}","KeyType":"HASH"}}],"Projection":{{"ProjectionType":"{projection}"}}}}"#
    )
}

fn create(client: &Client, added: bool) {
    let attributes = ["g0", "g1", "g2", "g3", "g4"];
    let mut names = vec!["pk"];
    let mut indexes = String::new();
    if !added {
        names.extend(attributes);
        let all: Vec<String> = (0..attributes.len()).map(index).collect();
        indexes = format!(r#","GlobalSecondaryIndexes":[{}]"#, all.join(","));
    }
    let definitions_of_table = definitions(&names);
    client.send(
        "CreateTable",
        &format!(
            r#"{{"TableName":"Items","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{definitions_of_table}],"KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}]{indexes}}}"#
        ),
    );
    for (at, name) in attributes.iter().enumerate().filter(|_| added) {
        let (definition, index) = (definitions(&[name]), index(at));
        client.send(
            "UpdateTable",
            &format!(
                r#"{{"TableName":"Items","AttributeDefinitions":[{definition}],"GlobalSecondaryIndexUpdates":[{{"Create":{index}}}]}}"#
            ),
        );
        client.send("DescribeTable", r#"{"TableName":"Items"}"#);
    }
}

fn put(client: &Client, number: usize) {
    let pk = number % 100;
    let text = "x".repeat(200);
    client.send(
        "PutItem",
        &format!(
            r#"{{"TableName":"Items","Item":{{"pk":{{"S":"item{pk}"}},"g0":{{"S":"a{pk}"}},"g1":{{"S":"b{pk}"}},"g2":{{"S":"c{pk}"}},"g3":{{"S":"d{pk}"}},"g4":{{"S":"e"}},"n":{{"N":"{number}"}},"text":{{"S":"{text}"}}}}}}"#
        ),
    );
}

fn note(client: &Client, number: usize) {
    let pk = number % 100;
    client.send(
        "UpdateItem",
        &format!(
            r#"{{"TableName":"Items","Key":{{"pk":{{"S":"item{pk}"}}}},"UpdateExpression":"SET note = :n","ExpressionAttributeValues":{{":n":{{"N":"{number}"}}}}}}"#
        ),
    );
}

fn vector(seed: usize, dimensions: usize) -> String {
    let mut state = seed as u64 * 2 + 1;
    let number = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!(r#"{{"N":"0.{:08}"}}"#, (state >> 33) % 100_000_000)
    };
    (0..dimensions).map(number).collect::<Vec<_>>().join(",")
}

fn search(client: &Client, count: usize, dimensions: usize) {
    client.send(
        "CreateTable",
        &format!(
            r#"{{"TableName":"Docs","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{}],"KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],"VectorIndexes":[{{"IndexName":"near","VectorAttribute":{{"AttributeName":"v"}},"Dimensions":{dimensions},"DistanceFunction":"COSINE","Projection":{{"ProjectionType":"KEYS_ONLY"}}}}]}}"#,
            definitions(&["pk"])
        ),
    );
    let start = Instant::now();
    for number in 0..count {
        let vector = vector(number, dimensions);
        client.send(
            "PutItem",
            &format!(
                r#"{{"TableName":"Docs","Item":{{"pk":{{"S":"doc{number}"}},"v":{{"L":[{vector}]}}}}}}"#
            ),
        );
    }
    println!("put     {:>10.1} us", start.elapsed().as_secs_f64() * 1e6 / count as f64);
    const SEARCHES: usize = 20;
    let start = Instant::now();
    for number in 0..SEARCHES {
        let vector = vector(count + number, dimensions);
        client.send(
            "SearchVectors",
            &format!(r#"{{"TableName":"Docs","IndexName":"near","TopK":10,"SearchVector":[{vector}]}}"#),
        );
    }
    println!("search  {:>10.1} us", start.elapsed().as_secs_f64() * 1e6 / SEARCHES as f64);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let mut number = || arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1_000);
    // Whatever other options there come to be, nothing is kept for undo here.
    #[allow(clippy::needless_update)]
    let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options);
    let client = Client(engine.unwrap_or_else(|error| panic!("{error}")));
    match what.as_str() {
        "search" => search(&client, number(), number()),
        "note" => {
            create(&client, false);
            (0..100).for_each(|number| put(&client, number));
            (0..number()).for_each(|number| note(&client, number));
        }
        what => {
            create(&client, what == "added");
            (0..number()).for_each(|number| put(&client, number));
        }
    }
}
