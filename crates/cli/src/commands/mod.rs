//! The commands, one file each.

mod access;
mod backup;
mod completions;
mod conformance;
mod dump;
mod endpoint;
mod licences;
mod listening;
mod restore;
mod serve;
mod site;
mod studio;
mod verify;

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
    /// Copy a database's file as it is now, also while an endpoint has it open
    Backup(backup::Backup),
    /// Put a backup in the place of a database's file
    Restore(restore::Restore),
    /// Print the tables of a database's file as DynamoDB JSON, also while an endpoint has it open
    Dump(dump::Dump),
    /// Run the conformance cases against an endpoint and report by topic
    Conformance(conformance::Conformance),
    /// Hold all that follows from the items of a file against them, and say what differs
    Verify(verify::Verify),
    /// Print whose work is in this command, and under which licences
    Licences(licences::Licences),
    /// Print a shell's completions
    Completions(completions::Completions),
}

impl Command {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Serve(serve) => serve.run(),
            Command::Studio(studio) => studio.run(),
            Command::Site(site) => site.run(),
            Command::Backup(backup) => backup.run(),
            Command::Restore(restore) => restore.run(),
            Command::Dump(dump) => dump.run(),
            Command::Conformance(conformance) => conformance.run(),
            Command::Verify(verify) => verify.run(),
            Command::Licences(licences) => licences.run(),
            Command::Completions(completions) => completions.run(),
        }
    }
}
