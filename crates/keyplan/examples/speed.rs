//! What typed requests take on this machine, in memory and on one thread.
//!
//! `cargo run --release -p keyplan --example speed`

use std::time::Instant;

use keyplan::{AttributeType, AttributeValue, Database};

/// Items in the table: 1,000 partitions of 20, of 400 bytes each by DynamoDB's rule.
const ITEMS: u32 = 20_000;
const ITEMS_PER_PARTITION: u32 = 20;

fn key(number: u32) -> [(&'static str, AttributeValue); 2] {
    let number = number % ITEMS;
    [
        ("pk", format!("CUSTOMER#{:06}", number / ITEMS_PER_PARTITION).into()),
        ("sk", format!("ORDER#{:06}", number % ITEMS_PER_PARTITION).into()),
    ]
}

fn item(number: u32) -> Vec<(&'static str, AttributeValue)> {
    let mut item = key(number).to_vec();
    item.extend((0..8).map(|at| {
        let names = ["name", "street", "city", "country", "note", "agent", "state", "source"];
        (names[at], AttributeValue::from(format!("{number:08} {}", "x".repeat(25))))
    }));
    item.push(("amount", number.into()));
    item.push(("paid", true.into()));
    item
}

fn time(
    what: &str,
    count: u32,
    mut request: impl FnMut(u32) -> Result<(), keyplan::Error>,
) -> Result<(), keyplan::Error> {
    let start = Instant::now();
    for number in 0..count {
        // Neighbours in time are none in the table.
        request(number.wrapping_mul(7_919))?;
    }
    println!("{what:<24} {:>8.2} us", start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    Ok(())
}

fn main() -> Result<(), keyplan::Error> {
    let database = Database::in_memory();
    let table = database.create_table("Orders").partition_key("pk", AttributeType::S);
    table.sort_key("sk", AttributeType::S).send()?;
    for number in 0..ITEMS {
        database.put_item("Orders", item(number)).send()?;
    }
    time("put", 100_000, |number| database.put_item("Orders", item(number)).send().map(drop))?;
    time("get", 200_000, |number| {
        let found = database.get_item("Orders", key(number)).send()?;
        std::hint::black_box(found.item.as_ref().and_then(|item| item.get("amount")?.number()));
        Ok(())
    })?;
    time("query of 20", 50_000, |number| {
        let [(_, partition), _] = key(number);
        let page = database.query("Orders").key_condition("pk = :pk").value(":pk", partition).send()?;
        std::hint::black_box(page.items.iter().filter(|item| item.get("paid").is_some()).count());
        Ok(())
    })?;
    time("update with condition", 100_000, |number| {
        let update = database.update_item("Orders", key(number)).update("ADD amount :one");
        update.condition("attribute_exists(pk)").value(":one", 1).send().map(drop)
    })
}
