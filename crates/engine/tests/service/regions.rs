//! Global tables: each region's items are its own, and come to be alike.

use std::sync::Arc;

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp};
use keyplan_store::MemoryStore;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::requests::{NOW, engine};

const HOME: &str = "us-east-1";
const WEST: &str = "us-west-2";
const IRELAND: &str = "eu-west-1";

fn ask_in(engine: &Engine, region: &str, now: Timestamp, operation: &str, body: &Value) -> (u16, Value) {
    let prefix = if operation.contains("Stream") && !operation.contains("Kinesis")
        || operation.contains("Shard")
        || operation == "GetRecords"
    {
        "DynamoDBStreams_20120810"
    } else {
        "DynamoDB_20120810"
    };
    let reply = engine.dispatch(&Call {
        target: Some(&format!("{prefix}.{operation}")),
        authentication: Authentication::Signed { region, access_key: "test" },
        body: body.to_string().as_bytes(),
        now,
        random: u128::from(now.0) << 64 | 7,
        trace: false,
    });
    (reply.status, serde_json::from_slice(&reply.body).unwrap_or(Value::Null))
}

#[track_caller]
fn done(engine: &Engine, region: &str, operation: &str, body: Value) -> Value {
    let (status, answer) = ask_in(engine, region, NOW, operation, &body);
    assert_eq!(status, 200, "{region} {operation} {body}: {answer}");
    answer
}

#[track_caller]
fn refused(engine: &Engine, region: &str, operation: &str, body: Value) -> String {
    let (status, answer) = ask_in(engine, region, NOW, operation, &body);
    assert_eq!(status, 400, "{region} {operation} {body}: {answer}");
    answer["message"].as_str().unwrap_or_default().to_owned()
}

fn create(engine: &Engine) {
    let table = json!({
        "TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "by", "AttributeType": "S"},
        ],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by-x", "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }],
    });
    done(engine, HOME, "CreateTable", table);
}

fn add(engine: &Engine, region: &str) -> Value {
    let update = json!({"TableName": "Music", "ReplicaUpdates": [{"Create": {"RegionName": region}}]});
    done(engine, HOME, "UpdateTable", update)
}

fn put(engine: &Engine, region: &str, id: &str, by: &str) {
    let item = json!({"TableName": "Music", "Item": {"id": {"S": id}, "by": {"S": by}}});
    done(engine, region, "PutItem", item);
}

fn delete(engine: &Engine, region: &str, id: &str) {
    done(engine, region, "DeleteItem", json!({"TableName": "Music", "Key": {"id": {"S": id}}}));
}

fn by(engine: &Engine, region: &str, id: &str) -> Option<String> {
    let got = done(engine, region, "GetItem", json!({"TableName": "Music", "Key": {"id": {"S": id}}}));
    got["Item"]["by"]["S"].as_str().map(str::to_owned)
}

fn described(engine: &Engine, region: &str) -> Value {
    done(engine, region, "DescribeTable", json!({"TableName": "Music"}))["Table"].take()
}

fn items(engine: &Engine, region: &str, index: Option<&str>) -> Vec<String> {
    let mut body = json!({"TableName": "Music"});
    if let Some(index) = index {
        body["IndexName"] = json!(index);
    }
    let scanned = done(engine, region, "Scan", body);
    let mut items: Vec<String> =
        scanned["Items"].as_array().expect("items").iter().map(Value::to_string).collect();
    items.sort();
    items
}

fn settle(engine: &Engine) {
    for _ in 0..100 {
        let due = engine.step(NOW, 1_000).expect("a step");
        if due.is_none_or(|due| due > NOW) {
            return;
        }
    }
    panic!("there is always more to do");
}

