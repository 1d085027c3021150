//! `keyplan restore`: a backup in the place of a database's file.

use std::path::PathBuf;

use crate::commands::backup;
use crate::failure::Failure;
use crate::output;

/// Shown at the end of `--help`.
const DETAILS: &str = "\
The backup is copied and the copy checked before anything is replaced: that its pages are whole, and that this
release reads its format. A file that an endpoint has open is refused; stop the endpoint first.";

#[derive(clap::Args)]
#[command(after_long_help = DETAILS)]
pub(crate) struct Restore {
    /// The file of a backup
    backup: PathBuf,
    /// The database's file
    file: PathBuf,
    /// Replace the database's file if it is there, with all that is in it
    #[arg(long)]
    force: bool,
}

impl Restore {
    pub(crate) fn run(self) -> Result<(), Failure> {
        backup::copy(&self.backup, &self.file, self.force)?;
        output::print(&format!("{} is restored from {}\n", self.file.display(), self.backup.display()));
        Ok(())
    }
}
