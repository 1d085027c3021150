//! The keys of the map.

use std::borrow::Borrow;
use std::cmp::Ordering;

use triomphe::ThinArc;

/// A key, shared between the map and its older versions.
///
/// One pointer wide, its length lies beside its bytes: the map's nodes are half empty where entries come in order,
/// so that a word less of each entry saves two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key(ThinArc<(), u8>);

impl Key {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0.slice
    }
}

impl From<&[u8]> for Key {
    fn from(bytes: &[u8]) -> Key {
        Key(ThinArc::from_header_and_slice((), bytes))
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        self.bytes()
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
