//! DescribeTableReplicaAutoScaling and UpdateTableReplicaAutoScaling. Nothing here scales a table, and a table
//! with replicas is one on demand: so scaling is off everywhere, and turning it off is all that can be asked.

use keyplan_value::json::{Node, Writer};
use keyplan_value::order;

use crate::catalog::{GlobalTable, IndexScope, TableDefinition};
use crate::context::Context;
use crate::error::{NotFound, ReplicaError, ServiceError, ValidationError};
use crate::operations::parameters::table_reference;
use crate::operations::{Answer, Failure};
use crate::validate::{boolean, present, string};

/// Runs one DescribeTableReplicaAutoScaling.
pub(in crate::operations) fn describe_table_replica_auto_scaling(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let table = global_table(ctx, request)?;
    described(ctx, &table)
}

/// Runs one UpdateTableReplicaAutoScaling.
pub(in crate::operations) fn update_table_replica_auto_scaling(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let table = global_table(ctx, request)?;
    check(&table, request).map_err(|error| ServiceError::from(ValidationError::Replica(error)))?;
    described(ctx, &table)
}

/// The definition of the member that was there first.
fn global_table(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<std::sync::Arc<TableDefinition>, ServiceError> {
    let reference = table_reference(request)?;
    ctx.own(&reference)?;
    let table = ctx.catalog().table(ctx.store(), reference.name())?.filter(|table| table.global.is_some());
    let missing = || ServiceError::ResourceNotFound(NotFound::GlobalTable(reference.name().to_owned()));
    table.ok_or_else(missing)
}

const WRITES: &str = "GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate";
const READS: &str = "ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate";

fn check(table: &TableDefinition, request: Node<'_, '_>) -> Result<(), ReplicaError> {
    let name = || table.name.clone();
    let writes = present(request, "ProvisionedWriteCapacityAutoScalingUpdate");
    let indexes = present(request, "GlobalSecondaryIndexUpdates");
    let replicas = present(request, "ReplicaUpdates");
    if writes.is_none() && indexes.is_none() && replicas.is_none() {
        return Err(ReplicaError::ScalingOfNothing { table: name(), region: None });
    }
    let on_demand = |parameter| {
        let mut regions: Vec<String> =
            table.global.iter().flat_map(GlobalTable::regions).map(str::to_owned).collect();
        order::sort_by(&mut regions, Ord::cmp);
        ReplicaError::ScalingOnDemand { table: name(), regions, parameter }
    };
    let turns_off = |update: Node<'_, '_>| boolean(update, "AutoScalingDisabled") == Some(true);
    let mut seen: Vec<String> = Vec::new();
    for replica in replicas.into_iter().flat_map(|list| list.elements()) {
        let region = string(replica, "RegionName").unwrap_or_default().into_owned();
        if !table.global.as_ref().is_some_and(|global| global.has(&region)) {
            return Err(ReplicaError::NotMember(region));
        }
        if seen.contains(&region) {
            return Err(ReplicaError::ScalingTwice { table: name(), region });
        }
        let reads = present(replica, "ReplicaProvisionedReadCapacityAutoScalingUpdate");
        let of_indexes = present(replica, "ReplicaGlobalSecondaryIndexUpdates");
        if reads.is_none() && of_indexes.is_none() {
            return Err(ReplicaError::ScalingOfNothing { table: name(), region: Some(region) });
        }
        seen.push(region);
        if reads.is_some_and(|reads| !turns_off(reads)) {
            return Err(on_demand(READS));
        }
    }
    if writes.is_some_and(|writes| !turns_off(writes)) {
        return Err(on_demand(WRITES));
    }
    Ok(())
}

fn described(ctx: &Context<'_>, home: &TableDefinition) -> Result<Answer, Failure> {
    let mut regions: Vec<&str> = home.global.iter().flat_map(GlobalTable::regions).collect();
    order::sort_by(&mut regions, Ord::cmp);
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TableAutoScalingDescription").begin_object();
    json.name("TableName").string(&home.name).name("TableStatus").string("ACTIVE");
    json.name("Replicas").begin_array();
    for region in regions {
        let key =
            home.global.as_ref().map_or_else(|| home.name.as_str().into(), |g| g.key_in(&home.name, region));
        let is_filling = ctx.catalog().table(ctx.store(), &key)?.is_some_and(|replica| replica.is_filling);
        json.begin_object().name("RegionName").string(region);
        json.name("GlobalSecondaryIndexes").begin_array();
        for index in home.indexes_of(IndexScope::Global) {
            json.begin_object().name("IndexName").string(&index.name);
            json.name("IndexStatus").string("ACTIVE");
            write_off("ProvisionedReadCapacityAutoScalingSettings", &mut json);
            write_off("ProvisionedWriteCapacityAutoScalingSettings", &mut json);
            json.end_object();
        }
        json.end_array();
        write_off("ReplicaProvisionedReadCapacityAutoScalingSettings", &mut json);
        write_off("ReplicaProvisionedWriteCapacityAutoScalingSettings", &mut json);
        json.name("ReplicaStatus").string(if is_filling { "CREATING" } else { "ACTIVE" });
        json.end_object();
    }
    json.end_array().end_object().end_object();
    Ok(body.into())
}

fn write_off(name: &str, json: &mut Writer<'_>) {
    json.name(name).begin_object().name("AutoScalingDisabled").boolean(true);
    json.name("ScalingPolicies").begin_array().end_array().end_object();
}