#[test]
fn a_replica_has_what_was_there_and_what_comes() {
    let engine = engine();
    create(&engine);
    put(&engine, HOME, "a", "one");
    let answer = add(&engine, WEST);
    let shown = &answer["TableDescription"];
    assert_eq!(shown["TableStatus"], "UPDATING");
    assert_eq!(shown["Replicas"], json!([]), "the entry comes later");
    assert_eq!(shown["GlobalTableVersion"], "2019.11.21");
    assert_eq!(shown["StreamSpecification"]["StreamViewType"], "NEW_AND_OLD_IMAGES");
    assert_eq!(by(&engine, WEST, "a").as_deref(), Some("one"));
    put(&engine, HOME, "b", "two");
    assert_eq!(by(&engine, WEST, "b").as_deref(), Some("two"));
    put(&engine, WEST, "c", "three");
    assert_eq!(by(&engine, HOME, "c").as_deref(), Some("three"));
    delete(&engine, WEST, "a");
    assert_eq!(by(&engine, HOME, "a"), None);
    for index in [None, Some("by-x")] {
        assert_eq!(items(&engine, HOME, index), items(&engine, WEST, index), "{index:?}");
        assert_eq!(items(&engine, WEST, index).len(), 2);
    }
    let (home, west) = (described(&engine, HOME), described(&engine, WEST));
    assert_eq!(home["Replicas"][0]["RegionName"], WEST);
    assert_eq!(west["Replicas"][0]["RegionName"], HOME);
    for same in ["TableName", "TableStatus", "ItemCount", "GlobalTableVersion", "StreamSpecification"] {
        assert_eq!(home[same], west[same], "{same}");
    }
    for own in ["TableId", "TableArn", "LatestStreamArn"] {
        assert_ne!(home[own], west[own], "{own}");
    }
    assert_eq!(west["GlobalSecondaryIndexes"][0]["ItemCount"], 2);
    let listed = done(&engine, WEST, "ListTables", json!({}));
    assert_eq!(listed["TableNames"], json!(["Music"]), "a replica is no table more");
}

#[test]
fn a_replica_has_the_vector_indexes_of_its_table() {
    let engine = engine();
    let table = json!({
        "TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "VectorIndexes": [{
            "IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2,
            "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"},
        }],
    });
    done(&engine, HOME, "CreateTable", table);
    let put = |region: &str, id: &str, vector: [u8; 2]| {
        let vector: Vec<Value> = vector.iter().map(|number| json!({"N": number.to_string()})).collect();
        let item = json!({"TableName": "Music", "Item": {"id": {"S": id}, "v": {"L": vector}}});
        done(&engine, region, "PutItem", item);
    };
    put(HOME, "there", [1, 1]);
    add(&engine, WEST);
    settle(&engine);
    put(HOME, "beside", [2, 2]);
    put(WEST, "west", [3, 3]);
    settle(&engine);
    for region in [HOME, WEST] {
        let search = json!({
            "TableName": "Music", "IndexName": "near", "SearchVector": [{"N": "3"}, {"N": "3"}], "TopK": 9,
        });
        let found = done(&engine, region, "SearchVectors", search);
        let results = found["SearchResults"].as_array().expect("results");
        let ids: Vec<&Value> = results.iter().map(|result| &result["Item"]["id"]["S"]).collect();
        assert_eq!(ids, ["west", "beside", "there"], "{region}");
        assert_eq!(described(&engine, region)["VectorIndexes"][0]["ItemCount"], 3, "{region}");
    }
}

#[test]
fn a_region_without_a_replica_speaks_to_the_table_as_ever() {
    let engine = engine();
    create(&engine);
    put(&engine, IRELAND, "a", "one");
    add(&engine, WEST);
    put(&engine, IRELAND, "b", "two");
    assert_eq!(by(&engine, HOME, "b").as_deref(), Some("two"));
    assert_eq!(described(&engine, IRELAND)["TableId"], described(&engine, HOME)["TableId"]);
}

