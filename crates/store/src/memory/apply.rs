//! Applying a batch that was checked, and keeping what undoes it.

use std::mem;
use std::ops::Bound;
use std::sync::Arc;

use super::key::Key;
use super::{Keyspace, Spaces};
use crate::{Addition, Batch, Bounds, Change, SharedBytes, Space, as_slice, restoring};

/// What applying a batch leaves behind.
#[derive(Default)]
pub(super) struct Applied {
    /// The batch that undoes it, if it was asked for.
    pub(super) inverse: Option<Batch>,
    /// Values that are no longer in the map, to be freed when the lock is let go.
    pub(super) values: Vec<SharedBytes>,
    /// Maps that were emptied whole, to be freed in slices.
    pub(super) keyspaces: Vec<Keyspace>,
}

/// Applies a batch in place. Every keyspace in it exists: the batch was checked.
pub(super) fn apply(spaces: &mut Spaces, batch: Batch) -> Applied {
    let mut work = Work { undone: batch.keep_inverse.then(Vec::new), applied: Applied::default() };
    for change in batch.changes {
        if let Some(keyspace) = spaces.get_mut(&change.space()) {
            work.change(keyspace, change);
        }
    }
    Applied { inverse: work.undone.map(Batch::undoing), ..work.applied }
}

struct Work {
    /// What undoes the changes so far, in their order, if that was asked for.
    undone: Option<Vec<Change>>,
    applied: Applied,
}

impl Work {
    fn change(&mut self, keyspace: &mut Keyspace, change: Change) {
        match change {
            Change::Put { space, key, value } => {
                let before = keyspace.insert(Key::from(key.as_slice()), value);
                self.replaced(space, key, before);
            }
            Change::Delete { space, key } => {
                if let Some(before) = keyspace.remove(key.as_slice()) {
                    self.replaced(space, key, Some(before));
                }
            }
            Change::DeleteRange { space, lower, upper } => self.delete_range(keyspace, space, &lower, &upper),
            Change::Add { space, key, amount } => self.add(keyspace, space, key, amount),
        }
    }

    fn replaced(&mut self, space: Space, key: Vec<u8>, before: Option<SharedBytes>) {
        match &mut self.undone {
            Some(undone) => undone.push(restoring(space, key, before)),
            None => self.applied.values.extend(before),
        }
    }

    fn delete_range(
        &mut self,
        keyspace: &mut Keyspace,
        space: Space,
        lower: &Bound<Vec<u8>>,
        upper: &Bound<Vec<u8>>,
    ) {
        let bounds = Bounds::new(as_slice(lower), as_slice(upper));
        if bounds.is_empty() {
            return;
        }
        if bounds == Bounds::ALL && self.undone.is_none() {
            self.applied.keyspaces.push(mem::take(keyspace));
            return;
        }
        let entries = keyspace.range::<_, [u8]>((bounds.lower, bounds.upper));
        let keys: Vec<Key> = entries.map(|(key, _)| key.clone()).collect();
        for key in keys {
            let before = keyspace.remove(key.bytes());
            self.replaced(space, key.bytes().to_vec(), before);
        }
    }

    fn add(&mut self, keyspace: &mut Keyspace, space: Space, key: Vec<u8>, amount: i64) {
        let stored_key = Key::from(key.as_slice());
        let before = keyspace.get(stored_key.bytes()).map(|value| &**value);
        let Some(addition) = Addition::new(space, key, before, amount) else {
            return;
        };
        match addition.after {
            Some(bytes) => keyspace.insert(stored_key, Arc::from(bytes)),
            None => keyspace.remove(stored_key.bytes()),
        };
        if let Some(undone) = &mut self.undone {
            undone.push(addition.undo);
        }
    }
}
