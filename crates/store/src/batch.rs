//! What a write does: a list of changes that is applied whole or not at all.

use std::ops::Bound;

use crate::{Bounds, SharedBytes, Snapshot, Space, StoreError};

/// One step of a [`Batch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets the value of a key.
    Put {
        /// The keyspace.
        space: Space,
        /// The key.
        key: Vec<u8>,
        /// The value it has from now on.
        value: SharedBytes,
    },
    /// Removes a key; one that is not there stays so.
    Delete {
        /// The keyspace.
        space: Space,
        /// The key.
        key: Vec<u8>,
    },
    /// Removes every key between two ends. The caller keeps the range small enough for one
    /// step: a store works through it in one go.
    DeleteRange {
        /// The keyspace.
        space: Space,
        /// Where the keys begin.
        lower: Bound<Vec<u8>>,
        /// Where they end.
        upper: Bound<Vec<u8>>,
    },
    /// Adds to a counter, wrapping at the ends of `i64` so that additions commute. A counter
    /// reads as [`counter_bytes`]; a key that is not there counts as zero, and a counter that
    /// comes to zero is removed.
    Add {
        /// The keyspace.
        space: Space,
        /// The key.
        key: Vec<u8>,
        /// What is added.
        amount: i64,
    },
}

impl Change {
    /// The keyspace the change is in.
    pub fn space(&self) -> Space {
        match self {
            Self::Put { space, .. }
            | Self::Delete { space, .. }
            | Self::DeleteRange { space, .. }
            | Self::Add { space, .. } => *space,
        }
    }

    /// What the change says about the value of a key, if it says anything.
    fn effect(&self, of_space: Space, of_key: &[u8]) -> Option<Effect<'_>> {
        if self.space() != of_space {
            return None;
        }
        match self {
            Self::Put { key, value, .. } if key == of_key => Some(Effect::Value(value)),
            Self::Delete { key, .. } if key == of_key => Some(Effect::Absent),
            Self::DeleteRange { lower, upper, .. }
                if Bounds::new(as_slice(lower), as_slice(upper)).contains(of_key) =>
            {
                Some(Effect::Absent)
            }
            Self::Add { key, .. } if key == of_key => Some(Effect::Counter),
            _ => None,
        }
    }
}

/// What a change leaves at a key.
enum Effect<'a> {
    Value(&'a [u8]),
    Absent,
    Counter,
}

/// Borrows the bytes of an owned end of a range.
pub fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

/// How a counter is stored: eight bytes, most significant first.
pub fn counter_bytes(count: i64) -> [u8; 8] {
    count.to_be_bytes()
}

/// The count in a stored counter, or nothing if the bytes are not a counter.
pub fn counter_value(bytes: &[u8]) -> Option<i64> {
    bytes.try_into().ok().map(i64::from_be_bytes)
}

/// For stores: the change that undoes one which replaced `before`.
pub fn restoring(space: Space, key: Vec<u8>, before: Option<SharedBytes>) -> Change {
    match before {
        Some(value) => Change::Put { space, key, value },
        None => Change::Delete { space, key },
    }
}

/// For stores: what one `Add` comes to.
pub struct Addition {
    /// What the counter holds afterwards; nothing if it came to zero.
    pub after: Option<[u8; 8]>,
    /// The change that undoes the addition.
    pub undo: Change,
}

impl Addition {
    /// Adds to the value of a key in a checked batch; nothing if that changes nothing.
    pub fn new(space: Space, key: Vec<u8>, before: Option<&[u8]>, amount: i64) -> Option<Self> {
        if amount == 0 {
            return None;
        }
        let count = before.and_then(counter_value).unwrap_or(0);
        let total = count.wrapping_add(amount);
        let undo = match before {
            // Adding back would come to zero and remove the key, but it was there.
            Some(bytes) if count == 0 => restoring(space, key, Some(bytes.into())),
            _ => Change::Add { space, key, amount: amount.wrapping_neg() },
        };
        Some(Self { after: (total != 0).then(|| counter_bytes(total)), undo })
    }
}

/// Changes that a store applies in order, whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The changes, in the order they are applied.
    pub changes: Vec<Change>,
    /// Whether the store is to answer with the batch that undoes this one.
    pub keep_inverse: bool,
}

impl Batch {
    /// A batch that changes nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for the batch that undoes this one.
    pub fn keeping_inverse(mut self) -> Self {
        self.keep_inverse = true;
        self
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Sets the value of a key.
    pub fn put(&mut self, space: Space, key: impl Into<Vec<u8>>, value: impl Into<SharedBytes>) {
        self.changes.push(Change::Put { space, key: key.into(), value: value.into() });
    }

    /// Removes a key.
    pub fn delete(&mut self, space: Space, key: impl Into<Vec<u8>>) {
        self.changes.push(Change::Delete { space, key: key.into() });
    }

    /// Removes every key between two ends.
    pub fn delete_range(&mut self, space: Space, lower: Bound<Vec<u8>>, upper: Bound<Vec<u8>>) {
        self.changes.push(Change::DeleteRange { space, lower, upper });
    }

    /// Adds to a counter.
    pub fn add(&mut self, space: Space, key: impl Into<Vec<u8>>, amount: i64) {
        self.changes.push(Change::Add { space, key: key.into(), amount });
    }

    /// For stores: the batch that undoes one whose changes were undone by these, in order.
    pub fn undoing(mut undone: Vec<Change>) -> Self {
        // The last change is the first to be undone.
        undone.reverse();
        Self { changes: undone, keep_inverse: false }
    }

    /// For stores: whether the batch can be applied. After `Ok` only the medium can fail, so
    /// a store checks first and then applies without a way back.
    ///
    /// `exists` says whether a keyspace does; `current` is the state the batch meets.
    pub fn check(&self, current: &dyn Snapshot, exists: &dyn Fn(Space) -> bool) -> Result<(), StoreError> {
        for (position, change) in self.changes.iter().enumerate() {
            if !change.space().is_reserved() && !exists(change.space()) {
                return Err(StoreError::NoSuchSpace(change.space()));
            }
            let Change::Add { space, key, .. } = change else {
                continue;
            };
            let earlier = self.changes.iter().take(position).rev();
            let is_counter = match earlier.filter_map(|c| c.effect(*space, key)).next() {
                Some(Effect::Absent | Effect::Counter) => true,
                Some(Effect::Value(value)) => counter_value(value).is_some(),
                None => current.get(*space, key)?.is_none_or(|value| counter_value(&value).is_some()),
            };
            if !is_counter {
                return Err(StoreError::NotACounter { space: *space, key: key.clone() });
            }
        }
        Ok(())
    }
}
