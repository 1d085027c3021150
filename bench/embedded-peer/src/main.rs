//! The requests of `keyplan-bench-embedded`, by the typed requests of dynoxide's library in memory.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use dynoxide::Database;
use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::get_item::GetItemRequest;
use dynoxide::actions::put_item::PutItemRequest;
use dynoxide::actions::query::QueryRequest;
use dynoxide::actions::update_item::UpdateItemRequest;
use dynoxide::errors::DynoxideError;
use dynoxide::types::AttributeValue;

const ITEMS: u32 = 100_000;
const PARTITION: u32 = 20;

type Item = HashMap<String, AttributeValue>;

fn key(number: u32) -> Item {
    let number = number % ITEMS;
    HashMap::from([
        ("pk".to_owned(), AttributeValue::S(format!("CUSTOMER#{:08}", number / PARTITION))),
        ("sk".to_owned(), AttributeValue::S(format!("ORDER#{:06}", number % PARTITION))),
    ])
}

fn item(number: u32) -> Item {
    let mut item = key(number);
    for name in ["name", "street", "city", "country", "note", "agent", "state", "source"] {
        item.insert(name.to_owned(), AttributeValue::S(format!("{number:08} {}", "x".repeat(25))));
    }
    item.insert("amount".to_owned(), AttributeValue::N(number.to_string()));
    item.insert("paid".to_owned(), AttributeValue::BOOL(true));
    item
}

fn time(
    what: &str,
    count: u32,
    mut request: impl FnMut(u32) -> Result<(), DynoxideError>,
) -> Result<(), DynoxideError> {
    let start = Instant::now();
    for number in 0..count {
        request(number.wrapping_mul(7_919))?;
    }
    println!("{what}\t{:.3}", start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let database = Database::memory()?;
    let definition = r#"{"TableName":"Orders","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]}"#;
    database.create_table(serde_json::from_str::<CreateTableRequest>(definition)?)?;
    let table = || "Orders".to_owned();
    let put = |number| {
        database.put_item(PutItemRequest { table_name: table(), item: item(number), ..Default::default() })
    };
    for number in 0..ITEMS {
        put(number)?;
    }
    time("put", 20_000, |number| put(number).map(drop))?;
    time("get", 50_000, |number| {
        let request = GetItemRequest { table_name: table(), key: key(number), ..Default::default() };
        black_box(database.get_item(request)?.item);
        Ok(())
    })?;
    time("query of 20", 4_000, |number| {
        let partition = key(number).remove("pk").into_iter();
        let request = QueryRequest {
            table_name: table(),
            key_condition_expression: Some("pk = :pk".to_owned()),
            expression_attribute_values: Some(partition.map(|pk| (":pk".to_owned(), pk)).collect()),
            scan_index_forward: true,
            ..Default::default()
        };
        let page = database.query(request)?;
        assert_eq!(page.count, PARTITION as usize);
        black_box(page.items);
        Ok(())
    })?;
    time("update", 20_000, |number| {
        let one = AttributeValue::N("1".to_owned());
        let request = UpdateItemRequest {
            table_name: table(),
            key: key(number),
            update_expression: Some("ADD amount :one".to_owned()),
            condition_expression: Some("attribute_exists(pk)".to_owned()),
            expression_attribute_values: Some(HashMap::from([(":one".to_owned(), one)])),
            ..Default::default()
        };
        database.update_item(request).map(drop)
    })?;
    Ok(())
}
