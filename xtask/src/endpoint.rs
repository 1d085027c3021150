//! An endpoint in a process of its own, for the length of a stage.

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Outcome, While};
use crate::process::Program;

/// What every endpoint prints first.
const FIRST_LINE: &str = "Keyplan endpoint: ";

/// A running endpoint, stopped when it is dropped.
pub struct Endpoint {
    child: Child,
    pub url: String,
}

impl Endpoint {
    /// Starts the program and waits for the line that tells its address.
    pub fn start(program: Program) -> Outcome<Self> {
        let (mut child, shown) = program.start()?;
        let mut lines = child.stdout.take().map(BufReader::new);
        let mut line = String::new();
        if let Some(lines) = &mut lines {
            lines.read_line(&mut line).when(|| shown.clone())?;
        }
        let mut endpoint = Self { child, url: String::new() };
        let url = line.trim().strip_prefix(FIRST_LINE);
        endpoint.url = url
            .ok_or_else(|| {
                Failure::new(format!("`{shown}` did not open an endpoint, it printed `{}`", line.trim()))
            })?
            .to_owned();
        // What it says from here on has no reader, and must not stop it.
        thread::spawn(move || lines.map(|mut lines| std::io::copy(&mut lines, &mut std::io::sink())));
        Ok(endpoint)
    }
}

/// How often an endpoint that was asked to stop is looked at, and for how long each time.
const LOOKS_MAX: u32 = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

impl Drop for Endpoint {
    fn drop(&mut self) {
        // Asked to stop, it takes its browser with it; killed, it couldn't.
        let asked = cfg!(unix) && Program::new("kill").arg(self.child.id().to_string()).output().is_ok();
        if asked {
            for _ in 0..LOOKS_MAX {
                if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                    return;
                }
                thread::park_timeout(BETWEEN_LOOKS);
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
