//! Tables and items of the workloads: items of 400 bytes by DynamoDB's rule, in partitions of 20.

use std::fmt::Write as _;
use std::net::SocketAddr;

use crate::client::{call, connect};

/// Items of a partition.
pub const PARTITION: u64 = 20;
/// Items of the table that single requests go to.
pub const ITEMS: u64 = 20_000;
/// Items of the table that is scanned as a whole.
pub const SCANNED: u64 = 10_000;
/// Items of the partition that is read a page at a time, of 4 KB each.
const LARGE: u64 = 300;
/// Most items of a BatchWriteItem.
const BATCH: u64 = 25;

/// A table's name, and how many secondary indexes it has.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    pub name: &'static str,
    pub indexes: usize,
}

pub const ORDERS: Table = Table { name: "Orders", indexes: 0 };
pub const SCAN: Table = Table { name: "Scanned", indexes: 0 };
pub const PAGES: Table = Table { name: "Pages", indexes: 0 };
pub const ONE_INDEX: Table = Table { name: "OneIndex", indexes: 1 };
pub const FIVE_INDEXES: Table = Table { name: "FiveIndexes", indexes: 5 };

/// The key of an item.
pub fn key(number: u64) -> String {
    format!(
        r#""pk":{{"S":"CUSTOMER#{:08}"}},"sk":{{"S":"ORDER#{:06}"}}"#,
        number / PARTITION,
        number % PARTITION
    )
}

/// An item's attributes, its key among them: 400 bytes.
pub fn item(number: u64, random: u64) -> String {
    let mut item = key(number);
    let filler = "x".repeat(25);
    for name in ["name", "street", "city", "country", "note", "agent", "state", "src"] {
        write!(item, r#","{name}":{{"S":"{:08} {filler}"}}"#, number % 100_000_000).unwrap_or_default();
    }
    for index in 0..5 {
        write!(item, r#","g{index}":{{"S":"{:04}"}}"#, random.wrapping_mul(index + 7) % 5_000)
            .unwrap_or_default();
    }
    write!(item, r#","amount":{{"N":"{}"}},"paid":{{"BOOL":true}}"#, number % 1_000).unwrap_or_default();
    item
}

fn large_item(number: u64) -> String {
    let text = "y".repeat(4_000);
    format!(r#""pk":{{"S":"LARGE"}},"sk":{{"S":"{number:06}"}},"text":{{"S":"{text}"}}"#)
}

/// CreateTable's body.
fn definition(table: Table) -> String {
    let mut attributes = String::from(
        r#"{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}"#,
    );
    let mut indexes = Vec::new();
    for index in 0..table.indexes {
        write!(attributes, r#",{{"AttributeName":"g{index}","AttributeType":"S"}}"#).unwrap_or_default();
        indexes.push(format!(
            r#"{{"IndexName":"by-g{index}","KeySchema":[{{"AttributeName":"g{index}","KeyType":"HASH"}},{{"AttributeName":"pk","KeyType":"RANGE"}}],"Projection":{{"ProjectionType":"ALL"}}}}"#
        ));
    }
    let indexes = match indexes.is_empty() {
        true => String::new(),
        false => format!(r#","GlobalSecondaryIndexes":[{}]"#, indexes.join(",")),
    };
    format!(
        r#"{{"TableName":"{}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{attributes}],"KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}},{{"AttributeName":"sk","KeyType":"RANGE"}}]{indexes}}}"#,
        table.name
    )
}

/// Makes a table.
pub fn create(address: SocketAddr, table: Table) -> Result<(), String> {
    let mut stream = connect(address)?;
    call(&mut stream, "CreateTable", definition(table).as_bytes())?;
    // The first request after it may find it still being made.
    let name = format!(r#"{{"TableName":"{}"}}"#, table.name);
    for _ in 0..100 {
        let described = call(&mut stream, "DescribeTable", name.as_bytes())?;
        if String::from_utf8_lossy(&described).contains(r#""TableStatus":"ACTIVE""#) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Err(format!("{} does not become active", table.name))
}

/// Puts the items of `numbers` into a table.
pub fn fill(address: SocketAddr, table: Table, numbers: std::ops::Range<u64>) -> Result<(), String> {
    put_all(address, table, numbers, |number| item(number, number.wrapping_mul(0x9E37_79B9)))
}

pub fn fill_pages(address: SocketAddr) -> Result<(), String> {
    put_all(address, PAGES, 0..LARGE, large_item)
}

fn put_all(
    address: SocketAddr,
    table: Table,
    numbers: std::ops::Range<u64>,
    item: impl Fn(u64) -> String,
) -> Result<(), String> {
    let mut stream = connect(address)?;
    let mut next = numbers.start;
    while next < numbers.end {
        let end = (next + BATCH).min(numbers.end);
        let puts: Vec<String> = (next..end)
            .map(|number| format!(r#"{{"PutRequest":{{"Item":{{{}}}}}}}"#, item(number)))
            .collect();
        let body = format!(r#"{{"RequestItems":{{"{}":[{}]}}}}"#, table.name, puts.join(","));
        let answer = call(&mut stream, "BatchWriteItem", body.as_bytes())?;
        if !String::from_utf8_lossy(&answer).contains(r#""UnprocessedItems":{}"#) {
            return Err(format!("items were left unprocessed: {}", String::from_utf8_lossy(&answer)));
        }
        next = end;
    }
    Ok(())
}
