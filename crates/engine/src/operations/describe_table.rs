//! DescribeTable.

use keyplan_store::StoreExt;
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Changing, Description, described, index_states};
use super::{Answer, Failure};
use crate::catalog::{TableStatus, counters};
use crate::context::Context;
use crate::error::InternalError;

/// DescribeTable.
pub(super) fn describe_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let table = context.named_table(&table_reference(request)?)?;
    let (totals, indexes) = context.store().view(|snapshot| -> Result<_, InternalError> {
        Ok((counters::totals(snapshot, table.space)?, index_states(snapshot, &table)?))
    })??;
    let description = Description {
        table: &table,
        status: TableStatus::Active,
        totals,
        indexes,
        changing: Changing::default(),
        region: context.region(),
        now: context.now(),
    };
    Ok(described("Table", &description))
}
