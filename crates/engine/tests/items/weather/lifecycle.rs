//! Tables and indexes that take their time.

use serde_json::{Value, json};

use super::{get, put, table_with_index};
use crate::harness::{Harness, s};

const IN_USE: &str = "Attempt to change a resource which is still in use: ";

fn times() -> Value {
    json!({"lifecycle": {"table": 1_000, "index": 2_000, "backfill": 5_000, "stream": 500, "timeToLive": 300}})
}

fn named() -> Value {
    json!({"TableName": "Tab"})
}

fn described(harness: &Harness) -> Value {
    harness.call("DescribeTable", &named()).ok()["Table"].clone()
}

#[track_caller]
fn assert_in_use(harness: &Harness, operation: &str, request: &Value, detail: &str) {
    let expected = ("ResourceInUseException".to_owned(), format!("{IN_USE}{detail}"));
    assert_eq!(harness.call(operation, request).error(), expected, "{operation} {request}");
}

fn update(change: Value) -> Value {
    let mut request = named();
    for (name, value) in change.as_object().expect("an object") {
        request[name] = value.clone();
    }
    request
}

fn provisioned(read: u64, write: u64) -> Value {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

#[test]
fn a_table_is_made_and_can_then_be_used() {
    let harness = Harness::new();
    harness.weather(&times());
    table_with_index(&harness, &json!({"BillingMode": "PAY_PER_REQUEST"}));
    let table = described(&harness);
    assert_eq!(
        (&table["TableStatus"], &table["GlobalSecondaryIndexes"][0]["IndexStatus"]),
        (&json!("CREATING"), &json!("CREATING"))
    );
    assert_eq!(harness.call("ListTables", &json!({})).ok()["TableNames"], json!(["Tab"]));
    let missing = ("ResourceNotFoundException".to_owned(), "Requested resource not found".to_owned());
    assert_eq!(harness.call("PutItem", &put("a")).error(), missing);
    assert_eq!(harness.call("Scan", &named()).error(), missing);
    assert_in_use(&harness, "DeleteTable", &named(), "Table is being created: Tab");
    assert_in_use(
        &harness,
        "UpdateTable",
        &update(json!({"DeletionProtectionEnabled": true})),
        "Table is being created: Tab",
    );
    let expiry = json!({"AttributeName": "until", "Enabled": true});
    assert_in_use(
        &harness,
        "UpdateTimeToLive",
        &update(json!({"TimeToLiveSpecification": expiry})),
        "Table Tab is being created",
    );
    harness.advance(2_000);
    let table = described(&harness);
    assert_eq!(
        (&table["TableStatus"], &table["GlobalSecondaryIndexes"][0]["IndexStatus"]),
        (&json!("ACTIVE"), &json!("ACTIVE"))
    );
    harness.call("PutItem", &put("a")).ok();
    assert!(harness.happened("unready") >= 3);
}

#[test]
fn a_table_is_deleted_and_its_name_is_free_then() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.create("Zoo", "S", None);
    harness.weather(&times());
    harness.call("DeleteTable", &named()).ok();
    assert_eq!(described(&harness)["TableStatus"], "DELETING");
    assert_eq!(harness.call("ListTables", &json!({})).ok()["TableNames"], json!(["Tab", "Zoo"]));
    let page = harness.call("ListTables", &json!({"Limit": 1})).ok();
    assert_eq!(page, json!({"TableNames": ["Tab"], "LastEvaluatedTableName": "Tab"}));
    assert_eq!(harness.call("GetItem", &get("a")).error().0, "ResourceNotFoundException");
    let again = json!({"TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]});
    for (operation, request) in [
        ("DeleteTable", named()),
        ("CreateTable", again.clone()),
        ("UpdateTable", update(json!({"DeletionProtectionEnabled": true}))),
    ] {
        assert_in_use(&harness, operation, &request, "Table is being deleted: Tab");
    }
    harness.advance(1_000);
    assert_eq!(harness.call("DescribeTable", &named()).error().0, "ResourceNotFoundException");
    harness.call("CreateTable", &again).ok();
}

#[test]
fn units_are_the_old_ones_until_the_change_is_done() {
    let harness = Harness::new();
    let old = json!({"ProvisionedThroughput": provisioned(5, 5), "GlobalSecondaryIndexes": [{
        "IndexName": "ByGroup", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
        "ProvisionedThroughput": provisioned(5, 5)}]});
    table_with_index(&harness, &old);
    harness.weather(&times());
    let change = update(json!({"ProvisionedThroughput": provisioned(9, 9)}));
    harness.call("UpdateTable", &change).ok();
    let table = described(&harness);
    assert_eq!(
        (&table["TableStatus"], &table["ProvisionedThroughput"]["ReadCapacityUnits"]),
        (&json!("UPDATING"), &json!(5))
    );
    harness.call("PutItem", &put("a")).ok();
    assert_in_use(&harness, "UpdateTable", &change, "Table IOPS are currently being updated. Table: Tab");
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    assert_in_use(
        &harness,
        "UpdateTable",
        &update(json!({"StreamSpecification": stream})),
        "Can't enable or disable stream while table IOPS are being updated. Table: Tab",
    );
    let gone = json!([{"Delete": {"IndexName": "ByGroup"}}]);
    assert_in_use(
        &harness,
        "UpdateTable",
        &update(json!({"GlobalSecondaryIndexUpdates": gone})),
        "Can't create or delete indexes while table IOPS are being updated. Table: Tab",
    );
    assert_in_use(&harness, "DeleteTable", &named(), "Table: Tab is in the process of being updated.");
    harness.advance(1_000);
    let table = described(&harness);
    assert_eq!(
        (&table["TableStatus"], &table["ProvisionedThroughput"]["ReadCapacityUnits"]),
        (&json!("ACTIVE"), &json!(9))
    );
    let of_index = json!([{"Update": {"IndexName": "ByGroup", "ProvisionedThroughput": provisioned(7, 7)}}]);
    let change = update(json!({"GlobalSecondaryIndexUpdates": of_index}));
    harness.call("UpdateTable", &change).ok();
    let table = described(&harness);
    let index = &table["GlobalSecondaryIndexes"][0];
    assert_eq!(
        (&table["TableStatus"], &index["IndexStatus"], &index["ProvisionedThroughput"]["ReadCapacityUnits"]),
        (&json!("ACTIVE"), &json!("UPDATING"), &json!(5))
    );
    assert_in_use(&harness, "UpdateTable", &change, "Index is being updated. Table: Tab Index: ByGroup");
    harness.advance(2_000);
    assert_eq!(
        described(&harness)["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"],
        7
    );
}

#[test]
fn an_index_is_allocated_filled_and_taken_away() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.put("Tab", &json!({"pk": s("a"), "group": s("g")}));
    harness.weather(&times());
    let made = json!([{"Create": {"IndexName": "ByGroup", "Projection": {"ProjectionType": "ALL"},
                                  "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}]}}]);
    let group = json!([{"AttributeName": "group", "AttributeType": "S"}]);
    let make = update(json!({"AttributeDefinitions": group, "GlobalSecondaryIndexUpdates": made}));
    harness.call("UpdateTable", &make).ok();
    let state = || {
        let table = described(&harness);
        let index = &table["GlobalSecondaryIndexes"][0];
        (table["TableStatus"].clone(), index["IndexStatus"].clone(), index["Backfilling"].clone())
    };
    let expected = |table: &str, index: &str, backfilling: Option<bool>| {
        (json!(table), json!(index), json!(backfilling))
    };
    assert_eq!(state(), expected("UPDATING", "CREATING", Some(false)));
    let delete = update(json!({"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByGroup"}}]}));
    assert_in_use(
        &harness,
        "UpdateTable",
        &delete,
        "Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index \
         is active. Table: Tab Index: ByGroup",
    );
    harness.advance(2_000);
    assert_eq!(state(), expected("ACTIVE", "CREATING", Some(true)));
    let query = json!({"TableName": "Tab", "IndexName": "ByGroup", "KeyConditionExpression": "#g = :g",
        "ExpressionAttributeNames": {"#g": "group"}, "ExpressionAttributeValues": {":g": s("g")}});
    assert_eq!(
        harness.call("Query", &query).refusal(),
        "Cannot read from backfilling global secondary index: ByGroup"
    );
    assert_in_use(
        &harness,
        "DeleteTable",
        &named(),
        "Cannot delete table while indexes are being created, updated, or deleted.",
    );
    harness.advance(5_000);
    assert_eq!(state(), expected("ACTIVE", "ACTIVE", None));
    assert_eq!(harness.call("Query", &query).ok()["Count"], 1);
    harness.call("UpdateTable", &delete).ok();
    assert_eq!(state(), expected("UPDATING", "DELETING", None));
    harness.advance(2_000);
    assert_eq!(described(&harness)["GlobalSecondaryIndexes"], Value::Null);
}

#[test]
fn streams_and_expiry_are_on_their_way_for_a_while() {
    let harness = Harness::new();
    harness.create("Tab", "S", None);
    harness.weather(&times());
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    let answer = harness.call("UpdateTable", &update(json!({"StreamSpecification": stream}))).ok();
    let label = answer["TableDescription"]["LatestStreamLabel"].as_str().expect("a label").to_owned();
    let arn = answer["TableDescription"]["LatestStreamArn"].clone();
    let status = || {
        harness.call("DescribeStream", &json!({"StreamArn": arn})).ok()["StreamDescription"]["StreamStatus"]
            .clone()
    };
    assert_eq!(
        (described(&harness)["TableStatus"].clone(), status()),
        (json!("UPDATING"), json!("ENABLING"))
    );
    let off = update(json!({"StreamSpecification": {"StreamEnabled": false}}));
    assert_in_use(
        &harness,
        "UpdateTable",
        &off,
        &format!(
            "A stream status change is currently in progress. Table: Tab Stream: {label} Operation: ENABLE"
        ),
    );
    assert_in_use(
        &harness,
        "DeleteTable",
        &named(),
        "Cannot delete table while stream is being enabled/disabled.",
    );
    harness.advance(500);
    assert_eq!((described(&harness)["TableStatus"].clone(), status()), (json!("ACTIVE"), json!("ENABLED")));
    harness.call("UpdateTable", &off).ok();
    assert_eq!(status(), "DISABLING");

    let expiry = |enabled: bool| {
        let specification = json!({"AttributeName": "until", "Enabled": enabled});
        harness.call("UpdateTimeToLive", &update(json!({"TimeToLiveSpecification": specification})))
    };
    let shown = || {
        harness.call("DescribeTimeToLive", &named()).ok()["TimeToLiveDescription"]["TimeToLiveStatus"].clone()
    };
    expiry(true).ok();
    harness.settle();
    assert_eq!(shown(), "ENABLING");
    assert_eq!(
        expiry(false).refusal(),
        "Time to live has been modified multiple times within a fixed interval"
    );
    harness.advance(300);
    assert_eq!(shown(), "ENABLED");
    expiry(false).ok();
    assert_eq!(shown(), "DISABLING");
    harness.advance(300);
    assert_eq!(shown(), "DISABLED");
}

#[test]
fn a_restored_table_is_made_and_a_vector_index_is_filled_in_their_time() {
    let harness = Harness::new();
    table_with_index(&harness, &json!({"BillingMode": "PAY_PER_REQUEST"}));
    harness.put("Tab", &json!({"pk": s("a"), "v": {"L": [{"N": "1"}]}}));
    let made = harness.call("CreateBackup", &json!({"TableName": "Tab", "BackupName": "nightly"})).ok();
    harness.settle();
    harness.weather(&times());
    let request = json!({"TargetTableName": "Again", "BackupArn": made["BackupDetails"]["BackupArn"]});
    harness.call("RestoreTableFromBackup", &request).ok();
    harness.settle();
    let again = || harness.call("DescribeTable", &json!({"TableName": "Again"})).ok()["Table"].clone();
    assert_eq!(again()["TableStatus"], "CREATING");
    harness.advance(2_000);
    assert_eq!(again()["TableStatus"], "ACTIVE");

    let created = json!({"VectorIndexUpdates": [{"Create": {
        "IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 1,
        "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"},
    }}]});
    harness.call("UpdateTable", &update(created)).ok();
    harness.settle();
    let search = json!({"TableName": "Tab", "IndexName": "near", "SearchVector": [{"N": "1"}], "TopK": 1});
    let shown = described(&harness);
    assert_eq!(
        (&shown["TableStatus"], &shown["VectorIndexes"][0]["IndexStatus"]),
        (&json!("UPDATING"), &json!("CREATING"))
    );
    assert_eq!(shown["VectorIndexes"][0]["Backfilling"], false);
    harness.advance(2_000);
    assert_eq!(described(&harness)["VectorIndexes"][0]["Backfilling"], true);
    assert_eq!(
        harness.call("SearchVectors", &search).refusal(),
        "Cannot search backfilling vector index: near"
    );
    harness.advance(5_000);
    assert_eq!(described(&harness)["VectorIndexes"][0]["IndexStatus"], "ACTIVE");
    assert_eq!(harness.call("SearchVectors", &search).ok()["SearchResults"][0]["Item"]["pk"], s("a"));
}

#[test]
fn the_name_of_a_table_that_goes_is_not_free_for_a_restored_one() {
    let harness = Harness::new();
    table_with_index(&harness, &json!({"BillingMode": "PAY_PER_REQUEST"}));
    let made = harness.call("CreateBackup", &json!({"TableName": "Tab", "BackupName": "nightly"})).ok();
    harness.settle();
    harness.weather(&times());
    harness.call("DeleteTable", &named()).ok();
    let request = json!({"TargetTableName": "Tab", "BackupArn": made["BackupDetails"]["BackupArn"]});
    assert_eq!(harness.call("RestoreTableFromBackup", &request).error().0, "TableAlreadyExistsException");
    harness.advance(1_000);
    harness.call("RestoreTableFromBackup", &request).ok();
}
