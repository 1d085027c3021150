//! The tables: their definitions as records of the store, and a cache of them.
//!
//! A definition is stored as an item under the table's name in [`crate::spaces::CATALOG`], so a dump
//! shows it. The cache holds only until the store's epoch changes (another process may have changed the
//! catalog) or this engine changes a definition itself. A definition that was looked up may be out of
//! date by the time it is used; a closure over a snapshot asks [`is_current`] before it trusts it.

pub mod counters;
mod definition;
mod destination;
mod global;
mod index;
mod stored;
mod stream;
mod throughput;
mod vector_index;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use keyplan_store::{Batch, Bounds, Direction, SharedBytes, Snapshot, Space, Store, StoreExt, Visit};

pub use counters::Totals;
pub use definition::{
    BillingMode, KeyAttribute, KeySchema, Recovery, RestoreSource, TableClass, TableDefinition, TableStatus,
    TimeToLive, random_uuid, uuid_text,
};
pub use destination::{Destination, DestinationStatus, EnableFault, TimePrecision};
pub use global::{
    GlobalTable, Membership, Replica, SettingsReplication, name_of_key, region_of_key, replica_key,
};
pub use index::{IndexDefinition, IndexProjection, IndexScope, IndexStatus};
pub use stored::is_current;
pub(crate) use stored::{decode_stream, encode_stream, key_schema, read_key_schema};
pub use stream::{Shard, ShardEnd, StreamDefinition, StreamView, TableStream};
pub use throughput::{Maxima, Throughput, ThroughputChanges, ThroughputSettings, is_decrease};
pub use vector_index::{DistanceFunction, SearchElement, SearchRole, VectorIndexDefinition};

use crate::destinations;
use crate::error::InternalError;
use crate::expiry;
use crate::insights;
use crate::jobs;
use crate::policies;
use crate::spaces::CATALOG;

/// The tables of one store.
#[derive(Debug, Default)]
pub struct Catalog {
    cached: RwLock<Cached>,
}

/// Definitions read since the catalog last changed.
#[derive(Debug, Default)]
struct Cached {
    /// The store's epoch the tables were read under.
    epoch: u64,
    /// Counts this engine's own changes, so that a read that began before one isn't kept after it.
    changes: u64,
    tables: HashMap<String, Arc<TableDefinition>>,
}

impl Catalog {
    /// An empty cache.
    pub fn new() -> Catalog {
        Catalog::default()
    }

    /// A table by name.
    ///
    /// # Errors
    /// When the store fails or holds a definition of an unknown form.
    pub fn table(
        &self,
        store: &dyn Store,
        name: &str,
    ) -> Result<Option<Arc<TableDefinition>>, InternalError> {
        let epoch = store.epoch();
        let changes = {
            let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
            if cached.epoch == epoch
                && let Some(table) = cached.tables.get(name)
            {
                return Ok(Some(Arc::clone(table)));
            }
            cached.changes
        };
        let Some(table) = store.view(|snapshot| table_in(snapshot, name))?? else {
            return Ok(None);
        };
        let table = Arc::new(table);
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        if cached.changes == changes {
            if cached.epoch != epoch {
                cached.tables.clear();
                cached.epoch = epoch;
            }
            cached.tables.insert(name.to_owned(), Arc::clone(&table));
        }
        Ok(Some(table))
    }

    /// Forgets what was read: this engine has changed a definition (or an undo may have).
    pub fn changed(&self) {
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        cached.changes += 1;
        cached.tables.clear();
    }
}

/// A table by its place in the catalog, which is its name unless it is a replica, as a snapshot has it.
///
/// # Errors
/// When the store fails, or holds a definition of an unknown form or of another table.
pub fn table_in(snapshot: &dyn Snapshot, name: &str) -> Result<Option<TableDefinition>, InternalError> {
    match snapshot.get(CATALOG, name.as_bytes())? {
        // A definition that names another table would be looked for there, and never be current.
        Some(bytes) => match stored::decode(&bytes)? {
            table if table.key() == name => Ok(Some(table)),
            _ => Err(stored::MALFORMED),
        },
        None => Ok(None),
    }
}

