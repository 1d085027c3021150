//! StartBulkPutItems, DescribeBulkOperation, ListBulkOperations and CancelBulkOperation.

use keyplan_store::{Batch, StoreExt};
use keyplan_value::json::{Node, Writer};

use super::{begin, described, echo, failure, limit, listed, named, reference, refused, times, token};
use crate::catalog::{self, uuid_text};
use crate::context::Context;
use crate::error::{InUse, InternalError, NotFound, ServiceError, TransferError, TransferFault};
use crate::jobs::Backfill;
use crate::limits::LIST_BULK_OPERATIONS_DEFAULT;
use crate::operations::parameters::{required, table_reference};
use crate::operations::{Answer, Failure};
use crate::transfers::{Begun, Kind, Part, Status, Transfer, find, new_id, put_part};
use crate::validate::{present, string};

/// Runs one StartBulkPutItems.
pub(in crate::operations) fn start_bulk_put_items(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    ctx.own(&reference)?;
    let output = required(request, "OutputS3Configuration")?;
    // The model doesn't require the bucket; the documentation does.
    if string(output, "S3Bucket").is_none() {
        return Err(ServiceError::from(TransferFault::OutputBucketMissing).into());
    }
    let token = token(ctx, request, Kind::BulkPut);
    let (id, raw) = (new_id(ctx.now(), ctx.random()), request.raw().as_bytes().to_vec());
    let (name, region, text, now) =
        (reference.name().to_owned(), ctx.region().to_owned(), token.text.clone(), ctx.now());
    let begun = begin(ctx, &token, ServiceError::IdempotentParameterMismatch, move |snapshot, batch| {
        let table = catalog::table_in(snapshot, &name)?.filter(|table| table.is_usable());
        let Some(table) = table else {
            return Err(refused(ServiceError::ResourceNotFound(NotFound::Table(name.clone()))));
        };
        for index in table.indexes.iter().filter(|index| index.added) {
            if Backfill::of(snapshot, index.space)?.is_some() {
                let updated = InUse::TableUpdated(name.clone());
                return Err(refused(ServiceError::ResourceInUse(updated)));
            }
        }
        put_part(batch, (Kind::BulkPut, &id), Part::Request, 0, raw.clone());
        Ok(Transfer::begin(Begun {
            kind: Kind::BulkPut,
            id: id.clone(),
            table: &name,
            table_id: table.id,
            region: &region,
            token: &text,
            now,
        }))
    })?;
    Ok(answer(ctx, &begun, request.raw().as_bytes())?)
}

/// Runs one DescribeBulkOperation.
pub(in crate::operations) fn describe_bulk_operation(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let arn = string(request, "BulkOperationArn").unwrap_or_default();
    let (stored, sent) = named(ctx, &arn, Kind::BulkPut)?;
    Ok(answer(ctx, &stored.transfer, &sent)?)
}

/// Runs one CancelBulkOperation: what was put stays. One that is over stays as it is.
pub(in crate::operations) fn cancel_bulk_operation(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let arn = string(request, "BulkOperationArn").unwrap_or_default().into_owned();
    let (table, id) = reference(ctx, &arn, Kind::BulkPut)?;
    let (table, id) = (table.to_owned(), id.to_owned());
    let cancelled = ctx.store().transact(move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        let found = find(snapshot, Kind::BulkPut, &id)?.map(|(stored, _)| stored.transfer);
        let Some(mut operation) = found.filter(|operation| operation.table == table) else {
            return Ok((batch, None));
        };
        if operation.status == Status::InProgress {
            operation.status = Status::Cancelling;
            operation.put(&mut batch)?;
        }
        Ok((batch, Some(operation.status)))
    })?;
    let (status, _) = cancelled?;
    let missing = || TransferError::NotFound { kind: Kind::BulkPut.word(), arn: arn.clone() };
    let status = status.ok_or_else(|| ServiceError::from(missing()))?;
    ctx.catalog_changed();
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("BulkOperationArn").string(&arn);
    json.name("BulkOperationStatus").string(status.word()).end_object();
    Ok(body.into())
}

/// Runs one ListBulkOperations.
pub(in crate::operations) fn list_bulk_operations(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let limit = limit(request, "MaxResults", LIST_BULK_OPERATIONS_DEFAULT);
    listed(ctx, request, Kind::BulkPut, ("BulkOperationsSummaryList", limit), |json, operation| {
        json.name("BulkOperationArn").string(&operation.arn(ctx.region()));
        json.name("BulkOperationStatus").string(operation.status.word());
        times(json, operation);
        Ok(())
    })
}

fn answer(ctx: &Context<'_>, operation: &Transfer, sent: &[u8]) -> Result<Answer, ServiceError> {
    described("BulkOperationDescription", sent, |json, request| {
        json.name("BulkOperationArn").string(&operation.arn(ctx.region()));
        json.name("BulkOperationStatus").string(operation.status.word());
        json.name("TableDetails").begin_array().begin_object();
        json.name("TableName").string(&operation.table);
        json.name("TableId").string(&uuid_text(operation.table_id)).end_object().end_array();
        json.name("ClientToken").string(&operation.token);
        echo(json, request, &["InputS3Configuration", "OutputS3Configuration"]);
        times(json, operation);
        json.name("ProcessedItemCount").integer(operation.processed);
        json.name("ProcessedInputBytes").integer(operation.bytes);
        json.name("TotalInputBytes").integer(operation.total_bytes);
        json.name("FailedItemCount").integer(operation.errors);
        echo(json, request, &["MaxWriteRequestUnits"]);
        let tier = present(request, "PerformanceTier").and_then(|tier| tier.string());
        json.name("PerformanceTier").string(tier.as_deref().unwrap_or("STANDARD"));
        failure(json, operation);
    })
}
