//! What Query and Scan have in common: what to answer of the items, the page's bounds, the answer.

use keyplan_expression::{Condition, Placeholders, Projection};
use keyplan_store::Direction;
use keyplan_value::json::{Node, Writer};
use keyplan_value::{Item, ValueError};

use super::legacy::{self, AttributesToGet, Conditions};
use super::parameters::{self, Layer, consistency, table_reference};
use super::{Answer, Failure};
use crate::capacity::{CapacityDetail, Consistency, write_consumed};
use crate::catalog::{KeySchema, TableDefinition};
use crate::context::Context;
use crate::error::{ItemFault, SelectFault, ServiceError};
use crate::read::{self, Extent, Output, Read, ReadPlan};
use crate::validate::{integer, present, string};

/// What is answered of the items read, and how many are read.
pub(super) struct PagedRead {
    filter: Option<Condition>,
    has_legacy_filter: bool,
    projection: Option<Projection>,
    count_only: bool,
    limit: Option<u64>,
    consistency: Consistency,
}

/// Which items are read, once the table is known.
pub(super) struct Stretch {
    /// The items.
    pub(super) extent: Extent,
    /// The one partition they are in, if it is one: its hash and its key.
    pub(super) partition: Option<(u32, Item)>,
    /// The order.
    pub(super) direction: Direction,
    /// The place to go on after.
    pub(super) start_after: Option<Vec<u8>>,
}

/// Select and the projection go together.
///
/// # Errors
/// How they don't; these alone of a read's texts have the lead that single writes have.
fn check_select(request: Node<'_, '_>) -> Result<(), ServiceError> {
    let projected = ["ProjectionExpression", "AttributesToGet"]
        .into_iter()
        .find(|parameter| present(request, parameter).is_some());
    let with_projection =
        |select| projected.map(|parameter| SelectFault::WithProjection { parameter, select });
    let fault = match string(request, "Select").as_deref() {
        Some("SPECIFIC_ATTRIBUTES") if projected.is_none() => Some(SelectFault::SpecificWithoutProjection),
        Some("COUNT") => with_projection("only the Count"),
        Some("ALL_ATTRIBUTES") => with_projection("ALL_ATTRIBUTES"),
        Some("ALL_PROJECTED_ATTRIBUTES") if projected.is_some() => {
            with_projection("ALL_PROJECTED_ATTRIBUTES")
        }
        Some("ALL_PROJECTED_ATTRIBUTES") if present(request, "IndexName").is_none() => {
            Some(SelectFault::AllProjectedWithoutIndex)
        }
        _ => None,
    };
    match fault {
        Some(fault) => Err(Layer::SingleWrite.fault(ItemFault::Select(fault))),
        None => Ok(()),
    }
}

/// The parameters of a read from before expressions: QueryFilter or ScanFilter with ConditionalOperator,
/// and AttributesToGet.
pub(super) struct LegacyRead<'a> {
    filter: Conditions<'a>,
    attributes: AttributesToGet<'a>,
}

impl<'a> LegacyRead<'a> {
    /// Reads them; `filter` is the filter's parameter.
    pub(super) fn read(request: Node<'_, 'a>, filter: &str) -> LegacyRead<'a> {
        LegacyRead { filter: Conditions::read(request, filter), attributes: AttributesToGet::read(request) }
    }

    /// What is wrong with names and values, for those faults that come before all others.
    pub(super) fn errors(&self) -> impl Iterator<Item = &ValueError> + Clone {
        self.filter.errors().chain(self.attributes.errors())
    }

    /// What they come to.
    ///
    /// # Errors
    /// What is wrong with ConditionalOperator, the filter and the list of names, in this order.
    pub(super) fn resolve(self, request: Node<'_, '_>) -> Result<ResolvedRead, ServiceError> {
        let combination = legacy::combination(request, &self.filter)?;
        self.filter.check_depth(Layer::Read)?;
        let filter = legacy::filter(self.filter, combination)?;
        Ok(ResolvedRead { filter, projection: self.attributes.projection()? })
    }
}

/// What a read's parameters from before expressions come to.
pub(super) struct ResolvedRead {
    filter: Option<Condition>,
    projection: Option<Projection>,
}

