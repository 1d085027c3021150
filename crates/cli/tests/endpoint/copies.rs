//! `keyplan backup`, `restore` and `dump`, on files that an endpoint has open and on others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::serving::{Client, Serving, keyplan, put, table, text};

/// A folder with the paths that the tests use in it.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

fn runs(arguments: &[&str]) -> String {
    let output = keyplan(arguments).output().expect("the command runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).expect("text")
}

/// The one line of a command that fails.
fn refused(arguments: &[&str]) -> String {
    let output = keyplan(arguments).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(text.trim_end().lines().count(), 1, "one clear line, not:\n{text}");
    text
}

fn ids(serving: &Serving) -> BTreeSet<String> {
    let answer = serving.call("Scan", r#"{"TableName":"Tab","ConsistentRead":true}"#);
    let items = answer["Items"].as_array().expect("items").iter();
    items.map(|item| item["id"]["S"].as_str().expect("an id").to_owned()).collect()
}

fn with_items(db: &Path, ids: &[&str]) -> Serving {
    let serving = Serving::start(&["--db", text(db)]);
    serving.call("CreateTable", &table("Tab"));
    for id in ids {
        serving.call("PutItem", &put("Tab", id));
    }
    serving
}

#[test]
fn a_backup_of_a_file_in_use_has_what_was_acknowledged_and_hinders_nobody() {
    let place = Place::new();
    let (db, copy) = (place.at("shop.db"), place.at("copy.db"));
    let serving = with_items(&db, &[]);
    let written = AtomicUsize::new(0);
    let mut backups = Vec::new();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut client = Client::to(&serving.address);
            for number in 0..400 {
                let answer = client.call("us-east-1", "key", "PutItem", &put("Tab", &format!("{number:03}")));
                assert_eq!(answer.map(|(status, _)| status), Some(200));
                written.store(number + 1, Ordering::SeqCst);
            }
        });
        while !writer.is_finished() {
            let before = written.load(Ordering::SeqCst);
            runs(&["backup", text(&db), text(&copy), "--force"]);
            let dump = runs(&["dump", text(&copy), "--table", "Tab"]);
            backups.push((before, dump.lines().count()));
        }
    });
    assert!(backups.len() > 1, "copies were made while it wrote");
    for (before, found) in backups {
        assert!(found >= before, "{found} items in a copy that was begun after {before} were acknowledged");
    }
    assert_eq!(serving.stop().code, Some(0));
    assert_eq!(place.names(), ["copy.db", "shop.db"], "nothing is left beside the files");
}

#[test]
fn a_backup_replaces_nothing_unless_it_is_told_to() {
    let place = Place::new();
    let (db, copy) = (place.at("shop.db"), place.at("copy.db"));
    with_items(&db, &["a"]).stop();
    fs::write(&copy, "notes").expect("written");
    let said = refused(&["backup", text(&db), text(&copy)]);
    assert!(said.contains("copy.db is there already") && said.contains("--force"), "{said}");
    assert_eq!(fs::read(&copy).expect("read"), b"notes");
    runs(&["backup", text(&db), text(&copy), "--force"]);
    assert_eq!(ids(&Serving::start(&["--db", text(&copy)])), BTreeSet::from(["a".to_owned()]));
}

