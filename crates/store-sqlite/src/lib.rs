//! The store in a SQLite database: a file on a laptop, and the same file in a browser's tab.
//!
//! Natively a caller of [`SqliteStore::open`]'s store who comes alone writes on its own thread. Callers who meet queue
//! their closures; a thread takes all that wait into one transaction, each seeing what those before it wrote,
//! commits, syncs, and answers them all. Readers go beside it on connections of their own. In the
//! tab, `Pool::open` gives a store on OPFS whose calls run where they arrive, on one
//! connection: same tables, same SQL, same file.
//!
//! - One file: a store that is dropped leaves exactly the file it was opened on, so it can be
//!   carried. While it is open, a log and a lock lie beside it.
//! - One owner: a second opener is told [`StoreError::Locked`]. The lock is a file of its own, never
//!   a second descriptor on the database, which would let go of SQLite's own locks when closed.
//! - Our files only: a file of another program is refused untouched ([`StoreError::Foreign`]), as is
//!   one of a newer format.
//!
//! A file can be read beside its owner, as it is at one moment ([`SqliteStore::open_to_read`]), and copied so
//! (`FileCopy`): what a backup is. A database can be given away as the bytes of its file ([`SqliteStore::image`]), which open as a
//! copy in memory ([`SqliteStore::open_image`]).
//!
//! A file can be looked at without changing a byte of it ([`ReadOnlyStore`]).
//!
//! What it is not: it knows nothing of tables and items, and it is not for files that another
//! process writes.
//!
//! ```
//! use keyplan_store::{Batch, Space, Store, StoreExt};
//! use keyplan_store_sqlite::{Options, SqliteStore};
//!
//! # let folder = tempfile::tempdir().expect("a folder for the example");
//! # let path = folder.path().join("my.db");
//! let space = {
//!     let store = SqliteStore::open(&path, Options::default())?;
//!     let space = store.new_space()?;
//!     store.write(Box::new(move |_| {
//!         let mut batch = Batch::new();
//!         batch.put(space, b"key", *b"value");
//!         Some(batch)
//!     }))?;
//!     space
//! };
//! let store = SqliteStore::open(&path, Options::default())?;
//! let value = store.view(|snapshot| snapshot.get(space, b"key"))??;
//! assert_eq!(value.as_deref(), Some(&b"value"[..]));
//! # Ok::<_, keyplan_store::StoreError>(())
//! ```
//!
//! [`StoreError::Locked`]: keyplan_store::StoreError::Locked
//! [`StoreError::Foreign`]: keyplan_store::StoreError::Foreign

mod apply;
#[cfg(not(target_arch = "wasm32"))]
mod copy;
mod errors;
mod format;
#[cfg(not(target_arch = "wasm32"))]
mod identity;
mod image;
mod inline;
#[cfg(target_arch = "wasm32")]
mod opfs;
#[cfg(not(target_arch = "wasm32"))]
mod read_only;
#[cfg(not(target_arch = "wasm32"))]
mod readers;
#[cfg(not(target_arch = "wasm32"))]
mod recent;
#[cfg(not(target_arch = "wasm32"))]
mod sidecar;
mod snapshot;
mod store;
#[cfg(not(target_arch = "wasm32"))]
mod threads;
#[cfg(not(target_arch = "wasm32"))]
mod view;
mod writer;

#[cfg(not(target_arch = "wasm32"))]
pub use copy::FileCopy;
#[cfg(target_arch = "wasm32")]
pub use opfs::Pool;
#[cfg(not(target_arch = "wasm32"))]
pub use read_only::ReadOnlyStore;
pub use store::{Durability, Options, SqliteStore};
