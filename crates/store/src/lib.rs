//! The ordered, transactional key-value store under the engine (page being written).

mod batch;
mod bounds;
mod bytes;
mod error;
mod store;

pub use batch::{Batch, Change, as_slice, counter_bytes, counter_value};
pub use bounds::{Bounds, Direction, Visit};
pub use bytes::{SharedBytes, Space, StoredValue};
pub use error::StoreError;
pub use store::{Snapshot, Store, StoreExt, Transacted, Transaction, Visitor, Written};
