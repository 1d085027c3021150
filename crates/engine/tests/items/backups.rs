//! Backups, and tables that are restored from them.

use std::sync::Arc;

use keyplan_engine::spaces;
use keyplan_store::MemoryStore;
use serde_json::{Value, json};

use super::freeing::entries;
use super::harness::{Harness, n, s, sorted};

const DAY: u64 = 24 * 3_600_000;

pub fn items(engine: &Harness, table: &str) -> Vec<Value> {
    let (mut items, mut start) = (Vec::new(), Value::Null);
    loop {
        let mut request = json!({"TableName": table});
        if !start.is_null() {
            request["ExclusiveStartKey"] = start;
        }
        let page = engine.call("Scan", &request).ok();
        items.extend(page["Items"].as_array().expect("items").iter().cloned());
        match page.get("LastEvaluatedKey") {
            Some(key) => start = key.clone(),
            None => return sorted(items),
        }
    }
}

/// A table with everything that a backup may know.
fn create(engine: &Harness) {
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let of_type = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let request = json!({
        "TableName": "Items", "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8},
        "AttributeDefinitions": [of_type("pk"), of_type("sk"), of_type("owner"), of_type("size")],
        "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
        "GlobalSecondaryIndexes": [{
            "IndexName": "byOwner", "KeySchema": [key("owner", "HASH")],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["z", "n"]},
            "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
        }],
        "LocalSecondaryIndexes": [{
            "IndexName": "bySize", "KeySchema": [key("pk", "HASH"), key("size", "RANGE")],
            "Projection": {"ProjectionType": "ALL"},
        }],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
        "SSESpecification": {"Enabled": true, "SSEType": "KMS"},
        "TableClass": "STANDARD_INFREQUENT_ACCESS", "DeletionProtectionEnabled": false,
        "Tags": [{"Key": "team", "Value": "blue"}],
    });
    engine.call("CreateTable", &request).ok();
    let ttl = json!({"Enabled": true, "AttributeName": "ttl"});
    engine.call("UpdateTimeToLive", &json!({"TableName": "Items", "TimeToLiveSpecification": ttl})).ok();
}

fn item(number: usize) -> Value {
    json!({
        "pk": s(&format!("p{}", number % 7)), "sk": s(&format!("{number:05}")), "n": n(number),
        "owner": s(&format!("o{}", number % 3)), "size": s(&format!("{:03}", number % 10)),
    })
}

fn back_up(engine: &Harness, table: &str) -> String {
    let made = engine.call("CreateBackup", &json!({"TableName": table, "BackupName": "nightly"})).ok();
    assert_eq!(made["BackupDetails"]["BackupStatus"], "CREATING");
    made["BackupDetails"]["BackupArn"].as_str().expect("an ARN").to_owned()
}

fn describe(engine: &Harness, arn: &str) -> Value {
    engine.call("DescribeBackup", &json!({"BackupArn": arn})).ok()["BackupDescription"].clone()
}

fn restore(engine: &Harness, arn: &str, target: &str) -> Value {
    let request = json!({"TargetTableName": target, "BackupArn": arn});
    engine.call("RestoreTableFromBackup", &request).ok()["TableDescription"].clone()
}

fn table(engine: &Harness, table: &str) -> Value {
    engine.call("DescribeTable", &json!({"TableName": table})).ok()["Table"].clone()
}

#[test]
fn backups_of_one_millisecond_are_listed_in_the_order_in_which_they_were_made() {
    let engine = Harness::new();
    create(&engine);
    let made: Vec<_> = (0..20).map(|_| back_up(&engine, "Items")).collect();
    let listed = engine.call("ListBackups", &json!({"TableName": "Items"})).ok();
    let listed = listed["BackupSummaries"].as_array().expect("backups").clone();
    assert_eq!(listed.iter().map(|backup| backup["BackupArn"].as_str().unwrap()).collect::<Vec<_>>(), made);
}

