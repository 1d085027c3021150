//! Exports, imports and bulk puts: what they read and write, and that they go on where they stood.

use std::collections::BTreeMap;
use std::sync::Arc;

use keyplan_engine::buckets::{Buckets, MemoryBuckets};
use keyplan_engine::catalog;
use keyplan_engine::{Engine, EngineOptions};
use keyplan_formats::{Packing, md5, pack, unpacked};
use keyplan_store::{MemoryStore, Store, StoreExt};
use keyplan_value::base64;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, cases, n, s, sorted};

pub struct World {
    store: Arc<MemoryStore>,
    buckets: MemoryBuckets,
    pub engine: Harness,
}

impl World {
    pub fn new() -> World {
        let (store, buckets) = (Arc::new(MemoryStore::new()), MemoryBuckets::named(["in", "out"]));
        let engine = Harness::over(open(&store, &buckets));
        World { store, buckets, engine }
    }

    /// The engine ends, and another goes on with what is stored.
    fn reopen(&mut self) {
        self.engine.replace(open(&self.store, &self.buckets));
    }

    pub fn object(&self, key: &str, bytes: &[u8]) {
        self.buckets.put("in", key, bytes).expect("the bucket is there");
    }

    pub fn import(&self, request: Value) -> String {
        let mut request = request;
        request["S3BucketSource"] = json!({"S3Bucket": "in"});
        let answer = self.engine.call("ImportTable", &request).ok();
        answer["ImportTableDescription"]["ImportArn"].as_str().expect("an ARN").to_owned()
    }

    pub fn imported(&self, arn: &str) -> Value {
        self.engine.call("DescribeImport", &json!({"ImportArn": arn})).ok()["ImportTableDescription"].clone()
    }

    fn items(&self, table: &str) -> Vec<Value> {
        let answer = self.engine.call("Scan", &json!({"TableName": table})).ok();
        sorted(answer["Items"].as_array().expect("items").clone())
    }

    /// Objects of the bucket of outputs whose keys end so, unpacked, by key.
    fn outputs(&self, ending: &str) -> BTreeMap<String, String> {
        let found = self.buckets.list("out", "", None, 10_000).expect("the bucket is there");
        let found = found.into_iter().filter(|object| object.key.ends_with(ending));
        found
            .map(|object| {
                let bytes = self.buckets.get("out", &object.key, 0, usize::MAX).expect("it is there");
                let packing = if ending.ends_with(".gz") { Packing::Gzip } else { Packing::None };
                let mut text = String::new();
                let mut reader = unpacked(packing, Box::new(std::io::Cursor::new(bytes)));
                reader.read_to_string(&mut text).expect("text");
                (object.key, text)
            })
            .collect()
    }

