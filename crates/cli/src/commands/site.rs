//! `keyplan site`: the studio's pages as files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::content;
use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct WriteSite {
    /// The folder to write to, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl WriteSite {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let site = content::site()?;
        for (path, bytes) in site.files() {
            write(&self.out.join(path), bytes)?;
        }
        output::print(&format!("Keyplan site: {}\n", self.out.display()));
        Ok(())
    }
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).and_then(|()| fs::write(file, bytes)).map_err(|error| {
        Failure::new(format!("can't write {} ({error}); choose another --out", file.display()))
    })
}
