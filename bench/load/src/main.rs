//! Loads DynamoDB endpoints, one after the other in short interleaved rounds, and prints what each does a
//! second, how long an answer takes and how much processor time it costs the server.
//!
//! ```text
//! keyplan-bench-load WHAT --server NAME=COMMAND... [--server ...] [--rounds N] [--seconds S] [--only WORD]
//! ```
//!
//! `{port}` in a command is the port to listen on, `{file}` a file to keep data in. The first server is the one
//! whose ratios to the others are printed. What: `http` (in memory), `file`, `memory` (bytes of 100,000
//! items), `growth`, `stall`; `embedded` takes programs instead, which print what they measured themselves.

mod arguments;
mod client;
mod data;
mod embedded;
mod growth;
mod http;
mod measured;
mod memory;
mod server;
mod stall;
mod table;
mod workload;

use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome =
        arguments::read(std::env::args().skip(1)).and_then(|arguments| match arguments.what.as_str() {
            "http" => http::in_memory(&arguments),
            "file" => http::on_a_file(&arguments),
            "memory" => memory::measure(&arguments),
            "growth" => growth::measure(&arguments),
            "embedded" => embedded::measure(&arguments),
            "stall" => stall::measure(&arguments),
            what => Err(format!("no such measurement: {what}")),
        });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("keyplan-bench-load: {message}");
            ExitCode::FAILURE
        }
    }
}
