//! The past of a table: its items as they were at a time, and what changed in a window of time.
//!
//! A table's journal says how each item was before and after each change. So the items at a time are those of
//! now with what came since taken back; nothing else of the past is kept. That takes as long as there are items
//! and changes, so it is work for a [job](crate::jobs), a *copy*, that goes on in slices while the table is
//! written:
//!
//! 1. It walks over the table's items, as each slice finds them, and copies them to another keyspace. What is
//!    written meanwhile is in the journal, which the table keeps for as long.
//! 2. It walks over the journal backwards, from where the first part ended to the time that was asked for, and
//!    puts into the copy what each record says was before. Where an item has several, the earliest comes last.
//!
//! The first part leaves each item as it was at some moment after the time, and the second takes back every
//! change of it since, so the copy is the table at the time, whatever was written when. A copy of something that
//! isn't written any more (a backup, a table that is deleted meanwhile) has no second part.
//!
//! A [`Start`] names what is copied and where to: [`Target::Keyspace`], an item under its place in the table, as
//! tables have them; or [`Target::Table`], a table that isn't in use yet, whose indexes and counts are kept on
//! the way by the one write path. What is copied is held until then: it can be deleted, and trimmed, meanwhile.
//! [`is_copying`] says whether the work goes on, [`discard`] ends it and gives the keyspace up.
//!
//! [`begin_changes`] is the same for what changed in a window: for each item one [`Record`](crate::journal::Record), from how it was at the
//! window's beginning to how it was at its end. [`items`] and [`changes`] read what was copied, in pages.
//!
//! Whoever begins a copy draws the keyspace for it before the transaction, and one more for a journal, should
//! the table have none; what is not used in the end is given back.

mod advance;
mod copy;
mod read;

use keyplan_store::{Batch, Snapshot, Space};

pub(crate) use advance::advance;
pub(crate) use copy::Copy;
pub use copy::Target;
pub use read::{Page, changes, items};

use self::copy::{Journal, Source, Stage};
use crate::call::Timestamp;
use crate::catalog::{self, TableDefinition};
use crate::error::InternalError;
use crate::jobs;
use crate::journal::{self, CommitTime};
use crate::limits::{DAY_MILLISECONDS, RESTORABLE_AFTER_MILLISECONDS};

/// The times to which a table can be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The first: as far back as its journal is kept.
    pub earliest: Timestamp,
    /// The last that the service lets restore to; the journal goes on to the present.
    pub latest: Timestamp,
}

impl Reach {
    /// Those of a table; nothing where recovery is not enabled.
    pub fn of(table: &TableDefinition, now: Timestamp) -> Option<Reach> {
        let recovery = table.recovery.as_ref()?;
        let kept = Timestamp(now.0.saturating_sub(recovery.days.saturating_mul(DAY_MILLISECONDS)));
        let delayed = Timestamp(now.0.saturating_sub(RESTORABLE_AFTER_MILLISECONDS));
        Some(Reach { earliest: recovery.since.max(kept), latest: recovery.since.max(delayed) })
    }

    /// The same in whole seconds, as the service tells it.
    #[must_use]
    pub fn in_seconds(self) -> Reach {
        let whole = |moment: Timestamp| Timestamp(moment.0 / 1_000 * 1_000);
        Reach { earliest: whole(self.earliest), latest: whole(self.latest) }
    }
}

/// The first commit time after all commits that a moment of the clock has seen.
pub(crate) fn after(moment: Timestamp) -> CommitTime {
    CommitTime::of(Timestamp(moment.0.saturating_add(1)))
}

/// What a copy is begun with.
#[derive(Debug)]
pub struct Start {
    /// The time of which the items are, one in the table's [`Reach`] or after; without one, the present.
    pub as_of: Option<Timestamp>,
    /// The keyspace that is the copy's own: that of the items of a table, or the one they are put into.
    pub into: Space,
    /// What it belongs to.
    pub target: Target,
    /// A keyspace for the table's journal, should it have none.
    pub journal: Space,
}

/// Begins to copy a table's items. It changes the table's definition, and puts it.
///
/// # Errors
/// When the store fails.
pub fn begin(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    table: &mut TableDefinition,
    start: Start,
    now: Timestamp,
) -> Result<(), InternalError> {
    let Start { as_of, into, target, journal } = start;
    let next = journal::begin_reading(snapshot, batch, table, journal, now)?;
    let space = table.journal.unwrap_or(journal);
    let from = match as_of {
        Some(moment) => journal::first_since(snapshot, space, after(moment), next)?,
        None => next,
    };
    table.copies.push(into);
    table.revision = table.next_revision()?;
    catalog::put(batch, table)?;
    journal::hold(batch, table.space, into, 0);
    journal::hold(batch, space, into, from);
    Copy {
        into,
        target,
        source: Source::of(table, Some(Journal { space, from })),
        stage: Stage::Items { cursor: Vec::new() },
    }
    .put(batch)
}

/// Begins to copy what was copied before, and isn't written: the keyspace of a backup, made of a table that
/// was so defined.
///
/// # Errors
/// When the store fails.
pub fn begin_again(
    batch: &mut Batch,
    table: &TableDefinition,
    copied: Space,
    into: Space,
    target: Target,
) -> Result<(), InternalError> {
    journal::hold(batch, copied, into, 0);
    let source = Source { space: copied, ..Source::of(table, None) };
    Copy { into, target, source, stage: Stage::Items { cursor: Vec::new() } }.put(batch)
}

/// Begins to gather what changed in a table from one moment of its [`Reach`] to another that has passed: after
/// the commits that the first has seen, up to those that the second has.
///
/// # Errors
/// When the store fails.
pub fn begin_changes(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    table: &TableDefinition,
    (from, to): (Timestamp, Timestamp),
    into: Space,
) -> Result<(), InternalError> {
    // A table without a journal has recorded no change.
    let Some(space) = table.journal else { return Ok(()) };
    let next = journal::next_number(snapshot, space)?.unwrap_or(journal::FIRST_NUMBER);
    let from = journal::first_since(snapshot, space, after(from), next)?;
    let until = journal::first_since(snapshot, space, after(to), next)?;
    journal::hold(batch, space, into, from);
    let source = Source::of(table, Some(Journal { space, from }));
    Copy { into, target: Target::Keyspace, source, stage: Stage::Changes { next: from, until } }.put(batch)
}

/// Whether the work on a copy goes on.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub fn is_copying(snapshot: &dyn Snapshot, into: Space) -> Result<bool, InternalError> {
    Ok(Copy::of(snapshot, into)?.is_some())
}

/// Whether what lies in a keyspace is being copied into a table.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub fn restores_from(snapshot: &dyn Snapshot, copied: Space) -> Result<bool, InternalError> {
    Ok(restores(snapshot)?.iter().any(|copy| copy.source.space == copied))
}

/// The tables that are being copied into.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn restores(snapshot: &dyn Snapshot) -> Result<Vec<Copy>, InternalError> {
    let mut restores = Vec::new();
    for into in jobs::copies(snapshot)? {
        let copy = Copy::of(snapshot, into)?;
        restores.extend(copy.filter(|copy| matches!(copy.target, Target::Table(_))));
    }
    Ok(restores)
}

/// Drops a keyspace that was copied into, and ends the work on it.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub fn discard(snapshot: &dyn Snapshot, batch: &mut Batch, into: Space) -> Result<(), InternalError> {
    if let Some(copy) = Copy::of(snapshot, into)? {
        copy.end(snapshot, batch)?;
    }
    catalog::retire(batch, into);
    Ok(())
}
