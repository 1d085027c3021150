//! The journal of a table: every change of its items, in the order of their commits.
//!
//! While anything reads a table's journal, the write path appends to it: the record's number, the time of the
//! commit, the item before and the item after. A table has one journal for all its [readers](Reader), who keep no
//! records of their own: [`streams`](crate::streams), recovery to a point in time, and whatever else follows a
//! table's changes. Each needs records of its own age or from its own place on; a [job](crate::jobs) forgets
//! those that none can read any more, and the journal when its last reader is over.
//!
//! A record lies at its shard and its number. A shard is a range of the partition hash and draws its numbers
//! from a counter that is read and put in the item's own transaction, so the order of an item's records is
//! that of its changes however many servers write. One shard holds all hashes as yet. Numbers and commit
//! times never go back: what takes a write back is a write of its own.

mod reader;
mod record;
mod writer;

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Space, Visit};

pub use reader::Reader;
pub(crate) use reader::{begin_reading, first_held, hold, is_held_by, kept_milliseconds, release, take_back};
pub use record::{Cause, Record};
pub(crate) use writer::{JournalWriter, last_commit};

use crate::error::InternalError;
use crate::spaces::JOURNALS;

/// A moment of the journal: microseconds since the start of 1970, for a thousand commits and more may fall
/// into a millisecond and no two have the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitTime(pub u64);

impl CommitTime {
    /// The first of a moment of the engine's clock.
    pub fn of(moment: crate::Timestamp) -> CommitTime {
        CommitTime(moment.0.saturating_mul(1_000))
    }
}

/// The shard that holds all hashes.
const SHARD: u16 = 0;

/// The number of a journal's first record.
pub(crate) const FIRST_NUMBER: u64 = 1;

const MALFORMED: InternalError = InternalError::Malformed("a journal");

/// Where a record lies in its journal's keyspace.
pub(crate) fn place(number: u64) -> Vec<u8> {
    let mut place = SHARD.to_be_bytes().to_vec();
    place.extend(number.to_be_bytes());
    place
}

/// The number of the record at a place.
pub(crate) fn number_of(place: &[u8]) -> Option<u64> {
    let (_, number) = place.split_first_chunk::<2>()?;
    number.try_into().ok().map(u64::from_be_bytes)
}

fn counter_key(space: Space) -> Vec<u8> {
    let mut key = space.0.to_be_bytes().to_vec();
    key.extend(SHARD.to_be_bytes());
    key
}

/// The journal whose next number stands under a key of [`JOURNALS`].
pub(crate) fn counted(key: &[u8]) -> Option<Space> {
    let (space, shard) = key.split_first_chunk::<8>()?;
    (shard == SHARD.to_be_bytes()).then_some(Space(u64::from_be_bytes(*space)))
}

/// Adds to `batch` what makes the keyspace `space` a journal.
pub(crate) fn open(batch: &mut Batch, space: Space) {
    batch.put(JOURNALS, counter_key(space), FIRST_NUMBER.to_be_bytes().to_vec());
}

/// Takes the counter of a journal away, in the batch that drops its keyspace.
pub(crate) fn remove(batch: &mut Batch, space: Space) {
    batch.delete(JOURNALS, counter_key(space));
}

/// The number that the journal's next record will have; nothing if there is no such journal (any more).
///
/// # Errors
/// When the store fails, or the counter can't be read.
pub(crate) fn next_number(snapshot: &dyn Snapshot, space: Space) -> Result<Option<u64>, InternalError> {
    let Some(counter) = snapshot.get(JOURNALS, &counter_key(space))? else { return Ok(None) };
    let number = <[u8; 8]>::try_from(&*counter).map_err(|_| MALFORMED)?;
    Ok(Some(u64::from_be_bytes(number)))
}

