//! Query and Scan of indexes.

use std::collections::BTreeSet;

use keyplan_engine::inspect::Window;
use serde_json::{Value, json};

use super::harness::{Harness, n, s};
use super::index_examples::orders;
use super::index_writes::{all, create, include, keys_only};

/// Items 1 to `count` in one partition, all with `g`; `n1` goes down as `sk` goes up.
fn filled(count: u32) -> Harness {
    let engine = Harness::new();
    create(
        &engine,
        &[("byN", &["g", "+n1"], include(&["a"])), ("byG", &["g"], all())],
        &[("local", "n1", include(&["a"]))],
    );
    for at in 1..=count {
        let item = json!({
            "pk": s("p"), "sk": s(&format!("{at:03}")), "g": s("x"), "n1": n(1_000 - at), "a": n(at),
            "b": n(at), "deep": {"M": {"c": n(at)}},
        });
        engine.put("Items", &item);
    }
    engine
}

fn query(index: &str, more: Value) -> Value {
    let (condition, value) = if index == "local" { ("pk = :v", "p") } else { ("g = :v", "x") };
    let mut query = json!({
        "TableName": "Items", "IndexName": index, "KeyConditionExpression": condition,
        "ExpressionAttributeValues": {":v": s(value)},
    });
    query.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    query
}

/// All items of all pages of a read.
fn paged(engine: &Harness, operation: &str, mut request: Value) -> Vec<Value> {
    let mut items = Vec::new();
    loop {
        let page = engine.call(operation, &request).ok();
        items.extend(page["Items"].as_array().expect("items").iter().cloned());
        match page.get("LastEvaluatedKey") {
            Some(key) => request["ExclusiveStartKey"] = key.clone(),
            None => return items,
        }
        assert!(items.len() < 1_000, "paging comes to an end");
    }
}

#[test]
fn an_index_pages_in_its_own_order_both_ways_and_meets_every_entry_once() {
    let engine = filled(25);
    for index in ["byN", "byG", "local"] {
        let whole = paged(&engine, "Query", query(index, json!({})));
        assert_eq!(whole.len(), 25, "{index}");
        for limit in [1, 4, 25] {
            assert_eq!(
                paged(&engine, "Query", query(index, json!({"Limit": limit}))),
                whole,
                "{index} {limit}"
            );
            let mut backward =
                paged(&engine, "Query", query(index, json!({"Limit": limit, "ScanIndexForward": false})));
            backward.reverse();
            assert_eq!(backward, whole, "{index} {limit} backward");
        }
    }
    let by_number = paged(&engine, "Query", query("byN", json!({})));
    assert_eq!(by_number[0]["sk"], s("025"), "the least number comes first");
}

#[test]
fn the_key_to_go_on_from_is_that_of_index_and_table() {
    let engine = filled(3);
    let page = engine.call("Query", &query("local", json!({"Limit": 1}))).ok();
    assert_eq!(page["LastEvaluatedKey"], json!({"pk": s("p"), "sk": s("003"), "n1": n(997)}));
    for (start, text) in [
        (json!({"pk": s("p"), "sk": s("003")}), "The provided starting key is invalid"),
        (json!({"g": s("x"), "n1": n(1)}), "The provided starting key is invalid"),
        (
            json!({"g": s("x"), "n1": n(1), "pk": s("p"), "sk": s("003"), "a": n(1)}),
            "The provided starting key is invalid",
        ),
        (
            json!({"g": s("x"), "n1": s("1"), "pk": s("p"), "sk": s("003")}),
            "The provided starting key is invalid",
        ),
        (
            json!({"g": s("x"), "n1": n(1), "pk": s(""), "sk": s("003")}),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain \
             an empty string value. Key: pk",
        ),
        (
            json!({"g": s("other"), "n1": n(1), "pk": s("p"), "sk": s("003")}),
            "The provided starting key is outside query boundaries based on provided conditions",
        ),
    ] {
        let request = query("byN", json!({"ExclusiveStartKey": start}));
        assert_eq!(engine.call("Query", &request).refusal(), text, "{start}");
    }
    // The entry need not exist.
    let start = json!({"g": s("x"), "n1": {"N": "997.5"}, "pk": s("none"), "sk": s("none")});
    let rest = engine.call("Query", &query("byN", json!({"ExclusiveStartKey": start}))).ok();
    assert_eq!(rest["Count"], json!(2));
}

