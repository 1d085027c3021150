//! Appending to journals, within one transaction of the store.

use std::collections::BTreeMap;

use keyplan_store::{Batch, Snapshot, Space};
use keyplan_value::Item;

use super::{Cause, CommitTime, MALFORMED, Record, counter_key, next_number, place};
use crate::call::Timestamp;
use crate::error::InternalError;
use crate::spaces::COMMIT_TIME;

const KEY: &[u8] = b"last";

/// What one transaction draws for the journals it appends to: its commit time, and numbers. Nothing is read
/// before something is appended.
#[derive(Debug)]
pub(crate) struct JournalWriter {
    now: Timestamp,
    time: Option<CommitTime>,
    next: BTreeMap<Space, u64>,
}

impl JournalWriter {
    /// The writer of a transaction that runs at `now`.
    pub(crate) fn new(now: Timestamp) -> JournalWriter {
        JournalWriter { now, time: None, next: BTreeMap::new() }
    }

    /// Adds to `batch` the record of an item's change.
    ///
    /// # Errors
    /// When the store fails, or there is no such journal.
    pub(crate) fn append(
        &mut self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        journal: Space,
        cause: Cause,
        (before, after): (Option<&Item>, Option<&Item>),
    ) -> Result<(), InternalError> {
        let time = self.time(snapshot)?;
        let number = self.draw(snapshot, journal)?;
        batch.put(journal, place(number), Record::encode(time, cause, before, after)?);
        Ok(())
    }

    /// The time of the commit, which is drawn when it is asked for first.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn time(&mut self, snapshot: &dyn Snapshot) -> Result<CommitTime, InternalError> {
        match self.time {
            Some(time) => Ok(time),
            None => Ok(*self.time.insert(commit_time(snapshot, self.now)?)),
        }
    }

    /// Draws the journal's next number.
    ///
    /// # Errors
    /// When the store fails, or there is no such journal.
    pub(crate) fn draw(&mut self, snapshot: &dyn Snapshot, journal: Space) -> Result<u64, InternalError> {
        let number = self.peek(snapshot, journal)?;
        self.next.insert(journal, number.checked_add(1).ok_or(MALFORMED)?);
        Ok(number)
    }

    /// The number that the journal's next record will have.
    ///
    /// # Errors
    /// When the store fails, or there is no such journal.
    pub(crate) fn peek(&self, snapshot: &dyn Snapshot, journal: Space) -> Result<u64, InternalError> {
        match self.next.get(&journal) {
            Some(number) => Ok(*number),
            None => next_number(snapshot, journal)?.ok_or(MALFORMED),
        }
    }

    /// Adds to `batch` what was drawn.
    pub(crate) fn finish(self, batch: &mut Batch) {
        for (journal, next) in self.next {
            batch.put(super::JOURNALS, counter_key(journal), next.to_be_bytes().to_vec());
        }
        if let Some(CommitTime(time)) = self.time {
            batch.put(COMMIT_TIME, KEY, time.to_be_bytes().to_vec());
        }
    }
}

/// The time of a commit: the clock's, unless an earlier commit has that or a later one.
fn commit_time(snapshot: &dyn Snapshot, now: Timestamp) -> Result<CommitTime, InternalError> {
    let clock = CommitTime::of(now);
    let Some(CommitTime(last)) = last_commit(snapshot)? else { return Ok(clock) };
    Ok(clock.max(CommitTime(last.saturating_add(1))))
}

/// The time of the last commit that a journal recorded.
///
/// # Errors
/// When the store fails, or the time can't be read.
pub(crate) fn last_commit(snapshot: &dyn Snapshot) -> Result<Option<CommitTime>, InternalError> {
    let Some(last) = snapshot.get(COMMIT_TIME, KEY)? else { return Ok(None) };
    let last = <[u8; 8]>::try_from(&*last).map_err(|_| MALFORMED)?;
    Ok(Some(CommitTime(u64::from_be_bytes(last))))
}
