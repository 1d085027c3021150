//! The one way to read items.
//!
//! An operation that reads a stretch of items makes a [`ReadPlan`]; [`run`] walks it on one snapshot
//! and writes the answer's items as it goes, straight from their stored form. [`get`] reads one item
//! by its key, and [`get_in_order`] several, of any tables. All count what they read in the same way, and
//! their [`Charge`]s are what the answer and the trace tell.

mod many;
mod plan;
mod run;
mod search;
mod source;

use std::ops::Bound;

use keyplan_expression::Projection;
use keyplan_partiql::Column;
use keyplan_store::{Bounds, Snapshot, StoreExt};
use keyplan_value::{Item, ItemRef, json};

pub use many::{Found, FoundOrLeft, Wanted, get_in_order, get_some};
pub use plan::{Extent, Output, ReadPlan};
pub use run::{Page, run};
pub use search::{Search, search};
pub use source::Source;

use crate::capacity::{Charge, Consistency};
use crate::catalog::{self, TableDefinition};
use crate::context::Context;
use crate::error::{InternalError, ServiceError};
use crate::kept::KeptItems;
use crate::keys::ItemKey;
use crate::trace::{Access, PartitionLog, Stopped, Tally, Tracer};
use crate::weather::{Behind, Demand};

/// What a look at the store came to: the answer, or that the table was dropped or changed since it
/// was looked up.
#[derive(Debug)]
pub enum Read<A> {
    /// The answer.
    Done(A),
    /// The table isn't what it was.
    TableChanged,
}

/// Reads with a table that is current in the snapshot that is read.
///
/// # Errors
/// Those of `find_table` and `read`.
pub fn on_current_table<A>(
    ctx: &Context<'_>,
    find_table: impl Fn() -> Result<std::sync::Arc<TableDefinition>, ServiceError>,
    mut read: impl FnMut(&TableDefinition) -> Result<Read<A>, ServiceError>,
) -> Result<A, ServiceError> {
    on_current_tables(ctx, || read(&*find_table()?))
}

/// Reads until the tables that `read` looks up are current in the snapshot that it reads.
///
/// # Errors
/// Those of `read`.
pub fn on_current_tables<A>(
    ctx: &Context<'_>,
    mut read: impl FnMut() -> Result<Read<A>, ServiceError>,
) -> Result<A, ServiceError> {
    loop {
        match read()? {
            Read::Done(answer) => return Ok(answer),
            // Every turn means that another request replaced a table, so this ends when they do.
            Read::TableChanged => ctx.catalog().changed(),
        }
    }
}

/// Reads one item by its key, and notes what that cost.
///
/// # Errors
/// When the store fails, or its bytes can't be read.
pub fn get(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    table: &TableDefinition,
    place: &ItemKey,
    consistency: Consistency,
) -> Result<Read<Found>, ServiceError> {
    let source = Source { table, index: None };
    let demand = Demand::read(source, Some(place.hash()));
    let weather = ctx.weather();
    if let Some(weather) = &weather {
        weather.admit(&demand, ctx.now(), ctx.region())?;
    }
    let bounds = Bounds::new(Bound::Included(place.bytes()), Bound::Included(place.bytes()));
    let overlays =
        weather.as_ref().and_then(|weather| weather.overlays(source, consistency, bounds, false, ctx.now()));
    let found = ctx.store().view(|snapshot| -> Result<_, InternalError> {
        if !catalog::is_current(snapshot, table)? {
            return Ok(Read::TableChanged);
        }
        let behind = overlays.as_ref().map(|overlays| Behind::new(snapshot, overlays));
        let snapshot: &dyn Snapshot = match &behind {
            Some(behind) => behind,
            None => snapshot,
        };
        Ok(Read::Done(match snapshot.get(table.space, place.bytes())? {
            Some(stored) => Some(Item::from_stored(stored)?),
            None => None,
        }))
    })??;
    let Read::Done(item) = found else { return Ok(Read::TableChanged) };
    let bytes = item.as_ref().map_or(0, |item| table.billed_bytes(item.as_ref()));
    let charge = Charge::read(bytes, consistency);
    if let Some(weather) = &weather {
        weather.spend(&demand.costing(charge.units()), ctx.now());
    }
    note_get(tracer, table, place, item.is_some(), charge);
    Ok(Read::Done((item, charge)))
}

/// Notes in the trace, if there is one, that one item was looked for by its key.
fn note_get(tracer: &mut Tracer, table: &TableDefinition, place: &ItemKey, found: bool, charge: Charge) {
    tracer.record(charge, || {
        let bytes = charge.bytes();
        let schema = &table.key_schema;
        let mut tally = Tally::default();
        let mut partitions = PartitionLog::default();
        let partition_key = place.partition_item(schema);
        if found {
            tally.add(bytes);
            partitions.examined(
                place.hash(),
                partition_key,
                place.attributes(schema.attributes()),
                bytes,
                true,
            );
        } else {
            partitions.partition_touched(place.hash(), partition_key);
        }
        Access {
            table: table.name.clone(),
            index: None,
            partitions: partitions.into_partitions(),
            examined: tally,
            returned: tally,
            stopped: Some(Stopped::End),
            change: None,
            charge,
        }
    });
}

/// Writes an item as an answer shows it; one that is kept, as its number.
pub fn write_item(
    kept: Option<&KeptItems>,
    item: ItemRef<'_>,
    projection: Option<&Projection>,
    out: &mut Vec<u8>,
) {
    match (projection, kept) {
        // That nothing matches makes no difference: the answer holds an empty item.
        (Some(projection), _) => _ = projection.write_json(item, out),
        (None, Some(kept)) => out.extend_from_slice(kept.keep(Item::from(item)).to_string().as_bytes()),
        (None, None) => item.write_json(out),
    }
}

/// Writes what an item has of some columns, each under its name.
pub fn write_columns(item: ItemRef<'_>, columns: &[Column], out: &mut Vec<u8>) {
    out.push(b'{');
    let start = out.len();
    for column in columns {
        let Some(value) = column.path.find(item) else { continue };
        if out.len() > start {
            out.push(b',');
        }
        json::write_string(&column.name, out);
        out.push(b':');
        value.write_json(out);
    }
    out.push(b'}');
}
