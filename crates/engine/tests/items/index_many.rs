//! What updates, batches and transactions do to indexes, beyond what the model tries, and what the
//! parameters from before expressions read of them.

use std::sync::Arc;

use keyplan_store::{Batch, MemoryStore, Space, StoreExt};
use serde_json::{Value, json};

use super::harness::{Harness, n, s};
use super::index_writes::{all, create, entries, keys_only};

/// A table with an index of each kind.
fn engine() -> Harness {
    let engine = Harness::new();
    create(&engine, &[("byG", &["g", "+n1"], keys_only())], &[("local", "l", all())]);
    engine
}

fn key(sk: &str) -> Value {
    json!({"pk": s("p"), "sk": s(sk)})
}

fn item(sk: &str, members: Value) -> Value {
    let mut item = key(sk);
    item.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
    item
}

fn update(sk: &str, expression: &str, values: Value) -> Value {
    json!({
        "TableName": "Items", "Key": key(sk), "UpdateExpression": expression,
        "ExpressionAttributeValues": values,
    })
}

const TYPE: &str = "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S \
                    Actual: N IndexName: byG";
const EMPTY_PUT: &str = "One or more parameter values are not valid. A value specified for a secondary index \
                         key is not supported. The AttributeValue for a key attribute cannot contain an empty \
                         string value. IndexName: byG, IndexKey: g";
const EMPTY_UPDATE: &str = "One or more parameter values are not valid. The update expression attempted to \
                            update a secondary index key to a value that is not supported. The AttributeValue \
                            for a key attribute cannot contain an empty string value.";

#[test]
fn an_update_is_checked_for_the_index_keys_that_it_changes() {
    let engine = engine();
    engine.put("Items", &item("1", json!({"g": s("x"), "n1": n(1)})));
    for (value, text) in [
        (n(1), TYPE),
        (s(""), EMPTY_UPDATE),
        (
            s(&"x".repeat(2_049)),
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit \
             of2048 bytes",
        ),
    ] {
        let refused = engine.call("UpdateItem", &update("1", "SET g = :g", json!({":g": value})));
        assert_eq!(refused.refusal(), text);
        // The parameters from before expressions are updates like others.
        let older = json!({
            "TableName": "Items", "Key": key("1"), "AttributeUpdates": {"g": {"Value": value}},
        });
        assert_eq!(engine.call("UpdateItem", &older).refusal(), text);
        // So does an item that the update would make.
        let created = engine.call("UpdateItem", &update("2", "SET g = :g", json!({":g": value})));
        assert_eq!(created.refusal(), text);
    }
    assert_eq!(entries(&engine, "byG"), [item("1", json!({"g": s("x"), "n1": n(1)}))]);
}

