//! The parameters that item operations share: the two generations of them, placeholders, expressions,
//! and the wording of what is wrong with them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use keyplan_expression::{
    Condition, ExpressionError, ExpressionKind, ParsedCondition, PlaceholderMap, Placeholders, Projection,
};
use keyplan_value::json::Node;
use keyplan_value::limits::ATTRIBUTE_NAME_BYTES_MAX;
use keyplan_value::{Value, ValueError};

use crate::arn::TableReference;
use crate::capacity::Consistency;
use crate::context::Context;
use crate::error::{InternalError, ItemFault, ServiceError, ValidationError};
use crate::validate::{boolean, present, string};

/// A member that validation has found to be there.
///
/// # Errors
/// An internal one, if it hasn't.
pub(super) fn required<'t, 'a>(
    request: Node<'t, 'a>,
    name: &'static str,
) -> Result<Node<'t, 'a>, ServiceError> {
    present(request, name).ok_or(ServiceError::Internal(InternalError::Unchecked(name)))
}

/// The table the request names.
///
/// # Errors
/// When it starts as an ARN and isn't a table's.
pub(super) fn table_reference<'a>(request: Node<'_, 'a>) -> Result<TableReference<'a>, ServiceError> {
    let sent = string(request, "TableName").unwrap_or_default();
    TableReference::parse(sent).map_err(|error| ValidationError::Arn(error).into())
}

/// What a read is charged for.
pub(super) fn consistency(request: Node<'_, '_>) -> Consistency {
    match boolean(request, "ConsistentRead") {
        Some(true) => Consistency::Strong,
        _ => Consistency::Eventual,
    }
}

/// How the service words faults of an operation's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// PutItem, UpdateItem and DeleteItem put most texts behind `1 validation error detected: `.
    SingleWrite,
    /// Reads don't.
    Read,
    /// BatchWriteItem and transactions neither, and keep older words for some.
    Older,
}

/// A value is nested so deeply that single writes, too, answer without their lead.
const BARE_NESTING_LEVELS: usize = 63;

impl Layer {
    fn worded(self, error: ValidationError) -> ServiceError {
        match self {
            Layer::SingleWrite => error.enveloped().into(),
            Layer::Read | Layer::Older => error.into(),
        }
    }

    /// A fault of the parameters as a whole.
    pub(super) fn fault(self, fault: ItemFault) -> ServiceError {
        self.worded(ValidationError::Item(fault))
    }

    /// A fault of an expression.
    pub(super) fn expression(self, which: ExpressionKind, error: ExpressionError) -> ServiceError {
        self.worded(ValidationError::Expression { which, error })
    }

    /// A fault of an attribute value in an item or a key.
    pub(super) fn value(self, error: ValueError) -> ServiceError {
        match error {
            error if error.is_serialization() => error.into(),
            error if self == Layer::Older => ValidationError::OlderValue(error).into(),
            ValueError::Empty | ValueError::MoreThanOneType => ValidationError::Value(error).into(),
            ValueError::NestedTooDeep { levels } if levels >= BARE_NESTING_LEVELS => {
                ValidationError::Value(error).into()
            }
            error => self.worded(ValidationError::Value(error)),
        }
    }

    /// A fault of a value in ExpressionAttributeValues.
    fn placeholder_value(self, key: String, error: ValueError) -> ServiceError {
        let names_placeholder = match (self, &error) {
            (Layer::Older, error) => !error.is_serialization() && *error != ValueError::NullFalse,
            (Layer::SingleWrite, ValueError::NestedTooDeep { levels }) => *levels >= BARE_NESTING_LEVELS,
            _ => false,
        };
        match names_placeholder {
            true => ItemFault::PlaceholderValue { key, error }.into(),
            false => self.value(error),
        }
    }
}

/// Which parameters an operation has of the two generations, in the order in which the service lists
/// them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Generations {
    /// Before expressions.
    pub(super) older: &'static [&'static str],
    /// Expressions.
    pub(super) expressions: &'static [&'static str],
    /// What the service adds when values are given without an expression that can use them.
    pub(super) values_detail: Option<&'static str>,
}

