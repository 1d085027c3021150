//! `--weather`, `--clock`, and what the control address makes of both.

use serde_json::json;

use crate::serving::{Serving, keyplan, put, table, text};

const DAY: u64 = 24 * 3_600_000;

#[test]
fn the_clock_stands_is_moved_and_takes_the_jobs_along() {
    let serving = Serving::start(&["--control=0", "--clock", "0"]);
    let clock = |body: &str| {
        let (status, answer) = serving.ask(if body.is_empty() { "GET" } else { "POST" }, "/clock", "", body);
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let start = clock("");
    assert_eq!(start["rate"], 0.0);
    assert_eq!(clock("")["now"], start["now"], "it stands");
    assert!(start["text"].as_str().expect("a date").ends_with('Z'), "{start}");
    serving.call("CreateTable", &table("Tab"));
    let expiry = r#"{"TableName":"Tab","TimeToLiveSpecification":{"AttributeName":"until","Enabled":true}}"#;
    serving.call("UpdateTimeToLive", expiry);
    let seconds = start["now"].as_u64().expect("milliseconds") / 1_000;
    let item = json!({"id": {"S": "a"}, "until": {"N": (seconds + 3_600).to_string()}});
    serving.call("PutItem", &json!({"TableName": "Tab", "Item": item}).to_string());
    let count = || serving.call("Scan", r#"{"TableName":"Tab","Select":"COUNT"}"#)["Count"].clone();
    assert_eq!(count(), 1);
    let moved = clock(&json!({"advance": 3_601_000}).to_string());
    assert_eq!(moved["now"].as_u64(), Some(start["now"].as_u64().expect("milliseconds") + 3_601_000));
    assert_eq!(count(), 0, "what expired is gone when the clock has been moved");
    let back = clock(&json!({"to": start["now"]}).to_string());
    assert_eq!(back["now"], moved["now"], "it goes forward only");
    clock(r#"{"rate": 86400}"#);
    let start = moved["now"].as_u64().expect("milliseconds");
    let is_later = || clock("")["now"].as_u64().expect("milliseconds") > start + DAY / 20;
    assert!((0..10_000).any(|_| is_later()), "a day in a second");
}

#[test]
fn the_weather_is_set_told_and_kept_by_a_reset() {
    let serving = Serving::start(&["--isolate", "access-key", "--control=0"]);
    let weather = |method: &str, body: &str| serving.ask(method, "/weather", "", body);
    assert_eq!(weather("GET", "").1["weather"], json!({"seed": 0}));
    let failing = r#"{"errors": [{"error": "ThrottlingException", "operation": "PutItem", "times": 1}]}"#;
    serving.call_as("us-east-1", "one", "CreateTable", &table("Tab"));
    assert_eq!(weather("POST", failing).0, 200);
    let (status, answer) = serving.try_call_as("us-east-1", "one", "PutItem", &put("Tab", "a"));
    assert_eq!(
        (status, answer["__type"].as_str()),
        (400, Some("com.amazonaws.dynamodb.v20120810#ThrottlingException"))
    );
    serving.call_as("us-east-1", "one", "PutItem", &put("Tab", "a"));
    // Another namespace, opened later, has the same weather, and its own count of it.
    serving.call_as("us-east-1", "two", "CreateTable", &table("Tab"));
    assert_eq!(serving.try_call_as("us-east-1", "two", "PutItem", &put("Tab", "a")).0, 400);
    assert_eq!(weather("GET", "").1["happened"]["errors"], 2, "of both together");
    assert_eq!(serving.ask("POST", "/reset", "", "").0, 200);
    serving.call_as("us-east-1", "one", "CreateTable", &table("Tab"));
    assert_eq!(
        serving.try_call_as("us-east-1", "one", "PutItem", &put("Tab", "a")).0,
        400,
        "the weather stays"
    );
    assert_eq!(weather("POST", "").1["weather"], json!({"seed": 0}), "a fine day");
    serving.call_as("us-east-1", "one", "PutItem", &put("Tab", "a"));
}

#[test]
fn answers_take_their_time_by_the_clock() {
    let serving = Serving::start(&["--control=0", "--weather", r#"{"latency": {"min": 300}}"#]);
    let asked = std::time::Instant::now();
    serving.call("ListTables", "{}");
    assert!(asked.elapsed().as_millis() >= 300, "{:?}", asked.elapsed());
    // By a clock that stands nothing takes time: this would never be answered otherwise.
    serving.ask("POST", "/clock", "", r#"{"rate": 0}"#);
    serving.call("ListTables", "{}");
    // By one that runs fast an hour is soon over.
    serving.ask("POST", "/weather", "", r#"{"latency": {"min": 3600000}}"#);
    serving.ask("POST", "/clock", "", r#"{"rate": 86400}"#);
    serving.call("ListTables", "{}");
}

#[test]
fn the_weather_of_a_file_is_there_from_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("storm.json");
    std::fs::write(&file, r#"{"errors": [{"error": "ServiceUnavailable"}]}"#).expect("written");
    let db = folder.path().join("shop.db");
    let serving = Serving::start(&["--db", text(&db), "--weather", text(&file)]);
    assert_eq!(serving.try_call("ListTables", "{}").0, 503);
}

#[test]
fn what_can_not_be_is_told_in_words() {
    let serving = Serving::start(&["--control=0"]);
    for (path, body, part) in [
        ("/weather", "{", "not JSON"),
        ("/weather", r#"{"fog": 1}"#, "fog"),
        ("/clock", r#"{"back": 1}"#, "back"),
        ("/clock", r#"{"rate": -1}"#, "rate is a number"),
    ] {
        let (status, answer) = serving.ask("POST", path, "", body);
        assert_eq!(status, 400, "{path} {body}: {answer}");
        let error = answer["error"].as_str().expect("an error");
        assert!(error.contains(part), "{path} {body}: {error}");
    }
    for (arguments, part) in [
        (["--weather", r#"{"fog": 1}"#], "fog"),
        (["--weather", "no/such/file.json"], "no such file"),
        (["--clock", "fast"], "a rate is a number"),
    ] {
        let output =
            keyplan(&[&["serve", "--port", "0"][..], &arguments].concat()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(part), "{arguments:?}: {text}");
    }
}
