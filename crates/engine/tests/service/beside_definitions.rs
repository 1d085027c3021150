//! What is kept beside a table's definition: policies, contributor insights, destinations and a stream's tags.

use std::sync::Arc;

use keyplan_engine::buckets::{Buckets, MemoryBuckets};
use keyplan_engine::{Engine, EngineOptions, Timestamp};
use keyplan_store::MemoryStore;
use serde_json::{Value, json};

use crate::requests::{NOW, answer, ask_at, engine};

const REGION: &str = "eu-west-2";
const TABLE: &str = "arn:aws:dynamodb:eu-west-2:123456789012:table/Pets";
const DATA: &str = "arn:aws:kinesis:eu-west-2:123456789012:stream/changes";

#[track_caller]
fn done(engine: &Engine, operation: &str, body: Value) -> Value {
    let (status, found) = answer(engine, operation, &body.to_string());
    assert_eq!(status, 200, "{operation} {body}: {found}");
    found
}

fn create(engine: &Engine) -> Value {
    let table = json!({
        "TableName": "Pets", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "owner", "AttributeType": "S"}, {"AttributeName": "name", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "owner", "KeyType": "HASH"}, {"AttributeName": "name", "KeyType": "RANGE"},
        ],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by-name", "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }],
    });
    done(engine, "CreateTable", table)
}

fn put(engine: &Engine, owner: &str, name: &str, age: u32) {
    let item = json!({"owner": {"S": owner}, "name": {"S": name}, "age": {"N": age.to_string()}});
    done(engine, "PutItem", json!({"TableName": "Pets", "Item": item}));
}

fn undo(engine: &Engine) -> &'static str {
    engine.undo(NOW).expect("the store works").expect("there is a write").operation
}

fn policy(action: &str) -> String {
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": action, "Resource": TABLE,
        }],
    })
    .to_string()
}

/// The action that the policy of the table allows, and its revision.
fn policy_of(engine: &Engine) -> Option<(String, String)> {
    let (status, found) = answer(engine, "GetResourcePolicy", &json!({"ResourceArn": TABLE}).to_string());
    if status != 200 {
        return None;
    }
    let document: Value = serde_json::from_str(found["Policy"].as_str()?).ok()?;
    Some((document["Statement"][0]["Action"].as_str()?.to_owned(), found["RevisionId"].as_str()?.to_owned()))
}

#[test]
fn a_policy_is_taken_back_and_comes_back_with_its_table() {
    let engine = engine();
    create(&engine);
    let put = |action: &str| {
        let put = json!({"ResourceArn": TABLE, "Policy": policy(action)});
        done(&engine, "PutResourcePolicy", put)["RevisionId"].as_str().expect("a revision").to_owned()
    };
    let first = put("dynamodb:GetItem");
    let second = put("dynamodb:Query");
    assert_ne!(first, second);
    assert_eq!(policy_of(&engine), Some(("dynamodb:Query".to_owned(), second)));
    assert_eq!(undo(&engine), "PutResourcePolicy");
    assert_eq!(policy_of(&engine), Some(("dynamodb:GetItem".to_owned(), first.clone())));
    done(&engine, "DeleteResourcePolicy", json!({"ResourceArn": TABLE}));
    assert_eq!(policy_of(&engine), None);
    assert_eq!(undo(&engine), "DeleteResourcePolicy");
    assert_eq!(policy_of(&engine), Some(("dynamodb:GetItem".to_owned(), first.clone())));
    done(&engine, "DeleteTable", json!({"TableName": "Pets"}));
    assert_eq!(undo(&engine), "DeleteTable");
    assert_eq!(policy_of(&engine), Some(("dynamodb:GetItem".to_owned(), first)));
}

#[test]
fn a_table_that_is_made_anew_has_nothing_of_the_one_before() {
    let engine = engine();
    create(&engine);
    done(&engine, "PutResourcePolicy", json!({"ResourceArn": TABLE, "Policy": policy("dynamodb:GetItem")}));
    let insights = json!({"TableName": "Pets", "ContributorInsightsAction": "ENABLE"});
    done(&engine, "UpdateContributorInsights", insights);
    done(&engine, "EnableKinesisStreamingDestination", json!({"TableName": "Pets", "StreamArn": DATA}));
    done(&engine, "DeleteTable", json!({"TableName": "Pets"}));
    create(&engine);
    assert_eq!(policy_of(&engine), None);
    let described = done(&engine, "DescribeContributorInsights", json!({"TableName": "Pets"}));
    assert_eq!(described["ContributorInsightsStatus"], "DISABLED");
    let described = done(&engine, "DescribeKinesisStreamingDestination", json!({"TableName": "Pets"}));
    assert_eq!(described["KinesisDataStreamDestinations"], json!([]));
    assert_eq!(engine.busiest_keys(REGION, "Pets", None).expect("the store works"), None);
}

