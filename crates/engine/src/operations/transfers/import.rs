//! ImportTable, DescribeImport and ListImports.

use keyplan_value::json::{Node, Writer};

use super::{Refusal, begin, described, echo, failure, limit, listed, named, refused, times, token};
use crate::arn::{ACCOUNT, table_arn};
use crate::catalog::{self, uuid_text};
use crate::context::Context;
use crate::error::{Busy, InUse, LimitExceeded, ServiceError, TransferError, TransferFault};
use crate::limits::{IMPORTS_AT_ONCE_MAX, LIST_TRANSFERS_MAX};
use crate::operations::create_table::definition;
use crate::operations::parameters::{required, table_reference};
use crate::operations::table_parameters::throughput;
use crate::operations::{Answer, Failure, lifecycle};
use crate::transfers::{Begun, Kind, Part, Transfer, new_id, newest_first, put_part};
use crate::validate::{present, string};

/// Imports that are looked at to see how many are in progress, and of which tables.
const IMPORTS_LOOKED_AT: usize = 1_000;

/// Runs one ImportTable: the table is defined as by CreateTable, and made once the source is found.
pub(in crate::operations) fn import_table(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let parameters = required(request, "TableCreationParameters")?;
    let reference = table_reference(parameters)?;
    ctx.own(&reference)?;
    let has_csv =
        present(request, "InputFormatOptions").is_some_and(|options| present(options, "Csv").is_some());
    if has_csv && string(request, "InputFormat").is_none_or(|format| format != "CSV") {
        return Err(ServiceError::from(TransferFault::CsvOptions).into());
    }
    if lifecycle::leaving(ctx, reference.name()).is_some() {
        return Err(lifecycle::busy(ctx, reference.name(), Busy::Deleted).into());
    }
    let (units, defined) = definition(ctx, parameters, reference.name())?;
    throughput::within_account(units, ctx.region())?;
    let token = token(ctx, request, Kind::Import);

    let mut drawn = Vec::new();
    let made = defined(&mut || {
        let space = ctx.store().new_space()?;
        drawn.push(space);
        Ok(space)
    });
    let begun = made.map_err(ServiceError::from).and_then(|mut table| {
        table.importing = true;
        let definition = catalog::encode(&table)?;
        let (id, raw) = (new_id(ctx.now(), ctx.random()), request.raw().as_bytes().to_vec());
        let (name, region, text, now) =
            (table.name.clone(), ctx.region().to_owned(), token.text.clone(), ctx.now());
        let conflict = TransferError::ImportConflict.into();
        begin(ctx, &token, conflict, move |snapshot, batch| {
            if catalog::table_in(snapshot, &name)?.is_some() {
                return Err(refused(ServiceError::ResourceInUse(InUse::TableExists(name.clone()))));
            }
            check_others(snapshot, &name)?;
            put_part(batch, (Kind::Import, &id), Part::Request, 0, raw.clone());
            put_part(batch, (Kind::Import, &id), Part::Table, 0, definition.clone());
            Ok(Transfer::begin(Begun {
                kind: Kind::Import,
                id: id.clone(),
                table: &name,
                table_id: table.id,
                region: &region,
                token: &text,
                now,
            }))
        })
    });
    // A token that came again has a table of its own.
    let is_new = begun.as_ref().is_ok_and(|transfer| transfer.started == ctx.now() && !transfer.has_begun);
    if !is_new {
        catalog::give_back_unused(ctx.store(), drawn);
    }
    Ok(answer(ctx, &begun?, request.raw().as_bytes())?)
}

/// Not too many imports are in progress, and none of a table of this name.
fn check_others(snapshot: &dyn keyplan_store::Snapshot, name: &str) -> Result<(), Refusal> {
    let (imports, _) = newest_first(snapshot, Kind::Import, None, None, IMPORTS_LOOKED_AT)?;
    let mut in_progress = imports.iter().filter(|import| !import.status.is_over());
    if in_progress.clone().count() >= IMPORTS_AT_ONCE_MAX {
        return Err(refused(ServiceError::LimitExceeded(LimitExceeded::Imports)));
    }
    match in_progress.find(|import| import.table == name) {
        Some(_) => Err(refused(ServiceError::ResourceInUse(InUse::TableExists(name.to_owned())))),
        None => Ok(()),
    }
}

/// Runs one DescribeImport.
pub(in crate::operations) fn describe_import(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let arn = string(request, "ImportArn").unwrap_or_default();
    let (stored, sent) = named(ctx, &arn, Kind::Import)?;
    Ok(answer(ctx, &stored.transfer, &sent)?)
}

/// Runs one ListImports.
pub(in crate::operations) fn list_imports(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let limit = limit(request, "PageSize", LIST_TRANSFERS_MAX);
    listed(ctx, request, Kind::Import, ("ImportSummaryList", limit), |json, import| {
        let sent = super::find_request(ctx, import)?;
        let tape = super::parsed(&sent)?;
        json.name("ImportArn").string(&import.arn(ctx.region()));
        json.name("ImportStatus").string(import.status.word());
        json.name("TableArn").string(&table_arn(ctx.region(), &import.table));
        source(json, tape.root());
        json.name("CloudWatchLogGroupArn").string(&log_group(ctx.region()));
        echo(json, tape.root(), &["InputFormat"]);
        times(json, import);
        Ok(())
    })
}

fn answer(ctx: &Context<'_>, import: &Transfer, sent: &[u8]) -> Result<Answer, ServiceError> {
    described("ImportTableDescription", sent, |json, request| {
        json.name("ImportArn").string(&import.arn(ctx.region()));
        json.name("ImportStatus").string(import.status.word());
        json.name("TableArn").string(&table_arn(ctx.region(), &import.table));
        json.name("TableId").string(&uuid_text(import.table_id));
        json.name("ClientToken").string(&import.token);
        source(json, request);
        json.name("ErrorCount").integer(import.errors);
        json.name("CloudWatchLogGroupArn").string(&log_group(ctx.region()));
        echo(json, request, &["InputFormat", "InputFormatOptions"]);
        let packing = string(request, "InputCompressionType");
        json.name("InputCompressionType").string(packing.as_deref().unwrap_or("NONE"));
        echo(json, request, &["TableCreationParameters"]);
        times(json, import);
        json.name("ProcessedSizeBytes").integer(import.bytes);
        json.name("ProcessedItemCount").integer(import.processed);
        json.name("ImportedItemCount").integer(import.written);
        failure(json, import);
    })
}

fn source(json: &mut Writer<'_>, request: Node<'_, '_>) {
    let Some(source) = present(request, "S3BucketSource") else { return };
    json.name("S3BucketSource").begin_object();
    let owner = string(source, "S3BucketOwner");
    json.name("S3BucketOwner").string(owner.as_deref().unwrap_or(ACCOUNT));
    echo(json, source, &["S3Bucket", "S3KeyPrefix"]);
    json.end_object();
}

/// The group of logs that the service would write an import's errors to.
fn log_group(region: &str) -> String {
    ["arn:aws:logs:", region, ":", ACCOUNT, ":log-group:/aws-dynamodb/imports:*"].concat()
}
