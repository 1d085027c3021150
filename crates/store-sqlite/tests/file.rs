//! The store on a file: the kit, a killed process, and what is left when it is closed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keyplan_store::kit::{self, Factory, Place, survival};
use keyplan_store::{Batch, Bounds, Direction, Space, Store, StoreError, StoreExt, Visit};
use keyplan_store_sqlite::{Durability, Options, SqliteStore};
use rusqlite::Connection;
use tempfile::TempDir;

struct Files;

struct FilePlace(TempDir);

/// Most of the kit asks nothing of the disk; what does, asks it in the tests below.
const RELAXED: Options = Options { durability: Durability::Relaxed };

impl Place for FilePlace {
    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(SqliteStore::open(self.0.path().join("my.db"), RELAXED)?))
    }
}

impl Factory for Files {
    fn place(&self) -> Result<Box<dyn Place>, StoreError> {
        Ok(Box::new(FilePlace(folder())))
    }

    fn keeps(&self) -> bool {
        true
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be listed").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn put(store: &SqliteStore, key: &[u8], value: &[u8]) {
    let (key, value) = (key.to_vec(), value.to_vec());
    store
        .write(Box::new(move |_| {
            let mut batch = Batch::new();
            batch.put(Space(0), key.clone(), value.clone());
            Some(batch)
        }))
        .expect("the file can be written");
}

fn get(store: &SqliteStore, key: &[u8]) -> Option<Vec<u8>> {
    let found = store.view(|snapshot| snapshot.get(Space(0), key));
    let found = found.and_then(|read| read).expect("the file can be read");
    found.map(|value| value.to_vec())
}

#[test]
fn the_kit() {
    let failed: Vec<_> = kit::run(&Files).into_iter().filter(|outcome| outcome.result.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_kill_loses_nothing_acknowledged() {
    let folder = folder();
    let outcome = survival::around_kills(
        "a_kill_loses_nothing_acknowledged",
        &folder.path().join("my.db"),
        4,
        &|path| Ok(Arc::new(SqliteStore::open(path, Options::default())?)),
    );
    assert_eq!(outcome, Ok(()));
    assert_eq!(names(folder.path()), ["my.db"], "what the killed left is cleared away");
}

#[test]
fn a_closed_store_leaves_exactly_its_file() {
    let folder = folder();
    let path = folder.path().join("my.db");
    let store = SqliteStore::open(&path, Options::default()).expect("the folder can be written");
    put(&store, b"key", b"value");
    // Readers have connections of their own, which have to be closed before the writer's.
    assert_eq!(get(&store, b"key"), Some(b"value".to_vec()));
    assert!(names(folder.path()).len() > 1, "a log lies beside it while it is open");
    drop(store);
    assert_eq!(names(folder.path()), ["my.db"]);
    let carried = folder.path().join("carried.db");
    fs::rename(&path, &carried).expect("it can be moved");
    let store = SqliteStore::open(&carried, Options::default()).expect("it is ours");
    assert_eq!(get(&store, b"key"), Some(b"value".to_vec()));
}

#[test]
fn a_store_dropped_by_its_own_closure_closes() {
    let folder = folder();
    let path = folder.path().join("my.db");
    let store = Arc::new(SqliteStore::open(&path, RELAXED).expect("the folder can be written"));
    let inner = Arc::clone(&store);
    let written = store.transact(move |_| {
        let _held = &inner;
        Ok::<_, ()>((Batch::new(), ()))
    });
    written.expect("the file can be written").expect("it does not abort");
    drop(store);
    let again = SqliteStore::open(&path, RELAXED);
    assert!(again.is_ok(), "{again:?}");
}

#[test]
fn a_second_opener_is_refused_until_the_first_closes() {
    let folder = folder();
    let path = folder.path().join("my.db");
    let first = SqliteStore::open(&path, RELAXED).expect("nobody has it open");
    let refused = SqliteStore::open(&path, RELAXED).map(drop);
    assert!(matches!(refused, Err(StoreError::Locked { .. })), "{refused:?}");
    put(&first, b"key", b"value");
    assert_eq!(get(&first, b"key"), Some(b"value".to_vec()), "the first goes on");
    drop(first);
    SqliteStore::open(&path, RELAXED).expect("it is free again");
}

#[cfg(unix)]
#[test]
fn a_link_to_an_open_file_is_refused() {
    let folder = folder();
    let (path, link) = (folder.path().join("my.db"), folder.path().join("link.db"));
    let first = SqliteStore::open(&path, RELAXED).expect("nobody has it open");
    std::os::unix::fs::symlink(&path, &link).expect("the folder can be written");
    let refused = SqliteStore::open(&link, RELAXED).map(drop);
    assert!(matches!(refused, Err(StoreError::Locked { .. })), "{refused:?}");
    drop(first);
}

#[test]
fn foreign_files_are_refused_untouched() {
    let folder = folder();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "not a database, and longer than a header of SQLite: ".repeat(4))
        .expect("the folder can be written");
    let other = folder.path().join("other.db");
    Connection::open(&other)
        .and_then(|connection| connection.execute_batch("CREATE TABLE theirs (a)"))
        .expect("SQLite can make a database");
    for path in [text, other] {
        let before = fs::read(&path).expect("it was just made");
        let refused = SqliteStore::open(&path, Options::default()).map(drop);
        assert_eq!(refused, Err(StoreError::Foreign { path: real(&path) }));
        assert_eq!(fs::read(&path).expect("it is still there"), before);
    }
    assert_eq!(names(folder.path()), ["notes.txt", "other.db"]);
}

#[test]
fn a_newer_format_is_refused() {
    let folder = folder();
    let path = folder.path().join("my.db");
    drop(SqliteStore::open(&path, Options::default()).expect("the folder can be written"));
    Connection::open(&path)
        .and_then(|connection| connection.pragma_update(None, "user_version", 1_000))
        .expect("SQLite opens it");
    let refused = SqliteStore::open(&path, Options::default()).map(drop);
    assert_eq!(refused, Err(StoreError::NewerFormat { path: real(&path), found: 1_000, supported: 1 }));
}

#[test]
fn tables_that_are_not_ours_are_damage() {
    let folder = folder();
    let path = folder.path().join("my.db");
    drop(SqliteStore::open(&path, Options::default()).expect("the folder can be written"));
    Connection::open(&path)
        .and_then(|connection| {
            connection.execute_batch("CREATE TRIGGER t AFTER DELETE ON entries BEGIN DELETE FROM spaces; END")
        })
        .expect("SQLite opens it");
    let refused = SqliteStore::open(&path, Options::default()).map(drop);
    assert!(matches!(refused, Err(StoreError::Corrupt { .. })), "{refused:?}");
}

#[test]
fn places_that_cannot_hold_a_file_are_refused() {
    let folder = folder();
    for path in [folder.path().to_path_buf(), folder.path().join("missing").join("my.db")] {
        let refused = SqliteStore::open(&path, Options::default()).map(drop);
        assert_eq!(refused, Err(StoreError::NoSuchPlace { path }));
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn links_to_nothing_and_what_is_no_file_are_refused() {
    let folder = folder();
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(folder.path().join("missing.db"), &link).expect("the folder can be written");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    for path in [link, pipe, PathBuf::from("/dev/null")] {
        let refused = SqliteStore::open(&path, Options::default()).map(drop);
        assert_eq!(refused, Err(StoreError::NoSuchPlace { path }));
    }
    assert_eq!(names(folder.path()), ["link.db", "pipe"]);
}

#[test]
fn an_empty_file_becomes_a_database() {
    let folder = folder();
    let path = folder.path().join("my.db");
    fs::write(&path, "").expect("the folder can be written");
    let store = SqliteStore::open(&path, Options::default()).expect("it is empty");
    put(&store, b"key", b"value");
    assert_eq!(get(&store, b"key"), Some(b"value".to_vec()));
}

#[test]
fn a_file_says_that_it_may_block() {
    let folder = folder();
    let store = SqliteStore::open(folder.path().join("my.db"), RELAXED).expect("it is new");
    assert!(store.may_block());
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().expect("it is there")
}

#[cfg(unix)]
#[test]
fn a_file_that_was_taken_away_refuses_writes_instead_of_losing_them() {
    let folder = folder();
    let path = folder.path().join("my.db");
    let store = SqliteStore::open(&path, RELAXED).expect("the folder can be written");
    put(&store, b"key", b"value");
    let try_put = |store: &SqliteStore| {
        store.write(Box::new(|_| {
            let mut batch = Batch::new();
            batch.put(Space(0), b"key", *b"lost");
            Some(batch)
        }))
    };
    let elsewhere = folder.path().join("elsewhere.db");
    fs::rename(&path, &elsewhere).expect("it can be moved");
    assert!(matches!(try_put(&store), Err(StoreError::Gone { .. })), "nothing is at its path");
    fs::write(&path, b"").expect("another file can be put there");
    assert!(matches!(try_put(&store), Err(StoreError::Gone { .. })), "another file is at its path");
    fs::rename(&elsewhere, &path).expect("it can be put back");
    try_put(&store).expect("it is where it was");
}

#[cfg(unix)]
#[test]
fn a_file_with_a_second_name_is_refused() {
    let folder = folder();
    let path = folder.path().join("my.db");
    drop(SqliteStore::open(&path, RELAXED).expect("the folder can be written"));
    let other = folder.path().join("other.db");
    fs::hard_link(&path, &other).expect("the file system has hard links");
    for name in [&path, &other] {
        let refused = SqliteStore::open(name, RELAXED).map(drop);
        assert!(matches!(refused, Err(StoreError::Linked { .. })), "{refused:?}");
    }
    fs::remove_file(&other).expect("a name can be removed");
    drop(SqliteStore::open(&path, RELAXED).expect("it has one name again"));
}

#[test]
fn what_a_reader_finds_without_sqlite_is_of_one_moment_with_the_rest() {
    const WRITES: u64 = 2_000;
    let folder = folder();
    let store = SqliteStore::open(folder.path().join("my.db"), RELAXED).expect("the folder can be written");
    put(&store, b"a", &0_u64.to_be_bytes());
    put(&store, b"b", &0_u64.to_be_bytes());
    let number = |value: Option<keyplan_store::SharedBytes>| {
        u64::from_be_bytes(value.expect("it is there").as_ref().try_into().expect("eight bytes"))
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut last = 0;
                while last < WRITES {
                    let (one, other, ranged) = store
                        .view(|snapshot| {
                            let one = number(snapshot.get(Space(0), b"a").expect("it can be read"));
                            let mut ranged = Vec::new();
                            let all = Bounds::new(std::ops::Bound::Unbounded, std::ops::Bound::Unbounded);
                            snapshot
                                .range(Space(0), all, Direction::Forward, 2, &mut |_, value| {
                                    ranged.push(number(Some(value.to_shared())));
                                    Visit::Continue
                                })
                                .expect("it can be read");
                            (one, number(snapshot.get(Space(0), b"b").expect("it can be read")), ranged)
                        })
                        .expect("it can be read");
                    assert_eq!((one, vec![one, one]), (other, ranged), "one snapshot");
                    assert!(one >= last, "{one} was read after {last}");
                    last = one;
                }
            });
        }
        for written in 1..=WRITES {
            let batch = move |_: &dyn keyplan_store::Snapshot| {
                let mut batch = Batch::new();
                batch.put(Space(0), *b"a", written.to_be_bytes());
                batch.put(Space(0), *b"b", written.to_be_bytes());
                Some(batch)
            };
            store.write(Box::new(batch)).expect("the file can be written");
            let seen = store.view(|snapshot| number(snapshot.get(Space(0), b"b").expect("it can be read")));
            assert!(seen.expect("it can be read") >= written, "an acknowledged write is seen");
        }
    });
}

#[test]
fn reads_between_writes_don_t_let_the_log_grow() {
    let folder = folder();
    let path = folder.path().join("my.db");
    let store = SqliteStore::open(&path, RELAXED).expect("the folder can be written");
    for number in 0..3_000_u32 {
        put(&store, &(number % 50).to_be_bytes(), &[7; 8_000]);
        store
            .view(|snapshot| snapshot.get(Space(0), &7_u32.to_be_bytes()).map(drop))
            .expect("a read")
            .expect("a read");
    }
    let log = fs::metadata(folder.path().join("my.db-wal")).expect("the log is there").len();
    assert!(log < 16 << 20, "{log} bytes");
}
