//! The endpoints under load: rounds of each server by turns, at one workload after the other.

use crate::arguments::Arguments;
use crate::client::load;
use crate::data;
use crate::measured::Measured;
use crate::server::Server;
use crate::table::{Table, microseconds, rate};
use crate::workload::{self, Workload};

/// Connections of the workloads in memory.
const CONNECTIONS: usize = 8;

pub fn in_memory(arguments: &Arguments) -> Result<(), String> {
    let mut plan: Vec<(usize, Box<dyn Workload>)> = Vec::new();
    for workload in workload::all() {
        plan.push((CONNECTIONS, workload));
    }
    for workload in [workload::get(), workload::put()] {
        plan.push((1, workload));
    }
    run(arguments, plan)
}

pub fn on_a_file(arguments: &Arguments) -> Result<(), String> {
    run(
        arguments,
        vec![
            (1, workload::put()),
            (32, workload::put()),
            (32, workload::update()),
            (32, workload::batch()),
            (32, workload::get()),
        ],
    )
}

fn run(arguments: &Arguments, plan: Vec<(usize, Box<dyn Workload>)>) -> Result<(), String> {
    let servers: Vec<Server> = arguments.servers.iter().map(Server::start).collect::<Result<_, String>>()?;
    for server in &servers {
        // What answers every request alike has no tables.
        if !is_floor(server) {
            prepare(server)?;
        }
    }
    let mut headings = vec!["workload".to_owned(), "connections".to_owned()];
    for server in &servers {
        let name = &server.name;
        headings.extend([
            format!("{name}, 1/s"),
            "p50, µs".to_owned(),
            "p99, µs".to_owned(),
            "processor, µs".to_owned(),
        ]);
    }
    for server in servers.iter().skip(1) {
        headings.push(format!("× {}: rate", server.name));
        headings.push("processor".to_owned());
    }
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut table = Table::new(&headings);
    for (connections, mut workload) in plan {
        if arguments.only.as_deref().is_some_and(|word| !workload.name().contains(word)) {
            continue;
        }
        let mut measured = vec![Measured::default(); servers.len()];
        for round in 0..=arguments.rounds {
            for (server, measured) in servers.iter().zip(&mut measured) {
                // The first round warms up, and is short.
                let time = if round == 0 { arguments.round / 4 } else { arguments.round };
                let before = server.processor_microseconds();
                let loaded = if is_floor(server) {
                    load(server.address, connections, time, &mut Anything(&mut *workload))
                } else {
                    load(server.address, connections, time, &mut *workload)
                }
                .map_err(|error| format!("{}: {error}", server.name))?;
                if round > 0 {
                    measured.add(loaded, server.processor_microseconds() - before);
                }
            }
        }
        table.add(&cells(workload.name(), connections, &mut measured));
    }
    table.print();
    Ok(())
}

fn cells(workload: &str, connections: usize, measured: &mut [Measured]) -> Vec<String> {
    let mut cells = vec![workload.to_owned(), connections.to_string()];
    for one in &mut *measured {
        let latency = |time: std::time::Duration| microseconds(time.as_secs_f64() * 1e6);
        cells.extend([
            rate(one.rate()),
            latency(one.latency(0.5)),
            latency(one.latency(0.99)),
            microseconds(one.cost()),
        ]);
    }
    if let Some((first, others)) = measured.split_first() {
        for other in others {
            cells.push(format!("{:.1}", first.rate() / other.rate()));
            cells.push(format!("{:.1}", other.cost() / first.cost()));
        }
    }
    cells
}

fn prepare(server: &Server) -> Result<(), String> {
    let at = server.address;
    let filled = || -> Result<(), String> {
        for table in [data::ORDERS, data::ONE_INDEX, data::FIVE_INDEXES] {
            data::create(at, table)?;
            data::fill(at, table, 0..data::ITEMS)?;
        }
        data::create(at, data::SCAN)?;
        data::fill(at, data::SCAN, 0..data::SCANNED)?;
        data::create(at, data::PAGES)?;
        data::fill_pages(at)
    };
    filled().map_err(|error| format!("{}: {error}", server.name))
}

/// A server that answers each request with the same text: what HTTP alone costs.
fn is_floor(server: &Server) -> bool {
    server.name == "floor"
}

struct Anything<'a>(&'a mut dyn Workload);

impl Workload for Anything<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn next(
        &mut self,
        connection: usize,
        answer: Option<&[u8]>,
        address: std::net::SocketAddr,
        out: &mut Vec<u8>,
    ) -> bool {
        self.0.next(connection, answer, address, out)
    }

    fn is_right(&self, _: &[u8]) -> bool {
        true
    }
}
