//! Putting what changed into the buckets of Kinesis data streams.

use keyplan_store::{Batch, StoreError, StoreExt, Visit};

use super::corrupt;
use crate::buckets::BucketError;
use crate::catalog::{self, DestinationStatus, EnableFault};
use crate::destinations::{self, Progress, stream_name, write_record};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::journal::{self, Record};
use crate::limits::{JOB_SLICE_BYTES_MAX, JOB_SLICE_ENTRIES_MAX};

/// What a look at what is to be drained came to.
#[derive(Debug, Default)]
pub(super) struct Drained {
    /// How many records were.
    pub(super) spent: usize,
    /// Whether there are more.
    pub(super) leaves_some: bool,
}

/// Drains at most `entries` records, those of each table into one object at a time.
///
/// # Errors
/// When the store fails, or can't be read.
pub(super) fn drain(engine: &Engine, entries: usize) -> Result<Drained, StoreError> {
    let mut drained = Drained::default();
    for table in destinations::tables(&*engine.store)? {
        loop {
            let at_once = entries.saturating_sub(drained.spent).min(JOB_SLICE_ENTRIES_MAX);
            let found = drain_table(engine, &table, at_once).map_err(corrupt)?;
            drained.spent += found.records;
            if !found.leaves_some {
                break;
            }
            if drained.spent >= entries {
                drained.leaves_some = true;
                return Ok(drained);
            }
        }
    }
    Ok(drained)
}

struct Found {
    records: usize,
    leaves_some: bool,
}

const NOTHING: Found = Found { records: 0, leaves_some: false };

/// Drains the next records of one table.
fn drain_table(engine: &Engine, key: &str, entries: usize) -> Result<Found, InternalError> {
    let found = engine.store.view(|snapshot| -> Result<_, InternalError> {
        let Some(progress) = destinations::progress(snapshot, key)? else { return Ok(None) };
        let end = journal::next_number(snapshot, progress.journal)?.unwrap_or_default();
        let table = catalog::table_in(snapshot, key)?;
        let Some(table) = table.filter(|_| progress.next < end) else { return Ok(None) };
        let (mut records, mut bytes): (Vec<(u64, Record)>, usize) = (Vec::new(), 0);
        journal::records(snapshot, progress.journal, progress.next, entries, |number, record| {
            if records.len() >= entries || bytes >= JOB_SLICE_BYTES_MAX {
                return Visit::Stop;
            }
            let size =
                |item: &Option<_>| item.as_ref().map_or(0, |item: &keyplan_value::Item| item.stored().len());
            bytes += size(&record.before) + size(&record.after);
            records.push((number, record));
            Visit::Continue
        })?;
        Ok(Some((table, progress, records, end)))
    })??;
    let Some((table, progress, records, end)) = found else { return Ok(NOTHING) };
    if entries == 0 {
        return Ok(Found { records: 0, leaves_some: true });
    }
    // A shard's end takes a number and leaves no record.
    let next = records.last().map_or(end, |(number, _)| number + 1);
    let mut put = Ok(());
    if let (Some(destination), Some((first, _))) = (table.active_destination(), records.first()) {
        let region = destination.arn.split(':').nth(3).unwrap_or_default();
        let mut lines = Vec::new();
        for (number, record) in &records {
            write_record(&table, region, destination.precision, (*number, record), &mut lines);
        }
        put = match stream_name(&destination.arn, region) {
            Ok(stream) => {
                let object = [&table.name, "/", &format!("{first:020}"), ".jsonl"].concat();
                engine.buckets.put(stream, &object, &lines)
            }
            Err(_) => Err(BucketError::NoSuchBucket),
        };
    }
    if let Err(BucketError::Failed { .. }) = put {
        // It may go at another time.
        return Ok(NOTHING);
    }
    let is_closed = matches!(put, Err(BucketError::NoSuchBucket | BucketError::AccessDenied));
    let never_was = is_closed && !progress.has_begun;
    // A data stream that has gone or is full takes nothing, and the service doesn't tell: the rest is dropped.
    let key = key.to_owned();
    let written = engine.store.transact(move |snapshot| -> Result<(Batch, ()), InternalError> {
        let mut batch = Batch::new();
        let Some(mut table) = catalog::table_in(snapshot, &key)? else { return Ok((batch, ())) };
        if destinations::progress(snapshot, &key)? != Some(progress) {
            return Ok((batch, ()));
        }
        if never_was {
            let before = table.clone();
            for destination in &mut table.destinations {
                if destination.status == DestinationStatus::Active {
                    destination.status = DestinationStatus::Failed(EnableFault::Permission);
                }
            }
            table.revision = table.next_revision()?;
            catalog::put(&mut batch, &table)?;
            destinations::follow(snapshot, &mut batch, Some(&before), Some(&table))?;
        } else {
            destinations::note(&mut batch, &table, Progress { next, has_begun: true, ..progress });
        }
        Ok((batch, ()))
    })?;
    written?;
    if never_was {
        engine.catalog.changed();
    }
    Ok(Found { records: records.len().max(1), leaves_some: next < end })
}
