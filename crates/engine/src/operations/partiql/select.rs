//! A page of a SELECT.

use keyplan_expression::DocumentPath;
use keyplan_partiql::{OrderTerm, Select};
use keyplan_store::Direction;
use keyplan_value::{Item, order};

use super::key_branches::{self, Branch};
use super::next_token::Position;
use crate::capacity::{Consistency, Consumption};
use crate::catalog::{IndexProjection, TableDefinition};
use crate::context::Context;
use crate::cursor;
use crate::error::{ItemFault, ServiceError, StatementFault};
use crate::limits::PAGE_BYTES_MAX;
use crate::read::{self, Extent, Output, Read, ReadPlan, Source};
use crate::trace::Tracer;

/// What a page came to.
pub(super) struct SelectedPage<'t> {
    /// Its items, with commas between them.
    pub(super) items: Vec<u8>,
    /// Where the next page goes on.
    pub(super) next: Option<Position>,
    /// What it consumed.
    pub(super) consumed: Consumption<'t>,
}

/// A read of a table or an index that fits it.
struct Fitted<'t> {
    source: Source<'t>,
    fetch: bool,
    /// The stretches, in the order in which they are read; nothing for everything.
    branches: Option<Vec<Branch>>,
    direction: Direction,
}

/// Reads a page that goes on at a position.
///
/// # Errors
/// How the statement doesn't fit the table; that the position isn't one of it; that the store failed.
pub(super) fn page<'t>(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    table: &'t TableDefinition,
    select: &Select,
    position: &Position,
    limit: Option<u64>,
    consistency: Consistency,
) -> Result<Read<SelectedPage<'t>>, ServiceError> {
    let Fitted { source, fetch, branches, direction } = fit(table, select, consistency)?;
    let stretches: Vec<(Extent, Option<(u32, Item)>)> = match branches {
        None => vec![(Extent::table(), None)],
        Some(branches) => {
            branches.into_iter().map(|branch| (branch.extent, Some(branch.partition))).collect()
        }
    };
    let mut page = SelectedPage { items: Vec::new(), next: None, consumed: Consumption::default() };
    let (mut examined, mut bytes) = (0_u64, 0_u64);
    let mut after = start(source, &stretches, position)?;
    let count = stretches.len();
    for (at, (extent, partition)) in stretches.into_iter().enumerate().skip(position.stretch) {
        let plan = ReadPlan {
            source,
            fetch,
            extent,
            partition,
            direction,
            start_after: after.take(),
            limit: limit.map(|limit| limit.saturating_sub(examined)),
            bytes_before: bytes,
            filter: select.condition.as_ref(),
            output: match &select.columns {
                Some(columns) => Output::Columns(columns),
                None => Output::Items,
            },
            consistency,
        };
        let mut items = Vec::new();
        let Read::Done(read) = read::run(ctx, tracer, &plan, &mut items)? else {
            return Ok(Read::TableChanged);
        };
        if !page.items.is_empty() && !items.is_empty() {
            page.items.push(b',');
        }
        page.items.append(&mut items);
        page.consumed.add(read.consumed(source));
        examined += read.examined.items;
        bytes += read.examined.bytes + read.fetched.map_or(0, |(tally, _)| tally.bytes);
        if let Some(key) = read.last_key {
            page.next = Some(Position { stretch: at, after: Some(key) });
            break;
        }
        let is_full = bytes >= PAGE_BYTES_MAX || limit.is_some_and(|limit| examined >= limit);
        if is_full && at + 1 < count {
            page.next = Some(Position { stretch: at + 1, after: None });
            break;
        }
    }
    Ok(Read::Done(page))
}

/// The place after which the first stretch of a page begins.
fn start(
    source: Source<'_>,
    stretches: &[(Extent, Option<(u32, Item)>)],
    position: &Position,
) -> Result<Option<Vec<u8>>, ServiceError> {
    let (extent, _) = stretches.get(position.stretch).ok_or(StatementFault::NoToken)?;
    let Some(key) = &position.after else { return Ok(None) };
    let place = cursor::place(source, key).map_err(|_| StatementFault::NoToken)?;
    if !extent.contains(place.bytes()) {
        return Err(StatementFault::NoToken.into());
    }
    Ok(Some(place.into_bytes()))
}

