//! The life of tables: requests and their exact answers.

use keyplan_engine::Timestamp;

use crate::requests::{answer, answers, ask, engine, invalid, refused};
use serde_json::{Value, json};

const COUNTERS: &str = r#"{"TableName":"Counters","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;

/// A CreateTable request of a simple on-demand table with further members.
fn with(members: &str) -> String {
    format!("{},{members}}}", &COUNTERS[..COUNTERS.len() - 1])
}

/// A CreateTable request of a table with partition and sort key, with further members.
fn orders(definitions: &[(&str, &str)], members: &str) -> String {
    let definitions: Vec<Value> = definitions
        .iter()
        .map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind }))
        .collect();
    format!(
        r#"{{"TableName":"Orders","KeySchema":[{{"AttributeName":"cust","KeyType":"HASH"}},{{"AttributeName":"ord","KeyType":"RANGE"}}],"AttributeDefinitions":{},"BillingMode":"PAY_PER_REQUEST"{members}}}"#,
        Value::from(definitions)
    )
}

const INVALID: &str = "One or more parameter values were invalid: ";

#[test]
fn a_table_is_created_described_listed_and_deleted() {
    let engine = engine();
    let arn = "arn:aws:dynamodb:eu-west-2:123456789012:table/Counters";
    let id = "01234567-89ab-4def-8123-456789abcdef";
    answers(
        &engine,
        "CreateTable",
        COUNTERS,
        &format!(
            r#"{{"TableDescription":{{"AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}}],"BillingModeSummary":{{"BillingMode":"PAY_PER_REQUEST"}},"CreationDateTime":1764500000.123,"DeletionProtectionEnabled":false,"ItemCount":0,"KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}],"ProvisionedThroughput":{{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0}},"TableArn":"{arn}","TableId":"{id}","TableName":"Counters","TableSizeBytes":0,"TableStatus":"CREATING"}}}}"#
        ),
    );
    let active = format!(
        r#"{{"Table":{{"AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}}],"BillingModeSummary":{{"BillingMode":"PAY_PER_REQUEST","LastUpdateToPayPerRequestDateTime":1764500000.123}},"CreationDateTime":1764500000.123,"DeletionProtectionEnabled":false,"ItemCount":0,"KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}],"ProvisionedThroughput":{{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0}},"TableArn":"{arn}","TableId":"{id}","TableName":"Counters","TableSizeBytes":0,"TableStatus":"ACTIVE","WarmThroughput":{{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"}}}}}}"#
    );
    answers(&engine, "DescribeTable", r#"{"TableName":"Counters"}"#, &active);
    answers(&engine, "DescribeTable", &format!(r#"{{"TableName":"{arn}"}}"#), &active);
    answers(&engine, "ListTables", "{}", r#"{"TableNames":["Counters"]}"#);
    refused(
        &engine,
        "CreateTable",
        COUNTERS,
        "com.amazonaws.dynamodb.v20120810#ResourceInUseException",
        "Table already exists: Counters",
    );
    answers(
        &engine,
        "DeleteTable",
        r#"{"TableName":"Counters"}"#,
        &format!(
            r#"{{"TableDescription":{{"BillingModeSummary":{{"BillingMode":"PAY_PER_REQUEST","LastUpdateToPayPerRequestDateTime":1764500000.123}},"DeletionProtectionEnabled":false,"ItemCount":0,"ProvisionedThroughput":{{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0}},"TableArn":"{arn}","TableId":"{id}","TableName":"Counters","TableSizeBytes":0,"TableStatus":"DELETING"}}}}"#
        ),
    );
    for operation in ["DescribeTable", "DeleteTable"] {
        refused(
            &engine,
            operation,
            r#"{"TableName":"Counters"}"#,
            "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
            "Requested resource not found: Table: Counters not found",
        );
    }
    answers(&engine, "ListTables", "{}", r#"{"TableNames":[]}"#);
    assert_eq!(ask(&engine, "CreateTable", COUNTERS).status, 200, "the name is free again");
}

#[test]
fn a_provisioned_table_has_units_and_no_billing_summary() {
    let engine = engine();
    let (status, created) = answer(
        &engine,
        "CreateTable",
        r#"{"TableName":"Old","AttributeDefinitions":[{"AttributeName":"b","AttributeType":"N"},{"AttributeName":"a","AttributeType":"B"}],"KeySchema":[{"AttributeName":"b","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}],"ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":3},"DeletionProtectionEnabled":true,"TableClass":"STANDARD_INFREQUENT_ACCESS"}"#,
    );
    assert_eq!(status, 200, "{created}");
    let created = &created["TableDescription"];
    assert_eq!(created.get("BillingModeSummary"), None);
    assert_eq!(created.get("WarmThroughput"), None);
    assert_eq!(created["TableClassSummary"], json!({ "TableClass": "STANDARD_INFREQUENT_ACCESS" }));
    assert_eq!(created["DeletionProtectionEnabled"], json!(true));
    let units = json!({ "NumberOfDecreasesToday": 0, "ReadCapacityUnits": 5, "WriteCapacityUnits": 3 });
    assert_eq!(created["ProvisionedThroughput"], units);
    assert_eq!(created["AttributeDefinitions"][0]["AttributeName"], "b", "as sent");
    let (_, described) = answer(&engine, "DescribeTable", r#"{"TableName":"Old"}"#);
    let described = &described["Table"];
    assert_eq!(described["AttributeDefinitions"][0]["AttributeName"], "a", "in order of names");
    assert_eq!(
        described["WarmThroughput"],
        json!({ "ReadUnitsPerSecond": 5, "WriteUnitsPerSecond": 3, "Status": "ACTIVE" })
    );
    invalid(
        &engine,
        "DeleteTable",
        r#"{"TableName":"Old"}"#,
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion \
         protection first.",
    );
}

#[test]
fn settings_come_back_as_the_service_shows_them() {
    let engine = engine();
    let (_, created) = answer(
        &engine,
        "CreateTable",
        &with(
            r#""SSESpecification":{"Enabled":true},"OnDemandThroughput":{"MaxReadRequestUnits":10},"WarmThroughput":{"ReadUnitsPerSecond":13000},"StreamSpecification":{"StreamEnabled":false},"Tags":[{"Key":"team","Value":""}]"#,
        ),
    );
    let created = &created["TableDescription"];
    assert_eq!(created["SSEDescription"]["Status"], "ENABLED", "{created}");
    assert_eq!(created["SSEDescription"]["SSEType"], "KMS");
    assert_eq!(created["OnDemandThroughput"], json!({ "MaxReadRequestUnits": 10 }));
    assert_eq!(
        created["WarmThroughput"],
        json!({ "ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 4000, "Status": "UPDATING" })
    );
    assert_eq!(created.get("StreamSpecification"), None);
    assert_eq!(created.get("Tags"), None);
}

#[test]
fn names_are_listed_in_pages_in_byte_order() {
    let engine = engine();
    for name in ["Zoo", "abc", "a.b", "Abc"] {
        assert_eq!(ask(&engine, "CreateTable", &COUNTERS.replace("Counters", name)).status, 200);
    }
    answers(&engine, "ListTables", "{}", r#"{"TableNames":["Abc","Zoo","a.b","abc"]}"#);
    answers(
        &engine,
        "ListTables",
        r#"{"Limit":3}"#,
        r#"{"TableNames":["Abc","Zoo","a.b"],"LastEvaluatedTableName":"a.b"}"#,
    );
    answers(
        &engine,
        "ListTables",
        r#"{"Limit":1,"ExclusiveStartTableName":"a.b"}"#,
        r#"{"TableNames":["abc"]}"#,
    );
    answers(
        &engine,
        "ListTables",
        r#"{"ExclusiveStartTableName":"Mmm"}"#,
        r#"{"TableNames":["Zoo","a.b","abc"]}"#,
    );
}

#[test]
fn billing_and_throughput_are_checked() {
    let engine = engine();
    let units = |read: &str| {
        COUNTERS.replace(
            r#""BillingMode":"PAY_PER_REQUEST""#,
            &format!(r#""ProvisionedThroughput":{{"ReadCapacityUnits":{read},"WriteCapacityUnits":1}}"#),
        )
    };
    invalid(
        &engine,
        "CreateTable",
        &with(r#""ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}"#),
        &format!(
            "{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
             PAY_PER_REQUEST"
        ),
    );
    for body in [
        COUNTERS.replace("PAY_PER_REQUEST", "PROVISIONED"),
        COUNTERS.replace(r#","BillingMode":"PAY_PER_REQUEST""#, ""),
    ] {
        invalid(
            &engine,
            "CreateTable",
            &body,
            &format!(
                "{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode \
                 is PROVISIONED"
            ),
        );
    }
    invalid(
        &engine,
        "CreateTable",
        &units("1000000000001"),
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    );
    refused(
        &engine,
        "CreateTable",
        &units("40001"),
        "com.amazonaws.dynamodb.v20120810#LimitExceededException",
        "The requested ReadCapacityUnits, 40001, is above the per table maximum for the account in \
         eu-west-2. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current \
         limits and how to request higher limits.",
    );
    assert_eq!(ask(&engine, "CreateTable", &units("40000")).status, 200);
    invalid(
        &engine,
        "CreateTable",
        &with(r#""OnDemandThroughput":{"MaxReadRequestUnits":0}"#),
        &format!(
            "{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"
        ),
    );
    invalid(
        &engine,
        "CreateTable",
        &with(r#""WarmThroughput":{"WriteUnitsPerSecond":3999}"#),
        &format!(
            "{INVALID}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than initial \
             throughput for OnDemand"
        ),
    );
}

#[test]
fn the_key_schema_is_checked_against_the_definitions() {
    let engine = engine();
    let table = |definitions: &str, keys: &str| {
        let definitions: Vec<Value> = definitions
            .split_whitespace()
            .map(|name| json!({ "AttributeName": name, "AttributeType": "S" }))
            .collect();
        let keys: Vec<Value> = keys
            .split_whitespace()
            .filter_map(|key| key.split_once(':'))
            .map(|(name, role)| json!({ "AttributeName": name, "KeyType": role }))
            .collect();
        json!({ "TableName": "Keys", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions,
            "KeySchema": keys })
        .to_string()
    };
    for (definitions, keys, text) in [
        ("", "a:HASH", "Invalid KeySchema: Some index key attribute have no definition"),
        ("a", "a:HASH a:RANGE", "Invalid KeySchema: Some index key attribute have no definition"),
        (
            "b",
            "a:HASH",
            "One or more parameter values were invalid: Some index key attributes are not defined in \
             AttributeDefinitions. Keys: [a], AttributeDefinitions: [b]",
        ),
        ("a a", "a:HASH", "Attribute Name is duplicated: a"),
        ("a", "a:RANGE", "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"),
        ("a b", "a:HASH b:HASH", "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"),
        (
            "a b",
            "a:HASH a:RANGE",
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        ),
        (
            "a b",
            "a:HASH",
            "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly \
             match number of attributes defined in AttributeDefinitions",
        ),
    ] {
        invalid(&engine, "CreateTable", &table(definitions, keys), text);
    }
}

#[test]
fn stream_encryption_and_tags_are_checked() {
    let engine = engine();
    for (members, text) in [
        (
            r#""StreamSpecification":{"StreamEnabled":false,"StreamViewType":"KEYS_ONLY"}"#,
            "One or more parameter values were invalid: Table is being created with a stream disabled, \
             UpdateViewType should not be specified",
        ),
        (
            r#""StreamSpecification":{"StreamEnabled":true}"#,
            "One or more parameter values were invalid: Table is being created with a stream enabled, \
             UpdateViewType is required",
        ),
        (
            r#""SSESpecification":{"Enabled":false,"SSEType":"KMS"}"#,
            "One or more parameter values were invalid: SSEType can not be specified if Enabled is false",
        ),
        (
            r#""SSESpecification":{"Enabled":false,"KMSMasterKeyId":"k"}"#,
            "One or more parameter values were invalid: KMSMasterKeyId can not be specified if Enabled is \
             false",
        ),
        (
            r#""SSESpecification":{"Enabled":true,"KMSMasterKeyId":"k"}"#,
            "One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is \
             specified",
        ),
        (
            r#""SSESpecification":{"Enabled":true,"SSEType":"AES256"}"#,
            "One or more parameter values were invalid: SSEType AES256 is not supported",
        ),
        (r#""Tags":[{"Key":"","Value":"v"}]"#, "The Tag Key provided is invalid, Key: "),
        (r#""Tags":[{"Key":"a?","Value":"v"}]"#, "The Tag Key provided is invalid, Key: a?"),
        (r#""Tags":[{"Key":"aws:x","Value":"v"}]"#, "Tag Key cannot be prefixed with aws:, Key: aws:x"),
        (r#""Tags":[{"Key":"k"}]"#, "The Tag Value provided is invalid, Value: null"),
        (
            r#""Tags":[{"Key":"k","Value":"1"},{"Key":"k","Value":"2"}]"#,
            "Duplicate Tag Keys provided as input: Duplicate Tag Key found k",
        ),
    ] {
        invalid(&engine, "CreateTable", &with(members), text);
    }
    let many: Vec<Value> = (0..51).map(|at| json!({ "Key": format!("k{at}"), "Value": "" })).collect();
    invalid(
        &engine,
        "CreateTable",
        &with(&format!(r#""Tags":{}"#, Value::from(many))),
        "Number of Tags exceed the current limit for the provided ResourceArn",
    );
    answers(&engine, "ListTables", "{}", r#"{"TableNames":[]}"#);
}

#[test]
fn index_definitions_are_checked() {
    let engine = engine();
    let keys = [("cust", "S"), ("ord", "S")];
    let more = [("cust", "S"), ("ord", "S"), ("st", "S")];
    let local = |hash: &str, range: &str, rest: &str| {
        format!(
            r#","LocalSecondaryIndexes":[{{"IndexName":"byX","KeySchema":[{{"AttributeName":"{hash}","KeyType":"HASH"}},{{"AttributeName":"{range}","KeyType":"RANGE"}}],{rest}}}]"#
        )
    };
    let global = |rest: &str| {
        format!(
            r#","GlobalSecondaryIndexes":[{{"IndexName":"bySt","KeySchema":[{{"AttributeName":"st","KeyType":"HASH"}}],{rest}}}]"#
        )
    };
    let all = r#""Projection":{"ProjectionType":"ALL"}"#;
    for (definitions, members, text) in [
        (&keys[..], r#","GlobalSecondaryIndexes":[]"#.to_owned(), "List of GlobalSecondaryIndexes is empty"),
        (&keys, r#","LocalSecondaryIndexes":[]"#.to_owned(), "List of LocalSecondaryIndexes is empty"),
        (&keys, r#","VectorIndexes":[]"#.to_owned(), "List of VectorIndexes is empty"),
        (
            &more,
            local("ord", "st", all),
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: byX. \
             index hash key: ord, table hash key: cust",
        ),
        (
            &keys,
            local("cust", "zz", all),
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [cust, zz], \
             AttributeDefinitions: [cust, ord]",
        ),
        (&more, local("cust", "st", r#""Projection":{}"#), "Unknown ProjectionType: null"),
        (
            &more,
            local("cust", "st", r#""Projection":{"ProjectionType":"ALL","NonKeyAttributes":["x"]}"#),
            "ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        (
            &more,
            local("cust", "st", r#""Projection":{"ProjectionType":"KEYS_ONLY","NonKeyAttributes":["x"]}"#),
            "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
        ),
        (
            &more,
            local("cust", "st", r#""Projection":{"ProjectionType":"INCLUDE"}"#),
            "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (
            &more,
            local("cust", "st", r#""Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x","x"]}"#),
            "Duplicate element in NonKeyAttributes: x",
        ),
        (
            &more,
            global(r#""Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}"#),
            "ProvisionedThroughput should not be specified for index: bySt when BillingMode is \
             PAY_PER_REQUEST",
        ),
        (
            &[("cust", "S"), ("ord", "S"), ("st", "S"), ("zz", "S")],
            global(all),
            "Some AttributeDefinitions are not used. AttributeDefinitions: [cust, ord, st, zz], keys used: \
             [cust, ord, st]",
        ),
        (
            &more,
            r#","GlobalSecondaryIndexes":[{"IndexName":"twice","KeySchema":[{"AttributeName":"st","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"twice","KeySchema":[{"AttributeName":"st","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]"#.to_owned(),
            "Duplicate index name: twice",
        ),
        (
            &more,
            r#","GlobalSecondaryIndexes":[{"IndexName":"mixed","KeySchema":[{"AttributeName":"st","KeyType":"HASH"},{"AttributeName":"ord","KeyType":"RANGE"},{"AttributeName":"cust","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]"#.to_owned(),
            "All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ),
        (
            &keys,
            r#","VectorIndexes":[{"IndexName":"near","VectorAttribute":{"AttributeName":"ord"},"Dimensions":3,"DistanceFunction":"COSINE","Projection":{"ProjectionType":"ALL"}}]"#.to_owned(),
            "Conflicting attribute definition for 'ord'. An attribute cannot be defined in \
             AttributeDefinitions when used as a VectorAttribute.",
        ),
        (
            &keys,
            r#","VectorIndexes":[{"IndexName":"near","VectorAttribute":{"AttributeName":"v"},"Dimensions":4097,"DistanceFunction":"COSINE","Projection":{"ProjectionType":"ALL"}}]"#.to_owned(),
            "Number of dimensions must be between 1 and 4096 inclusive.",
        ),
    ] {
        invalid(&engine, "CreateTable", &orders(definitions, &members), &format!("{INVALID}{text}"));
    }
    invalid(
        &engine,
        "CreateTable",
        &orders(
            &keys,
            r#","GlobalSecondaryIndexes":[{"IndexName":"twice","KeySchema":[{"AttributeName":"ord","KeyType":"HASH"},{"AttributeName":"cust","KeyType":"HASH"},{"AttributeName":"ord","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]"#,
        ),
        "Invalid KeySchema: Some index key attribute have no definition",
    );
    invalid(
        &engine,
        "CreateTable",
        &orders(
            &more,
            r#","GlobalSecondaryIndexes":[{"IndexName":"twice","KeySchema":[{"AttributeName":"st","KeyType":"HASH"},{"AttributeName":"cust","KeyType":"HASH"},{"AttributeName":"st","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]"#,
        ),
        "The KeySchema contains multiple key attributes with the same name",
    );
}

#[test]
fn too_many_indexes_are_refused_as_such() {
    let engine = engine();
    let index = |at: usize| {
        format!(
            r#"{{"IndexName":"idx{at}","KeySchema":[{{"AttributeName":"cust","KeyType":"HASH"}},{{"AttributeName":"ord","KeyType":"RANGE"}}],"Projection":{{"ProjectionType":"ALL"}}}}"#
        )
    };
    let many = |list: &str, count: usize| {
        let indexes: Vec<String> = (0..count).map(index).collect();
        orders(&[("cust", "S"), ("ord", "S")], &format!(r#","{list}":[{}]"#, indexes.join(",")))
    };
    for (list, most, text) in [
        ("LocalSecondaryIndexes", 5, "Number of LocalSecondaryIndexes exceeds per-table limit of 5"),
        ("GlobalSecondaryIndexes", 20, "GlobalSecondaryIndex count exceeds the per-table limit of 20"),
    ] {
        invalid(&engine, "CreateTable", &many(list, most + 1), &format!("{INVALID}{text}"));
        assert_eq!(ask(&engine, "CreateTable", &many(list, most)).status, 200);
        assert_eq!(ask(&engine, "DeleteTable", r#"{"TableName":"Orders"}"#).status, 200);
    }
}

#[test]
fn a_table_can_be_named_by_its_arn_of_this_account_alone() {
    let engine = engine();
    assert_eq!(ask(&engine, "CreateTable", COUNTERS).status, 200);
    refused(
        &engine,
        "DescribeTable",
        r#"{"TableName":"arn:aws:dynamodb:eu-west-2:111122223333:table/Counters"}"#,
        "com.amazonaws.dynamodb.v20120810#AccessDeniedException",
        "User is not authorized to perform: dynamodb:DescribeTable on resource: \
         arn:aws:dynamodb:eu-west-2:111122223333:table/Counters because no resource-based policy allows the \
         dynamodb:DescribeTable action",
    );
    invalid(
        &engine,
        "DescribeTable",
        r#"{"TableName":"arn:aws:dynamodb:eu-west-2:123456789012:stream/Counters"}"#,
        "1 validation error detected: Invalid resource type in \
         'arn:aws:dynamodb:eu-west-2:123456789012:stream/Counters'",
    );
}

#[test]
fn creating_and_deleting_can_be_undone() {
    let engine = engine();
    assert_eq!(ask(&engine, "CreateTable", COUNTERS).status, 200);
    assert_eq!(ask(&engine, "PutItem", r#"{"TableName":"Counters","Item":{"id":{"S":"a"}}}"#).status, 200);
    assert_eq!(ask(&engine, "DeleteTable", r#"{"TableName":"Counters"}"#).status, 200);
    answers(&engine, "ListTables", "{}", r#"{"TableNames":[]}"#);
    let undone = engine.undo(Timestamp(0)).expect("the store works").expect("there is a write");
    assert_eq!(undone.operation, "DeleteTable");
    answers(
        &engine,
        "GetItem",
        r#"{"TableName":"Counters","Key":{"id":{"S":"a"}}}"#,
        r#"{"Item":{"id":{"S":"a"}}}"#,
    );
    let (_, described) = answer(&engine, "DescribeTable", r#"{"TableName":"Counters"}"#);
    assert_eq!(described["Table"]["ItemCount"], 1, "the totals are back as well");
    for operation in ["PutItem", "CreateTable"] {
        let undone = engine.undo(Timestamp(0)).expect("the store works").expect("there is a write");
        assert_eq!(undone.operation, operation);
    }
    answers(&engine, "ListTables", "{}", r#"{"TableNames":[]}"#);
}

#[test]
fn a_definition_under_another_tables_name_is_a_fault_and_not_a_search_without_end() {
    use keyplan_engine::{Engine, EngineOptions, spaces::CATALOG};
    use keyplan_store::{Batch, MemoryStore, Store, StoreExt};

    let store = std::sync::Arc::new(MemoryStore::new());
    let open = || Engine::open(store.clone(), EngineOptions::default()).expect("the store opens");
    assert_eq!(ask(&open(), "CreateTable", COUNTERS).status, 200);
    let stored = store.view(|snapshot| snapshot.get(CATALOG, b"Counters"));
    let stored = stored.and_then(|read| read).expect("the store can be read").expect("the table is there");
    let moved = store.write(Box::new(move |_| {
        let mut batch = Batch::new();
        batch.put(CATALOG, b"Visitors", stored.clone());
        Some(batch)
    }));
    moved.expect("the store can be written");
    let engine = open();
    let key = r#""Key":{"id":{"S":"a"}}"#;
    for (operation, members) in [
        ("DescribeTable", ""),
        ("GetItem", key),
        ("PutItem", r#""Item":{"id":{"S":"a"}}"#),
        ("DeleteItem", key),
        ("Scan", ""),
        ("DeleteTable", ""),
    ] {
        let comma = if members.is_empty() { "" } else { "," };
        let body = format!(r#"{{"TableName":"Visitors"{comma}{members}}}"#);
        assert_eq!(ask(&engine, operation, &body).status, 500, "{operation}");
    }
    assert_eq!(ask(&engine, "Scan", r#"{"TableName":"Counters"}"#).status, 200, "the other is unharmed");
}
