//! DeleteItem: no item with this key, whether or not there was one.

use std::sync::Arc;

use keyplan_value::Item;
use keyplan_value::json::Node;

use super::parameters::{self, Layer, PlaceholderMaps, required};
use super::single_write::{self, PendingCondition};
use super::{Answer, Failure};
use crate::context::Context;
use crate::keys::ItemKey;
use crate::write::{Action, Mutation};

/// Runs one DeleteItem.
pub(super) fn delete_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let key = Item::from_json(required(request, "Key")?);
    let maps = PlaceholderMaps::read(request);
    let errors = key.as_ref().err().into_iter().chain(maps.value_errors());
    parameters::check_first_faults(Layer::SingleWrite, errors)?;
    let key = key.map_err(|error| Layer::SingleWrite.value(error))?;

    let condition = PendingCondition::read(ctx, request, maps)?;
    let return_old = single_write::wants_old_item(request)?;
    let condition = condition.finish()?;
    let return_on_failure = single_write::wants_item_on_failure(request);

    single_write::answer(ctx, request, return_old, |table| {
        Ok(Mutation {
            table: Arc::clone(table),
            key: ItemKey::of_key(&table.key_schema, key.as_ref())?,
            action: Action::Delete,
            condition: condition.clone(),
            return_on_failure,
        })
    })
}
