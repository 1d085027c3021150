//! Vector indexes: filling beside writes, undo, freeing, traces and the bounds of an answer.

use std::sync::Arc;

use keyplan_engine::spaces;
use keyplan_store::MemoryStore;
use serde_json::{Value, json};

use super::freeing::entries;
use super::harness::{Harness, n, s};
use super::transfers::{World, json_import};
use super::vector_model::{
    Change, Item, Items, Search, Step, addition, check_search, check_totals, create, run, vector_value,
};

fn fill(engine: &Harness, items: &mut Items, keys: std::ops::Range<u8>) {
    for key in keys {
        let vector = [key as i8 % 5, key as i8 % 7, 1];
        let item = Item { vector: Some(vector), group: Some(key % 2), kind: None, text: None };
        run(engine, items, &[Step::One(key, Change::Put(item))]);
    }
}

#[test]
fn writes_beside_the_filling_of_an_index_are_in_it_once() {
    let engine = Harness::with_undo(50);
    create(&engine);
    let mut items = Items::new();
    fill(&engine, &mut items, 0..200);
    engine.call("UpdateTable", &addition(3)).ok();
    // A part is filled, so that writes before and behind it follow.
    engine.engine.step(engine.now(), 60).expect("the store works");
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"}));
    assert!(described.ok()["Table"]["VectorIndexes"][3]["ItemCount"].as_u64() > Some(0));
    for key in 0..200 {
        let change = match key % 4 {
            0 => Change::Delete,
            1 => Change::Update(items[&key].clone(), [true; 4]),
            2 => Change::Update(
                Item { vector: Some([9, 9, key as i8 / 2]), group: Some(0), kind: None, text: None },
                [true, true, false, false],
            ),
            _ => continue,
        };
        run(&engine, &mut items, &[Step::One(key, change)]);
    }
    engine.settle();
    check_totals(&engine, &items, 4);
    for group in 0..2 {
        let search = Search { index: 3, vector: [9, 9, 40], group, kind: None, results: 100 };
        check_search(&engine, &items, &search);
    }
}

#[test]
fn an_index_being_filled_is_not_searched_and_holds_its_table() {
    let engine = Harness::new();
    create(&engine);
    let put = |chunk: u32| {
        let item = |at: u32| {
            let key = chunk * 25 + at;
            json!({"PutRequest": {"Item": {"pk": n(key), "group": s("g"), "v": vector_value([1, 2, 3])}}})
        };
        let requests: Vec<Value> = (0..25).map(item).collect();
        engine.call("BatchWriteItem", &json!({"RequestItems": {"Items": requests}})).ok();
    };
    (0..40).for_each(put);
    engine.call("UpdateTable", &addition(3)).ok();
    let search = json!({
        "TableName": "Items", "IndexName": "parted", "SearchVector": [n(1), n(2), n(3)], "TopK": 1,
        "SearchConditionExpression": "#g = :g", "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {":g": s("g")},
    });
    assert_eq!(
        engine.call("SearchVectors", &search).refusal(),
        "Cannot search backfilling vector index: parted"
    );
    let (kind, message) = engine.call("DeleteTable", &json!({"TableName": "Items"})).error();
    assert_eq!(kind, "ResourceInUseException", "{message}");
    let second = json!({"TableName": "Items", "VectorIndexUpdates": [{"Delete": {"IndexName": "near"}}]});
    assert_eq!(engine.call("UpdateTable", &second).error().0, "LimitExceededException");
    engine.settle();
    let found = engine.call("SearchVectors", &search).ok();
    assert_eq!(found["SearchResults"][0]["Score"], json!(0.0));
}

#[test]
fn taking_back_a_vector_index_and_its_end_leaves_it_as_it_was() {
    let engine = Harness::with_undo(50);
    create(&engine);
    let mut items = Items::new();
    fill(&engine, &mut items, 0..20);
    let undo = || engine.engine.undo(engine.now()).expect("the store works").map(|undone| undone.operation);
    engine.call("UpdateTable", &addition(3)).ok();
    engine.settle();
    check_totals(&engine, &items, 4);
    engine
        .call(
            "UpdateTable",
            &json!({"TableName": "Items", "VectorIndexUpdates": [{"Delete": {"IndexName": "near"}}]}),
        )
        .ok();
    assert_eq!(undo(), Some("UpdateTable"), "the index is back, with its entries");
    check_totals(&engine, &items, 4);
    let search = Search { index: 0, vector: [1, 1, 1], group: 0, kind: None, results: 20 };
    check_search(&engine, &items, &search);
    assert_eq!(undo(), Some("UpdateTable"), "the added index is gone");
    engine.settle();
    check_totals(&engine, &items, 3);
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    assert_eq!(described["Table"]["VectorIndexes"].as_array().map(Vec::len), Some(3));
    let gone = json!({
        "TableName": "Items", "IndexName": "parted", "SearchVector": [n(1), n(2), n(3)], "TopK": 1,
    });
    assert_eq!(
        engine.call("SearchVectors", &gone).refusal(),
        "The table does not have the specified index: parted"
    );
}

