//! ExportTableToPointInTime, DescribeExport and ListExports.

use keyplan_store::{Batch, Snapshot, Space};
use keyplan_value::json::Node;

use super::{Refusal, begin, described, echo, failure, limit, listed, named, refused, times, token};
use crate::arn::{ACCOUNT, TableReference, table_arn};
use crate::call::Timestamp;
use crate::catalog::{self, TableDefinition, uuid_text};
use crate::context::Context;
use crate::error::{BackupError, ServiceError, TransferError, TransferFault};
use crate::history::{self, Reach, Start, Target};
use crate::limits::{EXPORT_WINDOW_MILLISECONDS, LIST_TRANSFERS_MAX};
use crate::operations::{Answer, Failure};
use crate::transfers::{Begun, Incremental, Kind, Part, Transfer, new_id, put_part};
use crate::validate::{present, string, timestamp};

/// What is exported of the table's past.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// Everything, as of a moment, or of now.
    Full(Option<Timestamp>),
    Incremental(Incremental),
}

/// Runs one ExportTableToPointInTime.
pub(in crate::operations) fn export_table_to_point_in_time(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let arn = string(request, "TableArn").unwrap_or_default().into_owned();
    let reference = TableReference::parse(arn.as_str().into());
    let reference = reference.ok().filter(|_| arn.starts_with("arn:"));
    let reference = reference.ok_or_else(|| ServiceError::from(TransferFault::TableArn))?;
    ctx.own(&reference)?;
    let extent = extent(ctx, request)?;
    let token = token(ctx, request, Kind::Export);
    let table = ctx.catalog().table(ctx.store(), reference.name())?;
    let table = table.ok_or_else(|| BackupError::NoTable(arn.clone()))?;
    super::filter::check(ctx, request, &table.key_schema)?;

    let into = ctx.store().new_space()?;
    let (id, raw) = (new_id(ctx.now(), ctx.random()), request.raw().as_bytes().to_vec());
    let (name, region, text, now) =
        (reference.name().to_owned(), ctx.region().to_owned(), token.text.clone(), ctx.now());
    let new = id.clone();
    let begun = begin(ctx, &token, TransferError::ExportConflict.into(), move |snapshot, batch| {
        let Some(mut table) = catalog::table_in(snapshot, &name)?.filter(|table| table.is_usable()) else {
            return Err(refused(BackupError::NoTable(arn.clone())));
        };
        let definition = catalog::encode(&table)?;
        let moment = copy(snapshot, batch, &mut table, extent, into, now)?;
        put_part(batch, (Kind::Export, &id), Part::Request, 0, raw.clone());
        put_part(batch, (Kind::Export, &id), Part::Table, 0, definition);
        let begun = Begun {
            kind: Kind::Export,
            id: id.clone(),
            table: &name,
            table_id: table.id,
            region: &region,
            token: &text,
            now,
        };
        let mut export = Transfer::begin(begun);
        (export.moment, export.space) = (moment, Some(into));
        Ok(export)
    });
    if !begun.as_ref().is_ok_and(|export| export.id == new) {
        // Should dropping fail, nothing is lost but its number.
        let _lost = ctx.store().drop_space(into);
    }
    Ok(answer(ctx, &begun?, request.raw().as_bytes())?)
}

