//! The busiest keys among very many, in little memory.

use std::collections::HashMap;

use keyplan_value::order;

/// Counts keys with as many counters as there is room for. When a key comes that has none, it takes the least
/// counter over, with what that has counted: so a key's count is never too small, and too large by at most its
/// error. A key that makes up more of the whole than one part in as many as there are counters is among them.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    counters: HashMap<Vec<u8>, Counted>,
}

/// What is known of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) count: u64,
    /// How much of the count may have been other keys'.
    pub(super) error: u64,
}

impl Sketch {
    /// Counts a key, with at most `room` counters.
    pub(super) fn add(&mut self, key: &[u8], weight: u64, room: usize) {
        if let Some(counted) = self.counters.get_mut(key) {
            counted.count = counted.count.saturating_add(weight);
            return;
        }
        let mut error = 0;
        if self.counters.len() >= room {
            let least = self.counters.iter().min_by_key(|(_, counted)| counted.count);
            let Some((taken, counted)) = least.map(|(key, counted)| (key.clone(), *counted)) else { return };
            self.counters.remove(&taken);
            error = counted.count;
        }
        let counted = Counted { count: error.saturating_add(weight), error };
        self.counters.insert(key.to_vec(), counted);
    }

    /// The busiest keys first; among equals in the order of their bytes.
    pub(super) fn busiest(&self, limit: usize) -> Vec<(&[u8], Counted)> {
        let mut keys: Vec<_> =
            self.counters.iter().map(|(key, counted)| (key.as_slice(), *counted)).collect();
        order::sort_by(&mut keys, |(key, one), (other_key, other)| {
            other.count.cmp(&one.count).then_with(|| key.cmp(other_key))
        });
        keys.truncate(limit);
        keys
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_few_keys_are_counted_exactly() {
        let mut sketch = Sketch::default();
        for (key, weight) in [("a", 1), ("b", 5), ("a", 2), ("c", 5)] {
            sketch.add(key.as_bytes(), weight, 8);
        }
        let exactly = |count| Counted { count, error: 0 };
        let busiest = sketch.busiest(2);
        assert_eq!(busiest, [(b"b".as_slice(), exactly(5)), (b"c".as_slice(), exactly(5))]);
        assert_eq!(sketch.busiest(9).last(), Some(&(b"a".as_slice(), exactly(3))));
    }

    proptest! {
        #[test]
        fn counts_are_right_within_their_errors(keys in prop::collection::vec(0u8..40, 1..400)) {
            const ROOM: usize = 8;
            let mut sketch = Sketch::default();
            let mut counts = [0u64; 40];
            for key in &keys {
                sketch.add(&[*key], 1, ROOM);
                counts[usize::from(*key)] += 1;
            }
            let found = sketch.busiest(ROOM);
            prop_assert!(found.len() <= ROOM);
            for (key, Counted { count, error }) in &found {
                let real = counts[usize::from(key[0])];
                prop_assert!(real <= *count && count - error <= real, "{key:?}: {real}, {count}, {error}");
            }
            for (key, real) in counts.iter().enumerate() {
                if *real > keys.len() as u64 / ROOM as u64 {
                    prop_assert!(found.iter().any(|(found, _)| usize::from(found[0]) == key), "{key}: {real}");
                }
            }
        }
    }
}