/// At most `limit` table names in byte order after `after`, and whether there are more.
///
/// # Errors
/// When the store fails.
pub fn names(
    snapshot: &dyn Snapshot,
    after: Option<&str>,
    limit: usize,
) -> Result<(Vec<String>, bool), InternalError> {
    let lower = match after {
        Some(name) => std::ops::Bound::Excluded(name.as_bytes()),
        None => std::ops::Bound::Unbounded,
    };
    let (mut names, mut more) = (Vec::new(), false);
    snapshot.range(
        CATALOG,
        Bounds::new(lower, std::ops::Bound::Unbounded),
        Direction::Forward,
        limit + 1,
        &mut |key, _| {
            if global::is_replica_key(key) {
                return Visit::Continue;
            }
            more = names.len() == limit;
            if more {
                return Visit::Stop;
            }
            names.push(String::from_utf8_lossy(key).into_owned());
            Visit::Continue
        },
    )?;
    Ok((names, more))
}

/// Puts a table's definition, new or changed.
///
/// # Errors
/// When the definition can't be given the stored form.
pub fn put(batch: &mut Batch, table: &TableDefinition) -> Result<(), InternalError> {
    batch.put(CATALOG, table.key().as_bytes(), encode(table)?);
    Ok(())
}

/// Takes a table out of the catalog, and all that goes with it.
pub fn remove(batch: &mut Batch, table: &TableDefinition) {
    take_out(batch, table, None);
}

/// As [`remove`], but the keyspace `kept` stays as it is, for it belongs to something else from now on.
pub fn remove_keeping(batch: &mut Batch, table: &TableDefinition, kept: Space) {
    take_out(batch, table, Some(kept));
}

fn take_out(batch: &mut Batch, table: &TableDefinition, kept: Option<Space>) {
    destinations::follow_removal(batch, table);
    let key = table.key();
    batch.delete(CATALOG, key.as_bytes());
    policies::remove(batch, key.as_bytes());
    insights::remove(batch, &key);
    for space in table.spaces().filter(|space| Some(*space) != kept) {
        retire(batch, space);
    }
}

/// Drops what a keyspace held: what is kept about it at once, and its entries by a job.
pub fn retire(batch: &mut Batch, space: Space) {
    counters::remove(batch, space);
    expiry::forget(batch, space);
    jobs::schedule_freeing(batch, space);
}

/// Drops keyspaces that were drawn for a table, or for an index of it, by a request that then failed. Those
/// that the table has all the same stay: a store that fails may have written before.
///
/// Should dropping fail, nothing is lost but their numbers, which are never used again anyway.
pub fn give_back(store: &dyn Store, name: &str, drawn: impl IntoIterator<Item = Space>) {
    let table = match store.view(|snapshot| table_in(snapshot, name)) {
        Ok(Ok(table)) => table,
        Err(_) | Ok(Err(InternalError::Store(_))) => return,
        // The record is damaged, so it isn't the one that would have been written.
        Ok(Err(_)) => None,
    };
    let of_table = |table: &TableDefinition| table.spaces().chain(table.journal).collect::<Vec<_>>();
    let kept = table.as_ref().map(of_table).unwrap_or_default();
    for space in drawn {
        if !kept.contains(&space) {
            let _ = store.drop_space(space);
        }
    }
}

/// Drops keyspaces that were drawn and are in no use: nothing was written that names them.
pub fn give_back_unused(store: &dyn Store, drawn: impl IntoIterator<Item = Space>) {
    for space in drawn {
        // Should dropping fail, nothing is lost but a number.
        let _ = store.drop_space(space);
    }
}

/// The definition that a record of the catalog holds.
///
/// # Errors
/// When it is of an unknown form.
pub(crate) fn decode(record: &[u8]) -> Result<TableDefinition, InternalError> {
    stored::decode(record)
}

/// The record of a definition.
///
/// # Errors
/// When the definition can't be given the stored form.
pub(crate) fn encode(table: &TableDefinition) -> Result<SharedBytes, InternalError> {
    stored::encode(table)
}