    fn lines(&self, ending: &str) -> Vec<Value> {
        let files = self.outputs(ending).into_values().collect::<String>();
        files.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Recovery to a point in time is enabled.
    fn recover(&self, table: &str) {
        let enabled = json!({"PointInTimeRecoveryEnabled": true});
        let request = json!({"TableName": table, "PointInTimeRecoverySpecification": enabled});
        self.engine.call("UpdateContinuousBackups", &request).ok();
    }

    fn export(&self, request: Value) -> String {
        let mut request = request;
        request["S3Bucket"] = json!("out");
        let answer = self.engine.call("ExportTableToPointInTime", &request).ok();
        answer["ExportDescription"]["ExportArn"].as_str().expect("an ARN").to_owned()
    }

    fn exported(&self, arn: &str) -> Value {
        self.engine.call("DescribeExport", &json!({"ExportArn": arn})).ok()["ExportDescription"].clone()
    }
}

fn open(store: &Arc<MemoryStore>, buckets: &MemoryBuckets) -> Engine {
    let options = EngineOptions { undo_depth: 5, buckets: Arc::new(buckets.clone()) };
    Engine::open(Arc::clone(store) as Arc<dyn Store>, options).expect("it opens")
}

fn table(name: &str) -> Value {
    json!({
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    })
}

pub fn json_import(name: &str) -> Value {
    json!({"InputFormat": "DYNAMODB_JSON", "TableCreationParameters": table(name)})
}

const ARN: &str = "arn:aws:dynamodb:us-east-1:123456789012:table/Shop";

#[test]
fn valid_items_are_imported_and_others_are_counted() {
    let world = World::new();
    let good = r#"{"Item":{"pk":{"S":"a"},"n":{"N":"1"}}}{"Item":{"pk":{"S":"b"}}}"#;
    let bad = format!(
        "{}\n{}\n{}\n{}\n{}\n{}\nnone\n",
        r#"{"pk":{"S":"c"}}"#,
        r#"{"Item":{"n":{"N":"1"}}}"#,
        r#"{"Item":{"pk":{"N":"1"}}}"#,
        r#"{"Item":{"pk":{"S":"d"},"x":{"NS":[]}}}"#,
        json!({"Item": {"pk": {"S": "e"}, "x": {"S": "x".repeat(410_000)}}}),
        format_args!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
    );
    world.object("1.json", good.as_bytes());
    world.object("2.json", &[bad.as_bytes(), br#"{"Item":{"pk":{"S":"f"}}}"#].concat());
    let arn = world.import(json_import("Shop"));
    world.engine.settle();
    let found = world.imported(&arn);
    assert_eq!(found["ImportStatus"], "FAILED");
    assert_eq!(found["FailureCode"], "ItemValidationError");
    assert_eq!([&found["ErrorCount"], &found["ProcessedItemCount"], &found["ImportedItemCount"]], [7, 10, 3]);
    let keys: Vec<Value> = world.items("Shop").iter().map(|item| item["pk"].clone()).collect();
    assert_eq!(keys, [s("a"), s("b"), s("f")]);
    let described = world.engine.call("DescribeTable", &json!({"TableName": "Shop"})).ok();
    assert_eq!(
        [&described["Table"]["ItemCount"], &described["Table"]["TableStatus"]],
        [&json!(3), &json!("ACTIVE")]
    );
}

#[test]
fn a_table_can_not_be_used_while_it_is_imported() {
    let world = World::new();
    let lines: String =
        (0..3_000).map(|at| format!("{}\n", json!({"Item": {"pk": s(&at.to_string())}}))).collect();
    world.object("in.json", lines.as_bytes());
    let arn = world.import(json_import("Shop"));
    let name = json!({"TableName": "Shop"});
    let described = world.engine.call("DescribeTable", &name).ok();
    assert_eq!(described["Table"]["TableStatus"], "CREATING");
    let found = world.imported(&arn);
    assert_eq!([&found["ImportStatus"], &found["EndTime"]], [&json!("IN_PROGRESS"), &Value::Null]);
    let scanned = world.engine.call("Scan", &name).error();
    assert_eq!(scanned, ("ResourceNotFoundException".to_owned(), "Requested resource not found".to_owned()));
    for (operation, body) in [
        ("DeleteTable", &name),
        ("UpdateTable", &json!({"TableName": "Shop", "DeletionProtectionEnabled": true})),
    ] {
        let (kind, text) = world.engine.call(operation, body).error();
        assert_eq!(kind, "ResourceInUseException", "{operation}");
        assert!(text.ends_with("Table is being created: Shop"), "{text}");
    }
    world.engine.settle();
    assert_eq!(world.imported(&arn)["ImportedItemCount"], 3_000);
    world.engine.call("DeleteTable", &name).ok();
}

#[test]
fn packed_objects_under_a_prefix_are_imported() {
    let world = World::new();
    let line = |key: &str| format!("{}\n", json!({"Item": {"pk": s(key)}}));
    world.object("yes/1", &pack(line("a").as_bytes()).expect("packed"));
    world.object("yes/2", &pack(line("b").as_bytes()).expect("packed"));
    world.object("yes/3", &pack(line("c").as_bytes()).expect("packed")[..20]);
    world.object("no", line("d").as_bytes());
    let request = json!({
        "S3BucketSource": {"S3Bucket": "in", "S3KeyPrefix": "yes/"}, "InputCompressionType": "GZIP",
        "InputFormat": "DYNAMODB_JSON", "TableCreationParameters": table("Shop"),
    });
    let answer = world.engine.call("ImportTable", &request).ok();
    world.engine.settle();
    let arn = answer["ImportTableDescription"]["ImportArn"].as_str().expect("an ARN");
    let found = world.imported(arn);
    assert_eq!([&found["ErrorCount"], &found["ImportedItemCount"]], [1, 2], "a damaged object is one error");
    assert_eq!(world.items("Shop"), [json!({"pk": s("a")}), json!({"pk": s("b")})]);
}

#[test]
fn csv_has_the_types_of_keys_and_else_strings() {
    let world = World::new();
    world.object(
        "a.csv",
        b"pk,n,note,bin\r\na,10,\"x, \"\"y\"\"\nz\",AQI=\nb,1.50,,AQ==\nc,none,x,AQ==\nd,1\n",
    );
    world.object("b.csv", b"note,pk,n,bin\nlast,e,3,AQ==\n");
    let definitions = [("pk", "S"), ("n", "N"), ("bin", "B")]
        .map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind}));
    let arn = world.import(json!({
        "InputFormat": "CSV",
        "TableCreationParameters": {
            "TableName": "Shop", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [{"IndexName": "by-n", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
                {"AttributeName": "n", "KeyType": "HASH"}, {"AttributeName": "bin", "KeyType": "RANGE"}]}],
        },
    }));
    world.engine.settle();
    assert_eq!(world.imported(&arn)["ErrorCount"], 2);
    let row = |pk: &str, number: &str, note: &str, bin: &str| json!({"pk": s(pk), "n": n(number), "note": s(note), "bin": {"B": bin}});
    let wanted =
        [row("a", "10", "x, \"y\"\nz", "AQI="), row("b", "1.5", "", "AQ=="), row("e", "3", "last", "AQ==")];
    assert_eq!(world.items("Shop"), wanted);
    let queried = world.engine.call(
        "Query",
        &json!({"TableName": "Shop", "IndexName": "by-n", "KeyConditionExpression": "n = :n",
            "ExpressionAttributeValues": {":n": n(3)}}),
    );
    assert_eq!(queried.ok()["Count"], 1);
}

