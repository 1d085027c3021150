//! How far the members of global tables are: a record for each.

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Space, Store, StoreError, StoreExt, Visit};

use crate::catalog::{Membership, TableDefinition};
use crate::error::InternalError;
use crate::journal;
use crate::spaces::{PACES, Pace};

const MALFORMED: InternalError = InternalError::Malformed("a record of replication");

/// Whether a member is being filled, as the record's third part.
const FILLING: u8 = 1;

/// How far a member is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Its journal.
    pub(crate) journal: Space,
    /// The number of the first record there that others don't know.
    pub(crate) next: u64,
    /// The place of the last item that was copied into it, while it is being filled.
    pub(crate) filled: Option<Vec<u8>>,
}

impl Progress {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = self.journal.0.to_be_bytes().to_vec();
        bytes.extend(self.next.to_be_bytes());
        if let Some(place) = &self.filled {
            bytes.push(FILLING);
            bytes.extend(place);
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Progress, InternalError> {
        let (journal, rest) = bytes.split_first_chunk::<8>().ok_or(MALFORMED)?;
        let (next, rest) = rest.split_first_chunk::<8>().ok_or(MALFORMED)?;
        let filled = match rest.split_first() {
            None => None,
            Some((&FILLING, place)) => Some(place.to_vec()),
            Some(_) => return Err(MALFORMED),
        };
        let (journal, next) = (Space(u64::from_be_bytes(*journal)), u64::from_be_bytes(*next));
        Ok(Progress { journal, next, filled })
    }
}

/// How far the member at a place of the catalog is.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub(crate) fn progress(snapshot: &dyn Snapshot, key: &str) -> Result<Option<Progress>, InternalError> {
    snapshot
        .get(PACES, &Pace::Replication.key(key.as_bytes()))?
        .map(|record| Progress::decode(&record))
        .transpose()
}

/// Adds to `batch` how far a member is. Its journal keeps what others don't know.
pub(crate) fn note(batch: &mut Batch, table: &TableDefinition, progress: &Progress) {
    batch.put(PACES, Pace::Replication.key(table.key().as_bytes()), progress.encode());
    if let Some(Membership::Eventual { times }) = table.membership {
        journal::hold(batch, progress.journal, times, progress.next);
    }
}

/// Takes that away, in the batch that takes the table out of its global table.
pub(crate) fn forget(batch: &mut Batch, table: &TableDefinition) {
    if let (Some(Membership::Eventual { times }), Some(journal)) = (table.membership, table.journal) {
        batch.delete(PACES, Pace::Replication.key(table.key().as_bytes()));
        journal::release(batch, journal, times);
    }
}

/// The places in the catalog of all members that are told of changes later, and whether they are being filled.
///
/// # Errors
/// When the store fails.
pub(super) fn members(store: &dyn Store) -> Result<Vec<(String, bool)>, StoreError> {
    let mut members = Vec::new();
    store.view(|snapshot: &dyn Snapshot| {
        let (lower, upper) = Pace::Replication.bounds();
        let bounds = Bounds::new(Bound::Included(&lower), Bound::Excluded(&upper));
        snapshot.range(PACES, bounds, Direction::Forward, 1, &mut |key, record| {
            let is_filling = Progress::decode(&record).is_ok_and(|progress| progress.filled.is_some());
            let place = key.get(1..).unwrap_or_default();
            members.push((String::from_utf8_lossy(place).into_owned(), is_filling));
            Visit::Continue
        })
    })??;
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_comes_back_as_it_was_stored() {
        for filled in [None, Some(Vec::new()), Some(vec![0, 1, 255])] {
            let progress = Progress { journal: Space(17), next: u64::MAX, filled };
            assert_eq!(Progress::decode(&progress.encode()).expect("readable"), progress);
        }
        assert!(Progress::decode(&[0; 15]).is_err(), "too short");
        assert!(Progress::decode(&[7; 17]).is_err(), "neither filled nor not");
    }
}
