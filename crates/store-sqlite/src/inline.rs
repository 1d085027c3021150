//! One connection for everything, on the thread that calls: in the tab, and for copies in memory.
//! A file has more natively, because a read on one thread would hold up the writes of others.

#[cfg(any(test, target_arch = "wasm32"))]
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_store::{Snapshot, StoreError, Turn};

use crate::errors::from_sqlite;
#[cfg(any(test, target_arch = "wasm32"))]
use crate::format;
use crate::image;
use crate::snapshot::{ReadTransaction, SqliteSnapshot};
use crate::writer::{Answer, Failure, Task, Writer};

/// Whatever keeps others out while it lives.
pub(crate) type Claim = Box<dyn Send + Sync>;

/// A store whose callers take turns on its one connection.
pub(crate) struct Inline {
    // Closed before the claim is let go: fields are dropped in this order.
    writer: Turn<Writer>,
    /// How many rows had been changed when all was synced last.
    #[cfg(any(test, target_arch = "wasm32"))]
    synced: AtomicU64,
    _claim: Option<Claim>,
}

impl Inline {
    pub(crate) fn new(writer: Writer, claim: Option<Claim>) -> Self {
        Self {
            writer: Turn::new(writer),
            #[cfg(any(test, target_arch = "wasm32"))]
            synced: AtomicU64::new(0),
            _claim: claim,
        }
    }

    pub(crate) fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        let writer = self.writer.take()?;
        let _transaction =
            ReadTransaction::begin(&writer.connection).map_err(|error| from_sqlite(&error, &writer.path))?;
        reader(&SqliteSnapshot { connection: &writer.connection, path: &writer.path });
        Ok(())
    }

    pub(crate) fn image(&self) -> Result<Vec<u8>, StoreError> {
        let mut writer = self.writer.take()?;
        let Writer { connection, path, .. } = &mut *writer;
        image::of(connection, path)
    }

    /// Syncs what was committed since it was last asked for.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let writer = self.writer.take()?;
        let changed = writer.connection.total_changes();
        if self.synced.load(Ordering::Relaxed) != changed {
            format::sync(&writer.connection).map_err(|error| from_sqlite(&error, &writer.path))?;
            self.synced.store(changed, Ordering::Relaxed);
        }
        Ok(())
    }

    pub(crate) fn run(&self, task: Task) -> Answer {
        let mut writer = self.writer.take().map_err(Failure::Refused)?;
        let answer = writer.run(&mut [task]).pop();
        // One task has one answer.
        answer.unwrap_or(Err(Failure::Refused(StoreError::Closed)))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::sync::Arc;

    use keyplan_store::kit::{self, Factory, Place};
    use keyplan_store::{Store, StoreError};
    use rusqlite::Connection;
    use tempfile::TempDir;

    use crate::sidecar::Sidecar;
    use crate::{Options, SqliteStore};

    /// Files opened by one connection, as in the tab.
    struct Files;

    struct FilePlace(TempDir);

    impl Place for FilePlace {
        fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
            let path = self.0.path().join("my.db");
            let sidecar = Sidecar::take(&path)?;
            let name = path.clone();
            let store =
                SqliteStore::open_inline(path, Options::default(), Some(Box::new(sidecar)), |flags| {
                    Connection::open_with_flags(name, flags)
                });
            Ok(Arc::new(store?))
        }
    }

    fn place() -> FilePlace {
        FilePlace(tempfile::tempdir().expect("a folder for the test"))
    }

    impl Factory for Files {
        fn place(&self) -> Result<Box<dyn Place>, StoreError> {
            Ok(Box::new(place()))
        }

        fn keeps(&self) -> bool {
            true
        }
    }

    #[test]
    fn what_runs_in_the_tab_runs_here() {
        let failed: Vec<_> =
            kit::run_everywhere(&Files).into_iter().filter(|outcome| outcome.result.is_err()).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }

    #[test]
    fn what_is_synced_goes_into_the_log_once() {
        let place = place();
        let name = place.0.path().join("my.db");
        let relaxed = Options { durability: crate::Durability::Relaxed };
        let path = name.clone();
        let store =
            SqliteStore::open_inline(path, relaxed, None, |flags| Connection::open_with_flags(&name, flags))
                .expect("the folder can be written");
        let log = || std::fs::metadata(place.0.path().join("my.db-wal")).map_or(0, |file| file.len());
        store.new_space().expect("the file can be written");
        let before = log();
        store.sync().expect("it can be synced");
        assert!(log() > before, "a commit that is synced ends what is synced");
        let once = log();
        store.sync().expect("there is nothing to sync");
        assert_eq!(log(), once);
    }

    #[test]
    fn one_connection_leaves_exactly_its_file() {
        let place = place();
        let store = place.open().expect("the folder can be written");
        store.new_space().expect("the file can be written");
        drop(store);
        let names: Vec<_> = std::fs::read_dir(place.0.path())
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be listed").file_name())
            .collect();
        assert_eq!(names, ["my.db"]);
    }
}
