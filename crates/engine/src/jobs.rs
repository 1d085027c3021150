//! Work that outlives its request: records in the store, advanced in bounded steps.
//!
//! A record's key is when it is due, what kind of work it is and what it works on, so the records
//! lie in the order in which they are due. A step takes the first that can go on, does a slice of it
//! in one transaction, and either removes the record or leaves it for the next step: what remains to
//! be done is read from the store, never remembered, so work goes on after a restart where it stood.

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Space, StoreError, StoreExt, Visit};

use crate::call::Timestamp;
use crate::engine::Engine;
use crate::spaces;

/// The most store entries that one transaction of a job deletes, however large the budget: a store
/// applies a batch in one go, and requests wait for it.
const SLICE_ENTRIES_MAX: usize = 1_000;

/// The form of a record's value.
const RECORD_FORMAT: u8 = 1;

/// Kinds of work, as the second part of a record's key.
mod kind {
    /// Free the keyspace of a deleted table.
    pub(super) const FREE_SPACE: u8 = 1;
}

/// A record as its key tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Job {
    due: Timestamp,
    work: Work,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    FreeSpace(Space),
}

impl Job {
    const KEY_BYTES: usize = 17;

    fn key(self) -> Vec<u8> {
        let Work::FreeSpace(space) = self.work;
        let mut key = Vec::with_capacity(Job::KEY_BYTES);
        key.extend(self.due.0.to_be_bytes());
        key.push(kind::FREE_SPACE);
        key.extend(space.0.to_be_bytes());
        key
    }

    fn from_key(key: &[u8]) -> Option<Job> {
        let (due, rest) = key.split_first_chunk::<8>()?;
        let (&kind, subject) = rest.split_first()?;
        let subject = u64::from_be_bytes(subject.try_into().ok()?);
        let work = match kind {
            kind::FREE_SPACE => Work::FreeSpace(Space(subject)),
            _ => return None,
        };
        Some(Job { due: Timestamp(u64::from_be_bytes(*due)), work })
    }
}

fn freeing(space: Space) -> Job {
    Job { due: Timestamp(0), work: Work::FreeSpace(space) }
}

/// The key of the record that frees `space`.
pub(crate) fn freeing_key(space: Space) -> Vec<u8> {
    freeing(space).key()
}

/// Adds to `batch` the record of a job that frees what lies in `space`, the keyspace of a table that
/// the same batch takes out of the catalog.
pub fn schedule_freeing(batch: &mut Batch, space: Space) {
    batch.put(spaces::JOBS, freeing_key(space), [RECORD_FORMAT].as_slice());
}

/// Advances due jobs by at most `budget` store entries; says when the next is due.
///
/// # Errors
/// When the store fails, or holds a record that this version doesn't know.
pub fn step(engine: &Engine, now: Timestamp, budget: u32) -> Result<Option<Timestamp>, StoreError> {
    let mut left = usize::try_from(budget).unwrap_or(usize::MAX);
    while left > 0 {
        let Some(job) = next_job(engine)? else { return Ok(None) };
        if job.due > now {
            return Ok(Some(job.due));
        }
        let Work::FreeSpace(space) = job.work;
        left = left.saturating_sub(free_slice(engine, space, left.min(SLICE_ENTRIES_MAX))?);
    }
    Ok(next_job(engine)?.map(|job| job.due.max(now)))
}

/// The first record in order of due times whose work can go on.
fn next_job(engine: &Engine) -> Result<Option<Job>, StoreError> {
    let mut jobs = Vec::new();
    let mut unknown = false;
    engine.store.view(|snapshot| {
        snapshot.range(spaces::JOBS, Bounds::ALL, Direction::Forward, 1, &mut |key, _| {
            match Job::from_key(key) {
                Some(job) => jobs.push(job),
                None => unknown = true,
            }
            Visit::Continue
        })
    })??;
    if unknown {
        return Err(StoreError::Corrupt { detail: "a record of work is of an unknown kind".to_owned() });
    }
    // While a dropped table can be brought back, its items stay.
    Ok(jobs.into_iter().find(|job| {
        let Work::FreeSpace(space) = job.work;
        !engine.undo.may_restore(space)
    }))
}

/// Deletes the first `entries` of a dropped table's keyspace, and the keyspace when it is empty.
/// Returns how much of the budget that took, at least 1.
fn free_slice(engine: &Engine, space: Space, entries: usize) -> Result<usize, StoreError> {
    let (count, last) = engine.store.view(|snapshot| first_entries(snapshot, space, entries))??;
    if count < entries {
        // Dropping takes the rest along. It may be repeated, so it comes before the record goes.
        engine.store.drop_space(space)?;
        let mut batch = Batch::new();
        batch.delete(spaces::JOBS, freeing_key(space));
        commit(engine, batch)?;
    } else if let Some(last) = last {
        let mut batch = Batch::new();
        batch.delete_range(space, Bound::Unbounded, Bound::Included(last));
        match commit(engine, batch) {
            // A step on another thread has finished the job meanwhile.
            Err(StoreError::NoSuchSpace(gone)) if gone == space => {}
            committed => committed?,
        }
    }
    Ok(count.max(1))
}

/// How many entries there are, up to `entries`, and the key of the last of them.
fn first_entries(
    snapshot: &dyn Snapshot,
    space: Space,
    entries: usize,
) -> Result<(usize, Option<Vec<u8>>), StoreError> {
    let mut count = 0;
    let mut last = None;
    snapshot.range(space, Bounds::ALL, Direction::Forward, entries, &mut |key, _| {
        count += 1;
        if count < entries {
            return Visit::Continue;
        }
        last = Some(key.to_vec());
        Visit::Stop
    })?;
    Ok((count, last))
}

fn commit(engine: &Engine, batch: Batch) -> Result<(), StoreError> {
    let written: Result<_, std::convert::Infallible> =
        engine.store.transact(move |_| Ok((batch.clone(), ())))?;
    match written {
        Ok(_) => Ok(()),
    }
}
