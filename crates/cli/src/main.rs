//! The `keyplan` command: serves an endpoint, the studio, and what else runs from a terminal.
//!
//! One file a command under `commands/`. A command returns a [`Failure`] with one clear line that
//! says what is wrong and what to do; it is printed here and nowhere else.

mod commands;
mod content;
mod failure;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::failure::Failure;

/// A DynamoDB-compatible engine on this machine: an endpoint for any AWS SDK, and a studio to design
/// and learn tables in.
#[derive(Parser)]
#[command(name = "keyplan", version, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let line = CommandLine::parse();
    match line.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            eprintln!("keyplan: {message}");
            ExitCode::FAILURE
        }
    }
}
