//! Backups: what a table was at a moment, kept beside it.
//!
//! A backup is a record in [`BACKUPS`], with the table's definition as it was, and a keyspace of its own for the
//! items, which a [copy](crate::history) fills: it is being made for as long as that goes on. It outlives its
//! table. A table that is deleted while it can be recovered to a point in time leaves a backup of the service's
//! own, which keeps the table's items where they are and goes after some weeks.
//!
//! Making and deleting a backup doesn't change a table, so neither is a write to take back; the backup that a
//! deletion leaves goes when the deletion is taken back.

mod stored;

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Space, StoreError, StoreExt, Visit};

use crate::arn::backup_arn;
use crate::call::Timestamp;
use crate::catalog::{TableDefinition, Totals};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::history;
use crate::jobs::{self, corrupt};
use crate::limits::SYSTEM_BACKUP_LIFE_MILLISECONDS;
use crate::spaces::{BACKUPS, JOBS};

/// What names a backup: the moment of which it is, and chance, as the last part of its ARN has both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackupId {
    /// When it was made.
    pub made: Timestamp,
    /// What tells it apart from others of that moment.
    pub told_apart: u32,
}

/// Digits of the moment in a backup's id.
const MOMENT_DIGITS: usize = 14;

impl BackupId {
    /// The last part of the ARN.
    pub fn text(self) -> String {
        format!("{:0MOMENT_DIGITS$}-{:08x}", self.made.0, self.told_apart)
    }

    /// Reads [`BackupId::text`].
    pub fn parse(text: &str) -> Option<BackupId> {
        let (moment, told_apart) = text.split_once('-')?;
        let are_digits = moment.len() == MOMENT_DIGITS && moment.bytes().all(|byte| byte.is_ascii_digit());
        let is_hex = told_apart.len() == 8
            && told_apart.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if !are_digits || !is_hex {
            return None;
        }
        Some(BackupId {
            made: Timestamp(moment.parse().ok()?),
            told_apart: u32::from_str_radix(told_apart, 16).ok()?,
        })
    }

    fn key(self) -> Vec<u8> {
        let mut key = self.made.0.to_be_bytes().to_vec();
        key.extend(self.told_apart.to_be_bytes());
        key
    }
}

/// Who made a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupKind {
    /// A request.
    User,
    /// The service, of a table that was deleted.
    System,
}

impl BackupKind {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            BackupKind::User => "USER",
            BackupKind::System => "SYSTEM",
        }
    }
}

/// A backup.
#[derive(Debug, Clone, PartialEq)]
pub struct Backup {
    /// What names it.
    pub id: BackupId,
    /// Its name, which others may have too.
    pub name: String,
    /// Who made it.
    pub kind: BackupKind,
    /// The table as it was.
    pub table: TableDefinition,
    /// What the table held.
    pub totals: Totals,
    /// The keyspace of the items.
    pub space: Space,
    /// When it goes by itself, if it does.
    pub expires_at: Option<Timestamp>,
}

impl Backup {
    /// The ARN, for a request to `region`.
    pub fn arn(&self, region: &str) -> String {
        backup_arn(region, &self.table.name, &self.id.text())
    }

    fn is_there(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

/// What a backup is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupState {
    /// It is being made.
    Creating,
    /// It is there.
    Available,
    /// A table is being restored from it.
    InUse,
}

/// What a backup is doing.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub fn state(snapshot: &dyn Snapshot, backup: &Backup) -> Result<BackupState, InternalError> {
    if history::is_copying(snapshot, backup.space)? {
        return Ok(BackupState::Creating);
    }
    // The items of a deleted table may still be held for what was begun while it was there.
    let restores = history::restores_from(snapshot, backup.space)?;
    Ok(if restores { BackupState::InUse } else { BackupState::Available })
}

/// The id of a new backup: of `made`, or of the first millisecond after it that has no other, for backups are listed
/// in the order in which they were made and `told_apart` is chance.
///
/// # Errors
/// When the store fails.
pub fn free_id(snapshot: &dyn Snapshot, made: Timestamp, told_apart: u32) -> Result<BackupId, StoreError> {
    let mut id = BackupId { made, told_apart };
    loop {
        let (first, last) =
            (BackupId { told_apart: 0, ..id }.key(), BackupId { told_apart: u32::MAX, ..id }.key());
        let bounds = Bounds::new(Bound::Included(first.as_slice()), Bound::Included(last.as_slice()));
        let mut is_taken = false;
        snapshot.range(BACKUPS, bounds, Direction::Forward, 1, &mut |_, _| {
            is_taken = true;
            Visit::Stop
        })?;
        if !is_taken {
            return Ok(id);
        }
        id.made = Timestamp(id.made.0 + 1);
    }
}

/// A backup of a table of this name.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub fn backup(
    snapshot: &dyn Snapshot,
    table: &str,
    id: BackupId,
    now: Timestamp,
) -> Result<Option<Backup>, InternalError> {
    let Some(record) = snapshot.get(BACKUPS, &id.key())? else { return Ok(None) };
    let backup = stored::decode(id, &record)?;
    Ok(Some(backup).filter(|backup| backup.table.name == table && backup.is_there(now)))
}

