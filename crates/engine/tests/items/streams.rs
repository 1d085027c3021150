//! Streams: what is recorded, and for how long it can be read.

use std::sync::Arc;

use keyplan_engine::spaces;
use keyplan_store::{Bounds, Direction, MemoryStore, Space, StoreExt, Visit};
use serde_json::{Value, json};

use super::harness::{Harness, n, s};

pub const HOUR: u64 = 3_600_000;

/// Makes the table Items with a stream; gives the stream's ARN.
#[track_caller]
pub fn create(engine: &Harness) -> String {
    engine.create("Items", "S", None);
    enable(engine)
}

#[track_caller]
fn enable(engine: &Harness) -> String {
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    let changed =
        engine.call("UpdateTable", &json!({"TableName": "Items", "StreamSpecification": stream})).ok();
    changed["TableDescription"]["LatestStreamArn"].as_str().expect("an ARN").to_owned()
}

#[track_caller]
fn disable(engine: &Harness) {
    let stream = json!({"StreamEnabled": false});
    engine.call("UpdateTable", &json!({"TableName": "Items", "StreamSpecification": stream})).ok();
}

#[track_caller]
fn shards(engine: &Harness, stream: &str) -> Vec<Value> {
    let described = engine.call("DescribeStream", &json!({"StreamArn": stream})).ok();
    described["StreamDescription"]["Shards"].as_array().expect("shards").clone()
}

#[track_caller]
fn iterator(engine: &Harness, stream: &str, shard: &Value, kind: &str, number: Option<&Value>) -> Value {
    let mut request = json!({
        "StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": kind,
    });
    if let Some(number) = number {
        request["SequenceNumber"] = number.clone();
    }
    engine.call("GetShardIterator", &request).ok()["ShardIterator"].clone()
}

/// The records from an iterator on, and whether its shard goes on.
#[track_caller]
fn read(engine: &Harness, mut iterator: Value, limit: usize) -> (Vec<Value>, bool) {
    let mut records = Vec::new();
    loop {
        let page = engine.call("GetRecords", &json!({"ShardIterator": iterator, "Limit": limit})).ok();
        let found = page["Records"].as_array().expect("records");
        records.extend(found.iter().cloned());
        match page.get("NextShardIterator") {
            None => return (records, false),
            Some(_) if found.is_empty() => return (records, true),
            Some(next) => iterator = next.clone(),
        }
    }
}

/// All records of a stream that can be read, oldest first.
#[track_caller]
pub fn records(engine: &Harness, stream: &str, limit: usize) -> Vec<Value> {
    let mut records = Vec::new();
    for shard in shards(engine, stream) {
        let (found, is_open) = read(engine, iterator(engine, stream, &shard, "TRIM_HORIZON", None), limit);
        records.extend(found);
        let is_closed = shard["SequenceNumberRange"].get("EndingSequenceNumber").is_some();
        assert_eq!(is_open, !is_closed, "a closed shard has an end, an open one none: {shard}");
    }
    records
}

/// `INSERT a`, for each record.
fn events(records: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let event = |record: &Value| {
        format!("{} {}", text(&record["eventName"]), text(&record["dynamodb"]["Keys"]["pk"]["S"]))
    };
    records.iter().map(event).collect()
}

fn put(engine: &Harness, pk: &str) {
    engine.put("Items", &json!({"pk": s(pk)}));
}

#[test]
fn what_is_refused_is_not_recorded() {
    let engine = Harness::new();
    let stream = create(&engine);
    put(&engine, "a");
    let condition = "attribute_not_exists(pk)";
    let refused =
        json!({"TableName": "Items", "Item": {"pk": s("a"), "n": n(1)}, "ConditionExpression": condition});
    engine.call("PutItem", &refused).error();
    let cancelled =
        json!({"TransactItems": [{"Put": {"TableName": "Items", "Item": {"pk": s("b")}}}, {"Put": refused}]});
    assert_eq!(engine.call("TransactWriteItems", &cancelled).status, 400);
    assert_eq!(events(&records(&engine, &stream, 10)), ["INSERT a"]);
}

