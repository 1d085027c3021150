//! A file that is only looked at: not a byte of it changes, whatever state it was left in.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use keyplan_store::{Snapshot, Space, Store, StoreError, Transaction, Turn, Written};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::errors::from_sqlite;
use crate::format::{self, Found};
use crate::identity::refuse_linked;
use crate::sidecar::Sidecar;
use crate::snapshot::{ReadTransaction, SqliteSnapshot, number};
use crate::store::resolved;

/// A database file that is read and never written, by this process alone.
///
/// What a killed process left in the log beside it is read too, and stays there.
///
/// ```
/// use keyplan_store::{Store, StoreError, StoreExt};
/// use keyplan_store_sqlite::{Options, ReadOnlyStore, SqliteStore};
///
/// # let folder = tempfile::tempdir().expect("a folder for the example");
/// # let path = folder.path().join("my.db");
/// let space = SqliteStore::open(&path, Options::default())?.new_space()?;
/// let store = ReadOnlyStore::open(&path)?;
/// assert_eq!(store.keyspaces()?, [space]);
/// assert!(store.damage(10)?.is_empty());
/// assert!(matches!(store.new_space(), Err(StoreError::ReadOnly { .. })));
/// # Ok::<_, StoreError>(())
/// ```
pub struct ReadOnlyStore {
    /// Nothing once it is dropped.
    connection: Option<Turn<Connection>>,
    path: PathBuf,
    /// SQLite's shared memory, if it was made for this.
    made: Option<PathBuf>,
    // Only held: its lock goes with it.
    _sidecar: Sidecar,
}

impl ReadOnlyStore {
    /// Opens a file that is there.
    ///
    /// # Errors
    /// When there is none, it is not one of ours, of a newer format or in use, or it can't be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = resolved(path.as_ref())?;
        if !path.is_file() {
            return Err(StoreError::NoSuchPlace { path });
        }
        let sidecar = Sidecar::take(&path)?;
        format::refuse_foreign(&path)?;
        refuse_linked(&path)?;
        let memory = beside(&path, "-shm");
        let has_log = beside(&path, "-wal").exists();
        let made = (has_log && !memory.exists()).then_some(memory);
        let mapped = |error: rusqlite::Error| from_sqlite(&error, &path);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // Without a log there is nothing that SQLite would have to make beside the file to read it.
        let connection = if has_log {
            Connection::open_with_flags(&path, flags)
        } else {
            Connection::open_with_flags(immutable(&path), flags | OpenFlags::SQLITE_OPEN_URI)
        };
        let connection = connection.map_err(mapped)?;
        let mut store = Self { connection: None, path: path.clone(), made, _sidecar: sidecar };
        format::prepare_reader(&connection, &path)?;
        let found = format::recognise(&connection, &path);
        store.connection = Some(Turn::new(connection));
        match found? {
            Found::Ours => Ok(store),
            Found::Empty => Err(StoreError::Foreign { path }),
        }
    }

    /// The keyspaces that exist besides the reserved ones, and those that don't and have entries nevertheless.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn keyspaces(&self) -> Result<Vec<Space>, StoreError> {
        self.with(|connection| {
            let mut spaces = crate::writer::spaces(connection)?;
            let mut statement =
                connection.prepare("SELECT space FROM entries WHERE space > ?1 ORDER BY space LIMIT 1")?;
            let mut last = Space(Space::RESERVED - 1);
            while let Some(next) = statement.query_row([number(last)], |row| row.get(0)).optional()? {
                last = Space(i64::cast_unsigned(next));
                spaces.insert(last);
            }
            let mut spaces: Vec<Space> = spaces.into_iter().collect();
            spaces.sort_unstable();
            Ok(spaces)
        })
    }

    /// What SQLite finds wrong with the file's pages, at most so many lines; nothing of a file that is whole.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn damage(&self, lines: u32) -> Result<Vec<String>, StoreError> {
        let looked = self.with(|connection| {
            let mut statement = connection.prepare(&format!("PRAGMA integrity_check({lines})"))?;
            let found = statement.query_map([], |row| row.get::<_, String>(0))?;
            found.collect::<rusqlite::Result<Vec<String>>>()
        });
        match looked {
            Ok(found) => Ok(found.into_iter().filter(|line| line != "ok").collect()),
            // So damaged that it can't be walked through.
            Err(StoreError::Corrupt { detail }) => Ok(vec![detail]),
            Err(error) => Err(error),
        }
    }

    fn with<A>(&self, look: impl FnOnce(&Connection) -> rusqlite::Result<A>) -> Result<A, StoreError> {
        let connection = self.connection.as_ref().ok_or(StoreError::Closed)?.take()?;
        look(&connection).map_err(|error| from_sqlite(&error, &self.path))
    }

    fn refused<A>(&self) -> Result<A, StoreError> {
        Err(StoreError::ReadOnly { path: self.path.clone() })
    }
}

impl std::fmt::Debug for ReadOnlyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadOnlyStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Drop for ReadOnlyStore {
    fn drop(&mut self) {
        self.connection = None;
        if let Some(made) = &self.made {
            // One that stays behind hinders nobody.
            let _removed = fs::remove_file(made);
        }
    }
}

