//! Who reads a table's journal, and how far back.

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Space, StoreError, Visit};

use super::{FIRST_NUMBER, MALFORMED, next_number, open};
use crate::call::Timestamp;
use crate::catalog::TableDefinition;
use crate::error::InternalError;
use crate::jobs;
use crate::limits::{DAY_MILLISECONDS, STREAM_LIFE_MILLISECONDS};
use crate::spaces::HELD;

/// Something that reads a table's journal. While a table has any, `write/apply` records its changes.
///
/// Each is a setting of the definition: [`TableDefinition::readers`] lists them, and a new kind of reader is a
/// variant here and a line there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The table's stream.
    Stream,
    /// Recovery to a point in time.
    Recovery {
        /// The days that lie within reach.
        days: u64,
    },
    /// A Kinesis data stream. What it was not given yet it holds by number.
    Destination,
    /// A job that copies the table. What it needs of the past it holds by number.
    Copy,
}

impl Reader {
    /// How old a record can be that the reader may yet read. A reader with a place of its own in the journal
    /// needs none by their age: it holds what it has not come to.
    pub fn keeps_milliseconds(self) -> u64 {
        match self {
            Reader::Stream => STREAM_LIFE_MILLISECONDS,
            // The first moment is told in whole seconds.
            Reader::Recovery { days } => days.saturating_mul(DAY_MILLISECONDS).saturating_add(1_000),
            Reader::Copy | Reader::Destination => 0,
        }
    }
}

/// How old a record can be that something may yet read.
pub(crate) fn kept_milliseconds(readers: impl Iterator<Item = Reader>) -> u64 {
    readers.map(Reader::keeps_milliseconds).max().unwrap_or_default()
}

/// Gives the table a journal, if it has none: `fresh`, a keyspace that was drawn for it. A table that had one
/// keeps it, so that all its readers read the same. Gives the number of the journal's next record.
///
/// It is called by whatever adds a reader to a definition, in the same batch.
///
/// # Errors
/// When the store fails.
pub(crate) fn begin_reading(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    table: &mut TableDefinition,
    fresh: Space,
    now: Timestamp,
) -> Result<u64, InternalError> {
    let journal = *table.journal.get_or_insert(fresh);
    if let Some(next) = next_number(snapshot, journal)? {
        return Ok(next);
    }
    open(batch, journal);
    jobs::schedule_tending(batch, now, journal, &table.key());
    Ok(FIRST_NUMBER)
}

fn held_key(space: Space, by: Space) -> Vec<u8> {
    [space.0.to_be_bytes(), by.0.to_be_bytes()].concat()
}

/// Keeps what lies in a keyspace until it is [released](release), for a job or reader that has a keyspace of
/// its own: a journal keeps its records from the number `from` on, whatever their age, and is not dropped; a
/// table's items are not freed when the table is deleted.
pub(crate) fn hold(batch: &mut Batch, space: Space, by: Space, from: u64) {
    batch.put(HELD, held_key(space, by), from.to_be_bytes().to_vec());
}

/// Ends what [`hold`] began. Work that waits for it goes on.
pub(crate) fn release(batch: &mut Batch, space: Space, by: Space) {
    batch.delete(HELD, held_key(space, by));
}

/// Whether `by` holds a keyspace.
///
/// # Errors
/// When the store fails.
pub(crate) fn is_held_by(snapshot: &dyn Snapshot, space: Space, by: Space) -> Result<bool, StoreError> {
    Ok(snapshot.get(HELD, &held_key(space, by))?.is_some())
}

/// The first number that anything holds in a keyspace; nothing where nobody holds it.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn first_held(snapshot: &dyn Snapshot, space: Space) -> Result<Option<u64>, InternalError> {
    let lower = space.0.to_be_bytes();
    let upper = space.0.checked_add(1).map(u64::to_be_bytes);
    let upper = upper.as_ref().map_or(Bound::Unbounded, |upper| Bound::Excluded(upper.as_slice()));
    let (mut first, mut failed): (Option<u64>, bool) = (None, false);
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), upper);
    snapshot.range(HELD, bounds, Direction::Forward, 1, &mut |_, from| {
        match <[u8; 8]>::try_from(&*from).map(u64::from_be_bytes) {
            Ok(from) => first = Some(first.map_or(from, |first| first.min(from))),
            Err(_) => failed = true,
        }
        Visit::Continue
    })?;
    if failed { Err(MALFORMED) } else { Ok(first) }
}