#[test]
fn csv_takes_its_header_and_delimiter_from_the_request() {
    let world = World::new();
    world.object("a", "x;1\ny;2\n".as_bytes());
    let options = json!({"Csv": {"Delimiter": ";", "HeaderList": ["pk", "v"]}});
    world.import(
        json!({"InputFormat": "CSV", "InputFormatOptions": options, "TableCreationParameters": table("Shop")}),
    );
    world.engine.settle();
    assert_eq!(world.items("Shop"), [json!({"pk": s("x"), "v": s("1")}), json!({"pk": s("y"), "v": s("2")})]);
}

#[test]
fn an_import_from_no_bucket_makes_no_table() {
    let world = World::new();
    let mut request = json_import("Shop");
    request["S3BucketSource"] = json!({"S3Bucket": "none"});
    let answer = world.engine.call("ImportTable", &request).ok();
    let arn = answer["ImportTableDescription"]["ImportArn"].as_str().expect("an ARN").to_owned();
    world.engine.settle();
    let found = world.imported(&arn);
    assert_eq!([&found["ImportStatus"], &found["FailureCode"]], ["FAILED", "S3NoSuchBucket"]);
    assert_eq!(world.engine.call("ListTables", &json!({})).ok()["TableNames"], json!([]));
    let arn = world.import(json_import("Shop"));
    world.engine.settle();
    let found = world.imported(&arn);
    assert_eq!([&found["ImportStatus"], &found["ImportedItemCount"]], [&json!("COMPLETED"), &json!(0)]);
}

#[test]
fn a_token_that_comes_again_begins_nothing() {
    let world = World::new();
    let mut request = json_import("Shop");
    request["ClientToken"] = json!("once");
    let first = world.import(request.clone());
    world.engine.settle();
    assert_eq!(world.import(request.clone()), first);
    request["InputFormat"] = json!("ION");
    request["S3BucketSource"] = json!({"S3Bucket": "in"});
    assert_eq!(world.engine.call("ImportTable", &request).error().0, "ImportConflictException");
    world.engine.advance(8 * 60 * 60 * 1_000 + 60_000);
    assert_eq!(world.engine.call("ImportTable", &request).error().0, "ResourceInUseException");
    world.engine.advance(91 * 24 * 60 * 60 * 1_000);
    world.engine.settle();
    let listed = world.engine.call("ListImports", &json!({})).ok();
    assert_eq!(listed["ImportSummaryList"], json!([]));
}

