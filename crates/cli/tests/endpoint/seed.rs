//! `--seed` and `--model`.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::serving::{Serving, fails, put, table, text};

fn scan_count(serving: &Serving, table: &str) -> u64 {
    let answer = serving.call("Scan", &format!(r#"{{"TableName":"{table}"}}"#));
    answer["Count"].as_u64().expect("a count")
}

/// A folder with tables and items in several of the forms that people have.
fn folder(at: &Path) {
    fs::write(at.join("tables.json"), format!("[{}, {}]", table("Shop"), table("my.table")))
        .expect("written");
    let described = table("Described").replace(r#","BillingMode":"PAY_PER_REQUEST""#, "");
    let described = described.replacen(
        '{',
        r#"{"TableStatus":"ACTIVE","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"#,
        1,
    );
    fs::write(at.join("described.json"), format!(r#"{{"Table": {described}}}"#)).expect("written");
    let many: String =
        (0..60).map(|number| format!("{{\"Item\":{{\"id\":{{\"S\":\"{number}\"}}}}}}\n")).collect();
    // The last of one key counts, as with one put after the other.
    fs::write(at.join("Shop.items.jsonl"), many + r#"{"id":{"S":"7"},"v":{"N":"1"}}"#).expect("written");
    fs::write(at.join("my.table.json"), r#"[{"id":{"S":"a"}}]"#).expect("written");
    let batch = r#"{"Described":[{"PutRequest":{"Item":{"id":{"S":"a"}}}},{"PutRequest":{"Item":{"id":{"S":"b"}}}}]}"#;
    fs::write(at.join("batch.json"), batch).expect("written");
    let export = at.join("Shop/AWSDynamoDB/0176/data");
    fs::create_dir_all(&export).expect("made");
    fs::write(at.join("Shop/AWSDynamoDB/0176/manifest-summary.json"), r#"{"version":"2020-06-30"}"#)
        .expect("written");
    let file = fs::File::create(export.join("part.json.gz")).expect("made");
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    gzip.write_all(b"{\"Item\":{\"id\":{\"S\":\"exported\"}}}\n").expect("written");
    gzip.finish().expect("written");
}

#[test]
fn tables_and_items_of_all_forms_are_there_when_the_port_is_announced() {
    let seed = tempfile::tempdir().expect("a folder");
    folder(seed.path());
    let serving = Serving::start(&["--seed", text(seed.path())]);
    assert_eq!(serving.table_names("us-east-1", "key"), ["Described", "Shop", "my.table"]);
    assert_eq!(scan_count(&serving, "Shop"), 61);
    assert_eq!(scan_count(&serving, "my.table"), 1);
    assert_eq!(scan_count(&serving, "Described"), 2);
    let answer = serving.call("GetItem", r#"{"TableName":"Shop","Key":{"id":{"S":"7"}}}"#);
    assert_eq!(answer["Item"]["v"]["N"], "1");
}

#[test]
fn tables_that_a_file_has_already_are_left_alone_and_it_says_so() {
    let seed = tempfile::tempdir().expect("a folder");
    folder(seed.path());
    let data = tempfile::tempdir().expect("a folder");
    let db = data.path().join("shop.db");
    let arguments = ["--db", text(&db), "--seed", text(seed.path())];
    let serving = Serving::start(&arguments);
    serving.call("PutItem", &put("Shop", "mine"));
    serving.call("DeleteItem", r#"{"TableName":"Shop","Key":{"id":{"S":"7"}}}"#);
    serving.call("DeleteTable", r#"{"TableName":"my.table"}"#);
    let ended = serving.stop();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let serving = Serving::start(&arguments);
    assert_eq!(scan_count(&serving, "Shop"), 61, "one more and one less, and the seed's are not put again");
    assert_eq!(scan_count(&serving, "my.table"), 1, "what was not there is made");
    let ended = serving.stop();
    for table in ["Described", "Shop"] {
        assert!(ended.stderr.contains(&format!("the table {table} is in")), "{}", ended.stderr);
    }
    assert!(!ended.stderr.contains("my.table"), "{}", ended.stderr);
}

#[test]
fn a_mistake_is_told_with_its_file_and_line_before_anything_is_announced() {
    for (name, content, said) in [
        ("Tab.json", "[\n{\"id\": {\"S\": \"a\"}},\n{\"id\": {\"N\": \"1\"}}]", "Tab.json:3: "),
        ("Tab.jsonl", "{\"id\": {\"S\": \"a\"}}\n{\"id\": {\"S\": }}", "Tab.jsonl:2: "),
        ("Other.json", "[{\"id\": {\"S\": \"a\"}}]", "no file has a CreateTable request for Other"),
        ("again.json", &table("Tab"), "the table Tab stands in"),
        (
            "bad.json",
            "{\"TableName\": \"Bad\", \"KeySchema\": []}",
            "bad.json:1: the table Bad is refused: Valid",
        ),
    ] {
        let seed = tempfile::tempdir().expect("a folder");
        fs::write(seed.path().join("a.table.json"), table("Tab")).expect("written");
        fs::write(seed.path().join(name), content).expect("written");
        let told = fails(&["--seed", text(seed.path())]);
        assert!(told.contains(said), "{name}: {told}");
    }
    let empty = tempfile::tempdir().expect("a folder");
    assert!(fails(&["--seed", text(empty.path())]).contains("has no .json"));
    assert!(fails(&["--seed", "no/such/folder"]).contains("check --seed"));
    assert!(fails(&["--model", "no/such.yaml"]).contains("check --model"));
}

#[test]
fn a_model_brings_its_tables_and_sample_items() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../content/models/customer-orders.yaml");
    let serving = Serving::start(&["--model", model]);
    let names = serving.table_names("eu-west-1", "any");
    assert!(!names.is_empty());
    assert!(names.iter().all(|table| scan_count(&serving, table) > 0), "{names:?}");
}
