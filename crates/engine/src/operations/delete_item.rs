//! DeleteItem: no item with this key, whether or not there was one.

use std::sync::Arc;

use keyplan_value::Item;
use keyplan_value::json::Node;

use super::parameters::{self, Layer, required};
use super::single_write::{self, BoundCondition, ConditionParameters, GENERATIONS, Returned};
use super::{Answer, Failure};
use crate::context::Context;
use crate::write::{Action, Mutation};

/// Runs one DeleteItem.
pub(super) fn delete_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let key = Item::from_json(required(request, "Key")?);
    let parameters = ConditionParameters::read(request);
    let errors = key.as_ref().err().into_iter().chain(parameters.errors());
    parameters::check_first_faults(Layer::SingleWrite, errors)?;
    let key = key.map_err(|error| Layer::SingleWrite.value(error))?;

    let condition = parameters.check(ctx, request, &GENERATIONS)?;
    condition.check_depth()?;
    let expression = BoundCondition::read(ctx, request, &condition.placeholders)?;
    let returned = Returned::of_replacement(request)?;
    let (placeholders, expected) = condition.expected()?;
    let condition = expression.finish(&placeholders)?.or(expected).map(Arc::new);

    single_write::answer(ctx, request, &returned, |table| {
        Mutation::of_key(table, key.as_ref(), Action::Delete, condition.clone())
    })
}
