//! The command line.

use std::time::Duration;

/// A server to measure.
#[derive(Debug, Clone)]
pub struct ServerCommand {
    /// What the table calls it.
    pub name: String,
    /// The program and its arguments, `{port}` and `{file}` in them not yet filled in.
    pub words: Vec<String>,
}

pub struct Arguments {
    pub what: String,
    pub servers: Vec<ServerCommand>,
    pub rounds: usize,
    pub round: Duration,
    /// Only workloads whose names hold it.
    pub only: Option<String>,
    /// For `growth`: items of the largest table.
    pub items: u64,
}

pub fn read(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let what = words.next().ok_or("say what to measure: http, file, memory, growth or stall")?;
    let mut arguments = Arguments {
        what,
        servers: Vec::new(),
        rounds: 3,
        round: Duration::from_secs(1),
        only: None,
        items: 1_000_000,
    };
    while let Some(flag) = words.next() {
        let value = words.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--server" => {
                let (name, command) = value.split_once('=').ok_or("--server needs NAME=COMMAND")?;
                let words = command.split(' ').map(str::to_owned).collect();
                arguments.servers.push(ServerCommand { name: name.to_owned(), words });
            }
            "--rounds" => arguments.rounds = number(&value)?,
            "--seconds" => {
                let seconds = value.parse().map_err(|_| format!("{value} is no number"))?;
                arguments.round = Duration::from_secs_f64(seconds);
            }
            "--only" => arguments.only = Some(value),
            "--items" => arguments.items = number(&value)?,
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    if arguments.servers.is_empty() {
        return Err("name at least one --server NAME=COMMAND".to_owned());
    }
    Ok(arguments)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}
