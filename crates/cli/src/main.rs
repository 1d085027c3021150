//! The `keyplan` command: serves an endpoint, the studio, and what else runs from a terminal.
//!
//! One file a command under `commands/`. A command returns a [`Failure`] with one clear line that
//! says what is wrong and what to do; it is printed here and nowhere else.

mod clock;
mod commands;
mod content;
mod control;
mod failure;
mod log;
mod output;
mod report;
mod seed;
mod version;
mod watching;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::failure::Failure;

/// Shown at the end of the help.
const EXAMPLES: &str = "\
Examples:
  keyplan serve                     an endpoint for any AWS SDK on http://127.0.0.1:8000, in memory
  keyplan serve --db shop.db        the same on a file
  keyplan studio                    the endpoint, and the studio on http://127.0.0.1:8080
  keyplan backup shop.db monday.db  a copy of the file, also while an endpoint has it open
  keyplan serve --help              data to begin with, tests apart, control, cost reports
  keyplan completions bash          what a shell needs to complete these words";

/// A DynamoDB-compatible engine on this machine: an endpoint for any AWS SDK, and a studio to design
/// and learn tables in.
#[derive(Parser)]
#[command(name = "keyplan", version, long_version = version::long())]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
struct CommandLine {
    #[command(subcommand)]
    command: commands::Command,
}

/// The exit code of a command line that can't be read, as shells have it.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error)
            if error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            eprintln!("keyplan: {}", in_one_line(&error.render().to_string()));
            return ExitCode::from(EXIT_USAGE);
        }
        // Help and the version were asked for.
        Err(error) => error.exit(),
    };
    match line.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { message, code }) => {
            output::complain(&message);
            ExitCode::from(code)
        }
    }
}

/// What is wrong with a command line, the advice, and where help is; without the list of all options
/// that stands between them.
fn in_one_line(error: &str) -> String {
    let parts: Vec<&str> = error
        .lines()
        .map(|line| line.trim().trim_start_matches("error: ").trim_start_matches("tip: "))
        .filter(|line| !line.is_empty() && !line.starts_with("Usage:"))
        .map(|line| line.trim_end_matches('.'))
        .collect();
    parts.join("; ").replace(":; ", ": ").replace("For more information", "for more information")
}
