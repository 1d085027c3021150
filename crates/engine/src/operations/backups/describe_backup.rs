//! DescribeBackup.

use keyplan_store::StoreExt;
use keyplan_value::json::Node;

use super::Named;
use super::description::{Shown, described};
use crate::backups;
use crate::context::Context;
use crate::error::ServiceError;
use crate::operations::{Answer, Failure};

/// Runs one DescribeBackup.
pub(in crate::operations) fn describe_backup(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let named = Named::read(ctx, request)?;
    let (backup, state) = ctx.store().view(|snapshot| -> Result<_, ServiceError> {
        let backup = named.find(snapshot, ctx.now())?;
        let state = backups::state(snapshot, &backup)?;
        Ok((backup, state))
    })??;
    Ok(described(ctx, &backup, Shown::State(state)))
}
