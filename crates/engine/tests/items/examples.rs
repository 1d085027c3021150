//! Worked examples with their exact answers, in the order in which a reader would try them.

use super::harness::Harness;

#[test]
fn works_on_counters_by_their_keys() {
    let engine = Harness::new();
    engine
        .call(
            "CreateTable",
            &serde_json::json!({
                "TableName": "Counters", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            }),
        )
        .ok();
    engine.script(COUNTERS);
}

const COUNTERS: &str = r##"
> GetItem {"TableName":"Nope","Key":{"id":{"S":"a"}}}
< 400 {"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}

> PutItem {"TableName":"Counters","Item":{"id":{"S":"a"},"n":{"N":"5"}}}
< 200 {}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"Item":{"id":{"S":"a"},"n":{"N":"5"}},"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":0.5}}

> GetItem {"TableName":"Counters","Key":{"id":{"S":"zz"}},"ConsistentRead":true,"ReturnConsumedCapacity":"INDEXES"}
< 200 {"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}}}

> PutItem {"TableName":"Counters","Item":{"id":{"S":"big"},"v":{"S":"x*1018"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":1.0}}
> PutItem {"TableName":"Counters","Item":{"id":{"S":"big"},"v":{"S":"x*1019"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":2.0}}
> PutItem {"TableName":"Counters","Item":{"id":{"S":"big"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":2.0}}

> PutItem {"TableName":"Counters","Item":{"id":{"S":"big"},"v":{"S":"x*4091"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":5.0}}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"big"}},"ConsistentRead":true,"ProjectionExpression":"id","ReturnConsumedCapacity":"TOTAL"}
< 200 {"Item":{"id":{"S":"big"}},"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":2.0}}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"big"}},"ProjectionExpression":"id","ReturnConsumedCapacity":"TOTAL"}
< 200 {"Item":{"id":{"S":"big"}},"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":1.0}}

> PutItem {"TableName":"Counters","Item":{"id":{"S":"b"},"n":{"N":"1"}},"ReturnValues":"ALL_OLD"}
< 200 {}
> PutItem {"TableName":"Counters","Item":{"id":{"S":"b"},"n":{"N":"2"}},"ReturnValues":"ALL_OLD"}
< 200 {"Attributes":{"id":{"S":"b"},"n":{"N":"1"}}}

> PutItem {"TableName":"Counters","Item":{"id":{"S":"b"}},"ConditionExpression":"attribute_not_exists(id)"}
< 400 {"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}
> PutItem {"TableName":"Counters","Item":{"id":{"S":"b"}},"ConditionExpression":"attribute_not_exists(id)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}
< 400 {"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed","Item":{"id":{"S":"b"},"n":{"N":"2"}}}

> PutItem {"TableName":"Counters","Item":{"id":{"S":"n"},"a":{"N":"+1.50"},"b":{"N":"1E+3"},"c":{"N":"-0"},"d":{"NS":["10","9.0"]},"e":{"SS":["b","a"]}}}
< 200 {}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"n"}}}
< 200 {"Item":{"id":{"S":"n"},"a":{"N":"1.5"},"b":{"N":"1000"},"c":{"N":"0"},"d":{"NS":["9","10"]},"e":{"SS":["a","b"]}}}

> PutItem {"TableName":"Counters","Item":{"id":{"S":"doc"},"m":{"M":{"x":{"N":"1"},"y":{"N":"2"}}},"l":{"L":[{"S":"p"},{"S":"q"},{"S":"r"}]}}}
< 200 {}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"ProjectionExpression":"m.x, l[2], l[0], nope"}
< 200 {"Item":{"m":{"M":{"x":{"N":"1"}}},"l":{"L":[{"S":"p"},{"S":"r"}]}}}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"ProjectionExpression":"nope"}
< 200 {"Item":{}}

> GetItem {"TableName":"Counters","Key":{"id":{"N":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"The provided key element does not match the schema"}
> PutItem {"TableName":"Counters","Item":{"x":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Missing the key id in the item"}
> PutItem {"TableName":"Counters","Item":{"id":{"N":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Type mismatch for key id expected: S actual: N"}
> PutItem {"TableName":"Counters","Item":{"id":{"S":""}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: id"}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET a = :a ADD n :one","ExpressionAttributeValues":{":a":{"S":"x"},":one":{"N":"1"}},"ReturnValues":"ALL_NEW"}
< 200 {"Attributes":{"id":{"S":"u"},"a":{"S":"x"},"n":{"N":"1"}}}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET n = :ten, b = n, c = if_not_exists(zz, :z) REMOVE a","ExpressionAttributeValues":{":ten":{"N":"10"},":z":{"S":"dflt"}},"ReturnValues":"ALL_NEW"}
< 200 {"Attributes":{"id":{"S":"u"},"n":{"N":"10"},"b":{"N":"1"},"c":{"S":"dflt"}}}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"UpdateExpression":"SET m.x = :v","ExpressionAttributeValues":{":v":{"N":"7"}},"ReturnValues":"UPDATED_NEW"}
< 200 {"Attributes":{"m":{"M":{"x":{"N":"7"}}}}}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"UpdateExpression":"SET m.x = :v, m.z = :v","ExpressionAttributeValues":{":v":{"N":"8"}},"ReturnValues":"UPDATED_OLD"}
< 200 {"Attributes":{"m":{"M":{"x":{"N":"7"}}}}}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"UpdateExpression":"REMOVE m.z","ReturnValues":"UPDATED_NEW"}
< 200 {}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"UpdateExpression":"SET l[1] = :v","ExpressionAttributeValues":{":v":{"S":"Q"}},"ReturnValues":"UPDATED_NEW"}
< 200 {"Attributes":{"l":{"L":[{"S":"Q"}]}}}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"UpdateExpression":"SET l[9] = :v","ExpressionAttributeValues":{":v":{"S":"s"}},"ReturnValues":"UPDATED_NEW"}
< 200 {}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"ProjectionExpression":"l"}
< 200 {"Item":{"l":{"L":[{"S":"p"},{"S":"Q"},{"S":"r"},{"S":"s"}]}}}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"UpdateExpression":"REMOVE l[0], l[2]"}
< 200 {}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"doc"}},"UpdateExpression":"SET l = list_append(:h, l)","ExpressionAttributeValues":{":h":{"L":[{"S":"head"}]}},"ReturnValues":"UPDATED_NEW"}
< 200 {"Attributes":{"l":{"L":[{"S":"head"},{"S":"Q"},{"S":"s"}]}}}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"s"}},"UpdateExpression":"ADD t :t","ExpressionAttributeValues":{":t":{"SS":["b","a"]}},"ReturnValues":"ALL_NEW"}
< 200 {"Attributes":{"id":{"S":"s"},"t":{"SS":["a","b"]}}}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"s"}},"UpdateExpression":"DELETE t :t","ExpressionAttributeValues":{":t":{"SS":["a","b","zz"]}},"ReturnValues":"ALL_NEW"}
< 200 {"Attributes":{"id":{"S":"s"}}}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"ghost"}},"UpdateExpression":"REMOVE a","ReturnValues":"ALL_NEW"}
< 200 {}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"ghost"}}}
< 200 {}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"bare"}}}
< 200 {}
> GetItem {"TableName":"Counters","Key":{"id":{"S":"bare"}}}
< 200 {"Item":{"id":{"S":"bare"}}}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET q.r = :v","ExpressionAttributeValues":{":v":{"N":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"The document path provided in the update expression is invalid for update"}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET n = zz + :v","ExpressionAttributeValues":{":v":{"N":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"The provided expression refers to an attribute that does not exist in the item"}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"ADD c :v","ExpressionAttributeValues":{":v":{"N":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"An operand in the update expression has an incorrect data type"}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET id = :v","ExpressionAttributeValues":{":v":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Cannot update attribute id. This attribute is part of the key"}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET m = :v, m.x = :v","ExpressionAttributeValues":{":v":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [m], path two: [m, x]"}

> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET Name = :v","ExpressionAttributeValues":{":v":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: Name"}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET a = :v","ExpressionAttributeValues":{":v":{"S":"1"},":w":{"S":"2"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"}
> UpdateItem {"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":""}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Invalid UpdateExpression: The expression can not be empty;"}
> Scan {"TableName":"Counters","FilterExpression":"a ="}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Invalid FilterExpression: Syntax error; token: \"<EOF>\", near: \"=\""}

> DeleteItem {"TableName":"Counters","Key":{"id":{"S":"b"}},"ReturnValues":"ALL_OLD"}
< 200 {"Attributes":{"id":{"S":"b"},"n":{"N":"2"}}}
> DeleteItem {"TableName":"Counters","Key":{"id":{"S":"b"}},"ReturnValues":"ALL_OLD","ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Counters","CapacityUnits":1.0}}

> BatchGetItem {"RequestItems":{"Counters":{"Keys":[{"id":{"S":"a"}},{"id":{"S":"no1"}}]}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"Responses":{"Counters":[{"id":{"S":"a"},"n":{"N":"5"}}]},"UnprocessedKeys":{},"ConsumedCapacity":[{"TableName":"Counters","CapacityUnits":1.0}]}
> BatchGetItem {"RequestItems":{"Counters":{"Keys":[{"id":{"S":"no1"}}]}}}
< 200 {"Responses":{"Counters":[]},"UnprocessedKeys":{}}
> BatchGetItem {"RequestItems":{"Counters":{"Keys":[{"id":{"S":"a"}},{"id":{"S":"a"}}]}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Provided list of item keys contains duplicates"}

> TransactWriteItems {"ClientRequestToken":"t-1","ReturnConsumedCapacity":"TOTAL","TransactItems":[{"Put":{"TableName":"Counters","Item":{"id":{"S":"t1"}}}},{"ConditionCheck":{"TableName":"Counters","Key":{"id":{"S":"a"}},"ConditionExpression":"attribute_exists(id)"}}]}
< 200 {"ConsumedCapacity":[{"TableName":"Counters","CapacityUnits":4.0,"WriteCapacityUnits":4.0}]}
> TransactWriteItems {"ClientRequestToken":"t-1","ReturnConsumedCapacity":"TOTAL","TransactItems":[{"Put":{"TableName":"Counters","Item":{"id":{"S":"t1"}}}},{"ConditionCheck":{"TableName":"Counters","Key":{"id":{"S":"a"}},"ConditionExpression":"attribute_exists(id)"}}]}
< 200 {"ConsumedCapacity":[{"TableName":"Counters","CapacityUnits":4.0,"ReadCapacityUnits":4.0}]}

> TransactWriteItems {"TransactItems":[{"Put":{"TableName":"Counters","Item":{"id":{"S":"a"}},"ConditionExpression":"attribute_not_exists(id)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},{"Put":{"TableName":"Counters","Item":{"id":{"S":"t2"}}}},{"Update":{"TableName":"Counters","Key":{"id":{"S":"u"}},"UpdateExpression":"SET q = zz","ConditionExpression":"attribute_exists(id)"}}]}
< 400 {"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"ConditionalCheckFailed","Item":{"id":{"S":"a"},"n":{"N":"5"}},"Message":"The conditional request failed"},{"Code":"None"},{"Code":"ValidationError","Message":"The provided expression refers to an attribute that does not exist in the item"}],"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None, ValidationError]"}
> TransactWriteItems {"TransactItems":[{"Delete":{"TableName":"Counters","Key":{"id":{"S":"a"}}}},{"Put":{"TableName":"Counters","Item":{"id":{"S":"a"}}}}]}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Transaction request cannot include multiple operations on one item"}

> TransactGetItems {"ReturnConsumedCapacity":"INDEXES","TransactItems":[{"Get":{"TableName":"Counters","Key":{"id":{"S":"a"}}}},{"Get":{"TableName":"Counters","Key":{"id":{"S":"t2"}}}},{"Get":{"TableName":"Counters","Key":{"id":{"S":"t1"}},"ProjectionExpression":"nope"}}]}
< 200 {"Responses":[{"Item":{"id":{"S":"a"},"n":{"N":"5"}}},{},{}],"ConsumedCapacity":[{"TableName":"Counters","CapacityUnits":6.0,"ReadCapacityUnits":6.0,"Table":{"CapacityUnits":6.0,"ReadCapacityUnits":6.0}}]}
"##;

#[test]
fn queries_and_scans_a_table_of_orders() {
    let engine = Harness::new();
    engine.call("CreateTable", &serde_json::json!({
        "TableName": "Orders", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "cust", "AttributeType": "S"}, {"AttributeName": "ord", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "cust", "KeyType": "HASH"}, {"AttributeName": "ord", "KeyType": "RANGE"},
        ],
    })).ok();
    engine.script(ORDERS);
    let scanned = engine.call("Scan", &serde_json::json!({
        "TableName": "Orders", "FilterExpression": "attribute_exists(note)", "ProjectionExpression": "ord",
        "ConsistentRead": true, "ReturnConsumedCapacity": "TOTAL",
    }));
    let mut scanned = scanned.ok();
    // Which partition comes first isn't defined.
    scanned["Items"].as_array_mut().expect("items").sort_by_key(ToString::to_string);
    assert_eq!(
        scanned,
        serde_json::json!({
            "Items": [{"ord": {"S": "2024-001"}}, {"ord": {"S": "2025-001"}}], "Count": 2, "ScannedCount": 4,
            "ConsumedCapacity": {"TableName": "Orders", "CapacityUnits": 1.0},
        })
    );
}

const ORDERS: &str = r#"
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2024-001"},"amt":{"N":"12"},"note":{"S":"first"}}}
< 200 {}
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2024-002"},"amt":{"N":"25"}}}
< 200 {}
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2025-001"},"amt":{"N":"7.5"},"note":{"S":"third"}}}
< 200 {}
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c2"},"ord":{"S":"2025-009"},"amt":{"N":"3"}}}
< 200 {}

> Query {"TableName":"Orders","KeyConditionExpression":"cust = :c","ExpressionAttributeValues":{":c":{"S":"c1"}},"ProjectionExpression":"ord, amt","ReturnConsumedCapacity":"TOTAL"}
< 200 {"Items":[{"ord":{"S":"2024-001"},"amt":{"N":"12"}},{"ord":{"S":"2024-002"},"amt":{"N":"25"}},{"ord":{"S":"2025-001"},"amt":{"N":"7.5"}}],"Count":3,"ScannedCount":3,"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":0.5}}

> Query {"TableName":"Orders","KeyConditionExpression":"cust = :c AND begins_with(ord, :y)","ExpressionAttributeValues":{":c":{"S":"c1"},":y":{"S":"2024"}},"ScanIndexForward":false,"Limit":1,"ProjectionExpression":"ord"}
< 200 {"Items":[{"ord":{"S":"2024-002"}}],"Count":1,"ScannedCount":1,"LastEvaluatedKey":{"cust":{"S":"c1"},"ord":{"S":"2024-002"}}}
> Query {"TableName":"Orders","KeyConditionExpression":"cust = :c AND begins_with(ord, :y)","ExpressionAttributeValues":{":c":{"S":"c1"},":y":{"S":"2024"}},"ScanIndexForward":false,"ExclusiveStartKey":{"cust":{"S":"c1"},"ord":{"S":"2024-002"}},"ProjectionExpression":"ord"}
< 200 {"Items":[{"ord":{"S":"2024-001"}}],"Count":1,"ScannedCount":1}

> Query {"TableName":"Orders","KeyConditionExpression":"cust = :c","FilterExpression":"amt > :a","ExpressionAttributeValues":{":c":{"S":"c1"},":a":{"N":"20"}},"Select":"COUNT","ReturnConsumedCapacity":"TOTAL"}
< 200 {"Count":1,"ScannedCount":3,"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":0.5}}

> Query {"TableName":"Orders","IndexName":"zzz","KeyConditionExpression":"st = :s","ExpressionAttributeValues":{":s":{"S":"open"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"The table does not have the specified index: zzz"}

> Query {"TableName":"Orders","KeyConditionExpression":"ord = :o","ExpressionAttributeValues":{":o":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Query condition missed key schema element: cust"}
> Query {"TableName":"Orders","KeyConditionExpression":"cust > :c","ExpressionAttributeValues":{":c":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Query key condition not supported"}
> Query {"TableName":"Orders","KeyConditionExpression":"cust = :c","FilterExpression":"ord = :c","ExpressionAttributeValues":{":c":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Filter Expression can only contain non-primary key attributes: Primary key attribute: ord"}
> Query {"TableName":"Orders","KeyConditionExpression":"cust = :c","ExpressionAttributeValues":{":c":{"S":"c1"}},"ExclusiveStartKey":{"cust":{"S":"c2"},"ord":{"S":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"The provided starting key is outside query boundaries based on provided conditions"}

> Scan {"TableName":"Orders","Segment":4,"TotalSegments":4}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"The Segment parameter is zero-based and must be less than parameter TotalSegments"}
"#;
