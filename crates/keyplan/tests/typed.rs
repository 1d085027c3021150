//! The typed requests: what they send, what they read back, and what their errors say.

use std::thread;
use std::time::Duration;

use keyplan::{
    AttributeType, AttributeValue, Clock, ConditionCheck, Database, Delete, ErrorCode, Item, Projection, Put,
    ReturnValues, SecondaryIndex, TableStatus, Timestamp, Update,
};

fn orders() -> Database {
    let database = Database::in_memory();
    database
        .create_table("Orders")
        .partition_key("customer", AttributeType::S)
        .sort_key("order", AttributeType::N)
        .global_secondary_index(
            SecondaryIndex::new("ByState")
                .partition_key("state", AttributeType::S)
                .projection(Projection::Include(vec!["amount".into()])),
        )
        .local_secondary_index(SecondaryIndex::new("ByAmount").sort_key("amount", AttributeType::N))
        .send()
        .expect("a table");
    database
}

fn order(customer: &str, number: i32) -> [(&'static str, AttributeValue); 4] {
    let state = if number % 2 == 0 { "open" } else { "shipped" };
    [
        ("customer", customer.into()),
        ("order", number.into()),
        ("state", state.into()),
        ("amount", (number * 10).into()),
    ]
}

fn key(customer: &str, number: i32) -> [(&'static str, AttributeValue); 2] {
    [("customer", customer.into()), ("order", number.into())]
}

fn put(database: &Database, count: i32) {
    for number in 0..count {
        database.put_item("Orders", order("c", number)).send().expect("written");
    }
}

fn item(pairs: impl keyplan::IntoItem) -> Item {
    pairs.into_item().expect("an item")
}

fn numbers(items: &[Item]) -> Vec<i64> {
    items.iter().filter_map(|item| item.get("order")?.number()?.to_i64()).collect()
}

#[test]
fn the_handle_is_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>(value: &T) -> T {
        value.clone()
    }
    let database = orders();
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let database = shared(&database);
            thread::spawn(move || {
                for number in 0..25 {
                    let written = database.put_item("Orders", order(&format!("c{thread}"), number)).send();
                    written.expect("written");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    assert_eq!(database.scan("Orders").items().count(), 100);
    assert_eq!(database.describe_table("Orders").send().expect("described").item_count, 100);
}

#[test]
fn values_of_all_types_come_back_as_they_were_put() {
    let database = orders();
    let json = r#"{"customer":{"S":"c"},"order":{"N":"1"},"a":{"B":"AP8H"},"b":{"BOOL":true},
        "c":{"NULL":true},"d":{"L":[{"N":"1"},{"S":"\u00e9\n"}]},"e":{"M":{"x":{"SS":["a","b"]}}},
        "f":{"NS":["1.5","2"]},"g":{"BS":["AQ==","Ag=="]}}"#;
    let body = format!(r#"{{"TableName":"Orders","Item":{json}}}"#);
    assert!(database.call("PutItem", body.as_bytes()).is_ok());
    let sent = database.get_item("Orders", key("c", 1)).send().expect("read").item.expect("there");

    // The item as it was read goes back in, and the tree of values too.
    for again in [sent.clone(), item(sent.as_ref().to_attributes())] {
        database.put_item("Orders", again).send().expect("written");
        let found = database.get_item("Orders", key("c", 1)).send().expect("read").item;
        assert_eq!(found.as_ref(), Some(&sent));
    }
    let names: Vec<&str> = sent.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "b", "c", "customer", "d", "e", "f", "g", "order"]);
    assert!(sent.to_json().contains(r#""d":{"L":[{"N":"1"},{"S":"é\n"}]}"#), "{sent:?}");
}

#[test]
fn what_is_not_there_is_nothing() {
    let database = orders();
    assert_eq!(database.get_item("Orders", key("c", 1)).send().expect("read").item, None);
    let deleted = database.delete_item("Orders", key("c", 1)).return_values(ReturnValues::AllOld).send();
    assert_eq!(deleted.expect("done").attributes, None);
}

#[test]
fn writes_return_what_they_are_asked_for() {
    let database = orders();
    put(&database, 2);
    let update = || {
        database
            .update_item("Orders", key("c", 1))
            .update("SET #s = :open ADD changes :one")
            .name("#s", "state")
            .value(":open", "open")
            .value(":one", 1)
    };
    let updated = update().return_values(ReturnValues::UpdatedNew).send().expect("updated");
    let expected = item([("changes", AttributeValue::from(1)), ("state", "open".into())]);
    assert_eq!(updated.attributes, Some(expected));
    let old =
        update().return_values(ReturnValues::AllOld).send().expect("updated").attributes.expect("there");
    let new =
        update().return_values(ReturnValues::AllNew).send().expect("updated").attributes.expect("there");
    let changes = |item: &Item| item.get("changes").and_then(|changes| changes.number()?.to_i64());
    assert_eq!((changes(&old), changes(&new)), (Some(1), Some(3)));
    let put = database.put_item("Orders", order("c", 1)).return_values(ReturnValues::AllOld).send();
    assert_eq!(put.expect("put").attributes, Some(new));
}

#[test]
fn pages_and_items_go_through_everything_once() {
    let database = orders();
    put(&database, 25);
    let query =
        || database.query("Orders").key_condition("customer = :c").value(":c", "c").scan_index_forward(false);
    let pages: Vec<_> = query().limit(10).pages().collect::<Result<_, _>>().expect("pages");
    let counts: Vec<_> =
        pages.iter().map(|page| (page.count, page.scanned_count, page.items.len())).collect();
    assert_eq!(counts, [(10, 10, 10), (10, 10, 10), (5, 5, 5)]);
    assert!(pages[2].last_evaluated_key.is_none());
    let items: Vec<_> = query().limit(10).items().collect::<Result<_, _>>().expect("items");
    assert_eq!(numbers(&items), (0..25).rev().collect::<Vec<_>>());

    // By hand, from the key of the page before.
    let first = query().limit(10).send().expect("a page");
    let next = query().exclusive_start_key(first.last_evaluated_key.expect("there is more")).limit(1).send();
    assert_eq!(numbers(&next.expect("a page").items), [14]);

    // Pages that the filter empties end nothing.
    let last = database.scan("Orders").filter("#o = :n").name("#o", "order").value(":n", 24).limit(1);
    let last: Vec<_> = last.items().collect::<Result<_, _>>().expect("items");
    assert_eq!(numbers(&last), [24]);

    let segments = (0..4).flat_map(|segment| database.scan("Orders").segment(segment, 4).items());
    assert_eq!(segments.collect::<Result<Vec<_>, _>>().expect("items").len(), 25);
}

#[test]
fn an_index_is_read_with_what_it_holds() {
    let database = orders();
    put(&database, 6);
    let open = database.query("Orders").index("ByState").key_condition("#s = :open");
    let open = open.name("#s", "state").value(":open", "open").send().expect("a page");
    assert_eq!(open.count, 3);
    assert!(open.items.iter().all(|item| item.get("amount").is_some()));
    let local = database.query("Orders").index("ByAmount").key_condition("customer = :c AND amount > :t");
    let local = local.value(":c", "c").value(":t", 30).projection("#o").name("#o", "order");
    let local = local.send().expect("a page");
    assert_eq!(local.items, [item([("order", AttributeValue::from(4))]), item([("order", 5)])]);
}

#[test]
fn errors_have_a_code_and_the_services_words() {
    let database = orders();
    put(&database, 1);
    let refused = database
        .put_item("Orders", order("c", 0))
        .condition("attribute_not_exists(customer)")
        .return_item_on_condition_check_failure()
        .send()
        .expect_err("it is there");
    assert_eq!(refused.code(), &ErrorCode::ConditionalCheckFailed);
    assert_eq!(refused.to_string(), "ConditionalCheckFailedException: The conditional request failed");
    assert_eq!(refused.item(), Some(&item(order("c", 0))));

    let missing = database.scan("Nowhere").send().expect_err("no such table");
    assert_eq!(missing.code(), &ErrorCode::ResourceNotFound);
    let wrong = database.get_item("Orders", [("customer", "c")]).send().expect_err("half a key");
    assert_eq!(wrong.code(), &ErrorCode::Validation);
    assert_eq!(wrong.message(), "The provided key element does not match the schema");

    // What can't be sent is refused in the same way.
    let empty = AttributeValue::Ss(Default::default());
    let unsent = database.put_item("Orders", [("customer", empty)]).send().expect_err("an empty set");
    assert_eq!(unsent.code(), &ErrorCode::Validation);
    assert!(unsent.message().starts_with("One or more parameter values were invalid"), "{unsent}");
}

#[test]
fn pages_end_after_an_error() {
    let database = orders();
    let mut pages = database.query("Orders").key_condition("nonsense").pages();
    assert!(pages.next().is_some_and(|page| page.is_err()));
    assert!(pages.next().is_none());
}

#[test]
fn batches_write_and_read_items_of_several_tables() {
    let database = orders();
    database.create_table("Other").partition_key("id", AttributeType::B).send().expect("a table");
    let id = || [("id", AttributeValue::B(vec![1]))];
    let writes = database.batch_write_item().put("Orders", order("c", 1)).put("Orders", order("c", 2));
    writes.put("Other", id()).send().expect("written");
    let again = database.batch_write_item().delete("Orders", key("c", 2)).put("Orders", order("c", 3));
    again.send().expect("written");

    let reads = database.batch_get_item().key("Orders", key("c", 1)).key("Other", id());
    let found = reads.key("Orders", key("c", 2)).consistent_read(true).send().expect("read");
    assert_eq!(found.items["Orders"], [item(order("c", 1))]);
    assert_eq!(found.items["Other"], [item(id())]);
    assert!(found.unprocessed_keys.is_empty());
    let none = database.batch_get_item().send().expect_err("nothing is asked for");
    assert_eq!(none.code(), &ErrorCode::Validation);
}

#[test]
fn a_transaction_is_done_or_says_why_not() {
    let database = orders();
    put(&database, 2);
    let update = Update::new("Orders", key("c", 0)).update("SET amount = amount + :a").value(":a", 1);
    let check = ConditionCheck::new("Orders", key("c", 5)).condition("attribute_exists(customer)");
    let canceled = database.transact_write_items().update(update.clone()).condition_check(check).send();
    let canceled = canceled.expect_err("there is no order 5");
    let codes: Vec<_> = canceled.cancellation_reasons().iter().map(|reason| &*reason.code).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);

    let transaction = || {
        database
            .transact_write_items()
            .put(Put::new("Orders", order("c", 9)).condition("attribute_not_exists(customer)"))
            .delete(
                Delete::new("Orders", key("c", 1))
                    .condition("amount > :much")
                    .value(":much", 1_000)
                    .return_item_on_condition_check_failure(),
            )
    };
    let canceled = transaction().send().expect_err("the amount is less");
    assert_eq!(canceled.code(), &ErrorCode::TransactionCanceled);
    let [none, failed] = canceled.cancellation_reasons() else { panic!("two reasons") };
    assert_eq!((none.code.as_str(), failed.code.as_str()), ("None", "ConditionalCheckFailed"));
    assert_eq!(failed.item, Some(item(order("c", 1))));

    let once = || database.transact_write_items().delete(Delete::new("Orders", key("c", 1)));
    once().client_request_token("a token").send().expect("done");
    once().client_request_token("a token").send().expect("done before");
    let read = database.transact_get_items().get("Orders", key("c", 0)).get("Orders", key("c", 1)).send();
    assert_eq!(read.expect("read").items, [Some(item(order("c", 0))), None]);
}

#[test]
fn tables_are_described_and_listed() {
    let database = orders();
    put(&database, 4);
    let table = database.describe_table("Orders").send().expect("described");
    assert_eq!((table.name.as_str(), &table.status, table.item_count), ("Orders", &TableStatus::Active, 4));
    let index = &table.global_secondary_indexes[0];
    assert_eq!((index.name.as_str(), index.item_count), ("ByState", 4));
    assert_eq!(index.status, Some(TableStatus::Active));
    assert_eq!(table.local_secondary_indexes[0].name, "ByAmount");
    let provisioned = database.create_table("Aaa").partition_key("id", AttributeType::S).provisioned(5, 2);
    let provisioned = provisioned.global_secondary_index(
        SecondaryIndex::new("Index").partition_key("x", AttributeType::S).projection(Projection::KeysOnly),
    );
    provisioned.send().expect("a table");
    let first = database.list_tables().limit(1).send().expect("listed");
    assert_eq!(first.table_names, ["Aaa"]);
    let after = first.last_evaluated_table_name.expect("there is more");
    let rest = database.list_tables().exclusive_start_table_name(&after).send().expect("listed");
    assert_eq!((rest.table_names, rest.last_evaluated_table_name), (vec!["Orders".to_owned()], None));
    let deleted = database.delete_table("Aaa").send().expect("deleted");
    assert_eq!(deleted.status, TableStatus::Deleting);
}

#[test]
fn every_request_can_be_explained() {
    let database = orders();
    put(&database, 5);
    let query = database.query("Orders").key_condition("customer = :c").value(":c", "c").limit(3);
    let explained = query.explain();
    assert_eq!(explained.result.expect("a page").count, 3);
    let trace = explained.trace.expect("a trace");
    assert_eq!(trace.read_units().to_string(), "0.5");
    let text = trace.to_string();
    assert!(text.starts_with("Query\n  Orders: examined 3 items ("), "{text}");
    assert!(text.contains("stopped by Limit") && text.ends_with("in all: 0.5 read units"), "{text}");
    assert!(trace.to_json().contains(r#""stopped":"limit""#));

    // A failed condition costs what it would have written.
    let failed = database.delete_item("Orders", key("c", 0)).condition("attribute_exists(nothing)").explain();
    assert!(failed.result.is_err());
    assert!(failed.trace.is_some_and(|trace| trace.write_units().as_f64() > 0.0));
    let nothing = database.list_tables().explain().trace.expect("a trace");
    assert_eq!(nothing.to_string(), "ListTables: no item was touched");
}

#[test]
fn time_moves_when_it_is_told_to() {
    let start = Timestamp(1_764_500_000_000);
    let clock = Clock::standing_at(start);
    let options = || Database::options().clock(clock.clone()).seed(7).region("eu-west-1");
    let created = |database: &Database| {
        database.create_table("Things").partition_key("id", AttributeType::S).send().expect("a table");
        String::from_utf8(database.call("DescribeTable", br#"{"TableName":"Things"}"#).body).expect("text")
    };
    let (one, other) = (options().in_memory(), options().in_memory());
    let description = created(&one);
    assert_eq!(description, created(&other), "the same seed and time give the same identifiers");
    assert!(description.contains("arn:aws:dynamodb:eu-west-1:"), "{description}");
    assert!(description.contains(r#""CreationDateTime":1764500000.0"#), "{description}");

    // The token of a transaction is forgotten when its time is over.
    let write = |id: &str| {
        let put = Put::new("Things", [("id", id)]);
        one.transact_write_items().put(put).client_request_token("token").send()
    };
    write("a").expect("done");
    let mismatch = write("b").expect_err("the token came with another request");
    assert_eq!(mismatch.code(), &ErrorCode::IdempotentParameterMismatch);
    one.advance(Duration::from_secs(3600)).expect("advanced");
    assert_eq!(clock.now(), Timestamp(start.0 + 3_600_000));
    write("b").expect("the token is free again");
}

#[cfg(feature = "sqlite")]
#[test]
fn a_file_keeps_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("orders.db");
    {
        let database = Database::open(&file).expect("opened");
        database.create_table("Things").partition_key("id", AttributeType::S).send().expect("a table");
        database.put_item("Things", [("id", "a")]).send().expect("written");
        assert!(Database::open(&file).is_err(), "one program at a time");
    }
    let database = Database::open(&file).expect("opened again");
    let found = database.get_item("Things", [("id", "a")]).send().expect("read").item;
    assert_eq!(found, Some(item([("id", "a")])));
}