#[test]
fn a_backup_is_the_table_as_it_was_and_outlives_it() {
    let engine = Harness::new();
    create(&engine);
    for number in 0..50 {
        engine.put("Items", &item(number));
    }
    let before = items(&engine, "Items");
    let described = table(&engine, "Items");
    let arn = back_up(&engine, "Items");
    engine.call("DeleteItem", &json!({"TableName": "Items", "Key": {"pk": s("p0"), "sk": s("00000")}})).ok();
    engine.put("Items", &json!({"pk": s("new"), "sk": s("new")}));
    engine.settle();
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.settle();

    let backup = describe(&engine, &arn);
    assert_eq!(backup["BackupDetails"]["BackupStatus"], "AVAILABLE");
    assert_eq!(backup["SourceTableDetails"]["ItemCount"], 50);
    assert_eq!(backup["SourceTableDetails"]["TableId"], described["TableId"]);
    let features = &backup["SourceTableFeatureDetails"];
    assert_eq!(
        features["TimeToLiveDescription"],
        json!({"AttributeName": "ttl", "TimeToLiveStatus": "ENABLED"})
    );
    assert_eq!(features["StreamDescription"]["StreamViewType"], "NEW_IMAGE");

    let restored = restore(&engine, &arn, "Again");
    assert_eq!(restored["TableStatus"], "CREATING");
    assert_eq!(restored["RestoreSummary"]["SourceBackupArn"], json!(arn));
    assert_eq!(restored["RestoreSummary"]["RestoreInProgress"], true);
    engine.settle();
    assert_eq!(items(&engine, "Again"), before);
    let again = table(&engine, "Again");
    assert_eq!(again["TableStatus"], "ACTIVE");
    for same in ["KeySchema", "AttributeDefinitions", "ItemCount", "TableSizeBytes", "SSEDescription"] {
        assert_eq!(again[same], described[same], "{same}");
    }
    let indexes = |table: &Value| {
        let of = |member: &str| table[member].as_array().expect("indexes").clone();
        let mut indexes = [of("GlobalSecondaryIndexes"), of("LocalSecondaryIndexes")].concat();
        for index in &mut indexes {
            index.as_object_mut().expect("an index").remove("IndexArn");
        }
        indexes
    };
    assert_eq!(indexes(&again), indexes(&described), "with their counts and throughput");
    assert_eq!(again["ProvisionedThroughput"]["ReadCapacityUnits"], 7);
    for gone in ["RestoreSummary", "StreamSpecification", "LatestStreamArn", "TableClassSummary"] {
        assert_eq!(again.get(gone), None, "{gone}");
    }
    let ttl = engine.call("DescribeTimeToLive", &json!({"TableName": "Again"})).ok();
    assert_eq!(ttl["TimeToLiveDescription"]["TimeToLiveStatus"], "DISABLED");
    let tags = engine.call("ListTagsOfResource", &json!({"ResourceArn": again["TableArn"]})).ok();
    assert_eq!(tags["Tags"], json!([]));
    let query = json!({
        "TableName": "Again", "IndexName": "byOwner", "KeyConditionExpression": "#o = :o", "Select": "COUNT",
        "ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":o": s("o1")},
    });
    assert_eq!(engine.call("Query", &query).ok()["Count"], 17);
}

#[test]
fn many_items_are_copied_in_slices_beside_writes_and_over_a_restart() {
    const ITEMS: usize = 3_000;
    let store = Arc::new(MemoryStore::new());
    let mut engine = Harness::on(store.clone(), 0);
    create(&engine);
    for number in 0..ITEMS {
        engine.put("Items", &item(number));
    }
    let before = items(&engine, "Items");
    let arn = back_up(&engine, "Items");
    let reopened = |engine: &Harness| {
        let now = engine.now().0;
        let again = Harness::on(store.clone(), 0);
        again.advance(now - again.now().0);
        again
    };
    let mut writes = 0;
    while describe(&engine, &arn)["BackupDetails"]["BackupStatus"] == "CREATING" {
        let key = json!({"pk": item(writes * 37)["pk"], "sk": item(writes * 37)["sk"]});
        engine.call("DeleteItem", &json!({"TableName": "Items", "Key": key})).ok();
        engine.put("Items", &item(ITEMS + writes));
        let mut changed = item(ITEMS - 1 - writes * 3);
        changed["n"] = n(-1);
        engine.put("Items", &changed);
        if writes == 0 {
            let busy = engine.call("DeleteBackup", &json!({"BackupArn": arn})).error();
            assert_eq!(busy.0, "BackupInUseException");
        }
        writes += 1;
        if writes == 3 {
            engine = reopened(&engine);
        }
    }
    assert!(writes >= 3, "it took {writes} rounds: more is needed to see anything");
    restore(&engine, &arn, "Again");
    let mut rounds = 0;
    while table(&engine, "Again")["TableStatus"] == "CREATING" {
        let put = json!({"TableName": "Again", "Item": item(1)});
        assert_eq!(engine.call("PutItem", &put).error().0, "ResourceNotFoundException");
        rounds += 1;
        if rounds == 1 {
            let delete = engine.call("DeleteTable", &json!({"TableName": "Again"})).error();
            assert_eq!(delete.0, "ResourceInUseException");
            let update = json!({"TableName": "Again", "DeletionProtectionEnabled": true});
            assert_eq!(engine.call("UpdateTable", &update).error(), delete);
            let second = json!({"TargetTableName": "Third", "BackupArn": arn});
            let in_use = engine.call("RestoreTableFromBackup", &second).error();
            assert_eq!(in_use.0, "BackupInUseException");
            assert_eq!(engine.call("DeleteBackup", &json!({"BackupArn": arn})).error(), in_use);
            let none =
                engine.call("CreateBackup", &json!({"TableName": "Again", "BackupName": "early"})).error();
            assert_eq!(none, ("TableNotFoundException".to_owned(), "Table not found: Again".to_owned()));
            engine = reopened(&engine);
        }
    }
    assert!(rounds > 1, "it took {rounds} rounds: more is needed to see anything");
    let found = items(&engine, "Again");
    assert_eq!(found.len(), ITEMS);
    assert_eq!(found, before);
    let described = table(&engine, "Again");
    assert_eq!(described["ItemCount"], ITEMS);
    assert_eq!(described["GlobalSecondaryIndexes"][0]["ItemCount"], ITEMS);
    assert_eq!(described["LocalSecondaryIndexes"][0]["ItemCount"], ITEMS);

    engine.call("DeleteBackup", &json!({"BackupArn": arn})).ok();
    engine.settle();
    let gone = engine.call("DescribeBackup", &json!({"BackupArn": arn})).error();
    assert_eq!(gone, ("BackupNotFoundException".to_owned(), format!("Backup not found: {arn}")));
    assert_eq!(items(&engine, "Again"), before, "a table doesn't need what it was restored from");
    assert_eq!((entries(&store, spaces::BACKUPS), entries(&store, spaces::HELD)), (0, 0));
}

