//! Batches and transactions: many items in one request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp, limits, spaces};
use keyplan_store::{Bounds, Direction, MemoryStore, Space, StoreExt, Visit};
use serde_json::{Value, json};

use super::harness::{Harness, n, s};

fn engine() -> Harness {
    let engine = Harness::with_undo(50);
    engine.create("Items", "S", None);
    engine
}

fn count(engine: &Harness) -> Value {
    engine.call("Scan", &json!({"TableName": "Items", "Select": "COUNT"})).ok()["Count"].clone()
}

#[test]
fn a_batch_is_read_to_its_end_by_asking_for_what_was_left() {
    let engine = engine();
    let mut keys: Vec<Value> = (0..100).map(|key| json!({"pk": s(&format!("{key:03}"))})).collect();
    for key in &keys {
        let mut item = key.clone();
        // With the key, 300 KB to the byte.
        item["v"] = s(&"x".repeat(300 * 1024 - 6));
        engine.put("Items", &item);
    }
    let mut pages = Vec::new();
    while !keys.is_empty() {
        let request = json!({"RequestItems": {"Items": {"Keys": keys, "ProjectionExpression": "pk"}}});
        let answer = engine.call("BatchGetItem", &request).ok();
        pages.push(answer["Responses"]["Items"].as_array().expect("items").len());
        let left = &answer["UnprocessedKeys"]["Items"];
        keys = left["Keys"].as_array().cloned().unwrap_or_default();
        if !keys.is_empty() {
            assert_eq!(left["ProjectionExpression"], json!("pk"), "what is left is asked for as before");
        }
    }
    assert_eq!(pages, [52, 48]);
}

#[test]
fn a_batch_of_writes_is_one_write_to_take_back() {
    let engine = engine();
    engine.put("Items", &json!({"pk": s("old")}));
    let request = json!({"RequestItems": {"Items": [
        {"PutRequest": {"Item": {"pk": s("new")}}}, {"DeleteRequest": {"Key": {"pk": s("old")}}},
        {"PutRequest": {"Item": {"pk": s("other")}}},
    ]}});
    let answer = engine.traced("BatchWriteItem", &request);
    let trace = answer.trace();
    assert_eq!(trace["accesses"].as_array().map(Vec::len), Some(3), "each write is shown");
    assert_eq!(trace["units"]["write"], json!(3.0));
    answer.ok();
    assert_eq!(count(&engine), json!(2));
    let undone = engine.engine.undo(engine.now()).expect("the store works").expect("the batch");
    assert_eq!((undone.operation, undone.table.as_str()), ("BatchWriteItem", "Items"));
    let left = engine.call("Scan", &json!({"TableName": "Items"})).ok();
    assert_eq!(left["Items"], json!([{"pk": s("old")}]));
}

#[test]
fn a_cancelled_transaction_shows_what_it_cost() {
    let engine = engine();
    engine.put("Items", &json!({"pk": s("a"), "n": n(1)}));
    let request = json!({"TransactItems": [
        {"Put": {"TableName": "Items", "Item": {"pk": s("b")}}},
        {"ConditionCheck": {"TableName": "Items", "Key": {"pk": s("a")},
            "ConditionExpression": "attribute_not_exists(pk)"}},
    ]});
    let answer = engine.traced("TransactWriteItems", &request);
    assert_eq!(answer.trace()["units"], json!({"read": 0.0, "write": 4.0}));
    assert_eq!(answer.error().0, "TransactionCanceledException");
    assert_eq!(count(&engine), json!(1));
}

/// An engine whose time is set by hand, and its store.
struct Clocked {
    engine: Engine,
    store: Arc<MemoryStore>,
    now: AtomicU64,
}

impl Clocked {
    fn new() -> Clocked {
        let store = Arc::new(MemoryStore::new());
        let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
        let engine = Engine::open(store.clone(), options).expect("an empty store opens");
        let clocked = Clocked { engine, store, now: AtomicU64::new(1_700_000_000_000) };
        clocked.ask(
            "CreateTable",
            &json!({
                "TableName": "Items", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            }),
        );
        clocked
    }

    fn advance(&self, milliseconds: u64) {
        self.now.fetch_add(milliseconds, Ordering::Relaxed);
    }

    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::Relaxed))
    }

    fn ask(&self, operation: &str, body: &Value) -> (u16, Value) {
        let reply = self.engine.dispatch(&Call {
            target: Some(&format!("DynamoDB_20120810.{operation}")),
            authentication: Authentication::NotRequired { region: "us-east-1" },
            body: body.to_string().as_bytes(),
            now: self.now(),
            random: 1,
            trace: false,
        });
        (reply.status, serde_json::from_slice(&reply.body).expect("JSON"))
    }

    fn entries(&self, space: Space) -> usize {
        let mut count = 0;
        let counted = self.store.view(|snapshot| {
            snapshot.range(space, Bounds::ALL, Direction::Forward, 0, &mut |_, _| {
                count += 1;
                Visit::Continue
            })
        });
        counted.expect("the store reads").expect("the store reads");
        count
    }
}

