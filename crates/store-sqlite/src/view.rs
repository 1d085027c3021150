//! A database as it was at one moment, read beside whoever has it open.
//!
//! Its owner is another process, or another store of this one; SQLite's own locks keep the two apart, through
//! the shared memory beside the log. So nothing here opens the file but SQLite itself while it is owned.

use std::path::{Path, PathBuf};

use keyplan_store::{Snapshot, StoreError, Turn};
use rusqlite::{Connection, OpenFlags};

use crate::SqliteStore;
use crate::errors::from_sqlite;
use crate::format;
use crate::identity::refuse_linked;
use crate::sidecar::Sidecar;
use crate::snapshot::SqliteSnapshot;
use crate::store::{Access, resolved};

/// One connection in one transaction that only reads.
pub(crate) struct View {
    connection: Turn<Connection>,
    path: PathBuf,
    // Let go after the connection is closed: fields are dropped in this order.
    _sidecar: Option<Sidecar>,
}

impl View {
    /// Opens a file that is there. Nobody else having it open, it is locked until the view is dropped, so that
    /// what a killed owner left is taken in by one process.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let path = resolved(path)?;
        if !path.exists() {
            return Err(StoreError::Missing { path });
        }
        let sidecar = match Sidecar::take(&path) {
            Ok(sidecar) => {
                format::refuse_foreign(&path)?;
                Some(sidecar)
            }
            Err(StoreError::Locked { .. }) => None,
            Err(error) => return Err(error),
        };
        refuse_linked(&path)?;
        // The last to close takes the log into the file, and that may be this one.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(&path, flags).map_err(|error| from_sqlite(&error, &path))?;
        format::prepare_view(&connection, &path)?;
        Ok(Self { connection: Turn::new(connection), path, _sidecar: sidecar })
    }

    pub(crate) fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        let connection = self.connection.take()?;
        reader(&SqliteSnapshot { connection: &connection, path: &self.path });
        Ok(())
    }

    /// Works on the connection, inside its transaction.
    pub(crate) fn with<A>(
        &self,
        work: impl FnOnce(&mut Connection, &Path) -> Result<A, StoreError>,
    ) -> Result<A, StoreError> {
        work(&mut *self.connection.take()?, &self.path)
    }

    /// Why nothing is written.
    pub(crate) fn refusal(&self) -> StoreError {
        StoreError::ReadOnly { path: self.path.clone() }
    }
}

impl SqliteStore {
    /// Opens a file to read it as it is now, whoever has it open; what is written to it afterwards is not seen,
    /// and writes are refused with [`StoreError::ReadOnly`].
    ///
    /// # Errors
    /// When there is no such file, it is no database of ours, or the system refuses.
    pub fn open_to_read(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self(Access::View(View::open(path.as_ref())?)))
    }
}
