//! A database as one run of bytes: given out by whoever owns the file, and opened in memory by
//! whoever only gets a copy.

use std::io::Read;
use std::path::{Path, PathBuf};

use keyplan_store::StoreError;
use rusqlite::{Connection, MAIN_DB};

use crate::errors::from_sqlite;
use crate::format::{self, Sharing};
use crate::inline::Inline;
use crate::store::Access;
use crate::writer::Writer;
use crate::{Durability, SqliteStore};

/// Memory has nothing beside it that could hold a log.
const IN_MEMORY: Sharing = Sharing { locking_mode: "EXCLUSIVE", journal: "memory" };

/// What a copy is called where an error names its file.
const COPY: &str = "the copy";

/// Where a file's header says whether it is written through a log, and that it is not.
const LOG_MARK_AT: usize = 18;
const NO_LOG: [u8; 2] = [1, 1];

impl SqliteStore {
    /// The whole database as it is now: the bytes of a file with everything acknowledged in it. The
    /// store stays open.
    pub fn image(&self) -> Result<Vec<u8>, StoreError> {
        match &self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Access::Threads(threads) => threads.image(),
            #[cfg(not(target_arch = "wasm32"))]
            Access::View(view) => view.with(of),
            Access::Inline(inline) => inline.image(),
        }
    }

    /// Opens a copy of a database in memory, which ends with the store.
    pub fn open_image(image: &[u8]) -> Result<Self, StoreError> {
        let foreign = || StoreError::Foreign { path: PathBuf::from(COPY) };
        // SQLite opens nothing in memory that says it has a log.
        let (before, after) = image.split_at_checked(LOG_MARK_AT).ok_or_else(foreign)?;
        let after = after.get(NO_LOG.len()..).ok_or_else(foreign)?;
        let bytes = before.chain(&NO_LOG[..]).chain(after);

        let mapped = |error: rusqlite::Error| from_sqlite(&error, Path::new(COPY));
        let mut connection = Connection::open_in_memory().map_err(mapped)?;
        connection.deserialize_read_exact(MAIN_DB, bytes, image.len(), false).map_err(mapped)?;
        // Nothing is synced, so how much is asked for makes no difference.
        format::prepare_writer(&connection, Path::new(COPY), IN_MEMORY, Durability::Relaxed)?;
        let writer = Writer::new(connection, PathBuf::from(COPY))?;
        Ok(Self(Access::Inline(Inline::new(writer, None))))
    }
}

/// The bytes of the database behind a connection.
pub(crate) fn of(connection: &mut Connection, path: &Path) -> Result<Vec<u8>, StoreError> {
    let bytes = connection.serialize(MAIN_DB).map_err(|error| from_sqlite(&error, path))?;
    Ok(bytes.to_vec())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::sync::Arc;

    use keyplan_store::kit::{self, Factory, Place};
    use keyplan_store::{Batch, Space, Store, StoreExt};

    use super::*;
    use crate::Options;

    fn put(store: &SqliteStore, space: Space, value: &'static [u8]) {
        let change = move |_: &dyn keyplan_store::Snapshot| {
            let mut batch = Batch::new();
            batch.put(space, b"key", value);
            Some(batch)
        };
        store.write(Box::new(change)).expect("the store can be written");
    }

    fn get(store: &SqliteStore, space: Space) -> Option<Vec<u8>> {
        let found = store.view(|snapshot| snapshot.get(space, b"key"));
        found.and_then(|read| read).expect("the store can be read").map(|value| value.to_vec())
    }

    fn empty_image() -> Result<Vec<u8>, StoreError> {
        let folder = tempfile::tempdir().expect("a folder for the test");
        SqliteStore::open(folder.path().join("my.db"), Options::default())?.image()
    }

    #[test]
    fn a_copy_has_what_was_written_and_goes_its_own_way() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("my.db");
        let owner = SqliteStore::open(&path, Options::default()).expect("the folder can be written");
        let space = owner.new_space().expect("the file can be written");
        put(&owner, space, b"before");
        let image = owner.image().expect("the file can be read");
        let copy = SqliteStore::open_image(&image).expect("the image is one of ours");
        assert_eq!(get(&copy, space).as_deref(), Some(&b"before"[..]));

        put(&copy, space, b"copy");
        put(&owner, space, b"owner");
        assert_eq!(get(&copy, space).as_deref(), Some(&b"copy"[..]));
        assert_eq!(get(&owner, space).as_deref(), Some(&b"owner"[..]));
        assert!(copy.new_space().expect("memory can be written") > space, "a number is given out twice");

        // A copy of a copy is a file again.
        std::fs::write(folder.path().join("copy.db"), copy.image().expect("memory can be read"))
            .expect("the folder can be written");
        let carried = SqliteStore::open(folder.path().join("copy.db"), Options::default())
            .expect("the image is a file of ours");
        assert_eq!(get(&carried, space).as_deref(), Some(&b"copy"[..]));
    }

    #[test]
    fn what_is_no_image_of_ours_is_refused() {
        let foreign = StoreError::Foreign { path: PathBuf::from(COPY) };
        for image in [&b""[..], &[0; 19], &[7; 4096]] {
            assert_eq!(SqliteStore::open_image(image).map(drop), Err(foreign.clone()));
        }
        let mut other = Connection::open_in_memory().expect("memory can be opened");
        other.execute_batch("CREATE TABLE theirs (name TEXT)").expect("memory can be written");
        let image = of(&mut other, Path::new(COPY)).expect("memory can be read");
        assert_eq!(SqliteStore::open_image(&image).map(drop), Err(foreign));
    }

    /// Copies of an empty database.
    struct Copies(Vec<u8>);

    impl Place for Copies {
        fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
            Ok(Arc::new(SqliteStore::open_image(&self.0)?))
        }
    }

    impl Factory for Copies {
        fn place(&self) -> Result<Box<dyn Place>, StoreError> {
            Ok(Box::new(Copies(self.0.clone())))
        }

        fn keeps(&self) -> bool {
            false
        }
    }

    #[test]
    fn the_kit_runs_on_a_copy() {
        let copies = Copies(empty_image().expect("an empty database has an image"));
        let failed: Vec<_> =
            kit::run_everywhere(&copies).into_iter().filter(|outcome| outcome.result.is_err()).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}
