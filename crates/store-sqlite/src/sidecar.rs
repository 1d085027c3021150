//! The lock: a file beside the database, so that no descriptor but SQLite's own is ever opened on
//! the database itself while it is in use.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use keyplan_store::StoreError;

use crate::errors::from_system;
use crate::identity::Identity;

/// How often an opener starts again because the file it locked had just been removed.
const ATTEMPTS_MAX: usize = 100;

/// The lock, held until it is released or the process ends.
pub(crate) struct Sidecar {
    path: PathBuf,
    // Only held: its lock goes with it.
    _file: File,
}

impl Sidecar {
    /// Takes the lock of a database, or says who has it.
    pub(crate) fn take(database: &Path) -> Result<Self, StoreError> {
        let mut name = OsString::from(database);
        name.push(".lock");
        let path = PathBuf::from(name);
        for _ in 0..ATTEMPTS_MAX {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
                .map_err(|error| from_system(&error, database))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Locked { path: database.to_path_buf() });
                }
                Err(TryLockError::Error(error)) => return Err(from_system(&error, database)),
            }
            // Whoever held it before removed it on the way out, so this may be a file that
            // nobody else will ever find.
            if is_at(&file, &path).map_err(|error| from_system(&error, database))? {
                return Ok(Self { path, _file: file });
            }
        }
        Err(StoreError::Locked { path: database.to_path_buf() })
    }

    /// Removes the file while its lock is held, then lets it go.
    pub(crate) fn release(self) {
        drop(self);
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        // One that stays behind, unlocked, hinders nobody.
        let _removed = fs::remove_file(&self.path);
    }
}

/// Whether an open file is the one a path leads to.
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    Identity::from_metadata(&file.metadata()?).is_at(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let database = folder.path().join("my.db");
        let held = Sidecar::take(&database).expect("nobody holds it");
        assert_eq!(Sidecar::take(&database).err(), Some(StoreError::Locked { path: database.clone() }));
        held.release();
        let left = fs::read_dir(folder.path()).expect("the folder is there");
        assert_eq!(left.count(), 0, "the lock's file is gone");
        Sidecar::take(&database).expect("it is free again");
    }

    #[test]
    fn a_removed_file_is_told_from_the_one_at_its_path() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("my.db.lock");
        let removed = File::create(&path).expect("the folder can be written");
        assert!(is_at(&removed, &path).expect("both can be looked at"));
        fs::remove_file(&path).expect("it was just made");
        assert!(!is_at(&removed, &path).expect("nothing at the path is an answer"));
        File::create(&path).expect("the folder can be written");
        assert!(!is_at(&removed, &path).expect("both can be looked at"));
    }
}
