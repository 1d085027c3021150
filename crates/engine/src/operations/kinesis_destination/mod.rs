//! The four operations on Kinesis destinations. A table has at most one that its changes go to; those that they
//! went to, or could not, stay listed.

use keyplan_store::Batch;
use keyplan_value::json::{Node, Writer};

use super::parameters::table_reference;
use super::{Answer, Failure};
use crate::catalog::{self, Destination, DestinationStatus, TableDefinition, TimePrecision, uuid_text};
use crate::context::Context;
use crate::destinations::{self, stream_name};
use crate::error::{DestinationError, InternalError, NotFound, ServiceError, ValidationError};
use crate::journal::begin_reading;
use crate::undo::WriteLabel;
use crate::validate::{present, string};

const ENABLING: &str = "EnableKinesisStreamingConfiguration";
const UPDATING: &str = "UpdateKinesisStreamingConfiguration";

/// Runs one DescribeKinesisStreamingDestination.
pub(super) fn describe_kinesis_streaming_destination(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let table = ctx.named_table(&table_reference(request)?)?;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TableName").string(&table.name);
    json.name("KinesisDataStreamDestinations").begin_array();
    for destination in &table.destinations {
        json.begin_object().name("StreamArn").string(&destination.arn);
        json.name("DestinationStatus").string(destination.status.word());
        if let Some(description) = destination.status.description() {
            json.name("DestinationStatusDescription").string(description);
        }
        if let Some(precision) = destination.precision {
            json.name("ApproximateCreationDateTimePrecision").string(precision.word());
        }
        json.end_object();
    }
    json.end_array().end_object();
    Ok(body.into())
}

/// Runs one EnableKinesisStreamingDestination. Whether there is such a data stream shows later.
pub(super) fn enable_kinesis_streaming_destination(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let precision = precision(request, ENABLING);
    let region = ctx.region().to_owned();
    let now = ctx.now();
    changed(ctx, request, "ENABLING", ENABLING, true, move |table, arn| {
        if table.active_destination().is_some() {
            return Err(DestinationError::Enabled.into());
        }
        let status = match stream_name(arn, &region) {
            Ok(_) => DestinationStatus::Active,
            Err(fault) => DestinationStatus::Failed(fault),
        };
        let destination = Destination { arn: arn.to_owned(), status, precision, since: now };
        // One that is listed comes back in its place.
        match table.destinations.iter_mut().find(|listed| listed.arn == arn) {
            Some(listed) => *listed = destination,
            None => table.destinations.insert(0, destination),
        }
        Ok(())
    })
}

/// Runs one DisableKinesisStreamingDestination.
pub(super) fn disable_kinesis_streaming_destination(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    if precision(request, ENABLING).is_some() {
        return Err(refused(DestinationError::DisabledWithConfiguration).into());
    }
    changed(ctx, request, "DISABLING", ENABLING, false, |table, arn| {
        let destination = active(table, arn).ok_or(DestinationError::NotActive)?;
        destination.status = DestinationStatus::Disabled;
        destination.precision = None;
        Ok(())
    })
}

/// Runs one UpdateKinesisStreamingDestination.
pub(super) fn update_kinesis_streaming_destination(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let Some(asked) = precision(request, UPDATING) else {
        return Err(refused(DestinationError::NothingToUpdate).into());
    };
    changed(ctx, request, "UPDATING", UPDATING, false, move |table, arn| {
        let (name, id) = (table.name.clone(), table.id);
        if !table.destinations.iter().any(|destination| destination.arn == arn) {
            return Err(DestinationError::Unknown { table: name, arn: arn.to_owned() }.into());
        }
        let Some(destination) = active(table, arn) else {
            return Err(DestinationError::UpdatedInactive { table: name, arn: arn.to_owned() }.into());
        };
        // Milliseconds are what it has where nothing was said.
        if destination.precision.unwrap_or(TimePrecision::Millisecond) == asked {
            let (table, arn) = (uuid_text(id), arn.to_owned());
            return Err(DestinationError::SamePrecision { precision: asked.word(), table, arn }.into());
        }
        destination.precision = Some(asked);
        Ok(())
    })
}

fn precision(request: Node<'_, '_>, configuration: &str) -> Option<TimePrecision> {
    let word = string(present(request, configuration)?, "ApproximateCreationDateTimePrecision")?;
    TimePrecision::from_word(&word)
}

fn active<'t>(table: &'t mut TableDefinition, arn: &str) -> Option<&'t mut Destination> {
    let is_it = |destination: &&mut Destination| {
        destination.arn == arn && destination.status == DestinationStatus::Active
    };
    table.destinations.iter_mut().find(is_it)
}

fn refused(error: DestinationError) -> ServiceError {
    ValidationError::Destination(error).into()
}

/// Why destinations stay as they are.
enum Refusal {
    Missing,
    Refused(DestinationError),
    Internal(InternalError),
}

impl From<DestinationError> for Refusal {
    fn from(error: DestinationError) -> Refusal {
        Refusal::Refused(error)
    }
}

/// Changes the destinations of the request's table, and answers with the state that the service is then in.
fn changed(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    status: &str,
    configuration: &str,
    begins: bool,
    change: impl Fn(&mut TableDefinition, &str) -> Result<(), Refusal> + Send + 'static,
) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    ctx.own(&reference)?;
    let key = ctx.table_key(reference.name())?;
    let arn = string(request, "StreamArn").unwrap_or_default().into_owned();
    let fresh = if begins { Some(ctx.store().new_space()?) } else { None };
    let label = WriteLabel { operation: ctx.operation().name, table: &key, now: ctx.now() };
    let (wanted, of, now) = (key.clone(), arn.clone(), ctx.now());
    let written = ctx.undo().transact(ctx.store(), label, move |snapshot| {
        let internal = |error| Refusal::Internal(error);
        let before = catalog::table_in(snapshot, &wanted).map_err(internal)?.ok_or(Refusal::Missing)?;
        let mut table = before.clone();
        change(&mut table, &of)?;
        let mut batch = Batch::new();
        let mut apply = || {
            if let (Some(_), Some(fresh)) = (table.active_destination(), fresh) {
                begin_reading(snapshot, &mut batch, &mut table, fresh, now)?;
            }
            table.revision = table.next_revision()?;
            catalog::put(&mut batch, &table)?;
            destinations::follow(snapshot, &mut batch, Some(&before), Some(&table))
        };
        apply().map_err(internal)?;
        Ok((batch, table.name))
    })?;
    let written = written.map_err(|refusal| match refusal {
        Refusal::Missing => ServiceError::ResourceNotFound(NotFound::Table(reference.name().to_owned())),
        Refusal::Refused(error) => refused(error),
        Refusal::Internal(error) => error.into(),
    });
    // A table that has a journal needs no other.
    catalog::give_back(ctx.store(), &key, fresh);
    let name = written?;
    ctx.catalog_changed();
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TableName").string(&name).name("StreamArn").string(&arn);
    json.name("DestinationStatus").string(status).name(configuration).begin_object();
    if let Some(precision) = precision(request, configuration) {
        json.name("ApproximateCreationDateTimePrecision").string(precision.word());
    }
    json.end_object().end_object();
    Ok(body.into())
}
