//! What is refused, in which order, and in which words.

use serde_json::{Value, json};

use super::harness::{Harness, n, s};

fn engine() -> Harness {
    let engine = Harness::new();
    engine.create("Items", "S", Some("S"));
    engine
}

fn key() -> Value {
    json!({"pk": s("a"), "sk": s("1")})
}

#[track_caller]
fn refused(operation: &str, request: Value, message: &str) {
    assert_eq!(engine().call(operation, &request).refusal(), message, "{operation} {request}");
}

/// A request that refuses for each of several reasons, which are taken away one after the other.
#[track_caller]
fn refused_in_order(operation: &str, mut request: Value, steps: &[(&str, &str, Value)]) {
    let engine = engine();
    for (message, member, mended) in steps {
        assert_eq!(engine.call(operation, &request).refusal(), *message, "{operation} {request}");
        match mended {
            Value::Null => _ = request.as_object_mut().expect("an object").remove(*member),
            mended => request[*member] = mended.clone(),
        }
    }
    engine.call(operation, &request).ok();
}

#[test]
fn put_item_looks_at_one_thing_after_the_other() {
    let too_large = s(&"x".repeat(409_600));
    refused_in_order(
        "PutItem",
        json!({
            "TableName": "Items", "Item": {"pk": s("a"), "sk": n(1), "": s("x"), "set": {"SS": []}, "long": too_large},
            "Expected": {"q": {"Exists": false}}, "ConditionExpression": "", "ReturnValues": "ALL_NEW",
            "ExpressionAttributeNames": {"#n": "q", "#unused": "r"},
        }),
        &[
            (
                "1 validation error detected: Empty attribute name",
                "Item",
                json!({"pk": s("a"), "sk": n(1), "set": {"SS": []}, "long": too_large}),
            ),
            (
                "1 validation error detected: One or more parameter values were invalid: An string set  may \
                 not be empty",
                "Item",
                json!({"pk": s("a"), "sk": n(1), "long": too_large}),
            ),
            (
                "1 validation error detected: Can not use both expression and non-expression parameters in \
                 the same request: Non-expression parameters: {Expected} Expression parameters: \
                 {ConditionExpression}",
                "Expected",
                json!(null),
            ),
            (
                "1 validation error detected: Invalid ConditionExpression: The expression can not be empty;",
                "ConditionExpression",
                json!("#n ="),
            ),
            (
                "1 validation error detected: Invalid ConditionExpression: Syntax error; token: \"<EOF>\", \
                 near: \"=\"",
                "ConditionExpression",
                json!("attribute_not_exists(#n) OR #undefined = #n"),
            ),
            (
                "1 validation error detected: ReturnValues can only be ALL_OLD or NONE",
                "ReturnValues",
                json!("NONE"),
            ),
            ("Item size has exceeded the maximum allowed size", "Item", json!({"pk": s("a"), "sk": n(1)})),
            (
                "1 validation error detected: Invalid ConditionExpression: An expression attribute name used \
                 in the document path is not defined; attribute name: #undefined",
                "ConditionExpression",
                json!("attribute_not_exists(#n)"),
            ),
            (
                "1 validation error detected: Value provided in ExpressionAttributeNames unused in \
                 expressions: keys: {#unused}",
                "ExpressionAttributeNames",
                json!({"#n": "q"}),
            ),
            (
                "One or more parameter values were invalid: Type mismatch for key sk expected: S actual: N",
                "Item",
                json!({"pk": s("a"), "sk": s("1")}),
            ),
        ],
    );
}

#[test]
fn items_at_the_edge_of_their_size() {
    let engine = engine();
    let item = |bytes: usize| {
        json!({"TableName": "Items", "Item": {
            // `pk` 2+1, `sk` 2+1, `long` 4 bytes.
            "pk": s("a"), "sk": s("1"), "long": s(&"x".repeat(bytes - 10)),
        }})
    };
    engine.call("PutItem", &item(409_600)).ok();
    let refusal = engine.call("PutItem", &item(409_601)).refusal();
    assert_eq!(refusal, "Item size has exceeded the maximum allowed size");
}

#[test]
fn keys_at_the_edge_of_their_size() {
    let engine = engine();
    let item = |pk: usize, sk: usize| json!({"TableName": "Items", "Item": {"pk": s(&"p".repeat(pk)), "sk": s(&"s".repeat(sk))}});
    engine.call("PutItem", &item(2_048, 1_024)).ok();
    assert_eq!(
        engine.call("PutItem", &item(2_049, 1_025)).refusal(),
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit \
         of2048 bytes"
    );
    assert_eq!(
        engine.call("PutItem", &item(2_048, 1_025)).refusal(),
        "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size \
         limit of 1024 bytes"
    );
}

