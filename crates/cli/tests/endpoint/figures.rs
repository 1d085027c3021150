//! What an endpoint tells of itself: `/metrics`, and events on stderr.

use crate::serving::{Client, Serving, put, table, text};

/// The figures of `/metrics`, by name and labels.
fn metrics(serving: &Serving) -> Vec<(String, f64)> {
    let head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n";
    let (status, body) = Client::to(&serving.address).exchange(head, "").expect("an answer");
    assert_eq!(status, 200);
    let text = String::from_utf8(body).expect("text");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let figure = |line: &str| {
        let (name, figure) = line.rsplit_once(' ').expect("a name and a figure");
        (name.to_owned(), figure.parse().expect("a number"))
    };
    lines.map(figure).collect()
}

fn figure(figures: &[(String, f64)], name: &str) -> f64 {
    figures.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("{name} in {figures:?}")).1
}

#[test]
fn figures_add_up_to_what_was_done() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [vec![], vec!["--db", text(&folder.path().join("shop.db"))]] {
        let serving = Serving::start(&arguments);
        serving.call("CreateTable", &table("Tab"));
        ["a", "b", "c"].iter().for_each(|id| _ = serving.call("PutItem", &put("Tab", id)));
        serving.call("GetItem", r#"{"TableName":"Tab","Key":{"id":{"S":"a"}}}"#);
        serving.call("GetItem", r#"{"TableName":"Tab","ConsistentRead":true,"Key":{"id":{"S":"z"}}}"#);
        serving.call("Scan", r#"{"TableName":"Tab"}"#);
        let twice =
            r#"{"TableName":"Tab","Item":{"id":{"S":"a"}},"ConditionExpression":"attribute_not_exists(id)"}"#;
        assert_eq!(serving.try_call("PutItem", twice).0, 400);
        serving.try_call("BrewTea", "{}");
        let figures = metrics(&serving);
        for (name, expected) in [
            (r#"keyplan_requests_total{operation="PutItem",result="success"}"#, 3.0),
            (r#"keyplan_requests_total{operation="PutItem",result="ConditionalCheckFailedException"}"#, 1.0),
            (r#"keyplan_requests_total{operation="GetItem",result="success"}"#, 2.0),
            (r#"keyplan_requests_total{operation="unknown",result="UnknownOperationException"}"#, 1.0),
            (r#"keyplan_request_duration_seconds_count{operation="PutItem"}"#, 4.0),
            (r#"keyplan_consumed_units_total{kind="read"}"#, 2.0),
            (r#"keyplan_consumed_units_total{kind="write"}"#, 4.0),
            ("keyplan_tables", 1.0),
            ("keyplan_items", 3.0),
            ("keyplan_item_bytes", 9.0),
        ] {
            assert_eq!(figure(&figures, name), expected, "{name}, {arguments:?}");
        }
        assert!(figure(&figures, "keyplan_connections") >= 1.0);
        assert!(figure(&figures, "keyplan_request_duration_seconds_sum{operation=\"Scan\"}") > 0.0);
    }
}

#[test]
fn figures_are_for_whom_the_endpoint_is() {
    let serving = Serving::start(&[]);
    for headers in ["Host: evil.example\r\n", "Host: localhost\r\nOrigin: https://evil.example\r\n"] {
        let head = format!("GET /metrics HTTP/1.1\r\n{headers}");
        assert_eq!(Client::to(&serving.address).exchange(&head, "").expect("an answer").0, 403);
    }
    let figures = metrics(&serving);
    for reason in ["host", "origin"] {
        assert_eq!(figure(&figures, &format!("keyplan_refused_requests_total{{reason=\"{reason}\"}}")), 1.0);
    }
}

/// Asks as a stranger's page, then stops.
fn said_of_a_stranger(arguments: &[&str]) -> String {
    let serving = Serving::start(arguments);
    let head = "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n";
    assert_eq!(Client::to(&serving.address).exchange(head, "").expect("an answer").0, 403);
    serving.stop().stderr
}

#[test]
fn events_are_said_in_the_form_that_is_asked_for() {
    assert_eq!(said_of_a_stranger(&[]), "", "faults alone are said unasked");
    assert_eq!(said_of_a_stranger(&["--log", "off"]), "");
    let text = said_of_a_stranger(&["--log", "text"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with("keyplan: started: version=") && lines[0].ends_with("data=\"memory\""),
        "{text}"
    );
    assert_eq!(lines[1], "keyplan: refused: reason=\"origin\" origin=\"https://evil.example\"");
    assert!(lines[2].starts_with("keyplan: stopped: seconds="), "{text}");

    let json = said_of_a_stranger(&["--log", "json"]);
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().expect("an event")).collect();
    assert_eq!(events, ["started", "refused", "stopped"], "{json}");
    assert_eq!(lines[1]["origin"], "https://evil.example");
    for line in &lines {
        let time = line["time"].as_str().expect("a time");
        assert!(time.starts_with("20") && time.ends_with('Z') && time.len() == 24, "{time}");
    }
}

#[test]
fn a_slow_call_is_said() {
    let weather = r#"{"latency": {"min": 1200, "max": 1300}}"#;
    let serving = Serving::start(&["--log", "text", "--weather", weather]);
    serving.call("CreateTable", &table("Tab"));
    serving.call("Scan", r#"{"TableName":"Tab"}"#);
    let said = serving.stop().stderr;
    let of_scan = "keyplan: slow: operation=\"Scan\" status=200 milliseconds=1";
    assert!(said.lines().any(|line| line.starts_with(of_scan)), "{said}");
}
