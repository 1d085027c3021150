//! TableDescription, as the table operations answer it.

use keyplan_store::{Snapshot, Space};
use keyplan_value::json::Writer;
use keyplan_value::order;

use super::Answer;
use super::table_parameters::throughput::{AskedPair, warm_units};
use crate::arn::{backup_arn, index_arn, stream_arn, table_arn};
use crate::call::Timestamp;
use crate::catalog::{
    self, IndexDefinition, IndexProjection, IndexScope, IndexStatus, KeySchema, Maxima, Membership,
    StreamView, TableDefinition, TableStatus, Throughput, ThroughputSettings, Totals, counters, uuid_text,
};
use crate::error::InternalError;
use crate::jobs::Backfill;
use crate::replication;

/// A table to describe.
pub(super) struct Description<'a> {
    pub(super) table: &'a TableDefinition,
    /// Which request describes it: CreateTable, UpdateTable, DescribeTable and DeleteTable show different
    /// members.
    pub(super) status: TableStatus,
    pub(super) totals: Totals,
    /// What the indexes are like, in the order of the table's.
    pub(super) indexes: Vec<IndexState>,
    /// The same of its vector indexes.
    pub(super) vector_indexes: Vec<IndexState>,
    /// Where a request changes something that takes the service time.
    pub(super) changing: Changing,
    pub(super) region: &'a str,
    pub(super) now: Timestamp,
    /// The other members of its global table, if it is in one.
    pub(super) group: Option<Group>,
}

/// The version of global tables that there is.
const GLOBAL_TABLE_VERSION: &str = "2019.11.21";

/// How settings are replicated in a global table.
const WITH_OVERRIDES: &str = "ENABLED_WITH_OVERRIDES";

/// What a table sees of the global table that it is in.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The other members and their regions, in the order in which they came.
    pub(super) others: Vec<(String, TableDefinition)>,
    pub(super) is_strong: bool,
    pub(super) witness: Option<String>,
}

/// What a table sees of the global table that it is in, if it is in one.
pub(super) fn group(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
) -> Result<Option<Group>, InternalError> {
    let Some(home) = replication::home(snapshot, table)? else { return Ok(None) };
    let Some(global) = &home.global else { return Ok(None) };
    let own = table.region.as_deref().unwrap_or(&global.home);
    let mut others = Vec::new();
    for region in global.regions().filter(|region| *region != own) {
        let other = catalog::table_in(snapshot, &global.key_in(&table.name, region))?;
        others.extend(other.map(|other| (region.to_owned(), other)));
    }
    let is_strong = table.membership == Some(Membership::Strong);
    Ok(Some(Group { others, is_strong, witness: global.witness.clone() }))
}

/// The bound on a member's reads, where it is another than that of the one which tells of it.
fn write_read_override(own: ThroughputSettings, other: ThroughputSettings, out: &mut Writer<'_>) {
    let (own, other) = (own.on_demand_maxima.read, other.on_demand_maxima.read);
    if let Some(bound) = other.filter(|_| other != own) {
        out.name("OnDemandThroughputOverride").begin_object();
        out.name("MaxReadRequestUnits").integer(bound).end_object();
    }
}

/// The class of a table, where a request said so, and when one last changed it.
fn write_class(name: &str, table: &TableDefinition, out: &mut Writer<'_>) {
    if let Some(class) = table.table_class {
        out.name(name).begin_object();
        out.name("TableClass").string(class.word());
        if let Some(at) = table.class_changed_at {
            out.name("LastUpdateDateTime").float(at.seconds());
        }
        out.end_object();
    }
}

/// What an index is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexState {
    /// Of a global secondary index.
    pub(super) status: IndexStatus,
    pub(super) totals: Totals,
}

/// Settings of a table that a request is changing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Changing {
    /// The key that encrypts it.
    pub(super) encryption: bool,
    /// The units that are ready at once.
    pub(super) warm: bool,
    /// The bounds of on-demand units; a bound that goes is told once more.
    pub(super) maxima: AskedPair,
}

/// The indexes of a table as a snapshot has them: all are ready but one that is being filled.
pub(super) fn index_states(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
) -> Result<Vec<IndexState>, InternalError> {
    table.indexes.iter().map(|index| index_state(snapshot, index.space, index.added)).collect()
}

/// The same of its vector indexes.
pub(super) fn vector_index_states(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
) -> Result<Vec<IndexState>, InternalError> {
    table.vector_indexes.iter().map(|index| index_state(snapshot, index.space, index.added)).collect()
}

