//! Entries that were read of late, so that what is asked for often is found without SQLite.
//!
//! What is kept is true at one moment, and only snapshots of exactly that moment use it: a commit drops what it
//! changes and moves the moment on.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use keyplan_store::{Batch, Change, SharedBytes, Space};

/// A state of the file, counted by the commits that made it.
pub(crate) type Moment = u64;

/// Bytes of the entries that were read latest. As many that were read before are kept beside them, and those are
/// the first to go.
const LATEST_BYTES_MAX: usize = 8 << 20;

/// What an entry takes besides its bytes: its places in the map, and what counts its holders.
const ENTRY_OVERHEAD_BYTES: usize = 80;

/// Entries by keyspace and key.
type Entries = HashMap<Space, HashMap<Box<[u8]>, SharedBytes>>;

/// What a transaction changes.
#[derive(Default)]
pub(crate) struct Changed {
    keys: Vec<(Space, Vec<u8>)>,
    /// Keyspaces in which more than keys is changed.
    spaces: Vec<Space>,
}

impl Changed {
    /// Adds what a batch changes.
    pub(crate) fn note(&mut self, batch: &Batch) {
        for change in &batch.changes {
            match change {
                Change::Put { space, key, .. }
                | Change::Delete { space, key }
                | Change::Add { space, key, .. } => self.keys.push((*space, key.clone())),
                Change::DeleteRange { space, .. } => self.spaces.push(*space),
            }
        }
    }

    /// Adds whatever is in a keyspace.
    pub(crate) fn note_space(&mut self, space: Space) {
        self.spaces.push(space);
    }
}

/// The entries that were read of late.
#[derive(Default)]
pub(crate) struct Recent(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    moment: Moment,
    latest: Entries,
    latest_bytes: usize,
    before: Entries,
}

impl Recent {
    /// The value of a key at a moment, if it is known.
    pub(crate) fn get(&self, moment: Moment, space: Space, key: &[u8]) -> Option<SharedBytes> {
        let mut kept = self.kept();
        if kept.moment != moment {
            return None;
        }
        if let Some(value) = kept.latest.get(&space).and_then(|entries| entries.get(key)) {
            return Some(SharedBytes::clone(value));
        }
        let (key, value) = kept.before.get_mut(&space)?.remove_entry(key)?;
        kept.put(space, key, SharedBytes::clone(&value));
        Some(value)
    }

    /// Keeps what a snapshot of a moment has read.
    pub(crate) fn put(&self, moment: Moment, space: Space, key: &[u8], value: &SharedBytes) {
        let mut kept = self.kept();
        if kept.moment == moment {
            kept.put(space, key.into(), SharedBytes::clone(value));
        }
    }

    /// Moves on to the moment after a commit.
    pub(crate) fn move_on(&self, moment: Moment, changed: &Changed) {
        let mut kept = self.kept();
        kept.moment = moment;
        for space in &changed.spaces {
            kept.forget_space(*space);
        }
        for (space, key) in &changed.keys {
            kept.forget(*space, key);
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn put(&mut self, space: Space, key: Box<[u8]>, value: SharedBytes) {
        let bytes = weight(&key, &value);
        if self.latest_bytes + bytes > LATEST_BYTES_MAX {
            self.before = mem::take(&mut self.latest);
            self.latest_bytes = 0;
        }
        if bytes <= LATEST_BYTES_MAX && self.latest.entry(space).or_default().insert(key, value).is_none() {
            self.latest_bytes += bytes;
        }
    }

    fn forget(&mut self, space: Space, key: &[u8]) {
        if let Some(value) = self.latest.get_mut(&space).and_then(|entries| entries.remove(key)) {
            self.latest_bytes -= weight(key, &value);
        }
        if let Some(entries) = self.before.get_mut(&space) {
            entries.remove(key);
        }
    }

    fn forget_space(&mut self, space: Space) {
        for (key, value) in self.latest.remove(&space).into_iter().flatten() {
            self.latest_bytes -= weight(&key, &value);
        }
        self.before.remove(&space);
    }
}

fn weight(key: &[u8], value: &[u8]) -> usize {
    key.len() + value.len() + ENTRY_OVERHEAD_BYTES
}

#[cfg(test)]
mod tests {
    use std::ops::Bound;

    use super::*;

    const SPACE: Space = Space(20);

    fn value(bytes: &[u8]) -> SharedBytes {
        bytes.into()
    }

    fn changed(change: impl FnOnce(&mut Batch)) -> Changed {
        let (mut batch, mut changed) = (Batch::new(), Changed::default());
        change(&mut batch);
        changed.note(&batch);
        changed
    }

    #[test]
    fn a_snapshot_finds_what_another_of_its_moment_read() {
        let recent = Recent::default();
        recent.put(0, SPACE, b"a", &value(b"1"));
        assert_eq!(recent.get(0, SPACE, b"a"), Some(value(b"1")));
        assert_eq!(recent.get(0, Space(21), b"a"), None, "another keyspace");
        assert_eq!(recent.get(2, SPACE, b"a"), None, "a moment that it is not known of");
        recent.put(2, SPACE, b"b", &value(b"2"));
        assert_eq!(recent.get(0, SPACE, b"b"), None, "a moment that is not the present one");
    }

    #[test]
    fn a_commit_drops_what_it_changes_and_keeps_the_rest() {
        let recent = Recent::default();
        for key in [b"put", b"del", b"add", b"not"] {
            recent.put(0, SPACE, key, &value(b"1"));
        }
        recent.move_on(
            2,
            &changed(|batch| {
                batch.put(SPACE, *b"put", *b"2");
                batch.delete(SPACE, *b"del");
                batch.add(SPACE, *b"add", 1);
            }),
        );
        for key in [b"put", b"del", b"add"] {
            assert_eq!(recent.get(2, SPACE, key), None);
        }
        assert_eq!(recent.get(2, SPACE, b"not"), Some(value(b"1")));
        assert_eq!(recent.get(0, SPACE, b"not"), None, "the moment is over");

        recent.put(2, Space(21), b"not", &value(b"1"));
        let range = changed(|batch| batch.delete_range(SPACE, Bound::Unbounded, Bound::Unbounded));
        recent.move_on(4, &range);
        assert_eq!(recent.get(4, SPACE, b"not"), None);
        assert_eq!(recent.get(4, Space(21), b"not"), Some(value(b"1")));
    }

    #[test]
    fn it_keeps_no_more_than_it_may_and_the_latest_longest() {
        let recent = Recent::default();
        let large = value(&vec![7; LATEST_BYTES_MAX / 10]);
        for number in 0..100_u8 {
            recent.put(0, SPACE, &[number], &large);
            assert!(recent.get(0, SPACE, &[0]).is_some(), "what is asked for all the time stays");
        }
        let known = (0..100_u8).filter(|number| recent.get(0, SPACE, &[*number]).is_some()).count();
        assert!((9..=20).contains(&known), "{known} are kept");
        recent.put(0, SPACE, b"larger than all", &value(&vec![7; LATEST_BYTES_MAX + 1]));
        assert_eq!(recent.get(0, SPACE, b"larger than all"), None);
    }
}
