//! Keyspaces, and values as a store hands them out.

use std::ops::Deref;
use std::sync::Arc;

/// A value: shared, immutable and cheap to clone.
pub type SharedBytes = Arc<[u8]>;

/// A numbered keyspace. Keys of different keyspaces have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(pub u64);

impl Space {
    /// How many keyspaces, from zero, always exist and are kept for the engine's own records.
    pub const RESERVED: u64 = 16;

    /// Whether this is one of the keyspaces that always exist.
    pub fn is_reserved(self) -> bool {
        self.0 < Self::RESERVED
    }
}

/// A value during a visit: bytes that are lent, and can be kept.
#[derive(Clone, Copy, Debug)]
pub struct StoredValue<'a> {
    bytes: &'a [u8],
    shared: Option<&'a SharedBytes>,
}

impl<'a> StoredValue<'a> {
    /// For stores: lends bytes that nobody shares yet.
    pub fn lent(bytes: &'a [u8]) -> Self {
        Self { bytes, shared: None }
    }

    /// For stores: lends bytes that can be shared without copying.
    pub fn shared(bytes: &'a SharedBytes) -> Self {
        Self { bytes, shared: Some(bytes) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes to keep: shared where the store can, else copied.
    pub fn to_shared(&self) -> SharedBytes {
        match self.shared {
            Some(shared) => Arc::clone(shared),
            None => Arc::from(self.bytes),
        }
    }
}

impl Deref for StoredValue<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes
    }
}
