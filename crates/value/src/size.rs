//! The bytes that DynamoDB counts beside those of names and contents.

/// A BOOL or a NULL.
pub(crate) const SCALAR_BYTES: u64 = 1;

/// A list or a map, however many elements it has.
pub(crate) const CONTAINER_BYTES: u64 = 3;

/// Each element of a list or a map, beside its own size and its name's.
pub(crate) const ELEMENT_BYTES: u64 = 1;
