//! Files of every format that was released open and read as they were written.
//!
//! A fixture holds what the requests below wrote. When the file's format or that of its records changes, the
//! fixture of the one before stays, and a new one is added under its own name: the test says where one lies.

#![cfg(feature = "sqlite")]

use std::fs;
use std::path::{Path, PathBuf};

use keyplan::{Clock, Database, Timestamp};

/// The fixture that this release writes: the format of the file, then that of the records.
const CURRENT: &str = "file-1-records-4.db";

const WRITES: &[(&str, &str)] = &[
    (
        "CreateTable",
        r#"{"TableName":"Orders","BillingMode":"PAY_PER_REQUEST",
            "AttributeDefinitions":[{"AttributeName":"customer","AttributeType":"S"},{"AttributeName":"order","AttributeType":"N"},
              {"AttributeName":"state","AttributeType":"S"},{"AttributeName":"due","AttributeType":"B"}],
            "KeySchema":[{"AttributeName":"customer","KeyType":"HASH"},{"AttributeName":"order","KeyType":"RANGE"}],
            "LocalSecondaryIndexes":[{"IndexName":"ByDue","KeySchema":[{"AttributeName":"customer","KeyType":"HASH"},
              {"AttributeName":"due","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],
            "GlobalSecondaryIndexes":[{"IndexName":"ByState","KeySchema":[{"AttributeName":"state","KeyType":"HASH"},
              {"AttributeName":"order","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
            "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},
            "Tags":[{"Key":"stage","Value":"test"}]}"#,
    ),
    (
        "UpdateTimeToLive",
        r#"{"TableName":"Orders","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"expires"}}"#,
    ),
    (
        "PutItem",
        r#"{"TableName":"Orders","Item":{"customer":{"S":"ada"},"order":{"N":"-1.5"},"state":{"S":"open"},"due":{"B":"AP8="},
            "expires":{"N":"4102444800"},"all":{"M":{"s":{"S":"ü"},"n":{"N":"12345678901234567890123456789012345678"},"b":{"B":""},
            "t":{"BOOL":true},"z":{"NULL":true},"l":{"L":[{"N":"0"},{"L":[]}]},"ss":{"SS":["a","b"]},"ns":{"NS":["1","-2e-10"]},
            "bs":{"BS":["AA==","AQ=="]}}}}}"#,
    ),
    (
        "PutItem",
        r#"{"TableName":"Orders","Item":{"customer":{"S":"ada"},"order":{"N":"2"},"state":{"S":"open"},"gone":{"S":"soon"}}}"#,
    ),
    (
        "UpdateItem",
        r#"{"TableName":"Orders","Key":{"customer":{"S":"ada"},"order":{"N":"2"}},"UpdateExpression":"SET n = :n REMOVE gone",
            "ExpressionAttributeValues":{":n":{"N":"7"}}}"#,
    ),
    (
        "TransactWriteItems",
        r#"{"TransactItems":[{"Put":{"TableName":"Orders","Item":{"customer":{"S":"bob"},"order":{"N":"1"},"state":{"S":"done"}}}},
            {"Delete":{"TableName":"Orders","Key":{"customer":{"S":"eve"},"order":{"N":"1"}}}}]}"#,
    ),
    ("CreateBackup", r#"{"TableName":"Orders","BackupName":"first"}"#),
];

const READS: &[(&str, &str)] = &[
    ("ListTables", "{}"),
    ("DescribeTable", r#"{"TableName":"Orders"}"#),
    ("DescribeTimeToLive", r#"{"TableName":"Orders"}"#),
    ("Scan", r#"{"TableName":"Orders","ReturnConsumedCapacity":"TOTAL"}"#),
    ("Scan", r#"{"TableName":"Orders","IndexName":"ByState"}"#),
    (
        "Query",
        r#"{"TableName":"Orders","IndexName":"ByDue","KeyConditionExpression":"customer = :c",
            "ExpressionAttributeValues":{":c":{"S":"ada"}}}"#,
    ),
    ("ListBackups", "{}"),
    ("ListStreams", r#"{"TableName":"Orders"}"#),
    // Writes go on where they stood.
    (
        "UpdateItem",
        r#"{"TableName":"Orders","Key":{"customer":{"S":"ada"},"order":{"N":"2"}},"UpdateExpression":"ADD n :n",
            "ExpressionAttributeValues":{":n":{"N":"1"}},"ReturnValues":"ALL_NEW"}"#,
    ),
    ("DeleteTable", r#"{"TableName":"Orders"}"#),
    ("ListTables", "{}"),
];

fn options() -> keyplan::Options {
    Database::options().clock(Clock::standing_at(Timestamp(1_764_500_000_000))).seed(7)
}

fn write(database: &Database) {
    for (operation, body) in WRITES {
        let answer = database.call(operation, body.as_bytes());
        assert_eq!(answer.status, 200, "{operation}: {}", String::from_utf8_lossy(&answer.body));
        while database.step().expect("the store runs").is_some_and(|due| due <= database.clock().now()) {}
    }
}

/// What the reads are answered.
fn read(database: &Database) -> Vec<String> {
    let answers = READS.iter().map(|(operation, body)| {
        let answer = database.call(operation, body.as_bytes());
        format!("{operation} {} {}", answer.status, String::from_utf8_lossy(&answer.body))
    });
    answers.collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

#[test]
fn files_of_all_formats_read_as_they_were_written() {
    let memory = options().in_memory();
    write(&memory);
    let expected = read(&memory);
    assert!(expected.iter().all(|answer| answer.contains(" 200 ")), "{expected:#?}");

    let folder = tempfile::tempdir().expect("a folder");
    let mut names = Vec::new();
    for entry in fs::read_dir(fixtures()).expect("the fixtures are there") {
        let fixture = entry.expect("an entry").path();
        let name = fixture.file_name().expect("a name").to_owned();
        let copy = folder.path().join(&name);
        fs::copy(&fixture, &copy).expect("it can be copied");
        let database = options().open(&copy).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        assert_eq!(read(&database), expected, "{name:?}");
        names.push(name);
    }
    if !names.iter().any(|name| name == CURRENT) {
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(CURRENT);
        let _old = fs::remove_file(&made);
        write(&options().open(&made).expect("the folder can be written"));
        panic!("there is no fixture {CURRENT}; add {} to {}", made.display(), fixtures().display());
    }
}

#[test]
fn the_current_fixture_is_of_the_formats_that_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (written, fixture) = (folder.path().join("new.db"), folder.path().join("fixture.db"));
    write(&options().open(&written).expect("the folder can be written"));
    fs::copy(fixtures().join(CURRENT), &fixture).expect("it is there");
    // The file's format stands in SQLite's header. Opening a file restates the form of older records, which changes
    // it; this one is as it was.
    let format = |path: &Path| fs::read(path).expect("read")[60..64].to_vec();
    assert_eq!(format(&written), format(&fixture));
    let before = fs::read(&fixture).expect("read");
    drop(options().open(&fixture).expect("it is ours"));
    assert_eq!(fs::read(&fixture).expect("read"), before, "the records were restated: add a new fixture");
}

#[test]
fn a_newer_format_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("newer.db");
    let mut bytes = fs::read(fixtures().join(CURRENT)).expect("it is there");
    bytes[60..64].copy_from_slice(&1_000_u32.to_be_bytes());
    fs::write(&path, &bytes).expect("written");
    let refused = options().open(&path).expect_err("it is newer").to_string();
    assert!(refused.contains("has format 1000") && refused.contains("newer release"), "{refused}");
    assert_eq!(fs::read(&path).expect("read"), bytes, "it was left as it is");
}