#[test]
fn the_later_of_two_changes_counts_everywhere() {
    let engine = engine();
    create(&engine);
    put(&engine, HOME, "a", "first");
    add(&engine, WEST);
    add_when_ready(&engine, IRELAND);
    settle(&engine);
    assert!(engine.pause_replication("Music", true).expect("the store works"));
    put(&engine, HOME, "a", "home");
    put(&engine, WEST, "a", "west");
    put(&engine, WEST, "b", "west");
    put(&engine, HOME, "b", "home");
    delete(&engine, IRELAND, "b");
    put(&engine, HOME, "c", "home");
    put(&engine, IRELAND, "c", "ireland");
    delete(&engine, WEST, "c");
    settle(&engine);
    assert_eq!(by(&engine, HOME, "a").as_deref(), Some("home"), "each region has its own");
    assert_eq!(by(&engine, WEST, "a").as_deref(), Some("west"));
    assert_eq!(by(&engine, IRELAND, "a").as_deref(), Some("first"));
    assert!(engine.pause_replication("Music", false).expect("the store works"));
    for region in [HOME, WEST, IRELAND] {
        assert_eq!(by(&engine, region, "a").as_deref(), Some("west"), "{region}");
        assert_eq!(by(&engine, region, "b").as_deref(), Some("home"), "{region}: nothing was deleted");
        assert_eq!(by(&engine, region, "c").as_deref(), Some("ireland"), "{region}: nor here");
    }
    assert!(!engine.pause_replication("Nothing", true).expect("the store works"));
}

fn add_when_ready(engine: &Engine, region: &str) {
    settle(engine);
    add(engine, region);
}

#[test]
fn streams_tell_of_changes_everywhere_and_of_copies_nowhere() {
    let engine = engine();
    create(&engine);
    put(&engine, HOME, "a", "one");
    add(&engine, WEST);
    settle(&engine);
    put(&engine, HOME, "b", "two");
    put(&engine, WEST, "c", "three");
    settle(&engine);
    for region in [HOME, WEST] {
        let arn = described(&engine, region)["LatestStreamArn"].take();
        let listed = done(&engine, region, "ListStreams", json!({"TableName": "Music"}));
        assert_eq!(listed["Streams"].as_array().map(Vec::len), Some(1), "{region}: {listed}");
        assert_eq!(listed["Streams"][0]["StreamArn"], arn, "{region}");
        let stream = done(&engine, region, "DescribeStream", json!({"StreamArn": arn}));
        let shard = &stream["StreamDescription"]["Shards"][0]["ShardId"];
        assert_eq!(stream["StreamDescription"]["TableName"], "Music");
        let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = done(&engine, region, "GetShardIterator", from);
        let records =
            done(&engine, region, "GetRecords", json!({"ShardIterator": iterator["ShardIterator"]}));
        let ids: Vec<&str> = records["Records"]
            .as_array()
            .expect("records")
            .iter()
            .map(|record| record["dynamodb"]["Keys"]["id"]["S"].as_str().expect("a key"))
            .collect();
        assert_eq!(ids, ["b", "c"], "{region}");
        assert_eq!(records["Records"][0]["awsRegion"], region);
    }
}

#[test]
fn settings_are_of_all_regions_or_of_one() {
    let engine = engine();
    create(&engine);
    add(&engine, WEST);
    settle(&engine);
    let music = |more: Value| {
        let mut body = json!({"TableName": "Music"});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        body
    };
    let ttl = json!({"TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": true}});
    done(&engine, WEST, "UpdateTimeToLive", music(ttl));
    let index = json!({
        "AttributeDefinitions": [{"AttributeName": "year", "AttributeType": "N"}],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": "year", "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }}],
    });
    done(&engine, WEST, "UpdateTable", music(index));
    done(&engine, WEST, "UpdateTable", music(json!({"DeletionProtectionEnabled": true})));
    settle(&engine);
    for region in [HOME, WEST] {
        let ttl = done(&engine, region, "DescribeTimeToLive", music(json!({})));
        assert_eq!(ttl["TimeToLiveDescription"]["TimeToLiveStatus"], "ENABLED", "{region}");
        let names: Vec<Value> = described(&engine, region)["GlobalSecondaryIndexes"]
            .as_array()
            .expect("indexes")
            .iter()
            .map(|index| index["IndexName"].clone())
            .collect();
        assert_eq!(names, ["by-x", "year"], "{region}");
        assert_eq!(described(&engine, region)["DeletionProtectionEnabled"], region == WEST, "{region}");
    }
    let tag =
        |region: &str| json!({"ResourceArn": format!("arn:aws:dynamodb:{region}:123456789012:table/Music")});
    let mut tags = tag(WEST);
    tags["Tags"] = json!([{"Key": "k", "Value": "v"}]);
    done(&engine, WEST, "TagResource", tags);
    assert_eq!(done(&engine, HOME, "ListTagsOfResource", tag(HOME))["Tags"], json!([]));
    assert_eq!(done(&engine, WEST, "ListTagsOfResource", tag(WEST))["Tags"][0]["Key"], "k");
    let text = refused(
        &engine,
        HOME,
        "UpdateTable",
        music(json!({"ReplicaUpdates": [{"Delete": {"RegionName": WEST}}]})),
    );
    assert!(text.starts_with("Cannot delete table Music in region us-west-2"), "{text}");
}

