//! Every limit of this crate, with its unit.

/// Longest record, in bytes. An item has 400 KB, and JSON can make six bytes of one.
pub const RECORD_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes that are unpacked at once.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// Bytes that one call passes over on its way to where a file is to be read.
pub const PASSED_OVER_BYTES_MAX: usize = 1024 * 1024;

/// Deepest nesting of Ion values: an item's attributes are two levels below the record, and have 32 levels.
pub const ION_LEVELS_MAX: usize = 40;

/// Fields of one CSV record.
pub const CSV_FIELDS_MAX: usize = 65_536;
