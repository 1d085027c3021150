//! What requests meet when the day is not a fine one.

mod batches;
mod conflicts;
mod errors;
mod lag;
mod lifecycle;
mod throttling;

use serde_json::{Value, json};

use crate::harness::{Harness, s};

/// A table `Tab` with the key `pk` and a global secondary index `ByGroup` on `group`, and the billing that `rest`
/// says.
fn table_with_index(harness: &Harness, rest: &Value) {
    let mut request = json!({
        "TableName": "Tab",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "group", "AttributeType": "S"}
        ],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "ByGroup", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}]
        }],
    });
    let members = request.as_object_mut().expect("an object");
    for (name, value) in rest.as_object().expect("an object") {
        members.insert(name.clone(), value.clone());
    }
    harness.call("CreateTable", &request).ok();
}

fn get(key: &str) -> Value {
    json!({"TableName": "Tab", "Key": {"pk": s(key)}})
}

fn put(key: &str) -> Value {
    json!({"TableName": "Tab", "Item": {"pk": s(key)}})
}
