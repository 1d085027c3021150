//! The commands, one file each.

mod completions;
mod conformance;
mod endpoint;
mod listening;
mod serve;
mod site;
mod studio;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve a DynamoDB endpoint, in memory or on a file
    Serve(serve::Serve),
    /// Serve a DynamoDB endpoint and the studio's pages
    Studio(studio::Studio),
    /// Write the studio's pages as static files for any host
    Site(site::WriteSite),
    /// Run the conformance cases against an endpoint and report by topic
    Conformance(conformance::Conformance),
    /// Print a shell's completions
    Completions(completions::Completions),
}

impl Command {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Serve(serve) => serve.run(),
            Command::Studio(studio) => studio.run(),
            Command::Site(site) => site.run(),
            Command::Conformance(conformance) => conformance.run(),
            Command::Completions(completions) => completions.run(),
        }
    }
}
