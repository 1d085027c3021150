//! PutItem: an item in the place of the one with its key, if there is one.

use std::sync::Arc;

use keyplan_value::Item;
use keyplan_value::json::Node;
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;

use super::parameters::{self, Layer, required};
use super::single_write::{self, BoundCondition, ConditionParameters, GENERATIONS, Returned};
use super::{Answer, Failure};
use crate::context::Context;
use crate::error::ItemFault;
use crate::write::Mutation;

/// Runs one PutItem.
pub(super) fn put_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let item = Item::from_json(required(request, "Item")?);
    let parameters = ConditionParameters::read(request);
    let errors = item.as_ref().err().into_iter().chain(parameters.errors());
    parameters::check_first_faults(Layer::SingleWrite, errors)?;
    let item = item.map_err(|error| Layer::SingleWrite.value(error))?;

    let condition = parameters.check(ctx, request, &GENERATIONS)?;
    condition.check_depth()?;
    let expression = BoundCondition::read(ctx, request, &condition.placeholders)?;
    let returned = Returned::of_replacement(request)?;
    let (placeholders, expected) = condition.expected()?;
    if item.as_ref().size() > ITEM_SIZE_BYTES_MAX {
        return Err(ItemFault::ItemTooLarge.into());
    }
    let condition = expression.finish(&placeholders)?.or(expected).map(Arc::new);

    single_write::answer(ctx, request, &returned, |table| Mutation::put(table, &item, condition.clone()))
}
