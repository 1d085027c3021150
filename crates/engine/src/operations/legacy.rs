//! The parameters from before expressions, as a request has them.
//!
//! They are decoded first and judged later: the service looks at names and some values of all parameters
//! before it looks at what each of them means.

use std::borrow::Cow;

use keyplan_expression::{
    AttributeAction, AttributeUpdate, Combination, ComparisonOperator, Condition, Expectation,
    LegacyCondition, LegacyError, Projection, Update,
};
use keyplan_value::json::Node;
use keyplan_value::limits::ATTRIBUTE_NAME_BYTES_MAX;
use keyplan_value::{Value, ValueError};

use super::parameters::{Layer, entries};
use crate::error::{ItemFault, ServiceError};
use crate::validate::{boolean, present, string};

/// Values of a parameter, decoded; what is wrong with them is told later.
type Decoded<T> = Option<Result<T, ValueError>>;

/// Expected, QueryFilter, ScanFilter or KeyConditions: something asked of each of some attributes.
#[derive(Debug)]
pub(super) struct Conditions<'a> {
    sent: Option<Vec<SentCondition<'a>>>,
}

#[derive(Debug)]
struct SentCondition<'a> {
    attribute: Cow<'a, str>,
    name_error: Option<ValueError>,
    operator: Option<Cow<'a, str>>,
    value: Decoded<Value>,
    list: Decoded<Vec<Value>>,
    exists: Option<bool>,
}

impl<'a> Conditions<'a> {
    /// Reads a parameter.
    pub(super) fn read(request: Node<'_, 'a>, parameter: &str) -> Conditions<'a> {
        let condition = |(attribute, node): (Cow<'a, str>, Node<'_, 'a>)| SentCondition {
            name_error: name_error(&attribute),
            attribute,
            operator: string(node, "ComparisonOperator"),
            value: present(node, "Value").map(Value::from_json),
            list: present(node, "AttributeValueList")
                .map(|list| list.elements().map(Value::from_json).collect()),
            exists: boolean(node, "Exists"),
        };
        let sent = present(request, parameter).map(|map| entries(map).into_iter().map(condition).collect());
        Conditions { sent }
    }

    /// What is wrong with names and values, for those faults that come before all others.
    pub(super) fn errors(&self) -> impl Iterator<Item = &ValueError> + Clone {
        let sent = self.sent.iter().flatten();
        sent.flat_map(|condition| condition.name_error.iter().chain(condition.value_errors()))
    }

    /// How many attributes something is asked of.
    pub(super) fn len(&self) -> usize {
        self.sent.as_ref().map_or(0, Vec::len)
    }

    /// No value is nested too deep.
    ///
    /// # Errors
    /// The first that is.
    pub(super) fn check_depth(&self, layer: Layer) -> Result<(), ServiceError> {
        let errors = self.sent.iter().flatten().flat_map(SentCondition::value_errors);
        check_depth(layer, errors)
    }

    /// The conditions of Expected.
    ///
    /// # Errors
    /// The first value that is none, then the first condition that is none.
    pub(super) fn expected(self, layer: Layer) -> Result<Vec<LegacyCondition>, ServiceError> {
        self.conditions(layer, |sent| {
            let SentCondition { attribute, operator, value, list, exists, .. } = sent;
            let expectation = Expectation {
                attribute: &attribute,
                value: value.and_then(Result::ok),
                list: list.and_then(Result::ok),
                operator: operator.as_deref(),
                exists,
            };
            expectation.into_condition()
        })
    }

    /// The conditions of a filter, or on keys.
    ///
    /// # Errors
    /// As [`Conditions::expected`].
    pub(super) fn compared(self, layer: Layer) -> Result<Vec<LegacyCondition>, ServiceError> {
        self.conditions(layer, |sent| {
            let operator = sent.operator.as_deref().and_then(ComparisonOperator::from_word);
            // The words are checked with the request's shape.
            let operator = operator.ok_or(LegacyError::UnknownOperator)?;
            let values = sent.list.and_then(Result::ok).unwrap_or_default();
            LegacyCondition::new(&sent.attribute, operator, values)
        })
    }

    fn conditions(
        self,
        layer: Layer,
        condition: impl Fn(SentCondition<'a>) -> Result<LegacyCondition, LegacyError>,
    ) -> Result<Vec<LegacyCondition>, ServiceError> {
        if let Some(error) = self.sent.iter().flatten().flat_map(SentCondition::value_errors).next() {
            return Err(layer.value(error.clone()));
        }
        let conditions = self.sent.into_iter().flatten().map(condition);
        conditions.collect::<Result<_, _>>().map_err(|error| layer.fault(error.into()))
    }
}

impl SentCondition<'_> {
    fn value_errors(&self) -> impl Iterator<Item = &ValueError> + Clone {
        let value = self.value.iter().filter_map(|value| value.as_ref().err());
        let list = self.list.iter().filter_map(|list| list.as_ref().err());
        value.chain(list)
    }
}

/// ConditionalOperator: how the conditions of a filter or of Expected go together.
///
/// # Errors
/// When there are fewer than two.
pub(super) fn combination(
    request: Node<'_, '_>,
    conditions: &Conditions<'_>,
) -> Result<Combination, ItemFault> {
    let Some(operator) = string(request, "ConditionalOperator") else { return Ok(Combination::All) };
    match conditions.len() {
        0 => Err(ItemFault::ConditionalOperator { single: false }),
        1 => Err(ItemFault::ConditionalOperator { single: true }),
        _ if operator == "OR" => Ok(Combination::Any),
        _ => Ok(Combination::All),
    }
}

