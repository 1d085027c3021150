//! `keyplan serve`: the endpoint.

use std::io::Write;

use crate::commands::listening::{EndpointArguments, listening_failed, shutdown_on_signals};
use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    endpoint: EndpointArguments,
}

impl Serve {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let shutdown = shutdown_on_signals()?;
        let endpoint = self.endpoint.endpoint()?;
        let address = endpoint.address().map_err(|error| listening_failed(&error))?;
        announce(&[format!("Keyplan endpoint: http://{address}")]);
        keyplan_server::run(vec![endpoint.into()], &shutdown).map_err(|error| listening_failed(&error))
    }
}

/// Prints the addresses at once, also where stdout is a pipe that someone waits on. Who closed it
/// wants no addresses.
pub(crate) fn announce(lines: &[String]) {
    let mut out = std::io::stdout().lock();
    for line in lines {
        let _ = writeln!(out, "{line}");
    }
    let _ = out.flush();
}
