//! `keyplan verify`: whether all that follows from a file's items is what they imply.

use std::path::{Path, PathBuf};

use keyplan_engine::verify::{Verified, verify};
use keyplan_store::StoreError;
use keyplan_store_sqlite::ReadOnlyStore;

use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  keyplan verify shop.db            look at a file that nothing has open; it is only read
  keyplan verify --limit 5 shop.db  the first five differences are enough

Each difference is a line: where it is, which key, what is there and what should be. docs/reliability.md
says what is looked at.

Exit codes: 0 nothing differs, 1 something does, 2 the file can't be looked at.";

/// Lines of SQLite's own check.
const DAMAGE_LINES_MAX: u32 = 100;

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Verify {
    /// The file, which nothing may have open
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print so many differences at most; all are counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u64,
}

impl Verify {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let file = self.file.display();
        if !self.file.exists() {
            return Err(Failure::unverifiable(format!("there is no file {file}; name one that `--db` made")));
        }
        let store = open(&self.file)?;
        let damage = store.damage(DAMAGE_LINES_MAX).map_err(unreadable)?;
        for line in &damage {
            output::print(&format!("the file: {line}\n"));
        }
        let mut told = 0;
        let verified = store.keyspaces().map_err(|error| error.to_string()).and_then(|keyspaces| {
            let mut tell = |difference: keyplan_engine::verify::Difference| {
                told += 1;
                if told <= self.limit {
                    output::print(&format!("{difference}\n"));
                }
            };
            verify(&store, Some(&keyspaces), &mut tell).map_err(|error| error.to_string())
        });
        let verified = match verified {
            Ok(verified) => verified,
            // What follows from items can't be told where pages can't be read.
            Err(error) if !damage.is_empty() => {
                return Err(Failure::new(format!("{file} is damaged: {error}")));
            }
            Err(error) => return Err(Failure::unverifiable(error)),
        };
        let Verified { tables, items, entries, records, unused, differences } = verified;
        let looked_at =
            format!("{tables} tables, {items} items, {entries} index entries, {records} journal records");
        if differences > 0 || !damage.is_empty() {
            let kept =
                if told > self.limit { format!(", {} of them above", self.limit) } else { String::new() };
            let damaged = if damage.is_empty() { "" } else { " and damaged pages" };
            return Err(Failure::new(format!(
                "{file}: {differences} differences{kept}{damaged}, in {looked_at}"
            )));
        }
        let unused = match unused {
            0 => String::new(),
            unused => format!("; {unused} keyspaces were drawn and never used"),
        };
        output::print(&format!("{file}: no difference, in {looked_at}{unused}\n"));
        Ok(())
    }
}

fn open(path: &Path) -> Result<ReadOnlyStore, Failure> {
    ReadOnlyStore::open(path).map_err(|error| match error {
        StoreError::Locked { path } => Failure::unverifiable(format!(
            "{} is open elsewhere; stop what serves it, or verify a copy",
            path.display()
        )),
        StoreError::Foreign { path } => {
            Failure::unverifiable(format!("{} is not a Keyplan database", path.display()))
        }
        error => unreadable(error),
    })
}

fn unreadable(error: StoreError) -> Failure {
    Failure::unverifiable(error.to_string())
}
