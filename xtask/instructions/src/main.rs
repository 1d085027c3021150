//! Runs one kind of request so many times, for `cargo xtask instructions` to count what the processor does.
//!
//! Everything that could differ between two runs is fixed: the clock, the seed, the bodies, which are made before
//! the first request. So twice the requests take twice the instructions, and the difference of two runs is the
//! requests' own.

mod data;

use std::hint::black_box;
use std::process::ExitCode;

use keyplan::{Clock, Database, Error, Timestamp};

use data::{FIVE_INDEXES, ITEMS, ONE_INDEX, ORDERS, PAGES};

/// Bodies that are made for a workload and sent by turns.
const BODIES: usize = 40;

/// A kind of request: its name, how many of it show what one takes, and how they are sent.
struct Workload {
    name: &'static str,
    requests: usize,
    run: fn(&Database, usize) -> Result<(), String>,
}

const WORKLOADS: &[Workload] = &[
    Workload {
        name: "GetItem",
        requests: 400,
        run: |database, count| json(database, count, "GetItem", data::get),
    },
    Workload {
        name: "PutItem",
        requests: 400,
        run: |database, count| json(database, count, "PutItem", |number| data::put(ORDERS, number)),
    },
    Workload {
        name: "PutItem, 1 index",
        requests: 200,
        run: |database, count| json(database, count, "PutItem", |number| data::put(ONE_INDEX, number)),
    },
    Workload {
        name: "PutItem, 5 indexes",
        requests: 200,
        run: |database, count| json(database, count, "PutItem", |number| data::put(FIVE_INDEXES, number)),
    },
    Workload {
        name: "UpdateItem: condition, counter",
        requests: 400,
        run: |database, count| json(database, count, "UpdateItem", data::update),
    },
    Workload {
        name: "Query of 20",
        requests: 200,
        run: |database, count| json(database, count, "Query", data::query),
    },
    Workload {
        name: "Query page of 1 MB",
        requests: 4,
        run: |database, count| json(database, count, "Query", |_| data::page()),
    },
    Workload {
        name: "Scan with a filter",
        requests: 20,
        run: |database, count| json(database, count, "Scan", |_| data::scan()),
    },
    Workload {
        name: "BatchWriteItem of 25",
        requests: 40,
        run: |database, count| json(database, count, "BatchWriteItem", data::batch),
    },
    Workload {
        name: "TransactWriteItems of 4",
        requests: 100,
        run: |database, count| json(database, count, "TransactWriteItems", data::transaction),
    },
    Workload {
        name: "library: put",
        requests: 400,
        run: |database, count| typed(count, |number| put(database, number)),
    },
    Workload {
        name: "library: get",
        requests: 400,
        run: |database, count| typed(count, |number| get(database, number)),
    },
    Workload {
        name: "library: query of 20",
        requests: 200,
        run: |database, count| typed(count, |number| query(database, number)),
    },
    Workload {
        name: "library: update",
        requests: 400,
        run: |database, count| typed(count, |number| update(database, number)),
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [] => {
            for workload in WORKLOADS {
                println!("{}\t{}", workload.requests, workload.name);
            }
            Ok(())
        }
        [name, count] => run(name, count),
        _ => Err("give a workload and how many requests, or nothing for a list".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("keyplan-instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(name: &str, count: &str) -> Result<(), String> {
    let workload = WORKLOADS.iter().find(|workload| workload.name == name);
    let workload = workload.ok_or_else(|| format!("there is no workload {name}"))?;
    let count = count.parse().map_err(|_| format!("{count} is no number"))?;
    let clock = Clock::standing_at(Timestamp(1_764_500_000_000));
    let database = Database::options().clock(clock).seed(7).in_memory();
    prepare(&database)?;
    (workload.run)(&database, count)
}

fn prepare(database: &Database) -> Result<(), String> {
    for table in [ORDERS, ONE_INDEX, FIVE_INDEXES, PAGES] {
        call(database, "CreateTable", &data::definition(table))?;
    }
    for first in (0..ITEMS).step_by(data::BATCH) {
        call(database, "BatchWriteItem", &data::batch(first))?;
    }
    for number in 0..data::LARGE_ITEMS {
        call(database, "PutItem", &data::large_item(number))?;
    }
    Ok(())
}

/// Sends requests as JSON, as the endpoint does.
fn json(
    database: &Database,
    count: usize,
    operation: &str,
    body: impl Fn(usize) -> String,
) -> Result<(), String> {
    let bodies: Vec<String> = (0..BODIES).map(|turn| body(number(turn))).collect();
    for body in bodies.iter().cycle().take(count) {
        call(database, operation, body)?;
    }
    Ok(())
}

fn call(database: &Database, operation: &str, body: &str) -> Result<(), String> {
    let answer = black_box(database.call(operation, body.as_bytes()));
    match answer.status {
        200 => Ok(()),
        status => Err(format!("{operation}: {status} {}", String::from_utf8_lossy(&answer.body))),
    }
}

/// Sends requests of the library.
fn typed(count: usize, request: impl Fn(usize) -> Result<(), Error>) -> Result<(), String> {
    (0..count).try_for_each(|turn| request(number(turn % BODIES))).map_err(|error| error.to_string())
}

/// What is asked for or put at a turn: each key twice in a row, with other values the second time, so that a put
/// changes indexes.
fn number(turn: usize) -> usize {
    turn / 2 * 7 + turn % 2 * ITEMS
}

fn put(database: &Database, number: usize) -> Result<(), Error> {
    database.put_item(ORDERS.name, data::attributes(number)).send().map(|output| drop(black_box(output)))
}

fn get(database: &Database, number: usize) -> Result<(), Error> {
    let found = database.get_item(ORDERS.name, data::key_attributes(number)).send()?;
    black_box(found.item.as_ref().and_then(|item| item.get("amount")?.number()));
    Ok(())
}

fn query(database: &Database, number: usize) -> Result<(), Error> {
    let [(_, partition), _] = data::key_attributes(number);
    let page = database.query(ORDERS.name).key_condition("pk = :pk").value(":pk", partition).send()?;
    black_box(page.items.iter().filter(|item| item.get("paid").is_some()).count());
    Ok(())
}

fn update(database: &Database, number: usize) -> Result<(), Error> {
    let update = database.update_item(ORDERS.name, data::key_attributes(number)).update("ADD amount :one");
    update.condition("attribute_exists(pk)").value(":one", 1).send().map(|output| drop(black_box(output)))
}