fn bulk(output: Value) -> Value {
    json!({
        "TableName": "Shop",
        "InputS3Configuration": {"S3Bucket": "in", "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {"S3Bucket": "out", "S3KeyPrefix": "reports", "OutputType": output},
    })
}

#[test]
fn a_bulk_put_reports_what_it_did_not_put() {
    let world = World::new();
    world.engine.create("Shop", "S", None);
    world.engine.put("Shop", &json!({"pk": s("old"), "v": n(1)}));
    let new = "attribute_not_exists(pk)";
    let lines = [
        json!({"Item": {"pk": s("a")}, "ConditionExpression": new}),
        json!({"Item": {"pk": s("old")}, "ConditionExpression": new}),
        json!({"Item": {"pk": s("old"), "v": n(2)}, "ConditionExpression": "#v = :one",
            "ExpressionAttributeNames": {"#v": "v"}, "ExpressionAttributeValues": {":one": n(1)}}),
        json!({"Item": {"pk": s("old"), "v": n(3)}, "ConditionExpression": "v = :two",
            "ExpressionAttributeValues": {":two": n(2)}}),
        json!({"Item": {"v": n(3)}}),
        json!({"Item": {"pk": s("b")}, "ConditionExpression": "nonsense("}),
    ];
    world.object("in.json", lines.map(|line| format!("{line}\n")).concat().as_bytes());
    let answer =
        world.engine.call("StartBulkPutItems", &bulk(json!(["ERROR", "CONDITION_CHECK_FAILURE"]))).ok();
    let arn = answer["BulkOperationDescription"]["BulkOperationArn"].clone();
    assert_eq!(answer["BulkOperationDescription"]["BulkOperationStatus"], "IN_PROGRESS");
    world.engine.settle();
    let found = world.engine.call("DescribeBulkOperation", &json!({"BulkOperationArn": arn})).ok();
    let found = &found["BulkOperationDescription"];
    assert_eq!(found["BulkOperationStatus"], "COMPLETED_WITH_ERRORS");
    assert_eq!([&found["ProcessedItemCount"], &found["FailedItemCount"]], [6, 2]);
    assert_eq!(found["ProcessedInputBytes"], found["TotalInputBytes"]);
    assert_eq!(world.items("Shop"), [json!({"pk": s("a")}), json!({"pk": s("old"), "v": n(3)})]);
    let errors: Vec<Value> = world
        .outputs(".json.gz")
        .into_iter()
        .filter(|(key, _)| key.contains("/errors/"))
        .flat_map(|(_, text)| {
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
        })
        .collect();
    assert_eq!(
        errors.iter().map(|line| line["itemS3Pointer"]["itemIndex"].clone()).collect::<Vec<_>>(),
        [4, 5]
    );
    let refused: Vec<Value> =
        world.lines("json.gz").into_iter().filter(|line| line.get("Item").is_some()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0]["ExistingItem"], json!({"pk": s("old"), "v": n(1)}));
    assert!(world.outputs("manifest-summary.json").keys().all(|key| key.starts_with("reports/AWSDynamoDB/")));
    let undone = world.engine.engine.undo(world.engine.now()).expect("the store works");
    assert_eq!(undone.expect("there is one").operation, "PutItem", "what jobs put is not taken back");
}

#[test]
fn a_bulk_put_can_be_cancelled() {
    let world = World::new();
    world.engine.create("Shop", "S", None);
    let lines: String =
        (0..5_000).map(|at| format!("{}\n", json!({"Item": {"pk": s(&at.to_string())}}))).collect();
    world.object("in.json", lines.as_bytes());
    let answer = world.engine.call("StartBulkPutItems", &bulk(json!(["ERROR"]))).ok();
    let arn = json!({"BulkOperationArn": answer["BulkOperationDescription"]["BulkOperationArn"]});
    assert_eq!(world.engine.call("CancelBulkOperation", &arn).ok()["BulkOperationStatus"], "CANCELLING");
    world.engine.settle();
    let found = world.engine.call("DescribeBulkOperation", &arn).ok();
    assert_eq!(found["BulkOperationDescription"]["BulkOperationStatus"], "CANCELLED");
    assert!(world.items("Shop").len() < 1_000, "it went on");
    assert_eq!(world.engine.call("CancelBulkOperation", &arn).ok()["BulkOperationStatus"], "CANCELLED");
}

