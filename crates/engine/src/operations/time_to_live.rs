//! UpdateTimeToLive and DescribeTimeToLive.
//!
//! What the service takes its time for is done by the next request, but for a table in use: a job looks at its
//! items, and until it has come to the end the status says so.

use keyplan_store::{Batch, StoreExt};
use keyplan_value::json::{Node, Writer};

use super::parameters::{required, table_reference};
use super::{Answer, Failure};
use crate::catalog::{self, TimeToLive};
use crate::context::Context;
use crate::error::{InternalError, NotFound, ServiceError, TimeToLiveError, ValidationError};
use crate::expiry;
use crate::jobs::{Backfill, cancel_backfill, schedule_backfill};
use crate::undo::WriteLabel;
use crate::validate::{boolean, string};

/// Runs one DescribeTimeToLive.
pub(super) fn describe_time_to_live(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let table = ctx.named_table(&table_reference(request)?)?;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TimeToLiveDescription").begin_object();
    match &table.time_to_live {
        Some(TimeToLive { attribute, space }) => {
            let filling = ctx.store().view(|snapshot| Backfill::of(snapshot, *space))??.is_some();
            json.name("AttributeName").string(attribute);
            json.name("TimeToLiveStatus").string(if filling { "ENABLING" } else { "ENABLED" });
        }
        None => {
            json.name("TimeToLiveStatus").string("DISABLED");
        }
    }
    json.end_object().end_object();
    Ok(body.into())
}

/// Runs one UpdateTimeToLive.
pub(super) fn update_time_to_live(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    ctx.own(&reference)?;
    let specification = required(request, "TimeToLiveSpecification")?;
    let enabled = boolean(specification, "Enabled").unwrap_or_default();
    let attribute = string(specification, "AttributeName").unwrap_or_default().into_owned();
    let name = reference.name();
    let space = if enabled { Some(ctx.store().new_space()?) } else { None };
    let label = WriteLabel { operation: ctx.operation().name, table: name, now: ctx.now() };
    let (wanted, asked) = (name.to_owned(), attribute.clone());
    let written = ctx.undo().transact(ctx.store(), label, move |snapshot| {
        let Some(mut table) = catalog::table_in(snapshot, &wanted)? else {
            return Err(ServiceError::ResourceNotFound(NotFound::Table(wanted.clone())));
        };
        let refusal = match &table.time_to_live {
            Some(current) if current.attribute != asked => {
                Some(TimeToLiveError::OtherAttribute { current: current.attribute.clone() })
            }
            Some(_) if enabled => Some(TimeToLiveError::AlreadyEnabled),
            None if !enabled => Some(TimeToLiveError::AlreadyDisabled),
            _ => None,
        };
        if let Some(refusal) = refusal {
            return Err(ValidationError::TimeToLive(refusal).into());
        }
        let mut batch = Batch::new();
        let before = table.time_to_live.take();
        table.time_to_live = space.map(|space| TimeToLive { attribute: asked.clone(), space });
        table.revision = table.next_revision()?;
        catalog::put(&mut batch, &table)?;
        if let Some(set) = &table.time_to_live {
            expiry::note(&mut batch, set, &table.name);
            schedule_backfill(&mut batch, &table, set.space);
        }
        if let Some(gone) = before {
            cancel_backfill(&mut batch, gone.space);
            catalog::retire(&mut batch, gone.space);
        }
        Ok((batch, ()))
    });
    let written = written.map_err(InternalError::from).map_err(ServiceError::from).flatten();
    if written.is_err() {
        catalog::give_back(ctx.store(), name, space);
    }
    written?;
    ctx.catalog_changed();
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TimeToLiveSpecification").begin_object();
    json.name("AttributeName").string(&attribute);
    json.name("Enabled").boolean(enabled);
    json.end_object().end_object();
    Ok(body.into())
}
