//! `--isolate`.

use crate::serving::{Serving, put, table, text};

const NONE: [&str; 0] = [];

#[test]
fn without_it_everybody_sees_the_same_tables() {
    let serving = Serving::start(&[]);
    serving.call_as("eu-west-2", "one", "CreateTable", &table("Tab"));
    assert_eq!(serving.table_names("us-east-1", "two"), ["Tab"]);
}

#[test]
fn signatures_part_namespaces_by_what_was_asked() {
    for (isolate, same_region, same_key) in
        [("region", true, false), ("access-key", false, true), ("region,access-key", false, false)]
    {
        let serving = Serving::start(&["--isolate", isolate]);
        let made = serving.call_as("eu-west-2", "one", "CreateTable", &table("Tab"));
        let arn = made["TableDescription"]["TableArn"].as_str().expect("an ARN");
        assert!(arn.starts_with("arn:aws:dynamodb:eu-west-2:"), "{arn}");
        assert_eq!(serving.table_names("eu-west-2", "one"), ["Tab"]);
        assert_eq!(!serving.table_names("eu-west-2", "two").is_empty(), same_region, "{isolate}");
        assert_eq!(!serving.table_names("us-east-1", "one").is_empty(), same_key, "{isolate}");
    }
}

#[test]
fn each_namespace_begins_with_the_seed() {
    let seed = tempfile::tempdir().expect("a folder");
    std::fs::write(seed.path().join("Tab.table.json"), table("Tab")).expect("written");
    let serving = Serving::start(&["--seed", text(seed.path()), "--isolate", "access-key"]);
    serving.call_as("r-1", "one", "PutItem", &put("Tab", "a"));
    let count = |key: &str| serving.call_as("r-1", key, "Scan", r#"{"TableName":"Tab"}"#)["Count"].clone();
    assert_eq!((count("one"), count("two")), (1.into(), 0.into()));
}

#[test]
fn namespaces_in_files_stand_beside_the_named_one_and_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("shop.db");
    let arguments = ["--db", text(&db), "--isolate", "region"];
    let serving = Serving::start(&arguments);
    serving.call_as("eu-west-2", "k", "CreateTable", &table("Here"));
    serving.call_as("us-east-1", "k", "CreateTable", &table("There"));
    assert_eq!(serving.stop().code, Some(0));
    let mut left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["shop.eu-west-2.db", "shop.us-east-1.db"]);
    let serving = Serving::start(&arguments);
    assert_eq!(serving.table_names("us-east-1", "k"), ["There"]);
    assert_eq!(serving.table_names("eu-west-2", "k"), ["Here"]);
    assert_eq!(serving.table_names("ap-south-1", "k"), NONE);
}
