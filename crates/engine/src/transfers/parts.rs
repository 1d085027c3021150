//! What a transfer keeps besides its record: the request, and lines for reports and manifests.

use std::ops::Bound;

use keyplan_store::{Batch, Bounds, Direction, SharedBytes, Snapshot, Visit};

use super::{Kind, Transfer, token};
use crate::error::InternalError;
use crate::spaces::TRANSFER_PARTS;

/// Kinds of parts; their letters are parts of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The request, as JSON.
    Request = b'r' as isize,
    /// The definition of a table that is to be made.
    Table = b't' as isize,
    /// Lines about records that are no items.
    Errors = b'e' as isize,
    /// Lines about items whose condition didn't hold.
    Refused = b'c' as isize,
    /// Lines about files.
    Files = b'f' as isize,
}

fn prefix(kind: Kind, id: &str) -> Vec<u8> {
    let mut key = vec![b'p', kind as u8];
    key.extend(id.as_bytes());
    key.push(0);
    key
}

fn key(kind: Kind, id: &str, part: Part, number: u64) -> Vec<u8> {
    let mut key = prefix(kind, id);
    key.push(part as u8);
    key.extend(number.to_be_bytes());
    key
}

/// Puts a part.
pub(crate) fn put_part(
    batch: &mut Batch,
    (kind, id): (Kind, &str),
    part: Part,
    number: u64,
    bytes: impl Into<SharedBytes>,
) {
    batch.put(TRANSFER_PARTS, key(kind, id, part, number), bytes.into());
}

/// One part.
pub(super) fn part(
    snapshot: &dyn Snapshot,
    kind: Kind,
    id: &str,
    part: Part,
    number: u64,
) -> Result<Option<SharedBytes>, InternalError> {
    Ok(snapshot.get(TRANSFER_PARTS, &key(kind, id, part, number))?)
}

/// All parts of a kind, one after the other.
pub(super) fn joined(
    snapshot: &dyn Snapshot,
    transfer: &Transfer,
    part: Part,
) -> Result<Vec<u8>, InternalError> {
    let lower = key(transfer.kind, &transfer.id, part, 0);
    let upper = key(transfer.kind, &transfer.id, part, u64::MAX);
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), Bound::Included(upper.as_slice()));
    let mut bytes = Vec::new();
    snapshot.range(TRANSFER_PARTS, bounds, Direction::Forward, 16, &mut |_, stored| {
        bytes.extend_from_slice(stored.bytes());
        Visit::Continue
    })?;
    Ok(bytes)
}

/// Takes all parts of a kind away.
pub(super) fn remove(batch: &mut Batch, transfer: &Transfer, part: Part) {
    let lower = key(transfer.kind, &transfer.id, part, 0);
    let upper = key(transfer.kind, &transfer.id, part, u64::MAX);
    batch.delete_range(TRANSFER_PARTS, Bound::Included(lower), Bound::Included(upper));
}

/// Takes everything away that is kept of a transfer.
pub(super) fn forget(batch: &mut Batch, transfer: &Transfer) {
    let lower = prefix(transfer.kind, &transfer.id);
    let mut upper = lower.clone();
    upper.push(u8::MAX);
    batch.delete_range(TRANSFER_PARTS, Bound::Included(lower), Bound::Excluded(upper));
    token::forget(batch, transfer);
}
