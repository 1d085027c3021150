//! TableDescription, as the table operations answer it.

use keyplan_value::json::Writer;

use super::Answer;
use crate::arn::table_arn;
use crate::catalog::{BillingMode, TableDefinition, TableStatus, TableTotals, Throughput, uuid_text};
use crate::limits::{WARM_READ_UNITS_MIN, WARM_WRITE_UNITS_MIN};

/// A table to describe.
pub(super) struct Description<'a> {
    pub(super) table: &'a TableDefinition,
    /// Which request describes it: CreateTable, DescribeTable and DeleteTable show different members.
    pub(super) status: TableStatus,
    pub(super) totals: TableTotals,
    pub(super) region: &'a str,
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
            self.write_keys(out);
            out.name("CreationDateTime").float(table.created_at.seconds());
        }
        out.name("TableName").string(&table.name);
        out.name("TableStatus").string(self.status.word());
        out.name("TableArn").string(&table_arn(self.region, &table.name));
        out.name("TableId").string(&uuid_text(table.id));
        out.name("ItemCount").integer(self.totals.items);
        out.name("TableSizeBytes").integer(self.totals.bytes);
        out.name("DeletionProtectionEnabled").boolean(table.deletion_protection);
        out.name("ProvisionedThroughput").begin_object();
        out.name("NumberOfDecreasesToday").integer(0);
        out.name("ReadCapacityUnits").integer(table.provisioned_throughput.read);
        out.name("WriteCapacityUnits").integer(table.provisioned_throughput.write);
        out.end_object();
        self.write_billing(out);
        self.write_warm(out);
        self.write_settings(out);
        out.end_object();
    }

    fn write_keys(&self, out: &mut Writer<'_>) {
        let table = self.table;
        let mut definitions: Vec<_> = table.attribute_definitions.iter().collect();
        if self.status == TableStatus::Active {
            // DescribeTable sorts what CreateTable answers as sent.
            definitions.sort_by(|one, other| one.name.cmp(&other.name));
        }
        out.name("AttributeDefinitions").begin_array();
        for definition in definitions {
            out.begin_object();
            out.name("AttributeName").string(&definition.name);
            out.name("AttributeType").string(definition.kind.code());
            out.end_object();
        }
        out.end_array();
        out.name("KeySchema").begin_array();
        for (attribute, role) in table.key_schema.attributes().zip(["HASH", "RANGE"]) {
            out.begin_object();
            out.name("AttributeName").string(&attribute.name);
            out.name("KeyType").string(role);
            out.end_object();
        }
        out.end_array();
    }

    /// A table that was created provisioned has no summary.
    fn write_billing(&self, out: &mut Writer<'_>) {
        if self.table.billing_mode == BillingMode::Provisioned {
            return;
        }
        out.name("BillingModeSummary").begin_object();
        out.name("BillingMode").string(self.table.billing_mode.word());
        // The answer of CreateTable has no date yet.
        if self.status != TableStatus::Creating {
            out.name("LastUpdateToPayPerRequestDateTime").float(self.table.created_at.seconds());
        }
        out.end_object();
    }

    fn write_warm(&self, out: &mut Writer<'_>) {
        let table = self.table;
        let (warm, status) = match (self.status, table.warm_throughput) {
            (TableStatus::Creating, Some(asked)) => (asked, "UPDATING"),
            (TableStatus::Creating, None) | (TableStatus::Deleting, _) => return,
            (TableStatus::Active, Some(asked)) => (asked, "ACTIVE"),
            (TableStatus::Active, None) => (initial_throughput(table), "ACTIVE"),
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
        if let Some(key) = &table.encryption_key {
            out.name("SSEDescription").begin_object();
            out.name("Status").string("ENABLED");
            out.name("SSEType").string("KMS");
            out.name("KMSMasterKeyArn").string(key);
            out.end_object();
        }
        let maxima = table.on_demand_maxima;
        if !maxima.is_empty() {
            out.name("OnDemandThroughput").begin_object();
            if let Some(read) = maxima.read {
                out.name("MaxReadRequestUnits").integer(read);
            }
            if let Some(write) = maxima.write {
                out.name("MaxWriteRequestUnits").integer(write);
            }
            out.end_object();
        }
    }
}

/// What a table has ready without asking for it.
fn initial_throughput(table: &TableDefinition) -> Throughput {
    match table.billing_mode {
        BillingMode::Provisioned => table.provisioned_throughput,
        BillingMode::PayPerRequest => Throughput { read: WARM_READ_UNITS_MIN, write: WARM_WRITE_UNITS_MIN },
    }
}
