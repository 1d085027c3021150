//! Changes of a table: billing, throughput, settings and indexes.

use keyplan_engine::{Engine, Timestamp};
use serde_json::{Value, json};

use crate::requests::{NOW, answer, ask, ask_at, engine, invalid, refused};

const INVALID: &str = "One or more parameter values were invalid: ";

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

fn on_demand(engine: &Engine) {
    create(engine, json!({"BillingMode": "PAY_PER_REQUEST"}));
}

fn units(read: u64, write: u64) -> Value {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

fn provisioned(engine: &Engine) {
    create(engine, json!({"ProvisionedThroughput": units(5, 5)}));
}

/// A table with a global secondary index `byS` and a local one `local`.
fn indexed(engine: &Engine) {
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

fn request(members: Value) -> String {
    let mut request = json!({"TableName": "Shop"});
    request.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
    request.to_string()
}

/// Changes the table; gives the answer's description.
#[track_caller]
fn update(engine: &Engine, members: Value) -> Value {
    let (status, body) = answer(engine, "UpdateTable", &request(members));
    assert_eq!(status, 200, "{body}");
    body["TableDescription"].clone()
}

fn described(engine: &Engine) -> Value {
    let (_, body) = answer(engine, "DescribeTable", r#"{"TableName":"Shop"}"#);
    body["Table"].clone()
}

fn shown_units(description: &Value) -> (u64, u64) {
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
            json!({"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}),
            "Keyplan doesn't have global tables yet; leave ReplicaUpdates out of the request.".to_owned(),
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
fn updates_of_indexes_are_checked() {
    let engine = engine();
    indexed(&engine);
    let definitions = json!([{"AttributeName": "g", "AttributeType": "S"}]);
    let create = |name: &str| {
        json!({"Create": {
            "IndexName": name, "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }})
    };
    let delete = |name: &str| json!({"Delete": {"IndexName": name}});
    let change = |name: &str| json!({"Update": {"IndexName": name, "ProvisionedThroughput": units(1, 1)}});
    let mut both = create("more");
    both["Delete"] = json!({"IndexName": "byS"});
    let mut with_units = create("more");
    with_units["Create"]["ProvisionedThroughput"] = units(1, 1);
    for (updates, text) in [
        (json!([]), format!("{INVALID}List of GlobalSecondaryIndexUpdates is empty")),
        (
            json!([{}]),
            format!(
                "{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                 GlobalSecondaryIndexUpdate.Delete must not be null"
            ),
        ),
        (
            json!([both]),
            format!(
                "{INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
            ),
        ),
        (
            json!([delete("byS"), change("byS")]),
            format!(
                "{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: byS"
            ),
        ),
        (json!([create("byS")]), "Attempting to create an index which already exists".to_owned()),
        (json!([create("local")]), "Attempting to create an index which already exists".to_owned()),
        (
            json!([delete("local")]),
            "Cannot delete an index that is not a GlobalSecondaryIndex: local".to_owned(),
        ),
        (
            json!([change("local")]),
            "Cannot update an index that is not a GlobalSecondaryIndex: local".to_owned(),
        ),
        (
            json!([change("byS")]),
            format!(
                "{INVALID}The only Updates for index: byS when TableThroughputMode is PAY_PER_REQUEST can be to \
                 OnDemandThroughput, WarmThroughput"
            ),
        ),
        (
            json!([{"Update": {"IndexName": "byS", "WarmThroughput": {}}}]),
            format!(
                "{INVALID}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond \
                 specified for index: byS"
            ),
        ),
        (
            json!([with_units]),
            format!(
                "{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: more when \
                 BillingMode is PAY_PER_REQUEST"
            ),
        ),
    ] {
        let members = json!({"AttributeDefinitions": definitions, "GlobalSecondaryIndexUpdates": updates});
        invalid(&engine, "UpdateTable", &request(members), &text);
    }
    invalid(
        &engine,
        "UpdateTable",
        &request(json!({"GlobalSecondaryIndexUpdates": [create("more")]})),
        &format!("{INVALID}AttributeDefinitions is not specified for index: more"),
    );
    refused(
        &engine,
        "UpdateTable",
        &request(json!({"GlobalSecondaryIndexUpdates": [delete("none")]})),
        "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "Requested resource not found: Index none for table Shop",
    );
    refused(
        &engine,
        "UpdateTable",
        &request(json!({
            "AttributeDefinitions": definitions, "GlobalSecondaryIndexUpdates": [create("more"), delete("byS")],
        })),
        "com.amazonaws.dynamodb.v20120810#LimitExceededException",
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
    );
    let table = described(&engine);
    assert_eq!(table["GlobalSecondaryIndexes"].as_array().map(Vec::len), Some(1), "nothing was changed");
}

#[test]
fn definitions_follow_the_indexes() {
    let engine = engine();
    on_demand(&engine);
    let create = |name: &str, key: &str, kind: &str| {
        json!({
            "AttributeDefinitions": [
                {"AttributeName": key, "AttributeType": kind}, {"AttributeName": "unused", "AttributeType": "S"},
            ],
            "GlobalSecondaryIndexUpdates": [{"Create": {
                "IndexName": name, "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["z", "y"]},
            }}],
        })
    };
    let names = |description: &Value| -> Vec<(String, String)> {
        let definitions = description["AttributeDefinitions"].as_array().expect("definitions");
        let text = |one: &Value, name: &str| one[name].as_str().expect("a text").to_owned();
        definitions.iter().map(|one| (text(one, "AttributeName"), text(one, "AttributeType"))).collect()
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect()
    };
    update(&engine, create("one", "g", "N"));
    assert_eq!(names(&described(&engine)), pairs(&[("g", "N"), ("pk", "S"), ("sk", "S")]));
    // An attribute that is defined keeps its type.
    update(&engine, create("two", "g", "S"));
    let table = described(&engine);
    assert_eq!(names(&table), pairs(&[("g", "N"), ("pk", "S"), ("sk", "S")]));
    assert_eq!(
        table["GlobalSecondaryIndexes"][1]["Projection"],
        json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["y", "z"]})
    );
    invalid(
        &engine,
        "PutItem",
        r#"{"TableName":"Shop","Item":{"pk":{"S":"p"},"sk":{"S":"s"},"g":{"S":"x"}}}"#,
        &format!("{INVALID}Type mismatch for Index Key g Expected: N Actual: S IndexName: one"),
    );
    for name in ["one", "two"] {
        update(&engine, json!({"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}));
    }
    assert_eq!(names(&described(&engine)), pairs(&[("pk", "S"), ("sk", "S")]));
}

#[test]
fn a_provisioned_tables_indexes_have_units_of_their_own() {
    let engine = engine();
    indexed(&engine);
    let update_of =
        |read: u64| json!([{"Update": {"IndexName": "byS", "ProvisionedThroughput": units(read, 2)}}]);
    invalid(
        &engine,
        "UpdateTable",
        &request(json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)})),
        &format!("{INVALID}ProvisionedThroughput must be specified for index: byS"),
    );
    update(
        &engine,
        json!({
            "BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1),
            "GlobalSecondaryIndexUpdates": update_of(3),
        }),
    );
    let index = |description: &Value| description["GlobalSecondaryIndexes"][0].clone();
    assert_eq!(shown_units(&index(&described(&engine))), (3, 2));
    let answer = update(&engine, json!({"GlobalSecondaryIndexUpdates": update_of(9)}));
    assert_eq!(answer["TableStatus"], "ACTIVE");
    assert_eq!(
        (index(&answer)["IndexStatus"].as_str(), shown_units(&index(&answer))),
        (Some("UPDATING"), (3, 2))
    );
    let table = described(&engine);
    assert_eq!(
        (index(&table)["IndexStatus"].as_str(), shown_units(&index(&table))),
        (Some("ACTIVE"), (9, 2))
    );
    invalid(
        &engine,
        "UpdateTable",
        &request(json!({"GlobalSecondaryIndexUpdates": update_of(9)})),
        "The provisioned throughput for the index byS will not change. The requested value equals the current \
         value. Current ReadCapacityUnits provisioned for the index byS: 9. Requested ReadCapacityUnits: 9. \
         Current WriteCapacityUnits provisioned for the index byS: 2. Requested WriteCapacityUnits: 2. Refer to \
         the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
    refused(
        &engine,
        "UpdateTable",
        &request(json!({"ProvisionedThroughput": units(39_992, 1)})),
        "com.amazonaws.dynamodb.v20120810#LimitExceededException",
        "The requested ReadCapacityUnits, 40001, is above the per table maximum for the account in eu-west-2. \
         Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to \
         request higher limits.",
    );
    update(&engine, json!({"BillingMode": "PAY_PER_REQUEST"}));
    assert_eq!(shown_units(&index(&described(&engine))), (0, 0));
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
