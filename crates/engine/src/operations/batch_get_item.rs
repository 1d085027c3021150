//! BatchGetItem: items of some tables by their keys, as many as fit into an answer.

use std::collections::HashSet;
use std::sync::Arc;

use keyplan_expression::{ExpressionKind, Projection};
use keyplan_value::json::{Node, Writer};
use keyplan_value::{Item, ValueError};

use super::consumed::ConsumedByTable;
use super::legacy::AttributesToGet;
use super::parameters::{self, Generations, Layer, PlaceholderMaps, consistency, entries, required};
use super::{Answer, Failure};
use crate::arn::TableReference;
use crate::capacity::{CapacityDetail, Charge, Consistency, Consumption};
use crate::context::Context;
use crate::error::{ItemFault, ManyFault, ServiceError, ValidationError};
use crate::indexes;
use crate::keys::ItemKey;
use crate::limits::{BATCH_GET_BYTES_MAX, BATCH_GET_KEYS_MAX};
use crate::read::{self, Found, FoundOrLeft, Wanted, write_item};
use crate::validate::{late_constraints, present, string};

const LAYER: Layer = Layer::Read;

const GENERATIONS: Generations =
    Generations { older: &["AttributesToGet"], expressions: &["ProjectionExpression"], values_detail: None };

/// What is asked of one table.
struct Block<'t, 'a> {
    table: TableReference<'a>,
    node: Node<'t, 'a>,
    keys: Vec<(Node<'t, 'a>, Item)>,
    projection: Option<Projection>,
    consistency: Consistency,
}

/// Runs one BatchGetItem.
pub(super) fn batch_get_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let sent = entries(required(request, "RequestItems")?);
    let keys = |node: Node<'_, '_>| present(node, "Keys").map(|keys| keys.len());
    if let Some((table, _)) = sent.iter().find(|(_, node)| keys(*node) == Some(0)) {
        return Err(ManyFault::NoKeys { table: table.to_string() }.into());
    }
    late_constraints(ctx.operation(), request)?;
    let mut total = 0;
    for (table, node) in &sent {
        total += keys(*node).unwrap_or_default();
        if total > BATCH_GET_KEYS_MAX {
            let fault = ManyFault::TooManyKeys { table: table.to_string(), most: BATCH_GET_KEYS_MAX };
            return Err(fault.into());
        }
    }
    let mut blocks = Vec::with_capacity(sent.len());
    for (table, node) in sent {
        let table = TableReference::parse(table).map_err(ValidationError::Arn)?;
        blocks.push((table, node));
    }
    let blocks = read_blocks(ctx, blocks)?;

    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    let mut tracer = ctx.tracer();
    // Those that the weather leaves aren't even looked for; the chance is drawn once, whatever comes.
    let processed = match ctx.weather() {
        Some(weather) => weather.processed(total),
        None => vec![true; total],
    };
    let asked = blocks.iter().flat_map(|block| block.keys.iter().map(|_| block.consistency));
    let consistencies: Vec<Consistency> = asked
        .zip(&processed)
        .filter(|(_, processed)| **processed)
        .map(|(consistency, _)| consistency)
        .collect();
    let found = read::on_current_tables(ctx, || {
        let mut wanted = Vec::with_capacity(total);
        // A table that isn't there is told before any key that doesn't fit.
        let tables = blocks.iter().map(|block| ctx.table(&block.table)).collect::<Result<Vec<_>, _>>()?;
        for (block, table) in blocks.iter().zip(tables) {
            for (_, key) in &block.keys {
                let place = ItemKey::of_key(&table.key_schema, key.as_ref())?;
                wanted.push(Wanted { table: Arc::clone(&table), place });
            }
            indexes::check_paths(&table, None, block.projection.iter().flat_map(Projection::paths))?;
        }
        let mut process = processed.iter();
        wanted.retain(|_| process.next().copied().unwrap_or(true));
        read::get_some(ctx, &mut tracer, &wanted, BATCH_GET_BYTES_MAX, |position, bytes| {
            Charge::read(bytes, consistencies.get(position).copied().unwrap_or(Consistency::Eventual))
        })
    })?;
    let answers = answers(ctx, &processed, found)?;

    let mut consumed = ConsumedByTable::new();
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Responses").begin_object();
    let mut left = answers.as_slice();
    for block in &blocks {
        let (of_block, rest) = left.split_at(block.keys.len().min(left.len()));
        left = rest;
        json.name(block.table.sent()).begin_array();
        for (item, charge) in of_block.iter().flatten() {
            consumed.add(block.table.sent(), Consumption::of_table(charge.units()));
            if let Some(item) = item {
                let projection = block.projection.as_ref();
                json.value_with(|out| write_item(ctx.kept(), item.as_ref(), projection, out));
            }
        }
        json.end_array();
    }
    json.end_object();
    write_unprocessed(&blocks, &answers, &mut json);
    consumed.write(detail, &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}

