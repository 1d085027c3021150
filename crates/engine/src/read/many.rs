//! Items by their keys, of any tables, on one snapshot.

use std::sync::Arc;

use keyplan_store::StoreExt;
use keyplan_value::Item;

use super::{Read, note_get};
use crate::capacity::Charge;
use crate::catalog::{self, TableDefinition};
use crate::context::Context;
use crate::error::{InternalError, ServiceError};
use crate::keys::ItemKey;
use crate::trace::Tracer;

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

/// Reads items in order, as long as those before take no more than `bytes_max` together: what is found is
/// shorter than `wanted` where they do. Notes what each cost, which `charge` makes of its bytes.
///
/// # Errors
/// When the store fails, or its bytes can't be read.
pub fn get_in_order(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    wanted: &[Wanted],
    bytes_max: u64,
    charge: impl Fn(usize, u64) -> Charge,
) -> Result<Read<Vec<Found>>, ServiceError> {
    let found = ctx.store().view(|snapshot| -> Result<_, InternalError> {
        let mut found = Vec::with_capacity(wanted.len());
        let mut bytes = 0;
        let mut current: Option<&Arc<TableDefinition>> = None;
        for Wanted { table, place } in wanted {
            if !current.is_some_and(|current| Arc::ptr_eq(current, table)) {
                if !catalog::is_current(snapshot, table)? {
                    return Ok(Read::TableChanged);
                }
                current = Some(table);
            }
            let item = match snapshot.get(table.space, place.bytes())? {
                Some(stored) => Some(Item::from_stored(stored)?),
                None => None,
            };
            let size = size(item.as_ref());
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
        let charge = charge(position, size(item.as_ref()));
        note_get(tracer, &wanted.table, &wanted.place, item.is_some(), charge);
        (item, charge)
    });
    Ok(Read::Done(charged.collect()))
}

fn size(item: Option<&Item>) -> u64 {
    item.map_or(0, |item| item.as_ref().size())
}