/// Visits the journal's records from a number on until the visitor has enough.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn records(
    snapshot: &dyn Snapshot,
    space: Space,
    from: u64,
    expected: usize,
    mut visit: impl FnMut(u64, Record) -> Visit,
) -> Result<(), InternalError> {
    let mut failed = None;
    let lower = place(from);
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), Bound::Unbounded);
    snapshot.range(
        space,
        bounds,
        Direction::Forward,
        expected,
        &mut |place, stored| match number_of(place)
            .ok_or(MALFORMED)
            .and_then(|number| Ok((number, Record::decode(&stored)?)))
        {
            Ok((number, record)) => visit(number, record),
            Err(error) => {
                failed = Some(error);
                Visit::Stop
            }
        },
    )?;
    failed.map_or(Ok(()), Err)
}

/// Visits the journal's records from one number up to another, which is none of them, the last first, until the
/// visitor has enough.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn records_before(
    snapshot: &dyn Snapshot,
    space: Space,
    (from, below): (u64, u64),
    expected: usize,
    mut visit: impl FnMut(u64, Record) -> Visit,
) -> Result<(), InternalError> {
    let (lower, upper, mut failed) = (place(from), place(below), None);
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), Bound::Excluded(upper.as_slice()));
    snapshot.range(space, bounds, Direction::Backward, expected, &mut |place, stored| {
        let read =
            number_of(place).ok_or(MALFORMED).and_then(|number| Ok((number, Record::decode(&stored)?)));
        match read {
            Ok((number, record)) => visit(number, record),
            Err(error) => {
                failed = Some(error);
                Visit::Stop
            }
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// The number and the time of the first record from a number on.
fn first_from(
    snapshot: &dyn Snapshot,
    space: Space,
    from: u64,
) -> Result<Option<(u64, CommitTime)>, InternalError> {
    let (lower, mut found) = (place(from), None);
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), Bound::Unbounded);
    snapshot.range(space, bounds, Direction::Forward, 1, &mut |place, stored| {
        found = Some(number_of(place).zip(Record::time_of(&stored)).ok_or(MALFORMED));
        Visit::Stop
    })?;
    found.transpose()
}

/// The number of the first record of a time or later; the next number where there is none. Times grow with
/// numbers, so it takes as many looks as the number has digits in base two.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn first_since(
    snapshot: &dyn Snapshot,
    space: Space,
    time: CommitTime,
    next: u64,
) -> Result<u64, InternalError> {
    let (mut low, mut high) = match first_from(snapshot, space, 0)? {
        Some((first, earliest)) if earliest < time => (first, next),
        Some((first, _)) => return Ok(first),
        None => return Ok(next),
    };
    // The first record at or after `low` is too early, that at or after `high` is not, or there is none.
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match first_from(snapshot, space, middle)? {
            Some((number, earlier)) if earlier < time => low = number.min(high - 1),
            _ => high = middle,
        }
    }
    Ok(first_from(snapshot, space, high)?.map_or(next, |(number, _)| number))
}

/// Adds to `batch` the removal of the journal's first `entries` records that are older than `time` and have a
/// number below `held`. Gives how many they are.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn trim(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    space: Space,
    (time, held): (CommitTime, Option<u64>),
    entries: usize,
) -> Result<usize, InternalError> {
    let (mut count, mut last) = (0, None);
    let upper = held.map(place);
    let upper = upper.as_ref().map_or(Bound::Unbounded, |upper| Bound::Excluded(upper.as_slice()));
    let bounds = Bounds::new(Bound::Unbounded, upper);
    snapshot.range(space, bounds, Direction::Forward, entries, &mut |place, stored| {
        if count >= entries || Record::time_of(&stored).is_some_and(|of_record| of_record >= time) {
            return Visit::Stop;
        }
        count += 1;
        last = Some(place.to_vec());
        Visit::Continue
    })?;
    if let Some(last) = last {
        batch.delete_range(space, Bound::Unbounded, Bound::Included(last));
    }
    Ok(count)
}
