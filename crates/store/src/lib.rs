//! The ordered, transactional key-value store that the engine is a layer over.
//!
//! A [`Store`] holds bytes under bytes, ordered as unsigned bytes, in numbered keyspaces
//! ([`Space`]). It is small on purpose: the engine brings the meaning, a store brings order,
//! isolation and durability.
//!
//! - **Reading** happens on a [`Snapshot`], one consistent state: [`get_many`] for keys,
//!   [`range`] for entries in order, forward or backward, until the visitor has enough. Values
//!   are shared slices ([`SharedBytes`]): keeping one costs a count where the store has it in
//!   memory.
//! - **Writing** is a closure that reads a snapshot and returns a [`Batch`], or nothing to abort.
//!   It is pure: a store may run it again after a conflict, and may commit the batches of many
//!   callers together, and each caller still gets an answer of its own. A batch is applied whole
//!   or not at all, and comes with its inverse if [`Batch::keep_inverse`] asks for it.
//! - **Counting** is [`Change::Add`], which commutes, never a read and a put.
//! - **Blocking**: [`Store::may_block`] says whether a call may wait for a disk. Closures do not
//!   call their own store; one that does gets [`StoreError::Reentrant`] or an answer, and is
//!   never left hanging.
//!
//! [`StoreExt`] puts typed answers over the object-safe trait; [`MemoryStore`] is the store
//! without a file. What every store owes is numbered in `docs/store-invariants.md`, and the module
//! `kit`, behind the feature of that name, checks it on any store, in a browser's tab too.
//!
//! What it is not: it knows no tables, no items and no encodings, has no clock, starts no threads
//! and opens no files. Stores that do are crates of their own.
//!
//! ```
//! use keyplan_store::{
//!     Batch, Bounds, Direction, MemoryStore, Space, Store, StoreExt, Visit, counter_value,
//! };
//!
//! let store = MemoryStore::new();
//! let space = store.new_space()?;
//!
//! // A write: read, decide, and return what to change with an answer of one's own.
//! let written = store.transact(move |snapshot| {
//!     if snapshot.get(space, b"ines").map_err(|_| "unreadable")?.is_some() {
//!         return Err("taken");
//!     }
//!     let mut batch = Batch::new().keeping_inverse();
//!     batch.put(space, b"ines", *b"customer");
//!     batch.add(space, b"#count", 1);
//!     Ok((batch, "written"))
//! })?;
//! let (answer, inverse) = written.expect("nobody took the key");
//! assert_eq!(answer, "written");
//!
//! // A read: entries in the order of their keys.
//! let mut keys = Vec::new();
//! store.view(|snapshot| {
//!     snapshot.range(space, Bounds::ALL, Direction::Forward, 10, &mut |key, _value| {
//!         keys.push(key.to_vec());
//!         Visit::Continue
//!     })
//! })??;
//! assert_eq!(keys, [&b"#count"[..], b"ines"]);
//!
//! // Undo is the inverse, written as any other batch.
//! let inverse = inverse.expect("it was asked for");
//! store.write(Box::new(move |_| Some(inverse.clone())))?;
//! let count = store.view(|snapshot| snapshot.get(space, b"#count"))??;
//! assert_eq!(count.as_deref().and_then(counter_value), None, "a counter at zero is gone");
//! # Ok::<_, keyplan_store::StoreError>(())
//! ```
//!
//! [`get_many`]: Snapshot::get_many
//! [`range`]: Snapshot::range

mod batch;
mod bounds;
mod bytes;
mod error;
#[cfg(feature = "kit")]
pub mod kit;
mod memory;
mod store;
mod turn;

pub use batch::{Addition, Batch, Change, as_slice, counter_bytes, counter_value, restoring};
pub use bounds::{Bounds, Direction, Visit};
pub use bytes::{SharedBytes, Space, StoredValue};
pub use error::StoreError;
pub use memory::{MemoryImage, MemoryStore};
pub use store::{Snapshot, Store, StoreExt, Transacted, Transaction, Visitor, Written};
pub use turn::{Turn, TurnGuard};