#[test]
fn an_export_is_what_its_manifests_say_and_can_be_imported() {
    let world = World::new();
    world.engine.create("Shop", "S", None);
    world.recover("Shop");
    for (key, value) in
        [("a", json!({"SS": ["x", "y"]})), ("b", n(600)), ("c", json!({"M": {"k": {"NULL": true}}}))]
    {
        world.engine.put("Shop", &json!({"pk": s(key), "v": value}));
    }
    let wanted = world.items("Shop");
    let moment = world.engine.now();
    for (format, ending) in [("DYNAMODB_JSON", ".json.gz"), ("ION", ".ion.gz")] {
        world.engine.put("Shop", &json!({"pk": s("later")}));
        let at = moment.seconds();
        let arn = world
            .export(json!({"TableArn": ARN, "S3Prefix": format, "ExportFormat": format, "ExportTime": at}));
        world.engine.settle();
        let found = world.exported(&arn);
        assert_eq!([&found["ExportStatus"], &found["ItemCount"]], [&json!("COMPLETED"), &json!(3)]);
        let manifest = found["ExportManifest"].as_str().expect("a manifest");
        let read = |key: &str| {
            let bytes = world.buckets.get("out", key, 0, usize::MAX).expect("it is there");
            serde_json::from_slice::<Value>(&bytes).expect("JSON")
        };
        let summary = read(manifest);
        assert_eq!([&summary["itemCount"], &summary["exportArn"]], [&json!(3), &json!(arn)]);
        let file = read(summary["manifestFilesS3Key"].as_str().expect("a key"));
        let key = file["dataFileS3Key"].as_str().expect("a key");
        assert!(key.starts_with(&format!("{format}/AWSDynamoDB/")) && key.ends_with(ending), "{key}");
        let packed = world.buckets.get("out", key, 0, usize::MAX).expect("it is there");
        let mut sum = Vec::new();
        base64::encode(&md5(&packed), &mut sum);
        assert_eq!(file["md5Checksum"], json!(String::from_utf8_lossy(&sum)));
        world.engine.call("ImportTable", &json!({
            "S3BucketSource": {"S3Bucket": "out", "S3KeyPrefix": key.rsplit_once('/').expect("a folder").0},
            "InputFormat": format, "InputCompressionType": "GZIP", "TableCreationParameters": table(format),
        })).ok();
        world.engine.settle();
        assert_eq!(world.items(format), wanted);
    }
}

#[test]
fn an_export_keeps_what_its_filter_says() {
    let world = World::new();
    world.engine.create("Shop", "S", Some("N"));
    world.recover("Shop");
    for number in 0..5 {
        world.engine.put("Shop", &json!({"pk": s("a"), "sk": n(number), "v": n(number * 10), "w": s("w")}));
        world.engine.put("Shop", &json!({"pk": s("b"), "sk": n(number), "v": n(number * 10), "w": s("w")}));
    }
    let filter = json!({
        "KeyConditionExpression": "pk = :a AND sk > :one", "FilterExpression": "v < :most",
        "ProjectionExpression": "pk, #v", "ExpressionAttributeNames": {"#v": "v"},
        "ExpressionAttributeValues": {":a": s("a"), ":one": n(1), ":most": n(40)},
    });
    let arn = world.export(json!({"TableArn": ARN, "FilterSpecification": filter}));
    world.engine.settle();
    assert_eq!(world.exported(&arn)["ItemCount"], 2);
    let item = |v: u8| json!({"Item": {"pk": s("a"), "v": n(v)}});
    assert_eq!(world.lines(".json.gz"), [item(20), item(30)]);
    let refused = |filter: Value| {
        let request = json!({"TableArn": ARN, "S3Bucket": "out", "FilterSpecification": filter});
        world.engine.call("ExportTableToPointInTime", &request).refusal()
    };
    let values = json!({":a": s("a")});
    assert_eq!(
        refused(json!({"KeyConditionExpression": "v = :a", "ExpressionAttributeValues": values})),
        "Query condition missed key schema element: pk"
    );
    assert!(
        refused(json!({"FilterExpression": "v = "})).starts_with("Invalid FilterExpression: Syntax error")
    );
    assert_eq!(
        refused(
            json!({"KeyConditionExpression": "pk = :a", "FilterExpression": "sk = :a", "ExpressionAttributeValues": values})
        ),
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"
    );
}