#[test]
fn what_is_kept_is_there_when_the_store_is_opened_again() {
    let store = Arc::new(MemoryStore::new());
    let open = || Engine::open(store.clone(), EngineOptions::default()).expect("the store opens");
    let engine = open();
    create(&engine);
    done(&engine, "PutResourcePolicy", json!({"ResourceArn": TABLE, "Policy": policy("dynamodb:GetItem")}));
    let kept = policy_of(&engine).expect("a policy");
    let insights =
        json!({"TableName": "Pets", "IndexName": "by-name", "ContributorInsightsAction": "ENABLE"});
    done(&engine, "UpdateContributorInsights", insights);
    done(&engine, "EnableKinesisStreamingDestination", json!({"TableName": "Pets", "StreamArn": DATA}));
    drop(engine);
    let engine = open();
    assert_eq!(policy_of(&engine), Some(kept));
    let listed = done(&engine, "ListContributorInsights", json!({}));
    assert_eq!(listed["ContributorInsightsSummaries"][0]["IndexName"], "by-name");
    let described = done(&engine, "DescribeKinesisStreamingDestination", json!({"TableName": "Pets"}));
    assert_eq!(described["KinesisDataStreamDestinations"][0]["DestinationStatus"], "ACTIVE");
    // What is counted begins anew: the entry that is written, and read.
    put(&engine, "ann", "rex", 1);
    let query = json!({
        "TableName": "Pets", "IndexName": "by-name", "KeyConditionExpression": "#n = :n",
        "ExpressionAttributeNames": {"#n": "name"}, "ExpressionAttributeValues": {":n": {"S": "rex"}},
    });
    done(&engine, "Query", query);
    assert_eq!(busiest(&engine, Some("by-name"), "partitionKeys"), [("rex".to_owned(), 2)]);
}

/// The counts of the keys that insights show, by the partition key's value.
fn busiest(engine: &Engine, index: Option<&str>, of: &str) -> Vec<(String, u64)> {
    let shown = engine.busiest_keys(REGION, "Pets", index).expect("the store works").expect("it is enabled");
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    let keys = shown[of].as_array().unwrap_or_else(|| panic!("no {of} in {shown}"));
    let key = if index.is_some() { "name" } else { "owner" };
    keys.iter()
        .map(|found| {
            let count = found["count"].as_u64().unwrap_or_else(|| panic!("no count in {found}"));
            (found["key"][key]["S"].as_str().unwrap_or_default().to_owned(), count)
        })
        .collect()
}

#[test]
fn insights_count_reads_and_writes_of_keys() {
    let engine = engine();
    create(&engine);
    put(&engine, "ann", "before", 1);
    let insights = json!({"TableName": "Pets", "ContributorInsightsAction": "ENABLE"});
    done(&engine, "UpdateContributorInsights", insights);
    for age in 0..3 {
        put(&engine, "bob", "rex", age);
    }
    put(&engine, "ann", "tom", 1);
    let key = json!({"owner": {"S": "ann"}, "name": {"S": "tom"}});
    done(&engine, "GetItem", json!({"TableName": "Pets", "Key": key}));
    assert_eq!(busiest(&engine, None, "partitionKeys"), [("bob".to_owned(), 3), ("ann".to_owned(), 2)]);
    // A query counts its partition for every item.
    let query = json!({
        "TableName": "Pets", "KeyConditionExpression": "#o = :o", "ExpressionAttributeNames": {"#o": "owner"},
        "ExpressionAttributeValues": {":o": {"S": "ann"}},
    });
    done(&engine, "Query", query);
    assert_eq!(busiest(&engine, None, "partitionKeys"), [("ann".to_owned(), 4), ("bob".to_owned(), 3)]);
    let insights = json!({"TableName": "Pets", "ContributorInsightsAction": "DISABLE"});
    done(&engine, "UpdateContributorInsights", insights);
    assert_eq!(engine.busiest_keys(REGION, "Pets", None).expect("the store works"), None);
}

fn settle(engine: &Engine) {
    for _ in 0..100 {
        if engine.step(NOW, 1_000).expect("a step").is_none_or(|due| due > NOW) {
            return;
        }
    }
    panic!("there is always more to do");
}

/// The records of all objects of a bucket that hold changes of the table, in order.
fn drained(buckets: &MemoryBuckets, bucket: &str) -> Vec<Value> {
    let mut records = Vec::new();
    for object in buckets.list(bucket, "Pets/", None, 1_000).unwrap_or_default() {
        let length = usize::try_from(object.bytes).expect("a small object");
        let bytes = buckets.get(bucket, &object.key, 0, length).expect("the object is there");
        let text = String::from_utf8(bytes).expect("lines of text");
        assert!(text.ends_with('\n'));
        records.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON")));
    }
    records
}

