//! A whole copy of a database in a file of its own: what a backup is, and what a restore puts in a file's place.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use keyplan_store::StoreError;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::errors::{from_sqlite, from_system};
use crate::format;
use crate::sidecar::Sidecar;
use crate::store::resolved;
use crate::view::View;

/// What SQLite may leave beside a database whose owner was killed. A log would be taken into whatever file
/// lies at the database's name.
const LEFT_BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Tells a copy that is not yet in its place.
const PART: &str = ".part";

/// A copy that is whole, synced and checked, and lies beside the place it is meant for. It is removed unless
/// it is put there.
pub struct FileCopy {
    part: PathBuf,
    target: PathBuf,
    // Of the target: nobody opens what is about to be replaced.
    _sidecar: Sidecar,
}

impl FileCopy {
    /// Copies the database in the file `from`, as it is at one moment and whoever has it open, to be put at
    /// `to`. The copy is checked page by page, so what is damaged is not copied on.
    ///
    /// # Errors
    /// When `from` is not there, is damaged or none of ours, `to` is open, or the system refuses.
    pub fn take(from: &Path, to: &Path) -> Result<FileCopy, StoreError> {
        let target = resolved(to)?;
        let view = View::open(from)?;
        let sidecar = Sidecar::take(&target)?;
        let copy = FileCopy { part: beside(&target, PART), target, _sidecar: sidecar };
        copy.clear_part().map_err(|error| from_system(&error, &copy.target))?;
        let permissions = view.with(|source, path| {
            let permissions = fs::metadata(path).map_err(|error| from_system(&error, path))?.permissions();
            copy.write(source)?;
            Ok(permissions)
        })?;
        copy.sync(permissions).map_err(|error| from_system(&error, &copy.target))?;
        Ok(copy)
    }

    /// Where the copy lies until it is put in its place.
    pub fn path(&self) -> &Path {
        &self.part
    }

    /// Puts the copy in its place, instead of what is there.
    ///
    /// # Errors
    /// When the system refuses; what was there is there still, without the writes that a killed owner left
    /// beside it.
    pub fn put(self) -> Result<(), StoreError> {
        let put = || -> io::Result<()> {
            for left in LEFT_BESIDE {
                remove(&beside(&self.target, left))?;
            }
            // On the disk before the new file is: an old log beside it would be taken into it.
            sync_folder(&self.target)?;
            fs::rename(&self.part, &self.target)?;
            sync_folder(&self.target)
        };
        put().map_err(|error| from_system(&error, &self.target))
    }

    fn write(&self, source: &Connection) -> Result<(), StoreError> {
        // Nobody but its user reads it before it has the rights of the file it was copied from.
        private(&self.part).map_err(|error| from_system(&error, &self.target))?;
        let mapped = |error: rusqlite::Error| from_sqlite(&error, &self.target);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut part = Connection::open_with_flags(&self.part, flags).map_err(mapped)?;
        format::prepare_copy(&part).map_err(mapped)?;
        {
            let backup = Backup::new(source, &mut part).map_err(mapped)?;
            // All pages in one step: in several, each write of the owner would begin it anew.
            match backup.step(-1).map_err(mapped)? {
                StepResult::Done => {}
                _ => return Err(StoreError::Locked { path: self.target.clone() }),
            }
        }
        format::check_whole(&part, &self.target)
    }

    fn sync(&self, permissions: Permissions) -> io::Result<()> {
        // Opened before it may become a file that can only be read.
        let file = OpenOptions::new().write(true).open(&self.part)?;
        fs::set_permissions(&self.part, permissions)?;
        file.sync_all()
    }

    fn clear_part(&self) -> io::Result<()> {
        remove(&self.part)?;
        LEFT_BESIDE.iter().try_for_each(|left| remove(&beside(&self.part, left)))
    }
}

impl Drop for FileCopy {
    fn drop(&mut self) {
        // One that stays behind is removed by the next copy to the same place.
        let _cleared = self.clear_part();
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a file that only its user can read.
fn private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Has the names of a file's folder on the disk, where folders can be synced.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}
