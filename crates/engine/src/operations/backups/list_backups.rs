//! ListBackups: backups of a table or of all, page by page.

use keyplan_store::StoreExt;
use keyplan_value::json::{Node, Writer};

use super::Named;
use super::description::write_identity;
use crate::arn::{BackupReference, table_arn};
use crate::backups::{self, BackupKind, Listing};
use crate::catalog::uuid_text;
use crate::context::Context;
use crate::error::{BackupFault, InternalError};
use crate::limits::LIST_BACKUPS_MAX;
use crate::operations::parameters::table_reference;
use crate::operations::{Answer, Failure};
use crate::validate::{integer, present, string, timestamp};

/// Runs one ListBackups; the backups of tables that are gone are listed as well.
pub(in crate::operations) fn list_backups(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let table = present(request, "TableName").map(|_| table_reference(request)).transpose()?;
    if let Some(table) = &table {
        ctx.own(table)?;
    }
    let (from, until) =
        (timestamp(request, "TimeRangeLowerBound"), timestamp(request, "TimeRangeUpperBound"));
    if from.zip(until).is_some_and(|(from, until)| from > until) {
        return Err(BackupFault::Range.into());
    }
    let after = string(request, "ExclusiveStartBackupArn");
    if let Some(reference) = after.clone().and_then(BackupReference::parse)
        && reference.region() != Some(ctx.region())
    {
        return Err(BackupFault::StartRegion.into());
    }
    let after = after.map(|sent| Named::parse(ctx, sent)).transpose()?;
    // The constraints of the shape hold it between 1 and the maximum.
    let limit = integer(request, "Limit").and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(LIST_BACKUPS_MAX);
    let kind = string(request, "BackupType");
    let listing = Listing {
        table: table.map(|table| table.name().to_owned()),
        kind: match kind.as_deref() {
            Some("SYSTEM") => Some(BackupKind::System),
            Some("ALL") => None,
            _ => Some(BackupKind::User),
        },
        from,
        until,
        after: after.map(|after| after.id),
    };
    // There is no service beside this one that makes backups.
    let is_of_others = kind.as_deref() == Some("AWS_BACKUP");
    let listed = ctx.store().view(|snapshot| -> Result<_, InternalError> {
        if is_of_others {
            return Ok((Vec::new(), false));
        }
        let (found, more) = backups::list(snapshot, &listing, limit, ctx.now())?;
        let with_state = found.into_iter().map(|backup| Ok((backups::state(snapshot, &backup)?, backup)));
        Ok((with_state.collect::<Result<Vec<_>, InternalError>>()?, more))
    });
    let (found, more) = listed??;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("BackupSummaries").begin_array();
    for (state, backup) in &found {
        json.begin_object();
        json.name("TableName").string(&backup.table.name);
        json.name("TableId").string(&uuid_text(backup.table.id));
        json.name("TableArn").string(&table_arn(ctx.region(), &backup.table.name));
        write_identity(backup, *state, ctx.region(), &mut json);
        json.end_object();
    }
    json.end_array();
    if let Some((_, last)) = found.last().filter(|_| more) {
        json.name("LastEvaluatedBackupArn").string(&last.arn(ctx.region()));
    }
    json.end_object();
    Ok(body.into())
}
