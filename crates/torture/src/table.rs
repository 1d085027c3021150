//! The table that is written: groups of items, with everything that follows from items, and what is read of it.

use serde_json::{Value, json};

use crate::history::{Cell, KEYS, State};
use crate::records::Record;
use crate::service::Service;

/// The table.
pub const NAME: &str = "Groups";

/// An index that is added and removed beside the load.
pub const LATE_INDEX: &str = "late";

/// Items that belong to no group, for an index that is added to be filled with.
const FILLERS: usize = 400;

/// Items of one BatchWriteItem.
const BATCH: usize = 25;

/// Sends a request that must succeed.
///
/// # Errors
/// When it doesn't, in words.
pub fn call(service: &mut dyn Service, operation: &str, body: &Value) -> Result<Value, String> {
    match service.call(operation, &body.to_string()) {
        Some((200, answer)) => Ok(answer),
        Some((status, answer)) => Err(format!("{operation} {body} is answered {status} {answer}")),
        None => Err(format!("{operation} {body} is not answered")),
    }
}

/// Makes the table.
///
/// # Errors
/// When a request is refused.
pub fn make(service: &mut dyn Service) -> Result<(), String> {
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let attribute = |(name, kind): (&str, &str)| json!({"AttributeName": name, "AttributeType": kind});
    let definitions = [("pk", "S"), ("sk", "S"), ("mark", "S"), ("n", "N")].map(attribute);
    let vectors = json!({
        "IndexName": "near", "VectorAttribute": {"AttributeName": "vector"}, "Dimensions": 2,
        "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"},
    });
    call(
        service,
        "CreateTable",
        &json!({
            "TableName": NAME, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions,
            "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
            "GlobalSecondaryIndexes": [{
                "IndexName": "byMark", "KeySchema": [key("mark", "HASH"), key("n", "RANGE")],
                "Projection": {"ProjectionType": "ALL"},
            }],
            "LocalSecondaryIndexes": [{
                "IndexName": "byCount", "KeySchema": [key("pk", "HASH"), key("n", "RANGE")],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }],
            "VectorIndexes": [vectors],
        }),
    )?;
    for first in (0..FILLERS).step_by(BATCH) {
        let filler = |number: usize| {
            let item = json!({"pk": {"S": format!("filler-{number}")}, "sk": {"S": "0"}, "mark": {"S": "m"}});
            json!({"PutRequest": {"Item": item}})
        };
        let requests: Vec<Value> = (first..first + BATCH).map(filler).collect();
        call(service, "BatchWriteItem", &json!({"RequestItems": {NAME: requests}}))?;
    }
    let expires = json!({"Enabled": true, "AttributeName": "ttl"});
    call(service, "UpdateTimeToLive", &json!({"TableName": NAME, "TimeToLiveSpecification": expires}))?;
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    call(service, "UpdateTable", &json!({"TableName": NAME, "StreamSpecification": stream})).map(drop)
}

/// The key of an item of a group.
pub fn key(group: usize, key: usize) -> Value {
    json!({"pk": {"S": format!("group-{group}")}, "sk": {"S": key.to_string()}})
}

/// The attributes that a request leaves besides key and counter.
pub fn written(number: u64) -> Value {
    json!({
        "v": {"N": number.to_string()}, "mark": {"S": format!("m{}", number % 5)},
        "vector": {"L": [{"N": (number % 7).to_string()}, {"N": "1"}]},
        "ttl": {"N": (4_000_000_000 + number).to_string()},
    })
}

/// A whole item.
pub fn item(group: usize, of_group: usize, number: u64) -> Value {
    let mut item = key(group, of_group);
    if let (Some(item), Value::Object(written)) = (item.as_object_mut(), written(number)) {
        item.extend(written);
        item.insert("n".to_owned(), json!({"N": "0"}));
    }
    item
}

