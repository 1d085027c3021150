//! What requests of the library take on one thread, in memory: typed, with 100,000 items of 400 bytes. Beside it
//! what the map and the database cost that are below such engines. One line for each: what, microseconds.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use keyplan::{AttributeType, AttributeValue, Database};

const ITEMS: u32 = 100_000;
const PARTITION: u32 = 20;

fn key(number: u32) -> [(&'static str, AttributeValue); 2] {
    let number = number % ITEMS;
    [
        ("pk", format!("CUSTOMER#{:08}", number / PARTITION).into()),
        ("sk", format!("ORDER#{:06}", number % PARTITION).into()),
    ]
}

fn item(number: u32) -> Vec<(&'static str, AttributeValue)> {
    let mut item = key(number).to_vec();
    let names = ["name", "street", "city", "country", "note", "agent", "state", "source"];
    let text = |_| AttributeValue::from(format!("{number:08} {}", "x".repeat(25)));
    item.extend(names.into_iter().map(|name| (name, text(name))));
    item.push(("amount", number.into()));
    item.push(("paid", true.into()));
    item
}

fn time<E>(what: &str, count: u32, mut request: impl FnMut(u32) -> Result<(), E>) -> Result<(), E> {
    let start = Instant::now();
    for number in 0..count {
        // Neighbours in time are none in the table.
        request(number.wrapping_mul(7_919))?;
    }
    println!("{what}\t{:.3}", start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    Ok(())
}

fn engine() -> Result<(), keyplan::Error> {
    let database = Database::in_memory();
    let table = database.create_table("Orders").partition_key("pk", AttributeType::S);
    table.sort_key("sk", AttributeType::S).send()?;
    for number in 0..ITEMS {
        database.put_item("Orders", item(number)).send()?;
    }
    time("put", 50_000, |number| database.put_item("Orders", item(number)).send().map(drop))?;
    time("get", 100_000, |number| {
        let found = database.get_item("Orders", key(number)).send()?;
        black_box(found.item.as_ref().and_then(|item| item.get("amount")?.number()));
        Ok::<(), keyplan::Error>(())
    })?;
    time("query of 20", 20_000, |number| {
        let [(_, partition), _] = key(number);
        let page = database.query("Orders").key_condition("pk = :pk").value(":pk", partition).send()?;
        assert_eq!(page.items.len(), PARTITION as usize);
        black_box(page.items.iter().filter(|item| item.get("paid").is_some()).count());
        Ok::<(), keyplan::Error>(())
    })?;
    time("update", 50_000, |number| {
        let update = database.update_item("Orders", key(number)).update("ADD amount :one");
        update.condition("attribute_exists(pk)").value(":one", 1).send().map(drop)
    })
}

fn place(number: u32) -> Vec<u8> {
    let number = number % ITEMS;
    format!("{:08x}{:020}", number.wrapping_mul(2_654_435_761), number).into_bytes()
}

fn map() -> Result<(), keyplan::Error> {
    let mut map: BTreeMap<Vec<u8>, Vec<u8>> =
        (0..ITEMS).map(|number| (place(number), vec![7; 400])).collect();
    time("BTreeMap: put", 100_000, |number| {
        map.insert(place(number), vec![8; 400]);
        Ok::<(), keyplan::Error>(())
    })?;
    time("BTreeMap: get", 100_000, |number| {
        black_box(map.get(&place(number)).cloned());
        Ok(())
    })
}

fn database() -> rusqlite::Result<()> {
    let mut connection = rusqlite::Connection::open_in_memory()?;
    connection.execute("CREATE TABLE entries (place BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID", [])?;
    const PUT: &str = "INSERT OR REPLACE INTO entries VALUES (?1, ?2)";
    let all = connection.transaction()?;
    for number in 0..ITEMS {
        all.prepare_cached(PUT)?.execute((place(number), vec![7_u8; 400]))?;
    }
    all.commit()?;
    time("SQLite: put", 20_000, |number| {
        connection.prepare_cached(PUT)?.execute((place(number), vec![8_u8; 400])).map(drop)
    })?;
    time("SQLite: get", 100_000, |number| {
        let mut statement = connection.prepare_cached("SELECT value FROM entries WHERE place = ?1")?;
        black_box(statement.query_row([place(number)], |found| found.get::<_, Vec<u8>>(0))?);
        Ok::<(), rusqlite::Error>(())
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    engine()?;
    map()?;
    database()?;
    Ok(())
}
