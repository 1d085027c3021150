//! Which file a name leads to: names can be removed, replaced and doubled while a file is open.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use keyplan_store::StoreError;

use crate::errors::from_system;

/// What tells a file from all others of the system, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    number: u64,
}

impl Identity {
    /// The file that a path leads to.
    pub(crate) fn of(path: &Path) -> Result<Identity, StoreError> {
        let metadata = fs::metadata(path).map_err(|error| from_system(&error, path))?;
        Ok(Identity::from_metadata(&metadata))
    }

    #[cfg(unix)]
    pub(crate) fn from_metadata(metadata: &Metadata) -> Identity {
        use std::os::unix::fs::MetadataExt;

        Identity { device: metadata.dev(), number: metadata.ino() }
    }

    #[cfg(not(unix))]
    pub(crate) fn from_metadata(_metadata: &Metadata) -> Identity {
        Identity {}
    }

    /// Whether a path leads to this file. Where files can't be told apart, one that is open can't be
    /// removed or replaced either.
    pub(crate) fn is_at(self, path: &Path) -> io::Result<bool> {
        match fs::metadata(path) {
            Ok(found) => Ok(Identity::from_metadata(&found) == self),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Refuses when the path leads elsewhere now.
    pub(crate) fn check(self, path: &Path) -> Result<(), StoreError> {
        match self.is_at(path) {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::Gone { path: path.to_path_buf() }),
            Err(error) => Err(from_system(&error, path)),
        }
    }
}

/// Refuses a file that has more than one name: SQLite's log lies beside the name, and so does the lock,
/// so two openers by two names would not know of each other.
#[cfg(unix)]
pub(crate) fn refuse_linked(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::MetadataExt;

    match fs::metadata(path) {
        Ok(found) if found.nlink() > 1 => Err(StoreError::Linked { path: path.to_path_buf() }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(from_system(&error, path)),
    }
}

/// Elsewhere the system does not tell how many names there are.
#[cfg(not(unix))]
pub(crate) fn refuse_linked(_path: &Path) -> Result<(), StoreError> {
    Ok(())
}
