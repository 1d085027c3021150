//! The record of a transfer, and its job.

use std::ops::Bound;

use keyplan_formats::Position;
use keyplan_store::{Batch, Bounds, Direction, SharedBytes, Snapshot, Space, Store, StoreExt, Visit};
use keyplan_value::{AttributeValue, Item, ItemRef};

use super::{Kind, parts};
use crate::call::Timestamp;
use crate::engine::Engine;
use crate::error::InternalError;
use crate::jobs;
use crate::limits::TRANSFER_KEPT_MILLISECONDS;
use crate::spaces::TRANSFERS;

const MALFORMED: InternalError = InternalError::Malformed("the record of a transfer");

/// How a transfer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    InProgress,
    Completed,
    CompletedWithErrors,
    Cancelling,
    Cancelled,
    Failed,
}

impl Status {
    const ALL: [Status; 6] = [
        Status::InProgress,
        Status::Completed,
        Status::CompletedWithErrors,
        Status::Cancelling,
        Status::Cancelled,
        Status::Failed,
    ];

    /// The service's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Status::InProgress => "IN_PROGRESS",
            Status::Completed => "COMPLETED",
            Status::CompletedWithErrors => "COMPLETED_WITH_ERRORS",
            Status::Cancelling => "CANCELLING",
            Status::Cancelled => "CANCELLED",
            Status::Failed => "FAILED",
        }
    }

    /// Whether nothing more is done.
    pub(crate) fn is_over(self) -> bool {
        !matches!(self, Status::InProgress | Status::Cancelling)
    }
}

/// Why a transfer failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) code: String,
    pub(crate) message: String,
}

/// Where an input is read on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The object's key; the last that was read, where none is being read.
    pub(super) object: String,
    /// Whether that object is being read.
    pub(super) is_within: bool,
    pub(super) position: Position,
    /// Records of the object before the position.
    pub(super) index: u64,
}

/// A transfer: what it is, how far it has come, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Transfer {
    pub(crate) kind: Kind,
    pub(crate) id: String,
    pub(crate) table: String,
    pub(crate) table_id: u128,
    pub(crate) region: String,
    pub(crate) token: String,
    pub(crate) status: Status,
    pub(crate) started: Timestamp,
    pub(crate) ended: Option<Timestamp>,
    pub(crate) failure: Option<Failed>,
    /// Whether the first step is done: the bucket can be used, the table of an import is there.
    pub(crate) has_begun: bool,
    /// Records that were looked at.
    pub(crate) processed: u64,
    /// Items that were exported or put.
    pub(crate) written: u64,
    /// Records that are no items of the table.
    pub(crate) errors: u64,
    /// Items whose condition didn't hold.
    pub(crate) refused: u64,
    /// Bytes that were read of an input, or that an export is charged for.
    pub(crate) bytes: u64,
    /// Bytes of all objects of an input.
    pub(crate) total_bytes: u64,
    /// Files that were written.
    pub(super) files: u64,
    /// Parts that were kept.
    pub(super) parts: u64,
    /// Bytes of the parts that are kept for the next report.
    pub(super) kept_bytes: u64,
    /// The moment of which an export is.
    pub(crate) moment: Timestamp,
    /// The keyspace of an export's items.
    pub(crate) space: Option<Space>,
    /// The place of the last item that was exported.
    pub(super) place: Vec<u8>,
    pub(super) cursor: Cursor,
}

/// What a transfer is begun with.
pub(crate) struct Begun<'b> {
    pub(crate) kind: Kind,
    pub(crate) id: String,
    pub(crate) table: &'b str,
    pub(crate) table_id: u128,
    pub(crate) region: &'b str,
    pub(crate) token: &'b str,
    pub(crate) now: Timestamp,
}

/// A record as it lies in the store.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) transfer: Transfer,
    bytes: SharedBytes,
}

impl Transfer {
    /// A new one, in progress.
    pub(crate) fn begin(begun: Begun<'_>) -> Transfer {
        Transfer {
            kind: begun.kind,
            id: begun.id,
            table: begun.table.to_owned(),
            table_id: begun.table_id,
            region: begun.region.to_owned(),
            token: begun.token.to_owned(),
            status: Status::InProgress,
            started: begun.now,
            ended: None,
            failure: None,
            has_begun: false,
            processed: 0,
            written: 0,
            errors: 0,
            refused: 0,
            bytes: 0,
            total_bytes: 0,
            files: 0,
            parts: 0,
            kept_bytes: 0,
            moment: begun.now,
            space: None,
            place: Vec::new(),
            cursor: Cursor::default(),
        }
    }

    /// The ARN in a region.
    pub(crate) fn arn(&self, region: &str) -> String {
        crate::arn::transfer_arn(region, &self.table, self.kind.word(), &self.id)
    }

    /// Puts the record and the job that goes on with it, or, when it is over, that forgets it.
    pub(crate) fn put(&self, batch: &mut Batch) -> Result<(), InternalError> {
        batch.put(TRANSFERS, key(self.kind, &self.id), self.encode()?);
        match self.ended {
            None => jobs::schedule_transfer(batch, Timestamp(0), self.kind, &self.id),
            Some(ended) => {
                jobs::unschedule_transfer(batch, Timestamp(0), self.kind, &self.id);
                jobs::schedule_transfer(batch, forgotten_at(ended), self.kind, &self.id);
            }
        }
        Ok(())
    }