/// Adds one to a counter, under a token.
fn increment(token: &str) -> Value {
    json!({"ClientRequestToken": token, "TransactItems": [{"Update": {
        "TableName": "Items", "Key": {"pk": s("counter")}, "UpdateExpression": "ADD hits :one",
        "ExpressionAttributeValues": {":one": n(1)},
    }}]})
}

fn hits(engine: &Clocked) -> Value {
    let get = json!({"TableName": "Items", "Key": {"pk": s("counter")}});
    engine.ask("GetItem", &get).1["Item"]["hits"]["N"].clone()
}

#[test]
fn a_token_counts_for_ten_minutes_and_is_then_forgotten() {
    let engine = Clocked::new();
    assert_eq!(engine.ask("TransactWriteItems", &increment("t")), (200, json!({})));
    engine.advance(limits::REQUEST_TOKEN_MILLISECONDS - 1);
    assert_eq!(engine.ask("TransactWriteItems", &increment("t")), (200, json!({})));
    assert_eq!(hits(&engine), json!("1"), "a token that comes again writes nothing");
    engine.advance(1);
    assert_eq!(engine.ask("TransactWriteItems", &increment("t")), (200, json!({})));
    assert_eq!(hits(&engine), json!("2"), "after ten minutes it is a new request");

    assert_eq!(engine.entries(spaces::REQUEST_TOKENS), 1);
    engine.advance(limits::REQUEST_TOKEN_MILLISECONDS);
    while engine.engine.step(engine.now(), 10).expect("the store works").is_some() {}
    assert_eq!(engine.entries(spaces::REQUEST_TOKENS), 0, "the record is freed");
    assert_eq!(engine.entries(spaces::JOBS), 0, "and so is the job");
}

#[test]
fn a_token_of_a_cancelled_transaction_is_not_taken() {
    let engine = Clocked::new();
    let mut refused = increment("t");
    refused["TransactItems"][0]["Update"]["ConditionExpression"] = json!("attribute_exists(pk)");
    assert_eq!(engine.ask("TransactWriteItems", &refused).0, 400);
    assert_eq!(engine.entries(spaces::REQUEST_TOKENS), 0);
    assert_eq!(engine.ask("TransactWriteItems", &increment("t")), (200, json!({})));
}

#[test]
fn an_undone_transaction_takes_its_token_along() {
    let engine = engine();
    let request = increment("t");
    engine.call("TransactWriteItems", &request).ok();
    engine.engine.undo(engine.now()).expect("the store works").expect("the transaction");
    assert_eq!(count(&engine), json!(0));
    engine.call("TransactWriteItems", &request).ok();
    assert_eq!(count(&engine), json!(1), "the request can be sent again");
}

#[test]
fn tags_are_kept_with_the_table() {
    let engine = engine();
    let arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Items";
    let tags: Vec<Value> = (0..12).map(|tag| json!({"Key": format!("k{tag:02}"), "Value": ""})).collect();
    let body = json!({"ResourceArn": arn, "Tags": tags});
    assert_eq!(engine.call("TagResource", &body).ok(), Value::Null, "the answer has no body");
    let listed = engine.call("ListTagsOfResource", &json!({"ResourceArn": arn})).ok();
    assert_eq!(listed, json!({"Tags": tags}));
    // The table is the same, and its items too.
    engine.put("Items", &json!({"pk": s("a")}));
    assert_eq!(count(&engine), json!(1));
}

#[test]
fn tags_of_another_account_are_refused_before_those_of_another_region() {
    let engine = engine();
    for (region, account, error) in [
        ("us-east-1", "111122223333", "AccessDeniedException"),
        ("eu-west-2", "111122223333", "AccessDeniedException"),
        ("eu-west-2", "123456789012", "ValidationException"),
    ] {
        let arn = format!("arn:aws:dynamodb:{region}:{account}:table/Items");
        let answer = engine.call("ListTagsOfResource", &json!({"ResourceArn": arn}));
        assert_eq!(answer.error().0, error, "{arn}");
    }
}