#[cfg(unix)]
#[test]
fn a_backup_is_as_private_as_its_file() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    let (db, copy) = (place.at("shop.db"), place.at("copy.db"));
    with_items(&db, &["a"]).stop();
    fs::set_permissions(&db, fs::Permissions::from_mode(0o640)).expect("changed");
    runs(&["backup", text(&db), text(&copy)]);
    assert_eq!(copy.metadata().expect("it is there").permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_restored_file_is_the_backup_and_nothing_that_a_killed_owner_left() {
    let place = Place::new();
    let (db, copy) = (place.at("shop.db"), place.at("copy.db"));
    let mut serving = with_items(&db, &["early"]);
    runs(&["backup", text(&db), text(&copy)]);
    serving.call("PutItem", &put("Tab", "late"));

    let said = refused(&["restore", text(&copy), text(&db), "--force"]);
    assert!(said.contains("shop.db is open elsewhere"), "{said}");
    serving.kill();
    assert!(place.names().contains(&"shop.db-wal".to_owned()), "the killed left its log");
    let said = refused(&["restore", text(&copy), text(&db)]);
    assert!(said.contains("shop.db is there already"), "{said}");

    runs(&["restore", text(&copy), text(&db), "--force"]);
    let again = Serving::start(&["--db", text(&db)]);
    assert_eq!(ids(&again), BTreeSet::from(["early".to_owned()]));
    assert_eq!(again.stop().code, Some(0));
    assert_eq!(place.names(), ["copy.db", "shop.db"]);
}

#[test]
fn a_backup_of_a_killed_owners_file_has_what_stands_in_its_log() {
    let place = Place::new();
    let (db, copy) = (place.at("shop.db"), place.at("copy.db"));
    let mut serving = with_items(&db, &["a", "b"]);
    serving.kill();
    runs(&["backup", text(&db), text(&copy)]);
    assert_eq!(ids(&Serving::start(&["--db", text(&copy)])).len(), 2);
}

#[test]
fn what_is_no_backup_replaces_nothing() {
    let place = Place::new();
    let (db, copy) = (place.at("shop.db"), place.at("copy.db"));
    with_items(&db, &["kept"]).stop();
    runs(&["backup", text(&db), text(&copy)]);
    let whole = fs::read(&copy).expect("read");
    let before = fs::read(&db).expect("read");

    let mut damaged = whole.clone();
    // The middle of the last page, where rows lie.
    let at = damaged.len() - 2_048;
    damaged[at..].fill(0xff);
    let cut = whole[..whole.len() / 2].to_vec();
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&9_u32.to_be_bytes());
    for (bytes, said) in [
        (damaged, "is damaged"),
        (cut, "is damaged"),
        (newer, "has format 9"),
        (b"these are notes".repeat(100), "is not a Keyplan database"),
    ] {
        fs::write(&copy, &bytes).expect("written");
        let text = refused(&["restore", text(&copy), text(&db), "--force"]);
        assert!(text.contains(said), "{said}: {text}");
        assert_eq!(fs::read(&db).expect("read"), before, "{said}: it is as it was");
        assert_eq!(fs::read(&copy).expect("read"), bytes, "{said}: so is the other");
    }
    let said = refused(&["restore", text(&place.at("none.db")), text(&db), "--force"]);
    assert!(said.contains("there is no file") && said.contains("none.db"), "{said}");
    assert_eq!(place.names(), ["copy.db", "shop.db"]);
}

#[test]
fn a_dump_is_a_seed() {
    let place = Place::new();
    let (db, seeds) = (place.at("shop.db"), place.at("seeds"));
    fs::create_dir(&seeds).expect("made");
    let serving = with_items(&db, &["a", "b"]);
    serving.call("CreateTable", &table("Other.table"));
    serving.call("PutItem", &put("Other.table", "c"));

    let dump = runs(&["dump", text(&db)]);
    let lines: Vec<Value> =
        dump.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(lines.len(), 5, "two tables and three items: {dump}");
    assert_eq!(lines[0]["Table"]["TableName"], "Other.table");
    assert_eq!(lines[1], serde_json::json!({"TableName": "Other.table", "Item": {"id": {"S": "c"}}}));

    fs::write(seeds.join("shop.jsonl"), &dump).expect("written");
    let seeded = Serving::start(&["--seed", text(&seeds)]);
    assert_eq!(seeded.table_names("us-east-1", "key"), ["Other.table", "Tab"]);
    assert_eq!(ids(&seeded), ids(&serving));
}

#[test]
fn a_dump_of_one_table_is_as_an_export_has_it() {
    let place = Place::new();
    let db = place.at("shop.db");
    with_items(&db, &["a"]).stop();
    assert_eq!(runs(&["dump", text(&db), "--table", "Tab"]), "{\"Item\":{\"id\":{\"S\":\"a\"}}}\n");
    let said = refused(&["dump", text(&db), "--table", "Nope"]);
    assert!(said.contains("Nope") && said.contains("ResourceNotFoundException"), "{said}");
    let said = refused(&["dump", text(&place.at("none.db"))]);
    assert!(said.contains("there is no file"), "{said}");
    assert_eq!(place.names(), ["shop.db"], "a dump makes nothing");
}
