//! What the invariants have in common: a store with entries, and ways to look at it.

use std::sync::Arc;

use super::{Factory, Place};
use crate::{Batch, Bounds, Direction, Snapshot, Space, Store, StoreError, StoreExt, Visit, Written};

/// An entry as a plain pair.
pub(super) type Entry = (Vec<u8>, Vec<u8>);

/// A store in a place of its own, with one keyspace made.
pub(super) struct Scene {
    pub(super) store: Arc<dyn Store>,
    pub(super) space: Space,
    // Dropped after the store.
    _place: Box<dyn Place>,
}

impl Scene {
    pub(super) fn new(factory: &dyn Factory) -> Result<Self, String> {
        let place = factory.place().map_err(said)?;
        let store = place.open().map_err(said)?;
        let space = store.new_space().map_err(said)?;
        Ok(Self { store, space, _place: place })
    }

    /// A scene whose keyspace holds keys, each as its own value.
    pub(super) fn with_keys(factory: &dyn Factory, keys: &[&[u8]]) -> Result<Self, String> {
        let scene = Self::new(factory)?;
        let mut batch = Batch::new();
        for key in keys {
            batch.put(scene.space, *key, *key);
        }
        scene.commit(batch)?;
        Ok(scene)
    }

    /// Writes a batch and hands on its inverse.
    pub(super) fn commit(&self, batch: Batch) -> Result<Option<Batch>, String> {
        commit(&*self.store, batch)
    }

    /// The keys of the scene's keyspace inside bounds, in the order of a direction.
    pub(super) fn keys(&self, bounds: Bounds<'_>, direction: Direction) -> Result<Vec<Vec<u8>>, String> {
        let entries = view(&*self.store, |snapshot| entries_of(snapshot, self.space, bounds, direction))?;
        Ok(entries.into_iter().map(|(key, _)| key).collect())
    }

    /// All entries of the scene's keyspace.
    pub(super) fn entries(&self) -> Result<Vec<Entry>, String> {
        all(&*self.store, self.space)
    }

    /// The value of a key of the scene's keyspace.
    pub(super) fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>, String> {
        value(&*self.store, self.space, key)
    }
}

/// Writes a batch and hands on its inverse.
pub(super) fn commit(store: &dyn Store, batch: Batch) -> Result<Option<Batch>, String> {
    match write(store, batch).map_err(said)? {
        Written::Committed { inverse } => Ok(inverse),
        Written::Aborted => Err("a batch was answered as an abort".to_owned()),
    }
}

/// Writes a batch.
pub(super) fn write(store: &dyn Store, batch: Batch) -> Result<Written, StoreError> {
    store.write(Box::new(move |_| Some(batch.clone())))
}

/// Reads on one snapshot.
pub(super) fn view<A>(
    store: &dyn Store,
    reader: impl FnOnce(&dyn Snapshot) -> Result<A, StoreError>,
) -> Result<A, String> {
    store.view(reader).map_err(said)?.map_err(said)
}

/// All entries of a keyspace.
pub(super) fn all(store: &dyn Store, space: Space) -> Result<Vec<Entry>, String> {
    view(store, |snapshot| entries_of(snapshot, space, Bounds::ALL, Direction::Forward))
}

/// The value of one key.
pub(super) fn value(store: &dyn Store, space: Space, key: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let found = view(store, |snapshot| snapshot.get(space, key))?;
    Ok(found.map(|bytes| bytes.to_vec()))
}

/// The entries of a keyspace inside bounds.
pub(super) fn entries_of(
    snapshot: &dyn Snapshot,
    space: Space,
    bounds: Bounds<'_>,
    direction: Direction,
) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::new();
    snapshot.range(space, bounds, direction, 16, &mut |key, value| {
        entries.push((key.to_vec(), value.bytes().to_vec()));
        Visit::Continue
    })?;
    Ok(entries)
}

/// An error where none belongs.
pub(super) fn said(error: StoreError) -> String {
    format!("the store said: {error}")
}
