//! Files that are damaged, places that can't be written, and a disk without room: what is said, and that the rest
//! goes on.

use std::fs;
use std::path::{Path, PathBuf};

use crate::serving::{Serving, fails, put, table, text};

/// Items of a file, enough for many pages.
const ITEMS: usize = 300;

/// A closed file with items, in a folder.
fn file_with_items(folder: &Path) -> PathBuf {
    let seed = folder.join("seed");
    fs::create_dir(&seed).expect("made");
    let filler = "x".repeat(300);
    let items = (0..ITEMS).map(|id| format!("{{\"id\":{{\"S\":\"{id}\"}},\"v\":{{\"S\":\"{filler}\"}}}}\n"));
    fs::write(seed.join("Tab.items.jsonl"), items.collect::<String>()).expect("written");
    fs::write(seed.join("Tab.json"), table("Tab")).expect("written");
    let db = folder.join("shop.db");
    assert_eq!(Serving::start(&["--db", text(&db), "--seed", text(&seed)]).stop().code, Some(0));
    db
}

#[test]
fn a_file_that_was_cut_is_refused_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = file_with_items(folder.path());
    let whole = fs::read(&db).expect("read");
    for length in [whole.len() / 2, 5_000, 4_096] {
        fs::write(&db, &whole[..length]).expect("written");
        let said = fails(&["--db", text(&db)]);
        assert!(said.contains("shop.db can't be opened") && said.contains("is damaged"), "{length}: {said}");
        assert_eq!(fs::read(&db).expect("read"), whole[..length], "{length}: it was left as it is");
    }
    fs::write(&db, &whole[..50]).expect("written");
    assert!(fails(&["--db", text(&db)]).contains("is not a Keyplan database"));
}

#[test]
fn a_damaged_page_fails_what_reads_it_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = file_with_items(folder.path());
    let mut bytes = fs::read(&db).expect("read");
    let page = bytes.len() - 4_096;
    bytes[page..page + 16].fill(0xff);
    fs::write(&db, bytes).expect("written");
    let serving = Serving::start(&["--db", text(&db)]);
    let (status, answer) = serving.try_call("Scan", r#"{"TableName":"Tab"}"#);
    assert_eq!((status, answer["message"].as_str()), (500, Some("Internal server error")));
    assert_eq!(serving.table_names("us-east-1", "key"), ["Tab"]);
    let ended = serving.stop();
    assert_eq!(ended.code, Some(0));
    let line = ended.stderr.lines().find(|line| line.contains("fault:")).expect("a line about it");
    assert!(line.contains("the database is damaged") && line.contains("go back to a copy"), "{line}");
}

#[test]
fn garbage_beside_a_file_is_not_taken_into_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = file_with_items(folder.path());
    let garbage: Vec<u8> = (0..40_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for beside in ["shop.db-wal", "shop.db-journal", "shop.db-shm", "shop.db.lock"] {
        fs::write(folder.path().join(beside), &garbage).expect("written");
        let serving = Serving::start(&["--db", text(&db)]);
        let found = serving.call("Scan", r#"{"TableName":"Tab","Select":"COUNT"}"#);
        assert_eq!(found["Count"], ITEMS, "{beside}");
        serving.call("PutItem", &put("Tab", "0"));
        assert_eq!(serving.stop().code, Some(0), "{beside}");
    }
}

/// The system's own folder takes no files, not even from root.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_files_is_told() {
    let said = fails(&["--db", "/sys/shop.db"]);
    assert!(said.contains("/sys/shop.db cannot be written") && said.contains("write permission"), "{said}");
}

/// A limit on the length of files stands for a disk that is full, and is lifted as if room had been made.
#[cfg(target_os = "linux")]
#[test]
fn without_room_writes_are_refused_reads_go_on_and_so_do_writes_when_there_is_room() {
    use std::collections::BTreeSet;
    use std::process::Command;

    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("shop.db");
    // The signal that comes with the limit would end the process before the error is seen; 256 blocks of 512 bytes.
    let serving = Serving::start_under("trap '' XFSZ; ulimit -S -f 256", &["--db", text(&db)]);
    serving.call("CreateTable", &table("Tab"));
    let mut acknowledged = BTreeSet::new();
    let refused = loop {
        let id = acknowledged.len().to_string();
        match serving.try_call("PutItem", &put("Tab", &id)) {
            (200, _) => acknowledged.insert(id),
            (status, answer) => break (status, answer),
        };
        assert!(acknowledged.len() < 10_000, "the limit is not met");
    };
    assert_eq!((refused.0, refused.1["message"].as_str()), (500, Some("Internal server error")));
    let count = |serving: &Serving| {
        let found = serving.call("Scan", r#"{"TableName":"Tab","ConsistentRead":true,"Select":"COUNT"}"#);
        found["Count"].as_u64().expect("a count") as usize
    };
    assert_eq!(count(&serving), acknowledged.len(), "reads go on");

    let lifted =
        Command::new("prlimit").arg("--fsize=unlimited:").args(["--pid", &serving.id().to_string()]).status();
    assert!(lifted.expect("prlimit runs").success());
    serving.call("PutItem", &put("Tab", "room"));
    assert_eq!(count(&serving), acknowledged.len() + 1);
    let ended = serving.stop();
    assert_eq!(ended.code, Some(0));
    assert!(ended.stderr.contains("the database could not be read or written"), "{}", ended.stderr);
    assert_eq!(count(&Serving::start(&["--db", text(&db)])), acknowledged.len() + 1);
}