    /// Ends it.
    pub(super) fn end(&mut self, status: Status, failure: Option<Failed>, now: Timestamp) {
        self.status = status;
        self.failure = failure;
        self.ended = Some(now.max(self.started));
    }

    fn encode(&self) -> Result<SharedBytes, InternalError> {
        let mut members: Vec<(&str, AttributeValue)> = vec![
            ("Table", self.table.as_str().into()),
            ("TableId", AttributeValue::B(self.table_id.to_be_bytes().to_vec())),
            ("Region", self.region.as_str().into()),
            ("Token", self.token.as_str().into()),
            ("Status", self.status.word().into()),
            ("HasBegun", self.has_begun.into()),
            ("Object", self.cursor.object.as_str().into()),
            ("IsWithin", self.cursor.is_within.into()),
            ("IsLong", self.cursor.position.is_within_long_record.into()),
            ("Place", AttributeValue::B(self.place.clone())),
        ];
        members.extend(self.numbers().map(|(name, number)| (name, number.into())));
        members.extend(self.ended.map(|ended| ("Ended", ended.0.into())));
        members.extend(self.space.map(|space| ("Space", space.0.into())));
        if let Some(Failed { code, message }) = &self.failure {
            members
                .extend([("FailureCode", code.as_str().into()), ("FailureMessage", message.as_str().into())]);
        }
        Ok(Item::from_attributes(members).map_err(|_| MALFORMED)?.into_stored())
    }

    fn numbers(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("Started", self.started.0),
            ("Processed", self.processed),
            ("Written", self.written),
            ("Errors", self.errors),
            ("Refused", self.refused),
            ("Bytes", self.bytes),
            ("TotalBytes", self.total_bytes),
            ("Files", self.files),
            ("Parts", self.parts),
            ("KeptBytes", self.kept_bytes),
            ("Moment", self.moment.0),
            ("Offset", self.cursor.position.offset),
            ("Index", self.cursor.index),
        ]
        .into_iter()
    }
}

fn decode(kind: Kind, id: &str, item: ItemRef<'_>) -> Option<Transfer> {
    let text = |name: &str| item.get(name)?.as_str().map(str::to_owned);
    let number = |name: &str| item.get(name)?.number()?.to_u64();
    let is = |name: &str| item.get(name)?.as_bool();
    let status = text("Status")?;
    Some(Transfer {
        kind,
        id: id.to_owned(),
        table: text("Table")?,
        table_id: u128::from_be_bytes(item.get("TableId")?.as_bytes()?.try_into().ok()?),
        region: text("Region")?,
        token: text("Token")?,
        status: Status::ALL.into_iter().find(|known| known.word() == status)?,
        started: Timestamp(number("Started")?),
        ended: number("Ended").map(Timestamp),
        failure: text("FailureCode")
            .zip(text("FailureMessage"))
            .map(|(code, message)| Failed { code, message }),
        has_begun: is("HasBegun")?,
        processed: number("Processed")?,
        written: number("Written")?,
        errors: number("Errors")?,
        refused: number("Refused")?,
        bytes: number("Bytes")?,
        total_bytes: number("TotalBytes")?,
        files: number("Files")?,
        parts: number("Parts")?,
        kept_bytes: number("KeptBytes")?,
        moment: Timestamp(number("Moment")?),
        space: number("Space").map(Space),
        place: item.get("Place")?.as_bytes()?.to_vec(),
        cursor: Cursor {
            object: text("Object")?,
            is_within: is("IsWithin")?,
            position: Position { offset: number("Offset")?, is_within_long_record: is("IsLong")? },
            index: number("Index")?,
        },
    })
}

fn key(kind: Kind, id: &str) -> Vec<u8> {
    [&[kind as u8], id.as_bytes()].concat()
}

fn forgotten_at(ended: Timestamp) -> Timestamp {
    Timestamp(ended.0.saturating_add(TRANSFER_KEPT_MILLISECONDS))
}

fn read(snapshot: &dyn Snapshot, kind: Kind, id: &str) -> Result<Option<Stored>, InternalError> {
    let Some(bytes) = snapshot.get(TRANSFERS, &key(kind, id))? else { return Ok(None) };
    let transfer = decode(kind, id, ItemRef::from_stored(&bytes)?).ok_or(MALFORMED)?;
    Ok(Some(Stored { transfer, bytes }))
}

/// A transfer and the request that it came with.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn find(
    snapshot: &dyn Snapshot,
    kind: Kind,
    id: &str,
) -> Result<Option<(Stored, SharedBytes)>, InternalError> {
    let Some(stored) = read(snapshot, kind, id)? else { return Ok(None) };
    let request = parts::part(snapshot, kind, id, parts::Part::Request, 0)?.ok_or(MALFORMED)?;
    Ok(Some((stored, request)))
}

