//! The store in memory: a persistent ordered map a keyspace, under a short lock.
//!
//! A reader copies the root, which is one reference count, and reads on without the lock. A
//! writer has its turn: it runs its closure on a copy of the root as readers do, lets the copy
//! go, and applies the batch in place under the lock. What a live reader still holds is copied
//! as it is changed, a path of nodes a key; without readers nothing is.

mod apply;
mod image;
mod key;
mod reaper;

use std::sync::{Mutex, MutexGuard, PoisonError};

use imbl::OrdMap;

pub use self::image::MemoryImage;

use self::apply::apply;
use self::key::Key;
use self::reaper::Reaper;
use crate::{
    Bounds, Direction, SharedBytes, Snapshot, Space, Store, StoreError, StoredValue, Transaction, Turn,
    Visit, Visitor, Written,
};

/// The entries of one keyspace.
type Keyspace = OrdMap<Key, SharedBytes>;

/// All keyspaces that exist.
type Spaces = OrdMap<Space, Keyspace>;

/// A store that lives as long as the process.
///
/// It never blocks on anything but another writer's closure, so it runs where the call arrives.
///
/// ```
/// use keyplan_store::{Batch, MemoryStore, Space, Store, StoreExt};
///
/// let store = MemoryStore::new();
/// let space = store.new_space()?;
/// store.transact(move |_| {
///     let mut batch = Batch::new();
///     batch.put(space, b"key", *b"value");
///     Ok::<_, ()>((batch, ()))
/// })?.expect("the closure does not abort");
/// let value = store.view(|snapshot| snapshot.get(space, b"key"))??;
/// assert_eq!(value.as_deref(), Some(&b"value"[..]));
/// # Ok::<_, keyplan_store::StoreError>(())
/// ```
pub struct MemoryStore {
    /// Held for the length of a copy of the root, or of a batch; never while a closure runs.
    spaces: Mutex<Spaces>,
    /// The writers' turn, with the number of the next new keyspace.
    writer: Turn<u64>,
    reaper: Reaper,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        let reserved = (0..Space::RESERVED).map(|number| (Space(number), Keyspace::new()));
        Self {
            spaces: Mutex::new(reserved.collect()),
            writer: Turn::new(Space::RESERVED),
            reaper: Reaper::default(),
        }
    }

    fn spaces(&self) -> MutexGuard<'_, Spaces> {
        // No closure runs under this lock, so a panic cannot have left a batch half applied.
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn snapshot(&self) -> MemorySnapshot {
        MemorySnapshot(self.spaces().clone())
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl Store for MemoryStore {
    fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        reader(&self.snapshot());
        Ok(())
    }

    fn write(&self, mut transaction: Transaction) -> Result<Written, StoreError> {
        let turn = self.writer.take()?;
        let snapshot = self.snapshot();
        let Some(batch) = transaction(&snapshot) else {
            return Ok(Written::Aborted);
        };
        batch.check(&snapshot, &|space| snapshot.0.contains_key(&space))?;
        // Held any longer, it would make the writer copy every node it touches.
        drop(snapshot);
        let applied = apply(&mut self.spaces(), batch);
        drop(turn);
        drop(applied.values);
        self.reaper.take(applied.keyspaces);
        self.reaper.step();
        Ok(Written::Committed { inverse: applied.inverse })
    }

    fn may_block(&self) -> bool {
        false
    }

    fn epoch(&self) -> u64 {
        0
    }

    fn new_space(&self) -> Result<Space, StoreError> {
        let mut next = self.writer.take()?;
        let space = Space(*next);
        *next += 1;
        self.spaces().insert(space, Keyspace::new());
        Ok(space)
    }

    fn drop_space(&self, space: Space) -> Result<(), StoreError> {
        if space.is_reserved() {
            return Err(StoreError::ReservedSpace(space));
        }
        let turn = self.writer.take()?;
        let dropped = self.spaces().remove(&space);
        drop(turn);
        self.reaper.take(dropped);
        self.reaper.step();
        Ok(())
    }
}

/// The roots of all keyspaces as they were at one moment.
struct MemorySnapshot(Spaces);

impl Snapshot for MemorySnapshot {
    fn get_many(&self, space: Space, keys: &[&[u8]]) -> Result<Vec<Option<SharedBytes>>, StoreError> {
        let Some(keyspace) = self.0.get(&space) else {
            return Ok(vec![None; keys.len()]);
        };
        Ok(keys.iter().map(|key| keyspace.get(*key).cloned()).collect())
    }

    fn range(
        &self,
        space: Space,
        bounds: Bounds<'_>,
        direction: Direction,
        _expected: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<(), StoreError> {
        let Some(keyspace) = self.0.get(&space).filter(|_| !bounds.is_empty()) else {
            return Ok(());
        };
        let mut entries = keyspace.range::<_, [u8]>((bounds.lower, bounds.upper));
        while let Some((key, value)) = match direction {
            Direction::Forward => entries.next(),
            Direction::Backward => entries.next_back(),
        } {
            if visit(key.bytes(), StoredValue::shared(value)) == Visit::Stop {
                break;
            }
        }
        Ok(())
    }

    fn get(&self, space: Space, key: &[u8]) -> Result<Option<SharedBytes>, StoreError> {
        Ok(self.0.get(&space).and_then(|keyspace| keyspace.get(key)).cloned())
    }
}