#[test]
fn transfers_of_many_threads_lose_and_make_nothing() {
    const ACCOUNTS: usize = 4;
    let engine = Harness::new();
    engine.create("Items", "S", None);
    for account in 0..ACCOUNTS {
        engine.put("Items", &json!({"pk": s(&account.to_string()), "held": n(100)}));
    }
    let transfer = |from: usize, to: usize, amount: i32| {
        let change = |account: usize, amount: i32| {
            json!({"Update": {
                "TableName": "Items", "Key": {"pk": s(&account.to_string())}, "UpdateExpression": "ADD held :a",
                "ConditionExpression": "held >= :least",
                "ExpressionAttributeValues": {":a": n(amount), ":least": n((-amount).max(0))},
            }})
        };
        let answer = engine.call(
            "TransactWriteItems",
            &json!({"TransactItems": [change(from, -amount), change(to, amount)]}),
        );
        match answer.status {
            200 => true,
            _ => {
                assert_eq!(answer.error().0, "TransactionCanceledException");
                false
            }
        }
    };
    let transfer = &transfer;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let made = (0..100).filter(|turn| {
                    let from = (thread + turn) % ACCOUNTS;
                    transfer(from, (from + 1 + turn % 3) % ACCOUNTS, 17)
                });
                assert!(made.count() > 0, "some account has enough");
            });
        }
    });
    let scanned = engine.call("Scan", &json!({"TableName": "Items"})).ok();
    let held =
        scanned["Items"].as_array().expect("items").iter().map(|item| {
            item["held"]["N"].as_str().expect("a number").parse::<i32>().expect("a whole number")
        });
    let held: Vec<i32> = held.collect();
    assert_eq!(held.iter().sum::<i32>(), 400);
    assert!(held.iter().all(|held| *held >= 0), "no account is overdrawn: {held:?}");
}

#[test]
fn a_key_named_twice_is_found_before_its_table_is_looked_for() {
    let engine = engine();
    let key = json!({"TableName": "None", "Key": {"pk": s("a")}});
    let mut check = key.clone();
    check["ConditionExpression"] = json!("attribute_exists(pk)");
    let request = json!({"TransactItems": [{"Delete": key}, {"ConditionCheck": check}]});
    let refusal = engine.call("TransactWriteItems", &request).refusal();
    assert_eq!(refusal, "Transaction request cannot include multiple operations on one item");
    let delete = |key: &str| json!({"DeleteRequest": {"Key": {"pk": s(key)}}});
    let request = json!({"RequestItems": {"None": [delete("a"), delete("b"), delete("a")]}});
    let refusal = engine.call("BatchWriteItem", &request).refusal();
    assert_eq!(refusal, "Provided list of item keys contains duplicates");

    // The same key in two tables is no fault, and an item to put isn't compared yet.
    let put = json!({"TableName": "None", "Item": {"pk": s("a")}});
    let other = json!({"TableName": "Items", "Key": {"pk": s("a")}});
    let request = json!({"TransactItems": [{"Put": put}, {"Delete": key}, {"Delete": other}]});
    assert_eq!(engine.call("TransactWriteItems", &request).error().0, "ResourceNotFoundException");
}

#[test]
fn items_that_are_too_large_together_are_refused_before_conditions_are_looked_at() {
    let engine = engine();
    let put = |key: usize, condition: Option<&str>| {
        let item = json!({"pk": s(&format!("{key:02}")), "v": s(&"x".repeat(390 * 1024))});
        let mut put = json!({"TableName": "Items", "Item": item});
        if let Some(condition) = condition {
            put["ConditionExpression"] = json!(condition);
        }
        json!({"Put": put})
    };
    let mut actions: Vec<Value> = (1..11).map(|key| put(key, None)).collect();
    actions.insert(0, put(0, Some("attribute_exists(pk)")));
    let refusal = engine.call("TransactWriteItems", &json!({"TransactItems": actions})).refusal();
    assert!(refusal.contains("payload size cannot exceed 4MB"), "{refusal}");
    actions.pop();
    let answer = engine.call("TransactWriteItems", &json!({"TransactItems": actions}));
    assert_eq!(answer.error().0, "TransactionCanceledException", "with one less, the condition decides");
}

#[test]
fn unknown_members_make_no_other_request_of_one_with_a_token() {
    let engine = engine();
    let mut request = json!({"ClientRequestToken": "t", "TransactItems": [
        {"Put": {"TableName": "Items", "Item": {"pk": s("a")}}},
    ]});
    engine.call("TransactWriteItems", &request).ok();
    request["TransactItems"][0]["Unknown"] = json!(1);
    request["TransactItems"][0]["Put"]["Unknown"] = json!({"a": []});
    engine.call("TransactWriteItems", &request).ok();
    request["TransactItems"][0]["Put"]["Item"]["n"] = n(1);
    let other = engine.call("TransactWriteItems", &request);
    assert_eq!(other.error().0, "IdempotentParameterMismatchException");
}

#[test]
fn reads_by_key_have_no_expression_attribute_values() {
    let engine = engine();
    engine.put("Items", &json!({"pk": s("a")}));
    let values = json!({":v": s("unused")});
    let get = json!({"TableName": "Items", "Key": {"pk": s("a")}, "ExpressionAttributeValues": values});
    assert_eq!(engine.call("GetItem", &get).ok()["Item"], json!({"pk": s("a")}));
    let block = json!({"Keys": [{"pk": s("a")}], "ExpressionAttributeValues": values});
    let found = engine.call("BatchGetItem", &json!({"RequestItems": {"Items": block}})).ok();
    assert_eq!(found["Responses"]["Items"], json!([{"pk": s("a")}]));
}
