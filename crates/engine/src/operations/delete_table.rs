//! DeleteTable.

use keyplan_store::Batch;
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Description, described};
use super::{Answer, Failure};
use crate::catalog::{self, TableDefinition, TableStatus, TableTotals, counters};
use crate::context::Context;
use crate::error::{InternalError, NotFound, ServiceError, ValidationError};
use crate::jobs;
use crate::undo::WriteLabel;

/// DeleteTable: the table leaves the catalog at once, and a job frees its items.
pub(super) fn delete_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    context.own(&reference)?;
    let name = reference.name();
    let label = WriteLabel { operation: context.operation().name, table: name, now: context.now() };
    let wanted = name.to_owned();
    let deleted = context.undo().transact(context.store(), label, move |snapshot| {
        let Some(table) = catalog::table_in(snapshot, &wanted)? else { return Err(Refusal::Missing) };
        if table.deletion_protection {
            return Err(Refusal::Protected);
        }
        let totals = counters::totals(snapshot, &table)?;
        let mut batch = Batch::new();
        catalog::remove(&mut batch, &table);
        jobs::schedule_freeing(&mut batch, table.space);
        Ok((batch, (table, totals)))
    })?;
    context.catalog_changed();
    let (table, totals): (TableDefinition, TableTotals) = deleted.map_err(|refusal| match refusal {
        Refusal::Missing => ServiceError::ResourceNotFound(NotFound::Table(name.to_owned())),
        Refusal::Protected => ValidationError::DeletionProtected.into(),
        Refusal::Internal(error) => error.into(),
    })?;
    let status = TableStatus::Deleting;
    let description = Description { table: &table, status, totals, region: context.region() };
    Ok(described("TableDescription", &description))
}

/// Why a table stays.
enum Refusal {
    Missing,
    Protected,
    Internal(InternalError),
}

impl<E: Into<InternalError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Internal(error.into())
    }
}
