//! `cargo xtask`: everything that is done to this work tree, on any machine, by one command.
//!
//! Each command is a file (or a folder) with a `run(place, arguments)` and a line in
//! [`COMMANDS`]. What a machine lacks is installed or named by [`setup`]; what takes long is
//! built once a machine and kept by [`cache`].

mod audit;
mod bench;
mod binary;
mod cache;
mod clients;
mod compare;
mod content;
mod endpoint;
mod failure;
mod fuzz;
mod instructions;
mod licences;
mod measure;
mod place;
mod process;
mod setup;
mod shapes;
mod studio;
mod test;
mod tidy;
mod torture;
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
        name: "studio",
        arguments: "[ARGUMENTS]",
        summary: "set up, build everything, open the endpoint (:8000) and the studio (:8080);\n\
                  arguments go to `keyplan studio`",
        run: studio::run,
    },
    Command {
        name: "test",
        arguments: "[--long] [STAGE...]",
        summary: "set up, then run every check and test, or the named stages; --list names them",
        run: test::run,
    },
    Command {
        name: "setup",
        arguments: "",
        summary: "install what this machine lacks, or say what that is",
        run: setup::run,
    },
    Command {
        name: "tidy",
        arguments: "",
        summary: "check the house rules: layers, lengths, names, calls, licences, sources",
        run: tidy::run,
    },
    Command {
        name: "audit",
        arguments: "",
        summary: "licences, sources and advisories of all that is built from, by the lock files,\n\
                  `cargo deny` and `npm audit`; status 2: not all could be checked",
        run: audit::run,
    },
    Command {
        name: "licences",
        arguments: "",
        summary: "write down whose work is in the command and on the site, with the licences' texts",
        run: licences::run,
    },
    Command {
        name: "content",
        arguments: "[WORD...]",
        summary: "prove lessons and models: what they state is what the engine does;\n\
                  WORD: only files whose names hold it",
        run: content::run,
    },
    Command {
        name: "shapes",
        arguments: "[--check | --extract DIR]",
        summary: "make the engine's shape tables, or find drift in them",
        run: shapes::run,
    },
    Command {
        name: "measure",
        arguments: "[start | control]",
        summary: "take the figures that the documentation states from the release build:\n\
                  start to first answer and idle memory; snapshot, restore and reset",
        run: measure::run,
    },
    Command {
        name: "bench",
        arguments: "[NAME...] [--only WORD] [...]",
        summary: "load the endpoint and the library beside a peer: http, file, embedded, memory, size,\n\
                  growth, stall, tab; --rounds N, --seconds S, --items N",
        run: bench::run,
    },
    Command {
        name: "instructions",
        arguments: "[--accept]",
        summary: "count the instructions of the hot paths and compare them with what is written down;\n\
                  --accept: write them down",
        run: instructions::run,
    },
    Command {
        name: "wasm",
        arguments: "[--kit]",
        summary: "build the engine for the browser into web/engine-pkg/;\n\
                  --kit: with the stores' kit, for tests, into the build folder",
        run: wasm::run,
    },
    Command {
        name: "web",
        arguments: "",
        summary: "build the page, with the engine, into web/dist/",
        run: web::run,
    },
    Command {
        name: "fuzz",
        arguments: "[--seconds N] [TARGET...]",
        summary: "try the named fuzz targets, or all, on new inputs, each for N seconds (30)",
        run: fuzz::run,
    },
    Command {
        name: "compare",
        arguments: "[--requests N] [--seed N]",
        summary: "random requests on the engine and on a plain model of the service, and count\n\
                  those that agree (1,000,000)",
        run: compare::run,
    },
    Command {
        name: "torture",
        arguments: "[--rounds N] [--seconds N] [...]",
        summary: "SIGKILL under load, round after round (1,000); histories of many clients on every\n\
                  store (120 s); the store's faults; also --clients N, --seed N",
        run: torture::run,
    },
    Command {
        name: "tab-endpoint",
        arguments: "[--port P] [--store S]",
        summary: "serve the engine of a headless Chromium's tab as a DynamoDB endpoint",
        run: clients::run_tab_endpoint,
    },
];

const ABOUT_THE_CACHE: &str = "
On Debian as root, missing system packages are installed; elsewhere they are named.
What takes long is built once a machine and kept in $XDG_CACHE_HOME/keyplan (~/.cache/keyplan):
a standard library for the browser's target, wasm-bindgen, wasm-opt and what it wrote, the
Python clients. All of it can be removed at any time.

Environment:
  KEYPLAN_CACHE        another folder for that
  KEYPLAN_CHROMIUM     the browser that tests run in
  KEYPLAN_WASM_ROUTE   whose rustc builds for the browser: rustup (the active toolchain, which has
                       the target), debian (Debian's packages, unpacked into the cache), rustup-add
                       (download the target); without it the first that is possible
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "help".to_owned());
    let arguments: Vec<String> = arguments.collect();
    match dispatch(&name, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("cargo xtask {name}: {failure}");
            ExitCode::from(failure.status())
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
        for (index, line) in command.summary.lines().enumerate() {
            let call = if index == 0 { call.as_str() } else { "" };
            text.push_str(&format!("  {call:<36} {line}\n"));
        }
    }
    text + ABOUT_THE_CACHE
}