impl Generations {
    /// Parameters of the two generations aren't mixed, and placeholders come with an expression.
    ///
    /// # Errors
    /// In this order: mixed parameters, names without expression, values without expression.
    pub(super) fn check(&self, request: Node<'_, '_>) -> Result<(), ItemFault> {
        let is_there = |name: &&'static str| present(request, name).is_some();
        let expression: Vec<_> = self.expressions.iter().copied().filter(|name| is_there(name)).collect();
        let mut older: Vec<_> = self.older.iter().copied().filter(|name| is_there(name)).collect();
        // The one older parameter that goes together with expressions, unless they are about keys too.
        if !expression.contains(&"KeyConditionExpression") {
            older.retain(|name| *name != "KeyConditions");
        }
        if !older.is_empty() && !expression.is_empty() {
            return Err(ItemFault::Mixed { non_expression: older, expression });
        }
        if expression.is_empty() && is_there(&PlaceholderMap::Names.parameter()) {
            return Err(ItemFault::WithoutExpression { placeholders: PlaceholderMap::Names, detail: None });
        }
        let uses_values = |name: &&str| *name != "ProjectionExpression";
        // An operation that has no expression with values has no parameter for them: one that is sent is
        // unknown, and so passed over.
        let takes_values = self.expressions.iter().any(uses_values);
        let has_user_of_values = expression.iter().any(uses_values);
        if takes_values && !has_user_of_values && is_there(&PlaceholderMap::Values.parameter()) {
            return Err(ItemFault::WithoutExpression {
                placeholders: PlaceholderMap::Values,
                detail: self.values_detail,
            });
        }
        Ok(())
    }
}

/// ExpressionAttributeNames and ExpressionAttributeValues, the values decoded.
#[derive(Debug)]
pub(super) struct PlaceholderMaps<'a> {
    names: Option<Entries<'a, Cow<'a, str>>>,
    values: Option<Entries<'a, Result<Value, ValueError>>>,
}

/// Placeholders and what they stand for, in the order in which they were sent.
type Entries<'a, T> = Vec<(Cow<'a, str>, T)>;

impl<'a> PlaceholderMaps<'a> {
    /// Reads the names of an operation that takes no values.
    pub(super) fn names(request: Node<'_, 'a>) -> PlaceholderMaps<'a> {
        PlaceholderMaps { values: None, ..PlaceholderMaps::read(request) }
    }

    /// Reads the two maps; what is wrong with them is told later.
    pub(super) fn read(request: Node<'_, 'a>) -> PlaceholderMaps<'a> {
        let entries = |map: PlaceholderMap| present(request, map.parameter()).map(entries);
        PlaceholderMaps {
            names: entries(PlaceholderMap::Names).map(|names| {
                let name = |node: Node<'_, 'a>| node.string().unwrap_or_default();
                names.into_iter().map(|(key, node)| (key, name(node))).collect()
            }),
            values: entries(PlaceholderMap::Values)
                .map(|values| values.into_iter().map(|(key, node)| (key, Value::from_json(node))).collect()),
        }
    }

    /// The faults of the values, in their order.
    pub(super) fn value_errors(&self) -> impl Iterator<Item = &ValueError> + Clone {
        self.values.iter().flatten().filter_map(|(_, value)| value.as_ref().err())
    }

    /// The placeholders, once both maps are found right.
    ///
    /// # Errors
    /// Names before values; of each an empty map, then each key's form and what it stands for.
    pub(super) fn into_placeholders(self, layer: Layer) -> Result<Placeholders, ServiceError> {
        let check_key = |map, key: &str| {
            Placeholders::check_key(map, key).map_err(|error| match key.is_ascii() {
                // Single writes answer a key without their lead, unless it has more than ASCII.
                true => ServiceError::from(ItemFault::PlaceholderKey(error)),
                false => layer.fault(ItemFault::PlaceholderKey(error)),
            })
        };
        let mut names = Vec::new();
        if let Some(entries) = self.names {
            if entries.is_empty() {
                return Err(layer.fault(ItemFault::NoPlaceholders(PlaceholderMap::Names)));
            }
            for (key, name) in entries {
                check_key(PlaceholderMap::Names, &key)?;
                if name.is_empty() {
                    return Err(layer.fault(ItemFault::EmptyAlias { key: key.into_owned() }));
                }
                if name.len() > ATTRIBUTE_NAME_BYTES_MAX {
                    return Err(layer.value(ValueError::AttributeNameTooLarge));
                }
                names.push((key.into_owned(), name.into_owned()));
            }
        }
        let mut values = Vec::new();
        if let Some(entries) = self.values {
            if entries.is_empty() {
                return Err(layer.fault(ItemFault::NoPlaceholders(PlaceholderMap::Values)));
            }
            for (key, value) in entries {
                check_key(PlaceholderMap::Values, &key)?;
                let key = key.into_owned();
                match value {
                    Ok(value) => values.push((key, value)),
                    Err(error) => return Err(layer.placeholder_value(key, error)),
                }
            }
        }
        Ok(Placeholders::new(names, values))
    }
}

