//! Reading what was copied, in pages.

use std::ops::Bound;

use keyplan_store::{Bounds, Direction, Snapshot, Space, Visit};
use keyplan_value::Item;

use crate::error::InternalError;
use crate::journal::Record;
use crate::limits::JOB_SLICE_BYTES_MAX;

/// Some of what was copied, in the order of places.
#[derive(Debug)]
pub struct Page<T> {
    /// The entries.
    pub entries: Vec<T>,
    /// The place of the last entry, behind which the next page begins; nothing behind the last page.
    pub next: Option<Vec<u8>>,
}

/// The next items of a keyspace behind a place (an empty one at the start): at most `entries`, and few enough
/// for one slice of a job.
///
/// # Errors
/// When the store fails, or an item can't be read.
pub fn items(
    snapshot: &dyn Snapshot,
    space: Space,
    behind: &[u8],
    entries: usize,
) -> Result<Page<(Vec<u8>, Item)>, InternalError> {
    page(snapshot, space, behind, entries, |place, stored| {
        Ok((place.to_vec(), Item::from_stored(stored.to_shared())?))
    })
}

/// The next changes of a keyspace into which they were gathered, as [`items`]; each has the time of the last.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub fn changes(
    snapshot: &dyn Snapshot,
    space: Space,
    behind: &[u8],
    entries: usize,
) -> Result<Page<Record>, InternalError> {
    page(snapshot, space, behind, entries, |_, stored| Record::decode(stored.bytes()))
}

fn page<T>(
    snapshot: &dyn Snapshot,
    space: Space,
    behind: &[u8],
    entries: usize,
    mut read: impl FnMut(&[u8], &keyplan_store::StoredValue<'_>) -> Result<T, InternalError>,
) -> Result<Page<T>, InternalError> {
    let (mut page, mut bytes, mut failed) = (Page { entries: Vec::new(), next: None }, 0, None);
    let bounds = Bounds::new(Bound::Excluded(behind), Bound::Unbounded);
    snapshot.range(space, bounds, Direction::Forward, entries, &mut |place, stored| {
        bytes += stored.bytes().len();
        match read(place, &stored) {
            Ok(entry) => page.entries.push(entry),
            Err(error) => failed = Some(error),
        }
        if failed.is_none() && page.entries.len() < entries && bytes < JOB_SLICE_BYTES_MAX {
            return Visit::Continue;
        }
        page.next = Some(place.to_vec());
        Visit::Stop
    })?;
    failed.map_or(Ok(page), Err)
}