/// Fits a SELECT to its table.
fn fit<'t>(
    table: &'t TableDefinition,
    select: &Select,
    consistency: Consistency,
) -> Result<Fitted<'t>, ServiceError> {
    let source = Source::named(table, select.index.as_deref()).map_err(|_| StatementFault::NoSuchIndex)?;
    let schema = source.key_schema();
    if schema.partition.len() > 1 || schema.sort.len() > 1 {
        return Err(StatementFault::SeveralKeyAttributes.into());
    }
    if source.global_index().is_some() && consistency == Consistency::Strong {
        return Err(StatementFault::ConsistentGlobalRead.into());
    }
    let lacking = not_projected(source, select);
    if let Some(index) = source.global_index().filter(|_| !lacking.is_empty()) {
        return Err(ItemFault::NotProjected { index: index.name.clone(), attributes: lacking }.into());
    }
    let mut branches = key_branches::branches(select.condition.as_ref(), schema)?;
    if let Some(branches) = &branches {
        check_filters(source, branches)?;
    }
    let direction = in_order(source, &select.order, branches.as_deref_mut())?;
    let fetch =
        source.index.is_some_and(|index| index.projection != IndexProjection::All) && !lacking.is_empty();
    Ok(Fitted { source, fetch, branches, direction })
}

/// The attributes of the columns that the entries of an index don't have, each once.
fn not_projected(source: Source<'_>, select: &Select) -> Vec<String> {
    let Some(index) = source.index else { return Vec::new() };
    let mut lacking: Vec<String> = Vec::new();
    let columns = select.columns.iter().flatten().map(|column| &column.path);
    for name in columns.map(DocumentPath::attribute) {
        if !index.projects(source.table, name) && !lacking.iter().any(|known| **known == **name) {
            lacking.push(name.to_string());
        }
    }
    lacking
}

/// A read by an index's key looks at nothing that the index doesn't have, unless one of its stretches doesn't
/// either.
fn check_filters(source: Source<'_>, branches: &[Branch]) -> Result<(), StatementFault> {
    let Some(index) = source.index else { return Ok(()) };
    let mut last = Vec::new();
    for branch in branches {
        let lacks = |name: &&String| !index.projects(source.table, name);
        last = branch.looked_at.iter().filter(lacks).cloned().collect();
        if last.is_empty() {
            return Ok(());
        }
    }
    if last.is_empty() {
        return Ok(());
    }
    // The service lists them in the order of its hash sets.
    order::sort_by(&mut last, |one, other| hash_bucket(one).cmp(&hash_bucket(other)));
    Err(StatementFault::UnprojectedFilter { index: index.name.clone(), attributes: last })
}

/// The place of a short text in a small hash set of the service's runtime.
fn hash_bucket(text: &str) -> u32 {
    let hash = text.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    (hash ^ (hash >> 16)) % 16
}

/// The direction that ORDER BY asks for; the stretches are put in order.
fn in_order(
    source: Source<'_>,
    terms: &[OrderTerm],
    branches: Option<&mut [Branch]>,
) -> Result<Direction, StatementFault> {
    if terms.is_empty() {
        return Ok(Direction::Forward);
    }
    let schema = source.key_schema();
    let (mut partitions, mut sort) = (None, None);
    for term in terms {
        let is_partition = schema.partition.iter().any(|attribute| *attribute.name == *term.attribute);
        if is_partition {
            partitions = Some(term.descending);
        } else if schema.has(&term.attribute) {
            sort = Some(term.descending);
        } else {
            return Err(StatementFault::OrderAttribute { name: term.attribute.to_string() });
        }
    }
    let branches = branches.ok_or(StatementFault::OrderWithoutPartition)?;
    let several = branches.first().is_some_and(|first| branches.iter().any(|other| !first.is_beside(other)));
    if several && partitions.is_none() {
        return Err(StatementFault::OrderOfPartitions);
    }
    // Without a term of its own each partition comes from its end.
    let backward = sort.unwrap_or(true);
    if partitions.unwrap_or_default() {
        branches.reverse();
    }
    if backward != partitions.unwrap_or_default() {
        branches.chunk_by_mut(|one, other| one.is_beside(other)).for_each(<[Branch]>::reverse);
    }
    Ok(if backward { Direction::Backward } else { Direction::Forward })
}
