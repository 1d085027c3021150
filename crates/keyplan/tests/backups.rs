//! Backups and restores on a file that is closed while they are being made, and opened again.
#![cfg(feature = "sqlite")]

use std::path::Path;
use std::time::Duration;

use keyplan::{Clock, Database, Timestamp};
use serde_json::{Value, json};

const ITEMS: usize = 2_500;

fn call(database: &Database, operation: &str, body: &Value) -> Value {
    database.clock().advance(Duration::from_millis(1));
    let answer = database.call(operation, body.to_string().as_bytes());
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert_eq!(answer.status, 200, "{operation}: {text}");
    serde_json::from_str(&text).expect("an answer is JSON")
}

fn open(path: &Path, at: Timestamp) -> Database {
    Database::options().clock(Clock::standing_at(at)).seed(1).open(path).expect("the file opens")
}

fn reopened(path: &Path, database: Database) -> Database {
    let now = database.clock().now();
    drop(database);
    open(path, now)
}

fn settled(database: &Database) {
    while database.step().expect("the store works").is_some_and(|due| due <= database.clock().now()) {}
}

fn count(database: &Database, table: &str) -> usize {
    let (mut count, mut start) = (0, Value::Null);
    loop {
        let mut request = json!({"TableName": table, "Select": "COUNT"});
        if !start.is_null() {
            request["ExclusiveStartKey"] = start;
        }
        let page = call(database, "Scan", &request);
        count += page["Count"].as_u64().expect("a count") as usize;
        match page.get("LastEvaluatedKey") {
            Some(key) => start = key.clone(),
            None => return count,
        }
    }
}

#[test]
fn copies_go_on_where_they_stood() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("shop.db");
    let mut database = open(&path, Timestamp(1_796_040_000_000));
    let key = json!([{"AttributeName": "id", "KeyType": "HASH"}]);
    let definitions = json!([{"AttributeName": "id", "AttributeType": "N"}]);
    call(
        &database,
        "CreateTable",
        &json!({
            "TableName": "Items", "KeySchema": key, "AttributeDefinitions": definitions, "BillingMode": "PAY_PER_REQUEST",
        }),
    );
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    call(
        &database,
        "UpdateContinuousBackups",
        &json!({
            "TableName": "Items", "PointInTimeRecoverySpecification": recovery,
        }),
    );
    let numbers: Vec<usize> = (0..ITEMS).collect();
    for batch in numbers.chunks(25) {
        let put = |id: &usize| json!({"PutRequest": {"Item": {"id": {"N": id.to_string()}}}});
        let requests: Vec<Value> = batch.iter().map(put).collect();
        call(&database, "BatchWriteItem", &json!({"RequestItems": {"Items": requests}}));
    }
    let written = database.clock().now();
    database.clock().advance(Duration::from_secs(600));
    let backup = call(&database, "CreateBackup", &json!({"TableName": "Items", "BackupName": "nightly"}));
    let backup = backup["BackupDetails"]["BackupArn"].clone();
    let delete = |database: &Database, id: usize| {
        call(database, "DeleteItem", &json!({"TableName": "Items", "Key": {"id": {"N": id.to_string()}}}));
    };
    delete(&database, 7);
    database = reopened(&path, database);
    let state = call(&database, "DescribeBackup", &json!({"BackupArn": backup}));
    assert_eq!(state["BackupDescription"]["BackupDetails"]["BackupStatus"], "CREATING", "it was not done");
    delete(&database, 8);
    settled(&database);

    let moment = written.0 as f64 / 1_000.0;
    call(
        &database,
        "RestoreTableToPointInTime",
        &json!({
            "SourceTableName": "Items", "TargetTableName": "Then", "RestoreDateTime": moment,
        }),
    );
    delete(&database, 9);
    database = reopened(&path, database);
    call(&database, "RestoreTableFromBackup", &json!({"TargetTableName": "Again", "BackupArn": backup}));
    delete(&database, 10);
    database = reopened(&path, database);
    let state = call(&database, "DescribeTable", &json!({"TableName": "Again"}));
    assert_eq!(state["Table"]["TableStatus"], "CREATING", "it was not done");
    settled(&database);
    database = reopened(&path, database);
    assert_eq!(count(&database, "Items"), ITEMS - 4);
    for table in ["Then", "Again"] {
        assert_eq!(count(&database, table), ITEMS, "{table}");
        let described = call(&database, "DescribeTable", &json!({"TableName": table}));
        assert_eq!(described["Table"]["ItemCount"], ITEMS, "{table}");
        assert_eq!(described["Table"]["TableStatus"], "ACTIVE", "{table}");
    }
}
