//! `keyplan serve`: the endpoint.

use crate::commands::listening::{EndpointArguments, listening_failed, shutdown_on_signals};
use crate::failure::Failure;
use crate::output;

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
        output::print(&format!("Keyplan endpoint: http://{address}\n"));
        keyplan_server::run(vec![endpoint.into()], &shutdown).map_err(|error| listening_failed(&error))
    }
}