#[test]
fn what_was_there_before_the_index_stands_in_no_updates_way() {
    let engine = Harness::new();
    engine.create("Items", "S", Some("S"));
    engine.put("Items", &item("1", json!({"g": n(7)})));
    engine
        .call(
            "UpdateTable",
            &json!({
                "TableName": "Items", "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
                "GlobalSecondaryIndexUpdates": [{"Create": {
                    "IndexName": "byG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }}],
            }),
        )
        .ok();
    engine.call("UpdateItem", &update("1", "SET a = :a", json!({":a": n(1)}))).ok();
    // The same value again is no change.
    engine.call("UpdateItem", &update("1", "SET g = :g", json!({":g": n("7.0")}))).ok();
    assert_eq!(engine.call("UpdateItem", &update("1", "SET g = :g", json!({":g": n(8)}))).refusal(), TYPE);
    assert_eq!(entries(&engine, "byG"), Vec::<Value>::new());
    engine.call("UpdateItem", &update("1", "SET g = :g", json!({":g": s("x")}))).ok();
    assert_eq!(entries(&engine, "byG"), [item("1", json!({"g": s("x"), "a": n(1)}))]);
}

#[test]
fn an_updated_item_shares_its_room_with_its_local_entries() {
    let engine = engine();
    // `pk` 3, `sk` 3, `l` 2 and `text` 4 bytes: the item and its copy have 409,600.
    let text = |length: usize| json!({":t": s(&"x".repeat(length)), ":l": s("x")});
    let set = "SET #t = :t, l = :l";
    let sized = |sk: &str, length: usize| {
        let mut request = update(sk, set, text(length));
        request["ExpressionAttributeNames"] = json!({"#t": "text"});
        engine.call("UpdateItem", &request)
    };
    sized("1", 204_800 - 12).ok();
    let too_large = "Item size to update has exceeded the maximum allowed size";
    assert_eq!(sized("1", 204_800 - 11).refusal(), too_large);
    assert_eq!(sized("2", 204_800 - 11).refusal(), too_large);
}

#[test]
fn a_batch_says_what_is_wrong_with_an_index_key() {
    let engine = engine();
    let batch = |item: Value| {
        let good = json!({"PutRequest": {"Item": key("0")}});
        json!({"RequestItems": {"Items": [good, {"PutRequest": {"Item": item}}]}})
    };
    for (value, text) in [(n(1), TYPE), (s(""), EMPTY_PUT)] {
        let refused = engine.call("BatchWriteItem", &batch(item("1", json!({"g": value}))));
        assert_eq!(refused.refusal(), text);
    }
    let scanned = engine.call("Scan", &json!({"TableName": "Items"})).ok();
    assert_eq!(scanned["Count"], json!(0), "nothing of it is written");
}

#[test]
fn a_transaction_gives_index_keys_as_its_reasons_but_for_empty_ones_of_puts() {
    let engine = engine();
    let check = json!({"ConditionCheck": {
        "TableName": "Items", "Key": key("0"), "ConditionExpression": "attribute_not_exists(pk)",
    }});
    let put = |value: Value| json!({"Put": {"TableName": "Items", "Item": item("1", json!({"g": value}))}});
    let set = |value: Value| json!({"Update": update("1", "SET g = :g", json!({":g": value}))});
    for (action, text) in [(put(n(1)), TYPE), (set(n(1)), TYPE), (set(s("")), EMPTY_UPDATE)] {
        let answer = engine.call("TransactWriteItems", &json!({"TransactItems": [check, action]}));
        assert_eq!(answer.status, 400);
        assert_eq!(
            answer.body["CancellationReasons"],
            json!([{"Code": "None"}, {"Code": "ValidationError", "Message": text}])
        );
    }
    let answer = engine.call("TransactWriteItems", &json!({"TransactItems": [check, put(s(""))]}));
    assert_eq!(answer.refusal(), EMPTY_PUT);
}

#[test]
fn a_batch_tells_its_indexes_and_each_item_collection_once() {
    let engine = engine();
    let full = item("1", json!({"g": s("x"), "n1": n(1), "l": s("y")}));
    let other = json!({"pk": s("q"), "sk": s("1"), "l": s("y")});
    let answer = engine
        .call(
            "BatchWriteItem",
            &json!({
                "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE",
                "RequestItems": {"Items": [
                    {"PutRequest": {"Item": full}}, {"PutRequest": {"Item": other}},
                    {"PutRequest": {"Item": item("2", json!({"l": s("y")}))}},
                    {"DeleteRequest": {"Key": key("3")}},
                ]},
            }),
        )
        .ok();
    let units = |units: f64| json!({"CapacityUnits": units});
    assert_eq!(
        answer,
        json!({
            "UnprocessedItems": {},
            "ItemCollectionMetrics": {"Items": [
                {"ItemCollectionKey": {"pk": s("p")}, "SizeEstimateRangeGB": [0.0, 1.0]},
                {"ItemCollectionKey": {"pk": s("q")}, "SizeEstimateRangeGB": [0.0, 1.0]},
            ]},
            "ConsumedCapacity": [{
                "TableName": "Items", "CapacityUnits": 8.0, "Table": units(4.0),
                "GlobalSecondaryIndexes": {"byG": units(1.0)}, "LocalSecondaryIndexes": {"local": units(3.0)},
            }],
        })
    );
}

#[test]
fn a_transaction_doubles_what_the_table_charges_and_not_its_indexes() {
    let engine = engine();
    engine.put("Items", &item("1", json!({"g": s("x"), "n1": n(1)})));
    let request = json!({
        "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE",
        "TransactItems": [
            // The entry moves: one is removed, one put.
            {"Update": update("1", "SET n1 = :n, l = :l", json!({":n": n(2), ":l": s("y")}))},
            {"ConditionCheck": {
                "TableName": "Items", "Key": {"pk": s("other"), "sk": s("1")},
                "ConditionExpression": "attribute_not_exists(pk)",
            }},
        ],
    });
    let units = |units: f64| json!({"CapacityUnits": units, "WriteCapacityUnits": units});
    let traced = engine.traced("TransactWriteItems", &request);
    assert_eq!(traced.trace()["units"]["write"], json!(7.0), "the trace adds up to the same");
    let answer = traced.ok();
    assert_eq!(
        answer,
        json!({
            "ConsumedCapacity": [{
                "TableName": "Items", "CapacityUnits": 7.0, "WriteCapacityUnits": 7.0, "Table": units(4.0),
                "GlobalSecondaryIndexes": {"byG": units(2.0)}, "LocalSecondaryIndexes": {"local": units(1.0)},
            }],
            // A check changes no item collection.
            "ItemCollectionMetrics": {"Items": [
                {"ItemCollectionKey": {"pk": s("p")}, "SizeEstimateRangeGB": [0.0, 1.0]},
            ]},
        })
    );
    let mut plain = request;
    plain["ReturnItemCollectionMetrics"] = json!("NONE");
    assert_eq!(engine.call("TransactWriteItems", &plain).ok().get("ItemCollectionMetrics"), None);
}

#[test]
fn the_writes_of_one_request_count_together_against_an_item_collections_bound() {
    const BOUND: i64 = 10 << 30;
    let store = Arc::new(MemoryStore::new());
    let mut engine = Harness::on(store.clone(), 0);
    engine.is_damaged = true;
    create(&engine, &[], &[("local", "l", all())]);
    let item = |sk: &str| item(sk, json!({"l": s("x")}));
    engine.put("Items", &item("1"));
    // Room for one more item of 8 bytes and its entry.
    let collections = Space(Space::RESERVED + 2);
    let place = keyplan_value::key::partition_prefix([keyplan_value::ValueRef::string("p")]).expect("a key");
    let grown: Result<Result<_, ()>, _> = store.transact(move |_| {
        let mut batch = Batch::new();
        batch.add(collections, place.clone(), BOUND - 16 - 16);
        Ok((batch, ()))
    });
    grown.expect("the store works").expect("it commits");

    let puts = |sks: [&str; 2]| -> Vec<Value> {
        sks.iter().map(|sk| json!({"PutRequest": {"Item": item(sk)}})).collect()
    };
    let (name, text) =
        engine.call("BatchWriteItem", &json!({"RequestItems": {"Items": puts(["2", "3"])}})).error();
    assert_eq!(
        (name.as_str(), text.as_str()),
        ("ItemCollectionSizeLimitExceededException", "Item collection size limit exceeded.")
    );
    let actions: Vec<Value> =
        ["2", "3"].iter().map(|sk| json!({"Put": {"TableName": "Items", "Item": item(sk)}})).collect();
    let answer = engine.call("TransactWriteItems", &json!({"TransactItems": actions}));
    assert_eq!(
        answer.body["CancellationReasons"],
        json!([
            {"Code": "None"},
            {"Code": "ItemCollectionSizeLimitExceeded", "Message": "Collection size exceeded."},
        ])
    );
    assert_eq!(entries(&engine, "local").len(), 1, "nothing was written");
    // An item that goes makes room for one that comes.
    let mut swap = puts(["2", "3"]);
    swap.insert(0, json!({"DeleteRequest": {"Key": key("1")}}));
    engine.call("BatchWriteItem", &json!({"RequestItems": {"Items": swap}})).ok();
    assert_eq!(entries(&engine, "local").len(), 2);
}

#[test]
fn the_parameters_from_before_expressions_read_indexes_too() {
    let engine = engine();
    for at in 1..=4 {
        let members = json!({"g": s("x"), "n1": n(at), "l": s(&format!("{}", 9 - at)), "a": n(at * 10)});
        engine.put("Items", &item(&at.to_string(), members));
    }
    let equal = |value: Value| json!({"ComparisonOperator": "EQ", "AttributeValueList": [value]});
    let at_least = |value: Value| json!({"ComparisonOperator": "GE", "AttributeValueList": [value]});
    let global = json!({
        "TableName": "Items", "IndexName": "byG", "AttributesToGet": ["sk"],
        "KeyConditions": {"g": equal(s("x")), "n1": at_least(n(3))}, "ScanIndexForward": false,
    });
    let sks = |answer: &Value| -> Vec<Value> {
        answer["Items"].as_array().expect("items").iter().map(|item| item["sk"]["S"].clone()).collect()
    };
    let answer = engine.call("Query", &global).ok();
    assert_eq!(answer["Items"], json!([{"sk": s("4")}, {"sk": s("3")}]));

    let mut missing = global.clone();
    missing["AttributesToGet"] = json!(["a"]);
    assert_eq!(
        engine.call("Query", &missing).refusal(),
        "One or more parameter values were invalid: Global secondary index byG does not project [a]"
    );
    let mut on_key = global;
    on_key["QueryFilter"] = json!({"n1": equal(n(4))});
    assert_eq!(
        engine.call("Query", &on_key).refusal(),
        "QueryFilter can only contain non-primary key attributes: Primary key attribute: n1"
    );

    let local = json!({
        "TableName": "Items", "IndexName": "local",
        "KeyConditions": {"pk": equal(s("p"))}, "QueryFilter": {"a": at_least(n(30))},
    });
    assert_eq!(sks(&engine.call("Query", &local).ok()), [json!("4"), json!("3")], "in the index's order");
    let scan = json!({"TableName": "Items", "IndexName": "byG", "ScanFilter": {"n1": at_least(n(4))}});
    assert_eq!(sks(&engine.call("Scan", &scan).ok()), [json!("4")]);
}
