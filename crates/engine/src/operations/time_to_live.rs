//! UpdateTimeToLive and DescribeTimeToLive.
//!
//! What the service takes its time for is done by the next request, but for a table in use: a job looks at its
//! items, and until it has come to the end the status says so.

use keyplan_store::{Batch, StoreExt};
use keyplan_value::json::{Node, Writer};

use super::parameters::{required, table_reference};
use super::{Answer, Failure, lifecycle};
use crate::catalog::{self, Membership, TimeToLive};
use crate::context::Context;
use crate::error::{
    Busy, InternalError, NotFound, ReplicaError, ServiceError, TimeToLiveError, ValidationError,
};
use crate::expiry;
use crate::jobs::{Backfill, cancel_backfill, schedule_backfill};
use crate::replication;
use crate::undo::WriteLabel;
use crate::validate::{boolean, string};
use crate::weather::{Move, TableState};

/// Runs one DescribeTimeToLive.
pub(super) fn describe_time_to_live(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    let table = ctx.named_table(&reference)?;
    if !table.is_usable() {
        return Err(ServiceError::ResourceNotFound(NotFound::Table(reference.name().to_owned())).into());
    }
    let state = ctx.state_of(&table);
    if state.is_being_made() {
        return Err(ValidationError::TimeToLive(TimeToLiveError::TableIsBeingMade).into());
    }
    let step = state.steps().find_map(|step| match step {
        Move::Expiry { attribute, enables } => Some((attribute, *enables)),
        _ => None,
    });
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TimeToLiveDescription").begin_object();
    match &table.time_to_live {
        Some(TimeToLive { attribute, space }) => {
            let filling = ctx.store().view(|snapshot| Backfill::of(snapshot, *space))??.is_some();
            json.name("AttributeName").string(attribute);
            let enabling = filling || step.is_some_and(|(_, enables)| enables);
            json.name("TimeToLiveStatus").string(if enabling { "ENABLING" } else { "ENABLED" });
        }
        None => match step {
            Some((attribute, false)) => {
                json.name("AttributeName").string(attribute);
                json.name("TimeToLiveStatus").string("DISABLING");
            }
            _ => _ = json.name("TimeToLiveStatus").string("DISABLED"),
        },
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
    let is_changing = check_made(ctx, name)?.steps().any(|step| matches!(step, Move::Expiry { .. }));
    let key = ctx.table_key(name)?;
    // It is the same in all regions of a global table.
    let home = ctx.catalog().table(ctx.store(), name)?;
    let regions = home.and_then(|home| Some(home.global.as_ref()?.regions().count())).unwrap_or(1);
    let mut drawn = Vec::new();
    for _ in 0..if enabled { regions } else { 0 } {
        drawn.push(ctx.store().new_space()?);
    }
    let label = WriteLabel { operation: ctx.operation().name, table: name, now: ctx.now() };
    let (wanted, of, asked, spaces) = (name.to_owned(), key.clone(), attribute.clone(), drawn.clone());
    let written = ctx.undo().transact(ctx.store(), label, move |snapshot| {
        let found = catalog::table_in(snapshot, &of)?.filter(catalog::TableDefinition::is_usable);
        let Some(table) = found else {
            return Err(ServiceError::ResourceNotFound(NotFound::Table(wanted.clone())));
        };
        if enabled && table.membership == Some(Membership::Strong) {
            return Err(ValidationError::Replica(ReplicaError::StrongWithout("Time to live is")).into());
        }
        let refusal = match &table.time_to_live {
            Some(current) if current.attribute != asked => {
                Some(TimeToLiveError::OtherAttribute { current: current.attribute.clone() })
            }
            Some(_) if enabled => Some(TimeToLiveError::AlreadyEnabled),
            None if !enabled => Some(TimeToLiveError::AlreadyDisabled),
            _ if is_changing => Some(TimeToLiveError::ChangedTooOften),
            _ => None,
        };
        if let Some(refusal) = refusal {
            return Err(ValidationError::TimeToLive(refusal).into());
        }
        let mut batch = Batch::new();
        let others = replication::others(snapshot, &table)?;
        let changed = table.id;
        let mut spaces = spaces.iter().copied();
        for mut table in std::iter::once(table).chain(others) {
            let before = table.time_to_live.take();
            table.time_to_live = spaces.next().map(|space| TimeToLive { attribute: asked.clone(), space });
            table.revision = table.next_revision()?;
            catalog::put(&mut batch, &table)?;
            if let Some(set) = &table.time_to_live {
                // Items expire in one region, and their removal is replicated.
                if table.region.is_none() {
                    expiry::note(&mut batch, set, &table.name);
                }
                schedule_backfill(&mut batch, &table, set.space);
            }
            if let Some(gone) = before {
                cancel_backfill(&mut batch, gone.space);
                catalog::retire(&mut batch, gone.space);
            }
        }
        Ok((batch, changed))
    });
    let written = written.map_err(InternalError::from).map_err(ServiceError::from).flatten();
    if written.is_err() {
        catalog::give_back(ctx.store(), &key, drawn);
    }
    let changed = written?;
    ctx.catalog_changed();
    ctx.begin(changed, || Move::Expiry { attribute: attribute.clone(), enables: enabled });
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TimeToLiveSpecification").begin_object();
    json.name("AttributeName").string(&attribute);
    json.name("Enabled").boolean(enabled);
    json.end_object().end_object();
    Ok(body.into())
}

/// What is under way with a table, which isn't that it is being made.
///
/// # Errors
/// When it is; or the store fails.
fn check_made(ctx: &Context<'_>, name: &str) -> Result<TableState, ServiceError> {
    if ctx.weather().is_none() {
        return Ok(TableState::default());
    }
    let table = ctx.here(name)?;
    let state = table.map(|table| ctx.state_of(&table)).unwrap_or_default();
    if state.is_being_made() {
        return Err(lifecycle::busy(ctx, name, Busy::MadeWithoutExpiry));
    }
    Ok(state)
}
