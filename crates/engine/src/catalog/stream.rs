//! What a stream is, and its shards.

use keyplan_store::Space;

use super::definition::KeySchema;
use crate::call::Timestamp;

/// What a table knows of its newest stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStream {
    /// The stream's label, the last part of its ARN.
    pub label: String,
    /// What its records show; nothing once it is disabled.
    pub view: Option<StreamView>,
}

/// What a stream's records show of an item besides its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamView {
    /// Nothing.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before it.
    OldImage,
    /// Both.
    NewAndOldImages,
}

impl StreamView {
    const ALL: [StreamView; 4] =
        [StreamView::KeysOnly, StreamView::NewImage, StreamView::OldImage, StreamView::NewAndOldImages];

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            StreamView::KeysOnly => "KEYS_ONLY",
            StreamView::NewImage => "NEW_IMAGE",
            StreamView::OldImage => "OLD_IMAGE",
            StreamView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
        }
    }

    /// The view of a word.
    pub fn from_word(word: &str) -> Option<StreamView> {
        StreamView::ALL.into_iter().find(|view| view.word() == word)
    }

    /// Whether a record shows the item after the change.
    pub fn shows_new(self) -> bool {
        matches!(self, StreamView::NewImage | StreamView::NewAndOldImages)
    }

    /// Whether a record shows the item before the change.
    pub fn shows_old(self) -> bool {
        matches!(self, StreamView::OldImage | StreamView::NewAndOldImages)
    }
}

/// A stream: a reader of a table's journal, which outlives the table by a day.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamDefinition {
    /// The place in the catalog of the table it is, or was, a stream of.
    pub table: String,
    /// Its label; no other stream of a table of this name has it.
    pub label: String,
    /// What its records show.
    pub view: StreamView,
    /// The table's primary key.
    pub key_schema: KeySchema,
    /// The keyspace of the journal that it reads.
    pub journal: Space,
    /// When it was enabled.
    pub created_at: Timestamp,
    /// Its shards that can still be read, oldest first, each the parent of the next. The last is open
    /// unless the stream has ended.
    pub shards: Vec<Shard>,
}

impl StreamDefinition {
    /// When the stream ended, if it has.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.shards.last().and_then(|shard| shard.closed).map(|closed| closed.at)
    }

    /// The shard that was opened at a moment.
    pub fn shard(&self, opened: Timestamp) -> Option<&Shard> {
        self.shards.iter().find(|shard| shard.opened == opened)
    }
}

/// A shard of a stream: the journal's records from one number to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// When it was opened; no two shards of a stream were at once.
    pub opened: Timestamp,
    /// When its parent was, unless it is the stream's first.
    pub parent: Option<Timestamp>,
    /// The first number.
    pub start: u64,
    /// Its end, unless it is open.
    pub closed: Option<ShardEnd>,
}

/// The end of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardEnd {
    /// When it was closed.
    pub at: Timestamp,
    /// The last number. It is drawn for the end alone, so that a shard without records has one too.
    pub number: u64,
}