/// At most `limit` transfers of a kind that are older than one, the newest first, and whether there are more.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn newest_first(
    snapshot: &dyn Snapshot,
    kind: Kind,
    before: Option<&str>,
    table: Option<&str>,
    limit: usize,
) -> Result<(Vec<Transfer>, bool), InternalError> {
    let lower = [kind as u8];
    let upper = before.map_or(vec![kind as u8 + 1], |id| key(kind, id));
    let bounds = Bounds::new(Bound::Included(lower.as_slice()), Bound::Excluded(upper.as_slice()));
    let (mut found, mut more, mut failed) = (Vec::new(), false, None);
    snapshot.range(TRANSFERS, bounds, Direction::Backward, limit + 1, &mut |place, stored| {
        let id = place.get(1..).and_then(|id| std::str::from_utf8(id).ok());
        let transfer = id.and_then(|id| decode(kind, id, ItemRef::from_stored(stored.bytes()).ok()?));
        match transfer {
            None => failed = Some(MALFORMED),
            Some(transfer) if table.is_some_and(|table| transfer.table != table) => return Visit::Continue,
            Some(_) if found.len() == limit => more = true,
            Some(transfer) => {
                found.push(transfer);
                return Visit::Continue;
            }
        }
        Visit::Stop
    })?;
    failed.map_or(Ok((found, more)), Err)
}

/// The keyspaces that exports copy into.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn keyspaces(snapshot: &dyn Snapshot) -> Result<Vec<Space>, InternalError> {
    let (mut spaces, mut failed) = (Vec::new(), false);
    snapshot.range(TRANSFERS, Bounds::ALL, Direction::Forward, 1, &mut |_, stored| {
        match ItemRef::from_stored(stored.bytes()) {
            Ok(record) => {
                spaces.extend(record.get("Space").and_then(|space| space.number()?.to_u64()).map(Space));
            }
            Err(_) => failed = true,
        }
        Visit::Continue
    })?;
    if failed { Err(MALFORMED) } else { Ok(spaces) }
}

/// A transfer as it is now.
pub(super) fn load(
    store: &dyn Store,
    kind: Kind,
    id: &str,
) -> Result<Option<Stored>, keyplan_store::StoreError> {
    store.view(|snapshot| read(snapshot, kind, id))?.map_err(jobs::corrupt)
}

impl Stored {
    /// Whether the record is still as it was read: another step may have gone on, or a request cancelled it.
    pub(super) fn is_current(&self, snapshot: &dyn Snapshot) -> Result<bool, InternalError> {
        let now = snapshot.get(TRANSFERS, &key(self.transfer.kind, &self.transfer.id))?;
        Ok(now.is_some_and(|bytes| bytes == self.bytes))
    }
}

/// Commits a transfer's new state, unless it isn't as it was read. Gives how much of the budget that took.
pub(super) fn commit(
    engine: &Engine,
    stored: &Stored,
    next: Transfer,
    more: impl Fn(&dyn Snapshot, &mut Batch) -> Result<(), InternalError> + Send + 'static,
) -> Result<usize, InternalError> {
    let stored = stored.clone();
    let committed = engine.store.transact(move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        if stored.is_current(snapshot)? {
            next.put(&mut batch)?;
            more(snapshot, &mut batch)?;
        }
        Ok((batch, ()))
    })?;
    committed.map(|_| 1)
}

/// Forgets a transfer that was over long ago. Gives how much of the budget that took.
pub(super) fn forget(engine: &Engine, kind: Kind, id: &str, now: Timestamp) -> Result<usize, InternalError> {
    let id = id.to_owned();
    let forgotten = engine.store.transact(move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        jobs::unschedule_transfer(&mut batch, Timestamp(0), kind, &id);
        if let Some(Stored { transfer, .. }) = read(snapshot, kind, &id)? {
            let due = transfer.ended.map(forgotten_at);
            if let Some(due) = due.filter(|due| *due <= now) {
                jobs::unschedule_transfer(&mut batch, due, kind, &id);
                batch.delete(TRANSFERS, key(kind, &id));
                parts::forget(&mut batch, &transfer);
            }
        }
        Ok((batch, ()))
    })?;
    forgotten.map(|_| 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let begun = Begun {
            kind: Kind::BulkPut,
            id: "01796040000001-0a1b2c3d".to_owned(),
            table: "Shop",
            table_id: u128::MAX,
            region: "eu-west-2",
            token: "token",
            now: Timestamp(7),
        };
        let new = Transfer::begin(begun);
        let mut old = Transfer {
            space: Some(Space(9)),
            place: vec![0, 255],
            processed: u64::MAX,
            cursor: Cursor {
                object: "in/é".to_owned(),
                is_within: true,
                position: Position { offset: 3, is_within_long_record: true },
                index: 2,
            },
            ..new.clone()
        };
        let failed = Failed { code: "Code".to_owned(), message: String::new() };
        old.end(Status::Failed, Some(failed), Timestamp(9));
        for transfer in [new, old] {
            let bytes = transfer.encode().expect("it has a stored form");
            let item = ItemRef::from_stored(&bytes).expect("an item");
            assert_eq!(decode(transfer.kind, &transfer.id, item), Some(transfer));
        }
    }
}
