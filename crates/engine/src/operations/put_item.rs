//! PutItem: an item in the place of the one with its key, if there is one.

use std::sync::Arc;

use keyplan_value::Item;
use keyplan_value::json::Node;
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;

use super::parameters::{self, Layer, PlaceholderMaps, required};
use super::single_write::{self, PendingCondition};
use super::{Answer, Failure};
use crate::context::Context;
use crate::error::ItemFault;
use crate::indexes;
use crate::keys::ItemKey;
use crate::write::{Action, Mutation};

/// Runs one PutItem.
pub(super) fn put_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let item = Item::from_json(required(request, "Item")?);
    let maps = PlaceholderMaps::read(request);
    let errors = item.as_ref().err().into_iter().chain(maps.value_errors());
    parameters::check_first_faults(Layer::SingleWrite, errors)?;
    let item = item.map_err(|error| Layer::SingleWrite.value(error))?;

    let condition = PendingCondition::read(ctx, request, maps)?;
    let return_old = single_write::wants_old_item(request)?;
    if item.as_ref().size() > ITEM_SIZE_BYTES_MAX {
        return Err(ItemFault::ItemTooLarge.into());
    }
    let condition = condition.finish()?;
    let return_on_failure = single_write::wants_item_on_failure(request);

    single_write::answer(ctx, request, return_old, |table| {
        let key = ItemKey::of_item(&table.key_schema, item.as_ref())?;
        indexes::check_put(table, &item)?;
        Ok(Mutation {
            table: Arc::clone(table),
            key,
            action: Action::Put(item.clone()),
            condition: condition.clone(),
            return_on_failure,
        })
    })
}
