//! What an export keeps of a table.

use keyplan_expression::{Condition, KeyCondition, KeyTest, Placeholders, Projection};
use keyplan_value::json::Node;
use keyplan_value::{Item, ItemRef, Value};

use crate::expressions::ExpressionCache;
use crate::validate::{present, string};

/// The expressions of a FilterSpecification.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) key_condition: Option<KeyCondition>,
    pub(crate) condition: Option<Condition>,
    pub(crate) projection: Option<Projection>,
}

impl Filter {
    /// Whether an item is exported.
    pub(super) fn matches(&self, item: &Item) -> bool {
        let item = item.as_ref();
        let has_key = |condition: &KeyCondition| {
            let meets = |name: &str, test: &KeyTest| item.get(name).is_some_and(|value| test.matches(value));
            condition.attributes().iter().all(|one| meets(&one.attribute, &one.test))
        };
        self.key_condition.as_ref().is_none_or(has_key)
            && self.condition.as_ref().is_none_or(|condition| condition.matches(Some(item)))
    }

    /// What is exported of it.
    pub(super) fn projected(&self, item: ItemRef<'_>, write: &mut dyn FnMut(ItemRef<'_>)) {
        match &self.projection {
            Some(projection) => write(projection.project(item).as_ref()),
            None => write(item),
        }
    }
}

/// The filter of a request that was checked when it came.
pub(super) fn of_request(expressions: &ExpressionCache, request: Node<'_, '_>) -> Option<Filter> {
    let Some(given) = present(request, "FilterSpecification") else { return Some(Filter::default()) };
    let members = |name: &str| present(given, name).into_iter().flat_map(|map| map.members());
    let names = members("ExpressionAttributeNames");
    let names = names.map(|(key, name)| Some((key.to_str().into_owned(), name.string()?.into_owned())));
    let values = members("ExpressionAttributeValues");
    let values = values.map(|(key, value)| Some((key.to_str().into_owned(), Value::from_json(value).ok()?)));
    let names = names.collect::<Option<Vec<_>>>()?;
    let placeholders = Placeholders::new(names, values.collect::<Option<Vec<_>>>()?);
    let mut filter = Filter::default();
    if let Some(text) = string(given, "KeyConditionExpression") {
        filter.key_condition = Some(expressions.key_condition(&text).ok()?.bind(&placeholders).ok()?);
    }
    if let Some(text) = string(given, "FilterExpression") {
        filter.condition = Some(expressions.condition(&text).ok()?.bind(&placeholders).ok()?);
    }
    if let Some(text) = string(given, "ProjectionExpression") {
        filter.projection = Some(expressions.projection(&text).ok()?.bind(&placeholders).ok()?);
    }
    Some(filter)
}
