//! TransactGetItems: up to a hundred items by their keys, as they are at one moment.

use std::collections::HashSet;

use keyplan_expression::Projection;
use keyplan_value::json::{Node, Writer};
use keyplan_value::{Item, ValueError};

use super::consumed::ConsumedByTable;
use super::legacy::check_depth;
use super::parameters::{self, Layer, PlaceholderMaps, required, table_reference};
use super::{Answer, Failure};
use crate::arn::TableReference;
use crate::capacity::{CapacityDetail, Charge, Consistency, Consumption};
use crate::context::Context;
use crate::error::{CancellationReason, ItemFault, ManyFault, ServiceError};
use crate::keys::ItemKey;
use crate::limits::TRANSACTION_BYTES_MAX;
use crate::read::{self, Found, Read, Wanted, write_item};
use crate::trace::Tracer;
use crate::validate::{late_constraints, string};

const LAYER: Layer = Layer::Older;

/// One item that is asked for.
struct Get<'a> {
    table: TableReference<'a>,
    key: Item,
    projection: Option<Projection>,
}

/// Runs one TransactGetItems.
pub(super) fn transact_get_items(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    late_constraints(ctx.operation(), request)?;
    let gets = read_gets(ctx, request)?;

    let mut tracer = ctx.tracer();
    let found = read::on_current_tables(ctx, || {
        let mut places = Vec::with_capacity(gets.len());
        for get in &gets {
            let table = ctx.table(&get.table)?;
            ctx.transacts(&table)?;
            let place = ItemKey::of_key(&table.key_schema, get.key.as_ref());
            places.push(place.map(|place| Wanted { table, place }));
        }
        get_together(ctx, &mut tracer, places)
    })?;

    let mut consumed = ConsumedByTable::read_by_transaction();
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Responses").begin_array();
    for (get, (item, charge)) in gets.iter().zip(&found) {
        consumed.add(get.table.sent(), Consumption::of_table(charge.units()));
        json.begin_object();
        if let Some(item) = item {
            let mut shown = Vec::new();
            write_item(ctx.kept(), item.as_ref(), get.projection.as_ref(), &mut shown);
            // Unlike GetItem's, an answer to which the projection leaves nothing has no Item.
            if get.projection.is_none() || shown != b"{}" {
                json.name("Item").value_with(|out| out.append(&mut shown));
            }
        }
        json.end_object();
    }
    json.end_array();
    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    consumed.write(detail, &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}

/// Reads the items of a transaction on one snapshot.
///
/// # Errors
/// A reason for each place that is none; that an item is named twice; that all are too large together.
pub(super) fn get_together(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    places: Vec<Result<Wanted, ItemFault>>,
) -> Result<Read<Vec<Found>>, ServiceError> {
    let wanted = all_or_reasons(places)?;
    let mut seen = HashSet::new();
    if wanted.iter().any(|wanted| !seen.insert((wanted.table.space.0, wanted.place.bytes()))) {
        return Err(ManyFault::ItemTwiceInTransaction.into());
    }
    let read = read::get_in_order(ctx, tracer, &wanted, TRANSACTION_BYTES_MAX, |_, bytes| {
        Charge::read(bytes, Consistency::Strong).in_transaction()
    })?;
    match &read {
        Read::Done(found) if found.len() < wanted.len() => Err(ManyFault::TransactionTooLarge.into()),
        _ => Ok(read),
    }
}

/// The places, or for each whether it was wrong.
fn all_or_reasons(places: Vec<Result<Wanted, ItemFault>>) -> Result<Vec<Wanted>, ServiceError> {
    if places.iter().all(Result::is_ok) {
        return Ok(places.into_iter().flatten().collect());
    }
    let reason = |place: Result<Wanted, ItemFault>| match place {
        Ok(_) => CancellationReason::None,
        Err(fault) => CancellationReason::Validation(fault),
    };
    Err(ServiceError::TransactionCanceled(places.into_iter().map(reason).collect()))
}

/// Reads the items that are asked for.
///
/// # Errors
/// In this order: empty names, keys that are none, projections.
fn read_gets<'a>(ctx: &Context<'_>, request: Node<'_, 'a>) -> Result<Vec<Get<'a>>, ServiceError> {
    let mut sent = Vec::new();
    for element in required(request, "TransactItems")?.elements() {
        let node = required(element, "Get")?;
        sent.push((node, Item::from_json(required(node, "Key")?)));
    }
    let errors = || sent.iter().filter_map(|(_, key)| key.as_ref().err());
    parameters::check_first_faults(LAYER, errors())?;
    check_depth(LAYER, errors())?;
    let keys: Vec<(Node<'_, 'a>, Item)> = sent
        .into_iter()
        .map(|(node, key)| Ok((node, key?)))
        .collect::<Result<_, ValueError>>()
        .map_err(|error| LAYER.value(error))?;
    let mut gets = Vec::with_capacity(keys.len());
    for (node, key) in keys {
        let placeholders = PlaceholderMaps::names(node).into_placeholders(LAYER)?;
        let projection = parameters::projection(ctx, LAYER, node, &placeholders)?;
        // Names without a projection are taken.
        if projection.is_some() {
            parameters::check_unused(LAYER, &placeholders)?;
        }
        gets.push(Get { table: table_reference(node)?, key, projection });
    }
    Ok(gets)
}
