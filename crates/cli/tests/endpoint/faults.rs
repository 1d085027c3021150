//! Faults of the endpoint's own: the client learns that there was one, stderr why.

use crate::serving::{Client, Serving, put, table, text};

#[cfg(unix)]
#[test]
fn a_fault_says_its_cause_on_stderr_and_not_to_the_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("shop.db");
    let serving = Serving::start(&["--db", text(&db)]);
    serving.call("CreateTable", &table("Tab"));
    serving.call("PutItem", &put("Tab", "a"));
    std::fs::rename(&db, folder.path().join("moved.db")).expect("it can be moved");
    let (status, answer) = serving.try_call("PutItem", &put("Tab", "b"));
    assert_eq!((status, answer["message"].as_str()), (500, Some("Internal server error")));
    std::fs::rename(folder.path().join("moved.db"), &db).expect("it can be moved back");
    serving.call("PutItem", &put("Tab", "c"));
    let ended = serving.stop();
    let line = ended.stderr.lines().find(|line| line.contains("fault:")).expect("a line about it");
    for part in ["status=500", "operation=\"PutItem\"", "was removed or replaced while it was open"] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn health_is_told_as_json() {
    let serving = Serving::start(&[]);
    let head = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
    let (status, body) = Client::to(&serving.address).exchange(head, "").expect("an answer");
    assert_eq!((status, body.as_slice()), (200, &b"{\"status\":\"ok\"}\n"[..]));
}
