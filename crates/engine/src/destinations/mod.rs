//! Kinesis destinations: a table's changes as a Kinesis data stream gets them.
//!
//! A data stream is the bucket of its name: a reader of the table's journal puts what changed there as
//! objects of JSON lines, one line a record, `<table>/<number of the first record>.jsonl`. How far it is stands
//! in [`PACES`] under the table's place in the catalog, and the journal keeps what it has not come to.
//! An object is put before that is noted, so that a record may be put twice and is never lost, as the service
//! promises.

mod record;

use std::ops::Bound;

use keyplan_store::{
    Batch, Bounds, Direction, SharedBytes, Snapshot, Space, Store, StoreError, StoreExt, Visit,
};

pub(crate) use record::write_record;

use crate::arn::ACCOUNT;
use crate::catalog::{EnableFault, TableDefinition};
use crate::error::InternalError;
use crate::journal;
use crate::spaces::{PACES, Pace};

const MALFORMED: InternalError = InternalError::Malformed("a destination of changes");

/// How far a table's changes have gone to its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The journal that is read.
    pub(crate) journal: Space,
    /// The number of the first record that has not gone there.
    pub(crate) next: u64,
    /// Whether one has.
    pub(crate) has_begun: bool,
}

impl Progress {
    fn encode(self) -> SharedBytes {
        let mut bytes = self.journal.0.to_be_bytes().to_vec();
        bytes.extend(self.next.to_be_bytes());
        bytes.push(u8::from(self.has_begun));
        bytes.into()
    }

    fn decode(bytes: &[u8]) -> Result<Progress, InternalError> {
        let numbers = bytes.split_first_chunk::<8>().and_then(|(journal, rest)| {
            let (next, rest) = rest.split_first_chunk::<8>()?;
            Some((u64::from_be_bytes(*journal), u64::from_be_bytes(*next), rest))
        });
        match numbers {
            Some((journal, next, [begun])) => {
                Ok(Progress { journal: Space(journal), next, has_begun: *begun != 0 })
            }
            _ => Err(MALFORMED),
        }
    }
}

/// How far the changes of a table have gone, if they go anywhere.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub(crate) fn progress(snapshot: &dyn Snapshot, table: &str) -> Result<Option<Progress>, InternalError> {
    snapshot
        .get(PACES, &Pace::Destination.key(table.as_bytes()))?
        .map(|record| Progress::decode(&record))
        .transpose()
}

/// Adds to `batch` how far the changes of a table have gone, which its journal keeps the rest for.
pub(crate) fn note(batch: &mut Batch, table: &TableDefinition, progress: Progress) {
    batch.put(PACES, Pace::Destination.key(table.key().as_bytes()), progress.encode());
    journal::hold(batch, progress.journal, table.space, progress.next);
}

/// Adds to `batch` what becomes of a table's progress when its definition takes the place of another.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub(crate) fn follow(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    before: Option<&TableDefinition>,
    after: Option<&TableDefinition>,
) -> Result<(), InternalError> {
    let journal = |table: &TableDefinition| table.active_destination().and(table.journal);
    let (Some(after), Some(journal)) = (after, after.and_then(journal)) else {
        if let Some(before) = before {
            follow_removal(batch, before);
        }
        return Ok(());
    };
    let known = progress(snapshot, &after.key())?.filter(|progress| progress.journal == journal);
    let known = match known {
        Some(known) => known,
        None => {
            // A journal that the same batch makes is not in the snapshot yet.
            let next = journal::next_number(snapshot, journal)?.unwrap_or(journal::FIRST_NUMBER);
            Progress { journal, next, has_begun: false }
        }
    };
    note(batch, after, known);
    Ok(())
}

/// The same where there is no table any more, or none whose changes go anywhere.
pub(crate) fn follow_removal(batch: &mut Batch, table: &TableDefinition) {
    if let (Some(_), Some(journal)) = (table.active_destination(), table.journal) {
        batch.delete(PACES, Pace::Destination.key(table.key().as_bytes()));
        journal::release(batch, journal, table.space);
    }
}

/// The places in the catalog of the tables whose changes go somewhere.
///
/// # Errors
/// When the store fails.
pub(crate) fn tables(store: &dyn Store) -> Result<Vec<String>, StoreError> {
    let mut tables = Vec::new();
    store.view(|snapshot: &dyn Snapshot| {
        let (lower, upper) = Pace::Destination.bounds();
        let bounds = Bounds::new(Bound::Included(&lower), Bound::Excluded(&upper));
        snapshot.range(PACES, bounds, Direction::Forward, 1, &mut |key, _| {
            tables.push(String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned());
            Visit::Continue
        })
    })??;
    Ok(tables)
}

/// The name of a data stream, which is that of its bucket.
///
/// # Errors
/// Why an ARN can't be that of a data stream that a table of the region can use.
pub(crate) fn stream_name<'a>(arn: &'a str, region: &str) -> Result<&'a str, EnableFault> {
    let mut parts = arn.splitn(6, ':');
    let mut part = || parts.next().unwrap_or_default();
    let (lead, _, service, of_region, account, resource) = (part(), part(), part(), part(), part(), part());
    let name = resource.strip_prefix("stream/").filter(|name| !name.is_empty() && !name.contains('/'));
    match name {
        Some(name) if lead == "arn" && service == "kinesis" => match () {
            () if of_region != region => Err(EnableFault::Region),
            () if account != ACCOUNT => Err(EnableFault::State),
            () => Ok(name),
        },
        _ => Err(EnableFault::Permission),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_comes_back_as_it_was_stored() {
        for has_begun in [true, false] {
            let progress = Progress { journal: Space(u64::MAX), next: 7, has_begun };
            assert_eq!(Progress::decode(&progress.encode()).expect("readable"), progress);
        }
        assert!(Progress::decode(b"").is_err(), "no bytes");
    }

    #[test]
    fn a_data_stream_is_one_of_the_region_and_the_account() {
        let name = |arn: &str| stream_name(arn, "us-east-1").map(str::to_owned);
        for (arn, found) in [
            ("arn:aws:kinesis:us-east-1:123456789012:stream/s", Ok("s".to_owned())),
            ("arn:aws:kinesis:eu-west-1:123456789012:stream/s", Err(EnableFault::Region)),
            ("arn:aws:kinesis:us-east-1:210987654321:stream/s", Err(EnableFault::State)),
            ("arn:aws:kinesis:us-east-1:123456789012:stream/s/consumer/c:1", Err(EnableFault::Permission)),
            ("arn:aws:dynamodb:us-east-1:123456789012:table/T", Err(EnableFault::Permission)),
            ("nonsense", Err(EnableFault::Permission)),
        ] {
            assert_eq!(name(arn), found, "{arn}");
        }
    }
}
