//! `keyplan-torture kill PROGRAM …` and `keyplan-torture histories …`: the long form, with its figures printed.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use keyplan_torture::Counts;
use keyplan_torture::kill::{Kills, kill};
use keyplan_torture::stores::{Histories, Home, histories};

const USAGE: &str = "usage: keyplan-torture kill PROGRAM [--rounds N] [--clients N] [--requests N] [--seed N]
       keyplan-torture histories [--seconds N] [--clients N] [--requests N] [--seed N]";

/// Rounds, and between how many of them it says how far it is.
const ROUNDS: u64 = 1_000;
const TOLD_EVERY: u64 = 50;

/// Clients while it is killed, and requests after which that happens at the latest.
const CLIENTS_KILLED: u64 = 16;
const REQUESTS_KILLED: u64 = 600;

/// Clients of the histories, and requests of each in a run.
const CLIENTS: u64 = 64;
const REQUESTS: u64 = 30;

/// Seconds of histories, all stores together.
const SECONDS: u64 = 120;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let outcome = match (arguments.next().as_deref(), arguments) {
        (Some("kill"), mut rest) => match rest.next() {
            Some(program) => Numbers::read(rest).and_then(|numbers| killed(program.into(), &numbers)),
            None => Err(USAGE.to_owned()),
        },
        (Some("histories"), rest) => Numbers::read(rest).and_then(|numbers| recorded(&numbers)),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            eprintln!("{words}");
            ExitCode::FAILURE
        }
    }
}

/// What was chosen.
#[derive(Default)]
struct Numbers {
    rounds: Option<u64>,
    clients: Option<u64>,
    requests: Option<u64>,
    seconds: Option<u64>,
    seed: Option<u64>,
}

impl Numbers {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Numbers, String> {
        let mut numbers = Numbers::default();
        while let Some(name) = arguments.next() {
            let number = arguments.next().and_then(|text| text.replace('_', "").parse().ok());
            let place = match name.as_str() {
                "--rounds" => &mut numbers.rounds,
                "--clients" => &mut numbers.clients,
                "--requests" => &mut numbers.requests,
                "--seconds" => &mut numbers.seconds,
                "--seed" => &mut numbers.seed,
                _ => return Err(USAGE.to_owned()),
            };
            *place = Some(number.filter(|number| *number > 0 || name == "--seed").ok_or(USAGE)?);
        }
        Ok(numbers)
    }
}

fn small(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn told(counts: &Counts, began: Instant) -> String {
    let Counts { answered, writes, transactions, unanswered, changes, records, .. } = counts;
    let seconds = began.elapsed().as_secs_f64();
    format!(
        "{answered} requests answered ({writes} writes, {transactions} transactions), {unanswered} cut off, \
         {changes} changes of tables and indexes, {records} stream records ({seconds:.0} s)"
    )
}

fn killed(program: PathBuf, numbers: &Numbers) -> Result<(), String> {
    let kills = Kills {
        program,
        arguments: Vec::new(),
        rounds: numbers.rounds.unwrap_or(ROUNDS),
        clients: small(numbers.clients.unwrap_or(CLIENTS_KILLED)),
        requests: numbers.requests.unwrap_or(REQUESTS_KILLED),
        seed: numbers.seed.unwrap_or(1),
    };
    let began = Instant::now();
    let counts = kill(&kills, &mut |counts| {
        if counts.runs.is_multiple_of(TOLD_EVERY) {
            eprintln!("{} kills, nothing lost so far", counts.runs);
        }
    })?;
    println!(
        "{} kills of {} clients from seed {}, nothing acknowledged lost, nothing half done: {}",
        counts.runs,
        kills.clients,
        kills.seed,
        told(&counts, began)
    );
    Ok(())
}

fn recorded(numbers: &Numbers) -> Result<(), String> {
    let each = Histories {
        clients: small(numbers.clients.unwrap_or(CLIENTS)),
        requests: numbers.requests.unwrap_or(REQUESTS),
        seed: numbers.seed.unwrap_or(1),
    };
    let of_each = Duration::from_secs(numbers.seconds.unwrap_or(SECONDS)) / Home::ALL.len() as u32;
    for home in Home::ALL {
        let began = Instant::now();
        let counts = histories(home, each, &mut |_| began.elapsed() < of_each)?;
        println!(
            "{home:?}: {} runs of {} clients from seed {}, each in an order that explains every answer: {}",
            counts.runs,
            each.clients,
            each.seed,
            told(&counts, began)
        );
    }
    Ok(())
}
