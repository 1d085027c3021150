//! How a table's items lie.

use keyplan_engine::inspect::{InspectError, Inspection, Window};
use serde_json::{Value, json};

use super::harness::{Harness, n, s};

fn as_json(inspection: &Inspection) -> Value {
    serde_json::from_str(&inspection.to_json()).expect("an inspection is JSON")
}

fn shop() -> Harness {
    let engine = Harness::new();
    engine.create("Shop", "S", Some("N"));
    for (pk, count) in [("a", 3), ("b", 1), ("c", 2)] {
        for sk in 0..count {
            engine.put("Shop", &json!({"pk": s(pk), "sk": n(sk + 1)}));
        }
    }
    engine
}

#[test]
fn partitions_stand_in_the_order_a_scan_meets_them() {
    let engine = shop();
    let inspection = as_json(&engine.engine.inspect("Shop", None, Window::default()).expect("a table"));
    assert_eq!(
        inspection["key"],
        json!({"partition": {"name": "pk", "type": "S"}, "sort": {"name": "sk", "type": "N"}})
    );
    let partitions = inspection["partitions"].as_array().expect("partitions");
    let listed: Vec<Value> = partitions
        .iter()
        .flat_map(|partition| partition["items"].as_array().expect("items"))
        .map(|item| item["item"].clone())
        .collect();
    let scanned = engine.call("Scan", &json!({"TableName": "Shop"})).ok();
    assert_eq!(json!(listed), scanned["Items"]);
    let first = &partitions[0];
    assert!(first["hash"].as_str().expect("a hash").starts_with(first["badge"].as_str().expect("a badge")));
    let of_a = partitions.iter().find(|partition| partition["partitionKey"] == json!({"pk": s("a")}));
    let of_a = of_a.expect("partition a");
    // `pk` 2+1, `sk` 2+2 bytes.
    assert_eq!(
        (&of_a["itemCount"], &of_a["bytes"], &of_a["itemsLeftOut"]),
        (&json!(3), &json!(21), &json!(0))
    );
    assert_eq!(of_a["items"][0], json!({"bytes": 7, "item": {"pk": s("a"), "sk": n(1)}}));
    for (member, value) in [
        ("table", json!("Shop")),
        ("index", json!(null)),
        ("partitionCount", json!(3)),
        ("itemCount", json!(6)),
        ("bytes", json!(42)),
        ("partitionsLeftOut", json!(0)),
        ("complete", json!(true)),
    ] {
        assert_eq!(inspection[member], value, "{member}");
    }
}

#[test]
fn what_is_not_listed_is_counted() {
    let engine = shop();
    let window = Window { partitions: 2, items: 2 };
    let inspection = engine.engine.inspect("Shop", None, window).expect("a table");
    let whole = engine.engine.inspect("Shop", None, Window::default()).expect("a table");
    assert_eq!(inspection.partitions.len(), 2);
    assert_eq!((inspection.partition_count, inspection.totals.items), (3, 6));
    for (listed, all) in inspection.partitions.iter().zip(&whole.partitions) {
        assert_eq!(listed.held, all.held);
    }
    let listed: usize = inspection.partitions.iter().map(|partition| partition.items.len()).sum();
    assert_eq!(listed, 2);
    let json = as_json(&inspection);
    assert_eq!(json["partitionsLeftOut"], json!(1));
    let left_out: u64 = inspection.partitions.iter().map(|partition| partition.items_left_out()).sum();
    let held: u64 = inspection.partitions.iter().map(|partition| partition.held.items).sum();
    assert_eq!(left_out, held - 2);
}

#[test]
fn it_says_what_is_not_there() {
    let engine = shop();
    let table = engine.engine.inspect("Nope", None, Window::default());
    assert!(matches!(table, Err(InspectError::NoSuchTable { table }) if table == "Nope"));
    let index = engine.engine.inspect("Shop", Some("byDay"), Window::default());
    assert!(matches!(index, Err(InspectError::NoSuchIndex { index, .. }) if index == "byDay"));
}
