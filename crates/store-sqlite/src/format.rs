//! The file: how it is told from others, what its tables are, and how a connection is set up.
//!
//! Entries are rows of one table without rowids, keyed by keyspace and key, so the table is the
//! ordered map itself: one tree, one search an entry. The keyspace is a column of its own and
//! not the start of the key, because it then takes a byte or two instead of eight, compares by
//! an integer first, and can be read in any SQLite shell.

use std::path::Path;
use std::time::Duration;

use keyplan_store::{Space, StoreError};
use rusqlite::Connection;

use crate::Durability;
use crate::errors::from_sqlite;

/// "KPLN": the file's application id in SQLite's header.
pub(crate) const APPLICATION_ID: i32 = 0x4b50_4c4e;

/// The format this release writes and the newest it reads: the file's `user_version`.
pub(crate) const FORMAT: u32 = 1;

/// Bytes of a page of a new file. An entry above a quarter of a page continues on pages of its
/// own, so larger pages make a file of items of some kilobytes twice as large, and every commit
/// writes whole pages: measured, larger ones gain nothing for items of 400 bytes either.
const PAGE_SIZE_BYTES: u32 = 4096;

/// Pages of the log before they are taken into the file: 8 MB, in which a page that is written
/// often is taken in once. SQLite's own 1000 made writes a fifth slower.
const LOG_PAGES: u32 = 2_000;

/// Kilobytes of pages a writing connection may keep: what a working set of about a hundred
/// thousand items takes; SQLite grows into it.
const WRITER_CACHE_KIB: u32 = 65_536;

/// Kilobytes of pages a reading connection may keep; the system's page cache backs it.
#[cfg(not(target_arch = "wasm32"))]
const READER_CACHE_KIB: u32 = 16_384;

/// Prepared statements kept by a connection: all the texts this crate has.
const STATEMENTS_KEPT: usize = 48;

/// Milliseconds a connection waits for another of this process, as when a log is reset.
const BUSY_WAIT_MS: u64 = 5_000;

const TABLES: &str = "
    CREATE TABLE spaces (space INTEGER PRIMARY KEY AUTOINCREMENT);
    CREATE TABLE entries (
        space INTEGER NOT NULL,
        key BLOB NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY (space, key)
    ) STRICT, WITHOUT ROWID;
";

/// How a connection that writes shares the file with others of this process.
#[derive(Clone, Copy)]
pub(crate) struct Sharing {
    /// SQLite's locking mode.
    pub(crate) locking_mode: &'static str,
    /// The journal it has to come to: a log for a file.
    pub(crate) journal: &'static str,
}

/// Sets up a connection that writes: makes the tables in an empty file, refuses one that is not
/// ours, and chooses the log and its syncs.
pub(crate) fn prepare_writer(
    connection: &Connection,
    path: &Path,
    sharing: Sharing,
    durability: Durability,
) -> Result<(), StoreError> {
    let mapped = |error: rusqlite::Error| from_sqlite(&error, path);
    // Before anything that reads the file, as the cache's size does: the first access decides
    // whether the log needs shared memory.
    set(connection, "locking_mode", sharing.locking_mode).map_err(mapped)?;
    prepare(connection, WRITER_CACHE_KIB).map_err(mapped)?;
    set(connection, "page_size", PAGE_SIZE_BYTES).map_err(mapped)?;
    if let Found::Empty = recognise(connection, path)? {
        create(connection).map_err(mapped)?;
    }
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(mapped)? {
        return Err(StoreError::ReadOnly { path: path.to_path_buf() });
    }
    let journal: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(mapped)?;
    if journal != sharing.journal {
        return Err(StoreError::Io {
            detail: format!("its file system cannot hold a log; the journal stays {journal}"),
        });
    }
    set(connection, "wal_autocheckpoint", LOG_PAGES).map_err(mapped)?;
    let synchronous = match durability {
        Durability::Full => "FULL",
        Durability::Relaxed => "NORMAL",
    };
    set(connection, "synchronous", synchronous).map_err(mapped)?;
    // A sync that only reaches the drive's own cache is none; only macOS tells them apart.
    let fullfsync = durability == Durability::Full;
    set(connection, "fullfsync", fullfsync).map_err(mapped)
}

/// Syncs the log of a connection that doesn't sync its commits: one that it does sync, and that changes nothing, takes
/// all before it along.
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) fn sync(connection: &Connection) -> rusqlite::Result<()> {
    set(connection, "synchronous", "FULL")?;
    // Written anew, though it stays what it is.
    let written = set(connection, "user_version", FORMAT);
    set(connection, "synchronous", "NORMAL")?;
    written
}

/// Sets up a connection that reads beside the writer.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn prepare_reader(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    prepare(connection, READER_CACHE_KIB).map_err(|error| from_sqlite(&error, path))
}

/// Sets up a connection that reads beside the owner, refuses what is not ours, and begins the transaction that
/// it reads in.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn prepare_view(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let mapped = |error: rusqlite::Error| from_sqlite(&error, path);
    prepare(connection, READER_CACHE_KIB).map_err(mapped)?;
    // Closed last, it takes in the log, which is to survive as much as if the owner had.
    set(connection, "synchronous", "FULL").map_err(mapped)?;
    set(connection, "fullfsync", true).map_err(mapped)?;
    set(connection, "query_only", true).map_err(mapped)?;
    connection.execute_batch("BEGIN DEFERRED").map_err(mapped)?;
    // The first to read decides on the moment.
    if let Found::Empty = recognise(connection, path)? {
        return Err(StoreError::Foreign { path: path.to_path_buf() });
    }
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(mapped)? {
        return Err(StoreError::ReadOnly { path: path.to_path_buf() });
    }
    Ok(())
}

