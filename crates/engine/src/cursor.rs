//! Where a read goes on: the key that one page ends with and the next begins after.
//!
//! `LastEvaluatedKey` and `ExclusiveStartKey` are the key attributes of the last item that was
//! examined, in an index those of index and table. The item need not exist (any more): a read goes on after its place.

use keyplan_expression::KeyCondition;
use keyplan_value::json::Node;
use keyplan_value::{Item, ValueError, ValueKind, order};

use crate::catalog::KeyAttribute;
use crate::error::{ItemFault, ServiceError, StartKeyFault, ValidationError};
use crate::indexes;
use crate::keys::{self, ItemKey};
use crate::read::Source;
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

/// The place that a start key names in a table or an index.
///
/// # Errors
/// An empty value of the table's key, then anything else that makes it no position there.
pub fn place(source: Source<'_>, start: &Item) -> Result<ItemKey, ItemFault> {
    let start = start.as_ref();
    for attribute in source.table.key_schema.attributes() {
        if let Some(value) = start.get(&attribute.name) {
            keys::check_not_empty(attribute, value)?;
        }
    }
    let fits = start.len() == source.position_of(start).as_ref().len();
    source.place_of(start).filter(|_| fits).ok_or(ItemFault::StartKey(StartKeyFault::Shape))
}

/// Scan looks at the types of a start key by the table's indexes: the one that is read, or else each in
/// the order of their names.
///
/// # Errors
/// The first attribute of another type than an index's key has.
pub fn check_types(source: Source<'_>, start: &Item) -> Result<(), ItemFault> {
    let mut indexes: Vec<_> = match source.index {
        Some(index) => vec![index],
        None => source.table.indexes.iter().collect(),
    };
    order::sort_by(&mut indexes, |one, other| one.name.cmp(&other.name));
    indexes.into_iter().try_for_each(|index| indexes::check_types(index, start.as_ref()))
}

/// A start key lies in the stretch that a key condition names.
///
/// # Errors
/// Which side of the condition it breaks, in the service's order: the attributes of the partition key but
/// the last, the sort key, and the partition key's last.
pub fn check_conditions(
    source: Source<'_>,
    start: &Item,
    condition: &KeyCondition,
) -> Result<(), StartKeyFault> {
    let schema = source.key_schema();
    let test =
        |name: &str| condition.attributes().iter().find(|one| *one.attribute == *name).map(|one| &one.test);
    let breaks = |attribute: &KeyAttribute| {
        let value = start.as_ref().get(&attribute.name);
        test(&attribute.name).is_some_and(|test| value.is_none_or(|value| !test.matches(value)))
    };
    let Some((last, earlier)) = schema.partition.split_last() else { return Ok(()) };
    if earlier.iter().any(breaks) {
        return Err(StartKeyFault::OneItem);
    }
    if schema.sort.iter().any(breaks) {
        return Err(StartKeyFault::SortCondition);
    }
    if !breaks(last) {
        return Ok(());
    }
    let has_sort_test = schema.sort.iter().any(|attribute| test(&attribute.name).is_some());
    Err(match source.index {
        _ if has_sort_test => StartKeyFault::OneItem,
        None if schema.sort.is_empty() => StartKeyFault::OtherItem,
        _ => StartKeyFault::OtherPartition,
    })
}