#[test]
fn a_shard_is_followed_by_its_child_after_hours() {
    let engine = Harness::new();
    let stream = create(&engine);
    put(&engine, "a");
    let first = shards(&engine, &stream);
    let latest = iterator(&engine, &stream, &first[0], "LATEST", None);
    for round in 0..3 {
        engine.advance(4 * HOUR);
        engine.settle();
        put(&engine, &format!("b{round}"));
    }
    let all = shards(&engine, &stream);
    assert_eq!(all.len(), 4);
    for (parent, child) in all.iter().zip(&all[1..]) {
        assert_eq!(child["ParentShardId"], parent["ShardId"]);
        assert!(parent["ShardId"].as_str() < child["ShardId"].as_str(), "in the order of their ids");
        let (end, start) = (
            parent["SequenceNumberRange"]["EndingSequenceNumber"].as_str().expect("it is closed"),
            child["SequenceNumberRange"]["StartingSequenceNumber"].as_str().expect("it has a start"),
        );
        assert!(end < start, "numbers grow");
    }
    assert_eq!(events(&records(&engine, &stream, 1)), ["INSERT a", "INSERT b0", "INSERT b1", "INSERT b2"]);
    assert_eq!(
        engine.call("GetRecords", &json!({"ShardIterator": latest})).error().0,
        "ExpiredIteratorException"
    );
    let closed = iterator(&engine, &stream, &all[0], "LATEST", None);
    assert_eq!(read(&engine, closed, 10), (Vec::new(), false), "the end of a closed shard");

    let filter = json!({"Type": "CHILD_SHARDS", "ShardId": all[1]["ShardId"]});
    let children = engine.call("DescribeStream", &json!({"StreamArn": stream, "ShardFilter": filter})).ok();
    assert_eq!(children["StreamDescription"]["Shards"], json!([all[2]]));

    let (mut paged, mut after) = (Vec::new(), Value::Null);
    loop {
        let request = json!({"StreamArn": stream, "Limit": 3, "ExclusiveStartShardId": after});
        let page = engine.call("DescribeStream", &request).ok()["StreamDescription"].clone();
        paged.extend(page["Shards"].as_array().expect("shards").clone());
        match page.get("LastEvaluatedShardId") {
            Some(last) => after = last.clone(),
            None => break,
        }
    }
    assert_eq!(paged, all);
}

#[test]
fn records_can_be_read_for_a_day() {
    for stepped in [true, false] {
        let engine = Harness::new();
        let stream = create(&engine);
        put(&engine, "a");
        put(&engine, "b");
        engine.advance(23 * HOUR);
        put(&engine, "c");
        let all = records(&engine, &stream, 10);
        assert_eq!(events(&all), ["INSERT a", "INSERT b", "INSERT c"]);
        // An iterator of the first shard, which no longer holds what it points to an hour later.
        engine.advance(HOUR - 60_000);
        let shard = shards(&engine, &stream)[0].clone();
        let number = &all[1]["dynamodb"]["SequenceNumber"];
        let held = iterator(&engine, &stream, &shard, "AT_SEQUENCE_NUMBER", Some(number));
        engine.advance(2 * 60_000);
        if stepped {
            engine.settle();
        }
        assert_eq!(
            engine.call("GetRecords", &json!({"ShardIterator": held})).error().0,
            "TrimmedDataAccessException"
        );
        let again = json!({
            "StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "AT_SEQUENCE_NUMBER",
            "SequenceNumber": number,
        });
        assert_eq!(engine.call("GetShardIterator", &again).error().0, "TrimmedDataAccessException");
        let kept = iterator(&engine, &stream, &shard, "AFTER_SEQUENCE_NUMBER", Some(number));
        read(&engine, kept, 10);
        assert_eq!(events(&records(&engine, &stream, 10)), ["INSERT c"], "stepped: {stepped}");
    }
}

#[test]
fn a_thousand_records_and_a_megabyte_are_one_answer() {
    let engine = Harness::new();
    let stream = create(&engine);
    for pk in 0..4 {
        engine.put("Items", &json!({"pk": s(&pk.to_string()), "text": s(&"x".repeat(300_000))}));
    }
    let start = iterator(&engine, &stream, &shards(&engine, &stream)[0], "TRIM_HORIZON", None);
    let page = engine.call("GetRecords", &json!({"ShardIterator": start})).ok();
    assert_eq!(page["Records"].as_array().map(Vec::len), Some(3));
    assert_eq!(records(&engine, &stream, 1_000).len(), 4, "the next begins with the record left out");
}

