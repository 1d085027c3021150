//! `--buckets`: folders to import from and export to.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::serving::{Serving, fails, text};

/// Asks until an answer has the status somewhere; work goes on with the requests.
fn ended(serving: &Serving, operation: &str, arn: &Value) -> Value {
    let (member, described) = match operation {
        "DescribeImport" => ("ImportArn", "ImportTableDescription"),
        _ => ("ExportArn", "ExportDescription"),
    };
    loop {
        let answer = serving.call(operation, &json!({ member: arn }).to_string());
        if answer[described]["EndTime"].is_number() {
            return answer[described].clone();
        }
    }
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_str().is_some_and(|path| path.ends_with(ending)) {
            found.push(path);
        }
    }
    found
}

#[test]
fn tables_come_from_folders_and_go_to_folders_also_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let (buckets, database) = (folder.path().join("buckets"), folder.path().join("shop.db"));
    fs::create_dir_all(buckets.join("in")).expect("made");
    fs::create_dir_all(buckets.join("out")).expect("made");
    let lines: String = (0..5_000).map(|at| format!("{at},note {at}\n")).collect();
    fs::write(buckets.join("in/orders.csv"), format!("id,note\n{lines}")).expect("written");
    let arguments = ["--buckets", text(&buckets), "--db", text(&database)];
    let mut serving = Serving::start(&arguments);
    let request = json!({
        "S3BucketSource": {"S3Bucket": "in"}, "InputFormat": "CSV",
        "TableCreationParameters": {
            "TableName": "Orders", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        },
    });
    let answer = serving.call("ImportTable", &request.to_string());
    let arn = answer["ImportTableDescription"]["ImportArn"].clone();
    serving.kill();

    let serving = Serving::start(&arguments);
    let found = ended(&serving, "DescribeImport", &arn);
    assert_eq!([&found["ImportStatus"], &found["ImportedItemCount"]], [&json!("COMPLETED"), &json!(5_000)]);
    let recovery = json!({"TableName": "Orders", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}});
    serving.call("UpdateContinuousBackups", &recovery.to_string());
    let request =
        json!({"TableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/Orders", "S3Bucket": "out"});
    let answer = serving.call("ExportTableToPointInTime", &request.to_string());
    let found = ended(&serving, "DescribeExport", &answer["ExportDescription"]["ExportArn"]);
    assert_eq!([&found["ExportStatus"], &found["ItemCount"]], [&json!("COMPLETED"), &json!(5_000)]);
    let mut lines = 0;
    for file in files(&buckets.join("out"), ".json.gz") {
        let file = fs::File::open(file).expect("it is there");
        let text = std::io::read_to_string(flate2::read::GzDecoder::new(file)).expect("it is packed");
        lines += text.lines().count();
    }
    assert_eq!(lines, 5_000);
    assert_eq!(files(&buckets.join("out"), "manifest-summary.json").len(), 1);
    assert_eq!(files(&buckets, ".part"), Vec::<PathBuf>::new(), "nothing half written is left");
    serving.stop();
}

#[test]
fn a_folder_that_is_not_there_holds_no_buckets() {
    let said = fails(&["--buckets", "nowhere"]);
    assert!(said.contains("nowhere") && said.contains("--buckets"), "{said}");
}