fn index_state(snapshot: &dyn Snapshot, space: Space, added: bool) -> Result<IndexState, InternalError> {
    let filling = added && Backfill::of(snapshot, space)?.is_some();
    let status =
        if filling { IndexStatus::Creating { backfilling: Some(true) } } else { IndexStatus::Active };
    Ok(IndexState { status, totals: counters::totals(snapshot, space)? })
}

/// An answer whose one member describes a table.
pub(super) fn described(member: &str, description: &Description<'_>) -> Answer {
    let mut body = Vec::with_capacity(768);
    let mut out = Writer::new(&mut body);
    out.begin_object();
    out.name(member);
    description.write(&mut out);
    out.end_object();
    body.into()
}

impl Description<'_> {
    fn write(&self, out: &mut Writer<'_>) {
        let table = self.table;
        out.begin_object();
        if self.status != TableStatus::Deleting {
            let definitions = in_shown_order(self, &table.attribute_definitions, |one| one.name.as_str());
            out.name("AttributeDefinitions").begin_array();
            for definition in definitions {
                out.begin_object();
                out.name("AttributeName").string(&definition.name);
                out.name("AttributeType").string(definition.kind.code());
                out.end_object();
            }
            out.end_array();
            write_key_schema(&table.key_schema, out);
            out.name("CreationDateTime").float(table.created_at.seconds());
        }
        out.name("TableName").string(&table.name);
        out.name("TableStatus").string(self.status.word());
        out.name("TableArn").string(&table_arn(self.region, &table.name));
        out.name("TableId").string(&uuid_text(table.id));
        out.name("ItemCount").integer(self.totals.items);
        out.name("TableSizeBytes").integer(self.totals.bytes);
        out.name("DeletionProtectionEnabled").boolean(table.deletion_protection);
        write_provisioned(&table.throughput, self.now, out);
        self.write_billing(out);
        write_maxima(table.throughput.on_demand_maxima, self.changing.maxima, out);
        self.write_warm(&table.throughput, self.changing.warm, out);
        self.write_settings(out);
        self.write_group(out);
        if self.status != TableStatus::Deleting {
            for scope in IndexScope::ALL {
                self.write_indexes(scope, out);
            }
            self.write_vector_indexes(out);
        }
        out.end_object();
    }

    /// A table that never was one on demand has no summary.
    fn write_billing(&self, out: &mut Writer<'_>) {
        let Some(since) = self.table.on_demand_since else { return };
        out.name("BillingModeSummary").begin_object();
        out.name("BillingMode").string(self.table.billing_mode.word());
        // The answer of CreateTable has no date yet.
        if self.status != TableStatus::Creating {
            out.name("LastUpdateToPayPerRequestDateTime").float(since.seconds());
        }
        out.end_object();
    }

    fn write_warm(&self, throughput: &ThroughputSettings, changing: bool, out: &mut Writer<'_>) {
        let (warm, status) = match (self.status, throughput.warm) {
            (TableStatus::Creating, Some(asked)) => (asked, "UPDATING"),
            (TableStatus::Creating, None) | (TableStatus::Deleting, _) => return,
            _ if changing => (warm_units(self.table.billing_mode, throughput), "UPDATING"),
            _ => (warm_units(self.table.billing_mode, throughput), "ACTIVE"),
        };
        out.name("WarmThroughput").begin_object();
        out.name("ReadUnitsPerSecond").integer(warm.read);
        out.name("WriteUnitsPerSecond").integer(warm.write);
        out.name("Status").string(status);
        out.end_object();
    }

    fn write_settings(&self, out: &mut Writer<'_>) {
        let table = self.table;
        if let Some(from) = &table.restored_from {
            out.name("RestoreSummary").begin_object();
            if let Some(backup) = &from.backup {
                out.name("SourceBackupArn").string(&backup_arn(self.region, &from.table, backup));
            }
            out.name("SourceTableArn").string(&table_arn(self.region, &from.table));
            out.name("RestoreDateTime").float(from.moment.seconds());
            out.name("RestoreInProgress").boolean(true).end_object();
        }
        write_class("TableClassSummary", table, out);
        if let Some(stream) = &table.stream {
            if let Some(view) = stream.view {
                out.name("StreamSpecification");
                write_stream(view, out);
            }
            // These stay when the stream is disabled.
            out.name("LatestStreamLabel").string(&stream.label);
            out.name("LatestStreamArn").string(&stream_arn(self.region, &table.name, &stream.label));
        }
        if table.encryption_key.is_some() || self.changing.encryption {
            out.name("SSEDescription").begin_object();
            out.name("Status").string(if self.changing.encryption { "UPDATING" } else { "ENABLED" });
            if let Some(key) = &table.encryption_key {
                out.name("SSEType").string("KMS");
                out.name("KMSMasterKeyArn").string(key);
            }
            out.end_object();
        }
    }

    /// What a table is in a global table, or what is set of that.
    fn write_group(&self, out: &mut Writer<'_>) {
        const MODE: &str = "GlobalTableSettingsReplicationMode";
        if let Some(protected) = self.table.disassociation_protection {
            out.name("DisassociationProtectionEnabled").boolean(protected);
        }
        let Some(group) = &self.group else {
            if let Some(mode) = self.table.settings_replication {
                out.name(MODE).string(mode.word());
            }
            return;
        };
        out.name("GlobalTableVersion").string(GLOBAL_TABLE_VERSION);
        out.name(MODE).string(WITH_OVERRIDES);
        out.name("Replicas").begin_array();
        for (region, replica) in &group.others {
            out.begin_object().name("RegionName").string(region);
            out.name("ReplicaStatus").string(if replica.is_filling { "CREATING" } else { "ACTIVE" });
            if let Some(key) = &replica.encryption_key {
                out.name("KMSMasterKeyId").string(key);
            }
            write_read_override(self.table.throughput, replica.throughput, out);
            self.write_replica_indexes(replica, out);
            write_class("ReplicaTableClassSummary", replica, out);
            self.write_warm(&replica.throughput, false, out);
            out.name(MODE).string(WITH_OVERRIDES).end_object();
        }
        out.end_array();
        if group.is_strong {
            out.name("MultiRegionConsistency").string("STRONG");
        }
        if let Some(region) = &group.witness {
            out.name("GlobalTableWitnesses").begin_array().begin_object();
            out.name("RegionName").string(region).name("WitnessStatus").string("ACTIVE");
            out.end_object().end_array();
        }
    }

    fn write_replica_indexes(&self, replica: &TableDefinition, out: &mut Writer<'_>) {
        let mut indexes = replica.indexes_of(IndexScope::Global).peekable();
        if indexes.peek().is_none() {
            return;
        }
        out.name("GlobalSecondaryIndexes").begin_array();
        for index in indexes {
            out.begin_object().name("IndexName").string(&index.name);
            if let Some(own) = self.table.index(&index.name) {
                write_read_override(own.throughput, index.throughput, out);
            }
            self.write_warm(&index.throughput, false, out);
            out.end_object();
        }
        out.end_array();
    }

    fn write_indexes(&self, scope: IndexScope, out: &mut Writer<'_>) {
        let states = self.table.indexes.iter().zip(&self.indexes);
        let mut of_scope = states.filter(|(index, _)| index.scope == scope).peekable();
        if of_scope.peek().is_none() {
            return;
        }
        out.name(scope.member()).begin_array();
        for (index, state) in of_scope {
            self.write_index(index, state, out);
        }
        out.end_array();
    }

    fn write_index(&self, index: &IndexDefinition, state: &IndexState, out: &mut Writer<'_>) {
        out.begin_object();
        out.name("IndexName").string(&index.name);
        write_key_schema(&index.key_schema, out);
        self.write_projection(&index.projection, out);
        self.write_totals(&index.name, state, out);
        // A local index has no state and no units of its own.
        if index.scope == IndexScope::Global {
            write_status(state, out);
            write_provisioned(&index.throughput, self.now, out);
            write_maxima(index.throughput.on_demand_maxima, AskedPair::default(), out);
            self.write_warm(&index.throughput, false, out);
        }
        out.end_object();
    }

    fn write_projection(&self, projection: &IndexProjection, out: &mut Writer<'_>) {
        out.name("Projection").begin_object();
        out.name("ProjectionType").string(projection.word());
        if let IndexProjection::Include(names) = projection {
            out.name("NonKeyAttributes").begin_array();
            for name in in_shown_order(self, names, String::as_str) {
                out.string(name);
            }
            out.end_array();
        }
        out.end_object();
    }

    fn write_totals(&self, index: &str, state: &IndexState, out: &mut Writer<'_>) {
        out.name("IndexSizeBytes").integer(state.totals.bytes);
        out.name("ItemCount").integer(state.totals.items);
        out.name("IndexArn").string(&index_arn(self.region, &self.table.name, index));
    }

    fn write_vector_indexes(&self, out: &mut Writer<'_>) {
        if self.table.vector_indexes.is_empty() {
            return;
        }
        out.name("VectorIndexes").begin_array();
        for (index, state) in self.table.vector_indexes.iter().zip(&self.vector_indexes) {
            out.begin_object();
            out.name("IndexName").string(&index.name);
            if !index.search_schema.is_empty() {
                out.name("SearchSchema").begin_array();
                for element in &index.search_schema {
                    out.begin_object().name("AttributeName").string(&element.attribute.name);
                    out.name("SearchSchemaElementType").string(element.role.word()).end_object();
                }
                out.end_array();
            }
            self.write_projection(&index.projection, out);
            out.name("VectorAttribute").begin_object();
            out.name("AttributeName").string(&index.attribute).end_object();
            out.name("Dimensions").integer(index.dimensions);
            out.name("DistanceFunction").string(index.distance.word());
            write_status(state, out);
            self.write_totals(&index.name, state, out);
            out.end_object();
        }
        out.end_array();
    }
}

