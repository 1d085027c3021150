//! `--durability`: in either mode a killed process loses nothing acknowledged.

use crate::serving::{Serving, keyplan, put, table, text};

#[test]
fn a_kill_loses_nothing_in_either_mode() {
    for mode in ["full", "relaxed"] {
        let folder = tempfile::tempdir().expect("a folder");
        let db = folder.path().join("shop.db");
        let arguments = ["--db", text(&db), "--durability", mode];
        let mut serving = Serving::start(&arguments);
        serving.call("CreateTable", &table("Tab"));
        for id in 0..20 {
            serving.call("PutItem", &put("Tab", &id.to_string()));
        }
        serving.kill();
        let again = Serving::start(&arguments);
        let found = again.call("Scan", r#"{"TableName":"Tab","Select":"COUNT"}"#);
        assert_eq!(found["Count"], 20, "{mode}");
    }
}

#[test]
fn a_mode_is_of_a_file_and_has_a_name() {
    for (arguments, said) in [
        (&["serve", "--durability", "relaxed"][..], &["--db"][..]),
        (&["serve", "--db", "x.db", "--durability", "fast"], &["'fast'", "full", "relaxed"]),
    ] {
        let output = keyplan(arguments).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(said.iter().all(|part| text.contains(part)), "{arguments:?}: {text}");
    }
}
