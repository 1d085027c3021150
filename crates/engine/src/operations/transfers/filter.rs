//! The FilterSpecification of an export: read as a Query's or a Scan's expressions are.

use keyplan_expression::ExpressionKind;
use keyplan_value::json::Node;

use crate::catalog::KeySchema;
use crate::context::Context;
use crate::error::{ItemFault, ServiceError, TransferFault};
use crate::operations::parameters::{self, Generations, Layer, PlaceholderMaps};
use crate::operations::query;
use crate::validate::present;

const GENERATIONS: Generations = Generations {
    older: &[],
    expressions: &["ProjectionExpression", "FilterExpression", "KeyConditionExpression"],
    values_detail: Some("FilterExpression is null and KeyConditionExpression is null"),
};

/// Checks the filter of a request for a table of this key.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    schema: &KeySchema,
) -> Result<(), ServiceError> {
    let Some(given) = present(request, "FilterSpecification") else { return Ok(()) };
    let expressions = [ExpressionKind::Filter, ExpressionKind::KeyCondition, ExpressionKind::Projection];
    if expressions.iter().all(|which| present(given, which.parameter()).is_none()) {
        return Err(TransferFault::EmptyFilter.into());
    }
    let maps = PlaceholderMaps::read(given);
    parameters::check_first_faults(Layer::Read, maps.value_errors())?;
    GENERATIONS.check(given)?;
    let placeholders = maps.into_placeholders(Layer::Read)?;
    parameters::check_not_empty(Layer::Read, given, &expressions)?;
    let filter = parameters::filter(ctx, given, &placeholders)?;
    let condition = query::key_condition(ctx, given, &placeholders)?;
    parameters::projection(ctx, Layer::Read, given, &placeholders)?;
    parameters::check_unused(Layer::Read, &placeholders)?;
    let Some(condition) = condition else { return Ok(()) };
    query::resolve(&condition, schema).map_err(ItemFault::KeyCondition)?;
    // Only with a key condition: without one a filter may look at the key.
    let paths = filter.iter().flat_map(|filter| filter.paths());
    let mut names = paths.map(|path| &**path.attribute());
    match names.find(|name| schema.has(name)) {
        Some(name) => Err(ItemFault::FilterOnKey { name: name.to_owned(), legacy: false }.into()),
        None => Ok(()),
    }
}
