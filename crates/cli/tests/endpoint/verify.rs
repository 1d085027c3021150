//! `keyplan verify` on files that are well, damaged, in use and none of ours.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::serving::{Serving, keyplan, put, table, text};

/// What it prints on stdout and stderr, and its exit code.
fn verify(arguments: &[&str]) -> (String, String, Option<i32>) {
    let Output { status, stdout, stderr } =
        keyplan(&[&["verify"], arguments].concat()).output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (text(stdout), text(stderr), status.code())
}

fn refused(path: &Path, words: &str) {
    let (stdout, stderr, code) = verify(&[text(path)]);
    assert_eq!((stdout.as_str(), code), ("", Some(2)), "{stderr}");
    assert!(stderr.contains(words) && stderr.lines().count() == 1, "{stderr}");
}

/// A file with a table of some items, served and stopped or killed.
fn served(path: &Path, is_killed: bool) {
    let mut serving = Serving::start(&["--db", text(path)]);
    serving.call("CreateTable", &table("Tab"));
    for number in 0..40 {
        serving.call("PutItem", &put("Tab", &format!("item-{number}")));
    }
    if is_killed { serving.kill() } else { drop(serving.stop()) }
}

#[test]
fn a_file_that_is_well_has_no_differences_after_a_kill_either() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, is_killed) in [("stopped.db", false), ("killed.db", true)] {
        let path = folder.path().join(name);
        served(&path, is_killed);
        let expected = format!(
            "{}: no difference, in 1 tables, 40 items, 0 index entries, 0 journal records\n",
            path.display()
        );
        assert_eq!(verify(&[text(&path)]), (expected, String::new(), Some(0)));
    }
}

#[test]
fn differences_are_told_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shop.db");
    served(&path, false);
    // The items' bytes stand in the file as they are: one becomes another of the same length.
    let mut bytes = fs::read(&path).expect("the file");
    let word = b"\x02id\x01\x07item-17";
    let places: Vec<usize> =
        (0..bytes.len() - word.len()).filter(|at| bytes[*at..].starts_with(word)).collect();
    assert_eq!(places.len(), 1, "the item lies there once");
    bytes[places[0] + word.len() - 1] = b'X';
    fs::write(&path, bytes).expect("it can be written");
    let (stdout, stderr, code) = verify(&[text(&path)]);
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    let line = r#"table Tab, {"id":{"S":"item-17"}}: there is {"id":{"S":"item-1X"}}, and there should be an item with this key"#;
    assert!(stdout.lines().any(|told| told == line), "{stdout}");
    assert!(stderr.contains("3 differences, in 1 tables, 39 items"), "{stderr}");
    let (stdout, stderr, _) = verify(&["--limit", "1", text(&path)]);
    assert_eq!(stdout.lines().count(), 1);
    assert!(stderr.contains("3 differences, 1 of them above"), "{stderr}");
}

#[test]
fn a_damaged_page_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shop.db");
    served(&path, false);
    let mut bytes = fs::read(&path).expect("the file");
    let last = bytes.len() / 4_096 - 1;
    bytes[4_096 * last..].fill(0xa5);
    fs::write(&path, bytes).expect("it can be written");
    let (stdout, stderr, code) = verify(&[text(&path)]);
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    assert!(stdout.starts_with("the file: "), "{stdout}");
}

#[test]
fn a_file_that_can_not_be_looked_at_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shop.db");
    refused(&path, "there is no file");
    for content in ["", "words"] {
        fs::write(&path, content).expect("the folder can be written");
        refused(&path, "is not a Keyplan database");
    }
    fs::remove_file(&path).expect("it is there");
    let serving = Serving::start(&["--db", text(&path)]);
    refused(&path, "is open elsewhere");
    drop(serving.stop());
    let mut bytes = fs::read(&path).expect("the file");
    // SQLite's user version.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&path, bytes).expect("it can be written");
    refused(&path, "has format 99, and this release reads formats up to 1");
}
