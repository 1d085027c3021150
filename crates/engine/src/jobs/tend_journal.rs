//! Tending a journal: forgetting records that no reader can see any more, closing a stream's shard when it is
//! old, and dropping the journal when its last reader is over and nothing holds it.

use keyplan_store::{Batch, Snapshot, Space, StoreError, StoreExt};

use super::{Job, RECORD_FORMAT, Work, corrupt};
use crate::call::Timestamp;
use crate::catalog::{self, StreamDefinition, TableDefinition};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::journal::{self, CommitTime, JournalWriter, Reader, first_held, kept_milliseconds};
use crate::limits::{JOURNAL_LOOK_MILLISECONDS, SHARD_LIFE_MILLISECONDS, STREAM_LIFE_MILLISECONDS};
use crate::spaces::JOBS;
use crate::streams;

const MALFORMED: InternalError = InternalError::Malformed("a record of work");

/// Adds to `batch` the record of a job that tends a journal, which the same batch makes.
pub(crate) fn schedule_tending(batch: &mut Batch, now: Timestamp, space: Space, table: &str) {
    put(batch, later(now, JOURNAL_LOOK_MILLISECONDS), space, table);
}

fn put(batch: &mut Batch, due: Timestamp, space: Space, table: &str) {
    let job = Job { due, work: Work::TendJournal(space) };
    batch.put(JOBS, job.key(), [&[RECORD_FORMAT], table.as_bytes()].concat());
}

fn later(moment: Timestamp, milliseconds: u64) -> Timestamp {
    Timestamp(moment.0.saturating_add(milliseconds))
}

/// Tends a journal, forgetting at most `entries` records. Returns how much of the budget that took, at least 1.
pub(super) fn tend(
    engine: &Engine,
    job: &Job,
    space: Space,
    now: Timestamp,
    entries: usize,
) -> Result<usize, StoreError> {
    let key = job.key();
    let tended = engine.store.transact(move |snapshot| -> Result<(Batch, usize), InternalError> {
        let mut batch = Batch::new();
        let Some(record) = snapshot.get(JOBS, &key)? else { return Ok((batch, 1)) };
        let (_, name) =
            record.split_first().filter(|(format, _)| **format == RECORD_FORMAT).ok_or(MALFORMED)?;
        let table = std::str::from_utf8(name).map_err(|_| MALFORMED)?;
        let definition = catalog::table_in(snapshot, table)?;
        let mut definition = definition.filter(|definition| definition.journal == Some(space));
        let held = first_held(snapshot, space)?;
        let horizon = CommitTime::of(Timestamp(now.0.saturating_sub(kept(definition.as_ref()))));
        let trimmed = journal::trim(snapshot, &mut batch, space, (horizon, held), entries)?;
        if trimmed == entries {
            // The record stays as it is: there may be more.
            return Ok((batch, trimmed));
        }
        let next = tend_streams(snapshot, &mut batch, space, table, now)?;
        let is_read = definition.as_ref().is_some_and(|definition| definition.readers().next().is_some());
        batch.delete(JOBS, key.as_slice());
        match next {
            None if !is_read && held.is_none() => {
                if let Some(definition) = &mut definition {
                    definition.journal = None;
                    definition.revision = definition.next_revision()?;
                    catalog::put(&mut batch, definition)?;
                }
                journal::remove(&mut batch, space);
                catalog::retire(&mut batch, space);
            }
            next => {
                let look = later(now, JOURNAL_LOOK_MILLISECONDS);
                put(&mut batch, next.map_or(look, |next| next.min(look)), space, table);
            }
        }
        Ok((batch, trimmed.max(1)))
    })?;
    tended.map(|(spent, _)| spent).map_err(corrupt)
}

/// How old a record can be that something may yet read: a reader of the table, or a stream that has ended, for
/// it can be read as long as one that has not.
fn kept(table: Option<&TableDefinition>) -> u64 {
    let readers = table.into_iter().flat_map(TableDefinition::readers);
    kept_milliseconds(readers.chain([Reader::Stream]))
}

/// Tends the streams that read a journal. Gives when the next of them is to be looked at, if there are any.
fn tend_streams(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    space: Space,
    table: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>, InternalError> {
    let mut writer = JournalWriter::new(now);
    let mut next: Option<Timestamp> = None;
    let all = streams::all_of_table(snapshot, table)?;
    for mut stream in all.into_iter().filter(|stream| stream.journal == space) {
        let due = match stream.ended_at() {
            Some(ended) if ended <= streams::horizon(now) => {
                streams::remove(batch, &stream);
                continue;
            }
            Some(ended) => later(ended, STREAM_LIFE_MILLISECONDS),
            None => {
                let changed = tend_shards(snapshot, &mut writer, &mut stream, now)?;
                if changed {
                    streams::put(batch, &stream)?;
                }
                let opened = stream.shards.last().map_or(now, |shard| shard.opened);
                later(opened, SHARD_LIFE_MILLISECONDS)
            }
        };
        next = Some(next.map_or(due, |next| next.min(due)));
    }
    writer.finish(batch);
    Ok(next)
}

/// Closes an old shard and opens its child, and forgets shards that can't be read any more. Says whether
/// there was one.
fn tend_shards(
    snapshot: &dyn Snapshot,
    writer: &mut JournalWriter,
    stream: &mut StreamDefinition,
    now: Timestamp,
) -> Result<bool, InternalError> {
    let is_old = |opened: Timestamp| later(opened, SHARD_LIFE_MILLISECONDS) <= now;
    let rolls = stream.shards.last().is_some_and(|shard| is_old(shard.opened));
    if rolls {
        streams::close(snapshot, writer, stream, now)?;
        streams::open(snapshot, writer, stream, now)?;
    }
    let (count, horizon) = (stream.shards.len(), streams::horizon(now));
    stream.shards.retain(|shard| shard.closed.is_none_or(|end| end.at > horizon));
    Ok(rolls || stream.shards.len() != count)
}
