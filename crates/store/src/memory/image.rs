//! A whole store as it was at one moment, to begin others from.

use std::sync::Mutex;

use super::reaper::Reaper;
use super::{MemoryStore, Spaces};
use crate::{StoreError, Turn};

/// All that a [`MemoryStore`] held at one moment. Taking one copies nothing, and neither does a store
/// that begins from it: both take the time of a reference count, whatever is in them.
///
/// ```
/// use keyplan_store::{Batch, MemoryStore, Store, StoreExt};
///
/// let store = MemoryStore::new();
/// let space = store.new_space()?;
/// let before = store.image()?;
/// store.write(Box::new(move |_| {
///     let mut batch = Batch::new();
///     batch.put(space, b"key", *b"value");
///     Some(batch)
/// }))?;
/// let again = MemoryStore::from_image(&before);
/// assert_eq!(again.view(|snapshot| snapshot.get(space, b"key"))??, None);
/// # Ok::<_, keyplan_store::StoreError>(())
/// ```
#[derive(Clone)]
pub struct MemoryImage {
    spaces: Spaces,
    /// The number of the next new keyspace.
    next: u64,
}

impl std::fmt::Debug for MemoryImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryImage").field("keyspaces", &self.spaces.len()).finish_non_exhaustive()
    }
}

impl MemoryStore {
    /// All that the store holds now.
    ///
    /// # Errors
    /// When it is asked for from inside a write.
    pub fn image(&self) -> Result<MemoryImage, StoreError> {
        // In the writers' turn, so that the keyspaces and their next number belong together.
        let next = self.writer.take()?;
        Ok(MemoryImage { spaces: self.spaces().clone(), next: *next })
    }

    /// A store that begins with what another held.
    pub fn from_image(image: &MemoryImage) -> MemoryStore {
        MemoryStore {
            spaces: Mutex::new(image.spaces.clone()),
            writer: Turn::new(image.next),
            reaper: Reaper::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Space, Store, StoreExt};

    fn put(store: &MemoryStore, space: Space, value: &'static [u8]) {
        let written = store.write(Box::new(move |_| {
            let mut batch = Batch::new();
            batch.put(space, b"key", value);
            Some(batch)
        }));
        written.expect("written");
    }

    fn get(store: &MemoryStore, space: Space) -> Option<Vec<u8>> {
        let read = store.view(|snapshot| snapshot.get(space, b"key")).and_then(|read| read);
        read.expect("read").map(|value| value.to_vec())
    }

    #[test]
    fn stores_from_one_image_go_their_own_ways_and_the_image_stays() {
        let store = MemoryStore::new();
        let space = store.new_space().expect("a keyspace");
        put(&store, space, b"first");
        let image = store.image().expect("an image");
        put(&store, space, b"later");
        let (one, two) = (MemoryStore::from_image(&image), MemoryStore::from_image(&image));
        put(&one, space, b"one");
        assert_eq!(get(&store, space).as_deref(), Some(&b"later"[..]));
        assert_eq!(get(&one, space).as_deref(), Some(&b"one"[..]));
        assert_eq!(get(&two, space).as_deref(), Some(&b"first"[..]));
        assert!(two.new_space().expect("a keyspace") > space, "a number is given out twice");
    }
}
