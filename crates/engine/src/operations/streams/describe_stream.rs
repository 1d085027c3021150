//! DescribeStream: a stream and its shards, page by page.

use keyplan_store::StoreExt;
use keyplan_value::json::{Node, Writer};

use super::{find, reference};
use crate::arn::stream_arn;
use crate::catalog::{Shard, StreamDefinition, name_of_key};
use crate::context::Context;
use crate::error::ServiceError;
use crate::limits::DESCRIBE_STREAM_SHARDS_MAX;
use crate::operations::table_description::write_key_schema;
use crate::operations::{Answer, Failure};
use crate::streams::{sequence_number, shard_id, shards};
use crate::validate::{integer, present, string};
use crate::weather::Move;

/// Runs one DescribeStream.
pub(in crate::operations) fn describe_stream(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let reference = reference(ctx, string(request, "StreamArn").unwrap_or_default())?;
    let stream = ctx.store().view(|snapshot| find(ctx, snapshot, &reference))??;
    // The constraints of the shape hold it between 1 and the maximum.
    let limit = integer(request, "Limit").and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(DESCRIBE_STREAM_SHARDS_MAX);
    let after = string(request, "ExclusiveStartShardId");
    let parent = present(request, "ShardFilter").and_then(|filter| string(filter, "ShardId"));
    let id = |shard: &Shard| shard_id(&stream, shard.opened);
    let is_wanted = |shard: &&Shard| {
        let has_parent = |wanted: &str| shard.parent.is_some_and(|of| shard_id(&stream, of) == wanted);
        parent.as_deref().is_none_or(has_parent)
    };
    let mut left: Vec<&Shard> = shards(&stream, ctx.now()).filter(is_wanted).collect();
    if let Some(after) = after {
        // One that isn't there, or no more, is followed by none.
        let start = left.iter().position(|shard| id(shard) == after);
        left.drain(..start.map_or(left.len(), |at| at + 1));
    }
    let page = left.get(..limit).unwrap_or(&left);

    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("StreamDescription").begin_object();
    json.name("StreamArn").string(&stream_arn(ctx.region(), name_of_key(&stream.table), &stream.label));
    json.name("StreamLabel").string(&stream.label);
    json.name("StreamStatus").string(status(ctx, &stream)?);
    json.name("StreamViewType").string(stream.view.word());
    json.name("CreationRequestDateTime").float(stream.created_at.seconds());
    json.name("TableName").string(name_of_key(&stream.table));
    write_key_schema(&stream.key_schema, &mut json);
    json.name("Shards").begin_array();
    for shard in page {
        json.begin_object().name("ShardId").string(&id(shard));
        json.name("SequenceNumberRange").begin_object();
        json.name("StartingSequenceNumber").string(&sequence_number(shard.start));
        if let Some(end) = shard.closed {
            json.name("EndingSequenceNumber").string(&sequence_number(end.number));
        }
        json.end_object();
        if let Some(parent) = shard.parent {
            json.name("ParentShardId").string(&shard_id(&stream, parent));
        }
        json.end_object();
    }
    json.end_array();
    if let Some(last) = page.last().filter(|_| page.len() < left.len()) {
        json.name("LastEvaluatedShardId").string(&id(last));
    }
    json.end_object().end_object();
    Ok(body.into())
}

/// The state that is shown: a stream that is on its way says where to.
fn status(ctx: &Context<'_>, stream: &StreamDefinition) -> Result<&'static str, ServiceError> {
    let at_rest = if stream.ended_at().is_some() { "DISABLED" } else { "ENABLED" };
    if ctx.weather().is_none() {
        return Ok(at_rest);
    }
    let table = ctx.catalog().table(ctx.store(), &stream.table)?;
    let state = table.map(|table| ctx.state_of(&table)).unwrap_or_default();
    let word = state.steps().find_map(|step| match step {
        Move::Stream { label, enables } if *label == stream.label => {
            Some(if *enables { "ENABLING" } else { "DISABLING" })
        }
        Move::Made { .. } => Some("ENABLING"),
        _ => None,
    });
    Ok(word.unwrap_or(at_rest))
}
