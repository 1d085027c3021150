//! The operations: one file each, and the table that says which are built.

mod backups;
mod batch_get_item;
mod batch_write_item;
mod consumed;
mod continuous_backups;
mod contributor_insights;
mod create_table;
mod delete_item;
mod delete_table;
mod describe_endpoints;
mod describe_limits;
mod describe_table;
mod get_item;
mod global_tables;
mod kinesis_destination;
mod legacy;
mod lifecycle;
mod list_tables;
mod paged_read;
mod parameters;
mod partiql;
mod put_item;
mod query;
mod resource_policy;
mod scan;
mod search_vectors;
mod single_write;
mod streams;
mod table_description;
mod table_parameters;
mod tags;
mod time_to_live;
mod transact_get_items;
mod transact_write_items;
mod transfers;
mod update_item;
mod update_table;

use keyplan_value::json::Node;

use crate::context::Context;
use crate::error::ServiceError;
use crate::trace::Trace;

/// The body of a success, with what the request did.
#[derive(Debug, Default)]
pub struct Answer {
    /// JSON.
    pub body: Vec<u8>,
    /// What was read and written, if the call asked for it.
    pub trace: Option<Trace>,
}

impl From<Vec<u8>> for Answer {
    fn from(body: Vec<u8>) -> Answer {
        Answer { body, trace: None }
    }
}

/// An error, with what the request had done by then: a failed condition costs what it read.
#[derive(Debug)]
pub struct Failure {
    /// The error.
    pub error: ServiceError,
    /// What was read and written, if the call asked for it.
    pub trace: Option<Trace>,
}

impl<E: Into<ServiceError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure { error: error.into(), trace: None }
    }
}

/// What an operation is: the request, checked against its shape, to an answer.
pub type OperationFn = fn(&Context<'_>, Node<'_, '_>) -> Result<Answer, Failure>;

/// The operations that are built, in order of their names.
static BUILT: &[(&str, OperationFn)] = &[
    ("BatchExecuteStatement", partiql::batch_execute_statement),
    ("BatchGetItem", batch_get_item::batch_get_item),
    ("BatchWriteItem", batch_write_item::batch_write_item),
    ("CancelBulkOperation", transfers::cancel_bulk_operation),
    ("CreateBackup", backups::create_backup),
    ("CreateGlobalTable", global_tables::create_global_table),
    ("CreateTable", create_table::create_table),
    ("DeleteBackup", backups::delete_backup),
    ("DeleteItem", delete_item::delete_item),
    ("DeleteResourcePolicy", resource_policy::delete_resource_policy),
    ("DeleteTable", delete_table::delete_table),
    ("DescribeBackup", backups::describe_backup),
    ("DescribeBulkOperation", transfers::describe_bulk_operation),
    ("DescribeContinuousBackups", continuous_backups::describe_continuous_backups),
    ("DescribeContributorInsights", contributor_insights::describe_contributor_insights),
    ("DescribeEndpoints", describe_endpoints::describe_endpoints),
    ("DescribeExport", transfers::describe_export),
    ("DescribeGlobalTable", global_tables::describe_global_table),
    ("DescribeGlobalTableSettings", global_tables::global_table_settings),
    ("DescribeImport", transfers::describe_import),
    ("DescribeKinesisStreamingDestination", kinesis_destination::describe_kinesis_streaming_destination),
    ("DescribeLimits", describe_limits::describe_limits),
    ("DescribeStream", streams::describe_stream),
    ("DescribeTable", describe_table::describe_table),
    ("DescribeTableReplicaAutoScaling", global_tables::describe_table_replica_auto_scaling),
    ("DescribeTimeToLive", time_to_live::describe_time_to_live),
    ("DisableKinesisStreamingDestination", kinesis_destination::disable_kinesis_streaming_destination),
    ("EnableKinesisStreamingDestination", kinesis_destination::enable_kinesis_streaming_destination),
    ("ExecuteStatement", partiql::execute_statement),
    ("ExecuteTransaction", partiql::execute_transaction),
    ("ExportTableToPointInTime", transfers::export_table_to_point_in_time),
    ("GetItem", get_item::get_item),
    ("GetRecords", streams::get_records),
    ("GetResourcePolicy", resource_policy::get_resource_policy),
    ("GetShardIterator", streams::get_shard_iterator),
    ("ImportTable", transfers::import_table),
    ("ListBackups", backups::list_backups),
    ("ListBulkOperations", transfers::list_bulk_operations),
    ("ListContributorInsights", contributor_insights::list_contributor_insights),
    ("ListExports", transfers::list_exports),
    ("ListGlobalTables", global_tables::list_global_tables),
    ("ListImports", transfers::list_imports),
    ("ListStreams", streams::list_streams),
    ("ListTables", list_tables::list_tables),
    ("ListTagsOfResource", tags::list_tags_of_resource),
    ("PutItem", put_item::put_item),
    ("PutResourcePolicy", resource_policy::put_resource_policy),
    ("Query", query::query),
    ("RestoreTableFromBackup", backups::restore_table_from_backup),
    ("RestoreTableToPointInTime", backups::restore_table_to_point_in_time),
    ("Scan", scan::scan),
    ("SearchVectors", search_vectors::search_vectors),
    ("StartBulkPutItems", transfers::start_bulk_put_items),
    ("TagResource", tags::tag_resource),
    ("TransactGetItems", transact_get_items::transact_get_items),
    ("TransactWriteItems", transact_write_items::transact_write_items),
    ("UntagResource", tags::untag_resource),
    ("UpdateContinuousBackups", continuous_backups::update_continuous_backups),
    ("UpdateContributorInsights", contributor_insights::update_contributor_insights),
    ("UpdateGlobalTable", global_tables::update_global_table),
    ("UpdateGlobalTableSettings", global_tables::global_table_settings),
    ("UpdateItem", update_item::update_item),
    ("UpdateKinesisStreamingDestination", kinesis_destination::update_kinesis_streaming_destination),
    ("UpdateTable", update_table::update_table),
    ("UpdateTableReplicaAutoScaling", global_tables::update_table_replica_auto_scaling),
    ("UpdateTimeToLive", time_to_live::update_time_to_live),
];

/// The operation of a name, if it is built.
pub fn built(name: &str) -> Option<OperationFn> {
    let at = BUILT.binary_search_by(|(built, _)| (*built).cmp(name)).ok()?;
    BUILT.get(at).map(|&(_, operation)| operation)
}

/// The names of the operations that are built.
pub fn built_names() -> impl Iterator<Item = &'static str> {
    BUILT.iter().map(|&(name, _)| name)
}