/// Which backups are listed.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Those of a table of this name.
    pub table: Option<String>,
    /// Those that this one made.
    pub kind: Option<BackupKind>,
    /// Those made at this moment or later.
    pub from: Option<Timestamp>,
    /// Those made before this moment.
    pub until: Option<Timestamp>,
    /// Those behind this one, which need not be there.
    pub after: Option<BackupId>,
}

/// At most `limit` backups, the oldest first, and whether there are more.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub fn list(
    snapshot: &dyn Snapshot,
    listing: &Listing,
    limit: usize,
    now: Timestamp,
) -> Result<(Vec<Backup>, bool), InternalError> {
    let first = |made| BackupId { made, told_apart: 0 }.key();
    let (from, after) = (listing.from.map(first), listing.after.map(BackupId::key));
    let lower = match (&from, &after) {
        (Some(from), Some(after)) if from > after => Bound::Included(from.as_slice()),
        (_, Some(after)) => Bound::Excluded(after.as_slice()),
        (Some(from), None) => Bound::Included(from.as_slice()),
        (None, None) => Bound::Unbounded,
    };
    let until = listing.until.map(first);
    let upper = until.as_ref().map_or(Bound::Unbounded, |until| Bound::Excluded(until.as_slice()));
    let fits = |backup: &Backup| {
        backup.is_there(now)
            && listing.table.as_ref().is_none_or(|table| backup.table.name == *table)
            && listing.kind.is_none_or(|kind| backup.kind == kind)
    };
    let (mut found, mut more, mut failed) = (Vec::new(), false, None);
    snapshot.range(BACKUPS, Bounds::new(lower, upper), Direction::Forward, limit, &mut |key, record| {
        match stored::id_of(key).and_then(|id| stored::decode(id, &record)) {
            Ok(backup) if !fits(&backup) => {}
            Ok(_) if found.len() == limit => more = true,
            Ok(backup) => found.push(backup),
            Err(error) => failed = Some(error),
        }
        if more || failed.is_some() { Visit::Stop } else { Visit::Continue }
    })?;
    failed.map_or(Ok((found, more)), Err)
}

/// Puts a backup's record, and sees to it that it goes when its time has come.
///
/// # Errors
/// When it can't be given the stored form.
pub fn put(batch: &mut Batch, backup: &Backup) -> Result<(), InternalError> {
    batch.put(BACKUPS, backup.id.key(), stored::encode(backup)?);
    if let Some(expires_at) = backup.expires_at {
        jobs::schedule_backup_expiry(batch, expires_at, &backup.id.key());
    }
    Ok(())
}

/// Takes a backup away, with its items.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub fn remove(snapshot: &dyn Snapshot, batch: &mut Batch, backup: &Backup) -> Result<(), InternalError> {
    batch.delete(BACKUPS, backup.id.key());
    history::discard(snapshot, batch, backup.space)
}

/// The backup that a table leaves which is deleted while it can be recovered. It keeps the table's items.
pub(crate) fn of_deleted(
    table: &TableDefinition,
    totals: Totals,
    id: BackupId,
    now: Timestamp,
) -> Option<Backup> {
    table.recovery.as_ref()?;
    Some(Backup {
        id,
        name: [&table.name, "$DeletedTableBackup"].concat(),
        kind: BackupKind::System,
        table: table.clone(),
        totals,
        space: table.space,
        expires_at: Some(Timestamp(now.0.saturating_add(SYSTEM_BACKUP_LIFE_MILLISECONDS))),
    })
}

/// Takes the backup away whose record lies at `key`, if its time has come. Returns how much of a step's budget
/// that took.
pub(crate) fn expire(
    engine: &Engine,
    job: Vec<u8>,
    key: Vec<u8>,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let expired = engine.store.transact(move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        let id = stored::id_of(&key)?;
        let is_due = snapshot.get(JOBS, &job)?.is_some();
        let record = snapshot.get(BACKUPS, &key)?.filter(|_| is_due);
        let backup = record.map(|record| stored::decode(id, &record)).transpose()?;
        if let Some(backup) = backup.filter(|backup| !backup.is_there(now)) {
            remove(snapshot, &mut batch, &backup)?;
        }
        batch.delete(JOBS, job.as_slice());
        Ok((batch, ()))
    })?;
    expired.map_err(corrupt)?;
    Ok(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_from_its_text() {
        let id = BackupId { made: Timestamp(1_489_602_797_149), told_apart: 0x73d8_d5bc };
        assert_eq!(id.text(), "01489602797149-73d8d5bc");
        assert_eq!(BackupId::parse("01489602797149-73d8d5bc"), Some(id));
        for other in [
            "",
            "-",
            "1489602797149-73d8d5bc",
            "01489602797149-73D8D5BC",
            "01489602797149-73d8d5b",
            "+1489602797149-73d8d5bc",
        ] {
            assert_eq!(BackupId::parse(other), None, "{other}");
        }
    }
}