fn entries(store: &MemoryStore, space: Space) -> usize {
    let mut count = 0;
    let ranged = store.view(|snapshot| {
        snapshot.range(space, Bounds::ALL, Direction::Forward, 1, &mut |_, _| {
            count += 1;
            Visit::Continue
        })
    });
    ranged.expect("the store works").expect("the store works");
    count
}

#[test]
fn an_ended_stream_is_forgotten_after_a_day_with_its_journal() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    let stream = create(&engine);
    put(&engine, "a");
    disable(&engine);
    put(&engine, "b");
    let second = enable(&engine);
    assert_ne!(stream, second);
    put(&engine, "c");
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    assert_eq!(events(&records(&engine, &stream, 10)), ["INSERT a"], "it ended before b");
    assert_eq!(events(&records(&engine, &second, 10)), ["INSERT c"]);
    let listed = engine.call("ListStreams", &json!({})).ok();
    assert_eq!(listed["Streams"].as_array().map(Vec::len), Some(2));
    assert_eq!((entries(&store, spaces::STREAMS), entries(&store, spaces::JOURNALS)), (2, 1));
    engine.advance(24 * HOUR);
    let gone = engine.call("DescribeStream", &json!({"StreamArn": stream})).error();
    assert_eq!(gone.1, format!("Requested resource not found: Stream: {stream} not found"));
    engine.settle();
    assert_eq!(engine.call("ListStreams", &json!({})).ok(), json!({"Streams": []}));
    for space in [spaces::STREAMS, spaces::JOURNALS, spaces::JOBS] {
        assert_eq!(entries(&store, space), 0, "{space:?}");
    }
}

#[test]
fn a_live_stream_is_kept_and_trimmed() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    let stream = create(&engine);
    for day in 0..3 {
        for pk in 0..30 {
            engine.put("Items", &json!({"pk": s(&format!("{day}-{pk:02}"))}));
        }
        engine.advance(25 * HOUR);
        engine.settle();
        assert_eq!(records(&engine, &stream, 10), Vec::<Value>::new());
    }
    put(&engine, "a");
    assert_eq!(events(&records(&engine, &stream, 10)), ["INSERT a"]);
    assert_eq!(shards(&engine, &stream).len(), 2, "the open one, and that which was closed last");
}

#[test]
fn a_stream_goes_on_after_reopening() {
    let store = Arc::new(MemoryStore::new());
    let first = Harness::on(store.clone(), 0);
    let stream = create(&first);
    put(&first, "a");
    let held = iterator(&first, &stream, &shards(&first, &stream)[0], "LATEST", None);
    drop(first);
    // Its clock begins where that of the first began: times don't go back all the same.
    let second = Harness::on(store, 0);
    put(&second, "b");
    assert_eq!(events(&read(&second, held, 10).0), ["INSERT b"]);
    let all = records(&second, &stream, 10);
    assert_eq!(events(&all), ["INSERT a", "INSERT b"]);
    assert!(all[0]["dynamodb"]["SequenceNumber"].as_str() < all[1]["dynamodb"]["SequenceNumber"].as_str());
}

#[test]
fn times_of_records_never_go_back() {
    let engine = Harness::new();
    let stream = create(&engine);
    put(&engine, "a");
    engine.set_back(5_000);
    put(&engine, "b");
    engine.advance(10_000);
    put(&engine, "c");
    let times = |records: &[Value]| {
        let time = |record: &Value| record["dynamodb"]["ApproximateCreationDateTime"].as_u64();
        records.iter().map(time).collect::<Vec<_>>()
    };
    let times = times(&records(&engine, &stream, 10));
    assert!(times.is_sorted() && times[0] == times[1], "{times:?}");
}

#[test]
fn an_iterator_at_a_time_begins_with_the_first_record_since() {
    let engine = Harness::new();
    let stream = create(&engine);
    let mut moments = Vec::new();
    for pk in 0..9 {
        engine.advance(1_000);
        moments.push(engine.now().0);
        put(&engine, &pk.to_string());
    }
    let shard = &shards(&engine, &stream)[0];
    let since = |moment: f64| {
        let request = json!({
            "StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "AT_TIMESTAMP", "Timestamp": moment,
        });
        let iterator = engine.call("GetShardIterator", &request).ok()["ShardIterator"].clone();
        read(&engine, iterator, 10).0.len()
    };
    for (at, moment) in moments.iter().enumerate() {
        assert_eq!(since(*moment as f64 / 1_000.0), 9 - at);
    }
    assert_eq!((since(0.0), since(4e9), since(-1.0)), (9, 0, 9));
}