#[test]
fn a_table_may_go_while_it_is_copied() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    engine.create("Items", "N", None);
    for pk in 0..1_500 {
        engine.put("Items", &json!({"pk": n(pk)}));
    }
    let arn = back_up(&engine, "Items");
    engine.put("Items", &json!({"pk": n(-1)}));
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.create("Items", "N", None);
    engine.put("Items", &json!({"pk": n(-2)}));
    engine.settle();
    restore(&engine, &arn, "Again");
    engine.settle();
    let mut found: Vec<i64> = items(&engine, "Again")
        .iter()
        .map(|item| item["pk"]["N"].as_str().unwrap().parse().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found, (0..1_500).collect::<Vec<_>>());
    assert_eq!(items(&engine, "Items"), [json!({"pk": n(-2)})]);
    assert_eq!(entries(&store, spaces::HELD), 0);
}

fn enable(engine: &Harness, table: &str) {
    let specification = json!({"PointInTimeRecoveryEnabled": true});
    let request = json!({"TableName": table, "PointInTimeRecoverySpecification": specification});
    engine.call("UpdateContinuousBackups", &request).ok();
}

fn system_backups(engine: &Harness) -> Vec<Value> {
    let listed = engine.call("ListBackups", &json!({"BackupType": "SYSTEM"})).ok();
    listed["BackupSummaries"].as_array().expect("backups").clone()
}

#[test]
fn a_deleted_table_that_could_be_recovered_leaves_a_backup_for_35_days() {
    let store = Arc::new(MemoryStore::new());
    let engine = Harness::on(store.clone(), 0);
    create(&engine);
    enable(&engine, "Items");
    for number in 0..20 {
        engine.put("Items", &item(number));
    }
    let before = items(&engine, "Items");
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.settle();
    let backups = system_backups(&engine);
    assert_eq!(backups.len(), 1);
    assert_eq!(backups[0]["BackupName"], "Items$DeletedTableBackup");
    let life = backups[0]["BackupExpiryDateTime"].as_f64().unwrap()
        - backups[0]["BackupCreationDateTime"].as_f64().unwrap();
    assert!((life - 35.0 * 86_400.0).abs() < 1.0, "{life}");
    let arn = backups[0]["BackupArn"].as_str().unwrap();
    let refused = engine.call("DeleteBackup", &json!({"BackupArn": arn})).refusal();
    assert!(refused.contains("not allowed to delete the system backup"), "{refused}");
    let users = engine.call("ListBackups", &json!({})).ok();
    assert_eq!(users["BackupSummaries"], json!([]), "those that requests made are listed by default");
    restore(&engine, arn, "Again");
    engine.settle();
    assert_eq!(items(&engine, "Again"), before);

    engine.advance(35 * DAY);
    assert_eq!(system_backups(&engine), Vec::<Value>::new());
    engine.settle();
    assert_eq!(entries(&store, spaces::BACKUPS), 0);
    assert_eq!(items(&engine, "Again"), before);
    assert_eq!(engine.call("ListTables", &json!({})).ok()["TableNames"], json!(["Again"]));
}

