//! Streams: the records of a table's journal as DynamoDB Streams shows them.
//!
//! A stream is a record in [`STREAMS`] under its table's name and its label. It outlives the table, and being
//! disabled, by a day. Its shards are stretches of the journal's numbers; the open one is closed, and
//! followed by its child, after some hours of the engine's clock and when the stream ends.
//! A [job](crate::jobs) does the former and forgets what is over.

mod iterator;
mod view;

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Visit};
use twox_hash::XxHash3_64;

pub(crate) use iterator::ShardIterator;
pub(crate) use view::{RecordView, parse_sequence_number, sequence_number};

use crate::arn::ResourceReference;
use crate::calendar::iso_text;
use crate::call::Timestamp;
use crate::catalog::{
    Shard, ShardEnd, StreamDefinition, TableDefinition, TableStream, decode_stream, encode_stream,
    replica_key,
};
use crate::error::InternalError;
use crate::journal::{JournalWriter, begin_reading};
use crate::limits::STREAM_LIFE_MILLISECONDS;
use crate::policies;
use crate::spaces::{SETTINGS, STREAMS, Setting};

/// What parts a table's name from a stream's label in a key; neither has it.
const BETWEEN: u8 = 0;

/// A stream's place.
pub(crate) fn key(table: &str, label: &str) -> Vec<u8> {
    let mut key = table.as_bytes().to_vec();
    key.push(BETWEEN);
    key.extend(label.as_bytes());
    key
}

/// What is older than this can't be read.
pub(crate) fn horizon(now: Timestamp) -> Timestamp {
    Timestamp(now.0.saturating_sub(STREAM_LIFE_MILLISECONDS))
}

/// The shard's name on the wire: the moment it was opened, and something to tell streams apart.
pub(crate) fn shard_id(stream: &StreamDefinition, opened: Timestamp) -> String {
    let told_apart = XxHash3_64::oneshot(&key(&stream.table, &stream.label)) >> 32;
    format!("shardId-{:020}-{told_apart:08x}", opened.0)
}

/// A stream, if it can still be read.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub(crate) fn stream_in(
    snapshot: &dyn Snapshot,
    table: &str,
    label: &str,
    now: Timestamp,
) -> Result<Option<StreamDefinition>, InternalError> {
    let Some(record) = snapshot.get(STREAMS, &key(table, label))? else { return Ok(None) };
    let stream = decode_stream(&record)?;
    Ok(Some(stream).filter(|stream| is_readable(stream, now)))
}

/// The stream that an ARN names, if it can still be read. A replica's is found by the region.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn stream_of(
    snapshot: &dyn Snapshot,
    reference: &ResourceReference<'_>,
    now: Timestamp,
) -> Result<Option<StreamDefinition>, InternalError> {
    let Some((table, label)) = reference.stream() else { return Ok(None) };
    match stream_in(snapshot, &replica_key(table, reference.region()), label, now)? {
        Some(stream) => Ok(Some(stream)),
        None => stream_in(snapshot, table, label, now),
    }
}

fn is_readable(stream: &StreamDefinition, now: Timestamp) -> bool {
    stream.ended_at().is_none_or(|ended| now.0 < ended.0.saturating_add(STREAM_LIFE_MILLISECONDS))
}

/// The shards that can still be read.
pub(crate) fn shards(stream: &StreamDefinition, now: Timestamp) -> impl Iterator<Item = &Shard> {
    let horizon = horizon(now);
    stream.shards.iter().filter(move |shard| shard.closed.is_none_or(|end| end.at > horizon))
}

/// At most `limit` streams that can be read, of one table or of all, in the order of tables and labels after
/// one that need not exist; and whether there are more.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn streams(
    snapshot: &dyn Snapshot,
    table: Option<&str>,
    after: Option<(&str, &str)>,
    limit: usize,
    now: Timestamp,
) -> Result<(Vec<StreamDefinition>, bool), InternalError> {
    let after = after.map(|(table, label)| key(table, label));
    let of_table = table.map(|table| (key(table, ""), [table.as_bytes(), &[BETWEEN + 1]].concat()));
    let lower = match (&after, &of_table) {
        (Some(after), Some((first, _))) if after < first => Bound::Included(first.as_slice()),
        (Some(after), _) => Bound::Excluded(after.as_slice()),
        (None, Some((first, _))) => Bound::Included(first.as_slice()),
        (None, None) => Bound::Unbounded,
    };
    let upper = of_table.as_ref().map_or(Bound::Unbounded, |(_, behind)| Bound::Excluded(behind.as_slice()));
    let (mut found, mut more, mut failed) = (Vec::new(), false, None);
    snapshot.range(STREAMS, Bounds::new(lower, upper), Direction::Forward, limit, &mut |_, record| {
        match decode_stream(&record) {
            Ok(stream) if !is_readable(&stream, now) => {}
            Ok(_) if found.len() == limit => more = true,
            Ok(stream) => found.push(stream),
            Err(error) => failed = Some(error),
        }
        if more || failed.is_some() { Visit::Stop } else { Visit::Continue }
    })?;
    failed.map_or(Ok((found, more)), Err)
}

