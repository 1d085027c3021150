//! Work that outlives its request: records in the store, advanced in bounded steps.
//!
//! A record's key is when it is due, what kind of work it is and what it works on, so the records
//! lie in the order in which they are due. A step takes the first that can go on, does a slice of it
//! in one transaction, and either removes the record or leaves it for the next step: what remains to
//! be done is read from the store, never remembered, so work goes on after a restart where it stood.

mod backfill;
mod drain;
mod expire;
mod tend_journal;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::{MutexGuard, PoisonError};

use keyplan_store::{Batch, Bounds, Change, Direction, Snapshot, Space, StoreError, StoreExt, Visit};

use crate::backups;
use crate::call::Timestamp;
use crate::engine::Engine;
use crate::error::InternalError;
use crate::history;
use crate::journal::first_held;
use crate::limits::JOB_SLICE_ENTRIES_MAX;
use crate::replication;
use crate::spaces;
use crate::transfers::{self, Kind};
use crate::write;

pub(crate) use backfill::{Backfill, cancel_backfill, is_filling, schedule_backfill};
pub(crate) use tend_journal::schedule_tending;

/// The form of a record's value.
const RECORD_FORMAT: u8 = 1;

/// Kinds of work, as the second part of a record's key: of what is due at once, the first comes first.
mod kind {
    /// Fill a keyspace that was added to a table: an index's, or that of expiry times.
    pub(super) const FILL: u8 = 1;
    /// Free the keyspace of a deleted table or index.
    pub(super) const FREE_SPACE: u8 = 2;
    /// Forget the token of a transaction.
    pub(super) const FORGET_TOKEN: u8 = 3;
    /// Tend a journal and the streams that read it.
    pub(super) const TEND_JOURNAL: u8 = 4;
    /// Copy a table's items, for a backup or a table that is restored.
    pub(super) const COPY: u8 = 5;
    /// Take a backup away whose time has come.
    pub(super) const EXPIRE_BACKUP: u8 = 6;
    /// Export a table.
    pub(super) const EXPORT: u8 = 7;
    /// Import a table.
    pub(super) const IMPORT: u8 = 8;
    /// Put items in bulk.
    pub(super) const BULK_PUT: u8 = 9;
}

/// A record as its key tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Job {
    due: Timestamp,
    work: Work,
}

/// What a record's work is, and what it works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Work {
    Fill(Space),
    FreeSpace(Space),
    ForgetToken(Vec<u8>),
    TendJournal(Space),
    Copy(Space),
    ExpireBackup(Vec<u8>),
    Transfer(Kind, Vec<u8>),
}

impl Job {
    fn key(&self) -> Vec<u8> {
        let mut key = self.due.0.to_be_bytes().to_vec();
        let (kind, subject) = match &self.work {
            Work::Fill(space) => (kind::FILL, space.0.to_be_bytes().to_vec()),
            Work::FreeSpace(space) => (kind::FREE_SPACE, space.0.to_be_bytes().to_vec()),
            Work::ForgetToken(token) => (kind::FORGET_TOKEN, token.clone()),
            Work::TendJournal(space) => (kind::TEND_JOURNAL, space.0.to_be_bytes().to_vec()),
            Work::Copy(space) => (kind::COPY, space.0.to_be_bytes().to_vec()),
            Work::ExpireBackup(backup) => (kind::EXPIRE_BACKUP, backup.clone()),
            Work::Transfer(Kind::Export, id) => (kind::EXPORT, id.clone()),
            Work::Transfer(Kind::Import, id) => (kind::IMPORT, id.clone()),
            Work::Transfer(Kind::BulkPut, id) => (kind::BULK_PUT, id.clone()),
        };
        key.push(kind);
        key.extend(subject);
        key
    }

