//! Worked examples with a global and a local secondary index, with their exact answers.

use serde_json::json;

use super::harness::Harness;

/// A table of orders with a global secondary index by state and amount and a local one by date.
pub fn orders() -> Harness {
    let engine = Harness::new();
    engine.call("CreateTable", &json!({
        "TableName": "Orders", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "cust", "AttributeType": "S"}, {"AttributeName": "ord", "AttributeType": "S"},
            {"AttributeName": "st", "AttributeType": "S"}, {"AttributeName": "amt", "AttributeType": "N"},
            {"AttributeName": "dt", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "cust", "KeyType": "HASH"}, {"AttributeName": "ord", "KeyType": "RANGE"},
        ],
        "GlobalSecondaryIndexes": [{
            "IndexName": "bySt", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "st", "KeyType": "HASH"}, {"AttributeName": "amt", "KeyType": "RANGE"}],
        }],
        "LocalSecondaryIndexes": [{
            "IndexName": "byDt", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "cust", "KeyType": "HASH"}, {"AttributeName": "dt", "KeyType": "RANGE"}],
        }],
    })).ok();
    engine
}

#[test]
fn orders_are_written_and_read_by_their_indexes() {
    let engine = orders();
    engine.script(ORDERS);
}

const ORDERS: &str = r#"
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2024-001"},"st":{"S":"open"},"amt":{"N":"10"},"dt":{"S":"2024-01-05"}},"ReturnConsumedCapacity":"INDEXES"}
< 200 {"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":3.0,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"bySt":{"CapacityUnits":1.0}},"LocalSecondaryIndexes":{"byDt":{"CapacityUnits":1.0}}}}

> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2024-001"},"st":{"S":"open"},"amt":{"N":"12"},"dt":{"S":"2024-01-05"}},"ReturnConsumedCapacity":"INDEXES"}
< 200 {"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":3.0,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"bySt":{"CapacityUnits":2.0}}}}
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2024-001"},"st":{"S":"open"},"amt":{"N":"12"},"dt":{"S":"2024-01-05"},"note":{"S":"first"}},"ReturnConsumedCapacity":"INDEXES"}
< 200 {"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}}}

> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c9"},"ord":{"S":"1"},"st":{"N":"1"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Type mismatch for Index Key st Expected: S Actual: N IndexName: bySt"}
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c9"},"ord":{"S":"1"},"dt":{"S":""}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: byDt, IndexKey: dt"}

> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2024-002"},"st":{"S":"paid"},"amt":{"N":"25"},"dt":{"S":"2024-01-02"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":3.0}}
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c1"},"ord":{"S":"2025-001"},"st":{"S":"open"},"amt":{"N":"7.5"},"dt":{"S":"2025-03-01"},"note":{"S":"third"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":3.0}}
> PutItem {"TableName":"Orders","Item":{"cust":{"S":"c2"},"ord":{"S":"2025-009"},"amt":{"N":"3"}},"ReturnConsumedCapacity":"TOTAL"}
< 200 {"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":1.0}}

> Query {"TableName":"Orders","IndexName":"bySt","KeyConditionExpression":"st = :s","ExpressionAttributeValues":{":s":{"S":"open"}},"ReturnConsumedCapacity":"INDEXES"}
< 200 {"Items":[{"st":{"S":"open"},"amt":{"N":"7.5"},"cust":{"S":"c1"},"ord":{"S":"2025-001"}},{"st":{"S":"open"},"amt":{"N":"12"},"cust":{"S":"c1"},"ord":{"S":"2024-001"}}],"Count":2,"ScannedCount":2,"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":0.5,"Table":{"CapacityUnits":0.0},"GlobalSecondaryIndexes":{"bySt":{"CapacityUnits":0.5}}}}
> Query {"TableName":"Orders","IndexName":"bySt","KeyConditionExpression":"st = :s","ExpressionAttributeValues":{":s":{"S":"open"}},"Limit":1,"Select":"COUNT"}
< 200 {"Count":1,"ScannedCount":1,"LastEvaluatedKey":{"st":{"S":"open"},"amt":{"N":"7.5"},"cust":{"S":"c1"},"ord":{"S":"2025-001"}}}

> Query {"TableName":"Orders","IndexName":"byDt","KeyConditionExpression":"cust = :c","ExpressionAttributeValues":{":c":{"S":"c1"}},"ProjectionExpression":"ord, note","ReturnConsumedCapacity":"INDEXES"}
< 200 {"Items":[{"ord":{"S":"2024-002"}},{"ord":{"S":"2024-001"},"note":{"S":"first"}},{"ord":{"S":"2025-001"},"note":{"S":"third"}}],"Count":3,"ScannedCount":3,"ConsumedCapacity":{"TableName":"Orders","CapacityUnits":2.0,"Table":{"CapacityUnits":1.5},"LocalSecondaryIndexes":{"byDt":{"CapacityUnits":0.5}}}}

> Query {"TableName":"Orders","IndexName":"bySt","KeyConditionExpression":"st = :s","ExpressionAttributeValues":{":s":{"S":"open"}},"ConsistentRead":true}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Consistent reads are not supported on global secondary indexes"}
> Query {"TableName":"Orders","IndexName":"bySt","KeyConditionExpression":"st = :s","ExpressionAttributeValues":{":s":{"S":"open"}},"ProjectionExpression":"note"}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Global secondary index bySt does not project [note]"}
> Query {"TableName":"Orders","IndexName":"bySt","KeyConditionExpression":"st = :s","ExpressionAttributeValues":{":s":{"S":"open"}},"Select":"ALL_ATTRIBUTES"}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index bySt because its projection type is not ALL"}
> Query {"TableName":"Orders","IndexName":"zzz","KeyConditionExpression":"st = :s","ExpressionAttributeValues":{":s":{"S":"open"}}}
< 400 {"__type":"com.amazon.coral.validate#ValidationException","message":"The table does not have the specified index: zzz"}
"#;