#[test]
fn an_item_that_expires_goes_everywhere() {
    let engine = engine();
    create(&engine);
    add(&engine, WEST);
    settle(&engine);
    let ttl =
        json!({"TableName": "Music", "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": true}});
    done(&engine, HOME, "UpdateTimeToLive", ttl);
    let expired = (NOW.0 / 1_000 - 60).to_string();
    let item = json!({"TableName": "Music", "Item": {"id": {"S": "a"}, "ttl": {"N": expired}}});
    done(&engine, WEST, "PutItem", item);
    settle(&engine);
    for region in [HOME, WEST] {
        assert!(items(&engine, region, None).is_empty(), "{region}");
    }
}

#[test]
fn a_replica_goes_and_leaves_a_table_that_can_go() {
    let engine = engine();
    create(&engine);
    add(&engine, WEST);
    settle(&engine);
    let text = refused(&engine, HOME, "DeleteTable", json!({"TableName": "Music"}));
    assert!(text.starts_with("Replica cannot be deleted because it has acted as a source"), "{text}");
    let text = refused(
        &engine,
        WEST,
        "UpdateTable",
        json!({"TableName": "Music", "StreamSpecification": {"StreamEnabled": false}}),
    );
    assert!(text.ends_with("Disabling Stream is not allowed for a Global Table replica."), "{text}");
    let gone = done(&engine, WEST, "DeleteTable", json!({"TableName": "Music"}));
    assert_eq!(gone["TableDescription"]["TableStatus"], "DELETING");
    assert_eq!(gone["TableDescription"]["Replicas"][0]["RegionName"], HOME);
    settle(&engine);
    let home = described(&engine, HOME);
    assert!(home.get("Replicas").is_none() && home.get("GlobalTableVersion").is_none(), "{home}");
    assert_eq!(described(&engine, WEST)["TableId"], home["TableId"], "as before");
    put(&engine, WEST, "a", "one");
    assert_eq!(by(&engine, HOME, "a").as_deref(), Some("one"));
    done(&engine, HOME, "DeleteTable", json!({"TableName": "Music"}));
    create(&engine);
    add(&engine, WEST);
    assert_eq!(by(&engine, WEST, "a"), None, "nothing is left of the first");
}

#[test]
fn a_strongly_consistent_table_has_all_at_once() {
    let engine = engine();
    create(&engine);
    let update = json!({
        "TableName": "Music", "MultiRegionConsistency": "STRONG",
        "ReplicaUpdates": [{"Create": {"RegionName": WEST}}],
        "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-2"}}],
    });
    done(&engine, HOME, "UpdateTable", update);
    assert!(engine.pause_replication("Music", true).expect("the store works"));
    put(&engine, WEST, "a", "one");
    let once = json!({
        "TableName": "Music", "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)",
    });
    assert_eq!(refused(&engine, HOME, "PutItem", once), "The conditional request failed");
    assert_eq!(items(&engine, HOME, Some("by-x")), items(&engine, WEST, Some("by-x")));
    let home = described(&engine, HOME);
    assert_eq!(home["MultiRegionConsistency"], "STRONG");
    assert_eq!(
        home["GlobalTableWitnesses"][0],
        json!({"RegionName": "us-east-2", "WitnessStatus": "ACTIVE"})
    );
    let undone = engine.undo(NOW).expect("the store works").expect("a write");
    assert_eq!(undone.operation, "PutItem");
    for region in [HOME, WEST] {
        assert!(items(&engine, region, None).is_empty(), "{region}");
        assert_eq!(described(&engine, region)["ItemCount"], 0, "{region}");
    }
    assert!(engine.undo(NOW).expect("the store works").is_none(), "replicas aren't taken back");
    let dissolve = json!({
        "TableName": "Music", "ReplicaUpdates": [{"Delete": {"RegionName": WEST}}],
        "GlobalTableWitnessUpdates": [{"Delete": {"RegionName": "us-east-2"}}],
    });
    done(&engine, HOME, "UpdateTable", dissolve);
    done(&engine, HOME, "DeleteTable", json!({"TableName": "Music"}));
}