#[test]
fn an_incremental_export_has_one_line_for_each_changed_item() {
    let world = World::new();
    world.engine.create("Shop", "S", None);
    world.recover("Shop");
    for key in ["kept", "changed", "gone"] {
        world.engine.put("Shop", &json!({"pk": s(key), "v": n(1)}));
    }
    let from = world.engine.now();
    for (key, value) in [("changed", 2), ("changed", 3), ("new", 1), ("brief", 1)] {
        world.engine.put("Shop", &json!({"pk": s(key), "v": n(value)}));
    }
    for key in ["gone", "brief"] {
        world.engine.call("DeleteItem", &json!({"TableName": "Shop", "Key": {"pk": s(key)}})).ok();
    }
    world.engine.advance(16 * 60 * 1_000);
    let to = world.engine.now();
    world.engine.put("Shop", &json!({"pk": s("after")}));
    for (view, old) in [("NEW_AND_OLD_IMAGES", true), ("NEW_IMAGE", false)] {
        let arn = world.export(json!({
            "TableArn": ARN, "ExportType": "INCREMENTAL_EXPORT", "S3Prefix": view,
            "IncrementalExportSpecification":
                {"ExportFromTime": from.seconds(), "ExportToTime": to.seconds(), "ExportViewType": view},
        }));
        world.engine.settle();
        let found = world.exported(&arn);
        assert_eq!([&found["ExportStatus"], &found["ItemCount"]], [&json!("COMPLETED"), &json!(3)]);
        let lines: Vec<Value> = world
            .outputs(".json.gz")
            .into_iter()
            .filter(|(key, _)| key.starts_with(&format!("{view}/AWSDynamoDB/data/")))
            .flat_map(|(_, text)| {
                text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
            })
            .collect();
        let line = |key: &str| lines.iter().find(|line| line["Keys"]["pk"] == s(key)).expect("a line");
        let image = |key: &str, v: u8| json!({"pk": s(key), "v": n(v)});
        let shown = |image: Value| if old { image } else { Value::Null };
        assert_eq!(
            [&line("changed")["OldImage"], &line("changed")["NewImage"]],
            [&shown(image("changed", 1)), &image("changed", 3)]
        );
        assert_eq!([&line("new")["OldImage"], &line("new")["NewImage"]], [&Value::Null, &image("new", 1)]);
        assert_eq!(
            [&line("gone")["OldImage"], &line("gone")["NewImage"]],
            [&shown(image("gone", 1)), &Value::Null]
        );
        assert!(line("new")["Metadata"]["WriteTimestampMicros"]["N"].is_string());
        assert_eq!(lines.len(), 3);
        let summary =
            world.outputs(&format!("{}/manifest-summary.json", arn.rsplit('/').next().expect("an id")));
        let summary: Value = serde_json::from_str(summary.values().next().expect("a summary")).expect("JSON");
        assert_eq!([&summary["exportType"], &summary["outputView"]], ["INCREMENTAL_EXPORT", view]);
    }
}

#[test]
fn an_export_to_no_bucket_fails_and_leaves_nothing_behind() {
    let world = World::new();
    world.engine.create("Shop", "S", None);
    world.recover("Shop");
    let request = json!({"TableArn": ARN, "S3Bucket": "none"});
    let answer = world.engine.call("ExportTableToPointInTime", &request).ok();
    let arn = answer["ExportDescription"]["ExportArn"].as_str().expect("an ARN").to_owned();
    world.engine.settle();
    let found = world.exported(&arn);
    assert_eq!([&found["ExportStatus"], &found["FailureCode"]], ["FAILED", "S3NoSuchBucket"]);
    let table = world.store.view(|snapshot| catalog::table_in(snapshot, "Shop")).expect("the store works");
    assert!(table.expect("readable").expect("it is there").copies.is_empty(), "nothing is held for it");
}

