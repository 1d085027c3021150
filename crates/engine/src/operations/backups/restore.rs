//! RestoreTableFromBackup and RestoreTableToPointInTime: a new table, which a job fills. It can be used when that
//! is done; until then it is being created.

use std::sync::Arc;

use keyplan_store::{Batch, Snapshot, StoreExt};
use keyplan_value::json::Node;

use super::Named;
use super::overrides::{check_billing, place, restored};
use crate::arn::{BackupReference, TableReference};
use crate::backups::{self, Backup, BackupState};
use crate::call::Timestamp;
use crate::catalog::{
    self, IndexScope, IndexStatus, RestoreSource, TableDefinition, TableStatus, Totals, is_current,
};
use crate::context::Context;
use crate::error::{BackupError, BackupFault, InternalError, LimitExceeded, ServiceError, ValidationError};
use crate::history::{self, Reach, Start, Target};
use crate::limits::RESTORES_AT_ONCE_MAX;
use crate::operations::table_description::{Changing, Description, IndexState, described};
use crate::operations::{Answer, Failure, lifecycle};
use crate::undo::WriteLabel;
use crate::validate::{boolean, present, string, timestamp};
use crate::weather::Move;

/// Runs one RestoreTableFromBackup.
pub(in crate::operations) fn restore_table_from_backup(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let named = Named::read(ctx, request)?;
    check_billing(request)?;
    let backup = ctx.store().view(|snapshot| free_backup(snapshot, &named, ctx.now()))??;
    let from = RestoreSource {
        table: backup.table.name.clone(),
        backup: Some(backup.id.text()),
        moment: backup.id.made,
    };
    let sent = string(request, "BackupArn").unwrap_or_default();
    let region = BackupReference::parse(sent);
    let region = region.as_ref().and_then(BackupReference::region);
    let table = restored(ctx, request, &backup.table, region, from)?;
    let now = ctx.now();
    let begun = begin(ctx, table, move |snapshot, batch, table| {
        // It may have been deleted since, or another table is being restored from it.
        let backup = free_backup(snapshot, &named, now).map_err(Refusal::Refused)?;
        let target = Target::Table(table.name.clone());
        history::begin_again(batch, &backup.table, backup.space, table.space, target)?;
        Ok(())
    })?;
    match begun {
        Some(table) => Ok(answer(ctx, &table)),
        None => Err(InternalError::Malformed("a backup's description").into()),
    }
}

/// The backup, if a table can be restored from it.
fn free_backup(snapshot: &dyn Snapshot, named: &Named, now: Timestamp) -> Result<Backup, ServiceError> {
    let backup = named.find(snapshot, now)?;
    match backups::state(snapshot, &backup)? {
        BackupState::Available => Ok(backup),
        BackupState::Creating => Err(BackupError::Creating(named.arn.clone()).into()),
        BackupState::InUse => Err(BackupError::Restoring(named.arn.clone()).into()),
    }
}

/// Runs one RestoreTableToPointInTime.
pub(in crate::operations) fn restore_table_to_point_in_time(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let (name, arn) = (string(request, "SourceTableName"), string(request, "SourceTableArn"));
    let sent = match (name, arn) {
        (Some(sent), None) | (None, Some(sent)) => sent,
        _ => return Err(BackupFault::OneSource.into()),
    };
    let latest = boolean(request, "UseLatestRestorableTime").unwrap_or_default();
    let asked = timestamp(request, "RestoreDateTime");
    if latest == present(request, "RestoreDateTime").is_some() {
        return Err(BackupFault::OneMoment.into());
    }
    check_billing(request)?;
    let reference = TableReference::parse(sent).map_err(ValidationError::Arn).map_err(ServiceError::from)?;
    loop {
        let source = ctx.table_to_keep(&reference)?;
        let moment = moment(&source, asked, ctx.now())?;
        let from = RestoreSource { table: source.name.clone(), backup: None, moment };
        let table = restored(ctx, request, &source, reference.region(), from)?;
        let journal = ctx.store().new_space()?;
        let (expected, now) = (Arc::clone(&source), ctx.now());
        let begun = begin(ctx, table, move |snapshot, batch, table| {
            if !is_current(snapshot, &expected)? {
                return Err(Refusal::SourceChanged);
            }
            let target = Target::Table(table.name.clone());
            let start = Start { as_of: Some(moment), into: table.space, target, journal };
            history::begin(snapshot, batch, &mut (*expected).clone(), start, now)?;
            Ok(())
        });
        // A table that can be recovered has a journal.
        catalog::give_back_unused(ctx.store(), [journal]);
        match begun? {
            Some(table) => return Ok(answer(ctx, &table)),
            // Every turn means that another request replaced the table, so this ends when they do.
            None => ctx.catalog().changed(),
        }
    }
}