#[test]
fn a_table_that_is_not_there_comes_after_everything_that_needs_no_table() {
    let engine = Harness::new();
    let request =
        |condition: &str| json!({"TableName": "Nope", "Key": key(), "ConditionExpression": condition});
    let refusal = engine.call("DeleteItem", &request("a =")).refusal();
    assert!(refusal.starts_with("1 validation error detected: Invalid ConditionExpression"), "{refusal}");
    let (name, message) = engine.call("DeleteItem", &request("attribute_exists(a)")).error();
    assert_eq!(
        (name.as_str(), message.as_str()),
        ("ResourceNotFoundException", "Requested resource not found")
    );
}

#[test]
fn keys_of_the_wrong_shape() {
    let mismatch = "The provided key element does not match the schema";
    for key in [
        json!({"pk": s("a")}),
        json!({"pk": s("a"), "sk": n(1)}),
        json!({"pk": s("a"), "sk": s("1"), "x": s("1")}),
        json!({"pk": s("a"), "other": s("1")}),
        json!({"pk": s("a"), "sk": {"L": []}}),
        json!({}),
    ] {
        for operation in ["GetItem", "DeleteItem"] {
            refused(operation, json!({"TableName": "Items", "Key": key}), mismatch);
        }
    }
    refused(
        "GetItem",
        json!({"TableName": "Items", "Key": {"pk": s(""), "sk": s("1")}}),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
         empty string value. Key: pk",
    );
}

#[test]
fn reads_say_the_same_without_the_lead() {
    refused(
        "GetItem",
        json!({"TableName": "Items", "Key": key(), "ProjectionExpression": ""}),
        "Invalid ProjectionExpression: The expression can not be empty;",
    );
    refused(
        "GetItem",
        json!({"TableName": "Items", "Key": key(), "ProjectionExpression": "a, a.b"}),
        "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one \
         of these paths; path one: [a], path two: [a, b]",
    );
    refused(
        "GetItem",
        json!({"TableName": "Items", "Key": {"pk": {"N": "x"}, "sk": s("1")}}),
        "The parameter cannot be converted to a numeric value: x",
    );
    refused(
        "Scan",
        json!({"TableName": "Items", "FilterExpression": "a = :v", "ExpressionAttributeValues": {":w": s("1"), ":v": s("1")}}),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}",
    );
    refused(
        "Scan",
        json!({"TableName": "Items", "FilterExpression": "a = :v"}),
        "Invalid FilterExpression: An expression attribute value used in expression is not defined; attribute \
         value: :v",
    );
}

#[test]
fn placeholders_come_with_an_expression_and_have_a_form() {
    refused(
        "GetItem",
        json!({"TableName": "Items", "Key": key(), "ExpressionAttributeNames": {"#a": "a"}}),
        "ExpressionAttributeNames can only be specified when using expressions",
    );
    refused(
        "PutItem",
        json!({"TableName": "Items", "Item": key(), "ExpressionAttributeValues": {":a": s("a")}}),
        "1 validation error detected: ExpressionAttributeValues can only be specified when using expressions",
    );
    refused(
        "Scan",
        json!({"TableName": "Items", "ProjectionExpression": "a", "ExpressionAttributeValues": {":a": s("a")}}),
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null",
    );
    refused(
        "Query",
        json!({"TableName": "Items", "ExpressionAttributeValues": {":a": s("a")}}),
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null and \
         KeyConditionExpression is null",
    );
    let scan =
        |member: &str, map: Value| json!({"TableName": "Items", "FilterExpression": "a = :a", member: map});
    refused(
        "Scan",
        scan("ExpressionAttributeValues", json!({})),
        "ExpressionAttributeValues must not be empty",
    );
    refused(
        "Scan",
        scan("ExpressionAttributeNames", json!({"a": "b"})),
        "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"",
    );
    refused(
        "Scan",
        scan("ExpressionAttributeNames", json!({"#a": ""})),
        "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
    );
    refused(
        "DeleteItem",
        json!({
            "TableName": "Items", "Key": key(), "ConditionExpression": "a = :a",
            "ExpressionAttributeValues": {":a": {"NULL": false}},
        }),
        "1 validation error detected: One or more parameter values were invalid: Null attribute value types \
         must have the value of true",
    );
    refused(
        "DeleteItem",
        json!({
            "TableName": "Items", "Key": key(), "ConditionExpression": "a = :a",
            "ExpressionAttributeValues": {":a": {}},
        }),
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    );
}

#[test]
fn the_last_of_equal_members_counts() {
    let engine = engine();
    engine.put("Items", &key());
    let request = r##"{"TableName":"Items","Key":{"pk":{"S":"x"},"pk":{"S":"a"},"sk":{"S":"1"}},
        "ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"sk","#a":"pk"}}"##;
    assert_eq!(engine.send("GetItem", request, false).ok(), json!({"Item": {"pk": s("a")}}));
}

