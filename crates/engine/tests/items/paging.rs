//! Pages: where they end, and how the next one goes on.

use serde_json::{Value, json};

use super::harness::{Harness, n, s};

fn numbers(engine: &Harness, table: &str, sorts: impl IntoIterator<Item = u32>, text: &str) {
    for sort in sorts {
        engine.put(table, &json!({"pk": s("p"), "sk": n(sort), "text": s(text)}));
    }
}

fn query(more: Value) -> Value {
    let mut query = json!({
        "TableName": "Items", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": s("p")},
    });
    let members = query.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    query
}

/// The sort keys of all pages of a query.
fn pages(engine: &Harness, request: &Value) -> Vec<Vec<String>> {
    let mut request = request.clone();
    let mut pages = Vec::new();
    loop {
        let page = engine.call("Query", &request).ok();
        let items = page["Items"].as_array().expect("items");
        pages.push(items.iter().map(|item| item["sk"]["N"].as_str().expect("a key").to_owned()).collect());
        match page.get("LastEvaluatedKey") {
            Some(key) => request["ExclusiveStartKey"] = key.clone(),
            None => return pages,
        }
        assert!(pages.len() < 100, "paging comes to an end");
    }
}

#[test]
fn a_page_that_fills_its_limit_has_a_key_even_when_nothing_follows() {
    let engine = Harness::new();
    engine.create("Items", "S", Some("N"));
    numbers(&engine, "Items", 1..=4, "");
    assert_eq!(pages(&engine, &query(json!({"Limit": 2}))), [vec!["1", "2"], vec!["3", "4"], vec![]]);
    assert_eq!(pages(&engine, &query(json!({"Limit": 3}))), [vec!["1", "2", "3"], vec!["4"]]);
    assert_eq!(
        pages(&engine, &query(json!({"Limit": 3, "ScanIndexForward": false}))),
        [vec!["4", "3", "2"], vec!["1"]]
    );
}

#[test]
fn limit_counts_what_is_examined() {
    let engine = Harness::new();
    engine.create("Items", "S", Some("N"));
    numbers(&engine, "Items", 1..=4, "");
    let page = engine.call(
        "Query",
        &query(json!({
            "Limit": 3, "FilterExpression": "#t <> :t", "ExpressionAttributeNames": {"#t": "text"},
            "ExpressionAttributeValues": {":p": s("p"), ":t": s("")},
        })),
    );
    assert_eq!(
        page.ok(),
        json!({
            "Items": [], "Count": 0, "ScannedCount": 3, "LastEvaluatedKey": {"pk": s("p"), "sk": n(3)},
        })
    );
}

#[test]
fn the_item_that_fills_a_megabyte_is_part_of_the_page() {
    let engine = Harness::new();
    engine.create("Items", "S", Some("N"));
    // `pk` 2+1, `sk` 2+2, `text` 4 bytes: 256 KB each.
    numbers(&engine, "Items", 1..=9, &"x".repeat(256 * 1024 - 11));
    let sizes = |request: &Value| pages(&engine, request).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(&query(json!({}))), [4, 4, 1]);
    engine.put("Items", &json!({"pk": s("p"), "sk": n(0)}));
    assert_eq!(sizes(&query(json!({}))), [5, 4, 1], "the first page ends with the item that crosses");
    let page = engine.call(
        "Query",
        &query(json!({
            "ConsistentRead": true, "ReturnConsumedCapacity": "TOTAL", "ProjectionExpression": "sk",
        })),
    );
    let units = page.ok()["ConsumedCapacity"]["CapacityUnits"].clone();
    assert_eq!(units, json!(257.0), "all that was read is paid for, whatever the projection");
}

#[test]
fn a_start_key_need_not_exist() {
    let engine = Harness::new();
    engine.create("Items", "S", Some("N"));
    numbers(&engine, "Items", [1, 3, 5], "");
    let start = |sort: u32| json!({"ExclusiveStartKey": {"pk": s("p"), "sk": n(sort)}});
    assert_eq!(pages(&engine, &query(start(2))), [["3", "5"]]);
    let mut backward = start(4);
    backward["ScanIndexForward"] = json!(false);
    assert_eq!(pages(&engine, &query(backward)), [["3", "1"]]);
}

#[test]
fn segments_share_a_table_and_each_pages_by_itself() {
    let engine = Harness::new();
    engine.create("Items", "N", None);
    for pk in 0..100 {
        engine.put("Items", &json!({"pk": n(pk)}));
    }
    let mut seen = Vec::new();
    for segment in 0..7 {
        let mut request = json!({"TableName": "Items", "Segment": segment, "TotalSegments": 7, "Limit": 4});
        loop {
            let page = engine.call("Scan", &request).ok();
            for item in page["Items"].as_array().expect("items") {
                seen.push(item["pk"]["N"].as_str().expect("a key").parse::<u32>().expect("a number"));
            }
            match page.get("LastEvaluatedKey") {
                Some(key) => request["ExclusiveStartKey"] = key.clone(),
                None => break,
            }
        }
        let other = (segment + 1) % 7;
        if let Some(start) = request.get("ExclusiveStartKey") {
            let refused = engine.call(
                "Scan",
                &json!({
                    "TableName": "Items", "Segment": other, "TotalSegments": 7, "ExclusiveStartKey": start,
                }),
            );
            assert_eq!(
                refused.refusal(),
                format!(
                    "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use \
                     ExclusiveStartKey with correct Segment. TotalSegments: 7 Segment: {other}"
                )
            );
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..100).collect::<Vec<_>>());
}

#[test]
fn a_deleted_tables_pages_end_with_it() {
    let engine = Harness::new();
    engine.create("Items", "S", Some("N"));
    numbers(&engine, "Items", 1..=4, "");
    let page = engine.call("Query", &query(json!({"Limit": 2}))).ok();
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    let next = query(json!({"ExclusiveStartKey": page["LastEvaluatedKey"]}));
    assert_eq!(engine.call("Query", &next).error().0, "ResourceNotFoundException");
    engine.create("Items", "S", Some("N"));
    assert_eq!(pages(&engine, &next), [Vec::<String>::new()], "a new table of the name starts empty");
}
