//! The operations on backups, and those that restore tables.

mod create_backup;
mod delete_backup;
mod describe_backup;
mod description;
mod list_backups;
mod overrides;
mod restore;

use std::borrow::Cow;

use keyplan_store::Snapshot;
use keyplan_value::json::Node;

pub(super) use create_backup::create_backup;
pub(super) use delete_backup::delete_backup;
pub(super) use describe_backup::describe_backup;
pub(super) use list_backups::list_backups;
pub(super) use restore::{restore_table_from_backup, restore_table_to_point_in_time};

use crate::arn::BackupReference;
use crate::backups::{self, Backup, BackupId};
use crate::call::Timestamp;
use crate::context::Context;
use crate::error::{BackupError, BackupFault, ServiceError};
use crate::validate::string;

/// A backup as a request names it, checked as far as it can be without looking for it.
#[derive(Debug, Clone)]
struct Named {
    arn: String,
    table: String,
    id: BackupId,
}

impl Named {
    /// Reads the member `BackupArn`.
    ///
    /// # Errors
    /// When it names no backup that could be, or one of another account.
    fn read(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Named, ServiceError> {
        Named::parse(ctx, string(request, "BackupArn").unwrap_or_default())
    }

    fn parse(ctx: &Context<'_>, sent: Cow<'_, str>) -> Result<Named, ServiceError> {
        let reference = BackupReference::parse(sent).ok_or(BackupFault::Arn)?;
        ctx.own_account(reference.account(), reference.sent())?;
        let (table, id) = reference.parts().ok_or(BackupFault::Arn)?;
        let id = BackupId::parse(id).ok_or(BackupFault::Id)?;
        Ok(Named { arn: reference.sent().to_owned(), table: table.to_owned(), id })
    }

    /// The backup.
    ///
    /// # Errors
    /// When there is none, or the store fails.
    fn find(&self, snapshot: &dyn Snapshot, now: Timestamp) -> Result<Backup, ServiceError> {
        let found = backups::backup(snapshot, &self.table, self.id, now)?;
        found.ok_or_else(|| BackupError::NoBackup(self.arn.clone()).into())
    }
}