fn undo(engine: &Harness) {
    engine.engine.undo(engine.now()).expect("the store works").expect("there is something to take back");
}

#[test]
fn what_is_taken_back_is_recorded_as_a_write_of_its_own() {
    let engine = Harness::with_undo(50);
    let stream = create(&engine);
    put(&engine, "a");
    engine.put("Items", &json!({"pk": s("a"), "n": n(1)}));
    let both = json!({"RequestItems": {"Items": [
        {"DeleteRequest": {"Key": {"pk": s("a")}}}, {"PutRequest": {"Item": {"pk": s("b")}}},
    ]}});
    engine.call("BatchWriteItem", &both).ok();
    for _ in 0..3 {
        undo(&engine);
    }
    let all = records(&engine, &stream, 10);
    let (written, undone) = all.split_at(4);
    assert_eq!(events(written), ["INSERT a", "MODIFY a", "REMOVE a", "INSERT b"]);
    let mut first = events(&undone[..2]);
    first.sort();
    assert_eq!(first, ["INSERT a", "REMOVE b"]);
    assert_eq!(events(&undone[2..]), ["MODIFY a", "REMOVE a"]);
    assert_eq!(undone[2]["dynamodb"]["OldImage"], json!({"pk": s("a"), "n": n(1)}));
    let numbers: Vec<_> = all.iter().map(|record| record["dynamodb"]["SequenceNumber"].as_str()).collect();
    assert!(numbers.is_sorted_by(|one, other| one < other), "no number comes twice: {numbers:?}");
}

#[test]
fn a_stream_goes_on_when_its_end_is_taken_back() {
    let engine = Harness::with_undo(50);
    let stream = create(&engine);
    put(&engine, "a");
    for end in ["UpdateTable", "DeleteTable"] {
        let request = match end {
            "UpdateTable" => json!({"TableName": "Items", "StreamSpecification": {"StreamEnabled": false}}),
            _ => json!({"TableName": "Items"}),
        };
        engine.call(end, &request).ok();
        let latest = iterator(&engine, &stream, &shards(&engine, &stream)[0], "LATEST", None);
        let (_, is_open) = read(&engine, latest, 1);
        assert!(!is_open, "{end} closes its shard");
        undo(&engine);
        put(&engine, end);
    }
    assert_eq!(
        events(&records(&engine, &stream, 10)),
        ["INSERT a", "INSERT UpdateTable", "INSERT DeleteTable"]
    );
    let described = engine.call("DescribeStream", &json!({"StreamArn": stream})).ok();
    assert_eq!(described["StreamDescription"]["StreamStatus"], "ENABLED");
    assert_eq!(shards(&engine, &stream).len(), 3, "each end closed a shard");
}

#[test]
fn a_stream_that_is_over_does_not_come_back_with_its_table() {
    let engine = Harness::with_undo(50);
    create(&engine);
    put(&engine, "a");
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.advance(25 * HOUR);
    engine.settle();
    undo(&engine);
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    assert_eq!(described["Table"].get("LatestStreamArn"), None);
    put(&engine, "b");
    let stream = enable(&engine);
    put(&engine, "c");
    assert_eq!(events(&records(&engine, &stream, 10)), ["INSERT c"]);
}

#[test]
fn a_stream_ends_when_its_beginning_is_taken_back() {
    let engine = Harness::with_undo(50);
    let stream = create(&engine);
    put(&engine, "a");
    undo(&engine);
    undo(&engine);
    put(&engine, "b");
    assert_eq!(events(&records(&engine, &stream, 10)), ["INSERT a", "REMOVE a"]);
    let described = engine.call("DescribeStream", &json!({"StreamArn": stream})).ok();
    assert_eq!(described["StreamDescription"]["StreamStatus"], "DISABLED");
    let table = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    assert_eq!(table["Table"].get("LatestStreamArn"), None, "the table never had one");
}
