//! `cargo xtask`: everything that is done to this work tree, on any machine, by one command.
//!
//! Each command is a file (or a folder) with a `run(place, arguments)` and a line in
//! [`COMMANDS`]. What a machine lacks is installed or named by [`setup`]; what takes long is
//! built once a machine and kept by [`cache`].

mod cache;
mod failure;
mod place;
mod process;
mod setup;
mod shapes;
mod tidy;
mod wasm;
mod web;

use std::env;
use std::process::ExitCode;

use failure::{Failure, Outcome};
use place::Place;

struct Command {
    name: &'static str,
    arguments: &'static str,
    /// One line for the list of commands.
    summary: &'static str,
    run: fn(&Place, &[String]) -> Outcome,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "setup",
        arguments: "",
        summary: "install what this machine lacks, or say what that is",
        run: setup::run,
    },
    Command {
        name: "shapes",
        arguments: "[--check | --extract DIR]",
        summary: "make the engine's shape tables, or find drift in them",
        run: shapes::run,
    },
    Command {
        name: "wasm",
        arguments: "",
        summary: "build the engine for the browser into web/engine-pkg/",
        run: wasm::run,
    },
    Command {
        name: "web",
        arguments: "",
        summary: "build the page, with the engine, into web/dist/",
        run: web::run,
    },
    Command {
        name: "tidy",
        arguments: "",
        summary: "check the house rules: layers, lengths, names, calls, licences",
        run: tidy::run,
    },
];

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "help".to_owned());
    let arguments: Vec<String> = arguments.collect();
    match dispatch(&name, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("cargo xtask {name}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(name: &str, arguments: &[String]) -> Outcome {
    if matches!(name, "help" | "--help" | "-h") {
        print!("{}", help());
        return Ok(());
    }
    let command = COMMANDS
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| Failure::new(format!("no such command\n\n{}", help())))?;
    (command.run)(&Place::find()?, arguments)
}

fn help() -> String {
    let mut text = String::from("Usage: cargo xtask COMMAND\n\nCommands:\n");
    for command in COMMANDS {
        let call = format!("{} {}", command.name, command.arguments);
        text.push_str(&format!("  {call:<28} {}\n", command.summary));
    }
    text
}
