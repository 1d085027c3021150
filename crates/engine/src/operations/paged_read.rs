//! What Query and Scan have in common: what to answer of the items, the page's bounds, the answer.

use std::collections::HashSet;

use keyplan_expression::{Condition, Placeholders, Projection};
use keyplan_store::Direction;
use keyplan_value::json::{Node, Writer};
use keyplan_value::{Item, ValueError};

use super::legacy::{self, AttributesToGet, Conditions};
use super::parameters::{self, Layer, consistency, table_reference};
use super::{Answer, Failure};
use crate::capacity::{CapacityDetail, Consistency};
use crate::catalog::{IndexProjection, KeySchema, TableDefinition};
use crate::context::Context;
use crate::error::{ItemFault, SelectFault, ServiceError};
use crate::indexes;
use crate::read::{self, Extent, Output, Read, ReadPlan, Source};
use crate::validate::{integer, present, string};

/// What is answered of the items read, and how many are read.
pub(super) struct PagedRead {
    filter: Option<Condition>,
    has_legacy_filter: bool,
    projection: Option<Projection>,
    select: Select,
    limit: Option<u64>,
    consistency: Consistency,
}

/// What a request selects of the items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Select {
    /// All that a table's items or an index's entries have.
    Default,
    /// All that the table's items have.
    AllAttributes,
    /// Their number.
    Count,
}

impl Select {
    fn read(request: Node<'_, '_>) -> Select {
        match string(request, "Select").as_deref() {
            Some("COUNT") => Select::Count,
            Some("ALL_ATTRIBUTES") => Select::AllAttributes,
            _ => Select::Default,
        }
    }
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
            select: Select::read(request),
            limit: integer(request, "Limit").and_then(|limit| u64::try_from(limit).ok()),
            consistency: consistency(request),
        };
        Ok((read, between))
    }

    /// What the request reads of the table, the read being of a kind that it allows.
    ///
    /// # Errors
    /// An index that isn't there, then a consistent read of a global secondary index.
    fn source<'t>(
        &self,
        ctx: &Context<'_>,
        request: Node<'_, '_>,
        table: &'t TableDefinition,
    ) -> Result<Source<'t>, ItemFault> {
        let source = Source::named(table, string(request, "IndexName").as_deref());
        let source = source.map_err(|fault| match fault {
            ItemFault::ReadOfVectorIndex { .. } => {
                ItemFault::ReadOfVectorIndex { query: ctx.operation().name == "Query" }
            }
            fault => fault,
        })?;
        if source.global_index().is_some() && self.consistency == Consistency::Strong {
            return Err(ItemFault::ConsistentGlobalRead);
        }
        Ok(source)
    }

    /// A Query's filter doesn't look at the key, which has its own condition.
    ///
    /// # Errors
    /// The first key attribute it looks at.
    pub(super) fn check_filter(&self, schema: &KeySchema) -> Result<(), ItemFault> {
        let paths = self.filter.iter().flat_map(Condition::paths);
        let mut names = paths.map(|path| &**path.attribute());
        match names.find(|name| schema.has(name)) {
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
    pub(super) fn check_paths(&self, source: Source<'_>) -> Result<(), ItemFault> {
        let filter = self.filter.iter().flat_map(Condition::paths);
        let projection = self.projection.iter().flat_map(|projection| projection.paths());
        indexes::check_paths(source.table, source.index, filter.chain(projection))
    }

    /// A global secondary index isn't asked for all attributes, unless it has them.
    ///
    /// # Errors
    /// When it is.
    pub(super) fn check_all_attributes(&self, source: Source<'_>) -> Result<(), ItemFault> {
        match source.global_index() {
            Some(index) if self.wants_all() && index.projection != IndexProjection::All => {
                Err(ItemFault::AllOfGlobalIndex { index: index.name.clone() })
            }
            _ => Ok(()),
        }
    }

    /// A global secondary index isn't asked for attributes that it doesn't have.
    ///
    /// # Errors
    /// Those it is asked for.
    pub(super) fn check_projected(&self, source: Source<'_>) -> Result<(), ItemFault> {
        let Some(index) = source.global_index() else { return Ok(()) };
        let attributes: Vec<String> = self.not_projected(source).map(str::to_owned).collect();
        if attributes.is_empty() {
            return Ok(());
        }
        Err(ItemFault::NotProjected { index: index.name.clone(), attributes })
    }

    fn wants_all(&self) -> bool {
        self.select == Select::AllAttributes
    }

    /// The attributes of the projection that the entries of an index don't have, each once.
    fn not_projected<'s>(&'s self, source: Source<'s>) -> impl Iterator<Item = &'s str> {
        let paths = self.projection.iter().flat_map(|projection| projection.paths());
        let mut seen = HashSet::new();
        paths.map(|path| &**path.attribute()).filter(move |name| {
            source.index.is_some_and(|index| !index.projects(source.table, name)) && seen.insert(*name)
        })
    }

    /// Whether the answer needs more than an index's entries have. Only a local secondary index gets so
    /// far; what a filter alone looks at isn't fetched for it.
    fn needs_fetch(&self, source: Source<'_>) -> bool {
        let lacks_some = source.index.is_some_and(|index| index.projection != IndexProjection::All);
        lacks_some && (self.wants_all() || self.not_projected(source).next().is_some())
    }

    fn output(&self) -> Output<'_> {
        match &self.projection {
            _ if self.select == Select::Count => Output::Count,
            Some(projection) => Output::Projected(projection),
            None => Output::Items,
        }
    }

    /// Reads a page of the stretch that `stretch` makes for the table or the index, and answers.
    ///
    /// # Errors
    /// That there is no such table or index, or it can't be read so; those of `stretch`; that the store
    /// failed.
    pub(super) fn answer(
        &self,
        ctx: &Context<'_>,
        request: Node<'_, '_>,
        stretch: impl Fn(Source<'_>) -> Result<Stretch, ServiceError>,
    ) -> Result<Answer, Failure> {
        let table_reference = table_reference(request)?;
        let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
        let mut tracer = ctx.tracer();
        let body = read::on_current_table(
            ctx,
            || ctx.table(&table_reference),
            |table| {
                let source = self.source(ctx, request, table)?;
                let Stretch { extent, partition, direction, start_after } = stretch(source)?;
                let plan = ReadPlan {
                    source,
                    fetch: self.needs_fetch(source),
                    extent,
                    partition,
                    direction,
                    start_after,
                    limit: self.limit,
                    bytes_before: 0,
                    filter: self.filter.as_ref(),
                    output: self.output(),
                    consistency: self.consistency,
                };
                let mut body = Vec::new();
                let mut json = Writer::new(&mut body);
                json.begin_object();
                let page = if self.select == Select::Count {
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
                page.consumed(source).write(detail, table_reference.sent(), &mut json);
                json.end_object();
                Ok(Read::Done(body))
            },
        )?;
        Ok(Answer { body, trace: tracer.finish() })
    }
}
