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
/// Exports, imports and bulk puts: the kind and the last part of the ARN to how it stands; see the module
/// `transfers`.
pub const TRANSFERS: Space = Space(11);
/// What transfers keep besides: requests, lines of reports, client tokens.
pub const TRANSFER_PARTS: Space = Space(12);
/// The keyspaces of expiry times, to the names of their tables; see [`crate::expiry`].
pub const EXPIRY_TABLES: Space = Space(8);
/// Backups: when one was made and what tells it apart, to its description as a stored item; see
/// [`crate::backups`].
pub const BACKUPS: Space = Space(9);
/// What is set of tables and streams beside their definitions: which kind of setting, then the place of the table
/// or stream; see [`Setting`].
pub const SETTINGS: Space = Space(14);
/// How far those are who read journals at a pace of their own: which kind of reader, then the table's place; see
/// [`Pace`].
pub const PACES: Space = Space(15);
/// Keyspaces whose entries something yet needs: the keyspace, then that of what needs it, to the first number
/// of a journal; see [`crate::journal`].
pub const HELD: Space = Space(10);

/// Kinds of records in [`SETTINGS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Contributor insights of a table or an index; see [`crate::insights`].
    Insights,
    /// A resource policy; see [`crate::policies`].
    Policy,
    /// The tags of a stream.
    StreamTags,
}

/// Kinds of records in [`PACES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// A Kinesis destination; see [`crate::destinations`].
    Destination,
    /// The other members of a global table; see [`crate::replication`].
    Replication,
}

impl Setting {
    /// The key of a place's record.
    pub fn key(self, place: &[u8]) -> Vec<u8> {
        let kind = match self {
            Setting::Insights => b'i',
            Setting::Policy => b'p',
            Setting::StreamTags => b't',
        };
        [&[kind], place].concat()
    }
}

impl Pace {
    fn kind(self) -> u8 {
        match self {
            Pace::Destination => b'd',
            Pace::Replication => b'r',
        }
    }

    /// The key of a place's record.
    pub fn key(self, place: &[u8]) -> Vec<u8> {
        [&[self.kind()], place].concat()
    }

    /// Where this kind's records begin, and where they are over.
    pub fn bounds(self) -> ([u8; 1], [u8; 1]) {
        ([self.kind()], [self.kind() + 1])
    }
}