fn write_status(state: &IndexState, out: &mut Writer<'_>) {
    out.name("IndexStatus").string(state.status.word());
    if let IndexStatus::Creating { backfilling: Some(backfilling) } = state.status {
        out.name("Backfilling").boolean(backfilling);
    }
}

/// DescribeTable sorts what CreateTable answers as sent.
fn in_shown_order<'a, T>(
    description: &Description<'_>,
    list: &'a [T],
    name: impl Fn(&T) -> &str,
) -> Vec<&'a T> {
    let mut shown: Vec<&T> = list.iter().collect();
    if description.status != TableStatus::Creating {
        order::sort_by(&mut shown, |one, other| name(one).cmp(name(other)));
    }
    shown
}

/// Writes a projection with the attributes that it names, in the order that is shown.
pub(super) fn write_projection(projection: &IndexProjection, names: Vec<&String>, out: &mut Writer<'_>) {
    out.name("Projection").begin_object();
    out.name("ProjectionType").string(projection.word());
    if !names.is_empty() {
        out.name("NonKeyAttributes").begin_array();
        for name in names {
            out.string(name);
        }
        out.end_array();
    }
    out.end_object();
}

pub(super) fn write_key_schema(key: &KeySchema, out: &mut Writer<'_>) {
    out.name("KeySchema").begin_array();
    for (attributes, role) in [(&key.partition, "HASH"), (&key.sort, "RANGE")] {
        for attribute in attributes {
            out.begin_object();
            out.name("AttributeName").string(&attribute.name);
            out.name("KeyType").string(role);
            out.end_object();
        }
    }
    out.end_array();
}

