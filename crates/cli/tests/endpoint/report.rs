//! `--report`, `--fail-on-scan`, `--max-units`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::serving::{Serving, fails, put, table, text};

fn report(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).expect("a report")).expect("JSON")
}

#[test]
fn the_report_tells_uses_dear_requests_and_scans_and_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("costs.json");
    let serving = Serving::start(&["--report", text(&file)]);
    assert_eq!(report(&file)["requests"], 0, "it is written at the start, so that it can be");
    serving.call("CreateTable", &table("Tab"));
    serving.call("PutItem", &put("Tab", "a"));
    serving.call("Scan", r#"{"TableName":"Tab","ConsistentRead":true}"#);
    let ended = serving.stop();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("3 requests (0 failed), 1.0 read units, 1.0 write units, 1 Scan\n"));
    assert!(ended.stdout.contains("tester/1.0 app/suite"), "{}", ended.stdout);
    let report = report(&file);
    assert_eq!(report["units"], serde_json::json!({"read": 1.0, "write": 1.0}));
    assert_eq!(report["scans"]["listed"][0]["request"], r#"{"TableName":"Tab","ConsistentRead":true}"#);
    assert!(!folder.path().join("costs.json.part").exists());
}

#[test]
fn rules_make_an_exit_code_of_their_own() {
    for (rules, code, said) in [
        (&["--fail-on-scan"][..], 3, "Scans were made, with --fail-on-scan: Tab (1)"),
        (&["--max-units", "1"], 3, "1.5 units were used, more than --max-units 1"),
        (&["--max-units", "2"], 0, ""),
    ] {
        let serving = Serving::start(rules);
        serving.call("CreateTable", &table("Tab"));
        serving.call("PutItem", &put("Tab", "a"));
        serving.call("Scan", r#"{"TableName":"Tab"}"#);
        let ended = serving.stop();
        assert_eq!(ended.code, Some(code), "{rules:?}");
        assert!(ended.stderr.contains(said), "{rules:?}: {}", ended.stderr);
        assert!(ended.stdout.contains("Cost of this run"), "{}", ended.stdout);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_writes_the_report_and_control_tells_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("costs.json");
    let serving = Serving::start(&["--report", text(&file), "--control=0"]);
    serving.call("CreateTable", &table("Tab"));
    serving.signal("-USR1");
    let patience = Instant::now() + Duration::from_secs(30);
    while report(&file)["requests"] != 1 {
        assert!(Instant::now() < patience, "no report was written");
        std::thread::yield_now();
    }
    serving.call("PutItem", &put("Tab", "a"));
    let (_, told) = serving.ask("GET", "/report", "", "");
    assert_eq!((told["requests"].as_u64(), told["units"]["write"].as_f64()), (Some(2), Some(1.0)));
    assert_eq!(serving.ask("POST", "/report/clear", "", "").0, 200);
    assert_eq!(serving.ask("GET", "/report", "", "").1["requests"], 0);
}

#[test]
fn a_report_that_can_not_be_written_is_known_at_the_start() {
    assert!(fails(&["--report", "no/such/folder/costs.json"]).contains("choose another file with --report"));
}
