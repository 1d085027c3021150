//! Where a read goes on: the key that one page ends with and the next begins after.
//!
//! `LastEvaluatedKey` and `ExclusiveStartKey` are the key attributes of the last item that was
//! examined. The item need not exist (any more): a read goes on after its place.

use keyplan_expression::KeyCondition;
use keyplan_value::json::Node;
use keyplan_value::{Item, ValueError, ValueKind};

use crate::catalog::KeySchema;
use crate::error::{ItemFault, ServiceError, StartKeyFault, ValidationError};
use crate::keys::{self, ItemKey};
use crate::validate::present;

/// The ExclusiveStartKey of a request, decoded; what is wrong with its values is told later.
pub fn start_key(request: Node<'_, '_>) -> Option<Result<Item, ValueError>> {
    present(request, "ExclusiveStartKey").map(Item::from_json)
}

/// The error of a start key that can't be decoded.
pub fn value_error(error: ValueError) -> ServiceError {
    match error {
        error if error.is_serialization() => error.into(),
        // The service says these without naming the start key.
        ValueError::Number { .. }
        | ValueError::EmptySet(ValueKind::Ns)
        | ValueError::DuplicateInSet(_)
        | ValueError::EmptyAttributeName => ValidationError::Value(error).into(),
        error => ItemFault::StartKeyValue(error).into(),
    }
}

/// The place that a start key names in a table.
///
/// # Errors
/// An empty key value, then anything else that makes it no key of the table.
pub fn place(schema: &KeySchema, start: &Item) -> Result<ItemKey, ItemFault> {
    for attribute in schema.attributes() {
        if let Some(value) = start.as_ref().get(&attribute.name) {
            keys::check_not_empty(attribute, value)?;
        }
    }
    ItemKey::of_key(schema, start.as_ref()).map_err(|_| ItemFault::StartKey(StartKeyFault::Shape))
}

/// A start key lies in the stretch that a key condition names.
///
/// # Errors
/// Which side of the condition it breaks, in the service's order: the sort key first.
pub fn check_conditions(
    schema: &KeySchema,
    start: &Item,
    condition: &KeyCondition,
) -> Result<(), StartKeyFault> {
    let test =
        |name: &str| condition.attributes().iter().find(|one| *one.attribute == *name).map(|one| &one.test);
    let breaks = |name: &str| {
        let value = start.as_ref().get(name);
        test(name).is_some_and(|test| value.is_none_or(|value| !test.matches(value)))
    };
    if schema.sort.as_ref().is_some_and(|sort| breaks(&sort.name)) {
        return Err(StartKeyFault::SortCondition);
    }
    if !breaks(&schema.partition.name) {
        return Ok(());
    }
    Err(match &schema.sort {
        None => StartKeyFault::OtherItem,
        Some(sort) if test(&sort.name).is_some() => StartKeyFault::OneItem,
        Some(_) => StartKeyFault::OtherPartition,
    })
}