/// The tab has a stack of a megabyte.
#[test]
fn packing_unpacking_and_nested_values_need_little_stack() {
    let work = || {
        let world = World::new();
        world.engine.create("Shop", "S", None);
        world.recover("Shop");
        let deep = format!("{{Item:{{pk:\"a\",v:{}{}}}}}\n", "[".repeat(31), "]".repeat(31));
        let deeper = format!("{{Item:{{pk:\"b\",v:{}{}}}}}\n", "[".repeat(100_000), "]".repeat(100_000));
        world.object("ion", &pack([deep, deeper].concat().as_bytes()).expect("packed"));
        let mut request = bulk(json!(["ERROR"]));
        request["InputS3Configuration"] =
            json!({"S3Bucket": "in", "InputFormat": "ION", "InputCompressionType": "GZIP"});
        world.engine.call("StartBulkPutItems", &request).ok();
        world.engine.settle();
        let arn = world.export(json!({"TableArn": ARN, "ExportFormat": "ION"}));
        world.engine.settle();
        assert_eq!(world.exported(&arn)["ItemCount"], 1);
    };
    let small = std::thread::Builder::new().stack_size(1024 * 1024).spawn(work).expect("a thread");
    small.join().expect("it is enough");
}

proptest! {
    #![proptest_config(cases(24))]

    /// Whatever the slices, and whenever the engine ends: each record is put once, in the file's order.
    #[test]
    fn an_import_goes_on_where_it_stood(
        files in proptest::collection::vec(proptest::collection::vec((0..9_u8, any::<u8>()), 0..12), 1..4),
        packed: bool,
        budgets in proptest::collection::vec(1..7_u32, 1..40),
        reopenings in proptest::collection::vec(any::<bool>(), 40),
    ) {
        let mut world = World::new();
        let mut wanted = BTreeMap::new();
        let mut wrong = 0;
        for (at, records) in files.iter().enumerate() {
            let mut text = String::new();
            for (key, value) in records {
                if *value < 40 {
                    wrong += 1;
                    text += "no item\n";
                } else {
                    let item = json!({"pk": s(&key.to_string()), "v": n(value)});
                    text += &format!("{}\n", json!({"Item": item}));
                    wanted.insert(*key, item);
                }
            }
            let bytes = if packed { pack(text.as_bytes()).expect("packed") } else { text.into_bytes() };
            world.object(&at.to_string(), &bytes);
        }
        let packing = if packed { "GZIP" } else { "NONE" };
        let mut request = json_import("Shop");
        request["InputCompressionType"] = json!(packing);
        let arn = world.import(request);
        for (budget, reopens) in budgets.into_iter().zip(reopenings) {
            world.engine.engine.step(world.engine.now(), budget).expect("the store works");
            if reopens {
                world.reopen();
            }
        }
        world.engine.settle();
        let found = world.imported(&arn);
        let total: usize = files.iter().map(Vec::len).sum();
        prop_assert_eq!(&found["ProcessedItemCount"], &json!(total));
        prop_assert_eq!(&found["ErrorCount"], &json!(wrong));
        prop_assert_eq!(&found["ImportedItemCount"], &json!(total - wrong));
        prop_assert_eq!(world.items("Shop"), wanted.into_values().collect::<Vec<_>>());
    }

    /// Whatever is written beside it, and whenever the engine ends, an export is the table as it was.
    #[test]
    fn an_export_goes_on_where_it_stood(
        count in 0..30_u8,
        steps in proptest::collection::vec((1..9_u32, 0..30_u8, any::<bool>()), 1..30),
    ) {
        let mut world = World::new();
        world.engine.create("Shop", "S", None);
        world.recover("Shop");
        for at in 0..count {
            world.engine.put("Shop", &json!({"pk": s(&at.to_string()), "v": n(0)}));
        }
        let wanted = world.items("Shop");
        let arn = world.export(json!({"TableArn": ARN}));
        for (budget, key, reopens) in steps {
            world.engine.engine.step(world.engine.now(), budget).expect("the store works");
            world.engine.put("Shop", &json!({"pk": s(&key.to_string()), "v": n(1)}));
            if reopens {
                world.reopen();
            }
        }
        world.engine.settle();
        prop_assert_eq!(&world.exported(&arn)["ItemCount"], &json!(count));
        let lines: Vec<Value> = world.lines(".json.gz").into_iter().map(|line| line["Item"].clone()).collect();
        prop_assert_eq!(sorted(lines), wanted);
    }
}
