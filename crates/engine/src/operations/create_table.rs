//! CreateTable.
//!
//! The order of the checks is the service's: billing and throughput, key schema, indexes, definitions,
//! stream, encryption, tags, and only then whether the table is there already.

use keyplan_store::{Batch, Space, StoreError};
use keyplan_value::json::Node;

use super::parameters::table_reference;
use super::table_description::{Changing, Description, IndexState, described};
use super::table_parameters::{indexes, key_schema, settings, throughput};
use super::{Answer, Failure, lifecycle, tags};
use crate::catalog::{
    self, BillingMode, IndexScope, IndexStatus, TableClass, TableDefinition, TableStatus, TableStream,
    Throughput, Totals, random_uuid,
};
use crate::context::Context;
use crate::error::{Busy, DefinitionError, InUse, InternalError, ServiceError, ValidationError};
use crate::policies::{self, Attached, Document, Kept};
use crate::streams::{self, Replacement};
use crate::undo::WriteLabel;
use crate::validate::{boolean, string};
use crate::weather::Move;

/// CreateTable.
pub(super) fn create_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    context.own(&reference)?;
    let (units, defined) = definition(context, request, reference.name())?;
    let policy = string(request, "ResourcePolicy");
    let policy = policy.map(|sent| Document::parse(&sent, Attached::Table)).transpose();
    let policy = policy.map_err(ValidationError::Policy)?;
    throughput::within_account(units, context.region())?;
    let mut drawn = Vec::new();
    let table = defined(&mut || {
        let space = context.store().new_space()?;
        drawn.push(space);
        Ok(space)
    });
    let inserted = table.map_err(ServiceError::from).and_then(|table| insert(context, table, policy));
    if inserted.is_err() {
        catalog::give_back(context.store(), reference.name(), drawn);
    }
    let table = inserted?;
    context.begin(table.id, || Move::Made {
        with_indexes: table.indexes_of(IndexScope::Global).next().is_some()
            || !table.vector_indexes.is_empty(),
    });
    let state = IndexState { status: IndexStatus::Creating { backfilling: None }, totals: Totals::default() };
    let description = Description {
        table: &table,
        status: TableStatus::Creating,
        totals: Totals::default(),
        indexes: vec![state; table.indexes.len()],
        vector_indexes: vec![state; table.vector_indexes.len()],
        changing: Changing::default(),
        region: context.region(),
        now: context.now(),
        group: None,
    };
    Ok(described("TableDescription", &description))
}

/// Gives a new keyspace.
pub(super) type Draw<'d> = dyn FnMut() -> Result<Space, StoreError> + 'd;

/// A table whose keyspaces are drawn.
pub(super) type Drawn = Result<TableDefinition, StoreError>;

/// The units that a request asks for, and its definition of the table once that has keyspaces: they are
/// drawn only when all of the request is right.
pub(super) fn definition(
    context: &Context<'_>,
    request: Node<'_, '_>,
    name: &str,
) -> Result<(Vec<Throughput>, impl FnOnce(&mut Draw<'_>) -> Drawn), DefinitionError> {
    let (billing_mode, asked) = throughput::of_new_table(request)?;
    let definitions = key_schema::definitions(request);
    let key = key_schema::table_key(request, &definitions)?;
    let indexes = indexes::indexes(request, billing_mode, &definitions, &key)?;
    key_schema::all_used(&definitions, &key, &indexes)?;
    let settings = settings::settings(context, request)?;
    let throughput = asked.initial_settings(billing_mode, None)?;
    let tags = tags::tags(request)?;
    let indexes::Indexes { defined: indexes, vector, .. } = indexes;
    let of_indexes = indexes.iter().map(|index| index.throughput.provisioned);
    let units = of_indexes.chain([throughput.provisioned]).collect();
    let name = name.to_owned();
    let (id, created_at) = (random_uuid(context.random()), context.now());
    let table_class = string(request, "TableClass").and_then(|word| TableClass::from_word(&word));
    let deletion_protection = boolean(request, "DeletionProtectionEnabled").unwrap_or_default();
    let defined = move |draw: &mut Draw<'_>| {
        let space = draw()?;
        let indexes = indexes.into_iter().map(|index| Ok(index.in_space(draw()?, false)));
        let indexes = indexes.collect::<Result<Vec<_>, StoreError>>()?;
        let vector_indexes = vector.into_iter().map(|index| Ok(index.in_space(draw()?, false)));
        let vector_indexes = vector_indexes.collect::<Result<Vec<_>, StoreError>>()?;
        let has_local = indexes.iter().any(|index| index.scope == IndexScope::Local);
        Ok(TableDefinition {
            name,
            id,
            revision: 1,
            space,
            collections: if has_local { Some(draw()?) } else { None },
            key_schema: key,
            attribute_definitions: definitions,
            indexes,
            vector_indexes,
            billing_mode,
            on_demand_since: (billing_mode == BillingMode::PayPerRequest).then_some(created_at),
            throughput,
            table_class,
            class_changed_at: None,
            deletion_protection,
            encryption_key: settings.encryption_key,
            tags,
            copies: Vec::new(),
            recovery: None,
            restored_from: None,
            importing: false,
            journal: if settings.stream.is_some() { Some(draw()?) } else { None },
            // Its label is found when the table is put into the catalog.
            stream: settings.stream.map(|view| TableStream { label: String::new(), view: Some(view) }),
            time_to_live: None,
            destinations: Vec::new(),
            region: None,
            global: None,
            membership: None,
            is_filling: false,
            settings_replication: None,
            disassociation_protection: None,
            created_at,
        })
    };
    Ok((units, defined))
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

/// Puts the table into the catalog, if the name is free, and gives it as it is there.
fn insert(
    context: &Context<'_>,
    definition: TableDefinition,
    policy: Option<Document>,
) -> Result<TableDefinition, ServiceError> {
    let (name, now) = (definition.name.clone(), context.now());
    if lifecycle::leaving(context, &name).is_some() {
        return Err(lifecycle::busy(context, &name, Busy::Deleted));
    }
    let label = WriteLabel { operation: context.operation().name, table: &name, now };
    let written = context.undo().transact(context.store(), label, move |snapshot| {
        if catalog::table_in(snapshot, &definition.name)?.is_some() {
            return Err(Refusal::Exists);
        }
        let (mut batch, mut table) = (Batch::new(), definition.clone());
        if let Some(stream) = &mut table.stream {
            stream.label = streams::free_label(snapshot, &table.name, now)?;
        }
        streams::follow(snapshot, &mut batch, Replacement::Asked, None, Some(&mut table), now)?;
        catalog::put(&mut batch, &table)?;
        if let Some(Document { text, .. }) = &policy {
            let kept = Kept { revision: now.0, text: Some(text.clone()) };
            policies::put(&mut batch, table.key().as_bytes(), &kept)?;
        }
        Ok((batch, table))
    })?;
    let table = written.map_err(|refusal| match refusal {
        Refusal::Exists => ServiceError::ResourceInUse(InUse::TableExists(name.clone())),
        Refusal::Internal(error) => error.into(),
    })?;
    context.catalog_changed();
    Ok(table)
}