/// Makes a definition that comes back by undo fit the journal as it is now, in place of as it was: what jobs
/// read is theirs to say; a journal that is gone is replaced by `fresh`; and what can be recovered begins
/// anew where writes were not recorded in between. `released` are the records of what is held that go in the
/// same batch. Says whether `fresh` was missing: then nothing was added to `batch`.
///
/// # Errors
/// When the store fails.
pub(crate) fn take_back(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    current: Option<&TableDefinition>,
    restored: &mut TableDefinition,
    released: &[&[u8]],
    (fresh, now): (Option<Space>, Timestamp),
) -> Result<bool, InternalError> {
    let is_open = |space: &Space| next_number(snapshot, *space).map(|next| next.is_some());
    if let Some(current) = current {
        restored.copies.clone_from(&current.copies);
    }
    let mut copies = Vec::new();
    for copy in std::mem::take(&mut restored.copies) {
        let goes = released.contains(&held_key(restored.space, copy).as_slice());
        if !goes && is_held_by(snapshot, restored.space, copy)? {
            copies.push(copy);
        }
    }
    restored.copies = copies;
    let journals = [current.and_then(|current| current.journal), restored.journal];
    let mut open = None;
    for journal in journals.iter().flatten() {
        if open.is_none() && is_open(journal)? {
            open = Some(*journal);
        }
    }
    restored.journal = open;
    if let Some(recovery) = &mut restored.recovery {
        match current.map(|current| current.recovery.as_ref()) {
            Some(Some(current)) => recovery.since = recovery.since.max(current.since),
            Some(None) => recovery.since = now,
            None if open.is_none() => recovery.since = now,
            None => {}
        }
    }
    if open.is_none() && restored.readers().next().is_some() {
        let Some(fresh) = fresh else { return Ok(true) };
        begin_reading(snapshot, batch, restored, fresh, now)?;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use keyplan_store::{MemoryStore, Store, StoreExt};

    use super::*;
    use crate::journal::{Cause, CommitTime, JournalWriter, records, trim};

    fn written(store: &MemoryStore, change: impl Fn(&dyn Snapshot, &mut Batch) + Send + 'static) {
        let written = store.transact(move |snapshot| -> Result<_, StoreError> {
            let mut batch = Batch::new();
            change(snapshot, &mut batch);
            Ok((batch, ()))
        });
        written.expect("the store works").expect("it is written");
    }

    #[test]
    fn what_is_held_outlives_its_time() {
        let store = MemoryStore::new();
        let journal = store.new_space().expect("a keyspace");
        written(&store, move |_, batch| open(batch, journal));
        for now in 1..=4 {
            written(&store, move |snapshot, batch| {
                let mut writer = JournalWriter::new(Timestamp(now));
                writer.append(snapshot, batch, journal, Cause::Request, (None, None)).expect("a journal");
                writer.finish(batch);
            });
        }
        let numbers = || {
            let mut numbers = Vec::new();
            let read = store.view(|snapshot| {
                records(snapshot, journal, 0, 10, |number, _| {
                    numbers.push(number);
                    Visit::Continue
                })
            });
            read.expect("the store works").expect("records");
            numbers
        };
        let trimmed = move |snapshot: &dyn Snapshot, batch: &mut Batch| {
            let held = first_held(snapshot, journal).expect("readable");
            let time = CommitTime::of(Timestamp(4));
            trim(snapshot, batch, journal, (time, held), 10).expect("readable");
        };
        let (late, early) = (Space(u64::MAX), Space(17));
        written(&store, move |_, batch| {
            hold(batch, journal, late, 3);
            hold(batch, journal, early, 2);
            hold(batch, Space(journal.0 + 1), early, 0);
        });
        written(&store, trimmed);
        assert_eq!(numbers(), [2, 3, 4], "the earliest counts");
        written(&store, move |_, batch| release(batch, journal, early));
        written(&store, trimmed);
        assert_eq!(numbers(), [3, 4]);
        written(&store, move |_, batch| release(batch, journal, late));
        written(&store, trimmed);
        assert_eq!(numbers(), [4], "it is young");
    }

    #[test]
    fn the_longest_reader_counts() {
        assert_eq!(kept_milliseconds(std::iter::empty()), 0);
        let readers = [Reader::Copy, Reader::Recovery { days: 35 }, Reader::Stream];
        assert_eq!(kept_milliseconds(readers.into_iter()), 35 * DAY_MILLISECONDS + 1_000);
    }
}
