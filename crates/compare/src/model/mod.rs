//! The model: tables as ordered maps of plain items, and what the service answers from them.
//!
//! It knows nothing of stores, texts or encodings. An index is what filtering and sorting the items gives,
//! and whatever can be computed anew for each request is.

mod capacity;
mod faults;
mod read;
mod stream;
mod write;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

pub use self::faults::Fault;
pub use self::stream::Record;
use crate::order::Order;
use crate::request::{Index, KeySchema, Projection, Request, TableSpec, Write};
use crate::value::{Item, Value, size};

/// A key: the partition key's value, and the sort key's.
pub type Key = (Value, Option<Value>);

/// The bytes that a key attribute has at most.
const PARTITION_KEY_BYTES: u64 = 2_048;
const SORT_KEY_BYTES: u64 = 1_024;

/// How long a transaction's token is remembered.
const TOKEN_MILLISECONDS: u64 = 10 * 60 * 1_000;

/// An answer of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub body: Json,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// How it is defined, with the indexes that it has now.
    pub spec: TableSpec,
    /// The attribute that says when an item expires.
    pub expires: Option<String>,
    /// The items.
    pub items: BTreeMap<Key, Item>,
    /// What the stream has recorded.
    pub records: Vec<Record>,
}

impl Table {
    /// An index by its name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.spec.indexes.iter().find(|index| index.name == name)
    }

    /// The entry that an item has in an index: its key there, and what the index has of it.
    pub fn entry(&self, index: &Index, item: &Item) -> Option<(Key, Item)> {
        let key = key_in(&index.key, item)?;
        let has = |name: &String| match &index.projection {
            Projection::All => true,
            Projection::KeysOnly => index.key.has(name) || self.spec.key.has(name),
            Projection::Include(names) => {
                names.contains(name) || index.key.has(name) || self.spec.key.has(name)
            }
        };
        let view = item.iter().filter(|(name, _)| has(name));
        Some((key, view.map(|(name, value)| (name.clone(), value.clone())).collect()))
    }
}

/// The key that an item has by a schema, if it has one.
pub fn key_in(schema: &KeySchema, item: &Item) -> Option<Key> {
    let value = |(name, kind): &(String, &'static str), most: u64| {
        let fits = |value: &&Value| value.kind() == *kind && !value.is_empty_text() && value.size() <= most;
        item.get(name).filter(fits).cloned()
    };
    let partition = value(&schema.partition, PARTITION_KEY_BYTES)?;
    match &schema.sort {
        None => Some((partition, None)),
        Some(sort) => Some((partition, Some(value(sort, SORT_KEY_BYTES)?))),
    }
}

/// All tables, and what is remembered of transactions.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The tables by name.
    pub tables: BTreeMap<String, Table>,
    /// Transactions by token: when, what, and the sizes of the items they left.
    tokens: BTreeMap<String, (u64, Vec<Write>, Vec<u64>)>,
}

impl Model {
    /// Answers a request at a moment, in milliseconds.
    pub fn answer(&mut self, request: &Request, now: u64, order: &mut Order) -> Answer {
        self.answered(request, now, order).unwrap_or_else(Fault::answer)
    }

