//! SearchVectors: the entries of a vector index that are nearest to a vector.

use keyplan_expression::{ExpressionKind, Placeholders, SearchCondition};
use keyplan_value::json::{Kind, Node, Writer};
use keyplan_value::{Number, key};

use super::parameters::{self, Generations, Layer, PlaceholderMaps, table_reference};
use super::{Answer, Failure};
use crate::capacity::{CapacityDetail, write_vector_capacity};
use crate::catalog::{KeyAttribute, SearchRole, TableDefinition, VectorIndexDefinition};
use crate::context::Context;
use crate::error::{ItemFault, SearchFault, SerializationError, ServiceError};
use crate::keys;
use crate::limits::SEARCH_RESULTS_MAX;
use crate::read::{self, Read, Search};
use crate::validate::{Position, beyond_32_bits, integer, late_constraints, present, string};

const GENERATIONS: Generations = Generations {
    older: &[],
    expressions: &["ProjectionExpression", "SearchConditionExpression"],
    values_detail: Some("SearchConditionExpression is null"),
};

/// Runs one SearchVectors.
pub(super) fn search_vectors(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    check_members(request)?;
    late_constraints(ctx.operation(), request)?;
    let results = integer(request, "TopK").unwrap_or_default();
    if results > SEARCH_RESULTS_MAX {
        return Err(ItemFault::Search(SearchFault::TopK(results)).into());
    }
    let vector = vector(request)?;
    let maps = PlaceholderMaps::read(request);
    parameters::check_first_faults(Layer::Read, maps.value_errors())?;
    GENERATIONS.check(request)?;
    let placeholders = maps.into_placeholders(Layer::Read)?;
    let expressions = [ExpressionKind::SearchCondition, ExpressionKind::Projection];
    parameters::check_not_empty(Layer::Read, request, &expressions)?;
    let condition = condition(ctx, request, &placeholders)?;
    let projection = parameters::projection(ctx, Layer::Read, request, &placeholders)?;
    parameters::check_unused(Layer::Read, &placeholders)?;

    let table_reference = table_reference(request)?;
    let index_name = string(request, "IndexName").unwrap_or_default();
    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    let mut tracer = ctx.tracer();
    let body = read::on_current_table(
        ctx,
        || ctx.table(&table_reference),
        |table| {
            let index = find_index(table, &index_name)?;
            if vector.len() as u64 != u64::from(index.dimensions) {
                let fault = SearchFault::Dimensions { vector: vector.len(), index: index.dimensions };
                return Err(ItemFault::Search(fault).into());
            }
            check_condition(index, condition.as_ref())?;
            let value = |name: &str| condition.as_ref().and_then(|condition| condition.value(name));
            let filter = |attribute: &KeyAttribute| {
                let value = value(&attribute.name)?;
                let mut encoded = Vec::new();
                // It is of the attribute's type, which is one of keys.
                key::encode_attribute(value.as_ref(), &mut encoded).ok().map(|()| encoded)
            };
            let search = Search {
                table,
                index,
                vector: &vector,
                results: usize::try_from(results).unwrap_or_default(),
                hash: index.hash().and_then(|attribute| value(&attribute.name)),
                filters: index.filters().map(filter).collect(),
                projection: projection.as_ref(),
            };
            let mut body = Vec::new();
            let mut json = Writer::new(&mut body);
            let mut searched = Ok(Read::TableChanged);
            json.begin_object().name("SearchResults").begin_array();
            json.value_with(|out| searched = read::search(ctx, &mut tracer, &search, out)).end_array();
            let Read::Done(charge) = searched? else { return Ok(Read::TableChanged) };
            if detail != CapacityDetail::None {
                json.name("ConsumedCapacity");
                write_vector_capacity("VectorSearchRequestBytes", charge.charged_bytes(), &mut json);
            }
            json.end_object();
            Ok(Read::Done(body))
        },
    )?;
    Ok(Answer { body, trace: tracer.finish() })
}

/// The members that have to be there are, and TopK is of 32 bits.
///
/// # Errors
/// What the service's own reader of these requests meets: the number on its way, what is missing in the end.
fn check_members(request: Node<'_, '_>) -> Result<(), ItemFault> {
    if let Some((asked, position)) = present(request, "TopK").and_then(|asked| beyond_32_bits(request, asked))
    {
        return Err(ItemFault::Search(SearchFault::TopKTooLong { asked: asked.to_owned(), position }));
    }
    let members = ["IndexName", "SearchVector", "TableName", "TopK"];
    match members.into_iter().find(|member| present(request, member).is_none()) {
        Some(member) => {
            let position = Position::end(request);
            Err(ItemFault::Search(SearchFault::Missing { member, position }))
        }
        None => Ok(()),
    }
}

/// The vector that is searched for.
fn vector(request: Node<'_, '_>) -> Result<Vec<f32>, ServiceError> {
    let elements = present(request, "SearchVector").into_iter().flat_map(|list| list.elements());
    let number = |element: Node<'_, '_>| {
        let is_one = element.members().filter(|(_, value)| !value.is_null()).count() == 1;
        if element.kind() != Kind::Object || !is_one {
            return Err(SerializationError::Unreadable.into());
        }
        let text = string(element, "N");
        let number = text.and_then(|text| Number::parse(&text).ok()).and_then(|number| number.to_f32());
        number.ok_or_else(|| ItemFault::Search(SearchFault::Vector).into())
    };
    elements.map(number).collect()
}

/// The SearchConditionExpression, parsed and bound.
fn condition(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    placeholders: &Placeholders,
) -> Result<Option<SearchCondition>, ServiceError> {
    let which = ExpressionKind::SearchCondition;
    let Some(parsed) = parameters::parse_condition(ctx, Layer::Read, which, request)? else {
        return Ok(None);
    };
    let condition = parsed.bind(placeholders).and_then(|bound| SearchCondition::from_condition(&bound));
    condition.map(Some).map_err(|error| Layer::Read.expression(which, error))
}

fn find_index<'t>(table: &'t TableDefinition, name: &str) -> Result<&'t VectorIndexDefinition, ItemFault> {
    table.vector_index(name).ok_or_else(|| ItemFault::NoSuchIndex { index: name.to_owned() })
}

/// A condition fits the search schema.
///
/// # Errors
/// An attribute that isn't in it, a HASH attribute that isn't in the condition, a value of another type, an empty
/// value of the HASH attribute.
fn check_condition(
    index: &VectorIndexDefinition,
    condition: Option<&SearchCondition>,
) -> Result<(), ItemFault> {
    let conditions = || condition.into_iter().flat_map(SearchCondition::attributes);
    if let Some((name, _)) = conditions().find(|(name, _)| !index.searches_by(name)) {
        return Err(ItemFault::Search(SearchFault::NotInSchema { name: name.to_owned() }));
    }
    if index.hash().is_some_and(|hash| !conditions().any(|(name, _)| name == hash.name)) {
        return Err(ItemFault::Search(SearchFault::HashMissing));
    }
    for (name, value) in conditions() {
        let Some(element) = index.search_schema.iter().find(|element| element.attribute.name == name) else {
            continue;
        };
        let (expected, actual) = (element.attribute.kind, value.as_ref().kind());
        if expected != actual {
            let fault = SearchFault::ConditionType { name: name.to_owned(), expected, actual };
            return Err(ItemFault::Search(fault));
        }
        if element.role == SearchRole::Hash {
            keys::check_not_empty(&element.attribute, value.as_ref())?;
            keys::check_sizes(std::iter::once(value.as_ref()), std::iter::empty())?;
        }
    }
    Ok(())
}
