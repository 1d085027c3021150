//! Keyplan as a library: a DynamoDB-compatible database inside a Rust program.
//!
//! A [`Database`] is a handle that is cheap to clone and may be used from any number of threads. It
//! lives in memory, or in a file (feature `sqlite`, on by default). No socket, no server and no async
//! runtime are involved, so each test of a program can have a database of its own.
//!
//! ```
//! use keyplan::{AttributeType, AttributeValue, Database};
//!
//! let database = Database::in_memory();
//! let table = database.create_table("Orders").partition_key("customer", AttributeType::S);
//! table.sort_key("order", AttributeType::S).send()?;
//!
//! for (order, amount) in [("2026-01", 10), ("2026-02", 25), ("2025-12", 40)] {
//!     let item = [("customer", "c1".into()), ("order", order.into()), ("amount", AttributeValue::from(amount))];
//!     database.put_item("Orders", item).send()?;
//! }
//!
//! let this_year = database
//!     .query("Orders")
//!     .key_condition("customer = :customer AND begins_with(#order, :year)")
//!     .name("#order", "order")
//!     .value(":customer", "c1")
//!     .value(":year", "2026");
//! let mut sum = 0;
//! for item in this_year.clone().items() {
//!     // An attribute is read from the item's stored form; nothing else of it is decoded.
//!     sum += item?.get("amount").and_then(|amount| amount.number()?.to_i64()).unwrap_or(0);
//! }
//! assert_eq!(sum, 35);
//!
//! let explained = this_year.explain();
//! let trace = explained.trace.expect("every request that was sent has one");
//! assert_eq!(trace.read_units().to_string(), "0.5");
//! println!("{trace}");
//! # Ok::<(), keyplan::Error>(())
//! ```
//!
//! # The ways to send a request
//!
//! * Typed: [`put_item`](Database::put_item), [`get_item`](Database::get_item),
//!   [`update_item`](Database::update_item), [`delete_item`](Database::delete_item),
//!   [`query`](Database::query), [`scan`](Database::scan), [`batch_get_item`](Database::batch_get_item),
//!   [`batch_write_item`](Database::batch_write_item),
//!   [`transact_write_items`](Database::transact_write_items),
//!   [`transact_get_items`](Database::transact_get_items), [`create_table`](Database::create_table),
//!   [`describe_table`](Database::describe_table), [`list_tables`](Database::list_tables),
//!   [`delete_table`](Database::delete_table). Items come back as they are stored, to be read by attribute
//!   name ([`Item`]); errors have a [code](ErrorCode) and the service's words ([`Error`]).
//! * As JSON: [`Database::call`] takes every request of the service, as it goes over the wire.
//! * Through the AWS SDK for Rust: the crate `keyplan-aws` has a client of a database, without a socket.
//!
//! Each of them can be asked what the request read, wrote and cost: [`Database::explain`], and `explain` in
//! the place of `send`.
//!
//! # Time
//!
//! [`Database::options`] takes a [`Clock`] that a test moves, and a seed that makes a run repeatable.
//! [`Database::advance`] moves time and does what is due by then; [`Database::step`] does a bounded part of
//! what is due now.
//!
//! # What it is not
//!
//! It is not a client for the real service: it holds the data itself. It checks no signatures:
//! whoever has the handle may do everything. A call on a file waits for the disk on the thread that makes it.
#![forbid(unsafe_code)]

mod answer;
mod attributes;
mod buckets;
mod clock;
mod database;
mod error;
mod operations;
mod options;
mod parameters;
mod reply;

pub use answer::Answer;
pub use attributes::IntoItem;
pub use buckets::DirectoryBuckets;
pub use clock::Clock;
pub use database::Database;
#[cfg(feature = "sqlite")]
pub use database::OpenFileError;
pub use error::{CancellationReason, Error, ErrorCode};
pub use keyplan_engine::buckets::{BucketError, Buckets, MemoryBuckets, ObjectEntry};
pub use keyplan_engine::trace::Trace;
pub use keyplan_engine::weather::{Weather, WeatherError};
pub use keyplan_engine::{Engine, OpenError, Timestamp};
pub use keyplan_store::StoreError;
#[cfg(feature = "sqlite")]
pub use keyplan_store_sqlite::Durability;
pub use keyplan_value::{AttributeValue, Item, ItemRef, Number, ValueError, ValueKind, ValueRef};
pub use operations::{
    AttributeType, BatchGetItem, BatchGetItemOutput, BatchWriteItem, ConditionCheck, CreateTable, Delete,
    DeleteItem, DeleteTable, DescribeTable, GetItem, GetItemOutput, IndexDescription, Items, ListTables,
    ListTablesOutput, Page, Pages, Projection, Put, PutItem, Query, ReturnValues, Scan, SecondaryIndex,
    TableDescription, TableStatus, TransactGetItems, TransactGetItemsOutput, TransactWriteItems, Update,
    UpdateItem, WriteItemOutput,
};
pub use options::Options;
pub use reply::Explained;
