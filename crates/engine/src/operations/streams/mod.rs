//! The four operations of DynamoDB Streams.

mod describe_stream;
mod get_records;
mod get_shard_iterator;
mod list_streams;

use std::borrow::Cow;

use keyplan_store::Snapshot;

pub(super) use describe_stream::describe_stream;
pub(super) use get_records::get_records;
pub(super) use get_shard_iterator::get_shard_iterator;
pub(super) use list_streams::list_streams;

use crate::arn::ResourceReference;
use crate::catalog::{Shard, StreamDefinition};
use crate::context::Context;
use crate::error::{InternalError, NotFound, ServiceError, StreamFault};
use crate::journal::{self, CommitTime};
use crate::streams;

/// The stream that an ARN names.
///
/// # Errors
/// When it names none, or one of another account.
fn reference<'a>(ctx: &Context<'_>, sent: Cow<'a, str>) -> Result<ResourceReference<'a>, ServiceError> {
    let reference = ResourceReference::parse(sent).map_err(|_| StreamFault::Arn)?;
    if reference.stream().is_none() {
        return Err(StreamFault::Arn.into());
    }
    ctx.own_resource(&reference)?;
    Ok(reference)
}

/// The stream of a reference, as a snapshot has it.
///
/// # Errors
/// When there is none, or the store fails.
fn find(
    ctx: &Context<'_>,
    snapshot: &dyn Snapshot,
    reference: &ResourceReference<'_>,
) -> Result<StreamDefinition, ServiceError> {
    let found = streams::stream_of(snapshot, reference, ctx.now())?;
    found.ok_or_else(|| ServiceError::ResourceNotFound(NotFound::Stream(reference.sent().to_owned())))
}

/// The numbers of a shard's records that can be read.
struct Stretch {
    /// The first that has not been trimmed.
    first: u64,
    /// The end: of a closed shard its last number, which no record has, and of an open one the next.
    end: u64,
}

impl Stretch {
    fn of(
        ctx: &Context<'_>,
        snapshot: &dyn Snapshot,
        stream: &StreamDefinition,
        shard: &Shard,
    ) -> Result<Stretch, InternalError> {
        let next = journal::next_number(snapshot, stream.journal)?.unwrap_or(shard.start);
        let end = shard.closed.map_or(next, |end| end.number);
        let horizon = CommitTime::of(streams::horizon(ctx.now()));
        let kept = journal::first_since(snapshot, stream.journal, horizon, next)?;
        Ok(Stretch { first: kept.max(shard.start).min(end), end })
    }

    /// A place in the stretch to read from.
    ///
    /// # Errors
    /// When what was there has been trimmed.
    fn check(&self, number: u64) -> Result<(), ServiceError> {
        if number < self.first { Err(ServiceError::TrimmedDataAccess) } else { Ok(()) }
    }
}
