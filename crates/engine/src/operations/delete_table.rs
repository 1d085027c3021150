//! DeleteTable.

use keyplan_store::Batch;
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Changing, Description, described};
use super::{Answer, Failure, lifecycle, update_table};
use crate::backups;
use crate::catalog::{self, Membership, TableDefinition, TableStatus, Totals, counters};
use crate::context::Context;
use crate::error::{InUse, InternalError, NotFound, ReplicaError, ServiceError, ValidationError};
use crate::jobs::Backfill;
use crate::streams::{self, Replacement};
use crate::undo::WriteLabel;

/// DeleteTable: the table leaves the catalog at once, and jobs free its items and its indexes' entries. The items
/// of one that can be recovered become a backup.
pub(super) fn delete_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    context.own(&reference)?;
    let name = reference.name();
    lifecycle::check_delete(context, name)?;
    let key = context.table_key(name)?;
    if key != name {
        return update_table::delete_replica(context, &key);
    }
    let label = WriteLabel { operation: context.operation().name, table: name, now: context.now() };
    let (wanted, now) = (name.to_owned(), context.now());
    // The lower bits of chance are as good as any.
    let told_apart = context.random() as u32;
    let deleted = context.undo().transact(context.store(), label, move |snapshot| {
        let Some(table) = catalog::table_in(snapshot, &wanted)? else { return Err(Refusal::Missing) };
        if !table.is_usable() {
            return Err(Refusal::BeingCreated);
        }
        if table.deletion_protection {
            return Err(Refusal::Protected);
        }
        // The table that was there first goes when its replicas have.
        match table.membership {
            Some(Membership::Strong) => return Err(Refusal::Replica(ReplicaError::StrongDelete)),
            Some(Membership::Eventual { .. }) => return Err(Refusal::Replica(ReplicaError::IsSource)),
            None => {}
        }
        let indexes = table.indexes.iter().map(|index| (index.space, index.added));
        let vector_indexes = table.vector_indexes.iter().map(|index| (index.space, index.added));
        for (space, added) in indexes.chain(vector_indexes) {
            if added && Backfill::of(snapshot, space)?.is_some() {
                return Err(Refusal::IndexesChange);
            }
        }
        let totals = counters::of_table(snapshot, &table)?;
        let mut batch = Batch::new();
        let id = backups::free_id(snapshot, now, told_apart)?;
        match backups::of_deleted(&table, totals, id, now) {
            Some(backup) => {
                catalog::remove_keeping(&mut batch, &table, backup.space);
                backups::put(&mut batch, &backup)?;
            }
            None => catalog::remove(&mut batch, &table),
        }
        streams::follow(snapshot, &mut batch, Replacement::Asked, Some(&table), None, now)?;
        Ok((batch, (table, totals)))
    })?;
    let (table, totals): (TableDefinition, Totals) = deleted.map_err(|refusal| match refusal {
        Refusal::Missing => ServiceError::ResourceNotFound(NotFound::Table(name.to_owned())),
        Refusal::BeingCreated => ServiceError::ResourceInUse(InUse::TableIsBeingCreated(name.to_owned())),
        Refusal::Protected => ValidationError::DeletionProtected.into(),
        Refusal::Replica(error) => ValidationError::Replica(error).into(),
        Refusal::IndexesChange => ServiceError::ResourceInUse(InUse::IndexesChange),
        Refusal::Internal(error) => error.into(),
    })?;
    context.catalog_changed();
    if let Some(weather) = context.weather() {
        weather.left(&table, totals, now);
    }
    let description = Description {
        table: &table,
        status: TableStatus::Deleting,
        totals,
        indexes: Vec::new(),
        vector_indexes: Vec::new(),
        changing: Changing::default(),
        region: context.region(),
        now: context.now(),
        group: None,
    };
    Ok(described("TableDescription", &description))
}

/// Why a table stays.
enum Refusal {
    Missing,
    BeingCreated,
    Protected,
    Replica(ReplicaError),
    IndexesChange,
    Internal(InternalError),
}

impl<E: Into<InternalError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Internal(error.into())
    }
}
