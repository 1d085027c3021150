//! BatchGetItem and BatchWriteItem.

use std::collections::BTreeMap;

use keyplan_value::Given;
use keyplan_value::json::{Writer, write_string};

use crate::parameters::{Body, give};
use crate::reply::{self, Output, Reply};
use crate::{Database, Error, Explained, IntoItem, Item, ValueError};

/// What is asked of each table, in the order in which tables were named first.
type ByTable<T> = Vec<(String, Vec<T>)>;

fn add<T>(tables: &mut ByTable<T>, table: &str, request: T) {
    match tables.iter_mut().find(|(name, _)| name == table) {
        Some((_, requests)) => requests.push(request),
        None => tables.push((table.to_owned(), vec![request])),
    }
}

/// Reads up to 100 items by their keys; made by [`Database::batch_get_item`].
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct BatchGetItem {
    database: Database,
    tables: ByTable<Item>,
    consistent_read: bool,
    fault: Option<ValueError>,
}

/// Puts and deletes up to 25 items; made by [`Database::batch_write_item`].
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct BatchWriteItem {
    database: Database,
    tables: ByTable<Write>,
    fault: Option<ValueError>,
}

#[derive(Debug, Clone)]
enum Write {
    Put(Item),
    Delete(Item),
}

impl Database {
    /// Reads up to 100 items of any tables by their keys.
    ///
    /// ```
    /// use keyplan::{AttributeType, Database};
    ///
    /// let database = Database::in_memory();
    /// database.create_table("Orders").partition_key("id", AttributeType::S).send()?;
    /// let writes = database.batch_write_item();
    /// writes.put("Orders", [("id", "o1")]).put("Orders", [("id", "o2")]).send()?;
    ///
    /// let reads = database.batch_get_item();
    /// let found = reads.key("Orders", [("id", "o1")]).key("Orders", [("id", "o9")]).send()?;
    /// assert_eq!(found.items["Orders"].len(), 1);
    /// assert!(found.unprocessed_keys.is_empty());
    /// # Ok::<(), keyplan::Error>(())
    /// ```
    pub fn batch_get_item(&self) -> BatchGetItem {
        BatchGetItem { database: self.clone(), tables: Vec::new(), consistent_read: false, fault: None }
    }

    /// Puts and deletes up to 25 items of any tables, each for itself and without conditions.
    pub fn batch_write_item(&self) -> BatchWriteItem {
        BatchWriteItem { database: self.clone(), tables: Vec::new(), fault: None }
    }
}

impl BatchGetItem {
    /// One more item to read.
    pub fn key(mut self, table: &str, key: impl IntoItem) -> Self {
        match key.into_item() {
            Ok(key) => add(&mut self.tables, table, key),
            Err(error) => _ = self.fault.get_or_insert(error),
        }
        self
    }

    /// Reads what the last writes left, at twice the cost.
    pub fn consistent_read(mut self, consistent: bool) -> Self {
        self.consistent_read = consistent;
        self
    }

    /// Sends the request.
    ///
    /// # Errors
    /// Those of the service.
    pub fn send(self) -> Result<BatchGetItemOutput, Error> {
        reply::send(&self.database, "DynamoDB_20120810.BatchGetItem", self.body())
    }

    /// Sends the request, and says what it read and cost.
    pub fn explain(self) -> Explained<BatchGetItemOutput> {
        reply::run(&self.database, "DynamoDB_20120810.BatchGetItem", self.body(), true)
    }

    fn body(&self) -> Result<Body, Error> {
        body(&self.tables, self.fault.as_ref(), |keys, given, out| {
            let mut json = Writer::new(out);
            json.begin_object().name("ConsistentRead").boolean(self.consistent_read);
            json.name("Keys").begin_array();
            for key in keys {
                json.value_with(|out| give(Given::Item(key.clone()), given, out));
            }
            json.end_array().end_object();
        })
    }
}

impl BatchWriteItem {
    /// One more item to put.
    pub fn put(self, table: &str, item: impl IntoItem) -> Self {
        self.write(table, item.into_item(), Write::Put)
    }

    /// One more item to delete, by its key.
    pub fn delete(self, table: &str, key: impl IntoItem) -> Self {
        self.write(table, key.into_item(), Write::Delete)
    }

    fn write(mut self, table: &str, item: Result<Item, ValueError>, of: fn(Item) -> Write) -> Self {
        match item {
            Ok(item) => add(&mut self.tables, table, of(item)),
            Err(error) => _ = self.fault.get_or_insert(error),
        }
        self
    }

    /// Sends the request. All of it is done when it is answered: this engine leaves nothing unprocessed.
    ///
    /// # Errors
    /// Those of the service.
    pub fn send(self) -> Result<(), Error> {
        reply::send(&self.database, "DynamoDB_20120810.BatchWriteItem", self.body())
    }

    /// Sends the request, and says what it wrote and cost.
    pub fn explain(self) -> Explained<()> {
        reply::run(&self.database, "DynamoDB_20120810.BatchWriteItem", self.body(), true)
    }

    fn body(&self) -> Result<Body, Error> {
        body(&self.tables, self.fault.as_ref(), |writes, given, out| {
            let mut json = Writer::new(out);
            json.begin_array();
            for write in writes {
                let (request, member, item) = match write {
                    Write::Put(item) => ("PutRequest", "Item", item),
                    Write::Delete(key) => ("DeleteRequest", "Key", key),
                };
                json.begin_object().name(request).begin_object().name(member);
                json.value_with(|out| give(Given::Item(item.clone()), given, out)).end_object().end_object();
            }
            json.end_array();
        })
    }
}

/// `RequestItems`, with what `write` appends for each table.
fn body<T>(
    tables: &ByTable<T>,
    fault: Option<&ValueError>,
    write: impl Fn(&[T], &mut Vec<Given>, &mut Vec<u8>),
) -> Result<Body, Error> {
    if let Some(fault) = fault {
        return Err(fault.clone().into());
    }
    let mut given = Vec::new();
    let mut body = b"{\"RequestItems\":{".to_vec();
    for (position, (table, requests)) in tables.iter().enumerate() {
        if position > 0 {
            body.push(b',');
        }
        write_string(table, &mut body);
        body.push(b':');
        write(requests, &mut given, &mut body);
    }
    body.extend_from_slice(b"}}");
    Ok(Body { text: body, given })
}

/// The answer of a BatchGetItem.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BatchGetItemOutput {
    /// The items that are there, by table, in no order.
    pub items: BTreeMap<String, Vec<Item>>,
    /// Keys to ask for again, by table: an answer holds at most 16 MB.
    pub unprocessed_keys: BTreeMap<String, Vec<Item>>,
}

impl Output for BatchGetItemOutput {
    fn read(reply: Reply<'_, '_>) -> Result<Self, Error> {
        let (mut items, mut unprocessed_keys) = (BTreeMap::new(), BTreeMap::new());
        for (table, found) in reply.root().get("Responses").into_iter().flat_map(|all| all.members()) {
            items.insert(table.to_str().into_owned(), reply.items_at(found)?);
        }
        for (table, left) in reply.root().get("UnprocessedKeys").into_iter().flat_map(|all| all.members()) {
            let keys = left.get("Keys").map(|keys| reply.items_at(keys)).transpose()?;
            unprocessed_keys.insert(table.to_str().into_owned(), keys.unwrap_or_default());
        }
        Ok(BatchGetItemOutput { items, unprocessed_keys })
    }
}
