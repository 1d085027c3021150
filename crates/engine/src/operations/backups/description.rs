//! BackupDescription, as the operations on backups answer it.

use keyplan_value::json::Writer;

use crate::arn::table_arn;
use crate::backups::{Backup, BackupState};
use crate::catalog::{IndexDefinition, IndexScope, TableDefinition, uuid_text};
use crate::context::Context;
use crate::operations::Answer;
use crate::operations::table_description::{
    write_key_schema, write_maxima, write_projection, write_stream, write_units,
};

/// Which answer shows a backup.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown {
    /// That which describes it.
    State(BackupState),
    /// That which deletes it.
    Deleted,
}

impl Shown {
    fn word(self) -> &'static str {
        match self {
            Shown::State(BackupState::Creating) => "CREATING",
            Shown::State(BackupState::Available | BackupState::InUse) => "AVAILABLE",
            Shown::Deleted => "DELETED",
        }
    }
}

/// An answer whose one member describes a backup.
pub(super) fn described(ctx: &Context<'_>, backup: &Backup, shown: Shown) -> Answer {
    let mut body = Vec::with_capacity(768);
    let mut out = Writer::new(&mut body);
    out.begin_object().name("BackupDescription").begin_object();
    out.name("BackupDetails").begin_object();
    write(backup, shown, ctx.region(), &mut out);
    out.end_object();
    write_table(ctx, backup, &mut out);
    write_features(&backup.table, &mut out);
    out.end_object().end_object();
    body.into()
}

/// Writes BackupDetails.
pub(super) fn write_details(backup: &Backup, state: BackupState, region: &str, out: &mut Writer<'_>) {
    out.begin_object();
    write(backup, Shown::State(state), region, out);
    out.end_object();
}

/// Writes the members that BackupDetails and a summary share.
pub(super) fn write_identity(backup: &Backup, state: BackupState, region: &str, out: &mut Writer<'_>) {
    write(backup, Shown::State(state), region, out);
}

fn write(backup: &Backup, shown: Shown, region: &str, out: &mut Writer<'_>) {
    out.name("BackupArn").string(&backup.arn(region));
    out.name("BackupName").string(&backup.name);
    out.name("BackupSizeBytes").integer(backup.totals.bytes);
    out.name("BackupStatus").string(shown.word());
    out.name("BackupType").string(backup.kind.word());
    out.name("BackupCreationDateTime").float(backup.id.made.seconds());
    if let Some(expires_at) = backup.expires_at {
        out.name("BackupExpiryDateTime").float(expires_at.seconds());
    }
}

fn write_table(ctx: &Context<'_>, backup: &Backup, out: &mut Writer<'_>) {
    let table = &backup.table;
    out.name("SourceTableDetails").begin_object();
    out.name("TableName").string(&table.name);
    out.name("TableId").string(&uuid_text(table.id));
    out.name("TableArn").string(&table_arn(ctx.region(), &table.name));
    out.name("TableSizeBytes").integer(backup.totals.bytes);
    write_key_schema(&table.key_schema, out);
    out.name("TableCreationDateTime").float(table.created_at.seconds());
    write_units(table.throughput.provisioned, out);
    write_maxima(table.throughput.on_demand_maxima, Default::default(), out);
    out.name("ItemCount").integer(backup.totals.items);
    out.name("BillingMode").string(table.billing_mode.word());
    out.end_object();
}

fn write_features(table: &TableDefinition, out: &mut Writer<'_>) {
    out.name("SourceTableFeatureDetails").begin_object();
    for scope in IndexScope::ALL {
        let mut of_scope = table.indexes_of(scope).peekable();
        if of_scope.peek().is_none() {
            continue;
        }
        out.name(scope.member()).begin_array();
        of_scope.for_each(|index| write_index(index, out));
        out.end_array();
    }
    if let Some(view) = table.stream.as_ref().and_then(|stream| stream.view) {
        out.name("StreamDescription");
        write_stream(view, out);
    }
    if let Some(time_to_live) = &table.time_to_live {
        out.name("TimeToLiveDescription").begin_object();
        out.name("TimeToLiveStatus").string("ENABLED");
        out.name("AttributeName").string(&time_to_live.attribute).end_object();
    }
    if let Some(key) = &table.encryption_key {
        out.name("SSEDescription").begin_object();
        out.name("Status").string("ENABLED");
        out.name("SSEType").string("KMS");
        out.name("KMSMasterKeyArn").string(key).end_object();
    }
    out.end_object();
}

fn write_index(index: &IndexDefinition, out: &mut Writer<'_>) {
    out.begin_object();
    out.name("IndexName").string(&index.name);
    write_key_schema(&index.key_schema, out);
    let mut names: Vec<&String> = index.projection.names().iter().collect();
    names.sort();
    write_projection(&index.projection, names, out);
    if index.scope == IndexScope::Global {
        write_units(index.throughput.provisioned, out);
        write_maxima(index.throughput.on_demand_maxima, Default::default(), out);
    }
    out.end_object();
}
