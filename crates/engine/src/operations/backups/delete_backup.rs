//! DeleteBackup.

use keyplan_store::{Batch, StoreExt};
use keyplan_value::json::Node;

use super::Named;
use super::description::{Shown, described};
use crate::backups::{self, BackupState};
use crate::context::Context;
use crate::error::{BackupError, BackupFault, ServiceError};
use crate::operations::{Answer, Failure};

/// Runs one DeleteBackup.
pub(in crate::operations) fn delete_backup(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let named = Named::read(ctx, request)?;
    let now = ctx.now();
    let (backup, _) = ctx.store().transact(move |snapshot| -> Result<_, ServiceError> {
        let backup = named.find(snapshot, now)?;
        let arn = || named.arn.clone();
        if let Some(expires_at) = backup.expires_at {
            return Err(BackupFault::System { arn: arn(), expires_at }.into());
        }
        match backups::state(snapshot, &backup)? {
            BackupState::Creating => return Err(BackupError::Creating(arn()).into()),
            BackupState::InUse => return Err(BackupError::Restoring(arn()).into()),
            BackupState::Available => {}
        }
        let mut batch = Batch::new();
        backups::remove(snapshot, &mut batch, &backup)?;
        Ok((batch, backup))
    })??;
    ctx.work_given();
    Ok(described(ctx, &backup, Shown::Deleted))
}
