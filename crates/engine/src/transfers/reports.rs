//! Reports of what wasn't put.
//!
//! Lines are kept as parts of the transfer, and written to an object when there are many of them, or at the
//! end. An import has a log in the service's own log service; here the first of its errors become an object of
//! a bucket, where there is one.

use keyplan_formats::{md5, pack};
use keyplan_store::{Batch, StoreExt};
use keyplan_value::json::{Node, Writer};
use keyplan_value::{Item, base64};

use super::parts::{self, Part};
use super::record::{Status, Stored, commit};
use super::{IMPORT_ERRORS_BUCKET, Kind, Transfer};
use crate::buckets::{BucketError, Buckets};
use crate::calendar::iso_text;
use crate::call::Timestamp;
use crate::engine::Engine;
use crate::error::InternalError;
use crate::limits::IMPORT_ERRORS_KEPT_MAX;
use crate::validate::{present, string};
use crate::write::{Action, Mutation};

/// Where a bulk put reports to, and what.
#[derive(Debug, Clone, Default)]
pub(super) struct Report {
    /// The bucket and what comes before keys, for a bulk put.
    output: Option<(String, String)>,
    errors: bool,
    refused: bool,
}

/// A line about a record that is no item.
pub(super) fn line(transfer: &Transfer, bucket: &str, object: &str, index: u64, what: &str) -> Vec<u8> {
    let mut line = Vec::new();
    let mut json = Writer::new(&mut line);
    json.begin_object();
    pointer(&mut json, transfer, bucket, object, index);
    json.name("errorMessages").begin_array().string(what).end_array().end_object();
    line.push(b'\n');
    line
}

fn pointer(json: &mut Writer<'_>, transfer: &Transfer, bucket: &str, object: &str, index: u64) {
    json.name("itemS3Pointer").begin_object().name("bucket").string(bucket);
    json.name("key").string(object).name("itemIndex").integer(index).end_object();
    let name = if transfer.kind == Kind::Import { "importArn" } else { "bulkOperationArn" };
    json.name(name).string(&transfer.arn(&transfer.region));
}

impl Report {
    pub(super) fn of(kind: Kind, request: Node<'_, '_>) -> Report {
        if kind == Kind::Import {
            return Report { output: None, errors: true, refused: false };
        }
        let Some(output) = present(request, "OutputS3Configuration") else { return Report::default() };
        let types = present(output, "OutputType");
        let has = |word: &str| {
            types.is_some_and(|types| types.elements().any(|one| one.string().is_some_and(|one| one == word)))
        };
        let input = present(request, "InputS3Configuration").and_then(|input| string(input, "S3Bucket"));
        let bucket = string(output, "S3Bucket").or(input).unwrap_or_default().into_owned();
        let prefix = string(output, "S3KeyPrefix").unwrap_or_default().into_owned();
        let output = Some((bucket, prefix));
        Report { output, errors: has("ERROR"), refused: has("CONDITION_CHECK_FAILURE") }
    }

    /// A key of the bulk put's output.
    fn key(&self, transfer: &Transfer, name: &str) -> String {
        let prefix = self.output.as_ref().map_or("", |(_, prefix)| prefix.trim_end_matches('/'));
        let slash = if prefix.is_empty() { "" } else { "/" };
        [prefix, slash, "AWSDynamoDB/", &transfer.id, "/", name].concat()
    }

    /// Whether the output's bucket can be written; if not, why.
    pub(super) fn check(
        &self,
        buckets: &std::sync::Arc<dyn Buckets>,
        transfer: &Transfer,
    ) -> Option<BucketError> {
        let (bucket, _) = self.output.as_ref()?;
        buckets.put(bucket, &self.key(transfer, "_started"), b"").err()
    }

    /// A line about an item whose condition didn't hold.
    pub(super) fn refused(
        &self,
        transfer: &Transfer,
        (bucket, object, index): (&str, &str, u64),
        mutation: &Mutation,
        existing: Option<&Item>,
    ) -> Vec<u8> {
        let mut line = Vec::new();
        let mut json = Writer::new(&mut line);
        json.begin_object();
        pointer(&mut json, transfer, bucket, object, index);
        if let Action::Put(item) = &mutation.action {
            json.name("Item").value_with(|out| item.as_ref().write_json(out));
        }
        if let Some(item) = existing {
            json.name("ExistingItem").value_with(|out| item.as_ref().write_json(out));
        }
        json.end_object();
        line.push(b'\n');
        line
    }

