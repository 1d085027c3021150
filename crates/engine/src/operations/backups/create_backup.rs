//! CreateBackup: a backup of the table as it is at this moment, which a job makes.

use keyplan_store::{Batch, StoreExt};
use keyplan_value::json::{Node, Writer};

use super::description::write_details;
use crate::backups::{self, Backup, BackupKind, BackupState};
use crate::catalog::{self, TableDefinition, counters};
use crate::context::Context;
use crate::error::{BackupError, ServiceError};
use crate::history::{self, Start, Target};
use crate::operations::parameters::table_reference;
use crate::operations::{Answer, Failure};
use crate::validate::string;

/// Runs one CreateBackup.
pub(in crate::operations) fn create_backup(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    ctx.table_to_keep(&reference)?;
    let (space, journal) = (ctx.store().new_space()?, ctx.store().new_space()?);
    let name = string(request, "BackupName").unwrap_or_default().into_owned();
    let (wanted, sent) = (reference.name().to_owned(), reference.sent().to_owned());
    // The lower bits of chance are as good as any.
    let (now, told_apart) = (ctx.now(), ctx.random() as u32);
    let written = ctx.store().transact(move |snapshot| -> Result<_, ServiceError> {
        let table = catalog::table_in(snapshot, &wanted)?.filter(TableDefinition::is_usable);
        let mut table = table.ok_or_else(|| BackupError::NoTable(sent.clone()))?;
        let backup = Backup {
            id: backups::free_id(snapshot, now, told_apart)?,
            name: name.clone(),
            kind: BackupKind::User,
            table: table.clone(),
            totals: counters::totals(snapshot, table.space)?,
            space,
            expires_at: None,
        };
        let mut batch = Batch::new();
        backups::put(&mut batch, &backup)?;
        let start = Start { as_of: None, into: space, target: Target::Keyspace, journal };
        history::begin(snapshot, &mut batch, &mut table, start, now)?;
        Ok((batch, (backup, table.journal)))
    })?;
    if let Err(ServiceError::Backup(_)) = &written {
        catalog::give_back_unused(ctx.store(), [space, journal]);
    }
    let ((backup, used), _) = written?;
    // The table may have had a journal.
    catalog::give_back_unused(ctx.store(), Some(journal).filter(|_| used != Some(journal)));
    ctx.catalog_changed();
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("BackupDetails");
    write_details(&backup, BackupState::Creating, ctx.region(), &mut json);
    json.end_object();
    Ok(body.into())
}
