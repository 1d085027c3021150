//! PartiQL goes the way of all other operations: what follows from a write follows, and the trace tells it.

use serde_json::{Value, json};

use super::harness::{Harness, n, s};

fn engine() -> Harness {
    let engine = Harness::with_undo(10);
    engine.create("Items", "S", Some("S"));
    for pk in ["a", "b"] {
        for sk in ["1", "2"] {
            engine.put("Items", &json!({"pk": s(pk), "sk": s(sk), "n": n(1)}));
        }
    }
    engine
}

fn statement(text: &str) -> Value {
    json!({"Statement": text})
}

#[test]
fn the_trace_of_a_select_shows_each_partition_that_it_read() {
    let engine = engine();
    let answer = engine.traced("ExecuteStatement", &statement("SELECT sk FROM Items WHERE pk IN ['a', 'b']"));
    let trace = answer.trace();
    assert_eq!(trace["operation"], json!("ExecuteStatement"));
    assert_eq!(trace["accesses"].as_array().map(Vec::len), Some(2), "{trace}");
    assert_eq!(trace["units"], json!({"read": 1.0, "write": 0.0}));
    let everything = engine.traced("ExecuteStatement", &statement("SELECT sk FROM Items WHERE n = 1"));
    assert_eq!(everything.trace()["accesses"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_write_can_be_taken_back_and_a_failed_one_shows_what_it_cost() {
    let engine = engine();
    let update = "UPDATE Items SET n = n + 1 WHERE pk = 'a' AND sk = '1'";
    let answer = engine.traced("ExecuteStatement", &statement(update));
    assert_eq!(answer.trace()["units"]["write"], json!(1.0));
    answer.ok();
    let undone = engine.engine.undo(engine.now()).expect("the store works").expect("the update");
    assert_eq!((undone.operation, undone.table.as_str()), ("ExecuteStatement", "Items"));
    let read = engine.call("ExecuteStatement", &statement("SELECT n FROM Items WHERE pk = 'a' AND sk = '1'"));
    assert_eq!(read.ok()["Items"], json!([{"n": n(1)}]));

    let failed = "UPDATE Items SET n = 5 WHERE pk = 'a' AND sk = '1' AND n = 7";
    let answer = engine.traced("ExecuteStatement", &statement(failed));
    assert_eq!(answer.trace()["units"]["write"], json!(1.0));
    assert_eq!(answer.error().0, "ConditionalCheckFailedException");
}

#[test]
fn a_transaction_of_statements_is_one_write_to_take_back() {
    let engine = engine();
    let request = json!({"TransactStatements": [
        statement("INSERT INTO Items VALUE {'pk': 'c', 'sk': '1'}"),
        statement("DELETE FROM Items WHERE pk = 'b' AND sk = '2'"),
    ]});
    engine.call("ExecuteTransaction", &request).ok();
    engine.engine.undo(engine.now()).expect("the store works").expect("the transaction");
    let left = engine.call("Scan", &json!({"TableName": "Items", "Select": "COUNT"})).ok();
    assert_eq!(left["Count"], json!(4));
}

#[test]
fn statements_are_recorded_in_the_table_s_stream() {
    let engine = engine();
    let stream = json!({"TableName": "Items",
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}});
    let table = engine.call("UpdateTable", &stream).ok();
    let arn = &table["TableDescription"]["LatestStreamArn"];
    for text in [
        "INSERT INTO Items VALUE {'pk': 's', 'sk': '1'}",
        "UPDATE Items SET n = 1 WHERE pk = 's' AND sk = '1'",
        "DELETE FROM Items WHERE pk = 's' AND sk = '1' AND n = 1",
    ] {
        engine.call("ExecuteStatement", &statement(text)).ok();
    }
    let described = engine.call("DescribeStream", &json!({"StreamArn": arn})).ok();
    let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
    let start = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let start = engine.call("GetShardIterator", &start).ok();
    let records = engine.call("GetRecords", &json!({"ShardIterator": start["ShardIterator"]})).ok();
    let events: Vec<&str> = records["Records"]
        .as_array()
        .expect("records")
        .iter()
        .filter_map(|record| record["eventName"].as_str())
        .collect();
    assert_eq!(events, ["INSERT", "MODIFY", "REMOVE"]);
}

#[test]
fn a_page_of_several_partitions_ends_at_a_megabyte() {
    let engine = Harness::new();
    engine.create("Large", "S", Some("S"));
    for pk in ["a", "b", "c"] {
        for sk in ["1", "2"] {
            let item = json!({"pk": s(pk), "sk": s(sk), "v": s(&"x".repeat(300 * 1024))});
            engine.put("Large", &item);
        }
    }
    let text = "SELECT pk, sk FROM Large WHERE pk IN ['a', 'b', 'c']";
    let mut request = statement(text);
    let mut pages = Vec::new();
    loop {
        let answer = engine.call("ExecuteStatement", &request).ok();
        pages.push(answer["Items"].as_array().expect("items").len());
        match answer.get("NextToken") {
            Some(token) => request["NextToken"] = token.clone(),
            None => break,
        }
    }
    assert_eq!(pages, [4, 2], "the item that crosses the bound is part of the page");
}

#[test]
fn a_token_is_good_for_an_hour() {
    let engine = engine();
    let text = "SELECT sk FROM Items WHERE pk = 'a'";
    let first = engine.call("ExecuteStatement", &json!({"Statement": text, "Limit": 1})).ok();
    let next = json!({"Statement": text, "NextToken": first["NextToken"]});
    engine.advance(59 * 60_000);
    assert_eq!(engine.call("ExecuteStatement", &next).ok()["Items"], json!([{"sk": s("2")}]));
    engine.advance(2 * 60_000);
    assert_eq!(engine.call("ExecuteStatement", &next).refusal(), "Given NextToken has already expired");
}
