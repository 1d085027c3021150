//! UpdateItem: some attributes of an item changed, and the item created if there is none.

use std::sync::Arc;

use keyplan_expression::{ExpressionKind, Placeholders, Update, UpdateError};
use keyplan_value::Item;
use keyplan_value::json::Node;
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;

use super::legacy::{self, AttributeUpdates};
use super::parameters::{self, Generations, Layer, required};
use super::single_write::{self, ConditionParameters, Returned};
use super::{Answer, Failure};
use crate::context::Context;
use crate::error::ServiceError;
use crate::indexes;
use crate::validate::string;
use crate::write::{Action, Mutation};

const GENERATIONS: Generations = Generations {
    older: &["AttributeUpdates", "Expected", "ConditionalOperator"],
    expressions: &["UpdateExpression", "ConditionExpression"],
    values_detail: None,
};

const LAYER: Layer = Layer::SingleWrite;

/// Runs one UpdateItem.
pub(super) fn update_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let key = Item::from_json(required(request, "Key")?);
    let parameters = ConditionParameters::read(request);
    let updates = AttributeUpdates::read(request);
    let errors = key.as_ref().err().into_iter().chain(parameters.errors()).chain(updates.errors());
    parameters::check_first_faults(LAYER, errors)?;

    let condition = parameters.check(ctx, request, &GENERATIONS)?;
    legacy::check_depth(LAYER, key.as_ref().err().into_iter())?;
    updates.check_depth(LAYER)?;
    condition.check_depth()?;
    let key = key.map_err(|error| LAYER.value(error))?;
    let legacy_update = updates.update(LAYER)?;
    let (placeholders, expected) = condition.expected()?;

    parameters::check_not_empty(LAYER, request, &[ExpressionKind::Condition, ExpressionKind::Update])?;
    let update = update_expression(ctx, LAYER, request, &placeholders)?;
    let which = ExpressionKind::Condition;
    let parsed = parameters::parse_condition(ctx, LAYER, which, request)?;
    let condition = single_write::bind_after_update(parsed, &placeholders)?.or(expected).map(Arc::new);

    // What was written before expressions has no charge of its own.
    let charge = update.as_ref().map_or(0, Update::charge);
    let update = update.or(legacy_update).map(Arc::new);
    let returned = Returned::of_update(request, update.as_ref());
    single_write::answer(ctx, request, &returned, |table| {
        let action = Action::Update(update.clone());
        let mutation = Mutation::of_key(table, key.as_ref(), action, condition.clone())?;
        // That the key itself would change is told before, though later: when the item is there.
        let changes_key =
            |update: &Update| update.targets().any(|target| table.key_schema.has(target.attribute()));
        let update = update.as_deref().filter(|update| !changes_key(update));
        indexes::check_paths(table, None, update.into_iter().flat_map(Update::paths))?;
        if charge > ITEM_SIZE_BYTES_MAX {
            return Err(UpdateError::TooLarge.into());
        }
        Ok(mutation)
    })
}

/// An UpdateExpression, parsed and bound.
///
/// # Errors
/// What is wrong with it.
pub(super) fn update_expression(
    ctx: &Context<'_>,
    layer: Layer,
    request: Node<'_, '_>,
    placeholders: &Placeholders,
) -> Result<Option<Update>, ServiceError> {
    let which = ExpressionKind::Update;
    let Some(text) = string(request, which.parameter()) else { return Ok(None) };
    ctx.expressions()
        .update(&text)
        .and_then(|parsed| parsed.bind(placeholders))
        .map(Some)
        .map_err(|error| layer.expression(which, error))
}
