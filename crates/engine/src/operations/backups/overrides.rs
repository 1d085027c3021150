//! The table that a request restores: that of the source, with what the request says otherwise.

use std::collections::HashSet;

use keyplan_store::{Space, StoreError};
use keyplan_value::json::Node;

use crate::catalog::{
    BillingMode, IndexDefinition, IndexScope, RestoreSource, TableDefinition, Throughput, ThroughputChanges,
    ThroughputSettings, VectorIndexDefinition, random_uuid,
};
use crate::context::Context;
use crate::error::{BackupFault, DefinitionError, IndexError, ServiceError, VectorIndexError};
use crate::operations::table_parameters::indexes::{global_index, name_of};
use crate::operations::table_parameters::settings::encryption_key;
use crate::operations::table_parameters::throughput::{AskedThroughput, within_account};
use crate::operations::table_parameters::vector_indexes::DefinedVectorIndex;
use crate::validate::{present, string};

/// Checks what a request says of billing, without looking at the source.
///
/// # Errors
/// Units that don't go with the billing mode.
pub(super) fn check_billing(request: Node<'_, '_>) -> Result<(), BackupFault> {
    let units = present(request, "ProvisionedThroughputOverride").is_some();
    match billing_mode(request) {
        Some(BillingMode::PayPerRequest) if units => Err(BackupFault::UnitsOnDemand),
        Some(BillingMode::Provisioned) if !units => Err(BackupFault::UnitsMissing),
        _ => Ok(()),
    }
}

fn billing_mode(request: Node<'_, '_>) -> Option<BillingMode> {
    string(request, "BillingModeOverride").and_then(|word| BillingMode::from_word(&word))
}

/// The table to be made. It has no keyspaces yet, but those of its source in their places.
///
/// # Errors
/// What can't be asked of it.
pub(super) fn restored(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    source: &TableDefinition,
    source_region: Option<&str>,
    from: RestoreSource,
) -> Result<TableDefinition, ServiceError> {
    let billing_mode = billing_mode(request).unwrap_or(source.billing_mode);
    let encryption = present(request, "SSESpecificationOverride");
    if source_region.unwrap_or(ctx.region()) != ctx.region() && encryption.is_none() {
        return Err(BackupFault::EncryptionElsewhere.into());
    }
    let asked = AskedThroughput::overriding(request)?;
    if asked.units.is_some() && billing_mode == BillingMode::PayPerRequest {
        return Err(BackupFault::UnitsOnDemand.into());
    }
    let throughput = settings(&asked, source.throughput, source.throughput.provisioned, billing_mode, None)?;
    let mut indexes = Vec::new();
    for scope in [IndexScope::Local, IndexScope::Global] {
        indexes.extend(of_scope(request, source, scope, throughput.provisioned, billing_mode)?);
    }
    let vector_indexes = vector_indexes(request, source, billing_mode)?;
    let units = indexes.iter().map(|index| index.throughput.provisioned);
    within_account(units.chain([throughput.provisioned]), ctx.region())?;
    let encryption_key = match encryption {
        Some(asked) => encryption_key(ctx, asked).map_err(DefinitionError::from)?,
        None => source.encryption_key.clone(),
    };
    let now = ctx.now();
    let mut table = TableDefinition {
        importing: false,
        name: string(request, "TargetTableName").unwrap_or_default().into_owned(),
        id: random_uuid(ctx.random()),
        revision: 1,
        space: source.space,
        collections: source.collections,
        key_schema: source.key_schema.clone(),
        attribute_definitions: source.attribute_definitions.clone(),
        indexes,
        vector_indexes,
        billing_mode,
        on_demand_since: (billing_mode == BillingMode::PayPerRequest).then_some(now),
        throughput,
        table_class: None,
        class_changed_at: None,
        deletion_protection: false,
        encryption_key,
        tags: Vec::new(),
        journal: None,
        copies: Vec::new(),
        recovery: None,
        restored_from: Some(from),
        stream: None,
        time_to_live: None,
        destinations: Vec::new(),
        region: None,
        global: None,
        membership: None,
        is_filling: false,
        settings_replication: None,
        disassociation_protection: None,
        created_at: now,
    };
    table.drop_unused_definitions();
    Ok(table)
}

/// Gives a table that is made keyspaces of its own.
///
/// # Errors
/// When the store fails.
pub(super) fn place(
    table: &mut TableDefinition,
    mut draw: impl FnMut() -> Result<Space, StoreError>,
) -> Result<(), StoreError> {
    table.space = draw()?;
    let has_local = table.indexes_of(IndexScope::Local).next().is_some();
    table.collections = if has_local { Some(draw()?) } else { None };
    for index in &mut table.indexes {
        index.space = draw()?;
    }
    for index in &mut table.vector_indexes {
        index.space = draw()?;
    }
    Ok(())
}

