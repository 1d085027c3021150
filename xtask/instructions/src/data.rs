//! Tables, items and request bodies: items of 400 bytes by DynamoDB's rule, in partitions of 20, as `bench/load` has.

use std::fmt::Write as _;

use keyplan::AttributeValue;

/// Items of the table that most requests go to.
pub(crate) const ITEMS: usize = 500;
/// Items that fill a page, of 4 KB each.
pub(crate) const LARGE_ITEMS: usize = 260;
/// Items of a BatchWriteItem.
pub(crate) const BATCH: usize = 25;

const PARTITION: usize = 20;
const TEXTS: [&str; 8] = ["name", "street", "city", "country", "note", "agent", "state", "src"];
const INDEXED: [&str; 5] = ["g0", "g1", "g2", "g3", "g4"];

/// A table's name, and how many secondary indexes it has.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    indexes: usize,
}

pub(crate) const ORDERS: Table = Table { name: "Orders", indexes: 0 };
pub(crate) const PAGES: Table = Table { name: "Pages", indexes: 0 };
pub(crate) const ONE_INDEX: Table = Table { name: "OneIndex", indexes: 1 };
pub(crate) const FIVE_INDEXES: Table = Table { name: "FiveIndexes", indexes: 5 };

/// The body of CreateTable.
pub(crate) fn definition(table: Table) -> String {
    let mut attributes = String::from(
        r#"{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}"#,
    );
    let mut indexes = Vec::new();
    for name in &INDEXED[..table.indexes] {
        write!(attributes, r#",{{"AttributeName":"{name}","AttributeType":"S"}}"#).unwrap_or_default();
        indexes.push(format!(
            r#"{{"IndexName":"by-{name}","KeySchema":[{{"AttributeName":"{name}","KeyType":"HASH"}},{{"AttributeName":"pk","KeyType":"RANGE"}}],"Projection":{{"ProjectionType":"ALL"}}}}"#
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

fn partition(number: usize) -> String {
    format!("CUSTOMER#{:08}", number % ITEMS / PARTITION)
}

fn order(number: usize) -> String {
    format!("ORDER#{:06}", number % PARTITION)
}

fn key(number: usize) -> String {
    format!(r#""pk":{{"S":"{}"}},"sk":{{"S":"{}"}}"#, partition(number), order(number))
}

fn text(number: usize) -> String {
    format!("{number:08} {}", "x".repeat(25))
}

fn indexed(number: usize, index: usize) -> String {
    format!("{:04}", number * (index + 7) % 5_000)
}

fn item(number: usize) -> String {
    let mut item = key(number);
    for name in TEXTS {
        write!(item, r#","{name}":{{"S":"{}"}}"#, text(number)).unwrap_or_default();
    }
    for (index, name) in INDEXED.iter().enumerate() {
        write!(item, r#","{name}":{{"S":"{}"}}"#, indexed(number, index)).unwrap_or_default();
    }
    write!(item, r#","amount":{{"N":"{number}"}},"paid":{{"BOOL":true}}"#).unwrap_or_default();
    item
}

/// The body of a PutItem of an item that fills a page with others.
pub(crate) fn large_item(number: usize) -> String {
    let text = "y".repeat(4_000);
    format!(
        r#"{{"TableName":"Pages","Item":{{"pk":{{"S":"LARGE"}},"sk":{{"S":"{number:06}"}},"text":{{"S":"{text}"}}}}}}"#
    )
}

pub(crate) fn get(number: usize) -> String {
    format!(r#"{{"TableName":"Orders","Key":{{{}}}}}"#, key(number))
}

pub(crate) fn put(table: Table, number: usize) -> String {
    format!(r#"{{"TableName":"{}","Item":{{{}}}}}"#, table.name, item(number))
}

pub(crate) fn update(number: usize) -> String {
    format!(
        r#"{{"TableName":"Orders","Key":{{{}}},"UpdateExpression":"ADD amount :one","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#,
        key(number)
    )
}

pub(crate) fn query(number: usize) -> String {
    format!(
        r#"{{"TableName":"Orders","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{{":pk":{{"S":"{}"}}}}}}"#,
        partition(number)
    )
}

pub(crate) fn page() -> String {
    r#"{"TableName":"Pages","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{":pk":{"S":"LARGE"}}}"#
        .to_owned()
}

pub(crate) fn scan() -> String {
    r#"{"TableName":"Orders","FilterExpression":"amount < :limit","ExpressionAttributeValues":{":limit":{"N":"10"}}}"#
        .to_owned()
}

pub(crate) fn batch(first: usize) -> String {
    let puts: Vec<String> = (first..first + BATCH)
        .map(|number| format!(r#"{{"PutRequest":{{"Item":{{{}}}}}}}"#, item(number % ITEMS)))
        .collect();
    format!(r#"{{"RequestItems":{{"Orders":[{}]}}}}"#, puts.join(","))
}

pub(crate) fn transaction(first: usize) -> String {
    let puts: Vec<String> = (first..first + 4)
        .map(|number| format!(r#"{{"Put":{{"TableName":"Orders","Item":{{{}}}}}}}"#, item(number)))
        .collect();
    format!(r#"{{"TransactItems":[{}]}}"#, puts.join(","))
}

/// A key for a typed request.
pub(crate) fn key_attributes(number: usize) -> [(&'static str, AttributeValue); 2] {
    [("pk", partition(number).into()), ("sk", order(number).into())]
}

/// An item for a typed request.
pub(crate) fn attributes(number: usize) -> Vec<(&'static str, AttributeValue)> {
    let mut item = key_attributes(number).to_vec();
    item.extend(TEXTS.map(|name| (name, text(number).into())));
    item.push(("amount", (number as u64).into()));
    item.push(("paid", true.into()));
    item
}