/// An item as an answer has it.
///
/// # Errors
/// When it isn't one that was written.
pub fn cell(item: &Value) -> Result<Option<Cell>, String> {
    let Some(members) = item.as_object().filter(|members| !members.is_empty()) else { return Ok(None) };
    let number = |name: &str| members.get(name)?["N"].as_str()?.parse::<i64>().ok();
    let written_by = number("v").and_then(|number| u64::try_from(number).ok());
    match written_by.zip(number("n")) {
        Some((written_by, count)) if item["mark"] == written(written_by)["mark"] => {
            Ok(Some(Cell { written_by, count }))
        }
        _ => Err(format!("{item} is not an item that was written")),
    }
}

/// What a TransactGetItems of a group asks.
pub fn get_all(group: usize) -> Value {
    let gets: Vec<Value> =
        (0..KEYS).map(|of_group| json!({"Get": {"TableName": NAME, "Key": key(group, of_group)}})).collect();
    json!({"TransactItems": gets})
}

/// What its answer says.
///
/// # Errors
/// When an item isn't one that was written.
pub fn state(answer: &Value) -> Result<State, String> {
    let mut state = [None; KEYS];
    for (at, place) in state.iter_mut().enumerate() {
        *place = cell(&answer["Responses"][at]["Item"])?;
    }
    Ok(state)
}

/// How far a stream was read.
#[derive(Debug, Default)]
pub struct StreamReader {
    arn: Option<String>,
    last: Option<(String, String)>,
}

impl StreamReader {
    /// The records that came since the last time.
    ///
    /// # Errors
    /// When a request is refused, or a record can't be read.
    pub fn read(&mut self, service: &mut dyn Service) -> Result<Vec<Record>, String> {
        if self.arn.is_none() {
            let described = call(service, "DescribeTable", &json!({"TableName": NAME}))?;
            self.arn = described["Table"]["LatestStreamArn"].as_str().map(str::to_owned);
        }
        let arn = self.arn.clone().ok_or("the table has no stream")?;
        let described = call(service, "DescribeStream", &json!({"StreamArn": arn}))?;
        let shards = described["StreamDescription"]["Shards"].as_array().cloned().unwrap_or_default();
        let mut records = Vec::new();
        for shard in shards {
            let shard = shard["ShardId"].as_str().unwrap_or_default().to_owned();
            if self.last.as_ref().is_some_and(|(last, _)| *last > shard) {
                continue;
            }
            let mut asked = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
            if let Some((_, number)) = self.last.as_ref().filter(|(last, _)| *last == shard) {
                asked["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
                asked["SequenceNumber"] = json!(number);
            }
            let mut iterator = call(service, "GetShardIterator", &asked)?["ShardIterator"].clone();
            while iterator.is_string() {
                let page = call(service, "GetRecords", &json!({"ShardIterator": iterator}))?;
                let page_records = page["Records"].as_array().cloned().unwrap_or_default();
                if page_records.is_empty() {
                    break;
                }
                for found in &page_records {
                    let number = found["dynamodb"]["SequenceNumber"].as_str().unwrap_or_default();
                    self.last = Some((shard.clone(), number.to_owned()));
                    records.extend(record(found)?);
                }
                iterator = page["NextShardIterator"].clone();
            }
        }
        Ok(records)
    }
}

/// A record of an item of a group.
fn record(found: &Value) -> Result<Option<Record>, String> {
    let change = &found["dynamodb"];
    let text = |name: &str| change["Keys"][name]["S"].as_str();
    let Some(group) = text("pk").and_then(|pk| pk.strip_prefix("group-")) else { return Ok(None) };
    let place = group.parse().ok().zip(text("sk").and_then(|sk| sk.parse().ok()));
    let Some((group, key)) = place else { return Err(format!("{found} is of no item")) };
    Ok(Some(Record { group, key, before: cell(&change["OldImage"])?, after: cell(&change["NewImage"])? }))
}
