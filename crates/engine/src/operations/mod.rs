//! The operations: one file each, and the table that says which are built.

mod batch_get_item;
mod batch_write_item;
mod consumed;
mod create_table;
mod delete_item;
mod delete_table;
mod describe_endpoints;
mod describe_limits;
mod describe_table;
mod get_item;
mod legacy;
mod list_tables;
mod paged_read;
mod parameters;
mod put_item;
mod query;
mod scan;
mod single_write;
mod streams;
mod table_description;
mod table_parameters;
mod tags;
mod time_to_live;
mod transact_get_items;
mod transact_write_items;
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
static BUILT: [(&str, OperationFn); 26] = [
    ("BatchGetItem", batch_get_item::batch_get_item),
    ("BatchWriteItem", batch_write_item::batch_write_item),
    ("CreateTable", create_table::create_table),
    ("DeleteItem", delete_item::delete_item),
    ("DeleteTable", delete_table::delete_table),
    ("DescribeEndpoints", describe_endpoints::describe_endpoints),
    ("DescribeLimits", describe_limits::describe_limits),
    ("DescribeStream", streams::describe_stream),
    ("DescribeTable", describe_table::describe_table),
    ("DescribeTimeToLive", time_to_live::describe_time_to_live),
    ("GetItem", get_item::get_item),
    ("GetRecords", streams::get_records),
    ("GetShardIterator", streams::get_shard_iterator),
    ("ListStreams", streams::list_streams),
    ("ListTables", list_tables::list_tables),
    ("ListTagsOfResource", tags::list_tags_of_resource),
    ("PutItem", put_item::put_item),
    ("Query", query::query),
    ("Scan", scan::scan),
    ("TagResource", tags::tag_resource),
    ("TransactGetItems", transact_get_items::transact_get_items),
    ("TransactWriteItems", transact_write_items::transact_write_items),
    ("UntagResource", tags::untag_resource),
    ("UpdateItem", update_item::update_item),
    ("UpdateTable", update_table::update_table),
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