#[test]
fn a_large_table_is_copied_in_steps_and_not_read_before() {
    let engine = engine();
    create(&engine);
    for at in 0..600 {
        put(&engine, HOME, &format!("{at:03}"), "one");
    }
    add(&engine, WEST);
    let (status, _) =
        ask_in(&engine, WEST, NOW, "GetItem", &json!({"TableName": "Music", "Key": {"id": {"S": "000"}}}));
    assert_eq!(status, 400, "it is being filled");
    assert_eq!(described(&engine, WEST)["TableStatus"], "CREATING");
    assert_eq!(described(&engine, HOME)["Replicas"][0]["ReplicaStatus"], "CREATING");
    put(&engine, HOME, "000", "two");
    delete(&engine, HOME, "599");
    settle(&engine);
    assert_eq!(described(&engine, WEST)["TableStatus"], "ACTIVE");
    assert_eq!(items(&engine, WEST, None), items(&engine, HOME, None));
    assert_eq!(described(&engine, WEST)["ItemCount"], 599);
}

#[test]
fn what_is_replicated_goes_on_when_the_store_is_opened_again() {
    let store = Arc::new(MemoryStore::new());
    let open = || {
        let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
        Engine::open(store.clone(), options).expect("the store opens")
    };
    let engine = open();
    create(&engine);
    put(&engine, HOME, "a", "one");
    add(&engine, WEST);
    engine.pause_replication("Music", true).expect("the store works");
    settle(&engine);
    put(&engine, WEST, "b", "two");
    drop(engine);
    let engine = open();
    settle(&engine);
    assert_eq!(by(&engine, HOME, "b"), None, "it is paused still");
    engine.pause_replication("Music", false).expect("the store works");
    assert_eq!(by(&engine, HOME, "b").as_deref(), Some("two"));
    assert_eq!(items(&engine, WEST, None), items(&engine, HOME, None));
}

/// A step of a random history.
#[derive(Debug, Clone)]
enum Step {
    Put(usize, u8, u8),
    Delete(usize, u8),
    Pause(bool),
    Look,
    Undo,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0usize..3, 0u8..4, 0u8..3).prop_map(|(region, id, by)| Step::Put(region, id, by)),
        3 => (0usize..3, 0u8..4).prop_map(|(region, id)| Step::Delete(region, id)),
        1 => any::<bool>().prop_map(Step::Pause),
        2 => Just(Step::Look),
        1 => Just(Step::Undo),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn all_regions_come_to_be_alike(steps in prop::collection::vec(step(), 1..60)) {
        let engine = engine();
        create(&engine);
        put(&engine, HOME, "0", "start");
        add(&engine, WEST);
        add_when_ready(&engine, IRELAND);
        settle(&engine);
        let regions = [HOME, WEST, IRELAND];
        for step in steps {
            match step {
                Step::Put(region, id, by) => put(&engine, regions[region], &id.to_string(), &by.to_string()),
                Step::Delete(region, id) => delete(&engine, regions[region], &id.to_string()),
                Step::Pause(paused) => {
                    engine.pause_replication("Music", paused).expect("the store works");
                }
                Step::Look => {
                    engine.step(NOW, 7).expect("a step");
                }
                Step::Undo => {
                    engine.undo(NOW).expect("the store works");
                }
            }
        }
        engine.pause_replication("Music", false).expect("the store works");
        settle(&engine);
        for index in [None, Some("by-x")] {
            let home = items(&engine, HOME, index);
            prop_assert_eq!(&home, &items(&engine, WEST, index));
            prop_assert_eq!(&home, &items(&engine, IRELAND, index));
        }
        for region in regions {
            let count = described(&engine, region)["ItemCount"].as_u64().expect("a count");
            prop_assert_eq!(count as usize, items(&engine, region, None).len());
        }
    }
}