#[test]
fn update_item_looks_at_one_thing_after_the_other() {
    let too_large = s(&"x".repeat(409_600));
    let lead = |text: &str| format!("1 validation error detected: {text}");
    refused_in_order(
        "UpdateItem",
        json!({
            "TableName": "Items", "Key": {"pk": s("a"), "sk": n(1), "": s("x")}, "ReturnValues": "NEW",
            "ReturnConsumedCapacity": "ALL", "UpdateExpression": "", "ConditionExpression": "",
            "Expected": {"q": {"Exists": false}},
        }),
        &[
            (
                &lead(
                    "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, \
                     ALL_NEW, UPDATE_NEW, NONE]",
                ),
                "ReturnValues",
                json!("UPDATED_NEW"),
            ),
            (
                &lead(
                    "Value 'ALL' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy \
                     enum value set: [INDEXES, TOTAL, NONE]",
                ),
                "ReturnConsumedCapacity",
                json!("NONE"),
            ),
            (&lead("Empty attribute name"), "Key", json!({"pk": s("a"), "sk": {"SS": []}})),
            (
                &lead(
                    "Can not use both expression and non-expression parameters in the same request: \
                     Non-expression parameters: {Expected} Expression parameters: {UpdateExpression, \
                     ConditionExpression}",
                ),
                "Expected",
                json!(null),
            ),
            (
                &lead("One or more parameter values were invalid: An string set  may not be empty"),
                "Key",
                json!({"pk": s("a"), "sk": n(1)}),
            ),
            (
                &lead("Invalid ConditionExpression: The expression can not be empty;"),
                "ConditionExpression",
                json!("a ="),
            ),
            (
                &lead("Invalid UpdateExpression: The expression can not be empty;"),
                "UpdateExpression",
                json!("SET pk = :v, b = c + :v"),
            ),
            (
                &lead(
                    "Invalid UpdateExpression: An expression attribute value used in expression is not defined; \
                     attribute value: :v",
                ),
                "ExpressionAttributeValues",
                json!({":v": n(1), ":w": {"L": []}, ":x": too_large}),
            ),
            (
                &lead("Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"=\""),
                "ConditionExpression",
                json!("a < :w"),
            ),
            (
                &lead("Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}"),
                "UpdateExpression",
                json!("SET pk = :v, b = c + :v, d = :x"),
            ),
            (
                &lead(
                    "Invalid ConditionExpression: Incorrect operand type for operator or function; operator or \
                     function: <, operand type: L",
                ),
                "ConditionExpression",
                json!("attribute_exists(pk) OR a = :w"),
            ),
            ("The provided key element does not match the schema", "Key", key()),
            (
                "Item size to update has exceeded the maximum allowed size",
                "ExpressionAttributeValues",
                json!({":v": s("1"), ":w": {"L": []}, ":x": s("x")}),
            ),
            (
                &lead(
                    "Invalid UpdateExpression: Incorrect operand type for operator or function; operator or \
                     function: +, operand type: S",
                ),
                "ConditionExpression",
                json!("attribute_not_exists(pk) OR a = :w"),
            ),
            (
                &lead(
                    "Invalid UpdateExpression: Incorrect operand type for operator or function; operator or \
                     function: +, operand type: S",
                ),
                "ExpressionAttributeValues",
                json!({":v": n(1), ":w": {"L": []}, ":x": s("x")}),
            ),
            (
                "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part \
                 of the key",
                "UpdateExpression",
                json!("SET b = c + :v, d = :x"),
            ),
            (
                "The provided expression refers to an attribute that does not exist in the item",
                "UpdateExpression",
                json!("SET b.c = :v, d = :x"),
            ),
            (
                "The document path provided in the update expression is invalid for update",
                "UpdateExpression",
                json!("SET b = :v, d = :x"),
            ),
        ],
    );
}