/// The moment to restore a table to: the one asked for, or the latest.
fn moment(
    source: &TableDefinition,
    asked: Option<Timestamp>,
    now: Timestamp,
) -> Result<Timestamp, BackupError> {
    let reach = Reach::of(source, now).ok_or_else(|| BackupError::NotRecoverable(source.name.clone()))?;
    let told = reach.in_seconds();
    match asked {
        None => Ok(told.latest),
        Some(asked) if (told.earliest..=reach.latest).contains(&asked) => Ok(asked),
        Some(_) => Err(BackupError::Moment { earliest: told.earliest, latest: told.latest }),
    }
}

/// Why a table isn't restored.
enum Refusal {
    SourceChanged,
    Refused(ServiceError),
    Internal(InternalError),
}

impl<E: Into<InternalError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Internal(error.into())
    }
}

/// Puts a table into the catalog and begins to fill it; nothing where its source has changed.
fn begin(
    ctx: &Context<'_>,
    mut table: TableDefinition,
    fill: impl Fn(&dyn Snapshot, &mut Batch, &TableDefinition) -> Result<(), Refusal> + Send + 'static,
) -> Result<Option<TableDefinition>, ServiceError> {
    let name = table.name.clone();
    if lifecycle::leaving(ctx, &name).is_some() {
        return Err(BackupError::TableExists(name).into());
    }
    let mut drawn = Vec::new();
    let placed = place(&mut table, || {
        let space = ctx.store().new_space()?;
        drawn.push(space);
        Ok(space)
    });
    let label = WriteLabel { operation: ctx.operation().name, table: &name, now: ctx.now() };
    let written = placed.and_then(|()| {
        ctx.undo().transact(ctx.store(), label, move |snapshot| {
            if catalog::table_in(snapshot, &table.name)?.is_some() {
                return Err(Refusal::Refused(BackupError::TableExists(table.name.clone()).into()));
            }
            if history::restores(snapshot)?.len() >= RESTORES_AT_ONCE_MAX {
                return Err(Refusal::Refused(ServiceError::LimitExceeded(LimitExceeded::Restores)));
            }
            let mut batch = Batch::new();
            fill(snapshot, &mut batch, &table)?;
            catalog::put(&mut batch, &table)?;
            Ok((batch, table.clone()))
        })
    });
    if !matches!(written, Ok(Ok(_))) {
        catalog::give_back(ctx.store(), &name, drawn);
    }
    match written? {
        Ok(table) => {
            ctx.catalog_changed();
            let with_indexes =
                table.indexes_of(IndexScope::Global).next().is_some() || !table.vector_indexes.is_empty();
            ctx.begin(table.id, || Move::Made { with_indexes });
            Ok(Some(table))
        }
        Err(Refusal::SourceChanged) => Ok(None),
        Err(Refusal::Refused(error)) => Err(error),
        Err(Refusal::Internal(error)) => Err(error.into()),
    }
}

fn answer(ctx: &Context<'_>, table: &TableDefinition) -> Answer {
    let state = IndexState { status: IndexStatus::Creating { backfilling: None }, totals: Totals::default() };
    let description = Description {
        table,
        status: TableStatus::Creating,
        totals: Totals::default(),
        indexes: vec![state; table.indexes.len()],
        changing: Changing::default(),
        region: ctx.region(),
        now: ctx.now(),
        vector_indexes: vec![state; table.vector_indexes.len()],
        group: None,
    };
    described("TableDescription", &description)
}
