//! Query: the items of one partition of a table or an index, in the order of their sort keys.

use keyplan_expression::{
    ExpressionKind, KeyAttribute, KeyCondition, KeyConditionError, KeyRange, KeySchema as ConditionSchema,
    KeyTest, Placeholders,
};
use keyplan_store::Direction;
use keyplan_value::Value;
use keyplan_value::json::Node;
use keyplan_value::key::SortCondition;

use super::legacy::Conditions;
use super::paged_read::{LegacyRead, PagedRead, Stretch};
use super::parameters::{self, Generations, Layer, PlaceholderMaps};
use super::{Answer, Failure};
use crate::catalog::KeySchema;
use crate::context::Context;
use crate::cursor;
use crate::error::{ItemFault, ServiceError};
use crate::keys::ItemKey;
use crate::limits::{GLOBAL_INDEX_KEY_ATTRIBUTES_OF_A_TYPE_MAX, KEY_ATTRIBUTES_MAX};
use crate::read::Extent;
use crate::validate::{boolean, late_constraints, present, string};

const GENERATIONS: Generations = Generations {
    older: &["AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"],
    expressions: &["ProjectionExpression", "FilterExpression", "KeyConditionExpression"],
    values_detail: Some("FilterExpression is null and KeyConditionExpression is null"),
};

/// Runs one Query.
pub(super) fn query(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let maps = PlaceholderMaps::read(request);
    let start = cursor::start_key(request);
    let legacy = LegacyRead::read(request, "QueryFilter");
    let key_conditions = Conditions::read(request, "KeyConditions");
    let start_errors = start.iter().filter_map(|start| start.as_ref().err());
    let errors =
        start_errors.chain(maps.value_errors()).chain(legacy.errors()).chain(key_conditions.errors());
    parameters::check_first_faults(Layer::Read, errors)?;
    GENERATIONS.check(request)?;
    let placeholders = maps.into_placeholders(Layer::Read)?;
    late_constraints(ctx.operation(), request)?;
    let legacy = legacy.resolve(request)?;
    key_conditions.check_depth(Layer::Read)?;
    let has_key_conditions = present(request, "KeyConditions").is_some();
    let key_conditions = key_conditions.compared(Layer::Read)?;
    let start = start.transpose().map_err(cursor::value_error)?;
    let expressions = [ExpressionKind::Filter, ExpressionKind::KeyCondition, ExpressionKind::Projection];
    parameters::check_not_empty(Layer::Read, request, &expressions)?;
    // Only an index can have a key of more than two attributes.
    let most = if present(request, "IndexName").is_some() {
        2 * GLOBAL_INDEX_KEY_ATTRIBUTES_OF_A_TYPE_MAX
    } else {
        KEY_ATTRIBUTES_MAX
    };
    let key_condition = || {
        if !has_key_conditions {
            return key_condition(ctx, request, &placeholders);
        }
        Ok(Some(KeyCondition::from_legacy(key_conditions, most).map_err(ItemFault::from)?))
    };
    let (read, condition) = PagedRead::read(ctx, request, &placeholders, legacy, key_condition)?;
    let direction = match boolean(request, "ScanIndexForward") {
        Some(false) => Direction::Backward,
        _ => Direction::Forward,
    };

    read.answer(ctx, request, |source| {
        let schema = source.key_schema();
        let start_place = start.as_ref().map(|start| cursor::place(source, start)).transpose()?;
        let condition = condition.as_ref().ok_or(ItemFault::KeyConditionMissing)?;
        let range = resolve(condition, schema);
        // The service compares the start key with the conditions before it looks at their types.
        let breaks_start = !matches!(&range, Err(error) if is_structural(error));
        if let Some(start) = start.as_ref().filter(|_| breaks_start) {
            cursor::check_conditions(source, start, condition).map_err(ItemFault::StartKey)?;
        }
        let range = range.map_err(ItemFault::KeyCondition)?;
        read.check_filter(schema)?;
        read.check_paths(source)?;
        read.check_all_attributes(source)?;
        read.check_projected(source)?;
        stretch(schema, &range, direction, start_place.map(ItemKey::into_bytes))
    })
}

/// The KeyConditionExpression, parsed and bound.
pub(super) fn key_condition(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    placeholders: &Placeholders,
) -> Result<Option<KeyCondition>, ServiceError> {
    let which = ExpressionKind::KeyCondition;
    let Some(text) = string(request, which.parameter()) else { return Ok(None) };
    ctx.expressions()
        .key_condition(&text)
        .and_then(|parsed| parsed.bind(placeholders))
        .map(Some)
        .map_err(|error| Layer::Read.expression(which, error))
}

/// Fits a key condition to the key of the table or index.
pub(super) fn resolve(condition: &KeyCondition, schema: &KeySchema) -> Result<KeyRange, KeyConditionError> {
    fn attributes(definitions: &[crate::catalog::KeyAttribute]) -> Vec<KeyAttribute<'_>> {
        definitions
            .iter()
            .map(|definition| KeyAttribute { name: &definition.name, kind: definition.kind })
            .collect()
    }
    let (partition, sort) = (attributes(&schema.partition), attributes(&schema.sort));
    condition.resolve(ConditionSchema { partition: &partition, sort: &sort })
}

/// Whether a condition doesn't fit the key as a whole, whatever its values.
fn is_structural(error: &KeyConditionError) -> bool {
    !matches!(
        error,
        KeyConditionError::TypeMismatch
            | KeyConditionError::EmptyValue { .. }
            | KeyConditionError::PartitionKeyTooLong
            | KeyConditionError::SortKeyTooLong
    )
}

fn stretch(
    schema: &KeySchema,
    range: &KeyRange,
    direction: Direction,
    start_after: Option<Vec<u8>>,
) -> Result<Stretch, ServiceError> {
    let mut place = ItemKey::of_partition(range.partition.iter().map(Value::as_ref))?;
    let partition = (place.hash(), place.partition_item(schema));
    place.extend(range.sort_prefix.iter().map(Value::as_ref))?;
    let next = range.sort_test.as_ref().map(sort_condition);
    Ok(Stretch {
        extent: Extent::beginning(&place, next.as_ref())?,
        partition: Some(partition),
        direction,
        start_after,
    })
}

/// A test of a key attribute, as a condition on its place.
pub(super) fn sort_condition(test: &KeyTest) -> SortCondition<'_> {
    match test {
        KeyTest::Equal(value) => SortCondition::Equal(value.as_ref()),
        KeyTest::Less(value) => SortCondition::Less(value.as_ref()),
        KeyTest::LessOrEqual(value) => SortCondition::LessOrEqual(value.as_ref()),
        KeyTest::Greater(value) => SortCondition::Greater(value.as_ref()),
        KeyTest::GreaterOrEqual(value) => SortCondition::GreaterOrEqual(value.as_ref()),
        KeyTest::Between(low, high) => SortCondition::Between(low.as_ref(), high.as_ref()),
        KeyTest::BeginsWith(prefix) => SortCondition::BeginsWith(prefix.as_ref()),
    }
}
