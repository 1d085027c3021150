//! What requests say of a table, read and checked: keys, indexes, throughput, settings.

pub(super) mod indexes;
pub(super) mod key_schema;
mod projection;
pub(super) mod settings;
pub(super) mod throughput;
pub(super) mod vector_indexes;
