//! Keyplan as a library: a DynamoDB-compatible database inside a Rust program.
//!
//! A [`Database`] is a handle that is cheap to clone and may be used from any number of threads. It
//! lives in memory, or in a file (feature `sqlite`, on by default), and takes every request of the
//! service as its JSON. No socket, no server and no async runtime are involved, so each test of a
//! program can have a database of its own.
//!
//! It is not a client for the real service: it holds the data itself. It checks no signatures:
//! whoever has the handle may do everything.
//!
//! ```
//! use keyplan::Database;
//!
//! let database = Database::in_memory();
//! database.call(
//!     "CreateTable",
//!     br#"{"TableName": "Shop", "BillingMode": "PAY_PER_REQUEST",
//!          "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
//!          "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}"#,
//! );
//! let put = database.call("PutItem", br#"{"TableName": "Shop", "Item": {"pk": {"S": "a"}}}"#);
//! assert!(put.is_ok());
//! let answer = database.call("GetItem", br#"{"TableName": "Shop", "Key": {"pk": {"S": "a"}}}"#);
//! assert_eq!(answer.body, br#"{"Item":{"pk":{"S":"a"}}}"#);
//! ```

mod answer;
mod clock;
mod database;
mod options;

pub use answer::Answer;
pub use clock::Clock;
pub use database::Database;
#[cfg(feature = "sqlite")]
pub use database::OpenFileError;
pub use keyplan_engine::trace::Trace;
pub use keyplan_engine::{Engine, OpenError, Timestamp};
pub use keyplan_store::StoreError;
pub use options::Options;
