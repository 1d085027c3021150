//! Requests and the exact texts they are refused with, before any table is looked at.

use keyplan_value::json::{Limits, Tape};

use super::{constraints, late_constraints, types};
use crate::shapes::operation;

/// The text that the two stages answer a request with, or nothing.
fn refusal(name: &str, body: &str) -> Option<String> {
    let operation = operation(&format!("DynamoDB_20120810.{name}")).expect("an operation");
    let tape = Tape::parse(body.as_bytes(), &Limits::default()).expect("JSON");
    if let Err(error) = types(operation, tape.root()) {
        return Some(error.text().unwrap_or_else(|| "(no message)".to_owned()));
    }
    let broken = constraints(operation, tape.root()).and_then(|()| late_constraints(operation, tape.root()));
    broken.err().map(|error| error.to_string())
}

#[track_caller]
fn refused(name: &str, body: &str, text: &str) {
    assert_eq!(refusal(name, body).as_deref(), Some(text), "{name} {body}");
}

#[track_caller]
fn accepted(name: &str, body: &str) {
    assert_eq!(refusal(name, body), None, "{name} {body}");
}

#[test]
fn json_types_have_the_service_s_words() {
    for (value, text) in [
        ("1", "NUMBER_VALUE cannot be converted to String"),
        ("-0", "NUMBER_VALUE cannot be converted to String"),
        ("1.5", "DECIMAL_VALUE cannot be converted to String"),
        ("1e2", "DECIMAL_VALUE cannot be converted to String"),
        ("true", "TRUE_VALUE cannot be converted to String"),
        ("false", "FALSE_VALUE cannot be converted to String"),
        ("[]", "Unrecognized collection type class java.lang.String"),
        ("{}", "Start of structure or map found where not expected"),
    ] {
        refused("GetItem", &format!(r#"{{"TableName":{value}}}"#), text);
        refused("DescribeTable", &format!(r#"{{"TableName":{value}}}"#), text);
    }
    for (value, text) in [
        (r#""1""#, "STRING_VALUE cannot be converted to Integer"),
        ("true", "TRUE_VALUE cannot be converted to Integer"),
        ("[]", "Unrecognized collection type class java.lang.Integer"),
        ("{}", "Start of structure or map found where not expected"),
    ] {
        refused("ListTables", &format!(r#"{{"Limit":{value}}}"#), text);
    }
    for (value, text) in [
        ("1", "NUMBER_VALUE cannot be converted to Boolean"),
        ("1.5", "DECIMAL_VALUE cannot be converted to Boolean"),
        ("[]", "Unrecognized collection type class java.lang.Boolean"),
        (r#""maybe""#, "Unexpected token received from parser"),
        ("{}", "Start of structure or map found where not expected"),
    ] {
        refused("GetItem", &format!(r#"{{"ConsistentRead":{value}}}"#), text);
    }
    for (body, text) in [
        (r#"{"KeySchema":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"KeySchema":"HASH"}"#, "Unexpected field type"),
        (r#"{"KeySchema":["HASH"]}"#, "Unexpected value type in payload"),
        (
            r#"{"KeySchema":[[]]}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement",
        ),
        (
            r#"{"ProvisionedThroughput":[]}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.ProvisionedThroughput",
        ),
        (r#"{"ProvisionedThroughput":1}"#, "Unexpected field type"),
        (
            r#"{"ProvisionedThroughput":{"ReadCapacityUnits":"1"}}"#,
            "STRING_VALUE cannot be converted to Long",
        ),
    ] {
        refused("CreateTable", body, text);
    }
    for (body, text) in [
        (
            r#"{"Item":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, \
             com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
        (
            r#"{"Expected":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, \
             com.amazonaws.dynamodb.v20120810.ExpectedAttributeValue>",
        ),
        (
            r##"{"ExpressionAttributeNames":[]}"##,
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>",
        ),
        (r#"{"Item":{"a":{"S":1}}}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"Item":{"a":{"L":[{"M":{"b":{"N":1}}}]}}}"#, "NUMBER_VALUE cannot be converted to String"),
        (
            r#"{"Item":{"a":[]}}"#,
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
        ),
        (r#"{"Item":{"a":{"BOOL":[]}}}"#, "(no message)"),
        (r#"{"Item":{"a":{"B":1}}}"#, "only base-64-encoded strings are convertible to bytes"),
        (r#"{"Item":{"a":{"B":[]}}}"#, "Unrecognized collection type class java.nio.ByteBuffer"),
        (
            r#"{"Item":{"a":{"B":"abc"}}}"#,
            "Base64 encoded length is expected a multiple of 4 bytes but found: 3",
        ),
        (r#"{"Item":{"a":{"B":"ab5="}}}"#, "Invalid last non-pad Base64 character dectected"),
    ] {
        refused("PutItem", body, text);
    }
}

#[test]
fn the_first_wrong_type_is_that_of_the_outermost_structure_not_of_the_text() {
    refused(
        "PutItem",
        r#"{"ReturnValues":1,"TableName":true,"Item":{"a":{"S":1.5}}}"#,
        "DECIMAL_VALUE cannot be converted to String",
    );
    refused(
        "GetItem",
        r#"{"ConsistentRead":1,"TableName":true}"#,
        "TRUE_VALUE cannot be converted to String",
    );
}

#[test]
fn null_is_absent_words_are_booleans_and_unknown_members_are_ignored() {
    accepted(
        "GetItem",
        r#"{"TableName":"Shop","Key":{"pk":{"S":"a","N":null}},"ConsistentRead":"Yes","Nonsense":[1]}"#,
    );
    accepted("GetItem", r#"{"TableName":"Shop","Key":{},"ConsistentRead":null,"AttributesToGet":null}"#);
}

#[test]
fn a_value_nested_as_deep_as_json_may_be_is_walked_without_a_deep_stack() {
    let depth = 900;
    let item = [r#"{"L":["#.repeat(depth), r#"{"S":"a"}"#.to_owned(), "]}".repeat(depth)].concat();
    accepted("PutItem", &format!(r#"{{"TableName":"Shop","Item":{{"a":{item}}}}}"#));
}

#[test]
fn a_table_name_is_checked_as_each_operation_does() {
    let null = "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must \
         not be null";
    let missing = "The parameter 'TableName' is required but was not present in the request";
    refused("GetItem", r#"{"Key":{}}"#, null);
    refused("Query", "{}", null);
    refused("Scan", "{}", null);
    for name in ["CreateTable", "DescribeTable", "DeleteTable"] {
        refused(name, "{}", missing);
    }
    for (name, rest) in
        [("GetItem", r#","Key":{}"#), ("PutItem", r#","Item":{}"#), ("Scan", ""), ("Query", "")]
    {
        refused(
            name,
            &format!(r#"{{"TableName":""{rest}}}"#),
            "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must \
             have length greater than or equal to 1",
        );
        refused(
            name,
            &format!(r#"{{"TableName":"a;"{rest}}}"#),
            "1 validation error detected: Value 'a;' at 'tableName' failed to satisfy constraint: Member \
             must have length greater than or equal to 3",
        );
        refused(
            name,
            &format!(r#"{{"TableName":"abc;"{rest}}}"#),
            "1 validation error detected: Value 'abc;' at 'tableName' failed to satisfy constraint: Member \
             must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        );
        let long = "a".repeat(256);
        refused(
            name,
            &format!(r#"{{"TableName":"{long}"{rest}}}"#),
            &format!(
                "1 validation error detected: Value '{long}' at 'tableName' failed to satisfy constraint: \
                 Member must have length less than or equal to 255"
            ),
        );
        accepted(name, &format!(r#"{{"TableName":"{}"{rest}}}"#, "a".repeat(255)));
        accepted(
            name,
            &format!(r#"{{"TableName":"arn:aws:dynamodb:us-east-1:123456789012:table/Shop"{rest}}}"#),
        );
    }
    for name in ["DescribeTable", "DeleteTable"] {
        refused(
            name,
            r#"{"TableName":"a;"}"#,
            "TableName must be at least 3 characters long and at most 255 characters long",
        );
        refused(
            name,
            r#"{"TableName":"abc;"}"#,
            "1 validation error detected: Value 'abc;' at 'tableName' failed to satisfy constraint: Member \
             must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        );
    }
}

#[test]
fn a_write_lists_its_broken_members_together() {
    refused(
        "PutItem",
        r#"{"TableName":"ab","ReturnConsumedCapacity":"x","ReturnValues":"y","ReturnItemCollectionMetrics":"z","ReturnValuesOnConditionCheckFailure":"w"}"#,
        "6 validation errors detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must \
         have length greater than or equal to 3; Value null at 'item' failed to satisfy constraint: Member \
         must not be null; Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must \
         satisfy enum value set: [INDEXES, TOTAL, NONE]; Failed to satisfy constraint: Member must satisfy \
         enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; Value 'z' at \
         'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: \
         [SIZE, NONE]; Value 'w' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: \
         Member must satisfy enum value set: [ALL_OLD, NONE]",
    );
    accepted("PutItem", r#"{"TableName":"Shop","Item":{},"ReturnValues":"ALL_NEW"}"#);
    refused(
        "DeleteItem",
        r#"{"TableName":"Shop","ReturnValues":"ALL_NEW"}"#,
        "2 validation errors detected: Value null at 'key' failed to satisfy constraint: Member must not be \
         null; ReturnValues can only be ALL_OLD or NONE",
    );
    refused(
        "PutItem",
        r#"{"TableName":"Shop","Item":{},"ConditionalOperator":"x"}"#,
        "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum value set: \
         [ALL, OR]",
    );
}

#[test]
fn reads_look_at_their_numbers_first() {
    refused(
        "Query",
        r#"{"TableName":"ab","Limit":0,"Select":"x"}"#,
        "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value \
         greater than or equal to 1",
    );
    refused(
        "Query",
        r#"{"Limit":0,"Select":"x"}"#,
        "3 validation errors detected: Value 'x' at 'select' failed to satisfy constraint: Member must \
         satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]; \
         Value null at 'tableName' failed to satisfy constraint: Member must not be null; Value '0' at \
         'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    );
    // A fraction is dropped, and then the other style of wording is used.
    refused(
        "Scan",
        r#"{"TableName":"Shop","Limit":0.5}"#,
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have \
         value greater than or equal to 1",
    );
    refused(
        "Scan",
        r#"{"TableName":"","Limit":-1,"Segment":1000000,"TotalSegments":0}"#,
        "4 validation errors detected: Value at 'Limit' failed to satisfy constraint: Member must have \
         value greater than or equal to 1; Value at 'Segment' failed to satisfy constraint: Member must \
         have value less than or equal to 999999; Value at 'TotalSegments' failed to satisfy constraint: \
         Member must have value greater than or equal to 1; Value at 'TableName' failed to satisfy \
         constraint: Member must have length greater than or equal to 1",
    );
    accepted("Scan", r#"{"TableName":"Shop","Limit":4294967296}"#);
    refused(
        "Scan",
        r#"{"TableName":"Shop","Select":"x"}"#,
        "1 validation error detected: Value 'x' at 'select' failed to satisfy constraint: Member must \
         satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
    );
    refused(
        "GetItem",
        r#"{"TableName":"Shop","Key":{},"AttributesToGet":[]}"#,
        "1 validation error detected: Value '[]' at 'attributesToGet' failed to satisfy constraint: Member \
         must have length greater than or equal to 1",
    );
    refused(
        "Query",
        r#"{"TableName":"Shop","KeyConditions":{"pk":{}}}"#,
        "1 validation error detected: Value null at 'keyConditions.pk.member.comparisonOperator' failed to \
         satisfy constraint: Member must not be null",
    );
    refused(
        "ListTables",
        r#"{"Limit":101,"ExclusiveStartTableName":"a;"}"#,
        "3 validation errors detected: Value 'a;' at 'exclusiveStartTableName' failed to satisfy \
         constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at \
         'exclusiveStartTableName' failed to satisfy constraint: Member must have length greater than or \
         equal to 3; Value '101' at 'limit' failed to satisfy constraint: Member must have value less than \
         or equal to 100",
    );
}

#[test]
fn a_new_table_s_parts_are_listed_in_the_service_s_order() {
    refused(
        "CreateTable",
        r#"{"TableName":"a;","ProvisionedThroughput":{"ReadCapacityUnits":0},"BillingMode":"x"}"#,
        "7 validation errors detected: Value 'a;' at 'tableName' failed to satisfy constraint: Member must \
         satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'tableName' failed to satisfy \
         constraint: Member must have length greater than or equal to 3; Value null at \
         'provisionedThroughput.writeCapacityUnits' failed to satisfy constraint: Member must not be null; \
         Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must \
         have value greater than or equal to 1; Value null at 'keySchema' failed to satisfy constraint: \
         Member must not be null; Value null at 'attributeDefinitions' failed to satisfy constraint: Member \
         must not be null; Value 'x' at 'billingMode' failed to satisfy constraint: Member must satisfy \
         enum value set: [PROVISIONED, PAY_PER_REQUEST]",
    );
    refused(
        "CreateTable",
        r#"{"TableName":"Shop","KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"},{"KeyType":"x"}],"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"BOOL"}]}"#,
        "4 validation errors detected: Value '[KeySchemaElement(attributeName=a, keyType=HASH), \
         KeySchemaElement(attributeName=b, keyType=RANGE), KeySchemaElement(attributeName=null, \
         keyType=x)]' at 'keySchema' failed to satisfy constraint: Member must have length less than or \
         equal to 2; Value null at 'keySchema.3.member.attributeName' failed to satisfy constraint: Member \
         must not be null; Value 'x' at 'keySchema.3.member.keyType' failed to satisfy constraint: Member \
         must satisfy enum value set: [HASH, RANGE]; Value 'BOOL' at \
         'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy \
         enum value set: [B, N, S]",
    );
    let simple = r#""TableName":"Shop","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}]"#;
    refused(
        "CreateTable",
        &format!(
            r#"{{{simple},"GlobalSecondaryIndexes":[{{"IndexName":"g;","KeySchema":[],"Projection":{{"ProjectionType":"x","NonKeyAttributes":[]}}}}],"LocalSecondaryIndexes":[{{}}]}}"#
        ),
        "8 validation errors detected: Value '[]' at 'globalSecondaryIndexes.1.member.keySchema' failed to \
         satisfy constraint: Member must have length greater than or equal to 1; Value 'x' at \
         'globalSecondaryIndexes.1.member.projection.projectionType' failed to satisfy constraint: Member \
         must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]; Value '[]' at \
         'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' failed to satisfy constraint: Member \
         must have length greater than or equal to 1; Value 'g;' at \
         'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must satisfy \
         regular expression pattern: [a-zA-Z0-9_.-]+; Value 'g;' at \
         'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length \
         greater than or equal to 3; Value null at 'localSecondaryIndexes.1.member.indexName' failed to \
         satisfy constraint: Member must not be null; Value null at \
         'localSecondaryIndexes.1.member.keySchema' failed to satisfy constraint: Member must not be null; \
         Value null at 'localSecondaryIndexes.1.member.projection' failed to satisfy constraint: Member \
         must not be null",
    );
    refused(
        "CreateTable",
        &format!(r#"{{{simple},"StreamSpecification":{{}},"SSESpecification":{{"SSEType":"x"}}}}"#),
        "2 validation errors detected: Value null at 'streamSpecification.streamEnabled' failed to satisfy \
         constraint: Member must not be null; Value 'x' at 'sSESpecification.sSEType' failed to satisfy \
         constraint: Member must satisfy enum value set: [AES256, KMS]",
    );
    refused(
        "CreateTable",
        &format!(r#"{{{simple},"TableClass":"x"}}"#),
        "Invalid table-class parameter provided. Please try again with a valid table-class value: \
         [STANDARD, STANDARD_INFREQUENT_ACCESS].",
    );
}

#[test]
fn an_index_key_that_is_too_long_is_reported_without_its_path() {
    let keys = |count: usize| {
        let keys: Vec<String> =
            (0..count).map(|at| format!(r#"{{"AttributeName":"a{at}","KeyType":"HASH"}}"#)).collect();
        format!(
            r#"{{"TableName":"Shop","KeySchema":[{{"AttributeName":"a","KeyType":"HASH"}}],"AttributeDefinitions":[],"GlobalSecondaryIndexes":[{{"IndexName":"idx","Projection":{{}},"KeySchema":[{}]}}]}}"#,
            keys.join(",")
        )
    };
    accepted("CreateTable", &keys(8));
    let text = refusal("CreateTable", &keys(9)).expect("nine are too many");
    assert!(text.starts_with("1 validation error detected: Value '[KeySchemaElement("), "{text}");
    assert!(
        text.ends_with(
            "' at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 8"
        ),
        "{text}"
    );
}

#[test]
fn at_most_ten_violations_are_listed() {
    let elements = vec!["{}"; 20].join(",");
    let text =
        refusal("CreateTable", &format!(r#"{{"TableName":"Shop","AttributeDefinitions":[{elements}]}}"#))
            .expect("everything is missing");
    assert!(text.starts_with("10 validation errors detected: "), "{text}");
    assert_eq!(text.matches("failed to satisfy").count(), 10, "{text}");
}

#[test]
fn map_keys_and_values_are_reported_at_the_map() {
    refused(
        "BatchGetItem",
        r#"{"RequestItems":{"a;":{"Keys":[{"pk":{"S":"x"}}]}}}"#,
        "1 validation error detected: Value '{a;=KeysAndAttributes(keys=[{pk=AttributeValue(s=x, n=null, \
         b=null, iNT=null, dECIMAL=null, dOUBLE=null, sS=null, nS=null, bS=null, iNTSET=null, \
         dECIMALSET=null, dOUBLESET=null, m=null, l=null, nULL=null, bOOL=null)}], attributesToGet=null, \
         consistentRead=null, projectionExpression=null, expressionAttributeNames=null)}' at 'requestItems' \
         failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than \
         or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular \
         expression pattern: [a-zA-Z0-9_.-]+]",
    );
    refused(
        "BatchWriteItem",
        r#"{"RequestItems":{"abc":[]}}"#,
        "1 validation error detected: Value '{abc=[]}' at 'requestItems' failed to satisfy constraint: Map \
         value must satisfy constraint: [Member must have length less than or equal to 25, Member must have \
         length greater than or equal to 1]",
    );
}

#[test]
fn an_echo_is_cut_before_it_fills_the_memory() {
    let name = "é".repeat(200_000);
    let text = refusal("GetItem", &format!(r#"{{"TableName":"{name}","Key":{{}}}}"#)).expect("too long");
    assert!(text.len() < 100_000, "{}", text.len());
}
