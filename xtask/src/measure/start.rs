//! From the start of the process to its first answer, and its memory when it is idle afterwards.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::running::{Client, Running};
use super::{middle_and_most, milliseconds};
use crate::binary;
use crate::failure::{Failure, Outcome, While};
use crate::place::Place;

const ROUNDS: usize = 15;

/// What the middle round may take.
const FIRST_ANSWER_MAX: Duration = Duration::from_millis(30);
const IDLE_KILOBYTES_MAX: u64 = 12 * 1024;

/// Long enough for whatever runs beside requests to have had its turn.
const IDLE: Duration = Duration::from_millis(1_500);

pub fn measure(place: &Place) -> Outcome {
    let folder = place.target().join("measure");
    fs::create_dir_all(&folder).when(|| folder.display().to_string())?;
    let file = folder.join("start.db");
    let db = file.display().to_string();
    println!("\nStart to first answer (a signed ListTables), and memory {} s later; {ROUNDS} rounds", 1.5);
    let mut missed = Vec::new();
    for (name, arguments) in [("in memory", vec![]), ("on a file", vec!["--db", &db])] {
        let _ = fs::remove_file(&file);
        let (mut times, mut kilobytes, mut threads) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let running = Running::start(&binary::file(place), &arguments)?;
            Client::to(&running.endpoint)?.call("ListTables", "{}")?;
            times.push(begun.elapsed());
            wait(IDLE);
            let (resident, count) = running.weight()?;
            kilobytes.push(resident);
            threads.push(count);
        }
        let (time, slowest) = middle_and_most(times);
        let (resident, largest) = middle_and_most(kilobytes);
        println!(
            "  {name}: {} in the middle, {} at most; {:.1} MB in the middle, {:.1} MB at most; {} threads",
            milliseconds(time),
            milliseconds(slowest),
            resident as f64 / 1024.0,
            largest as f64 / 1024.0,
            middle_and_most(threads).0,
        );
        if time > FIRST_ANSWER_MAX || resident > IDLE_KILOBYTES_MAX {
            missed.push(name);
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{}: the bar is 30 ms and 12 MB in the middle", missed.join(", "))))
}

/// Nothing wakes this thread, so it waits for the whole time.
fn wait(time: Duration) {
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        thread::park_timeout(left);
    }
}
