//! GetRecords: the next records of a shard.

use keyplan_store::{StoreExt, Visit};
use keyplan_value::json::{Node, Writer};

use super::{Stretch, find, reference};
use crate::context::Context;
use crate::error::{NotFound, ServiceError, StreamFault};
use crate::journal;
use crate::limits::{GET_RECORDS_BYTES_MAX, GET_RECORDS_MAX};
use crate::operations::{Answer, Failure};
use crate::streams::{RecordView, ShardIterator};
use crate::validate::{integer, string};

/// Runs one GetRecords. The iterator of a closed shard's end is followed by none.
pub(in crate::operations) fn get_records(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let sent = string(request, "ShardIterator").unwrap_or_default();
    let iterator = ShardIterator::parse(&sent).ok_or(StreamFault::Iterator)?;
    let reference = reference(ctx, iterator.stream.as_str().into()).map_err(|error| match error {
        ServiceError::Validation(_) => StreamFault::Iterator.into(),
        error => error,
    })?;
    if iterator.has_expired(ctx.now()) {
        return Err(ServiceError::ExpiredIterator.into());
    }
    // The constraints of the shape hold it between 1 and the maximum.
    let limit = integer(request, "Limit").and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(GET_RECORDS_MAX);
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Records").begin_array();
    let next = ctx.store().view(|snapshot| -> Result<_, ServiceError> {
        let stream = find(ctx, snapshot, &reference)?;
        let shard = stream.shard(iterator.shard);
        let shard = shard.ok_or(ServiceError::ResourceNotFound(NotFound::Shard))?;
        let stretch = Stretch::of(ctx, snapshot, &stream, shard)?;
        stretch.check(iterator.number)?;
        let (mut next, mut count, mut bytes) = (stretch.end, 0, 0);
        journal::records(snapshot, stream.journal, iterator.number, limit, |number, record| {
            if number >= stretch.end {
                return Visit::Stop;
            }
            let Some(view) = RecordView::new(&stream, number, record) else { return Visit::Continue };
            bytes += view.bytes();
            if count == limit || (count > 0 && bytes > GET_RECORDS_BYTES_MAX) {
                next = number;
                return Visit::Stop;
            }
            count += 1;
            view.write(ctx.region(), &mut json);
            Visit::Continue
        })?;
        Ok((next < stretch.end || shard.closed.is_none()).then_some(next))
    })??;
    json.end_array();
    if let Some(number) = next {
        let next = ShardIterator { number, made: ctx.now(), ..iterator };
        json.name("NextShardIterator").string(&next.text());
    }
    json.end_object();
    Ok(body.into())
}
