//! Changes of a table: billing, throughput, settings, and what a request may change at once.

use keyplan_engine::{Engine, Timestamp};
use serde_json::{Value, json};

use crate::requests::{NOW, answer, ask, ask_at, engine, invalid, refused};

pub const INVALID: &str = "One or more parameter values were invalid: ";

/// Makes a table `Shop` with the keys `pk` and `sk`, with further members.
fn create(engine: &Engine, more: Value) {
    let mut request = json!({
        "TableName": "Shop",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    });
    request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let reply = ask(engine, "CreateTable", &request.to_string());
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
}

pub fn on_demand(engine: &Engine) {
    create(engine, json!({"BillingMode": "PAY_PER_REQUEST"}));
}

pub fn units(read: u64, write: u64) -> Value {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

fn provisioned(engine: &Engine) {
    create(engine, json!({"ProvisionedThroughput": units(5, 5)}));
}

/// A table with a global secondary index `byS` and a local one `local`.
pub fn indexed(engine: &Engine) {
    let projection = json!({"ProjectionType": "ALL"});
    let by_sort = json!([{"AttributeName": "sk", "KeyType": "HASH"}]);
    let local =
        json!([{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]);
    create(
        engine,
        json!({
            "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": [{"IndexName": "byS", "KeySchema": by_sort, "Projection": projection}],
            "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": local, "Projection": projection}],
        }),
    );
}

pub fn request(members: Value) -> String {
    let mut request = json!({"TableName": "Shop"});
    request.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
    request.to_string()
}

/// Changes the table; gives the answer's description.
#[track_caller]
pub fn update(engine: &Engine, members: Value) -> Value {
    let (status, body) = answer(engine, "UpdateTable", &request(members));
    assert_eq!(status, 200, "{body}");
    body["TableDescription"].clone()
}

