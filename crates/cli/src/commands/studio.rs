//! `keyplan studio`: the endpoint, and the studio's pages beside it.

use std::sync::Arc;

use keyplan_server::{Page, Pages};

use crate::commands::endpoint::EndpointArguments;
use crate::commands::listening::{bind, listening_failed, over, shutdown_on_signals};
use crate::content;
use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Studio {
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// The port of the studio; 0 takes a free one
    #[arg(long, default_value_t = 8080, help_heading = "Studio")]
    studio_port: u16,
}

impl Studio {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let shutdown = shutdown_on_signals()?;
        let site = content::site()?;
        let listener = bind(&self.endpoint.host, self.studio_port, "--studio-port")?;
        let (access, tls) = (self.endpoint.access.rules(), self.endpoint.access.tls()?);
        let scheme = if tls.is_some() { "https" } else { "http" };
        let opened = self.endpoint.open()?;
        let handler = Arc::new(move |path: &str| {
            site.page(path).map(|page| Page { content_type: page.content_type, bytes: page.bytes })
        });
        let pages = Pages::new(listener, handler, keyplan_site::CONTENT_SECURITY_POLICY, access)
            .map_err(|error| listening_failed(&error))?;
        let studio_at = pages.address().map_err(|error| listening_failed(&error))?;
        output::print(&format!("{}Keyplan studio: {scheme}://{studio_at}\n", opened.announcement()));
        opened.serve(Some(over(tls, pages.into())), &shutdown)
    }
}
