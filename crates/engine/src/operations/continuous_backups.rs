//! UpdateContinuousBackups and DescribeContinuousBackups: recovery to a point in time.
//!
//! A table can be recovered to every moment of which its journal tells. Enabling that adds a reader to the
//! journal; nothing is copied.

use keyplan_store::Batch;
use keyplan_value::json::{Node, Writer};

use super::parameters::{required, table_reference};
use super::{Answer, Failure};
use crate::call::Timestamp;
use crate::catalog::{self, Recovery, TableDefinition};
use crate::context::Context;
use crate::error::{BackupError, BackupFault, InternalError, ServiceError};
use crate::history::Reach;
use crate::journal;
use crate::limits::RECOVERY_DAYS_DEFAULT;
use crate::undo::WriteLabel;
use crate::validate::{boolean, integer};

/// Runs one DescribeContinuousBackups.
pub(super) fn describe_continuous_backups(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let table = ctx.table_to_keep(&table_reference(request)?)?;
    Ok(described(&table, ctx.now()))
}

/// Runs one UpdateContinuousBackups.
pub(super) fn update_continuous_backups(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    ctx.own(&reference)?;
    let specification = required(request, "PointInTimeRecoverySpecification")?;
    let enabled = boolean(specification, "PointInTimeRecoveryEnabled").unwrap_or_default();
    // The constraints of the shape hold it between 1 and the maximum.
    let days = integer(specification, "RecoveryPeriodInDays").and_then(|days| u64::try_from(days).ok());
    if days.is_some() && !enabled {
        return Err(BackupFault::PeriodDisabled.into());
    }
    let days = enabled.then_some(days.unwrap_or(RECOVERY_DAYS_DEFAULT));
    let journal = ctx.store().new_space()?;
    let (name, sent, now) = (reference.name().to_owned(), reference.sent().to_owned(), ctx.now());
    let label = WriteLabel { operation: ctx.operation().name, table: reference.name(), now };
    let written = ctx.undo().transact(ctx.store(), label, move |snapshot| -> Result<_, ServiceError> {
        let table = catalog::table_in(snapshot, &name)?.filter(TableDefinition::is_usable);
        let mut table = table.ok_or_else(|| BackupError::NoTable(sent.clone()))?;
        let recovery = days.map(|days| Recovery { since: since(&table, days, now), days });
        let mut batch = Batch::new();
        if table.recovery != recovery {
            table.recovery = recovery;
            if table.recovery.is_some() {
                journal::begin_reading(snapshot, &mut batch, &mut table, journal, now)?;
            }
            table.revision = table.next_revision()?;
            catalog::put(&mut batch, &table)?;
        }
        Ok((batch, table))
    });
    let written = written.map_err(InternalError::from).map_err(ServiceError::from).flatten();
    if written.is_err() {
        catalog::give_back(ctx.store(), reference.name(), [journal]);
    }
    let table = written?;
    // A table that has a journal needs no other, and one that isn't recovered needs none.
    catalog::give_back_unused(ctx.store(), Some(journal).filter(|_| table.journal != Some(journal)));
    ctx.catalog_changed();
    Ok(described(&table, now))
}

/// The moment from which on a table can be recovered, if it can be for so many days. What has been out of reach
/// doesn't come back within it: nothing was kept of it.
fn since(table: &TableDefinition, days: u64, now: Timestamp) -> Timestamp {
    match (&table.recovery, Reach::of(table, now)) {
        (Some(recovery), _) if recovery.days >= days => recovery.since,
        (_, Some(reach)) => reach.earliest,
        (_, None) => now,
    }
}

fn described(table: &TableDefinition, now: Timestamp) -> Answer {
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("ContinuousBackupsDescription").begin_object();
    json.name("ContinuousBackupsStatus").string("ENABLED");
    json.name("PointInTimeRecoveryDescription").begin_object();
    match (&table.recovery, Reach::of(table, now)) {
        (Some(recovery), Some(reach)) => {
            json.name("PointInTimeRecoveryStatus").string("ENABLED");
            json.name("RecoveryPeriodInDays").integer(recovery.days);
            let reach = reach.in_seconds();
            json.name("EarliestRestorableDateTime").float(reach.earliest.seconds());
            json.name("LatestRestorableDateTime").float(reach.latest.seconds());
        }
        _ => {
            json.name("PointInTimeRecoveryStatus").string("DISABLED");
        }
    }
    json.end_object().end_object().end_object();
    body.into()
}