pub fn described(engine: &Engine) -> Value {
    let (_, body) = answer(engine, "DescribeTable", r#"{"TableName":"Shop"}"#);
    body["Table"].clone()
}

pub fn shown_units(description: &Value) -> (u64, u64) {
    let units = &description["ProvisionedThroughput"];
    let unit = |name: &str| units[name].as_u64().expect("units");
    (unit("ReadCapacityUnits"), unit("WriteCapacityUnits"))
}

#[test]
fn units_change_with_the_next_request() {
    let engine = engine();
    provisioned(&engine);
    let answer = update(&engine, json!({"ProvisionedThroughput": units(10, 4)}));
    assert_eq!(answer["TableStatus"], "UPDATING");
    assert_eq!(shown_units(&answer), (5, 5), "the answer has the units that were");
    let table = described(&engine);
    assert_eq!((table["TableStatus"].as_str(), shown_units(&table)), (Some("ACTIVE"), (10, 4)));
    let throughput = &table["ProvisionedThroughput"];
    assert_eq!(throughput["NumberOfDecreasesToday"], 1);
    assert_eq!(throughput["LastIncreaseDateTime"], json!(NOW.seconds()));
    assert_eq!(throughput["LastDecreaseDateTime"], json!(NOW.seconds()));
    assert_eq!(table["WarmThroughput"]["ReadUnitsPerSecond"], 10);
    assert_eq!(table["WarmThroughput"]["WriteUnitsPerSecond"], 5, "what was once there stays warm");
    invalid(
        &engine,
        "UpdateTable",
        &request(json!({"ProvisionedThroughput": units(10, 4)})),
        "The provisioned throughput for the table will not change. The requested value equals the current \
         value. Current ReadCapacityUnits provisioned for the table: 10. Requested ReadCapacityUnits: 10. \
         Current WriteCapacityUnits provisioned for the table: 4. Requested WriteCapacityUnits: 4. Refer to \
         the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
}

#[test]
fn units_go_down_four_times_a_day_and_then_by_the_hour() {
    let engine = engine();
    create(&engine, json!({"ProvisionedThroughput": units(20, 20)}));
    let lower = |read: u64, now: Timestamp| {
        let body = request(json!({"ProvisionedThroughput": units(read, 20)}));
        let reply = ask_at(&engine, now, "UpdateTable", &body);
        (reply.status, String::from_utf8(reply.body).expect("UTF-8"))
    };
    // 30 November 2025, 10:53:20 UTC.
    for read in [19, 18, 17, 16] {
        assert_eq!(lower(read, NOW).0, 200);
    }
    let (status, body) = lower(15, Timestamp(NOW.0 + 3_599_999));
    assert_eq!(status, 400);
    let body: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(body["__type"], "com.amazonaws.dynamodb.v20120810#LimitExceededException");
    assert_eq!(
        body["message"],
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After \
         the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once \
         every 3600 seconds. Number of decreases today: 4. Last decrease at Sunday, November 30, 2025 10:53:20 \
         AM UTC. Next decrease can be made at Sunday, November 30, 2025 11:53:20 AM UTC"
    );
    assert_eq!(lower(25, Timestamp(NOW.0 + 1)).0, 200, "an increase has no such bound");
    assert_eq!(lower(15, Timestamp(NOW.0 + 3_600_000)).0, 200);
    let tomorrow = Timestamp(NOW.0 + 24 * 3_600_000);
    assert_eq!(lower(14, tomorrow).0, 200);
}

#[test]
fn a_table_goes_on_demand_and_back() {
    let engine = engine();
    provisioned(&engine);
    assert_eq!(described(&engine).get("BillingModeSummary"), None);
    let answer = update(&engine, json!({"BillingMode": "PAY_PER_REQUEST"}));
    assert_eq!((answer["TableStatus"].as_str(), shown_units(&answer)), (Some("UPDATING"), (5, 5)));
    let table = described(&engine);
    assert_eq!(shown_units(&table), (0, 0));
    let since = json!({"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": NOW.seconds()});
    assert_eq!(table["BillingModeSummary"], since);
    assert_eq!(table["WarmThroughput"]["ReadUnitsPerSecond"], 12_000);

    invalid(
        &engine,
        "UpdateTable",
        &request(json!({"BillingMode": "PROVISIONED"})),
        &format!("{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"),
    );
    update(&engine, json!({"OnDemandThroughput": {"MaxReadRequestUnits": 7}}));
    let members = json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(3, 2)});
    assert_eq!(shown_units(&update(&engine, members)), (0, 0));
    let table = described(&engine);
    assert_eq!(shown_units(&table), (3, 2));
    assert_eq!(table["BillingModeSummary"]["BillingMode"], "PROVISIONED", "the summary stays");
    assert_eq!(table.get("OnDemandThroughput"), None, "bounds go with the mode");
    assert_eq!(table["WarmThroughput"]["ReadUnitsPerSecond"], 12_000, "what is warm never gets less");
}

#[test]
fn the_same_mode_again_is_no_error() {
    let engine = engine();
    on_demand(&engine);
    assert_eq!(update(&engine, json!({"BillingMode": "PAY_PER_REQUEST"}))["TableStatus"], "UPDATING");
    assert_eq!(described(&engine)["TableStatus"], "ACTIVE");
    for (member, text) in [
        (
            json!({"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": units(1, 1)}),
            "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST",
        ),
        (
            json!({"ProvisionedThroughput": units(1, 1)}),
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
             PAY_PER_REQUEST",
        ),
    ] {
        invalid(&engine, "UpdateTable", &request(member), &format!("{INVALID}{text}"));
    }
}

#[test]
fn bounds_of_on_demand_units_are_set_at_once_and_taken_away_by_minus_one() {
    let engine = engine();
    on_demand(&engine);
    let maxima = |read: i64| json!({"OnDemandThroughput": {"MaxReadRequestUnits": read}});
    let answer = update(&engine, maxima(10));
    assert_eq!(answer["TableStatus"], "ACTIVE");
    assert_eq!(answer["OnDemandThroughput"], json!({"MaxReadRequestUnits": 10}));
    assert_eq!(update(&engine, maxima(-1))["OnDemandThroughput"], json!({"MaxReadRequestUnits": -1}));
    assert_eq!(described(&engine).get("OnDemandThroughput"), None);
    invalid(
        &engine,
        "UpdateTable",
        &request(maxima(0)),
        &format!(
            "{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"
        ),
    );
    let engine = crate::requests::engine();
    provisioned(&engine);
    invalid(
        &engine,
        "UpdateTable",
        &request(maxima(10)),
        &format!(
            "{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table \
             BillingMode is PROVISIONED"
        ),
    );
}

