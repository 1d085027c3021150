//! `--control`.

use crate::serving::{Serving, put, table, text};

fn count(serving: &Serving, key: &str) -> u64 {
    let answer = serving.call_as("us-east-1", key, "Scan", r#"{"TableName":"Tab"}"#);
    answer["Count"].as_u64().expect("a count")
}

#[test]
fn data_go_back_to_the_start_and_to_snapshots() {
    let seed = tempfile::tempdir().expect("a folder");
    std::fs::write(seed.path().join("Tab.table.json"), table("Tab")).expect("written");
    let serving = Serving::start(&["--seed", text(seed.path()), "--control=0"]);
    serving.call("PutItem", &put("Tab", "a"));
    let (status, answer) = serving.ask("POST", "/snapshot", "", r#"{"name":"one item"}"#);
    assert_eq!(status, 200, "{answer}");
    assert!(answer["milliseconds"].is_f64(), "{answer}");
    serving.call("PutItem", &put("Tab", "b"));
    serving.call("CreateTable", &table("Later"));
    assert_eq!(serving.ask("POST", "/restore", "", r#"{"name":"one item"}"#).0, 200);
    assert_eq!(count(&serving, "key"), 1);
    assert_eq!(serving.table_names("us-east-1", "key"), ["Tab"]);
    serving.call("PutItem", &put("Tab", "c"));
    assert_eq!(serving.ask("POST", "/reset", "", "").0, 200);
    assert_eq!(count(&serving, "key"), 0, "the seed's table, without an item");
    assert_eq!(serving.ask("POST", "/restore", "", r#"{"name":"one item"}"#).0, 200);
    assert_eq!(count(&serving, "key"), 1, "a snapshot outlives a reset and its own restoring");
    let (_, state) = serving.ask("GET", "/", "", "");
    assert_eq!((&state["data"], &state["snapshots"][0]), (&"memory".into(), &"one item".into()));
}

#[test]
fn one_namespace_can_be_put_back_alone() {
    let serving = Serving::start(&["--isolate", "access-key", "--control=0"]);
    for key in ["one", "two"] {
        serving.call_as("us-east-1", key, "CreateTable", &table("Tab"));
        serving.call_as("us-east-1", key, "PutItem", &put("Tab", "a"));
    }
    assert_eq!(serving.ask("POST", "/snapshot", "", r#"{"namespace":"one"}"#).0, 200);
    for key in ["one", "two"] {
        serving.call_as("us-east-1", key, "PutItem", &put("Tab", "b"));
    }
    assert_eq!(serving.ask("POST", "/restore", "", r#"{"namespace":"one"}"#).0, 200);
    assert_eq!((count(&serving, "one"), count(&serving, "two")), (1, 2));
    assert_eq!(serving.ask("POST", "/reset", "", r#"{"namespace":"two"}"#).0, 200);
    assert_eq!(count(&serving, "one"), 1);
    assert!(serving.table_names("us-east-1", "two").is_empty());
}

#[test]
fn what_can_not_be_done_says_why() {
    let serving = Serving::start(&["--control=0"]);
    for (method, path, body, status, part) in [
        ("POST", "/restore", r#"{"name":"no"}"#, 404, "no snapshot named"),
        ("POST", "/snapshot", r#"{"name":""}"#, 400, "1 to 100 characters"),
        ("POST", "/reset", "{", 400, "not JSON"),
        ("GET", "/reset", "", 405, "POST"),
        ("POST", "/report", "", 405, "GET"),
        ("GET", "/else", "", 404, "POST /restore"),
        ("DELETE", "/", "", 405, "POST"),
    ] {
        let (found, answer) = serving.ask(method, path, "", body);
        assert_eq!(found, status, "{method} {path} {body}: {answer}");
        let error = answer["error"].as_str().expect("an error");
        assert!(error.contains(part), "{method} {path} {body}: {error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let on_file = Serving::start(&["--db", text(&folder.path().join("a.db")), "--control=0"]);
    for path in ["/reset", "/snapshot", "/restore"] {
        let (status, answer) = on_file.ask("POST", path, "", "");
        assert_eq!(status, 409, "{answer}");
    }
    assert_eq!(on_file.ask("GET", "/report", "", "").0, 200);
}

#[test]
fn pages_and_other_hosts_are_refused_and_the_endpoint_itself_has_no_control() {
    let serving = Serving::start(&["--control=0", "--allow-origin", "https://app.example"]);
    serving.call("CreateTable", &table("Tab"));
    for headers in [
        "Origin: https://evil.example\r\n",
        "Origin: http://localhost:3000\r\n",
        "Origin: https://app.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Host: evil.example\r\n",
    ] {
        let (status, answer) = serving.ask("POST", "/reset", headers, "");
        assert_eq!(status, 403, "{headers}: {answer}");
        assert_eq!(serving.ask("GET", "/report", headers, "").0, 403, "{headers}");
    }
    let mut client = crate::serving::Client::to(&serving.address);
    let head = "POST /reset HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    assert_eq!(client.exchange(head, "{}").expect("an answer").0, 404);
    assert_eq!(serving.table_names("us-east-1", "key"), ["Tab"], "nothing of it had an effect");
}

// Elsewhere only one loopback address is set up.
#[cfg(target_os = "linux")]
#[test]
fn it_listens_on_the_loopback_address_alone_and_only_when_asked() {
    let serving = Serving::start(&["--host", "0.0.0.0", "--allow-any-signature", "--control=0"]);
    let control = serving.control.as_deref().expect("a control address");
    assert!(control.starts_with("127.0.0.1:"), "{control}");
    let port = control.rsplit(':').next().expect("a port");
    // Another address of this machine reaches the endpoint, and not its control.
    let endpoint_port = serving.address.rsplit(':').next().expect("a port");
    let reaches = |port: &str| std::net::TcpStream::connect(format!("127.0.0.2:{port}")).is_ok();
    assert!(reaches(endpoint_port) && !reaches(port));
}

#[test]
fn replication_is_held_back_and_let_go_on() {
    let serving = Serving::start(&["--control=0"]);
    serving.call("CreateTable", &table("Tab"));
    let region = "eu-west-1";
    let answer = serving.call_as(
        "us-east-1",
        "key",
        "UpdateTable",
        &format!(r#"{{"TableName":"Tab","ReplicaUpdates":[{{"Create":{{"RegionName":"{region}"}}}}]}}"#),
    );
    assert_eq!(answer["TableDescription"]["GlobalTableVersion"], "2019.11.21", "{answer}");
    let tab = r#"{"table":"Tab"}"#;
    assert_eq!(
        serving.ask("POST", "/replication/pause", "", tab),
        (200, serde_json::json!({"paused": true}))
    );
    serving.call_as("us-east-1", "key", "PutItem", &put("Tab", "a"));
    let scanned = |region: &str| {
        serving.call_as(region, "key", "Scan", r#"{"TableName":"Tab"}"#)["Count"].as_u64().expect("a count")
    };
    assert_eq!((scanned("us-east-1"), scanned(region)), (1, 0));
    assert_eq!(
        serving.ask("POST", "/replication/resume", "", tab),
        (200, serde_json::json!({"paused": false}))
    );
    assert_eq!(scanned(region), 1);
    for (body, status) in
        [("", 400), (r#"{"table":"None"}"#, 404), (r#"{"table":"Tab","namespace":"n"}"#, 404)]
    {
        assert_eq!(serving.ask("POST", "/replication/pause", "", body).0, status, "{body}");
    }
}

#[test]
fn the_busiest_keys_are_told() {
    let serving = Serving::start(&["--control=0"]);
    serving.call("CreateTable", &table("Tab"));
    let tab = r#"{"table":"Tab"}"#;
    assert_eq!(serving.ask("POST", "/insights", "", tab).0, 404, "they aren't counted");
    let enable = r#"{"TableName":"Tab","ContributorInsightsAction":"ENABLE"}"#;
    serving.call("UpdateContributorInsights", enable);
    for key in ["a", "b", "a", "a"] {
        serving.call("PutItem", &put("Tab", key));
    }
    let (status, keys) = serving.ask("POST", "/insights", "", tab);
    assert_eq!(status, 200, "{keys}");
    assert_eq!(keys["partitionKeys"][0]["count"], 3, "{keys}");
    assert_eq!(keys["partitionKeys"][0]["error"], 0);
    assert_eq!(keys["partitionKeys"][1]["count"], 1);
}
