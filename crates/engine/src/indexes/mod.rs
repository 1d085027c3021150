//! Secondary indexes: what an item's entry is, how entries follow their items, and the rules for the
//! attributes that are an index's keys.
//!
//! Global and local secondary indexes are one thing here: a keyspace of entries, each an item of its own
//! at a place that the index's key gives it (see [`keys`](crate::keys)). Entries are changed in the same
//! transaction as the item, by `follow`; a [job](crate::jobs) alone writes others, while it fills an
//! index that was added to a table. Vector indexes have entries of another form, kept in the same way.

mod collections;
mod distance;
mod entry;
mod follow;
mod rules;
mod vector_entry;

pub use collections::ItemCollection;
pub(crate) use collections::ItemCollections;
pub(crate) use distance::Searched;
pub use entry::Entry;
pub(crate) use follow::{Changing, Filling, Followed, follow};
pub use follow::{EntryChange, EntryWrite, Spot};
pub(crate) use rules::{check_paths, check_put, check_types, check_update, is_too_large};
pub(crate) use vector_entry::{StoredVector, VectorEntry, value as vector_value};