#[test]
fn select_and_projection_go_together() {
    let lead = "1 validation error detected: ";
    let query = |members: Value| {
        let mut query = json!({
            "TableName": "Items", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": s("a")},
        });
        query.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        query
    };
    for (members, text) in [
        (
            json!({"Select": "SPECIFIC_ATTRIBUTES"}),
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        (
            json!({"Select": "COUNT", "ProjectionExpression": "a"}),
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            json!({"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "a"}),
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        (
            json!({"Select": "ALL_PROJECTED_ATTRIBUTES"}),
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
        (
            json!({"Select": "SOME"}),
            "Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy enum value set: \
             [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
        ),
    ] {
        refused("Query", query(members), &format!("{lead}{text}"));
    }
}

#[test]
fn query_looks_at_one_thing_after_the_other() {
    let start = json!({"pk": s("b"), "sk": n(1)});
    refused_in_order(
        "Query",
        json!({
            "TableName": "Items", "Limit": 0, "KeyConditionExpression": "", "FilterExpression": "sk =",
            "Select": "SPECIFIC_ATTRIBUTES", "IndexName": "none",
            "ExclusiveStartKey": {"pk": s("b"), "sk": {"NULL": false}},
            "ExpressionAttributeValues": {":p": s("a"), ":n": n(1)},
        }),
        &[
            (
                "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have \
                 value greater than or equal to 1",
                "Limit",
                json!(1),
            ),
            (
                "One or more parameter values were invalid: Null attribute value types must have the value of \
                 true",
                "ExclusiveStartKey",
                json!({"pk": s("b"), "sk": {"SS": []}}),
            ),
            (
                "The provided starting key is invalid: One or more parameter values were invalid: An string \
                 set  may not be empty",
                "ExclusiveStartKey",
                start,
            ),
            (
                "Invalid KeyConditionExpression: The expression can not be empty;",
                "KeyConditionExpression",
                json!("pk >"),
            ),
            (
                "Invalid FilterExpression: Syntax error; token: \"<EOF>\", near: \"=\"",
                "FilterExpression",
                json!("sk = :p"),
            ),
            (
                "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when \
                 choosing to get SPECIFIC_ATTRIBUTES",
                "Select",
                json!(null),
            ),
            (
                "Invalid KeyConditionExpression: Syntax error; token: \"<EOF>\", near: \">\"",
                "KeyConditionExpression",
                json!("pk = :p"),
            ),
            (
                "Value provided in ExpressionAttributeValues unused in expressions: keys: {:n}",
                "KeyConditionExpression",
                json!("pk = :p AND sk < :n"),
            ),
            ("The table does not have the specified index: none", "IndexName", json!(null)),
            (
                "The provided starting key is invalid",
                "ExclusiveStartKey",
                json!({"pk": s("b"), "sk": s("1")}),
            ),
            (
                "The provided starting key does not match the range key predicate",
                "ExclusiveStartKey",
                json!(null),
            ),
            (
                "One or more parameter values were invalid: Condition parameter type does not match schema type",
                "ExpressionAttributeValues",
                json!({":p": s("a"), ":n": s("1")}),
            ),
            (
                "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
                "FilterExpression",
                json!("extra = :p"),
            ),
        ],
    );
}

#[test]
fn a_start_key_lies_where_the_conditions_do() {
    let query = |condition: &str, start: Value| {
        json!({
            "TableName": "Items", "KeyConditionExpression": condition, "ExclusiveStartKey": start,
            "ExpressionAttributeValues": {":p": s("a"), ":s": s("5")},
        })
    };
    refused(
        "Query",
        query("pk = :p AND sk > :s", json!({"pk": s("b"), "sk": s("6")})),
        "The query can return at most one row and cannot be restarted",
    );
    refused(
        "Query",
        query("pk = :p AND sk > :s", json!({"pk": s("a"), "sk": s("4")})),
        "The provided starting key does not match the range key predicate",
    );
    refused(
        "Query",
        query("pk = :p AND sk > :s", json!({"pk": s("a"), "sk": s("")})),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
         empty string value. Key: sk",
    );
    let engine = Harness::new();
    engine.create("Items", "S", None);
    let other = json!({
        "TableName": "Items", "KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": s("b")},
        "ExpressionAttributeValues": {":p": s("a")},
    });
    assert_eq!(engine.call("Query", &other).refusal(), "The provided exclusive start key is invalid");
}

#[test]
fn a_query_needs_a_key_condition_and_leads_into_no_key() {
    refused(
        "Query",
        json!({"TableName": "Items"}),
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    );
    let nested = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: \
                  Key: sk";
    refused(
        "Query",
        json!({
            "TableName": "Items", "KeyConditionExpression": "pk = :p", "ProjectionExpression": "sk.a",
            "ExpressionAttributeValues": {":p": s("a")},
        }),
        nested,
    );
    refused("Scan", json!({"TableName": "Items", "FilterExpression": "attribute_exists(sk[1])"}), nested);
}

#[test]
fn segments_come_in_pairs() {
    for (members, text) in [
        (
            json!({"TableName": "Items", "Segment": 0}),
            "The TotalSegments parameter is required but was not present in the request when Segment parameter \
             is present",
        ),
        (
            json!({"TableName": "Items", "TotalSegments": 2}),
            "The Segment parameter is required but was not present in the request when parameter TotalSegments \
             is present",
        ),
        (
            json!({"TableName": "Items", "Segment": 2, "TotalSegments": 2}),
            "The Segment parameter is zero-based and must be less than parameter TotalSegments",
        ),
    ] {
        refused("Scan", members, text);
    }
}
