//! DeleteTable.

use keyplan_store::Batch;
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Changing, Description, described};
use super::{Answer, Failure};
use crate::catalog::{self, TableDefinition, TableStatus, Totals, counters};
use crate::context::Context;
use crate::error::{InUse, InternalError, NotFound, ServiceError, ValidationError};
use crate::jobs::Backfill;
use crate::streams::{self, Replacement};
use crate::undo::WriteLabel;

/// DeleteTable: the table leaves the catalog at once, and jobs free its items and its indexes' entries.
pub(super) fn delete_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    context.own(&reference)?;
    let name = reference.name();
    let label = WriteLabel { operation: context.operation().name, table: name, now: context.now() };
    let (wanted, now) = (name.to_owned(), context.now());
    let deleted = context.undo().transact(context.store(), label, move |snapshot| {
        let Some(table) = catalog::table_in(snapshot, &wanted)? else { return Err(Refusal::Missing) };
        if table.deletion_protection {
            return Err(Refusal::Protected);
        }
        for index in table.indexes.iter().filter(|index| index.added) {
            if Backfill::of(snapshot, index.space)?.is_some() {
                return Err(Refusal::IndexesChange);
            }
        }
        let totals = counters::totals(snapshot, table.space)?;
        let mut batch = Batch::new();
        catalog::remove(&mut batch, &table);
        streams::follow(snapshot, &mut batch, Replacement::Asked, Some(&table), None, now)?;
        Ok((batch, (table, totals)))
    })?;
    let (table, totals): (TableDefinition, Totals) = deleted.map_err(|refusal| match refusal {
        Refusal::Missing => ServiceError::ResourceNotFound(NotFound::Table(name.to_owned())),
        Refusal::Protected => ValidationError::DeletionProtected.into(),
        Refusal::IndexesChange => ServiceError::ResourceInUse(InUse::IndexesChange),
        Refusal::Internal(error) => error.into(),
    })?;
    context.catalog_changed();
    let description = Description {
        table: &table,
        status: TableStatus::Deleting,
        totals,
        indexes: Vec::new(),
        changing: Changing::default(),
        region: context.region(),
        now: context.now(),
    };
    Ok(described("TableDescription", &description))
}

/// Why a table stays.
enum Refusal {
    Missing,
    Protected,
    IndexesChange,
    Internal(InternalError),
}

impl<E: Into<InternalError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Internal(error.into())
    }
}
