//! What is told of a table, and refused, while something of it is under way. On a fine day nothing ever is.

use super::table_description::IndexState;
use crate::catalog::{BillingMode, IndexStatus, TableDefinition, Totals};
use crate::context::Context;
use crate::error::{Busy, InUse, ServiceError, StreamMove};
use crate::weather::{Event, IndexStep, Leaving, Move, TableState};

/// The refusal of a table that is busy.
pub(super) fn busy(ctx: &Context<'_>, table: &str, busy: Busy) -> ServiceError {
    if let Some(weather) = ctx.weather() {
        weather.note(Event::Unready);
    }
    ServiceError::ResourceInUse(InUse::Busy { table: table.to_owned(), busy })
}

/// The table of a name that has been deleted and is still told of.
pub(super) fn leaving(ctx: &Context<'_>, name: &str) -> Option<Leaving> {
    let leaving = ctx.weather()?.leaving(ctx.now());
    leaving.into_iter().find(|leaving| leaving.table.name == name)
}

/// Refuses to delete a table that is on its way.
///
/// # Errors
/// What it is busy with; or that the store failed.
pub(super) fn check_delete(ctx: &Context<'_>, name: &str) -> Result<(), ServiceError> {
    if ctx.weather().is_none() {
        return Ok(());
    }
    let Some(table) = ctx.here(name)? else {
        return if leaving(ctx, name).is_some() { Err(busy(ctx, name, Busy::Deleted)) } else { Ok(()) };
    };
    let state = ctx.state_of(&table);
    if state.is_being_made() {
        return Err(busy(ctx, name, Busy::Made));
    }
    if state.indexes().next().is_some() {
        return Err(ServiceError::ResourceInUse(InUse::IndexesChange));
    }
    for step in state.steps() {
        match step {
            Move::Stream { .. } => return Err(busy(ctx, name, Busy::DeleteDuringStream)),
            Move::Units(_) | Move::Class(_) => return Err(busy(ctx, name, Busy::Updated)),
            _ => {}
        }
    }
    Ok(())
}

/// What an UpdateTable asks of a table, as far as it matters to one that is on its way.
#[derive(Debug, Default)]
pub(super) struct Wish<'w> {
    pub(super) billing: Option<BillingMode>,
    pub(super) units: bool,
    pub(super) maxima: bool,
    pub(super) stream: bool,
    pub(super) class: bool,
    pub(super) makes_index: bool,
    pub(super) deletes: Vec<&'w str>,
    pub(super) updates: Vec<&'w str>,
}

/// Refuses to change what is on its way.
///
/// # Errors
/// What the table is busy with; or that the store failed.
pub(super) fn check_update(ctx: &Context<'_>, name: &str, wish: &Wish<'_>) -> Result<(), ServiceError> {
    if ctx.weather().is_none() {
        return Ok(());
    }
    let found = match ctx.here(name)? {
        Some(table) => refusal(&table, &ctx.state_of(&table), wish),
        None => leaving(ctx, name).map(|_| Busy::Deleted),
    };
    match found {
        Some(found) => Err(busy(ctx, name, found)),
        None => Ok(()),
    }
}

fn refusal(table: &TableDefinition, state: &TableState, wish: &Wish<'_>) -> Option<Busy> {
    // A billing mode that is sent again changes nothing, and is taken.
    let bills = wish.billing.is_some_and(|mode| mode != table.billing_mode);
    let units = wish.units || bills;
    let indexes = wish.makes_index || !wish.deletes.is_empty();
    for step in state.steps() {
        let refusal = match step {
            Move::Made { .. } => Some(Busy::Made),
            Move::Units(_) if units => Some(Busy::Units),
            Move::Units(_) if wish.stream => Some(Busy::StreamDuringUnits),
            Move::Units(_) if indexes => Some(Busy::IndexesDuringUnits),
            Move::Units(_) if wish.maxima => Some(Busy::MaximaDuringBilling),
            Move::Stream { label, enables } if units || wish.stream || indexes => {
                let stream = StreamMove { label: label.clone(), enables: *enables };
                Some(match (units, wish.stream) {
                    (true, _) => Busy::UnitsDuringStream(stream),
                    (_, true) => Busy::StreamDuringStream(stream),
                    _ => Busy::IndexesDuringStream,
                })
            }
            Move::Class(_) if wish.class => {
                Some(Busy::Class(table.table_class.map_or("STANDARD", |to| to.word())))
            }
            Move::Units(_) | Move::Stream { .. } if wish.class || wish.maxima => Some(Busy::Updated),
            Move::IndexGone(index) if units => Some(Busy::UnitsDuringIndexDeletion(index.name.clone())),
            _ => None,
        };
        if refusal.is_some() {
            return refusal;
        }
    }
    let of_index = |name: &&str, deletes: bool| match (state.index(name)?, deletes) {
        (IndexStep::Allocating, true) => Some(Busy::IndexAllocated((*name).to_owned())),
        (IndexStep::Allocating, false) => Some(Busy::IndexNotBackfilling((*name).to_owned())),
        (IndexStep::Filling, _) => None,
        (IndexStep::Units, _) => Some(Busy::IndexUpdated((*name).to_owned())),
        (IndexStep::Leaving, _) => Some(Busy::IndexDeleted((*name).to_owned())),
    };
    let deleted = wish.deletes.iter().find_map(|name| of_index(name, true));
    deleted.or_else(|| wish.updates.iter().find_map(|name| of_index(name, false)))
}

/// Puts the states of indexes that are on their way in the place of those that they are in already.
pub(super) fn show_index_states(
    states: &mut [IndexState],
    names: &mut dyn Iterator<Item = &String>,
    state: &TableState,
) {
    for (name, shown) in names.zip(states) {
        shown.status = match state.index(name) {
            _ if state.is_being_made() => IndexStatus::Creating { backfilling: None },
            Some(IndexStep::Allocating) => IndexStatus::Creating { backfilling: Some(false) },
            Some(IndexStep::Filling) => IndexStatus::Creating { backfilling: Some(true) },
            Some(IndexStep::Units) => IndexStatus::Updating,
            Some(IndexStep::Leaving) | None => shown.status,
        };
    }
}

/// A table as it is shown while something of it is under way: with the units and the class that it had, and with
/// the indexes that go.
pub(super) fn shown(
    table: &TableDefinition,
    states: &mut Vec<IndexState>,
    vector_states: &mut [IndexState],
    state: &TableState,
) -> TableDefinition {
    show_index_states(states, &mut table.indexes.iter().map(|index| &index.name), state);
    show_index_states(vector_states, &mut table.vector_indexes.iter().map(|index| &index.name), state);
    let mut shown = table.clone();
    for step in state.steps() {
        match step {
            Move::Units(was) => shown.throughput.provisioned = was.provisioned,
            Move::Class(was) => shown.table_class = *was,
            Move::IndexUnits(name, was) => {
                if let Some(index) = shown.indexes.iter_mut().find(|index| index.name == *name) {
                    index.throughput.provisioned = was.provisioned;
                }
            }
            Move::IndexGone(index) => {
                shown.indexes.push((**index).clone());
                states.push(IndexState { status: IndexStatus::Deleting, totals: Totals::default() });
            }
            _ => {}
        }
    }
    shown
}
