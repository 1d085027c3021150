//! Items by their keys, of any tables, on one snapshot.

use std::ops::Bound;
use std::sync::Arc;

use keyplan_store::{Bounds, Snapshot, StoreExt};
use keyplan_value::Item;

use super::{Read, Source, note_get};
use crate::capacity::{Charge, Consistency, Work};
use crate::catalog::{self, TableDefinition};
use crate::context::Context;
use crate::error::{CancellationReason, InternalError, ServiceError};
use crate::keys::ItemKey;
use crate::trace::Tracer;
use crate::weather::{Behind, Demand, Throttle};

/// An item that is looked for.
#[derive(Debug)]
pub struct Wanted {
    /// Its table.
    pub table: Arc<TableDefinition>,
    /// Its place.
    pub place: ItemKey,
}

/// An item that was looked for, if there is one, and what looking for it cost.
pub type Found = (Option<Item>, Charge);

/// An item that was looked for, or why the weather left it.
pub type FoundOrLeft = Result<Found, Throttle>;

/// Reads the items of a transaction in order, as long as those before take no more than `bytes_max` together: what
/// is found is shorter than `wanted` where they do. Notes what each cost, which `charge` makes of its bytes.
///
/// # Errors
/// When the store fails, or its bytes can't be read; when some are throttled, or held by another transaction.
pub fn get_in_order(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    wanted: &[Wanted],
    bytes_max: u64,
    charge: impl Fn(usize, u64) -> Charge,
) -> Result<Read<Vec<Found>>, ServiceError> {
    if let Some(weather) = ctx.weather()
        && let Some(held) = weather.conflicts(wanted.iter().map(Wanted::at), ctx.now())
    {
        let reason = |held| if held { CancellationReason::Conflict } else { CancellationReason::None };
        return Err(ServiceError::TransactionCanceled(held.into_iter().map(reason).collect()));
    }
    let Read::Done(found) = get_some(ctx, tracer, wanted, bytes_max, charge)? else {
        return Ok(Read::TableChanged);
    };
    if found.iter().all(Result::is_ok) {
        return Ok(Read::Done(found.into_iter().flatten().collect()));
    }
    let reason = |found: FoundOrLeft| match found {
        Ok(_) => CancellationReason::None,
        Err(throttle) => CancellationReason::Throttled(throttle.told(ctx.region())),
    };
    Err(ServiceError::TransactionCanceled(found.into_iter().map(reason).collect()))
}

/// As [`get_in_order`], but those that are throttled are left, and others don't matter.
///
/// # Errors
/// When the store fails, or its bytes can't be read.
pub fn get_some(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    wanted: &[Wanted],
    bytes_max: u64,
    charge: impl Fn(usize, u64) -> Charge,
) -> Result<Read<Vec<FoundOrLeft>>, ServiceError> {
    let weather = ctx.weather();
    let overlays = |position: usize, Wanted { table, place }: &Wanted| {
        // What the bytes come to makes no difference to how sure the read is.
        let Work::Read(consistency) = charge(position, 0).work() else { return None };
        let is_strong = charge(position, 0).is_transactional() || consistency == Consistency::Strong;
        let weather = weather.as_ref().filter(|_| !is_strong)?;
        let bounds = Bounds::new(Bound::Included(place.bytes()), Bound::Included(place.bytes()));
        weather.overlays(Source { table, index: None }, consistency, bounds, false, ctx.now())
    };
    let overlays: Vec<_> = wanted.iter().enumerate().map(|(position, one)| overlays(position, one)).collect();
    let found = ctx.store().view(|snapshot| -> Result<_, InternalError> {
        let mut found = Vec::with_capacity(wanted.len());
        let mut bytes = 0;
        let mut current: Option<&Arc<TableDefinition>> = None;
        for (Wanted { table, place }, overlays) in wanted.iter().zip(&overlays) {
            if !current.is_some_and(|current| Arc::ptr_eq(current, table)) {
                if !catalog::is_current(snapshot, table)? {
                    return Ok(Read::TableChanged);
                }
                current = Some(table);
            }
            let behind = overlays.as_ref().map(|overlays| Behind::new(snapshot, overlays));
            let snapshot: &dyn Snapshot = match &behind {
                Some(behind) => behind,
                None => snapshot,
            };
            let item = match snapshot.get(table.space, place.bytes())? {
                Some(stored) => Some(Item::from_stored(stored)?),
                None => None,
            };
            let size = size(table, item.as_ref());
            if bytes + size > bytes_max {
                break;
            }
            bytes += size;
            found.push(item);
        }
        Ok(Read::Done(found))
    })??;
    let Read::Done(found) = found else { return Ok(Read::TableChanged) };
    let charged = wanted.iter().zip(found).enumerate().map(|(position, (wanted, item))| {
        let charge = charge(position, size(&wanted.table, item.as_ref()));
        if let Some(weather) = &weather {
            let source = Source { table: &wanted.table, index: None };
            let demand = Demand::read(source, Some(wanted.place.hash()));
            if let Some(throttle) = weather.refusal(&demand, ctx.now()) {
                return Err(throttle);
            }
            weather.spend(&demand.costing(charge.units()), ctx.now());
        }
        note_get(tracer, &wanted.table, &wanted.place, item.is_some(), charge);
        Ok((item, charge))
    });
    Ok(Read::Done(charged.collect()))
}

impl Wanted {
    /// The item's place in all of the store.
    fn at(&self) -> (u64, &[u8]) {
        (self.table.space.0, self.place.bytes())
    }
}

fn size(table: &TableDefinition, item: Option<&Item>) -> u64 {
    item.map_or(0, |item| table.billed_bytes(item.as_ref()))
}
