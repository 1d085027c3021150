//! The manifests of an export.

use keyplan_formats::md5;
use keyplan_value::base64;
use keyplan_value::json::Writer;

use super::Transfer;
use super::export::{Export, moment};
use crate::arn::table_arn;
use crate::catalog::uuid_text;

/// The line about a file of items.
pub(super) fn file_line(items: u64, sum: &[u8; 16], key: &str) -> Vec<u8> {
    let mut line = Vec::new();
    let mut json = Writer::new(&mut line);
    json.begin_object().name("itemCount").integer(items);
    json.name("md5Checksum").string(&base64::text(sum));
    // That of an object which was put in one part: the digest of the parts' digests, and their number.
    let mut etag = String::new();
    for byte in md5(sum) {
        etag.extend([byte >> 4, byte & 15].iter().filter_map(|half| char::from_digit((*half).into(), 16)));
    }
    json.name("etag").string(&(etag + "-1"));
    json.name("dataFileS3Key").string(key).end_object();
    line.push(b'\n');
    line
}

/// The summary of an export that is complete.
pub(super) fn summary(transfer: &Transfer, export: &Export) -> Vec<u8> {
    let mut summary = Vec::new();
    let mut json = Writer::new(&mut summary);
    let version = if export.incremental.is_some() { "2023-08-01" } else { "2020-06-30" };
    json.begin_object().name("version").string(version);
    json.name("exportArn").string(&transfer.arn(&transfer.region));
    moment(&mut json, "startTime", transfer.started);
    moment(&mut json, "endTime", transfer.ended.unwrap_or(transfer.started));
    json.name("tableArn").string(&table_arn(&transfer.region, &transfer.table));
    json.name("tableId").string(&uuid_text(transfer.table_id));
    match &export.incremental {
        Some(window) => {
            moment(&mut json, "exportFromTime", window.from);
            moment(&mut json, "exportToTime", window.to);
        }
        None => moment(&mut json, "exportTime", transfer.moment),
    }
    json.name("s3Bucket").string(&export.bucket);
    json.name("s3Prefix");
    match &export.prefix {
        Some(prefix) => json.string(prefix),
        None => json.null(),
    };
    json.name("s3SseAlgorithm").string("AES256");
    json.name("s3SseKmsKeyId").null();
    json.name("manifestFilesS3Key").string(&export.key(&[&transfer.id, "/manifest-files.json"].concat()));
    json.name("billedSizeBytes").integer(transfer.bytes);
    json.name("itemCount").integer(transfer.written);
    json.name("outputFormat").string(if export.is_ion { "ION" } else { "DYNAMODB_JSON" });
    if let Some(window) = &export.incremental {
        let view = if window.shows_old { "NEW_AND_OLD_IMAGES" } else { "NEW_IMAGE" };
        json.name("outputView").string(view);
        json.name("exportType").string("INCREMENTAL_EXPORT");
    }
    json.end_object();
    summary
}