#[test]
fn a_start_key_of_the_wrong_type_is_told_by_the_index_on_a_scan() {
    let engine = filled(1);
    let mismatch = |index: &str| {
        format!(
            "One or more parameter values were invalid: Type mismatch for Index Key n1 Expected: N Actual: S \
             IndexName: {index}"
        )
    };
    let start = json!({"g": s("x"), "n1": s("1"), "pk": s("p"), "sk": s("1")});
    for (index, told) in [(Some("local"), "local"), (None, "byN")] {
        let mut request = json!({"TableName": "Items", "ExclusiveStartKey": start});
        if let Some(index) = index {
            request["IndexName"] = json!(index);
        }
        assert_eq!(engine.call("Scan", &request).refusal(), mismatch(told));
    }
}

#[test]
fn a_key_of_several_attributes_is_met_from_the_first_on() {
    let engine = Harness::new();
    create(&engine, &[("many", &["a", "b", "+c", "+n1", "+d"], keys_only())], &[]);
    let mut at = 0;
    for c in ["x", "y"] {
        for n1 in [2, 1, 10] {
            for d in ["d1", "d2"] {
                at += 1;
                engine.put("Items", &json!({
                    "pk": s("p"), "sk": s(&at.to_string()), "a": s("a"), "b": s("b"), "c": s(c), "n1": n(n1),
                    "d": s(d),
                }));
            }
        }
    }
    // Another partition, though the values put together are the same.
    engine.put(
        "Items",
        &json!({
            "pk": s("p"), "sk": s("other"), "a": s("ab"), "b": s("b"), "c": s("x"), "n1": n(1), "d": s("d1"),
        }),
    );
    let values = json!({":a": s("a"), ":b": s("b"), ":c": s("x"), ":n": n(2), ":d": s("d2")});
    let ask = |condition: &str| {
        let used: serde_json::Map<String, Value> = values
            .as_object()
            .expect("an object")
            .iter()
            .filter(|(name, _)| condition.contains(name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        engine.call(
            "Query",
            &json!({
                "TableName": "Items", "IndexName": "many", "KeyConditionExpression": condition,
                "ExpressionAttributeValues": used,
            }),
        )
    };
    let found = |condition: &str| {
        let items = ask(condition).ok()["Items"].as_array().expect("items").clone();
        let text =
            |item: &Value, name: &str| item[name].as_object().expect("a value").values().next().cloned();
        let shown = |item: &Value| {
            let parts = ["c", "n1", "d"].map(|name| text(item, name).expect("a value"));
            parts.map(|part| part.as_str().expect("a text").to_owned()).join(" ")
        };
        items.iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(found("a = :a AND b = :b").len(), 12);
    assert_eq!(
        found("a = :a AND b = :b AND c = :c"),
        ["x 1 d1", "x 1 d2", "x 2 d1", "x 2 d2", "x 10 d1", "x 10 d2"]
    );
    assert_eq!(
        found("a = :a AND b = :b AND c = :c AND n1 >= :n"),
        ["x 2 d1", "x 2 d2", "x 10 d1", "x 10 d2"]
    );
    assert_eq!(found("b = :b AND a = :a AND c = :c AND n1 = :n AND d < :d"), ["x 2 d1"]);
    assert_eq!(found("a = :a AND b = :b AND c = :c AND n1 = :n AND d = :d"), ["x 2 d2"]);
    for (condition, text) in [
        ("a = :a", "HASH key attributes b must have equality conditions specified in the query"),
        (
            "a = :a AND b = :b AND n1 = :n",
            "RANGE key attributes c must have equality conditions specified in the query because a condition is \
             present on key attribute n1",
        ),
    ] {
        assert_eq!(ask(condition).refusal(), text);
    }
}

#[test]
fn select_and_projection_decide_what_an_index_answers() {
    let engine = filled(1);
    let entry = json!({"pk": s("p"), "sk": s("001"), "n1": n(999), "a": n(1)});
    let mut global = entry.clone();
    global["g"] = s("x");
    for (index, more, item) in [
        ("byN", json!({}), global.clone()),
        ("byN", json!({"Select": "ALL_PROJECTED_ATTRIBUTES"}), global),
        (
            "byN",
            json!({"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "a, pk"}),
            json!({"a": n(1), "pk": s("p")}),
        ),
        ("local", json!({}), entry.clone()),
        ("local", json!({"Select": "ALL_PROJECTED_ATTRIBUTES"}), entry),
        ("local", json!({"ProjectionExpression": "deep.c"}), json!({"deep": {"M": {"c": n(1)}}})),
    ] {
        let answer = engine.call("Query", &query(index, more.clone())).ok();
        assert_eq!(answer["Items"], json!([item]), "{index} {more}");
    }
    let whole = engine.call("Query", &query("local", json!({"Select": "ALL_ATTRIBUTES"}))).ok();
    assert_eq!(whole["Items"][0]["b"], n(1));
    let whole = engine.call("Query", &query("byG", json!({"Select": "ALL_ATTRIBUTES"}))).ok();
    assert_eq!(whole["Items"][0]["b"], n(1));

    let not_projected =
        "One or more parameter values were invalid: Global secondary index byN does not project [b, deep]";
    let not_all = "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for \
                   global secondary index byN because its projection type is not ALL";
    for (more, text) in [
        (json!({"ProjectionExpression": "b, a, deep.c"}), not_projected),
        (json!({"Select": "ALL_ATTRIBUTES"}), not_all),
    ] {
        assert_eq!(engine.call("Query", &query("byN", more.clone())).refusal(), text);
        let mut scan = more;
        scan["TableName"] = json!("Items");
        scan["IndexName"] = json!("byN");
        assert_eq!(engine.call("Scan", &scan).refusal(), text);
    }
}

#[test]
fn a_filter_sees_what_the_entry_has_and_never_the_index_key() {
    let engine = filled(2);
    let filtered = |index: &str, filter: &str, more: Value| {
        let mut request = query(index, more);
        request["FilterExpression"] = json!(filter);
        request["ExpressionAttributeValues"][":f"] = n(1);
        engine.call("Query", &request)
    };
    assert_eq!(filtered("byN", "a = :f", json!({})).ok()["Count"], json!(1));
    assert_eq!(filtered("byN", "b = :f", json!({})).ok()["Count"], json!(0), "it isn't projected");
    assert_eq!(filtered("local", "b = :f", json!({})).ok()["Count"], json!(0), "nor fetched for a filter");
    assert_eq!(filtered("local", "b = :f", json!({"Select": "ALL_ATTRIBUTES"})).ok()["Count"], json!(1));
    // The table's key is none of the index's, so it may be filtered on.
    assert_eq!(filtered("byN", "sk <> :f", json!({})).ok()["Count"], json!(2));
    assert_eq!(
        filtered("byN", "n1 = :f", json!({})).refusal(),
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: n1"
    );
    for (path, key) in [("n1.x = :f", "IndexKey: n1"), ("sk[0] = :f", "Key: sk")] {
        let request = json!({
            "TableName": "Items", "IndexName": "byN", "FilterExpression": path,
            "ExpressionAttributeValues": {":f": n(1)},
        });
        let refusal = engine.call("Scan", &request).refusal();
        assert!(refusal.ends_with(&format!("are not allowed: {key}")), "{refusal}");
    }
}

#[test]
fn fetched_items_are_paid_for_one_by_one() {
    let engine = Harness::new();
    create(&engine, &[], &[("local", "l", keys_only())]);
    for (at, text) in [(1, 10), (2, 4_096), (3, 9_000)] {
        let item = json!({
            "pk": s("p"), "sk": s(&at.to_string()), "l": s("x"), "text": s(&"x".repeat(text)),
        });
        engine.put("Items", &item);
    }
    let request = json!({
        "TableName": "Items", "IndexName": "local", "KeyConditionExpression": "pk = :p",
        "FilterExpression": "size(#t) < :l", "ExpressionAttributeNames": {"#t": "text"},
        "ExpressionAttributeValues": {":p": s("p"), ":l": n(100)}, "Select": "ALL_ATTRIBUTES",
        "ReturnConsumedCapacity": "INDEXES", "ConsistentRead": true,
    });
    let answer = engine.traced("Query", &request);
    let trace = answer.trace();
    let body = answer.ok();
    assert_eq!((&body["Count"], &body["ScannedCount"]), (&json!(1), &json!(3)));
    assert_eq!(
        body["ConsumedCapacity"],
        json!({
            "TableName": "Items", "CapacityUnits": 7.0, "Table": {"CapacityUnits": 6.0},
            "LocalSecondaryIndexes": {"local": {"CapacityUnits": 1.0}},
        })
    );
    let accesses = trace["accesses"].as_array().expect("accesses");
    assert_eq!((accesses[0]["index"].clone(), accesses[1]["index"].clone()), (json!("local"), json!(null)));
    assert_eq!(accesses[0]["examined"], json!({"items": 3, "bytes": 24}));
    assert_eq!(accesses[1]["examined"], json!({"items": 3, "bytes": 3 * 12 + 10 + 4_096 + 9_000}));
    assert_eq!(accesses[1]["arithmetic"][2], json!({"step": "round-up", "parts": 3, "value": 6}));
    assert_eq!(accesses[1]["partitions"][0]["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(trace["units"], json!({"read": 7.0, "write": 0.0}));
}

#[test]
fn fetching_pages_as_reading_does() {
    let engine = filled(60);
    let whole = paged(&engine, "Query", query("local", json!({"Select": "ALL_ATTRIBUTES"})));
    assert_eq!(whole.len(), 60);
    for limit in [1, 7, 25, 26, 60] {
        let request = query("local", json!({"Select": "ALL_ATTRIBUTES", "Limit": limit}));
        assert_eq!(paged(&engine, "Query", request), whole, "{limit}");
    }
    let mut backward = paged(
        &engine,
        "Query",
        query("local", json!({"Select": "ALL_ATTRIBUTES", "ScanIndexForward": false})),
    );
    backward.reverse();
    assert_eq!(backward, whole);
}

#[test]
fn the_segments_of_an_index_share_its_entries() {
    let engine = Harness::new();
    create(&engine, &[("byG", &["g"], keys_only())], &[]);
    for at in 0..60 {
        engine
            .put("Items", &json!({"pk": s("p"), "sk": s(&at.to_string()), "g": s(&format!("g{}", at % 20))}));
    }
    let whole = paged(&engine, "Scan", json!({"TableName": "Items", "IndexName": "byG"}));
    let mut shared = Vec::new();
    for segment in 0..4 {
        let request = json!({
            "TableName": "Items", "IndexName": "byG", "Segment": segment, "TotalSegments": 4, "Limit": 3,
        });
        let share = paged(&engine, "Scan", request);
        let partitions: BTreeSet<String> = share.iter().map(|item| item["g"].to_string()).collect();
        let met = share.chunk_by(|one, two| one["g"] == two["g"]).count();
        assert_eq!(met, partitions.len(), "a partition's entries lie together");
        shared.extend(share);
    }
    assert_eq!(shared, whole, "segments are stretches of the whole");
}

#[test]
fn an_index_is_inspected_as_a_table_is() {
    let engine = orders();
    for (ord, st, amt) in [("1", "open", 5), ("2", "open", 3), ("3", "paid", 4)] {
        engine.put("Orders", &json!({"cust": s("c"), "ord": s(ord), "st": s(st), "amt": n(amt)}));
    }
    engine.put("Orders", &json!({"cust": s("c"), "ord": s("4")}));
    let inspection = engine.engine.inspect("Orders", Some("bySt"), Window::default()).expect("an index");
    let inspection: Value = serde_json::from_str(&inspection.to_json()).expect("an inspection is JSON");
    assert_eq!(inspection["index"], json!("bySt"));
    assert_eq!(
        inspection["key"],
        json!({"partition": {"name": "st", "type": "S"}, "sort": {"name": "amt", "type": "N"}})
    );
    assert_eq!((&inspection["partitionCount"], &inspection["itemCount"]), (&json!(2), &json!(3)));
    let partitions = inspection["partitions"].as_array().expect("partitions");
    let open = partitions.iter().find(|one| one["partitionKey"] == json!({"st": s("open")})).expect("open");
    assert_eq!(open["items"][0]["item"]["amt"], n(3));
    let traced = engine.traced(
        "Query",
        &json!({
            "TableName": "Orders", "IndexName": "bySt", "KeyConditionExpression": "st = :s",
            "ExpressionAttributeValues": {":s": s("open")},
        }),
    );
    let access = &traced.trace()["accesses"][0];
    assert_eq!((&access["index"], &access["partitions"][0]["hash"]), (&json!("bySt"), &open["hash"]));
}

#[test]
fn very_many_attributes_that_an_index_lacks_are_listed_each_once() {
    let engine = filled(1);
    let names: Vec<String> = (0..50_000).map(|number| format!("x{number}")).collect();
    let request = json!({"TableName": "Items", "IndexName": "byN", "AttributesToGet": names});
    let refusal = engine.call("Scan", &request).refusal();
    assert!(refusal.contains("does not project [x0, x1, "), "{}", refusal.get(..200).unwrap_or(&refusal));
    assert_eq!(refusal.split(", x").count(), 50_000);
}