/// The streams of a table, also those that can't be read any more.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn all_of_table(
    snapshot: &dyn Snapshot,
    table: &str,
) -> Result<Vec<StreamDefinition>, InternalError> {
    // At the beginning of time nothing has ended long ago.
    streams(snapshot, Some(table), None, usize::MAX, Timestamp(0)).map(|(streams, _)| streams)
}

/// The label of a new stream: the time, or where a stream of such a table has that the next free one.
///
/// # Errors
/// When the store fails.
pub(crate) fn free_label(
    snapshot: &dyn Snapshot,
    table: &str,
    now: Timestamp,
) -> Result<String, InternalError> {
    let mut moment = now;
    loop {
        let label = iso_text(moment);
        if snapshot.get(STREAMS, &key(table, &label))?.is_none() {
            return Ok(label);
        }
        moment.0 += 1;
    }
}

/// Puts a stream's record.
///
/// # Errors
/// When it can't be given the stored form.
pub(crate) fn put(batch: &mut Batch, stream: &StreamDefinition) -> Result<(), InternalError> {
    batch.put(STREAMS, key(&stream.table, &stream.label), encode_stream(stream)?);
    Ok(())
}

/// Takes a stream's record away, and what is kept beside it.
pub(crate) fn remove(batch: &mut Batch, stream: &StreamDefinition) {
    let key = key(&stream.table, &stream.label);
    policies::remove(batch, &key);
    batch.delete(SETTINGS, Setting::StreamTags.key(&key));
    batch.delete(STREAMS, key);
}

/// Closes the stream's open shard.
///
/// # Errors
/// When the store fails.
pub(crate) fn close(
    snapshot: &dyn Snapshot,
    writer: &mut JournalWriter,
    stream: &mut StreamDefinition,
    now: Timestamp,
) -> Result<(), InternalError> {
    let journal = stream.journal;
    if let Some(shard) = stream.shards.last_mut().filter(|shard| shard.closed.is_none()) {
        shard.closed = Some(ShardEnd { at: now, number: writer.draw(snapshot, journal)? });
    }
    Ok(())
}

/// Opens a shard, the child of the last one.
///
/// # Errors
/// When the store fails.
pub(crate) fn open(
    snapshot: &dyn Snapshot,
    writer: &JournalWriter,
    stream: &mut StreamDefinition,
    now: Timestamp,
) -> Result<(), InternalError> {
    let parent = stream.shards.last().map(|shard| shard.opened);
    let opened = parent.map_or(now, |parent| now.max(Timestamp(parent.0 + 1)));
    let start = writer.peek(snapshot, stream.journal)?;
    stream.shards.push(Shard { opened, parent, start, closed: None });
    Ok(())
}

/// Why a table's definition takes the place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacement {
    /// A request asked for it.
    Asked,
    /// What a request asked for is taken back: a stream may go on that had ended.
    TakenBack,
}

/// Adds to `batch` what becomes of streams when a table's definition takes the place of another; nothing
/// stands for no table. The stream that was enabled ends; one that is enabled begins, or goes on. One that
/// ended so long ago that it is over doesn't: then the definition loses it.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn follow(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    replacement: Replacement,
    before: Option<&TableDefinition>,
    after: Option<&mut TableDefinition>,
    now: Timestamp,
) -> Result<(), InternalError> {
    let enabled = |table: &TableDefinition| {
        let TableStream { label, view } = table.stream.clone()?;
        Some((table.key().into_owned(), label, view?, table.journal?))
    };
    let (old, new) = (before.and_then(enabled), after.as_deref().and_then(enabled));
    if old == new {
        return Ok(());
    }
    let mut writer = JournalWriter::new(now);
    if let Some((table, label, ..)) = old
        && let Some(mut stream) = stream_in(snapshot, &table, &label, now)?
    {
        close(snapshot, &mut writer, &mut stream, now)?;
        put(batch, &stream)?;
    }
    if let (Some((table, label, view, journal)), Some(definition)) = (new, after) {
        if replacement == Replacement::Asked {
            let start = begin_reading(snapshot, batch, definition, journal, now)?;
            let shards = vec![Shard { opened: now, parent: None, start, closed: None }];
            let key_schema = definition.key_schema.clone();
            put(
                batch,
                &StreamDefinition { table, label, view, key_schema, journal, created_at: now, shards },
            )?;
        } else if let Some(mut stream) = stream_in(snapshot, &table, &label, now)? {
            open(snapshot, &writer, &mut stream, now)?;
            put(batch, &stream)?;
        } else {
            definition.stream = None;
        }
    }
    writer.finish(batch);
    Ok(())
}
