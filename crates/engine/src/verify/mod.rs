//! Whether a store is what its items imply: every index entry, count, size, expiry time and journal record held
//! against the items, and every keyspace against those who own one.
//!
//! [`verify`](verify()) reads one snapshot from end to end and changes nothing. What isn't as it should be is handed out as
//! a [`Difference`] that says where it is, what is there and what should be; the walk goes on behind it. It needs
//! memory for the catalog, and for the last images of some ten thousand items at a time: a longer journal is walked
//! over several times.
//!
//! What is held against what:
//!
//! - an item's place against its key; its entries in secondary and vector indexes, and its expiry time, against
//!   it, and none may be there that no item has. What a [job](crate::jobs) is still filling may lack those behind
//!   where the job stands;
//! - counts and sizes of tables, indexes and item collections against what lies there;
//! - a journal's records against their order in numbers and times, and where a stream or recovery reads without a
//!   gap, the images of an item against each other and the last against the item;
//! - a stream's shards against each other and the table;
//! - keyspaces, counters and records of work against their owners: a keyspace has one, and nothing lies in one
//!   that has none.
//!
//! What it doesn't look at: requests and settings that nothing follows from (tags, policies, the requests of
//! transfers), the items of backups, and how far replication and destinations are.

mod entries;
mod items;
mod journals;
mod owners;
mod text;

use std::fmt;

use keyplan_store::{Bounds, Direction, Snapshot, Space, Store, StoreError, StoreExt, StoredValue, Visit};

use crate::engine::OpenError;
use crate::error::InternalError;
use crate::jobs::corrupt;

/// Something that isn't what the items imply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where: a table, one of its indexes, a journal, a kind of the engine's records.
    pub place: String,
    /// Which entry there: a key as DynamoDB JSON where it is one.
    pub key: String,
    /// What is there.
    pub found: String,
    /// What should be.
    pub expected: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { place, key, found, expected } = self;
        write!(f, "{place}, {key}: there is {found}, and there should be {expected}")
    }
}

/// How much was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verified {
    /// Tables, each replica counted as one.
    pub tables: u64,
    /// Items of tables.
    pub items: u64,
    /// Entries of secondary and vector indexes.
    pub entries: u64,
    /// Records of journals.
    pub records: u64,
    /// Keyspaces that belong to nothing and hold nothing: numbers that a request drew which then ended in the midst
    /// of it. They are no difference.
    pub unused: u64,
    /// Differences that were handed out.
    pub differences: u64,
}

/// Holds a store against its items. `keyspaces` are those that exist, or hold anything, besides the reserved ones;
/// without them it isn't seen whether one belongs to nothing.
///
/// # Errors
/// When the store fails, or its records are of a form that this version doesn't know.
pub fn verify(
    store: &dyn Store,
    keyspaces: Option<&[Space]>,
    differs: &mut dyn FnMut(Difference),
) -> Result<Verified, OpenError> {
    store.view(|snapshot| -> Result<Verified, OpenError> {
        crate::format::check_stated(snapshot)?;
        let mut look = Look { snapshot, differs, verified: Verified::default() };
        look.at_all(keyspaces).map_err(|error| OpenError::Store(corrupt(error)))?;
        Ok(look.verified)
    })?
}

/// A walk over a store.
struct Look<'l> {
    snapshot: &'l dyn Snapshot,
    differs: &'l mut dyn FnMut(Difference),
    verified: Verified,
}

impl Look<'_> {
    fn at_all(&mut self, keyspaces: Option<&[Space]>) -> Result<(), InternalError> {
        let tables = self.tables()?;
        let streams = self.streams(&tables)?;
        self.owners(&tables, &streams, keyspaces)?;
        for table in &tables {
            self.items(table)?;
        }
        self.journals(&tables, &streams)
    }

    /// Hands out that something isn't what it should be.
    fn tell(&mut self, place: &str, key: String, found: impl Into<String>, expected: impl Into<String>) {
        self.verified.differences += 1;
        (self.differs)(Difference {
            place: place.to_owned(),
            key,
            found: found.into(),
            expected: expected.into(),
        });
    }

    /// The same where the two are numbers and may be equal.
    fn compare(&mut self, place: &str, what: &str, found: i64, expected: i64) {
        if found != expected {
            self.tell(place, what.to_owned(), found.to_string(), expected.to_string());
        }
    }
}

/// Visits the entries of a keyspace until the visitor fails. A keyspace that isn't there is empty.
fn each(
    snapshot: &dyn Snapshot,
    space: Space,
    bounds: Bounds<'_>,
    mut visit: impl FnMut(&[u8], StoredValue<'_>) -> Result<(), InternalError>,
) -> Result<(), InternalError> {
    let mut failed = None;
    let walked =
        snapshot.range(space, bounds, Direction::Forward, WALKED_AT_ONCE, &mut |key, value| match visit(
            key, value,
        ) {
            Ok(()) => Visit::Continue,
            Err(error) => {
                failed = Some(error);
                Visit::Stop
            }
        });
    match walked {
        Err(StoreError::NoSuchSpace(gone)) if gone == space => {}
        walked => walked?,
    }
    failed.map_or(Ok(()), Err)
}

/// How many entries a walk expects to need at once.
const WALKED_AT_ONCE: usize = 256;
