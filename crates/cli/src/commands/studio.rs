//! `keyplan studio`: the endpoint, and the studio's pages beside it.

use std::sync::Arc;

use keyplan_server::{Page, Pages};

use crate::commands::listening::{EndpointArguments, bind, listening_failed, shutdown_on_signals};
use crate::content;
use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Studio {
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// The port of the studio; 0 takes a free one
    #[arg(long, default_value_t = 8080)]
    studio_port: u16,
}

impl Studio {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let shutdown = shutdown_on_signals()?;
        let site = content::site()?;
        let listener = bind(&self.endpoint.host, self.studio_port, "--studio-port")?;
        let endpoint = self.endpoint.endpoint()?;
        let handler = Arc::new(move |path: &str| {
            site.page(path).map(|page| Page { content_type: page.content_type, bytes: page.bytes })
        });
        let pages =
            Pages::new(listener, handler, keyplan_site::CONTENT_SECURITY_POLICY, self.endpoint.access())
                .map_err(|error| listening_failed(&error))?;
        let (at, studio_at) = endpoint
            .address()
            .and_then(|at| Ok((at, pages.address()?)))
            .map_err(|error| listening_failed(&error))?;
        output::print(&format!("Keyplan endpoint: http://{at}\nKeyplan studio: http://{studio_at}\n"));
        keyplan_server::run(vec![endpoint.into(), pages.into()], &shutdown)
            .map_err(|error| listening_failed(&error))
    }
}