/// Sets up a connection to a file that is filled at once and synced by who fills it: cut short, it is no copy.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn prepare_copy(connection: &Connection) -> rusqlite::Result<()> {
    prepare(connection, READER_CACHE_KIB)?;
    set(connection, "journal_mode", "OFF")?;
    set(connection, "synchronous", "OFF")
}

/// Looks at every page of a database: whether it is one of ours, and whole.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn check_whole(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found: String = connection
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .map_err(|error| from_sqlite(&error, path))?;
    if found != "ok" {
        // A line for each place; the first says enough, below a heading.
        let first = found.lines().find(|line| !line.starts_with("***")).unwrap_or_default();
        return Err(StoreError::Corrupt { detail: first.to_owned() });
    }
    recognise(connection, path).map(drop)
}

fn prepare(connection: &Connection, cache_kib: u32) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.busy_timeout(Duration::from_millis(BUSY_WAIT_MS))?;
    // The file is not mapped into memory, though scans would be quicker: there, a disk that fails
    // to read ends the process instead of answering with an error.
    set(connection, "mmap_size", 0)?;
    // A file may come from anybody; nothing its schema says may run.
    set(connection, "trusted_schema", false)?;
    set(connection, "temp_store", "MEMORY")?;
    // Negative is kibibytes, positive would be pages.
    set(connection, "cache_size", -i64::from(cache_kib))
}

fn set(connection: &Connection, name: &str, value: impl rusqlite::ToSql) -> rusqlite::Result<()> {
    // Some settings answer with what they are now, and some with nothing.
    connection.pragma_update(None, name, value)
}

/// What a file is that is not refused.
pub(crate) enum Found {
    /// Nothing was ever written to it.
    Empty,
    /// A database of ours.
    Ours,
}

/// Whether the file is ours, or empty.
pub(crate) fn recognise(connection: &Connection, path: &Path) -> Result<Found, StoreError> {
    let mapped = |error: rusqlite::Error| from_sqlite(&error, path);
    let number = |name: &str| -> Result<i64, StoreError> {
        connection.pragma_query_value(None, name, |row| row.get(0)).map_err(mapped)
    };
    let names = table_names(connection).map_err(mapped)?;
    let application = number("application_id")?;
    let format = number("user_version")?;
    if application == 0 && format == 0 && names.is_empty() {
        return Ok(Found::Empty);
    }
    if application != i64::from(APPLICATION_ID) {
        return Err(StoreError::Foreign { path: path.to_path_buf() });
    }
    if format != i64::from(FORMAT) {
        return Err(StoreError::NewerFormat {
            path: path.to_path_buf(),
            found: u32::try_from(format).unwrap_or(u32::MAX),
            supported: FORMAT,
        });
    }
    if names != ["entries", "spaces", "sqlite_sequence"] {
        return Err(StoreError::Corrupt { detail: format!("its tables are {names:?}") });
    }
    Ok(Found::Ours)
}

fn table_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema ORDER BY name")?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

/// Makes the tables in one transaction under a rollback journal, so a file that holds anything
/// holds its application id in its first page.
fn create(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = connection.unchecked_transaction()?;
    set(&transaction, "application_id", APPLICATION_ID)?;
    set(&transaction, "user_version", FORMAT)?;
    transaction.execute_batch(TABLES)?;
    // SQLite gives out numbers above the last it gave out, and so never one twice.
    transaction.execute(
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('spaces', ?1)",
        [(Space::RESERVED - 1).cast_signed()],
    )?;
    transaction.commit()
}

/// Where SQLite notes how to take back a change that is not made through a log.
#[cfg(not(target_arch = "wasm32"))]
fn journal_of(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push("-journal");
    name.into()
}

/// Looks at the first bytes of a file before SQLite is let near it, so that one that is not ours
/// is left exactly as it was. Nothing there yet is fine.
///
/// Only for a file that this process does not have open: closing a descriptor lets go of the
/// locks that SQLite holds through another.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn refuse_foreign(path: &Path) -> Result<(), StoreError> {
    use std::fs::File;
    use std::io::{ErrorKind, Read};

    use crate::errors::from_system;

    const HEADER_BYTES: u64 = 100;
    const MAGIC: &[u8] = b"SQLite format 3\0";
    const APPLICATION_ID_AT: std::ops::Range<usize> = 68..72;

    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(from_system(&error, path)),
    };
    let mut header = Vec::new();
    file.take(HEADER_BYTES).read_to_end(&mut header).map_err(|error| from_system(&error, path))?;
    let ours =
        header.starts_with(MAGIC) && header.get(APPLICATION_ID_AT) == Some(&APPLICATION_ID.to_be_bytes());
    // A loss of power while the first tables were made: SQLite takes that back by the journal beside it.
    let unmade = header.iter().all(|byte| *byte == 0) && journal_of(path).is_file();
    if header.is_empty() || ours || unmade {
        return Ok(());
    }
    Err(StoreError::Foreign { path: path.to_path_buf() })
}
