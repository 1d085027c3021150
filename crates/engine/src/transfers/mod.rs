//! Exports, imports and bulk puts: tables to objects of a [bucket](crate::buckets), and back.
//!
//! Each is a *transfer*: a record that says how far it has come and what came of it, its request as it was
//! sent, and a [job](crate::jobs) that goes on with it. A slice reads some of the input or of the items, and
//! commits what it did together with the record that says so, so a transfer goes on after a restart where it
//! stood, and nothing is put twice or left out.
//!
//! * An export has the items copied aside by [`crate::history`], of the time that was asked for; then it writes
//!   them to packed files, and at last the manifests that tell of those.
//! * An import makes its table, which can't be used until the import is over, and puts the items of the source
//!   through the one write path. What is no item of the table is counted, and the rest is kept.
//! * A bulk put does the same with a table that is there, each item perhaps under a condition, and writes
//!   reports of what wasn't put.
//!
//! Between slices an engine holds what it would have to find anew: how far a packed object was unpacked, or
//! the lines of a file that isn't full yet. That is memory of one engine, of one transfer, and may be lost.

mod export;
mod filter;
mod input;
mod load;
mod manifest;
mod parts;
mod record;
mod reports;
mod token;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use keyplan_store::StoreError;

pub(crate) use export::Incremental;
pub(crate) use parts::{Part, put_part};
pub(crate) use record::{Begun, Failed, Status, Stored, Transfer, find, keyspaces, newest_first};
pub(crate) use token::{Asked, Token};

use crate::buckets::{BucketError, ObjectEntry};
use crate::call::Timestamp;
use crate::engine::Engine;
use crate::error::InternalError;
use crate::jobs::corrupt;
use filter::Filter;

/// The bucket in which an import's errors are reported, where it is there: there is no log service.
pub(crate) const IMPORT_ERRORS_BUCKET: &str = "aws-dynamodb-imports";

/// Kinds of transfers; their numbers are parts of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// ExportTableToPointInTime.
    Export = 1,
    /// ImportTable.
    Import = 2,
    /// StartBulkPutItems.
    BulkPut = 3,
}

impl Kind {
    /// What it is called in an ARN.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Export => "export",
            Kind::Import => "import",
            Kind::BulkPut => "bulk-operation",
        }
    }
}

/// The last part of a new transfer's ARN: when it began, so that they lie in that order, and some chance.
pub(crate) fn new_id(now: Timestamp, random: u128) -> String {
    format!("{:014}-{:08x}", now.0, random as u32)
}

/// What an engine holds of a transfer between slices.
#[derive(Default)]
pub(crate) struct Held {
    work: Mutex<Option<Work>>,
    upcoming: Mutex<Upcoming>,
}

/// The objects that come next in an import or a bulk put, as a bucket listed them.
#[derive(Default)]
struct Upcoming {
    transfer: String,
    /// The object before them.
    after: String,
    keys: VecDeque<String>,
}

enum Work {
    Input(Box<input::OpenInput>),
    File(export::OpenFile),
}

impl Held {
    fn take(&self) -> Option<Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, work: Work) {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
    }

    /// The object of a transfer that comes after another. `list` gives some that come then, in order: listing
    /// a folder looks at all that is in it.
    fn object_after<E>(
        &self,
        transfer: &str,
        after: &str,
        list: impl FnOnce() -> Result<Vec<ObjectEntry>, E>,
    ) -> Result<Option<String>, E> {
        let mut upcoming = self.upcoming.lock().unwrap_or_else(PoisonError::into_inner);
        if upcoming.transfer != transfer || upcoming.after != after || upcoming.keys.is_empty() {
            let keys = list()?.into_iter().map(|object| object.key).collect();
            *upcoming = Upcoming { transfer: transfer.to_owned(), after: after.to_owned(), keys };
        }
        let next = upcoming.keys.pop_front();
        upcoming.after = next.clone().unwrap_or_default();
        Ok(next)
    }
}

/// Goes on with a transfer. Returns how much of the budget that took, at least 1.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn advance(
    engine: &Engine,
    kind: Kind,
    id: &str,
    now: Timestamp,
    entries: usize,
) -> Result<usize, StoreError> {
    let spent = match record::load(&*engine.store, kind, id)? {
        None => record::forget(engine, kind, id, now),
        Some(stored) if stored.transfer.status.is_over() => record::forget(engine, kind, id, now),
        Some(stored) if kind == Kind::Export => export::advance(engine, stored, now, entries),
        Some(stored) => load::advance(engine, stored, now, entries),
    };
    spent.map(|spent| spent.max(1)).map_err(corrupt)
}

/// Why a transfer failed that a bucket gave up, in the service's words where it has any.
fn bucket_failure(error: &BucketError) -> Failed {
    let (code, message) = match error {
        BucketError::NoSuchBucket => (
            "S3NoSuchBucket",
            "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket)",
        ),
        BucketError::NoSuchKey => (
            "S3NoSuchKey",
            "The specified key does not exist. (Service: Amazon S3; Status Code: 404; Error Code: NoSuchKey)",
        ),
        BucketError::AccessDenied => (
            "S3AccessDenied",
            "Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied)",
        ),
        BucketError::Full => ("S3InternalError", "The buckets hold as many bytes as they may"),
        BucketError::Failed { detail } => ("S3InternalError", detail.as_str()),
    };
    Failed { code: code.to_owned(), message: message.to_owned() }
}

/// A reader's failure that is a bucket's.
fn bucket_error(error: &std::io::Error) -> Option<&BucketError> {
    error.get_ref()?.downcast_ref()
}

/// A request that was stored, and so was read before.
fn unreadable() -> InternalError {
    InternalError::Malformed("the request of a transfer")
}