    fn from_key(key: &[u8]) -> Option<Job> {
        let (due, rest) = key.split_first_chunk::<8>()?;
        let (&kind, subject) = rest.split_first()?;
        let space = |subject: &[u8]| Some(Space(u64::from_be_bytes(subject.try_into().ok()?)));
        let work = match kind {
            kind::FILL => Work::Fill(space(subject)?),
            kind::FREE_SPACE => Work::FreeSpace(space(subject)?),
            kind::FORGET_TOKEN => Work::ForgetToken(subject.to_vec()),
            kind::TEND_JOURNAL => Work::TendJournal(space(subject)?),
            kind::COPY => Work::Copy(space(subject)?),
            kind::EXPIRE_BACKUP => Work::ExpireBackup(subject.to_vec()),
            kind::EXPORT => Work::Transfer(Kind::Export, subject.to_vec()),
            kind::IMPORT => Work::Transfer(Kind::Import, subject.to_vec()),
            kind::BULK_PUT => Work::Transfer(Kind::BulkPut, subject.to_vec()),
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

/// The key of the record of a copy into `space`.
pub(crate) fn copying_key(space: Space) -> Vec<u8> {
    Job { due: Timestamp(0), work: Work::Copy(space) }.key()
}

/// Whether a record's key is that of a journal's job.
pub(crate) fn tends_a_journal(key: &[u8]) -> bool {
    matches!(Job::from_key(key), Some(Job { work: Work::TendJournal(_), .. }))
}

/// Whether a change takes back that a keyspace is freed.
pub(crate) fn takes_back_freeing(change: &Change) -> bool {
    let Change::Delete { space: spaces::JOBS, key } = change else { return false };
    matches!(Job::from_key(key), Some(Job { work: Work::FreeSpace(_), .. }))
}

/// Adds to `batch` the record of a job that frees what lies in `space`, the keyspace of a table or index
/// that the same batch takes out of the catalog.
pub fn schedule_freeing(batch: &mut Batch, space: Space) {
    batch.put(spaces::JOBS, freeing_key(space), [RECORD_FORMAT].as_slice());
}

/// Adds to `batch` the record of a job that forgets, at `due`, the token whose record lies at `token`.
pub(crate) fn schedule_forgetting(batch: &mut Batch, due: Timestamp, token: &[u8]) {
    let job = Job { due, work: Work::ForgetToken(token.to_vec()) };
    batch.put(spaces::JOBS, job.key(), [RECORD_FORMAT].as_slice());
}

/// Adds to `batch` the record of a job that goes on with a transfer, or forgets it, from `due` on.
pub(crate) fn schedule_transfer(batch: &mut Batch, due: Timestamp, kind: Kind, id: &str) {
    let job = Job { due, work: Work::Transfer(kind, id.as_bytes().to_vec()) };
    batch.put(spaces::JOBS, job.key(), [RECORD_FORMAT].as_slice());
}

/// Takes such a record away.
pub(crate) fn unschedule_transfer(batch: &mut Batch, due: Timestamp, kind: Kind, id: &str) {
    batch.delete(spaces::JOBS, Job { due, work: Work::Transfer(kind, id.as_bytes().to_vec()) }.key());
}

/// Adds to `batch` the record of a job that takes away, at `due`, the backup whose record lies at `backup`.
pub(crate) fn schedule_backup_expiry(batch: &mut Batch, due: Timestamp, backup: &[u8]) {
    let job = Job { due, work: Work::ExpireBackup(backup.to_vec()) };
    batch.put(spaces::JOBS, job.key(), [RECORD_FORMAT].as_slice());
}

/// Visits all records of work: each one's key, and what it is if that is of a kind that this version knows.
///
/// # Errors
/// When the store fails.
pub(crate) fn records(
    snapshot: &dyn Snapshot,
    visit: &mut dyn FnMut(&[u8], Option<Work>),
) -> Result<(), StoreError> {
    snapshot.range(spaces::JOBS, Bounds::ALL, Direction::Forward, 1, &mut |key, _| {
        visit(key, Job::from_key(key).map(|job| job.work));
        Visit::Continue
    })
}

/// The keyspaces into which jobs are copying.
///
/// # Errors
/// When the store fails.
pub(crate) fn copies(snapshot: &dyn Snapshot) -> Result<Vec<Space>, StoreError> {
    let (lower, upper) = (copying_key(Space(0)), copying_key(Space(u64::MAX)));
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), Bound::Included(upper.as_slice()));
    let mut copies = Vec::new();
    snapshot.range(spaces::JOBS, bounds, Direction::Forward, 1, &mut |key, _| {
        if let Some(Job { work: Work::Copy(space), .. }) = Job::from_key(key) {
            copies.push(space);
        }
        Visit::Continue
    })?;
    Ok(copies)
}

/// Advances due jobs by at most `budget` store entries; says when the next is due.
///
/// A job that fails stops no other: the rest goes on, and then the first error is given.
///
/// # Errors
/// When the store fails, or holds a record that this version doesn't know.
pub fn step(engine: &Engine, now: Timestamp, budget: u32) -> Result<Option<Timestamp>, StoreError> {
    let mut left = usize::try_from(budget).unwrap_or(usize::MAX);
    let mut failed = Failed::default();
    // Items that have expired come first, so that a long piece of other work doesn't keep them.
    let look = expire::expire(engine, now, left.div_ceil(2)).unwrap_or_else(|error| {
        failed.first.get_or_insert(error);
        expire::Look::default()
    });
    left = left.saturating_sub(look.spent);
    let replicated = replication::replicate(engine, now, left.div_ceil(2)).unwrap_or_else(|error| {
        failed.first.get_or_insert(error);
        replication::Replicated::default()
    });
    left = left.saturating_sub(replicated.spent);
    // Drains are looks too: what is to be drained stands in the journals.
    let turn = objects_turn(engine);
    let drained = drain::drain(engine, left.div_ceil(2)).unwrap_or_else(|error| {
        failed.first.get_or_insert(error);
        drain::Drained::default()
    });
    drop(turn);
    left = left.saturating_sub(drained.spent);
    while left > 0 {
        let Some((key, job)) = next_job(engine, &failed)? else { break };
        if job.as_ref().is_some_and(|job| job.due > now) {
            break;
        }
        let entries = left.min(JOB_SLICE_ENTRIES_MAX);
        let advanced = match &job {
            Some(Job { work: Work::Fill(space), .. }) => backfill::fill_slice(engine, *space, entries),
            Some(Job { work: Work::FreeSpace(space), .. }) => free_slice(engine, *space, entries),
            Some(job @ Job { work: Work::ForgetToken(token), .. }) => forget_token(engine, job, token, now),
            Some(job @ Job { work: Work::TendJournal(space), .. }) => {
                tend_journal::tend(engine, job, *space, now, entries)
            }
            Some(Job { work: Work::Copy(space), .. }) => history::advance(engine, *space, now, entries),
            Some(job @ Job { work: Work::ExpireBackup(backup), .. }) => {
                backups::expire(engine, job.key(), backup.clone(), now)
            }
            Some(Job { work: Work::Transfer(kind, id), .. }) => match std::str::from_utf8(id) {
                Ok(id) => {
                    let _turn = objects_turn(engine);
                    transfers::advance(engine, *kind, id, now, entries)
                }
                Err(_) => Err(StoreError::Corrupt { detail: "a transfer's name is damaged".to_owned() }),
            },
            None => Err(StoreError::Corrupt { detail: "a record of work is of an unknown kind".to_owned() }),
        };
        left = left.saturating_sub(advanced.unwrap_or_else(|error| failed.add(key, error)));
    }
    match failed.first {
        Some(error) => Err(error),
        None => {
            let due = next_job(engine, &failed)?.map(|(_, job)| job.map_or(now, |job| job.due.max(now)));
            Ok(due
                .into_iter()
                .chain(look.due)
                .chain((drained.leaves_some || replicated.leaves_some).then_some(now))
                .min())
        }
    }
}

/// The turn to write objects, of which several threads that step would overwrite each other's.
fn objects_turn(engine: &Engine) -> MutexGuard<'_, ()> {
    // Nothing is guarded but the turn, so a panic in one leaves nothing half done.
    engine.objects.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What failed in a step.
#[derive(Default)]
struct Failed {
    /// The records, which the step passes over from then on.
    records: HashSet<Vec<u8>>,
    /// The first error.
    first: Option<StoreError>,
}

impl Failed {
    /// Adds a record. Returns how much of the budget the attempt took.
    fn add(&mut self, record: Vec<u8>, error: StoreError) -> usize {
        self.records.insert(record);
        self.first.get_or_insert(error);
        1
    }
}

/// A record's key, and the job that it tells if that is of a kind that this version knows.
type Record = (Vec<u8>, Option<Job>);

/// The first record in order of due times whose work can go on and hasn't failed.
fn next_job(engine: &Engine, failed: &Failed) -> Result<Option<Record>, StoreError> {
    let mut jobs = Vec::new();
    engine.store.view(|snapshot| {
        snapshot.range(spaces::JOBS, Bounds::ALL, Direction::Forward, 1, &mut |key, _| {
            if failed.records.contains(key) {
                return Visit::Continue;
            }
            let job = Job::from_key(key);
            let work = job.as_ref().map(|job| &job.work);
            let may_have_to_wait = matches!(work, Some(Work::FreeSpace(_) | Work::ExpireBackup(_)));
            jobs.push((key.to_vec(), job));
            if may_have_to_wait { Visit::Continue } else { Visit::Stop }
        })
    })??;
    // While a dropped table or index can be brought back, or is being copied, what it holds stays.
    for (key, job) in jobs {
        let waits = match &job {
            Some(Job { work: Work::FreeSpace(space), .. }) => {
                let held = engine.store.view(|snapshot| first_held(snapshot, *space))?;
                engine.undo.may_restore(*space) || held.map_err(corrupt)?.is_some()
            }
            Some(job @ Job { work: Work::ExpireBackup(_), .. }) => engine.undo.may_take_out(&job.key()),
            _ => false,
        };
        if !waits {
            return Ok(Some((key, job)));
        }
    }
    Ok(None)
}

/// Forgets a token, unless it was taken for another request since. Returns how much of the budget that
/// took.
fn forget_token(engine: &Engine, job: &Job, token: &[u8], now: Timestamp) -> Result<usize, StoreError> {
    let (key, token) = (job.key(), token.to_vec());
    let forgotten = engine.store.transact(move |snapshot| -> Result<_, StoreError> {
        let mut batch = Batch::new();
        let held = snapshot.get(spaces::REQUEST_TOKENS, &token)?;
        if held.is_some_and(|record| !write::transaction::is_remembered(&record, now)) {
            batch.delete(spaces::REQUEST_TOKENS, token.as_slice());
        }
        batch.delete(spaces::JOBS, key.as_slice());
        Ok((batch, ()))
    })?;
    forgotten.map(|_| 1)
}

/// Deletes the first `entries` of a dropped keyspace, and the keyspace when it is empty.
/// Returns how much of the budget that took, at least 1.
fn free_slice(engine: &Engine, space: Space, entries: usize) -> Result<usize, StoreError> {
    let found = engine.store.view(|snapshot| {
        // The table may have been brought back since the record was seen. From here on it can't be: the
        // log, which was asked after the record was seen, has nothing that would bring it back.
        let is_dropped = snapshot.get(spaces::JOBS, &freeing_key(space))?.is_some();
        is_dropped.then(|| first_entries(snapshot, space, entries)).transpose()
    })?;
    let (count, last) = match found {
        Ok(None) => return Ok(1),
        // Another thread that steps, or one that was ended then, has dropped it already.
        Err(StoreError::NoSuchSpace(gone)) if gone == space => (0, None),
        Ok(Some(found)) => found,
        Err(error) => return Err(error),
    };
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
            // Another thread that steps has come to the end of the same work in the meantime.
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

/// What a step says of a record or an item that can't be read.
pub(crate) fn corrupt(error: InternalError) -> StoreError {
    match error {
        InternalError::Store(error) => error,
        error => StoreError::Corrupt { detail: error.to_string() },
    }
}

fn commit(engine: &Engine, batch: Batch) -> Result<(), StoreError> {
    let written: Result<_, std::convert::Infallible> =
        engine.store.transact(move |_| Ok((batch.clone(), ())))?;
    match written {
        Ok(_) => Ok(()),
    }
}
