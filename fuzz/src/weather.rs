//! The weather, and requests that meet it.

use keyplan_engine::weather::{ClockMove, Weather};

use crate::requests::{ask, engine};

/// Requests of each kind that the weather looks into.
const REQUESTS: &[(&str, &str)] = &[
    ("PutItem", r#"{"TableName": "Fuzz", "Item": {"pk": {"S": "a"}, "sk": {"N": "2"}, "g": {"S": "y"}}}"#),
    ("GetItem", r#"{"TableName": "Fuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}}"#),
    ("Scan", r#"{"TableName": "Fuzz", "IndexName": "byG"}"#),
    (
        "BatchWriteItem",
        r#"{"RequestItems": {"Fuzz": [{"DeleteRequest": {"Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}}}]}}"#,
    ),
    ("BatchGetItem", r#"{"RequestItems": {"Fuzz": {"Keys": [{"pk": {"S": "a"}, "sk": {"N": "1"}}]}}}"#),
    (
        "TransactWriteItems",
        r#"{"TransactItems": [{"Delete": {"TableName": "Fuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}}}]}"#,
    ),
    (
        "TransactGetItems",
        r#"{"TransactItems": [{"Get": {"TableName": "Fuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}}}]}"#,
    ),
    ("DeleteTable", r#"{"TableName": "Fuzz"}"#),
    ("DescribeTable", r#"{"TableName": "Fuzz"}"#),
];

/// A text is a weather or is refused; what is one is the same when it is written and read, and whatever it is,
/// every request is answered.
pub fn weather(data: &[u8]) {
    let _ = ClockMove::parse(data);
    let Ok(weather) = Weather::parse(data) else { return };
    assert_eq!(
        Weather::parse(weather.to_json().as_bytes()).as_ref(),
        Ok(&weather),
        "it changed by being written"
    );
    let engine = engine();
    engine.set_weather(weather);
    for (operation, body) in REQUESTS {
        let status = ask(&engine, &format!("DynamoDB_20120810.{operation}"), body.as_bytes());
        assert!([200, 400, 500, 503].contains(&status), "{operation} answered {status}");
    }
}