fn engine_with(buckets: MemoryBuckets) -> Engine {
    let options = EngineOptions { buckets: Arc::new(buckets), ..EngineOptions::default() };
    Engine::open(Arc::new(MemoryStore::new()), options).expect("an empty store opens")
}

#[test]
fn a_data_stream_gets_what_changes_while_it_is_enabled() {
    let buckets = MemoryBuckets::new();
    let engine = engine_with(buckets.clone());
    create(&engine);
    put(&engine, "ann", "before", 1);
    done(&engine, "EnableKinesisStreamingDestination", json!({"TableName": "Pets", "StreamArn": DATA}));
    put(&engine, "ann", "rex", 1);
    put(&engine, "ann", "rex", 2);
    // Nothing changes.
    put(&engine, "ann", "rex", 2);
    settle(&engine);
    put(&engine, "bob", "tom", 3);
    assert_eq!(undo(&engine), "PutItem");
    let key = json!({"owner": {"S": "ann"}, "name": {"S": "rex"}});
    done(&engine, "DeleteItem", json!({"TableName": "Pets", "Key": key}));
    settle(&engine);
    done(&engine, "DisableKinesisStreamingDestination", json!({"TableName": "Pets", "StreamArn": DATA}));
    put(&engine, "ann", "after", 1);
    settle(&engine);
    let records = drained(&buckets, "changes");
    let told: Vec<(&str, &str)> = records
        .iter()
        .map(|record| {
            let name = record["dynamodb"]["Keys"]["name"]["S"].as_str().expect("a key");
            (record["eventName"].as_str().expect("a kind"), name)
        })
        .collect();
    let expected =
        [("INSERT", "rex"), ("MODIFY", "rex"), ("INSERT", "tom"), ("REMOVE", "tom"), ("REMOVE", "rex")];
    assert_eq!(told, expected);
    let change = &records[1]["dynamodb"];
    assert_eq!(change["OldImage"]["age"], json!({"N": "1"}));
    assert_eq!(change["NewImage"]["age"], json!({"N": "2"}));
    assert_eq!(change["ApproximateCreationDateTime"], NOW.0);
    assert_eq!(records[1]["recordFormat"], "application/json");
    assert_eq!(records[1]["tableName"], "Pets");
    assert_eq!(records[1]["awsRegion"], REGION);
    assert_eq!(records[1]["userIdentity"], Value::Null);
    let mut ids: Vec<&Value> = records.iter().map(|record| &record["eventID"]).collect();
    ids.dedup();
    assert_eq!(ids.len(), records.len(), "every record has an id of its own");
}

#[test]
fn a_data_stream_that_is_none_fails_when_there_is_something_to_send() {
    let engine = engine_with(MemoryBuckets::named(["others"]));
    create(&engine);
    done(&engine, "EnableKinesisStreamingDestination", json!({"TableName": "Pets", "StreamArn": DATA}));
    let status = || {
        let described = done(&engine, "DescribeKinesisStreamingDestination", json!({"TableName": "Pets"}));
        described["KinesisDataStreamDestinations"][0]["DestinationStatus"].as_str().map(str::to_owned)
    };
    settle(&engine);
    assert_eq!(status().as_deref(), Some("ACTIVE"));
    put(&engine, "ann", "rex", 1);
    settle(&engine);
    assert_eq!(status().as_deref(), Some("ENABLE_FAILED"));
    put(&engine, "ann", "rex", 2);
    settle(&engine);
    done(&engine, "EnableKinesisStreamingDestination", json!({"TableName": "Pets", "StreamArn": DATA}));
    assert_eq!(status().as_deref(), Some("ACTIVE"));
}

#[test]
fn the_tags_of_a_stream_are_its_own_and_are_taken_back() {
    let engine = engine();
    create(&engine);
    let view = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    let updated = done(&engine, "UpdateTable", json!({"TableName": "Pets", "StreamSpecification": view}));
    let stream = updated["TableDescription"]["LatestStreamArn"].as_str().expect("a stream").to_owned();
    let tags = |of: &str| done(&engine, "ListTagsOfResource", json!({"ResourceArn": of}))["Tags"].clone();
    let tag = json!([{"Key": "team", "Value": "pets"}]);
    let tagged = ask_at(
        &engine,
        Timestamp(NOW.0 + 1),
        "TagResource",
        &json!({"ResourceArn": stream, "Tags": tag}).to_string(),
    );
    assert_eq!(tagged.status, 200);
    assert_eq!(tags(&stream), tag);
    assert_eq!(tags(TABLE), json!([]));
    assert_eq!(undo(&engine), "TagResource");
    assert_eq!(tags(&stream), json!([]));
}
