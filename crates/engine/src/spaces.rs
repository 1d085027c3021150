//! The store's keyspaces that hold the engine's own records. Items of tables lie in spaces drawn
//! from the store, above these.

use keyplan_store::Space;

/// Table definitions: the table's name to the definition as a stored item.
pub const CATALOG: Space = Space(0);
/// Item counts and sizes of tables and indexes: which of the two, then the keyspace, to a counter.
pub const COUNTERS: Space = Space(1);
/// Work that outlives its request; see [`crate::jobs`].
pub const JOBS: Space = Space(2);
/// What form the engine's records are of; see the module `format`.
pub const FORMAT: Space = Space(3);
/// Tokens of transactions that were committed; see [`crate::write::transaction`].
pub const REQUEST_TOKENS: Space = Space(4);
/// The time of the last write that a journal recorded; see [`crate::journal`].
pub const COMMIT_TIME: Space = Space(5);
/// The counters of journals: the journal's keyspace, then the shard, to the next number.
pub const JOURNALS: Space = Space(6);
/// Streams: the table's name and the stream's label to the definition as a stored item.
pub const STREAMS: Space = Space(7);
/// The keyspaces of expiry times, to the names of their tables; see [`crate::expiry`].
pub const EXPIRY_TABLES: Space = Space(8);
