//! Making the tables and putting the items.

use std::collections::HashSet;

use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::{Authentication, Call, Engine};
use keyplan_value::json::{Limits, Tape, Writer};

use super::{SeedItem, Start};
use crate::clock;
use crate::failure::Failure;

/// The items of one BatchWriteItem.
const BATCH_ITEMS_MAX: usize = 25;

/// The bytes of items in one, well below the 16 MB of a request.
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What was made, and what was there before.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) tables: usize,
    pub(crate) items: usize,
    /// Tables that were there, which were left as they were.
    pub(crate) left_alone: Vec<String>,
}

impl Start {
    /// Makes what is not there. A table that exists is left alone, with the items it has.
    pub(crate) fn apply(&self, engine: &Engine) -> Result<Applied, Failure> {
        let mut applied = Applied::default();
        let mut made = HashSet::new();
        for table in &self.tables {
            if exists(engine, &table.name) {
                applied.left_alone.push(table.name.clone());
                continue;
            }
            send(engine, "CreateTable", &table.request).map_err(|why| {
                Failure::new(format!("{}: the table {} is refused: {why}", table.at, table.name))
            })?;
            made.insert(table.name.as_str());
            applied.tables += 1;
        }
        let mut batch = Batch { engine, table: "", items: Vec::new(), bytes: 0 };
        for item in &self.items {
            let Some(table) = item.tables.iter().find(|table| made.contains(table.as_str())) else {
                self.leave_alone(engine, item, &mut applied)?;
                continue;
            };
            batch.add(table, item)?;
            applied.items += 1;
        }
        batch.put()?;
        Ok(applied)
    }

    /// An item whose table was not made just now: the table was there before, or nobody knows it.
    fn leave_alone(&self, engine: &Engine, item: &SeedItem, applied: &mut Applied) -> Result<(), Failure> {
        let known =
            item.tables.iter().find(|table| applied.left_alone.contains(table) || exists(engine, table));
        let Some(table) = known else {
            let [name, ..] = &*item.tables else { return Ok(()) };
            return Err(Failure::new(format!(
                "{}: this item's table is not there: no file has a CreateTable request for {name}; items without a \
                 TableName stand in a file named for their table, such as TABLE.items.json",
                item.at
            )));
        };
        if !applied.left_alone.contains(table) {
            applied.left_alone.push(table.clone());
        }
        Ok(())
    }
}

/// Items of one table that go together.
struct Batch<'a> {
    engine: &'a Engine,
    table: &'a str,
    items: Vec<&'a SeedItem>,
    bytes: usize,
}

impl<'a> Batch<'a> {
    fn add(&mut self, table: &'a str, item: &'a SeedItem) -> Result<(), Failure> {
        let full = self.items.len() >= BATCH_ITEMS_MAX || self.bytes + item.json.len() > BATCH_BYTES_MAX;
        if full || table != self.table {
            self.put()?;
        }
        self.table = table;
        self.bytes += item.json.len();
        self.items.push(item);
        Ok(())
    }

    fn put(&mut self) -> Result<(), Failure> {
        let items = std::mem::take(&mut self.items);
        self.bytes = 0;
        if items.is_empty() || send(self.engine, "BatchWriteItem", &self.request(&items)).is_ok() {
            return Ok(());
        }
        // A batch does not say which of its items is at fault, and may not hold one key twice.
        for item in items {
            let mut body = Vec::new();
            let mut json = Writer::new(&mut body);
            json.begin_object().name("TableName").string(self.table);
            json.name("Item").value_with(|out| out.extend_from_slice(item.json.as_bytes())).end_object();
            send(self.engine, "PutItem", &body).map_err(|why| {
                Failure::new(format!("{}: the item is refused by the table {}: {why}", item.at, self.table))
            })?;
        }
        Ok(())
    }

    fn request(&self, items: &[&SeedItem]) -> Vec<u8> {
        let mut body = Vec::new();
        let mut json = Writer::new(&mut body);
        json.begin_object().name("RequestItems").begin_object().name(self.table).begin_array();
        for item in items {
            json.begin_object().name("PutRequest").begin_object().name("Item");
            json.value_with(|out| out.extend_from_slice(item.json.as_bytes())).end_object().end_object();
        }
        json.end_array().end_object().end_object();
        body
    }
}

fn exists(engine: &Engine, table: &str) -> bool {
    let mut body = Vec::new();
    Writer::new(&mut body).begin_object().name("TableName").string(table).end_object();
    send(engine, "DescribeTable", &body).is_ok()
}

/// Sends a request; a refusal comes as the service's words.
fn send(engine: &Engine, operation: &str, body: &[u8]) -> Result<(), String> {
    let reply = engine.dispatch(&Call {
        target: Some(&format!("DynamoDB_20120810.{operation}")),
        authentication: Authentication::NotRequired { region: DEFAULT_REGION },
        body,
        now: clock::now(),
        random: fastrand::u128(..),
        trace: false,
    });
    if reply.status == 200 {
        return Ok(());
    }
    if let Some(fault) = reply.fault {
        return Err(fault);
    }
    let tape = Tape::parse(&reply.body, &Limits::default()).map_err(|error| error.to_string())?;
    let text = |name: &str| tape.root().get(name).and_then(|node| node.string());
    let message = text("message").or_else(|| text("Message")).unwrap_or_default();
    let kind = text("__type").unwrap_or_default();
    Err(format!("{}: {message}", kind.rsplit('#').next().unwrap_or_default()))
}
