//! `keyplan backup`: a copy of a database's file, whoever has it open.

use std::path::{Path, PathBuf};

use keyplan::Database;

use crate::failure::Failure;
use crate::output;

/// Shown at the end of `--help`.
const DETAILS: &str = "\
The copy has every write that was acknowledged before the command began, each whole, and none after some moment. An
endpoint that has the file open goes on meanwhile. The copy is checked page by page and synced before it gets its
name. It is a database like the first: serve it, dump it, or put it back with keyplan restore.";

#[derive(clap::Args)]
#[command(after_long_help = DETAILS)]
pub(crate) struct Backup {
    /// The database's file
    file: PathBuf,
    /// The file of the copy
    to: PathBuf,
    /// Replace the file of the copy if it is there
    #[arg(long)]
    force: bool,
}

impl Backup {
    pub(crate) fn run(self) -> Result<(), Failure> {
        copy(&self.file, &self.to, self.force)?;
        output::print(&format!("{} is copied to {}\n", self.file.display(), self.to.display()));
        Ok(())
    }
}

/// Copies a file; what is there is replaced only by force.
pub(super) fn copy(from: &Path, to: &Path, force: bool) -> Result<(), Failure> {
    // A link to nothing is something, too.
    if !force && to.symlink_metadata().is_ok() {
        return Err(Failure::new(format!(
            "{} is there already, and was left as it is; choose another file, or replace it with --force",
            to.display()
        )));
    }
    Database::copy_file(from, to).map_err(|error| {
        Failure::new(format!("{} was not copied to {}: {error}", from.display(), to.display()))
    })
}
