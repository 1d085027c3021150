//! How a get and a query grow with the table, and the slowest puts on the way.

use crate::arguments::Arguments;
use crate::client::load;
use crate::data;
use crate::measured::Measured;
use crate::server::Server;
use crate::table::{Table, megabytes, microseconds};
use crate::workload::{Grow, Spread, Workload};

/// Items of the table that the larger ones are compared with.
const SMALL: u64 = 10_000;
const CONNECTIONS: usize = 8;

pub fn measure(arguments: &Arguments) -> Result<(), String> {
    let headings = [
        "server",
        "items",
        "get: p50, µs",
        "processor, µs",
        "query of 20: p50, µs",
        "processor, µs",
        "put: p99, µs",
        "most, µs",
        "memory",
    ];
    let mut table = Table::new(&headings);
    for command in &arguments.servers {
        let server = Server::start(command)?;
        data::create(server.address, data::ORDERS)?;
        let (mut filled, mut size) = (0, SMALL);
        while size <= arguments.items {
            data::fill(server.address, data::ORDERS, filled..size)?;
            filled = size;
            let mut cells = vec![server.name.clone(), size.to_string()];
            for query in [false, true] {
                let random = fastrand::Rng::with_seed(7);
                let name = if query { "query of 20" } else { "get" };
                let mut spread = Spread { name, items: size, query, random };
                let mut measured = rounds(&server, arguments, &mut spread)?;
                cells.push(microseconds(measured.latency(0.5).as_secs_f64() * 1e6));
                cells.push(microseconds(measured.cost()));
            }
            let mut puts = rounds(&server, arguments, &mut Grow { next: size })?;
            cells.push(microseconds(puts.latency(0.99).as_secs_f64() * 1e6));
            cells.push(microseconds(puts.latency(1.0).as_secs_f64() * 1e6));
            cells.push(megabytes(server.resident_bytes()));
            table.add(&cells);
            size = next(size, arguments.items);
        }
    }
    table.print();
    Ok(())
}

/// Ten times as many, with a stop where the peer's puts are slowest.
fn next(size: u64, most: u64) -> u64 {
    const SLOWEST: u64 = 400_000;
    match size {
        100_000 if most >= SLOWEST => SLOWEST,
        SLOWEST => 1_000_000,
        _ => size * 10,
    }
}

fn rounds(server: &Server, arguments: &Arguments, workload: &mut dyn Workload) -> Result<Measured, String> {
    let mut measured = Measured::default();
    for _ in 0..arguments.rounds {
        let before = server.processor_microseconds();
        let round = load(server.address, CONNECTIONS, arguments.round, workload)?;
        measured.add(round, server.processor_microseconds() - before);
    }
    Ok(measured)
}
