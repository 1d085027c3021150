//! Changes of a table's indexes.

use serde_json::{Value, json};

use crate::requests::{engine, invalid, refused};
use crate::update_table::{INVALID, described, indexed, on_demand, request, shown_units, units, update};

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
    invalid(
        &engine,
        "UpdateTable",
        &request(create("two", "g", "S")),
        &format!(
            "{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as \
             previously defined. Existing schema: Schema:[SchemaElement: key{{g:N:HASH}}] New schema: \
             Schema:[SchemaElement: key{{g:S:HASH}}]"
        ),
    );
    update(&engine, create("two", "g", "N"));
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
fn very_many_definitions_leave_those_of_the_index() {
    let engine = engine();
    on_demand(&engine);
    let definition = |name: String| json!({"AttributeName": name, "AttributeType": "S"});
    let definitions: Vec<Value> = (0..50_000).map(|number| definition(format!("a{number}"))).collect();
    let description = update(
        &engine,
        json!({
            "AttributeDefinitions": definitions,
            "GlobalSecondaryIndexUpdates": [{"Create": {
                "IndexName": "byA", "KeySchema": [{"AttributeName": "a49999", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }}],
        }),
    );
    let kept = ["a49999", "pk", "sk"].map(|name| definition(name.to_owned()));
    assert_eq!(description["AttributeDefinitions"], json!(kept));
}

#[test]
fn very_many_actions_name_each_index_once() {
    let engine = engine();
    on_demand(&engine);
    let delete = |name: String| json!({"Delete": {"IndexName": name}});
    let mut actions: Vec<Value> = (0..50_000).map(|number| delete(format!("index{number}"))).collect();
    actions.push(delete("index49999".to_owned()));
    let text = format!(
        "{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: index49999"
    );
    let body = request(json!({"GlobalSecondaryIndexUpdates": actions}));
    invalid(&engine, "UpdateTable", &body, &text);
}