#[test]
fn warm_throughput_only_grows() {
    let engine = engine();
    on_demand(&engine);
    let warm = |read: u64| json!({"WarmThroughput": {"ReadUnitsPerSecond": read}});
    let answer = update(&engine, warm(15_000));
    assert_eq!(answer["TableStatus"], "ACTIVE");
    let status = |description: &Value| description["WarmThroughput"]["Status"].as_str().map(str::to_owned);
    assert_eq!(status(&answer).as_deref(), Some("UPDATING"));
    let table = described(&engine);
    assert_eq!(
        table["WarmThroughput"],
        json!({"ReadUnitsPerSecond": 15_000, "WriteUnitsPerSecond": 4_000, "Status": "ACTIVE"})
    );
    invalid(
        &engine,
        "UpdateTable",
        &request(warm(14_999)),
        &format!(
            "{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current \
             WarmThroughput, decreasing WarmThroughput is not supported"
        ),
    );
}

#[test]
fn settings_change_one_by_one() {
    let engine = engine();
    on_demand(&engine);
    let answer = update(&engine, json!({"DeletionProtectionEnabled": true}));
    assert_eq!(answer["TableStatus"], "ACTIVE");
    assert_eq!(answer["DeletionProtectionEnabled"], true);
    assert_eq!(ask(&engine, "DeleteTable", r#"{"TableName":"Shop"}"#).status, 400);
    update(&engine, json!({"DeletionProtectionEnabled": false}));

    let answer = update(&engine, json!({"TableClass": "STANDARD_INFREQUENT_ACCESS"}));
    assert_eq!((answer["TableStatus"].as_str(), answer.get("TableClassSummary")), (Some("UPDATING"), None));
    assert_eq!(described(&engine)["TableClassSummary"]["TableClass"], "STANDARD_INFREQUENT_ACCESS");

    let answer = update(&engine, json!({"SSESpecification": {"Enabled": true}}));
    assert_eq!(
        (answer["TableStatus"].as_str(), answer["SSEDescription"]["Status"].as_str()),
        (Some("ACTIVE"), Some("UPDATING"))
    );
    assert_eq!(described(&engine)["SSEDescription"]["Status"], "ENABLED");
    invalid(
        &engine,
        "UpdateTable",
        &request(json!({"SSESpecification": {"Enabled": true}})),
        &format!(
            "{INVALID}Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you \
             want to change Master Key"
        ),
    );
    update(&engine, json!({"SSESpecification": {"Enabled": false}}));
    assert_eq!(described(&engine).get("SSEDescription"), None);
    for (member, text) in [
        (
            json!({"SSESpecification": {"Enabled": false}}),
            format!("{INVALID}Table is already encrypted by default"),
        ),
        (
            json!({"StreamSpecification": {"StreamEnabled": false}}),
            "Table has no stream to disable: TableName: Shop".to_owned(),
        ),
        (
            json!({"StreamSpecification": {"StreamEnabled": true}}),
            format!("{INVALID}If stream is being enabled then UpdateViewType is required"),
        ),
        (
            json!({"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}}),
            format!("{INVALID}If stream is being disabled, then UpdateViewType must not be specified"),
        ),
        (
            json!({"ReplicaUpdates": [{}]}),
            "There are no actions specified in the Replica Update Action of the request.".to_owned(),
        ),
    ] {
        invalid(&engine, "UpdateTable", &request(member), &text);
    }
}

#[test]
fn a_request_changes_one_thing() {
    let engine = engine();
    indexed(&engine);
    let delete = json!([{"Delete": {"IndexName": "byS"}}]);
    let create = json!([{"Create": {
        "IndexName": "more", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }}]);
    let (sse, class, protection) = (json!({"Enabled": true}), json!("STANDARD"), json!(true));
    let alone = |what: &str| format!("{what} must be the only operation in the request");
    for (members, text) in [
        (json!({"SSESpecification": sse, "TableClass": class}), alone("Server-Side Encryption modification")),
        (
            json!({"TableClass": class, "DeletionProtectionEnabled": protection}),
            alone("TableClass modification"),
        ),
        (
            json!({"DeletionProtectionEnabled": protection, "BillingMode": "PAY_PER_REQUEST"}),
            alone("DeletionProtection modification"),
        ),
        (
            json!({"WarmThroughput": {"ReadUnitsPerSecond": 1}, "BillingMode": "PAY_PER_REQUEST"}),
            alone("WarmThroughput"),
        ),
        (
            json!({"WarmThroughput": {"ReadUnitsPerSecond": 1}, "GlobalSecondaryIndexUpdates": create}),
            "Create global secondary index cannot be specified when updating WarmThroughput".to_owned(),
        ),
        (
            json!({"OnDemandThroughput": {"MaxReadRequestUnits": 1}, "GlobalSecondaryIndexUpdates": delete}),
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request".to_owned(),
        ),
        (
            json!({"ProvisionedThroughput": units(1, 1), "GlobalSecondaryIndexUpdates": delete}),
            "You cannot create or delete index while updating table IOPS".to_owned(),
        ),
        (
            json!({"StreamSpecification": {"StreamEnabled": false}, "GlobalSecondaryIndexUpdates": delete}),
            "You cannot create or delete index while changing stream status".to_owned(),
        ),
        (
            json!({"StreamSpecification": {"StreamEnabled": false}, "ProvisionedThroughput": units(1, 1)}),
            "You cannot modify stream status while updating table IOPS".to_owned(),
        ),
    ] {
        invalid(&engine, "UpdateTable", &request(members), &format!("{INVALID}{text}"));
    }
    update(
        &engine,
        json!({"OnDemandThroughput": {"MaxReadRequestUnits": 1}, "BillingMode": "PAY_PER_REQUEST"}),
    );
}

#[test]
fn there_must_be_something_to_change_and_a_table_to_change() {
    let engine = engine();
    on_demand(&engine);
    let nothing = "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, \
                   GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, \
                   ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, \
                   WarmThroughput or TableClass is required";
    invalid(&engine, "UpdateTable", &request(json!({})), nothing);
    let definitions = json!([{"AttributeName": "g", "AttributeType": "S"}]);
    invalid(&engine, "UpdateTable", &request(json!({"AttributeDefinitions": definitions})), nothing);
    // What was sent without members is no change, but isn't asked for again either.
    let without = nothing.replace("OnDemandThroughput, ", "");
    invalid(&engine, "UpdateTable", &request(json!({"OnDemandThroughput": {}})), &without);
    invalid(
        &engine,
        "UpdateTable",
        r#"{"BillingMode":"PAY_PER_REQUEST"}"#,
        "The parameter 'TableName' is required but was not present in the request",
    );
    refused(
        &engine,
        "UpdateTable",
        r#"{"TableName":"None","BillingMode":"PAY_PER_REQUEST"}"#,
        "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "Requested resource not found: Table: None not found",
    );
}

#[test]
fn a_change_can_be_taken_back_and_leaves_requests_on_their_way_aside() {
    let engine = engine();
    on_demand(&engine);
    update(&engine, json!({"DeletionProtectionEnabled": true}));
    update(&engine, json!({"TableClass": "STANDARD"}));
    for _ in 0..2 {
        let undone = engine.undo(NOW).expect("the store works").expect("a write");
        assert_eq!((undone.operation, undone.table.as_str()), ("UpdateTable", "Shop"));
    }
    let table = described(&engine);
    assert_eq!((&table["DeletionProtectionEnabled"], table.get("TableClassSummary")), (&json!(false), None));
    let put = ask(&engine, "PutItem", r#"{"TableName":"Shop","Item":{"pk":{"S":"p"},"sk":{"S":"s"}}}"#);
    assert_eq!(put.status, 200, "the table that came back is current");
}