    fn answered(&mut self, request: &Request, now: u64, order: &mut Order) -> Result<Answer, Fault> {
        let body = match request {
            Request::Create(spec) if self.tables.contains_key(&spec.name) => {
                return Err(Fault::InUse(format!("Table already exists: {}", spec.name)));
            }
            Request::Create(spec) => {
                let table =
                    Table { spec: spec.clone(), expires: None, items: BTreeMap::new(), records: Vec::new() };
                self.tables.insert(spec.name.clone(), table);
                json!({})
            }
            Request::Write { write, returned, detail, metrics, .. } => {
                self.write(write, *returned, *detail, *metrics, now)?
            }
            Request::BatchWrite(tables, detail) => self.batch_write(tables, *detail, now)?,
            Request::TransactWrite(writes, token, detail) => {
                self.transact_write(writes, token.as_deref(), *detail, now)?
            }
            Request::Get { table, key, paths, is_consistent, detail } => {
                self.get(table, key, paths.as_deref(), *is_consistent, *detail)?
            }
            Request::BatchGet(tables, detail) => self.batch_get(tables, *detail)?,
            Request::TransactGet(gets, detail) => self.transact_get(gets, *detail)?,
            Request::Query { read, partition, sort, is_forward } => {
                self.query(read, partition, sort.as_ref(), *is_forward)?
            }
            Request::Scan { read, segment } => self.scan(read, *segment, order)?,
            Request::AddIndex(table, index) => {
                let table = self.changed_table(table)?;
                if table.index(&index.name).is_some() {
                    return Err(Fault::invalid("Attempting to create an index which already exists"));
                }
                table.spec.indexes.push(index.clone());
                json!({})
            }
            Request::RemoveIndex(table, name) => {
                let table = self.changed_table(table)?;
                let Some(place) = table.spec.indexes.iter().position(|index| index.name == *name) else {
                    let what =
                        format!("Requested resource not found: Index {name} for table {}", table.spec.name);
                    return Err(Fault::NotFound(what));
                };
                table.spec.indexes.remove(place);
                json!({})
            }
            Request::Drop(table) => {
                self.changed_table(table)?;
                self.tables.remove(table);
                json!({})
            }
            Request::Stream(name, view) => {
                let table = self.changed_table(name)?;
                let fault = match (table.spec.stream, view) {
                    (Some(_), Some(_)) => "Table already has an enabled stream",
                    (None, None) => "Table has no stream to disable",
                    _ => {
                        // A stream that is enabled is a new one.
                        table.spec.stream = *view;
                        table.records.clear();
                        return Ok(Answer { status: 200, body: json!({}) });
                    }
                };
                return Err(Fault::Invalid(format!("{fault}: TableName: {name}")));
            }
            Request::Expire(table, attribute) => {
                let table = self.changed_table(table)?;
                if table.expires.is_some() {
                    return Err(Fault::invalid("TimeToLive is already enabled"));
                }
                table.expires = Some(attribute.clone());
                let specification = json!({ "AttributeName": attribute, "Enabled": true });
                json!({ "TimeToLiveSpecification": specification })
            }
            Request::Describe(table) => self.changed_table(table)?.described(),
        };
        Ok(Answer { status: 200, body })
    }

    /// A table by its name.
    pub(crate) fn table(&self, name: &str) -> Result<&Table, Fault> {
        self.tables.get(name).ok_or_else(Fault::no_table)
    }

    /// The same for operations on tables, which name the one that isn't there.
    fn changed_table(&mut self, name: &str) -> Result<&mut Table, Fault> {
        let missing = || Fault::NotFound(format!("Requested resource not found: Table: {name} not found"));
        self.tables.get_mut(name).ok_or_else(missing)
    }

    fn table_mut(&mut self, name: &str) -> Result<&mut Table, Fault> {
        self.tables.get_mut(name).ok_or_else(Fault::no_table)
    }
}

impl Table {
    /// How many items there are, and their bytes; the same of each index.
    fn described(&self) -> Json {
        let bytes: u64 = self.items.values().map(size).sum();
        let mut indexes = BTreeMap::new();
        for index in &self.spec.indexes {
            let entries: Vec<Item> = self
                .items
                .values()
                .filter_map(|item| self.entry(index, item).map(|(_, view)| view))
                .collect();
            let bytes: u64 = entries.iter().map(size).sum();
            indexes
                .insert(index.name.clone(), json!({ "ItemCount": entries.len(), "IndexSizeBytes": bytes }));
        }
        json!({ "ItemCount": self.items.len(), "TableSizeBytes": bytes, "Indexes": indexes })
    }
}