impl Store for ReadOnlyStore {
    fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        let connection = self.connection.as_ref().ok_or(StoreError::Closed)?.take()?;
        let _transaction =
            ReadTransaction::begin(&connection).map_err(|error| from_sqlite(&error, &self.path))?;
        reader(&SqliteSnapshot { connection: &connection, path: &self.path });
        Ok(())
    }

    fn write(&self, _: Transaction) -> Result<Written, StoreError> {
        self.refused()
    }

    fn may_block(&self) -> bool {
        true
    }

    fn epoch(&self) -> u64 {
        0
    }

    fn new_space(&self) -> Result<Space, StoreError> {
        self.refused()
    }

    fn drop_space(&self, _: Space) -> Result<(), StoreError> {
        self.refused()
    }
}

/// A file that SQLite keeps beside the database.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// The path as an address that says that nobody changes the file.
fn immutable(path: &Path) -> String {
    let mut address = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a text can't fail.
            let _ = write!(address, "%{byte:02x}");
        }
    }
    address.push_str("?immutable=1");
    address
}

#[cfg(test)]
mod tests {
    use keyplan_store::{Batch, StoreExt};

    use super::*;
    use crate::{Options, SqliteStore};

    fn put(store: &SqliteStore, space: Space, value: &'static [u8]) {
        let change = move |_: &dyn Snapshot| {
            let mut batch = Batch::new();
            batch.put(space, b"key", value);
            Some(batch)
        };
        store.write(Box::new(change)).expect("the store can be written");
    }

    /// The folder's files and what is in them.
    fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(folder).expect("the folder is there");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .map(|path| (path.clone(), fs::read(path).expect("a file")))
            .collect();
        files.sort();
        files
    }

    #[test]
    fn a_file_is_read_and_stays_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        // A name that an address has to write otherwise.
        let path = folder.path().join("my ?#%41ü.db");
        let store = SqliteStore::open(&path, Options::default()).expect("the folder can be written");
        let space = store.new_space().expect("the file can be written");
        put(&store, space, b"value");
        assert!(matches!(ReadOnlyStore::open(&path), Err(StoreError::Locked { .. })), "it is in use");
        drop(store);
        let before = files(folder.path());
        let looked_at = ReadOnlyStore::open(&path).expect("it is ours");
        let found = looked_at.view(|snapshot| snapshot.get(space, b"key"));
        assert_eq!(found.and_then(|found| found).expect("it can be read").as_deref(), Some(&b"value"[..]));
        assert_eq!(looked_at.keyspaces(), Ok(vec![space]));
        assert_eq!(looked_at.damage(9), Ok(Vec::new()));
        drop(looked_at);
        assert!(files(folder.path()) == before, "nothing has changed, and nothing lies beside it");
    }

    #[test]
    fn what_a_killed_process_left_in_the_log_is_read_and_stays_there() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let (path, left) = (folder.path().join("my.db"), folder.path().join("left"));
        let store = SqliteStore::open(&path, Options::default()).expect("the folder can be written");
        let space = store.new_space().expect("the file can be written");
        put(&store, space, b"in the log");
        fs::create_dir(&left).expect("the folder can be written");
        let path = left.join("my.db");
        for ending in ["", "-wal"] {
            let from = beside(&folder.path().join("my.db"), ending);
            fs::copy(from, beside(&path, ending)).expect("a copy");
        }
        drop(store);
        let before = files(&left);
        assert_eq!(before.len(), 2);
        let looked_at = ReadOnlyStore::open(&path).expect("it is ours");
        let found = looked_at.view(|snapshot| snapshot.get(space, b"key"));
        let found = found.and_then(|found| found).expect("it can be read");
        assert_eq!(found.as_deref(), Some(&b"in the log"[..]));
        drop(looked_at);
        assert!(files(&left) == before, "neither file nor log has changed");
    }

    #[test]
    fn keyspaces_that_were_never_made_are_found_by_their_entries() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("my.db");
        drop(SqliteStore::open(&path, Options::default()).expect("the folder can be written"));
        let connection = Connection::open(&path).expect("a database");
        connection
            .execute_batch(
                "INSERT INTO entries VALUES (77, x'01', x'02'), (99, x'01', x'02'), (99, x'03', x'02')",
            )
            .expect("it can be written");
        drop(connection);
        let looked_at = ReadOnlyStore::open(&path).expect("it is ours");
        assert_eq!(looked_at.keyspaces(), Ok(vec![Space(77), Space(99)]));
    }

    #[test]
    fn what_is_no_file_of_ours_is_refused() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("my.db");
        assert!(matches!(ReadOnlyStore::open(&path), Err(StoreError::NoSuchPlace { .. })));
        for content in [&b""[..], b"something else"] {
            fs::write(&path, content).expect("the folder can be written");
            assert!(matches!(ReadOnlyStore::open(&path), Err(StoreError::Foreign { .. })));
            assert_eq!(files(folder.path()), [(path.clone(), content.to_vec())], "it was left as it is");
        }
    }

    #[test]
    fn a_damaged_page_is_told() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("my.db");
        let store = SqliteStore::open(&path, Options::default()).expect("the folder can be written");
        let space = store.new_space().expect("the file can be written");
        for number in 0..200_u64 {
            let mut batch = Batch::new();
            batch.put(space, number.to_be_bytes(), [7; 400].as_slice());
            store.write(Box::new(move |_| Some(batch.clone()))).expect("it can be written");
        }
        drop(store);
        let mut bytes = fs::read(&path).expect("the file is there");
        let pages = bytes.len() / 4_096;
        assert!(pages > 10);
        bytes[4_096 * (pages / 2)..][..4_096].fill(0xa5);
        fs::write(&path, bytes).expect("it can be written");
        let looked_at = ReadOnlyStore::open(&path).expect("the first pages are whole");
        assert!(!looked_at.damage(9).expect("it can be looked at").is_empty());
    }
}
