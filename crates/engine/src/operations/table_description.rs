//! TableDescription, as the table operations answer it.

use keyplan_store::Snapshot;
use keyplan_value::json::Writer;

use super::Answer;
use super::table_parameters::throughput::{AskedPair, warm_units};
use crate::arn::{index_arn, stream_arn, table_arn};
use crate::call::Timestamp;
use crate::catalog::{
    IndexDefinition, IndexProjection, IndexScope, IndexStatus, KeySchema, Maxima, TableDefinition,
    TableStatus, ThroughputSettings, Totals, counters, uuid_text,
};
use crate::error::InternalError;
use crate::jobs::Backfill;

/// A table to describe.
pub(super) struct Description<'a> {
    pub(super) table: &'a TableDefinition,
    /// Which request describes it: CreateTable, UpdateTable, DescribeTable and DeleteTable show different
    /// members.
    pub(super) status: TableStatus,
    pub(super) totals: Totals,
    /// What the indexes are like, in the order of the table's.
    pub(super) indexes: Vec<IndexState>,
    /// Where a request changes something that takes the service time.
    pub(super) changing: Changing,
    pub(super) region: &'a str,
    pub(super) now: Timestamp,
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
    let state = |index: &IndexDefinition| {
        let filling = index.added && Backfill::of(snapshot, index.space)?.is_some();
        let status =
            if filling { IndexStatus::Creating { backfilling: Some(true) } } else { IndexStatus::Active };
        Ok(IndexState { status, totals: counters::totals(snapshot, index.space)? })
    };
    table.indexes.iter().map(state).collect()
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
        if self.status != TableStatus::Deleting {
            for scope in IndexScope::ALL {
                self.write_indexes(scope, out);
            }
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
        if let Some(class) = table.table_class {
            out.name("TableClassSummary").begin_object();
            out.name("TableClass").string(class.word());
            out.end_object();
        }
        if let Some(stream) = &table.stream {
            if let Some(view) = stream.view {
                out.name("StreamSpecification").begin_object();
                out.name("StreamEnabled").boolean(true);
                out.name("StreamViewType").string(view.word()).end_object();
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
        out.name("Projection").begin_object();
        out.name("ProjectionType").string(index.projection.word());
        if let IndexProjection::Include(names) = &index.projection {
            out.name("NonKeyAttributes").begin_array();
            for name in in_shown_order(self, names, String::as_str) {
                out.string(name);
            }
            out.end_array();
        }
        out.end_object();
        out.name("IndexSizeBytes").integer(state.totals.bytes);
        out.name("ItemCount").integer(state.totals.items);
        out.name("IndexArn").string(&index_arn(self.region, &self.table.name, &index.name));
        // A local index has no state and no units of its own.
        if index.scope == IndexScope::Global {
            out.name("IndexStatus").string(state.status.word());
            if let IndexStatus::Creating { backfilling: Some(backfilling) } = state.status {
                out.name("Backfilling").boolean(backfilling);
            }
            write_provisioned(&index.throughput, self.now, out);
            write_maxima(index.throughput.on_demand_maxima, AskedPair::default(), out);
            self.write_warm(&index.throughput, false, out);
        }
        out.end_object();
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
        shown.sort_by(|one, other| name(one).cmp(name(other)));
    }
    shown
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

fn write_maxima(maxima: Maxima, changing: AskedPair, out: &mut Writer<'_>) {
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