    /// Keeps lines for the next report.
    pub(super) fn keep(
        &self,
        batch: &mut Batch,
        next: &mut Transfer,
        errors: &[Vec<u8>],
        refused: &[Vec<u8>],
    ) {
        let few = next.kind == Kind::BulkPut || next.errors <= IMPORT_ERRORS_KEPT_MAX;
        for (part, lines, wanted) in
            [(Part::Errors, errors, self.errors && few), (Part::Refused, refused, self.refused)]
        {
            if wanted && !lines.is_empty() {
                let bytes = lines.concat();
                next.kept_bytes += bytes.len() as u64;
                parts::put_part(batch, (next.kind, &next.id), part, next.parts, bytes);
                next.parts += 1;
            }
        }
    }

    /// Writes what is kept of a bulk put's lines to objects. Gives the manifest's lines about those.
    fn write(
        &self,
        engine: &Engine,
        next: &mut Transfer,
    ) -> Result<Result<Vec<u8>, BucketError>, InternalError> {
        let mut files = Vec::new();
        let Some((bucket, _)) = &self.output else { return Ok(Ok(files)) };
        for (part, folder) in [(Part::Errors, "errors"), (Part::Refused, "condition-check-failures")] {
            let lines = engine.store.view(|snapshot| parts::joined(snapshot, next, part))??;
            if lines.is_empty() {
                continue;
            }
            // Compressing into memory doesn't fail.
            let packed = pack(&lines).unwrap_or_default();
            let key = self.key(next, &format!("{folder}/{:08}.json.gz", next.files));
            if let Err(error) = engine.buckets.put(bucket, &key, &packed) {
                return Ok(Err(error));
            }
            next.files += 1;
            let count = lines.iter().filter(|byte| **byte == b'\n').count();
            let mut json = Writer::new(&mut files);
            json.begin_object().name("itemCount").integer(count as u64);
            json.name("md5Checksum").string(&base64::text(&md5(&packed)));
            json.name("dataFileS3Key").string(&key).end_object();
            files.push(b'\n');
        }
        next.kept_bytes = 0;
        Ok(Ok(files))
    }

    /// Takes away what is kept for reports.
    pub(super) fn forget(&self, batch: &mut Batch, transfer: &Transfer) {
        for part in [Part::Errors, Part::Refused] {
            parts::remove(batch, transfer, part);
        }
    }

    /// Writes the last reports and what tells of them.
    pub(super) fn finish(
        &self,
        engine: &Engine,
        next: &mut Transfer,
        now: Timestamp,
        status: Status,
    ) -> Result<Result<(), BucketError>, InternalError> {
        let Some((bucket, _)) = &self.output else {
            let lines = engine.store.view(|snapshot| parts::joined(snapshot, next, Part::Errors))??;
            if !lines.is_empty() {
                // The log is a help where there is a bucket for it, and no part of the import.
                let _ = engine.buckets.put(IMPORT_ERRORS_BUCKET, &[&next.id, "/error"].concat(), &lines);
            }
            return Ok(Ok(()));
        };
        let mut files = engine.store.view(|snapshot| parts::joined(snapshot, next, Part::Files))??;
        match self.write(engine, next)? {
            Ok(more) => files.extend(more),
            Err(error) => return Ok(Err(error)),
        }
        let mut summary = Vec::new();
        let mut json = Writer::new(&mut summary);
        json.begin_object().name("bulkOperationArn").string(&next.arn(&next.region));
        json.name("status").string(status.word());
        json.name("startTime").string(&(iso_text(next.started) + "Z"));
        json.name("endTime").string(&(iso_text(now) + "Z"));
        json.name("processedItemCount").integer(next.processed);
        json.name("failedItemCount").integer(next.errors);
        json.name("conditionCheckFailureCount").integer(next.refused);
        json.name("manifestFilesS3Key").string(&self.key(next, "manifest-files.json")).end_object();
        for (name, bytes) in [("manifest-files.json", &files), ("manifest-summary.json", &summary)] {
            if let Err(error) = engine.buckets.put(bucket, &self.key(next, name), bytes) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }
}

/// Writes what is kept to a report, because there is much of it.
pub(super) fn flush(
    engine: &Engine,
    stored: &Stored,
    report: &Report,
    now: Timestamp,
) -> Result<usize, InternalError> {
    let mut next = stored.transfer.clone();
    match report.write(engine, &mut next)? {
        Err(error) => {
            next.end(Status::Failed, Some(super::bucket_failure(&error)), now);
            commit(engine, stored, next, |_, _| Ok(()))
        }
        Ok(files) => {
            let number = next.parts;
            next.parts += 1;
            let (kept, report) = (next.clone(), report.clone());
            commit(engine, stored, next, move |_, batch| {
                report.forget(batch, &kept);
                if !files.is_empty() {
                    parts::put_part(batch, (kept.kind, &kept.id), Part::Files, number, files.clone());
                }
                Ok(())
            })
        }
    }
}