/// The entries of a map, in the order in which they were sent; of equal keys the last. Members that are
/// null are not there.
pub(super) fn entries<'t, 'a>(map: Node<'t, 'a>) -> Entries<'a, Node<'t, 'a>> {
    let mut entries: Vec<_> = map.members().map(|(key, node)| (key.to_str(), node)).collect();
    if entries.len() > 1 {
        let mut seen = BTreeSet::new();
        let mut keep: Vec<bool> = entries.iter().rev().map(|(key, _)| seen.insert(key.clone())).collect();
        entries.retain(|_| keep.pop().unwrap_or(true));
    }
    entries.retain(|(_, node)| !node.is_null());
    entries
}

/// The faults of values that the service looks for first in all of a request: empty or overlong
/// attribute names, then `{"NULL": false}`.
///
/// # Errors
/// The first of them.
pub(super) fn check_first_faults<'e>(
    layer: Layer,
    errors: impl Iterator<Item = &'e ValueError> + Clone,
) -> Result<(), ServiceError> {
    let is_name = |error: &&ValueError| {
        matches!(error, ValueError::EmptyAttributeName | ValueError::AttributeNameTooLarge)
    };
    let is_null = |error: &&ValueError| matches!(error, ValueError::NullFalse);
    match errors.clone().find(is_name).or_else(|| errors.clone().find(is_null)) {
        Some(error) => Err(layer.value(error.clone())),
        None => Ok(()),
    }
}

/// A ConditionExpression or FilterExpression, parsed.
///
/// # Errors
/// What is wrong with its text.
pub(super) fn parse_condition(
    ctx: &Context<'_>,
    layer: Layer,
    which: ExpressionKind,
    request: Node<'_, '_>,
) -> Result<Option<Arc<ParsedCondition>>, ServiceError> {
    let Some(text) = string(request, which.parameter()) else { return Ok(None) };
    ctx.expressions().condition(&text).map(Some).map_err(|error| layer.expression(which, error))
}

/// A FilterExpression, parsed and bound.
///
/// # Errors
/// What is wrong with it.
pub(super) fn filter(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    placeholders: &Placeholders,
) -> Result<Option<Condition>, ServiceError> {
    let which = ExpressionKind::Filter;
    let Some(parsed) = parse_condition(ctx, Layer::Read, which, request)? else { return Ok(None) };
    parsed.bind(placeholders).map(Some).map_err(|error| Layer::Read.expression(which, error))
}

/// A ProjectionExpression, parsed and bound.
///
/// # Errors
/// What is wrong with it.
pub(super) fn projection(
    ctx: &Context<'_>,
    layer: Layer,
    request: Node<'_, '_>,
    placeholders: &Placeholders,
) -> Result<Option<Projection>, ServiceError> {
    let which = ExpressionKind::Projection;
    let Some(text) = string(request, which.parameter()) else { return Ok(None) };
    ctx.expressions()
        .projection(&text)
        .and_then(|parsed| parsed.bind(placeholders))
        .map(Some)
        .map_err(|error| layer.expression(which, error))
}

/// No expression of the request is empty; the service looks for that before it reads any.
///
/// # Errors
/// The first that is.
pub(super) fn check_not_empty(
    layer: Layer,
    request: Node<'_, '_>,
    expressions: &[ExpressionKind],
) -> Result<(), ServiceError> {
    let empty = expressions
        .iter()
        .find(|which| string(request, which.parameter()).is_some_and(|text| text.is_empty()));
    match empty {
        Some(which) => Err(layer.expression(*which, ExpressionError::Empty)),
        None => Ok(()),
    }
}

/// No placeholder is left over.
///
/// # Errors
/// Those that are, names before values.
pub(super) fn check_unused(layer: Layer, placeholders: &Placeholders) -> Result<(), ServiceError> {
    // The text has no lead, so the kind doesn't matter.
    placeholders.check_unused().map_err(|error| layer.expression(ExpressionKind::Condition, error))
}
