//! DescribeTable.

use keyplan_store::StoreExt;
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Changing, Description, described, group, index_states, vector_index_states};
use super::{Answer, Failure, lifecycle};
use crate::catalog::{IndexStatus, TableStatus, counters};
use crate::context::Context;
use crate::error::{InternalError, ServiceError};
use crate::weather::Leaving;

/// DescribeTable.
pub(super) fn describe_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    let table = match context.described_table(&reference) {
        Err(ServiceError::ResourceNotFound(missing)) => {
            let leaving = lifecycle::leaving(context, reference.name());
            let leaving = leaving.ok_or(ServiceError::ResourceNotFound(missing))?;
            return Ok(described("Table", &leaving_table(context, &leaving)));
        }
        table => table?,
    };
    let (totals, mut indexes, mut vector_indexes, group) =
        context.store().view(|snapshot| -> Result<_, InternalError> {
            let totals = counters::of_table(snapshot, &table)?;
            let indexes = index_states(snapshot, &table)?;
            Ok((totals, indexes, vector_index_states(snapshot, &table)?, group(snapshot, &table)?))
        })??;
    if !table.is_usable() {
        for index in indexes.iter_mut().chain(&mut vector_indexes) {
            index.status = IndexStatus::Creating { backfilling: None };
        }
    }
    let state = context.state_of(&table);
    let shown = lifecycle::shown(&table, &mut indexes, &mut vector_indexes, &state);
    let description = Description {
        table: &shown,
        status: if table.is_usable() { state.status() } else { TableStatus::Creating },
        totals,
        indexes,
        vector_indexes,
        changing: Changing::default(),
        region: context.region(),
        now: context.now(),
        group,
    };
    Ok(described("Table", &description))
}

/// A table that has been deleted, and is still told of.
fn leaving_table<'a>(context: &Context<'a>, leaving: &'a Leaving) -> Description<'a> {
    Description {
        table: &leaving.table,
        status: TableStatus::Deleting,
        totals: leaving.totals,
        indexes: Vec::new(),
        vector_indexes: Vec::new(),
        changing: Changing::default(),
        region: context.region(),
        now: context.now(),
        group: None,
    }
}