/// The throughput of the table or an index: that of the source with what is asked, or `units` where the source
/// has none to give.
fn settings(
    asked: &AskedThroughput,
    source: ThroughputSettings,
    units: Throughput,
    billing_mode: BillingMode,
    index: Option<&str>,
) -> Result<ThroughputSettings, ServiceError> {
    let is_provisioned = billing_mode == BillingMode::Provisioned;
    let of_source = Some(source.provisioned).filter(|units| *units != Throughput::default());
    let units = asked.units.or(of_source).unwrap_or(units);
    let asked = AskedThroughput { units: is_provisioned.then_some(units), ..*asked };
    let settings = asked.initial_settings(billing_mode, index)?;
    let mut maxima = settings.on_demand_maxima;
    if !is_provisioned {
        maxima = asked.maxima_over(source.on_demand_maxima, index)?;
    }
    Ok(ThroughputSettings { on_demand_maxima: maxima, changes: ThroughputChanges::default(), ..settings })
}

/// The indexes of one kind: those of the source, or those of them that the request lists.
fn of_scope(
    request: Node<'_, '_>,
    source: &TableDefinition,
    scope: IndexScope,
    units: Throughput,
    billing_mode: BillingMode,
) -> Result<Vec<IndexDefinition>, ServiceError> {
    let restored = |index: &IndexDefinition, asked: &AskedThroughput| -> Result<_, ServiceError> {
        let throughput = match scope {
            IndexScope::Local => index.throughput,
            IndexScope::Global => settings(asked, index.throughput, units, billing_mode, Some(&index.name))?,
        };
        Ok(IndexDefinition { throughput, added: false, ..index.clone() })
    };
    let member = match scope {
        IndexScope::Global => "GlobalSecondaryIndexOverride",
        IndexScope::Local => "LocalSecondaryIndexOverride",
    };
    let Some(list) = present(request, member) else {
        let nothing = AskedThroughput::default();
        return source.indexes_of(scope).map(|index| restored(index, &nothing)).collect();
    };
    let (mut indexes, mut names) = (Vec::new(), HashSet::new());
    for asked in list.elements() {
        let name = name_of(asked);
        let defined = global_index(asked, &source.attribute_definitions).ok();
        let same = source.indexes_of(scope).find(|index| {
            defined.as_ref().is_some_and(|defined| {
                defined.name == index.name
                    && defined.key_schema == index.key_schema
                    && defined.projection == index.projection
            })
        });
        let same = same.ok_or_else(|| BackupFault::Index(name.clone()))?;
        if !names.insert(name.clone()) {
            return Err(IndexError::Twice(name).into());
        }
        let throughput = match scope {
            IndexScope::Global => AskedThroughput::read(asked, Some(&name))?,
            IndexScope::Local => AskedThroughput::default(),
        };
        if throughput.units.is_some() && billing_mode == BillingMode::PayPerRequest {
            return Err(IndexError::ThroughputOnDemand(name).into());
        }
        indexes.push(restored(same, &throughput)?);
    }
    Ok(indexes)
}

/// The vector indexes: those of the source, or those of them that the request lists.
fn vector_indexes(
    request: Node<'_, '_>,
    source: &TableDefinition,
    billing_mode: BillingMode,
) -> Result<Vec<VectorIndexDefinition>, ServiceError> {
    let mut indexes: Vec<VectorIndexDefinition> = Vec::new();
    match present(request, "VectorIndexOverride") {
        None => indexes.clone_from(&source.vector_indexes),
        Some(list) => {
            for asked in list.elements() {
                let name = name_of(asked);
                let defined = DefinedVectorIndex::read(asked, &source.attribute_definitions).ok();
                let same = source.vector_index(&name).filter(|index| {
                    defined.is_some_and(|defined| defined.in_space(index.space, index.added) == **index)
                });
                let same = same.ok_or_else(|| BackupFault::Index(name.clone()))?;
                if indexes.iter().any(|index| index.name == name) {
                    return Err(IndexError::Twice(name).into());
                }
                indexes.push(same.clone());
            }
        }
    }
    if billing_mode == BillingMode::Provisioned && !indexes.is_empty() {
        return Err(DefinitionError::from(VectorIndexError::Provisioned).into());
    }
    for index in &mut indexes {
        // Each item that comes brings its entries.
        index.added = false;
    }
    Ok(indexes)
}
