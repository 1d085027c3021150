//! CreateTable.
//!
//! The order of the checks is the service's: billing and throughput, key schema, indexes, definitions,
//! stream, encryption, tags, and only then whether the table is there already.

mod indexes;
mod key_schema;
mod projection;
mod settings;
mod tags;
mod throughput;
mod vector_indexes;

use keyplan_store::{Batch, Space};
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Description, described};
use super::{Answer, Failure};
use crate::catalog::{
    self, KeyAttribute, KeySchema, TableClass, TableDefinition, TableStatus, TableTotals, Throughput,
    random_uuid,
};
use crate::context::Context;
use crate::error::{DefinitionError, InUse, InternalError, NotBuilt, ServiceError};
use crate::undo::WriteLabel;
use crate::validate::{boolean, string};

/// CreateTable.
pub(super) fn create_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    context.own(&reference)?;
    let (units, defined) = definition(context, request, reference.name())?;
    throughput::within_account(units, context.region())?;
    let definition = defined(context.store().new_space()?);
    insert(context, &definition)?;
    let description = Description {
        table: &definition,
        status: TableStatus::Creating,
        totals: TableTotals::default(),
        region: context.region(),
    };
    Ok(described("TableDescription", &description))
}

/// The units that a request asks for, and its definition of the table once that has a keyspace: one is
/// drawn only when all of the request is right.
fn definition(
    context: &Context<'_>,
    request: Node<'_, '_>,
    name: &str,
) -> Result<(Throughput, impl FnOnce(Space) -> TableDefinition), DefinitionError> {
    let charged = throughput::throughput(request)?;
    let definitions = key_schema::definitions(request);
    let key = key_schema::table_key(request, &definitions)?;
    let indexes = indexes::indexes(request, charged.billing_mode, &definitions, &key)?;
    key_schema::all_used(&definitions, &key, &indexes)?;
    let settings = settings::settings(context, request)?;
    let on_demand_maxima = throughput::on_demand_maxima(request, charged.billing_mode)?;
    let warm_throughput = throughput::warm(request, charged)?;
    let tags = tags::tags(request)?;
    if !indexes.names.is_empty() {
        return Err(NotBuilt::Indexes(indexes.names).into());
    }
    let name = name.to_owned();
    let (id, created_at) = (random_uuid(context.random()), context.now());
    let table_class = string(request, "TableClass").and_then(|word| TableClass::from_word(&word));
    let deletion_protection = boolean(request, "DeletionProtectionEnabled").unwrap_or_default();
    let defined = move |space| TableDefinition {
        name,
        id,
        revision: 1,
        space,
        key_schema: key,
        attribute_definitions: definitions,
        billing_mode: charged.billing_mode,
        provisioned_throughput: charged.units,
        on_demand_maxima,
        warm_throughput,
        table_class,
        deletion_protection,
        encryption_key: settings.encryption_key,
        tags,
        created_at,
    };
    Ok((charged.units, defined))
}

/// Why a table isn't put into the catalog.
enum Refusal {
    Exists,
    Internal(InternalError),
}

impl<E: Into<InternalError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Internal(error.into())
    }
}

/// Puts the table into the catalog, if the name is free.
fn insert(context: &Context<'_>, definition: &TableDefinition) -> Result<(), ServiceError> {
    let name = definition.name.clone();
    let label =
        WriteLabel { operation: context.operation().name, table: &definition.name, now: context.now() };
    let table = definition.clone();
    let written = context.undo().transact(context.store(), label, move |snapshot| {
        if catalog::table_in(snapshot, &table.name)?.is_some() {
            return Err(Refusal::Exists);
        }
        let mut batch = Batch::new();
        catalog::put(&mut batch, &table)?;
        Ok((batch, ()))
    })?;
    context.catalog_changed();
    written.map_err(|refusal| {
        // The keyspace was drawn for nothing. It is empty; should dropping fail, nothing is lost but its
        // number, which is never used again anyway.
        let _ = context.store().drop_space(definition.space);
        match refusal {
            Refusal::Exists => ServiceError::ResourceInUse(InUse::TableExists(name)),
            Refusal::Internal(error) => error.into(),
        }
    })
}

/// The names of the attributes.
fn names<'a>(attributes: impl IntoIterator<Item = &'a KeyAttribute>) -> Vec<String> {
    attributes.into_iter().map(|attribute| attribute.name.clone()).collect()
}

/// The names of a table's key attributes.
fn key_names(key: &KeySchema) -> Vec<String> {
    names(key.attributes())
}
