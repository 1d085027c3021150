//! A table of orders in memory: written, queried through an index, and explained.
//!
//! `cargo run -p keyplan --example orders`

use keyplan::{AttributeType, AttributeValue, Database, Put, SecondaryIndex, Update};

fn main() -> Result<(), keyplan::Error> {
    let database = Database::in_memory();
    database
        .create_table("Orders")
        .partition_key("customer", AttributeType::S)
        .sort_key("order", AttributeType::S)
        .global_secondary_index(
            SecondaryIndex::new("ByState")
                .partition_key("state", AttributeType::S)
                .sort_key("order", AttributeType::S),
        )
        .send()?;

    for number in 1..=30 {
        let state = if number % 3 == 0 { "open" } else { "shipped" };
        let item = [
            ("customer", AttributeValue::from(format!("c{}", number % 4))),
            ("order", format!("2026/{number:03}").into()),
            ("state", state.into()),
            ("amount", (number * 5).into()),
        ];
        database.put_item("Orders", item).send()?;
    }

    let open = database
        .query("Orders")
        .index("ByState")
        .key_condition("#state = :open")
        .name("#state", "state")
        .value(":open", "open")
        .limit(4);
    for item in open.clone().items() {
        let item = item?;
        let text = |name| item.get(name).and_then(|value| value.as_str()).unwrap_or("-").to_owned();
        let total = item.get("amount").and_then(|amount| amount.number()).unwrap_or(0.into());
        println!("{} of {}: {total}", text("order"), text("customer"));
    }
    if let Some(trace) = open.explain().trace {
        println!("\n{trace}");
    }

    // Ship an order and write it into the customer's account, or do neither.
    let canceled = database
        .transact_write_items()
        .update(
            Update::new("Orders", [("customer", "c3"), ("order", "2026/003")])
                .update("SET #state = :shipped")
                .condition("#state = :open AND attribute_exists(paid)")
                .name("#state", "state")
                .value(":shipped", "shipped")
                .value(":open", "open"),
        )
        .put(Put::new("Orders", [("customer", "c3"), ("order", "shipments")]))
        .send();
    if let Err(error) = canceled {
        println!("\n{error}");
        for reason in error.cancellation_reasons() {
            println!("  {}", reason.code);
        }
    }
    Ok(())
}
