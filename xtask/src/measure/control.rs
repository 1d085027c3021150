//! What a snapshot, a restore and a reset take, as a test sees them, with many items in the table.

use std::time::{Duration, Instant};

use super::running::{Client, Running};
use super::{middle_and_most, milliseconds};
use crate::binary;
use crate::failure::{Failure, Outcome};
use crate::place::Place;

const ITEMS: usize = 100_000;
const ITEM_BYTES: usize = 400;
const BATCH: usize = 25;
const CHANGED: usize = 500;
const ROUNDS: usize = 21;

/// What the middle round may take.
const MAX: Duration = Duration::from_millis(10);

const TABLE: &str = r#"{"TableName":"Measured","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#;

pub fn measure(place: &Place) -> Outcome {
    let running = Running::start(&binary::file(place), &["--control=0"])?;
    let mut client = Client::to(&running.endpoint)?;
    let mut control = Client::to(running.control.as_deref().unwrap_or_default())?;
    client.call("CreateTable", TABLE)?;
    put(&mut client, 0..ITEMS)?;
    println!(
        "\nControl, with {ITEMS} items of {ITEM_BYTES} bytes and {CHANGED} written between; {ROUNDS} rounds"
    );
    let mut missed = Vec::new();
    let mut figures = [("snapshot", Vec::new()), ("restore", Vec::new()), ("reset", Vec::new())];
    for _ in 0..ROUNDS {
        for (name, times) in &mut figures {
            put(&mut client, 0..CHANGED)?;
            let begun = Instant::now();
            control.send(&format!("/{name}"), "", "{}")?;
            times.push(begun.elapsed());
            if *name == "reset" {
                // For the next round, which begins with a snapshot of everything again.
                control.send("/restore", "", "{}")?;
            }
        }
    }
    for (name, times) in figures {
        let (time, slowest) = middle_and_most(times);
        println!("  {name}: {} in the middle, {} at most", milliseconds(time), milliseconds(slowest));
        if time > MAX {
            missed.push(name);
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{}: the bar is {} in the middle", missed.join(", "), milliseconds(MAX))))
}

fn put(client: &mut Client, numbers: std::ops::Range<usize>) -> Outcome {
    let filling = "x".repeat(ITEM_BYTES);
    for from in numbers.clone().step_by(BATCH) {
        let requests: Vec<String> = (from..numbers.end.min(from + BATCH))
            .map(|number| {
                format!(r#"{{"PutRequest":{{"Item":{{"id":{{"S":"{number}"}},"v":{{"S":"{filling}"}}}}}}}}"#)
            })
            .collect();
        let body = format!(r#"{{"RequestItems":{{"Measured":[{}]}}}}"#, requests.join(","));
        client.call("BatchWriteItem", &body)?;
    }
    Ok(())
}