/// The condition that a filter is.
///
/// # Errors
/// What is wrong with it.
pub(super) fn filter(
    conditions: Conditions<'_>,
    combination: Combination,
) -> Result<Option<Condition>, ServiceError> {
    Ok(Condition::from_legacy(conditions.compared(Layer::Read)?, combination))
}

/// AttributesToGet.
#[derive(Debug)]
pub(super) struct AttributesToGet<'a> {
    names: Option<Vec<Cow<'a, str>>>,
    error: Option<ValueError>,
}

impl<'a> AttributesToGet<'a> {
    /// Reads the parameter.
    pub(super) fn read(request: Node<'_, 'a>) -> AttributesToGet<'a> {
        let names = present(request, "AttributesToGet")
            .map(|list| list.elements().filter_map(|name| name.string()).collect::<Vec<_>>());
        let error = names.iter().flatten().find_map(|name| name_error(name));
        AttributesToGet { names, error }
    }

    /// What is wrong with a name by itself.
    pub(super) fn errors(&self) -> impl Iterator<Item = &ValueError> + Clone {
        self.error.iter()
    }

    /// The projection.
    ///
    /// # Errors
    /// If a name comes twice.
    pub(super) fn projection(&self) -> Result<Option<Projection>, ItemFault> {
        let Some(names) = &self.names else { return Ok(None) };
        Ok(Some(Projection::of_attributes(names.iter().map(|name| &**name))?))
    }
}

/// AttributeUpdates.
#[derive(Debug)]
pub(super) struct AttributeUpdates<'a> {
    sent: Vec<SentUpdate<'a>>,
}

#[derive(Debug)]
struct SentUpdate<'a> {
    attribute: Cow<'a, str>,
    name_error: Option<ValueError>,
    action: Option<Cow<'a, str>>,
    value: Decoded<Value>,
}

impl SentUpdate<'_> {
    fn value_error(&self) -> Option<&ValueError> {
        self.value.as_ref()?.as_ref().err()
    }
}

impl<'a> AttributeUpdates<'a> {
    /// Reads the parameter.
    pub(super) fn read(request: Node<'_, 'a>) -> AttributeUpdates<'a> {
        let update = |(attribute, node): (Cow<'a, str>, Node<'_, 'a>)| SentUpdate {
            name_error: name_error(&attribute),
            attribute,
            action: string(node, "Action"),
            value: present(node, "Value").map(Value::from_json),
        };
        let map = present(request, "AttributeUpdates");
        AttributeUpdates { sent: map.into_iter().flat_map(entries).map(update).collect() }
    }

    /// What is wrong with names and values, for those faults that come before all others.
    pub(super) fn errors(&self) -> impl Iterator<Item = &ValueError> + Clone {
        self.sent.iter().flat_map(|update| update.name_error.iter().chain(update.value_error()))
    }

    /// No value is nested too deep.
    ///
    /// # Errors
    /// The first that is.
    pub(super) fn check_depth(&self, layer: Layer) -> Result<(), ServiceError> {
        check_depth(layer, self.sent.iter().filter_map(SentUpdate::value_error))
    }

    /// The update; nothing when there is nothing to do.
    ///
    /// # Errors
    /// In this order: values that are none, words that are no action, actions that don't go together
    /// with their values.
    pub(super) fn update(self, layer: Layer) -> Result<Option<Update>, ServiceError> {
        if let Some(error) = self.sent.iter().find_map(SentUpdate::value_error) {
            return Err(layer.value(error.clone()));
        }
        let mut actions = Vec::with_capacity(self.sent.len());
        for update in &self.sent {
            let action = match update.action.as_deref() {
                Some(word) => AttributeAction::from_word(word),
                None => Some(AttributeAction::default()),
            };
            actions.push(action.ok_or_else(|| layer.fault(ItemFault::UnknownAction))?);
        }
        if self.sent.is_empty() {
            return Ok(None);
        }
        let updates = self.sent.into_iter().zip(actions).map(|(update, action)| {
            AttributeUpdate::new(&update.attribute, action, update.value.and_then(Result::ok))
        });
        // The service says these without the lead of its other texts about single writes.
        let updates = updates.collect::<Result<Vec<_>, _>>().map_err(ItemFault::from)?;
        let update = Update::from_legacy(updates);
        update.map(Some).map_err(|error| layer.expression(keyplan_expression::ExpressionKind::Update, error))
    }
}

/// What is wrong with an attribute's name wherever it stands.
fn name_error(name: &str) -> Option<ValueError> {
    match name.len() {
        0 => Some(ValueError::EmptyAttributeName),
        length if length > ATTRIBUTE_NAME_BYTES_MAX => Some(ValueError::AttributeNameTooLarge),
        _ => None,
    }
}

/// No value is nested too deep.
///
/// # Errors
/// The first that is.
pub(super) fn check_depth<'e>(
    layer: Layer,
    mut errors: impl Iterator<Item = &'e ValueError>,
) -> Result<(), ServiceError> {
    match errors.find(|error| matches!(error, ValueError::NestedTooDeep { .. })) {
        Some(error) => Err(layer.value(error.clone())),
        None => Ok(()),
    }
}
