//! DescribeTable.

use keyplan_store::StoreExt;
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Description, described};
use super::{Answer, Failure};
use crate::catalog::{TableStatus, counters};
use crate::context::Context;

/// DescribeTable.
pub(super) fn describe_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let table = context.named_table(&table_reference(request)?)?;
    let totals = context.store().view(|snapshot| counters::totals(snapshot, &table))??;
    let status = TableStatus::Active;
    let description = Description { table: &table, status, totals, region: context.region() };
    Ok(described("Table", &description))
}