/// What is answered to each key in its order: nothing where it is left, for the weather or because the answer is full.
///
/// # Errors
/// When all that was looked for is throttled.
fn answers(
    ctx: &Context<'_>,
    processed: &[bool],
    found: Vec<FoundOrLeft>,
) -> Result<Vec<Option<Found>>, ServiceError> {
    if let Some(Err(throttle)) = found.first()
        && found.iter().all(Result::is_err)
    {
        return Err(ServiceError::Throttled(Box::new(throttle.told(ctx.region()))));
    }
    let mut found = found.into_iter();
    let next = |processed: &bool| if *processed { found.next().and_then(Result::ok) } else { None };
    let answers: Vec<Option<Found>> = processed.iter().map(next).collect();
    if let Some(weather) = ctx.weather() {
        weather.left_unprocessed(answers.iter().filter(|answer| answer.is_none()).count());
    }
    Ok(answers)
}

/// Reads what is asked of each table.
///
/// # Errors
/// In this order, each over all tables: empty names; parameters that don't go together; empty
/// projections; names that come twice; keys that are none; what else is wrong with projections; keys that
/// come twice.
fn read_blocks<'t, 'a>(
    ctx: &Context<'_>,
    sent: Vec<(TableReference<'a>, Node<'t, 'a>)>,
) -> Result<Vec<Block<'t, 'a>>, ServiceError> {
    let attributes: Vec<_> = sent.iter().map(|(_, node)| AttributesToGet::read(*node)).collect();
    let keys: Vec<Vec<(Node<'t, 'a>, Result<Item, ValueError>)>> = sent
        .iter()
        .map(|(_, node)| {
            let keys = present(*node, "Keys");
            keys.into_iter().flat_map(|keys| keys.elements()).map(|key| (key, Item::from_json(key))).collect()
        })
        .collect();
    let key_errors = keys.iter().flatten().filter_map(|(_, key)| key.as_ref().err());
    let name_errors = attributes.iter().flat_map(AttributesToGet::errors);
    parameters::check_first_faults(LAYER, key_errors.chain(name_errors))?;
    check_generations(&sent)?;
    let mut placeholders = Vec::with_capacity(sent.len());
    for (_, node) in &sent {
        placeholders.push(PlaceholderMaps::names(*node).into_placeholders(LAYER)?);
    }
    for (_, node) in &sent {
        parameters::check_not_empty(LAYER, *node, &[ExpressionKind::Projection])?;
    }
    let attributes = attributes.iter().map(AttributesToGet::projection).collect::<Result<Vec<_>, _>>()?;
    let mut decoded = Vec::with_capacity(keys.len());
    for keys in keys {
        let keys = keys.into_iter().map(|(node, key)| Ok((node, key?))).collect::<Result<Vec<_>, _>>();
        decoded.push(keys.map_err(|error| LAYER.value(error))?);
    }
    let mut blocks = Vec::with_capacity(sent.len());
    for ((((table, node), keys), placeholders), attributes) in
        sent.into_iter().zip(decoded).zip(placeholders).zip(attributes)
    {
        let projection = parameters::projection(ctx, LAYER, node, &placeholders)?.or(attributes);
        parameters::check_unused(LAYER, &placeholders)?;
        blocks.push(Block { table, node, keys, projection, consistency: consistency(node) });
    }
    let mut seen = HashSet::new();
    let mut keys =
        blocks.iter().flat_map(|block| block.keys.iter().map(|(_, key)| (block.table.name(), key)));
    if keys.any(|(table, key)| !seen.insert((table, key.stored()))) {
        return Err(ManyFault::ItemTwiceInBatch.into());
    }
    Ok(blocks)
}

/// Parameters of the two generations aren't mixed, not even between tables.
fn check_generations(sent: &[(TableReference<'_>, Node<'_, '_>)]) -> Result<(), ItemFault> {
    let used = |parameters: &'static [&'static str]| -> Vec<&'static str> {
        let is_used = |parameter: &&str| sent.iter().any(|(_, node)| present(*node, parameter).is_some());
        parameters.iter().copied().filter(is_used).collect()
    };
    let (non_expression, expression) = (used(GENERATIONS.older), used(GENERATIONS.expressions));
    if !non_expression.is_empty() && !expression.is_empty() {
        return Err(ItemFault::Mixed { non_expression, expression });
    }
    sent.iter().try_for_each(|(_, node)| GENERATIONS.check(*node))
}

/// Writes the keys that have no answer, in the form in which they were asked for.
fn write_unprocessed(blocks: &[Block<'_, '_>], answers: &[Option<Found>], json: &mut Writer<'_>) {
    json.name("UnprocessedKeys").begin_object();
    let mut answers = answers.iter();
    for block in blocks {
        let of_block = block.keys.iter().zip(answers.by_ref());
        let left: Vec<_> = of_block.filter(|(_, answer)| answer.is_none()).map(|(key, _)| key).collect();
        if left.is_empty() {
            continue;
        }
        json.name(block.table.sent()).begin_object().name("Keys").begin_array();
        for (key, _) in left {
            json.value_with(|out| out.extend(key.raw().as_bytes()));
        }
        json.end_array();
        for parameter in
            ["AttributesToGet", "ConsistentRead", "ProjectionExpression", "ExpressionAttributeNames"]
        {
            if let Some(sent) = present(block.node, parameter) {
                json.name(parameter);
                match sent.string() {
                    Some(text) => json.string(&text),
                    None => json.value_with(|out| out.extend(sent.raw().as_bytes())),
                };
            }
        }
        json.end_object();
    }
    json.end_object();
}