/// What the request asks for, as far as no table is needed to say.
fn extent(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Extent, ServiceError> {
    let window = present(request, "IncrementalExportSpecification");
    let is_incremental = string(request, "ExportType").is_some_and(|word| word == "INCREMENTAL_EXPORT");
    let moment = timestamp(request, "ExportTime");
    match (is_incremental, window) {
        (false, Some(_)) => Err(TransferFault::WindowUnused.into()),
        (false, None) => Ok(Extent::Full(moment)),
        (true, None) => Err(TransferFault::WindowMissing.into()),
        (true, Some(_)) if moment.is_some() => Err(TransferFault::MomentUnused.into()),
        (true, Some(window)) => {
            if timestamp(window, "ExportFromTime").is_none() {
                return Err(TransferFault::WindowStartMissing.into());
            }
            let incremental = Incremental::of(window, ctx.now());
            let (shortest, longest) = EXPORT_WINDOW_MILLISECONDS;
            let length = incremental.to.0.checked_sub(incremental.from.0);
            match length {
                None => Err(TransferFault::WindowReversed.into()),
                Some(length) if length < shortest => Err(TransferFault::WindowShort.into()),
                Some(length) if length > longest => Err(TransferFault::WindowLong.into()),
                Some(_) => Ok(Extent::Incremental(incremental)),
            }
        }
    }
}

/// Begins to copy what is exported. Gives the moment of which it is.
fn copy(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    table: &mut TableDefinition,
    extent: Extent,
    into: Space,
    now: Timestamp,
) -> Result<Timestamp, Refusal> {
    let reach = Reach::of(table, now);
    let reach = reach.ok_or_else(|| refused(BackupError::NotRecoverable(table.name.clone())))?;
    let within = |moment: Timestamp| match moment {
        moment if moment > now || moment < reach.earliest => {
            Err(refused(TransferError::ExportTime { earliest: reach.earliest, latest: now }))
        }
        moment => Ok(moment),
    };
    match extent {
        Extent::Full(moment) => {
            let as_of = moment.map(within).transpose()?;
            // A table that can be recovered has a journal, so no other is needed.
            let journal = table.journal.unwrap_or(into);
            let start = Start { as_of, into, target: Target::Keyspace, journal };
            history::begin(snapshot, batch, table, start, now)?;
            // Without a time it is the present, told in whole seconds.
            Ok(as_of.unwrap_or(Timestamp(now.0 / 1_000 * 1_000)))
        }
        Extent::Incremental(Incremental { from, to, .. }) => {
            within(from)?;
            within(to)?;
            // The window has its first moment, and not its last.
            let before = |moment: Timestamp| Timestamp(moment.0.saturating_sub(1));
            history::begin_changes(snapshot, batch, table, (before(from), before(to)), into)?;
            Ok(to)
        }
    }
}

/// Runs one DescribeExport.
pub(in crate::operations) fn describe_export(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let arn = string(request, "ExportArn").unwrap_or_default();
    let (stored, sent) = named(ctx, &arn, Kind::Export)?;
    Ok(answer(ctx, &stored.transfer, &sent)?)
}

/// Runs one ListExports.
pub(in crate::operations) fn list_exports(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let limit = limit(request, "MaxResults", LIST_TRANSFERS_MAX);
    listed(ctx, request, Kind::Export, ("ExportSummaries", limit), |json, export| {
        let sent = super::find_request(ctx, export)?;
        let tape = super::parsed(&sent)?;
        json.name("ExportArn").string(&export.arn(ctx.region()));
        json.name("ExportStatus").string(export.status.word());
        json.name("ExportType").string(export_type(tape.root()));
        Ok(())
    })
}

fn export_type(request: Node<'_, '_>) -> &'static str {
    match string(request, "ExportType").as_deref() {
        Some("INCREMENTAL_EXPORT") => "INCREMENTAL_EXPORT",
        _ => "FULL_EXPORT",
    }
}

fn answer(ctx: &Context<'_>, export: &Transfer, sent: &[u8]) -> Result<Answer, ServiceError> {
    described("ExportDescription", sent, |json, request| {
        json.name("ExportArn").string(&export.arn(ctx.region()));
        json.name("ExportStatus").string(export.status.word());
        times(json, export);
        let is_complete = export.failure.is_none() && export.ended.is_some();
        if is_complete {
            let prefix = string(request, "S3Prefix").unwrap_or_default();
            let prefix = prefix.trim_end_matches('/');
            let slash = if prefix.is_empty() { "" } else { "/" };
            let manifest = [prefix, slash, "AWSDynamoDB/", &export.id, "/manifest-summary.json"].concat();
            json.name("ExportManifest").string(&manifest);
        }
        json.name("TableArn").string(&table_arn(ctx.region(), &export.table));
        json.name("TableId").string(&uuid_text(export.table_id));
        let kind = export_type(request);
        if kind == "FULL_EXPORT" {
            json.name("ExportTime").float(export.moment.seconds());
        }
        json.name("ClientToken").string(&export.token);
        echo(json, request, &["S3Bucket", "S3Prefix"]);
        let owner = string(request, "S3BucketOwner");
        json.name("S3BucketOwner").string(owner.as_deref().unwrap_or(ACCOUNT));
        let algorithm = string(request, "S3SseAlgorithm");
        json.name("S3SseAlgorithm").string(algorithm.as_deref().unwrap_or("AES256"));
        echo(json, request, &["S3SseKmsKeyId"]);
        let format = string(request, "ExportFormat");
        json.name("ExportFormat").string(format.as_deref().unwrap_or("DYNAMODB_JSON"));
        json.name("ExportType").string(kind);
        if let Some(window) = present(request, "IncrementalExportSpecification") {
            let Incremental { from, to, shows_old } = Incremental::of(window, export.started);
            json.name("IncrementalExportSpecification").begin_object();
            json.name("ExportFromTime").float(from.seconds());
            json.name("ExportToTime").float(to.seconds());
            let view = if shows_old { "NEW_AND_OLD_IMAGES" } else { "NEW_IMAGE" };
            json.name("ExportViewType").string(view).end_object();
        }
        echo(json, request, &["FilterSpecification"]);
        if is_complete {
            json.name("BilledSizeBytes").integer(export.bytes);
            json.name("ItemCount").integer(export.written);
        }
        failure(json, export);
    })
}