/// Writes what an enabled stream shows.
pub(super) fn write_stream(view: StreamView, out: &mut Writer<'_>) {
    out.begin_object();
    out.name("StreamEnabled").boolean(true);
    out.name("StreamViewType").string(view.word()).end_object();
}

/// Writes units alone.
pub(super) fn write_units(units: Throughput, out: &mut Writer<'_>) {
    out.name("ProvisionedThroughput").begin_object();
    out.name("ReadCapacityUnits").integer(units.read);
    out.name("WriteCapacityUnits").integer(units.write);
    out.end_object();
}

fn write_provisioned(throughput: &ThroughputSettings, now: Timestamp, out: &mut Writer<'_>) {
    let ThroughputSettings { provisioned, changes, .. } = throughput;
    out.name("ProvisionedThroughput").begin_object();
    let moments =
        [("LastIncreaseDateTime", changes.increased_at), ("LastDecreaseDateTime", changes.decreased_at)];
    for (name, moment) in moments {
        if let Some(moment) = moment {
            out.name(name).float(moment.seconds());
        }
    }
    out.name("NumberOfDecreasesToday").integer(changes.decreases_today(now));
    out.name("ReadCapacityUnits").integer(provisioned.read);
    out.name("WriteCapacityUnits").integer(provisioned.write);
    out.end_object();
}

pub(super) fn write_maxima(maxima: Maxima, changing: AskedPair, out: &mut Writer<'_>) {
    let shown = |bound: Option<u64>, asked: Option<i64>| {
        let gone = asked.filter(|asked| *asked == AskedPair::NO_MAXIMUM).map(i128::from);
        bound.map(i128::from).or(gone)
    };
    let bounds = [
        ("MaxReadRequestUnits", shown(maxima.read, changing.read)),
        ("MaxWriteRequestUnits", shown(maxima.write, changing.write)),
    ];
    if bounds.iter().all(|(_, bound)| bound.is_none()) {
        return;
    }
    out.name("OnDemandThroughput").begin_object();
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            out.name(name).integer(bound);
        }
    }
    out.end_object();
}
