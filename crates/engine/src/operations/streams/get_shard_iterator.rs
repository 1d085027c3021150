//! GetShardIterator: a place in a shard to read from.

use keyplan_store::{Snapshot, StoreExt};
use keyplan_value::json::{Node, Writer};

use super::{Stretch, find, reference};
use crate::arn::stream_arn;
use crate::catalog::name_of_key;
use crate::catalog::{Shard, StreamDefinition};
use crate::context::Context;
use crate::error::{NotFound, ServiceError, StreamFault};
use crate::journal::{self, CommitTime};
use crate::operations::{Answer, Failure};
use crate::streams::{ShardIterator, parse_sequence_number, shard_id, shards};
use crate::validate::{string, timestamp};

/// Where to begin.
enum Start {
    First,
    Next,
    At(u64),
    After(u64),
    Since(CommitTime),
}

/// Runs one GetShardIterator.
pub(in crate::operations) fn get_shard_iterator(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let reference = reference(ctx, string(request, "StreamArn").unwrap_or_default())?;
    let start = start(request);
    let wanted = string(request, "ShardId").unwrap_or_default();
    let placed = ctx.store().view(|snapshot| -> Result<_, ServiceError> {
        // What is wrong with the request by itself is told before what isn't there.
        let start = start?;
        let stream = find(ctx, snapshot, &reference)?;
        let shard = shards(&stream, ctx.now()).find(|shard| shard_id(&stream, shard.opened) == wanted);
        let shard = *shard.ok_or(ServiceError::ResourceNotFound(NotFound::Shard))?;
        let number = number(ctx, snapshot, &stream, &shard, &start)?;
        let stream = stream_arn(reference.region(), name_of_key(&stream.table), &stream.label);
        Ok(ShardIterator { stream, shard: shard.opened, number, made: ctx.now() })
    })??;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("ShardIterator").string(&placed.text()).end_object();
    Ok(body.into())
}

fn start(request: Node<'_, '_>) -> Result<Start, StreamFault> {
    let sent = string(request, "SequenceNumber");
    let kind = string(request, "ShardIteratorType").unwrap_or_default();
    let number = match (kind.as_ref(), sent) {
        ("AT_SEQUENCE_NUMBER" | "AFTER_SEQUENCE_NUMBER", None) => {
            return Err(StreamFault::SequenceNumberMissing);
        }
        ("AT_SEQUENCE_NUMBER" | "AFTER_SEQUENCE_NUMBER", Some(sent)) => {
            parse_sequence_number(&sent).ok_or(StreamFault::SequenceNumber)?
        }
        (_, Some(_)) => return Err(StreamFault::SequenceNumberUnused),
        (_, None) => 0,
    };
    match kind.as_ref() {
        "AT_SEQUENCE_NUMBER" => Ok(Start::At(number)),
        "AFTER_SEQUENCE_NUMBER" => Ok(Start::After(number)),
        "AT_TIMESTAMP" => {
            let moment = timestamp(request, "Timestamp").ok_or(StreamFault::TimestampMissing)?;
            Ok(Start::Since(CommitTime::of(moment)))
        }
        "LATEST" => Ok(Start::Next),
        _ => Ok(Start::First),
    }
}

/// The number to read from.
fn number(
    ctx: &Context<'_>,
    snapshot: &dyn Snapshot,
    stream: &StreamDefinition,
    shard: &Shard,
    start: &Start,
) -> Result<u64, ServiceError> {
    let stretch = Stretch::of(ctx, snapshot, stream, shard)?;
    match *start {
        Start::First => Ok(stretch.first),
        Start::Next => Ok(stretch.end),
        Start::At(number) | Start::After(number) if !(shard.start..=stretch.end).contains(&number) => {
            Err(StreamFault::SequenceNumber.into())
        }
        Start::At(number) => stretch.check(number).map(|()| number),
        Start::After(number) => stretch.check(number + 1).map(|()| (number + 1).min(stretch.end)),
        Start::Since(time) => {
            let found = journal::first_since(snapshot, stream.journal, time, stretch.end)?;
            Ok(found.clamp(stretch.first, stretch.end))
        }
    }
}