#[test]
fn a_deleted_table_leaves_nothing_of_its_vector_indexes() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    create(&engine);
    fill(&engine, &mut Items::new(), 0..30);
    assert!(entries(&store, spaces::COUNTERS) > 0);
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.settle();
    for space in [spaces::COUNTERS, spaces::JOBS, spaces::CATALOG] {
        assert_eq!(entries(&store, space), 0, "{space:?}");
    }
}

#[test]
fn expired_items_leave_the_index_and_streams_record_them_as_ever() {
    let engine = Harness::new();
    create(&engine);
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
    engine.call("UpdateTable", &json!({"TableName": "Items", "StreamSpecification": stream})).ok();
    let specification = json!({"AttributeName": "until", "Enabled": true});
    engine
        .call("UpdateTimeToLive", &json!({"TableName": "Items", "TimeToLiveSpecification": specification}))
        .ok();
    let item = json!({"pk": n(1), "v": vector_value([1, 0, 0]), "until": n(1_700_000_100)});
    engine.put("Items", &item);
    let search =
        json!({"TableName": "Items", "IndexName": "near", "SearchVector": [n(1), n(0), n(0)], "TopK": 5});
    let found = || engine.call("SearchVectors", &search).ok()["SearchResults"].as_array().map(Vec::len);
    assert_eq!(found(), Some(1));
    engine.advance(200_000);
    engine.settle();
    assert_eq!(found(), Some(0));
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    let arn = described["Table"]["LatestStreamArn"].clone();
    let shards = engine.call("DescribeStream", &json!({"StreamArn": arn})).ok();
    let shard = shards["StreamDescription"]["Shards"][0]["ShardId"].clone();
    let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = engine.call("GetShardIterator", &from).ok()["ShardIterator"].clone();
    let records = engine.call("GetRecords", &json!({"ShardIterator": iterator})).ok();
    assert_eq!(records["Records"].as_array().map(Vec::len), Some(2));
    assert_eq!(records["Records"][0]["dynamodb"]["NewImage"], item);
}

