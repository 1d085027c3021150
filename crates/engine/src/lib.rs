//! The engine: every DynamoDB operation, over any ordered transactional store.
//!
//! # What it is
//!
//! [`Engine::dispatch`] takes one request as it stands on the wire (its target, who signed it, the
//! bytes of its body, the time and a draw of chance) and gives one [`Reply`]: a status, a body and,
//! when asked for, a [`trace::Trace`] of what the request read, wrote and cost. Errors are replies
//! too, in the service's own words.
//!
//! A request passes these layers, each in a module of its own:
//!
//! 1. [`dispatch`]: the order in which a request is looked at, and the table of operations;
//! 2. [`shapes`]: members, types and constraints of all operations of the service, as data;
//! 3. [`validate`]: the two checks that need nothing but those data (JSON types, constraints);
//! 4. [`operations`]: one file an operation; it checks what only it knows, then reads or writes;
//! 5. [`catalog`], [`keys`], [`indexes`], [`read`], [`write`](mod@write): tables, where an item lies, how
//!    index entries follow items, the one way to read items and the one way to change them;
//! 6. [`journal`], [`streams`] and [`expiry`]: what follows from a changed item besides index entries: a
//!    record of the change, which streams read, and the time at which the item expires;
//!    [`history`]: a table's items as they were at a time, read from such records;
//! 7. `replication` and `destinations`: other readers of the journal, which carry changes to the table's other
//!    regions and to Kinesis data streams;
//! 8. [`capacity`] and [`trace`]: what it cost, and why; `insights` counts keys from it.
//!
//! What lies outside the store are the objects that exports write and imports read: [`buckets`] is all the engine
//! asks of them, and the module `transfers` reads and writes them.
//!
//! Work that outlives a request (freeing a deleted table, filling an index that was added, forgetting a
//! transaction's token, trimming a journal) is a record in the store, advanced in bounded steps by [`Engine::step`]; see
//! [`jobs`]. What developers meet on the real service and seldom elsewhere (reads that are behind, throttling,
//! conflicts, errors, tables that take their time) is [`weather`], off until it is set. [`inspect`] shows how a table's items lie, [`undo`] takes back the last write, and [`verify`](mod@verify)
//! holds all that follows from items against them; none is a DynamoDB request and none is billed.
//!
//! ```
//! use std::sync::Arc;
//! use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp};
//! use keyplan_store::MemoryStore;
//!
//! let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default())?;
//! let ask = |operation: &str, body: &str| {
//!     engine.dispatch(&Call {
//!         target: Some(&format!("DynamoDB_20120810.{operation}")),
//!         authentication: Authentication::NotRequired { region: "us-east-1" },
//!         body: body.as_bytes(),
//!         now: Timestamp(1_764_500_000_000),
//!         random: 7,
//!         trace: false,
//!     })
//! };
//! let created = ask(
//!     "CreateTable",
//!     r#"{"TableName": "Counters", "BillingMode": "PAY_PER_REQUEST",
//!         "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
//!         "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}"#,
//! );
//! assert_eq!(created.status, 200);
//! let missing = ask("GetItem", r#"{"TableName": "Counters", "Key": {"id": {"S": "a"}}}"#);
//! assert_eq!(missing.body, b"{}");
//! let refused = ask("GetItem", r#"{"TableName": "Counters", "Key": {"id": {"N": "1"}}}"#);
//! assert_eq!(refused.status, 400);
//! # Ok::<(), keyplan_engine::OpenError>(())
//! ```
//!
//! # What it is not
//!
//! It knows no sockets, files, threads, wall clocks or sources of randomness: the store is a trait
//! object, and time and chance are parts of a [`Call`]. It does not sleep. It checks no signatures:
//! who asks, and whether they may, is decided before and handed in as [`Authentication`].
#![forbid(unsafe_code)]

pub mod arn;
pub mod backups;
pub mod buckets;
mod calendar;
mod call;
pub mod capacity;
pub mod catalog;
mod context;
mod cursor;
pub mod destinations;
pub mod dispatch;
mod engine;
pub mod error;
pub mod expiry;
mod expressions;
mod figures;
mod format;
pub mod history;
pub mod indexes;
pub mod insights;
pub mod inspect;
pub mod jobs;
pub mod journal;
mod kept;
pub mod keys;
pub mod limits;
pub mod operations;
pub mod policies;
pub mod read;
mod regions;
pub mod replication;
pub mod shapes;
pub mod spaces;
pub mod streams;
pub mod trace;
mod transfers;
pub mod undo;
pub mod validate;
pub mod verify;
pub mod weather;
pub mod write;

pub use call::{Authentication, AuthenticationError, Call, Reply, Timestamp};
pub use context::Context;
pub use engine::{Engine, EngineOptions, OpenError};
pub use error::{ScopeFault, ServiceError, SignatureFault};
pub use figures::Figures;
pub use kept::{Beside, KeptItems};
