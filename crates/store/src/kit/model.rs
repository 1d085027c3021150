//! The store as a plain map, to compare with.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::random::Random;
use crate::{Batch, Bounds, Change, Space, as_slice, counter_bytes, counter_value};

/// Entries by keyspace and key.
pub(super) type Model = BTreeMap<(Space, Vec<u8>), Vec<u8>>;

/// Applies a batch that a store accepts.
pub(super) fn apply(model: &mut Model, batch: &Batch) {
    for change in &batch.changes {
        match change {
            Change::Put { space, key, value } => {
                model.insert((*space, key.clone()), value.to_vec());
            }
            Change::Delete { space, key } => {
                model.remove(&(*space, key.clone()));
            }
            Change::DeleteRange { space, lower, upper } => {
                let bounds = Bounds::new(as_slice(lower), as_slice(upper));
                model.retain(|(of, key), _| of != space || !bounds.contains(key));
            }
            Change::Add { space, key, amount } => add(model, *space, key, *amount),
        }
    }
}

fn add(model: &mut Model, space: Space, key: &[u8], amount: i64) {
    if amount == 0 {
        return;
    }
    let place = (space, key.to_vec());
    let count = model.get(&place).and_then(|bytes| counter_value(bytes));
    match count.unwrap_or(0).wrapping_add(amount) {
        0 => model.remove(&place),
        total => model.insert(place, counter_bytes(total).to_vec()),
    };
}

/// Whether every addition of a batch meets a counter or nothing.
pub(super) fn accepts(model: &Model, batch: &Batch) -> bool {
    let mut later = model.clone();
    for change in &batch.changes {
        if let Change::Add { space, key, .. } = change
            && let Some(bytes) = later.get(&(*space, key.clone()))
            && counter_value(bytes).is_none()
        {
            return false;
        }
        apply(&mut later, &Batch { changes: vec![change.clone()], keep_inverse: false });
    }
    true
}

/// A batch of up to a dozen changes in some keyspaces.
pub(super) fn random_batch(random: &mut Random, spaces: &[Space]) -> Batch {
    let mut batch = Batch::new().keeping_inverse();
    for _ in 0..random.below(12) {
        let index = random.below(spaces.len() as u64) as usize;
        let Some(space) = spaces.get(index).copied() else {
            continue;
        };
        let key = random.key();
        match random.below(10) {
            0..=3 => {
                let length = random.below(20) as usize;
                batch.put(space, key, vec![random.next() as u8; length]);
            }
            4 => batch.put(space, key, counter_bytes(random.below(3) as i64)),
            5 | 6 => batch.delete(space, key),
            7 => {
                let (lower, upper) = (random_end(random), random_end(random));
                batch.delete_range(space, lower, upper);
            }
            _ => batch.add(space, key, random.below(5) as i64 - 2),
        }
    }
    batch
}

fn random_end(random: &mut Random) -> Bound<Vec<u8>> {
    match random.below(5) {
        0 => Bound::Unbounded,
        1 | 2 => Bound::Excluded(random.key()),
        _ => Bound::Included(random.key()),
    }
}
