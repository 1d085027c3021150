//! Freeing whole keyspaces a slice at a time.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, TryLockError};

use super::Keyspace;
use super::key::Key;

/// How many entries of a dropped keyspace one write frees: some tens of microseconds, so that no
/// single caller pays for a million of them.
const ENTRIES_FREED_PER_WRITE: usize = 128;

/// Keyspaces that nobody reaches any more.
#[derive(Default)]
pub(super) struct Reaper(Mutex<VecDeque<Keyspace>>);

impl Reaper {
    /// Takes over keyspaces to free; small ones go at once.
    pub(super) fn take(&self, dropped: impl IntoIterator<Item = Keyspace>) {
        let large = dropped.into_iter().filter(|keyspace| keyspace.len() > ENTRIES_FREED_PER_WRITE);
        for keyspace in large {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push_back(keyspace);
        }
    }

    /// Frees one slice, unless another caller is at it.
    ///
    /// Entry by entry: the map's own way of being consumed first makes a list of all its leaves,
    /// which takes milliseconds for a large one.
    pub(super) fn step(&self) {
        let mut waiting = match self.0.try_lock() {
            Ok(waiting) => waiting,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let Some(keyspace) = waiting.front_mut() else {
            return;
        };
        let slice: Vec<Key> = keyspace.keys().take(ENTRIES_FREED_PER_WRITE).cloned().collect();
        for key in slice {
            keyspace.remove(key.bytes());
        }
        if keyspace.is_empty() {
            waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::SharedBytes;

    #[test]
    fn a_large_keyspace_is_freed_in_slices() {
        let value: SharedBytes = Arc::from(&b"shared by all"[..]);
        let count = 3 * ENTRIES_FREED_PER_WRITE + 1;
        let entry = |number: usize| (Key::from(&number.to_be_bytes()[..]), Arc::clone(&value));
        let keyspace: Keyspace = (0..count).map(entry).collect();
        let reaper = Reaper::default();
        reaper.take([keyspace]);
        for freed in [1, 2, 3] {
            reaper.step();
            let held = Arc::strong_count(&value) - 1;
            assert_eq!(held, count - freed * ENTRIES_FREED_PER_WRITE);
        }
        reaper.step();
        assert_eq!(Arc::strong_count(&value), 1, "the last slice frees the rest");
        reaper.step();
    }

    #[test]
    fn a_small_keyspace_is_freed_at_once() {
        let value: SharedBytes = Arc::from(&b"v"[..]);
        let keyspace = Keyspace::unit(Key::from(&b"k"[..]), Arc::clone(&value));
        Reaper::default().take([keyspace]);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
