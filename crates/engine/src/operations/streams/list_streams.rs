//! ListStreams: the streams of a table or of all, page by page.

use keyplan_store::StoreExt;
use keyplan_value::json::{Node, Writer};

use super::reference;
use crate::arn::stream_arn;
use crate::catalog::{StreamDefinition, name_of_key, region_of_key};
use crate::context::Context;
use crate::limits::LIST_STREAMS_MAX;
use crate::operations::{Answer, Failure};
use crate::streams::streams;
use crate::validate::{integer, string};

/// Runs one ListStreams; streams that have ended are listed as long as they can be read.
pub(in crate::operations) fn list_streams(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let table = string(request, "TableName");
    let after = string(request, "ExclusiveStartStreamArn").map(|sent| reference(ctx, sent)).transpose()?;
    let table = table.map(|table| ctx.table_key(&table)).transpose()?;
    let after = match after.as_ref().and_then(|after| after.stream()) {
        Some((table, label)) => Some((ctx.table_key(table)?, label)),
        None => None,
    };
    let after = after.as_ref().map(|(table, label)| (table.as_str(), *label));
    // The constraints of the shape hold it between 1 and the maximum.
    let limit = integer(request, "Limit").and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(LIST_STREAMS_MAX);
    let listed = ctx.store().view(|snapshot| streams(snapshot, table.as_deref(), after, limit, ctx.now()));
    let (found, more) = listed??;
    let arn = |stream: &StreamDefinition| stream_arn(ctx.region(), name_of_key(&stream.table), &stream.label);
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Streams").begin_array();
    for stream in &found {
        // A table that has a replica where the request is, is that replica there.
        let is_here = match region_of_key(&stream.table) {
            Some(region) => region == ctx.region(),
            None => ctx.table_key(&stream.table)? == stream.table,
        };
        if !is_here {
            continue;
        }
        json.begin_object().name("StreamArn").string(&arn(stream));
        json.name("TableName").string(name_of_key(&stream.table));
        json.name("StreamLabel").string(&stream.label).end_object();
    }
    json.end_array();
    if let Some(last) = found.last().filter(|_| more) {
        json.name("LastEvaluatedStreamArn").string(&arn(last));
    }
    json.end_object();
    Ok(body.into())
}
