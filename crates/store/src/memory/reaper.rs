//! Freeing whole keyspaces a slice at a time.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, TryLockError};

use super::Keyspace;

/// How many entries of a dropped keyspace one write frees: some tens of microseconds, so that no
/// single caller pays for a million of them.
const ENTRIES_FREED_PER_WRITE: usize = 512;

type Entries = <Keyspace as IntoIterator>::IntoIter;

/// Keyspaces that nobody reaches any more.
#[derive(Default)]
pub(super) struct Reaper(Mutex<VecDeque<Entries>>);

impl Reaper {
    /// Takes over keyspaces to free; small ones go at once.
    pub(super) fn take(&self, dropped: impl IntoIterator<Item = Keyspace>) {
        let large = dropped.into_iter().filter(|keyspace| keyspace.len() > ENTRIES_FREED_PER_WRITE);
        for keyspace in large {
            let entries = keyspace.into_iter();
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push_back(entries);
        }
    }

    /// Frees one slice, unless another caller is at it.
    pub(super) fn step(&self) {
        let mut waiting = match self.0.try_lock() {
            Ok(waiting) => waiting,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let Some(entries) = waiting.front_mut() else {
            return;
        };
        entries.by_ref().take(ENTRIES_FREED_PER_WRITE).for_each(drop);
        if entries.len() == 0 {
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
        let keyspace: Keyspace =
            (0..count).map(|number| (SharedBytes::from(number.to_be_bytes()), Arc::clone(&value))).collect();
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
        let keyspace = Keyspace::unit(Arc::from(&b"k"[..]), Arc::clone(&value));
        Reaper::default().take([keyspace]);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
