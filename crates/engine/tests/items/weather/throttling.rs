//! Requests that find no units left.

use serde_json::{Value, json};

use super::{get, put, table_with_index};
use crate::harness::{Answer, Harness, n, s};

const EVERY_MINUTE: u64 = 60_000;

fn provisioned(read: u64, write: u64) -> Value {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

/// A table `Tab` with the key `pk`.
fn table(harness: &Harness, rest: &Value) {
    let mut request = json!({
        "TableName": "Tab",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    });
    for (name, value) in rest.as_object().expect("an object") {
        request[name] = value.clone();
    }
    harness.call("CreateTable", &request).ok();
}

/// Sends a request until it is refused; says how often it was taken, and the refusal.
fn until_refused(harness: &Harness, operation: &str, mut request: impl FnMut(u64) -> Value) -> (u64, Answer) {
    for taken in 0..10_000 {
        let answer = harness.call(operation, &request(taken));
        if answer.status != 200 {
            return (taken, answer);
        }
    }
    panic!("{operation} is never refused");
}

#[track_caller]
fn assert_throttled(answer: &Answer, error: &str, part: &str, reason: &str, resource: &str) {
    assert_eq!(answer.status, 400, "{}", answer.body);
    assert_eq!(answer.body["__type"], format!("com.amazonaws.dynamodb.v20120810#{error}"));
    let message = answer.body["message"].as_str().expect("a message");
    assert!(message.contains(part), "{message}");
    let member = if error == "ThrottlingException" { "throttlingReasons" } else { "ThrottlingReasons" };
    let resource = format!("arn:aws:dynamodb:us-east-1:123456789012:table/{resource}");
    assert_eq!(answer.body[member], json!([{"reason": reason, "resource": resource}]));
}

#[test]
fn provisioned_units_run_out_and_come_back_with_their_burst() {
    let harness = Harness::new();
    table(&harness, &json!({"ProvisionedThroughput": provisioned(5, 5)}));
    harness.weather(&json!({"throttling": true}));
    let (taken, refused) = until_refused(&harness, "PutItem", |_| put("a"));
    assert_eq!(taken, 5, "the first second of a new table");
    assert_throttled(
        &refused,
        "ProvisionedThroughputExceededException",
        "The level of configured provisioned throughput for the table was exceeded.",
        "TableWriteProvisionedThroughputExceeded",
        "Tab",
    );
    let (taken, refused) = until_refused(&harness, "GetItem", |_| get("a"));
    assert_eq!(taken, 10, "eventually consistent reads cost a half");
    assert_eq!(refused.body["ThrottlingReasons"][0]["reason"], "TableReadProvisionedThroughputExceeded");
    // Each request is a millisecond, in which a two-hundredth of a unit comes back.
    harness.advance(EVERY_MINUTE);
    assert_eq!(until_refused(&harness, "PutItem", |_| put("a")).0, 300 + 1, "a minute's units");
    harness.advance(100 * EVERY_MINUTE);
    let (taken, _) = until_refused(&harness, "PutItem", |_| put("a"));
    assert_eq!(taken, 1_500 + 7, "five minutes' units, and no more");
    assert!(harness.happened("throttled") >= 4);
    harness.weather(&json!({}));
    harness.call("PutItem", &put("a")).ok();
}

#[test]
fn a_refused_write_writes_nothing_and_a_failed_condition_is_paid_for() {
    let harness = Harness::new();
    table(&harness, &json!({"ProvisionedThroughput": provisioned(100, 2)}));
    harness.weather(&json!({"throttling": true}));
    let mut request = put("a");
    request["ConditionExpression"] = json!("attribute_exists(pk)");
    for _ in 0..2 {
        assert_eq!(harness.call("PutItem", &request).error().0, "ConditionalCheckFailedException");
    }
    let (name, _) = harness.call("PutItem", &request).error();
    assert_eq!(name, "ProvisionedThroughputExceededException", "units come before conditions");
    assert_eq!(harness.call("PutItem", &put("a")).error().0, "ProvisionedThroughputExceededException");
    assert_eq!(harness.call("GetItem", &get("a")).ok(), json!({}));
}

#[test]
fn an_index_without_units_holds_back_the_writes_that_change_it() {
    let harness = Harness::new();
    let indexes = json!([{
        "IndexName": "ByGroup", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
        "ProvisionedThroughput": provisioned(5, 1)
    }]);
    table_with_index(
        &harness,
        &json!({"ProvisionedThroughput": provisioned(50, 50), "GlobalSecondaryIndexes": indexes}),
    );
    harness.weather(&json!({"throttling": true}));
    let with_group =
        |number: u64| json!({"TableName": "Tab", "Item": {"pk": s(&number.to_string()), "group": s("g")}});
    let (taken, refused) = until_refused(&harness, "PutItem", with_group);
    assert_eq!(taken, 1);
    assert_throttled(
        &refused,
        "ProvisionedThroughputExceededException",
        "one or more global secondary indexes of the table",
        "IndexWriteProvisionedThroughputExceeded",
        "Tab/index/ByGroup",
    );
    harness.call("PutItem", &put("without an entry")).ok();
}

#[test]
fn a_partition_serves_so_much_and_heat_splits_it() {
    let harness = Harness::new();
    table(&harness, &json!({"BillingMode": "PAY_PER_REQUEST"}));
    let one_partition = json!({"partitionWrite": 10, "onDemandWrite": 10, "growth": 1_000, "splitAfter": 20_000,
                               "accountWrite": 1_000});
    harness.weather(&json!({"throttling": one_partition}));
    let (taken, refused) = until_refused(&harness, "PutItem", |number| put(&format!("k{}", number % 50)));
    assert_eq!(taken, 10);
    assert_throttled(
        &refused,
        "ThrottlingException",
        "Throughput exceeds the current capacity of your table or index.",
        "TableWriteKeyRangeThroughputExceeded",
        "Tab",
    );
    // The traffic doubles until a second takes many times as much: partitions follow it.
    let mut best = 0;
    for _ in 0..60 {
        harness.advance(1_000);
        best = best.max(until_refused(&harness, "PutItem", |number| put(&format!("k{}", number % 50))).0);
    }
    assert!(best > 50, "{best} in a second");
    // One key is never served faster than a partition.
    harness.advance(2_000);
    let (taken, refused) = until_refused(&harness, "PutItem", |_| put("one"));
    assert_eq!(taken, 10);
    assert_eq!(refused.body["throttlingReasons"][0]["reason"], "TableWriteKeyRangeThroughputExceeded");
}

#[test]
fn a_table_on_demand_has_the_bounds_that_it_was_given() {
    let harness = Harness::new();
    table(
        &harness,
        &json!({"BillingMode": "PAY_PER_REQUEST",
                "OnDemandThroughput": {"MaxReadRequestUnits": 3, "MaxWriteRequestUnits": 2}}),
    );
    harness.weather(&json!({"throttling": true}));
    let (taken, refused) = until_refused(&harness, "PutItem", |_| put("a"));
    assert_eq!(taken, 2);
    assert_throttled(
        &refused,
        "ThrottlingException",
        "Throughput exceeds the maximum OnDemandThroughput configured on table or index",
        "TableWriteMaxOnDemandThroughputExceeded",
        "Tab",
    );
    let (taken, refused) = until_refused(&harness, "Scan", |_| json!({"TableName": "Tab"}));
    assert_eq!(taken, 6);
    assert_eq!(refused.body["throttlingReasons"][0]["reason"], "TableReadMaxOnDemandThroughputExceeded");
}

#[test]
fn the_quota_of_the_account_is_told_as_such() {
    let harness = Harness::new();
    table(&harness, &json!({"BillingMode": "PAY_PER_REQUEST"}));
    harness.weather(&json!({"throttling": {"accountWrite": 4}}));
    let (taken, refused) = until_refused(&harness, "PutItem", |_| put("a"));
    assert_eq!(taken, 4);
    assert_throttled(
        &refused,
        "RequestLimitExceeded",
        "Throughput exceeds the current throughput limit for your account.",
        "TableWriteAccountLimitExceeded",
        "Tab",
    );
}

#[test]
fn a_batch_leaves_what_finds_no_units_and_fails_when_all_of_it_does() {
    let harness = Harness::new();
    table(&harness, &json!({"ProvisionedThroughput": provisioned(5, 5)}));
    harness.weather(&json!({"throttling": true}));
    let write = |number| json!({"PutRequest": {"Item": {"pk": s(&format!("k{number}")), "v": n(number)}}});
    let writes = json!({"RequestItems": {"Tab": (0..25).map(write).collect::<Vec<_>>()}});
    let answer = harness.call("BatchWriteItem", &writes).ok();
    assert_eq!(answer["UnprocessedItems"]["Tab"].as_array().map(Vec::len), Some(20));
    assert_eq!(answer["UnprocessedItems"]["Tab"][0], write(5));
    let (name, _) = harness.call("BatchWriteItem", &writes).error();
    assert_eq!(name, "ProvisionedThroughputExceededException");
    let keys: Vec<Value> = (0..25).map(|number| json!({"pk": s(&format!("k{number}"))})).collect();
    let reads = json!({"RequestItems": {"Tab": {"Keys": keys}}});
    let answer = harness.call("BatchGetItem", &reads).ok();
    assert_eq!(answer["Responses"]["Tab"].as_array().map(Vec::len), Some(5));
    assert_eq!(
        answer["UnprocessedKeys"]["Tab"]["Keys"].as_array().map(Vec::len),
        Some(15),
        "ten were looked for"
    );
    assert_eq!(harness.call("BatchGetItem", &reads).error().0, "ProvisionedThroughputExceededException");
}

#[test]
fn a_transaction_without_units_is_given_up_and_says_for_which_items() {
    let harness = Harness::new();
    table(&harness, &json!({"ProvisionedThroughput": provisioned(3, 3)}));
    harness.weather(&json!({"throttling": true}));
    let actions: Vec<Value> = (0..3).map(|number| json!({"Put": put(&number.to_string())})).collect();
    let answer = harness.call("TransactWriteItems", &json!({"TransactItems": actions}));
    let reasons = &answer.body["CancellationReasons"];
    assert_eq!(
        [&reasons[0]["Code"], &reasons[1]["Code"], &reasons[2]["Code"]],
        ["None", "None", "ProvisionedThroughputExceeded"],
        "each takes two, and the second takes the last: {}",
        answer.body
    );
    harness.call("PutItem", &put("0")).ok();
    let gets: Vec<Value> = (0..3).map(|number| json!({"Get": get(&number.to_string())})).collect();
    let answer = harness.call("TransactGetItems", &json!({"TransactItems": gets}));
    assert_eq!(
        answer.body["CancellationReasons"][2]["Code"], "ProvisionedThroughputExceeded",
        "{}",
        answer.body
    );
}