#[test]
fn taking_a_deletion_back_takes_its_backup_away() {
    let engine = Harness::with_undo(50);
    create(&engine);
    enable(&engine, "Items");
    for number in 0..20 {
        engine.put("Items", &item(number));
    }
    let (before, described) = (items(&engine, "Items"), table(&engine, "Items"));
    engine.call("DeleteTable", &json!({"TableName": "Items"})).ok();
    engine.settle();
    assert_eq!(system_backups(&engine).len(), 1);
    // The backup's time comes, but the deletion can still be taken back.
    engine.advance(40 * DAY);
    engine.settle();
    engine.engine.undo(engine.now()).expect("the store works").expect("a deletion");
    assert_eq!(system_backups(&engine), Vec::<Value>::new());
    assert_eq!(items(&engine, "Items"), before);
    assert_eq!(table(&engine, "Items")["TableSizeBytes"], described["TableSizeBytes"]);
    engine.settle();
    assert_eq!(items(&engine, "Items"), before, "nothing is freed");
}

#[test]
fn a_restored_table_can_be_taken_back_and_a_backup_is_no_write_to() {
    let engine = Harness::with_undo(50);
    engine.create("Items", "N", None);
    for pk in 0..2_000 {
        engine.put("Items", &json!({"pk": n(pk)}));
    }
    let arn = back_up(&engine, "Items");
    engine.settle();
    restore(&engine, &arn, "Again");
    let undone = engine.engine.undo(engine.now()).expect("the store works").expect("a write");
    assert_eq!(undone.operation, "RestoreTableFromBackup");
    engine.settle();
    assert_eq!(engine.call("ListTables", &json!({})).ok()["TableNames"], json!(["Items"]));
    let undone = engine.engine.undo(engine.now()).expect("the store works").expect("a write");
    assert_eq!(undone.operation, "PutItem");
    restore(&engine, &arn, "Again");
    engine.settle();
    assert_eq!(items(&engine, "Again").len(), 2_000, "it is as it was");
    assert_eq!(items(&engine, "Items").len(), 1_999);
}

#[test]
fn what_was_undone_while_a_table_is_copied_does_not_disturb_the_copy() {
    let engine = Harness::with_undo(50);
    engine.create("Items", "N", None);
    for pk in 0..1_500 {
        engine.put("Items", &json!({"pk": n(pk)}));
    }
    let tag =
        json!({"ResourceArn": table(&engine, "Items")["TableArn"], "Tags": [{"Key": "a", "Value": "b"}]});
    assert_eq!(engine.call("TagResource", &tag).status, 200);
    let arn = back_up(&engine, "Items");
    engine.engine.undo(engine.now()).expect("the store works").expect("the tags");
    engine.engine.undo(engine.now()).expect("the store works").expect("the last item");
    engine.put("Items", &json!({"pk": n(9_999)}));
    engine.settle();
    restore(&engine, &arn, "Again");
    engine.settle();
    assert_eq!(items(&engine, "Again").len(), 1_500);
    assert!(items(&engine, "Again").contains(&json!({"pk": n(1_499)})), "it was there");
}

#[test]
fn fifty_tables_are_restored_at_once() {
    let engine = Harness::new();
    engine.create("Items", "N", None);
    for pk in 0..300 {
        engine.put("Items", &json!({"pk": n(pk)}));
    }
    enable(&engine, "Items");
    // The copies are worked on one after the other, a few hundred items with each request.
    let mut restored = 0;
    let refused = loop {
        let target = format!("Table{restored}");
        let request = json!({
            "SourceTableName": "Items", "TargetTableName": target, "UseLatestRestorableTime": true,
        });
        let answer = engine.call("RestoreTableToPointInTime", &request);
        if answer.status != 200 {
            break answer.error();
        }
        restored += 1;
        assert!(restored < 400, "none is refused");
    };
    let message = "Subscriber limit exceeded: Only 50 restore operations can be done simultaneously";
    assert_eq!(refused, ("LimitExceededException".to_owned(), message.to_owned()));
    engine.settle();
    assert_eq!(items(&engine, "Table0").len(), 300);
    assert_eq!(items(&engine, &format!("Table{}", restored - 1)).len(), 300);
}