#[test]
fn a_trace_says_what_was_compared_found_and_charged() {
    let engine = Harness::new();
    create(&engine);
    fill(&engine, &mut Items::new(), 0..10);
    let request = json!({
        "TableName": "Items", "IndexName": "angle", "SearchVector": [n(1), n(1), n(1)], "TopK": 2,
        "SearchConditionExpression": "#g = :g", "ExpressionAttributeNames": {"#g": "group"},
        "ExpressionAttributeValues": {":g": s("g1")}, "ReturnConsumedCapacity": "TOTAL",
    });
    let answer = engine.traced("SearchVectors", &request);
    let trace = answer.trace();
    let access = &trace["accesses"][0];
    assert_eq!(access["index"], "angle");
    assert_eq!(access["kind"], "read");
    assert_eq!(access["examined"], json!({"items": 5, "bytes": 60}));
    assert_eq!(access["returned"]["items"], json!(2));
    assert_eq!(access["requestBytes"], json!(1024));
    assert_eq!(access["units"], json!({"read": 0.0, "write": 0.0}));
    let partitions = access["partitions"].as_array().expect("partitions");
    assert_eq!(partitions.len(), 1, "one HASH value is one partition");
    assert_eq!(partitions[0]["partitionKey"], json!({"group": s("g1")}));
    assert_eq!(partitions[0]["runs"][0]["items"], json!(5));
    assert_eq!(partitions[0]["returned"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer.ok()["ConsumedCapacity"], json!({"VectorSearchRequestBytes": 1024.0}));

    let item = json!({"pk": n(50), "group": s("g1"), "v": vector_value([1, 1, 1])});
    let put = engine.traced("PutItem", &json!({"TableName": "Items", "Item": item}));
    let trace = put.trace();
    let accesses = trace["accesses"].as_array().expect("accesses");
    let indexes: Vec<&Value> = accesses.iter().map(|access| &access["index"]).collect();
    assert_eq!(indexes, [&Value::Null, &json!("near"), &json!("angle"), &json!("product")]);
    assert_eq!(accesses[2]["before"], json!(0));
    assert_eq!(accesses[2]["after"], json!(12 + 1 + 4 + 7));
    assert_eq!(accesses[2]["requestBytes"], json!(1024));
}

#[test]
fn an_answer_has_no_more_than_its_bytes_and_the_nearest_stay() {
    let engine = Harness::new();
    create(&engine);
    for key in 0..50_u8 {
        let text = "x".repeat(399_000);
        let item = json!({"pk": n(key), "v": vector_value([key as i8, 0, 0]), "text": s(&text)});
        engine.put("Items", &item);
    }
    let request =
        json!({"TableName": "Items", "IndexName": "near", "SearchVector": [n(0), n(0), n(0)], "TopK": 50});
    let found = engine.call("SearchVectors", &request).ok();
    let scores: Vec<f64> = found["SearchResults"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|result| result["Score"].as_f64())
        .collect();
    assert_eq!(scores, (0..42).map(f64::from).collect::<Vec<_>>(), "16 MB hold 42 of them");
}

/// The nearest in the index `near` of a table.
fn nearest(engine: &Harness, table: &str) -> Value {
    let search = json!({
        "TableName": table, "IndexName": "near", "SearchVector": [n(1), n(2), n(1)], "TopK": 20,
    });
    engine.call("SearchVectors", &search).ok()["SearchResults"].clone()
}

fn index_names(described: &Value) -> Vec<&str> {
    let indexes = described["VectorIndexes"].as_array().map(Vec::as_slice).unwrap_or_default();
    indexes.iter().filter_map(|index| index["IndexName"].as_str()).collect()
}

#[test]
fn a_restored_table_has_the_vector_indexes_of_its_source_or_those_that_are_listed() {
    let engine = Harness::new();
    create(&engine);
    let mut items = Items::new();
    fill(&engine, &mut items, 0..60);
    engine.call("UpdateTable", &addition(3)).ok();
    engine.settle();
    let before = nearest(&engine, "Items");
    assert_eq!(before.as_array().map(Vec::len), Some(20));
    let made = engine.call("CreateBackup", &json!({"TableName": "Items", "BackupName": "nightly"})).ok();
    engine.settle();
    let restore = |target: &str, rest: Value| {
        let mut request = rest;
        request["TargetTableName"] = json!(target);
        request["BackupArn"] = made["BackupDetails"]["BackupArn"].clone();
        engine.call("RestoreTableFromBackup", &request)
    };
    let restored = restore("All", json!({})).ok()["TableDescription"].clone();
    assert_eq!(index_names(&restored), ["near", "angle", "product", "parted"]);
    assert_eq!(restored["VectorIndexes"][0]["IndexStatus"], "CREATING");
    engine.settle();
    let described =
        |table: &str| engine.call("DescribeTable", &json!({"TableName": table})).ok()["Table"].clone();
    let (source, all) = (described("Items"), described("All"));
    for at in 0..4 {
        for same in ["IndexName", "IndexStatus", "ItemCount", "IndexSizeBytes", "SearchSchema", "Projection"]
        {
            assert_eq!(all["VectorIndexes"][at][same], source["VectorIndexes"][at][same], "{at} {same}");
        }
    }
    assert_eq!(nearest(&engine, "All"), before);

    let mut kept = addition(0)["VectorIndexUpdates"][0]["Create"].clone();
    restore("Some", json!({"VectorIndexOverride": [kept]})).ok();
    engine.settle();
    let some = described("Some");
    assert_eq!(index_names(&some), ["near"]);
    assert_eq!(
        some["AttributeDefinitions"].as_array().map(Vec::len),
        Some(1),
        "none is left that none needs"
    );
    assert_eq!(nearest(&engine, "Some"), before);
    restore("None", json!({"VectorIndexOverride": []})).ok();
    engine.settle();
    assert!(index_names(&described("None")).is_empty());

    let twice = restore("Other", json!({"VectorIndexOverride": [kept, kept]})).refusal();
    assert!(twice.contains("Duplicate index name: near"), "{twice}");
    kept["Dimensions"] = json!(4);
    let other = restore("Other", json!({"VectorIndexOverride": [kept]})).refusal();
    assert!(other.contains("near"), "{other}");
    let units = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let provisioned = json!({"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": units});
    assert_eq!(
        restore("Other", provisioned).refusal(),
        "One or more parameter values were invalid: Vector indexes are only supported for PAY_PER_REQUEST tables"
    );
}

#[test]
fn an_imported_table_has_its_vector_indexes() {
    let world = World::new();
    let line = |key: &str, vector: Value| format!("{}\n", json!({"Item": {"pk": s(key), "v": vector}}));
    let vector = |of: [i32; 2]| json!({"L": of.map(n)});
    let text = [line("a", vector([1, 2])), line("b", vector([5, 5])), line("c", s("no vector"))].concat();
    world.object("1.json", text.as_bytes());
    let mut request = json_import("Shop");
    request["TableCreationParameters"]["VectorIndexes"] = json!([{
        "IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2,
        "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"},
    }]);
    let arn = world.import(request);
    world.engine.settle();
    let found = world.imported(&arn);
    assert_eq!([&found["ErrorCount"], &found["ImportedItemCount"]], [1, 2], "{found}");
    let search = json!({"TableName": "Shop", "IndexName": "near", "SearchVector": [n(4), n(4)], "TopK": 5});
    let results = world.engine.call("SearchVectors", &search).ok()["SearchResults"].clone();
    let keys: Vec<&Value> =
        results.as_array().expect("results").iter().map(|result| &result["Item"]["pk"]).collect();
    assert_eq!(keys, [&s("b"), &s("a")]);
}