impl PagedRead {
    /// Reads the filter, Select, what `between` reads after them, and the projection. `legacy` is what the
    /// parameters from before expressions came to, which a request has in place of expressions.
    ///
    /// # Errors
    /// What is wrong with any of them, in this order, and placeholders that are left over.
    pub(super) fn read<B>(
        ctx: &Context<'_>,
        request: Node<'_, '_>,
        placeholders: &Placeholders,
        legacy: ResolvedRead,
        between: impl FnOnce() -> Result<B, ServiceError>,
    ) -> Result<(PagedRead, B), ServiceError> {
        let has_legacy_filter = legacy.filter.is_some();
        let filter = parameters::filter(ctx, request, placeholders)?.or(legacy.filter);
        check_select(request)?;
        let between = between()?;
        let projection = parameters::projection(ctx, Layer::Read, request, placeholders)?;
        let projection = projection.or(legacy.projection);
        parameters::check_unused(Layer::Read, placeholders)?;
        let read = PagedRead {
            filter,
            has_legacy_filter,
            projection,
            count_only: string(request, "Select").as_deref() == Some("COUNT"),
            limit: integer(request, "Limit").and_then(|limit| u64::try_from(limit).ok()),
            consistency: consistency(request),
        };
        Ok((read, between))
    }

    /// A Query's filter doesn't look at the key, which has its own condition.
    ///
    /// # Errors
    /// The first key attribute it looks at.
    pub(super) fn check_filter(&self, schema: &KeySchema) -> Result<(), ItemFault> {
        let paths = self.filter.iter().flat_map(Condition::paths);
        let mut names = paths.map(|path| &**path.attribute());
        match names.find(|name| is_key(schema, name)) {
            Some(name) => {
                Err(ItemFault::FilterOnKey { name: name.to_owned(), legacy: self.has_legacy_filter })
            }
            None => Ok(()),
        }
    }

    /// No path leads into a key attribute, which is a scalar.
    ///
    /// # Errors
    /// The first that does.
    pub(super) fn check_paths(&self, schema: &KeySchema) -> Result<(), ItemFault> {
        let filter = self.filter.iter().flat_map(Condition::paths);
        let projection = self.projection.iter().flat_map(|projection| projection.paths());
        let mut nested = filter.chain(projection).filter(|path| !path.inner().is_empty());
        match nested.find(|path| is_key(schema, path.attribute())) {
            Some(path) => Err(ItemFault::NestedKey { name: path.attribute().to_string() }),
            None => Ok(()),
        }
    }

    fn output(&self) -> Output<'_> {
        match &self.projection {
            _ if self.count_only => Output::Count,
            Some(projection) => Output::Projected(projection),
            None => Output::Items,
        }
    }

    /// Reads a page of the stretch that `stretch` makes for the table, and answers.
    ///
    /// # Errors
    /// Those of `stretch`; that there is no such table; that the store failed.
    pub(super) fn answer(
        &self,
        ctx: &Context<'_>,
        request: Node<'_, '_>,
        stretch: impl Fn(&TableDefinition) -> Result<Stretch, ServiceError>,
    ) -> Result<Answer, Failure> {
        let table_reference = table_reference(request)?;
        let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
        let mut tracer = ctx.tracer();
        let body = read::on_current_table(
            ctx,
            || ctx.table(&table_reference),
            |table| {
                let Stretch { extent, partition, direction, start_after } = stretch(table)?;
                let plan = ReadPlan {
                    table,
                    extent,
                    partition,
                    direction,
                    start_after,
                    limit: self.limit,
                    filter: self.filter.as_ref(),
                    output: self.output(),
                    consistency: self.consistency,
                };
                let mut body = Vec::new();
                let mut json = Writer::new(&mut body);
                json.begin_object();
                let page = if self.count_only {
                    read::run(ctx, &mut tracer, &plan, &mut Vec::new())?
                } else {
                    let mut page = Ok(Read::TableChanged);
                    json.name("Items").begin_array();
                    json.value_with(|out| page = read::run(ctx, &mut tracer, &plan, out)).end_array();
                    page?
                };
                let Read::Done(page) = page else { return Ok(Read::TableChanged) };
                json.name("Count").integer(page.returned.items);
                json.name("ScannedCount").integer(page.examined.items);
                if let Some(key) = &page.last_key {
                    json.name("LastEvaluatedKey").value_with(|out| key.as_ref().write_json(out));
                }
                write_consumed(detail, table_reference.sent(), page.charge.units(), &mut json);
                json.end_object();
                Ok(Read::Done(body))
            },
        )?;
        Ok(Answer { body, trace: tracer.finish() })
    }
}

fn is_key(schema: &KeySchema, name: &str) -> bool {
    schema.attributes().any(|attribute| attribute.name == name)
}

/// The table has no index of this name: none has any yet.
///
/// # Errors
/// When the request names one.
pub(super) fn check_index(request: Node<'_, '_>) -> Result<(), ItemFault> {
    match string(request, "IndexName") {
        Some(index) => Err(ItemFault::NoSuchIndex { index: index.into_owned() }),
        None => Ok(()),
    }
}
