//! Scan: the items of a table or an index, or of a share of it, in the order of their partitions' hashes.

use keyplan_expression::ExpressionKind;
use keyplan_store::Direction;
use keyplan_value::json::Node;

use super::paged_read::{LegacyRead, PagedRead, Stretch};
use super::parameters::{self, Generations, Layer, PlaceholderMaps};
use super::{Answer, Failure};
use crate::context::Context;
use crate::cursor;
use crate::error::{ItemFault, SegmentFault, StartKeyFault};
use crate::keys::ItemKey;
use crate::read::Extent;
use crate::validate::{integer, late_constraints};

const GENERATIONS: Generations = Generations {
    older: &["AttributesToGet", "ScanFilter", "ConditionalOperator"],
    expressions: &["ProjectionExpression", "FilterExpression"],
    values_detail: Some("FilterExpression is null"),
};

/// Runs one Scan.
pub(super) fn scan(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let maps = PlaceholderMaps::read(request);
    let start = cursor::start_key(request);
    let legacy = LegacyRead::read(request, "ScanFilter");
    let start_errors = start.iter().filter_map(|start| start.as_ref().err());
    let errors = start_errors.chain(maps.value_errors()).chain(legacy.errors());
    parameters::check_first_faults(Layer::Read, errors)?;
    GENERATIONS.check(request)?;
    let placeholders = maps.into_placeholders(Layer::Read)?;
    late_constraints(ctx.operation(), request)?;
    let legacy = legacy.resolve(request)?;
    let start = start.transpose().map_err(cursor::value_error)?;
    let segment = Segment::read(request).map_err(ItemFault::Segments)?;
    let expressions = [ExpressionKind::Filter, ExpressionKind::Projection];
    parameters::check_not_empty(Layer::Read, request, &expressions)?;
    let (read, ()) = PagedRead::read(ctx, request, &placeholders, legacy, || Ok(()))?;

    read.answer(ctx, request, |source| {
        let extent = match &segment {
            Some(segment) => Extent::segment(segment.number, segment.total),
            None => Extent::table(),
        };
        read.check_all_attributes(source)?;
        if let Some(start) = &start {
            cursor::check_types(source, start)?;
        }
        let start_place = start.as_ref().map(|start| cursor::place(source, start)).transpose()?;
        if let (Some(place), Some(Segment { number, total })) = (&start_place, segment)
            && !extent.contains(place.bytes())
        {
            let fault = StartKeyFault::OtherSegment { total, segment: number };
            return Err(ItemFault::StartKey(fault).into());
        }
        read.check_paths(source)?;
        read.check_projected(source)?;
        Ok(Stretch {
            extent,
            partition: None,
            direction: Direction::Forward,
            start_after: start_place.map(ItemKey::into_bytes),
        })
    })
}

/// The share of a parallel scan.
#[derive(Debug, Clone, Copy)]
struct Segment {
    number: u64,
    total: u64,
}

impl Segment {
    fn read(request: Node<'_, '_>) -> Result<Option<Segment>, SegmentFault> {
        let number = |name| integer(request, name).and_then(|number| u64::try_from(number).ok());
        match (number("Segment"), number("TotalSegments")) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(SegmentFault::TotalMissing),
            (None, Some(_)) => Err(SegmentFault::SegmentMissing),
            (Some(number), Some(total)) if number < total => Ok(Some(Segment { number, total })),
            (Some(_), Some(_)) => Err(SegmentFault::OutOfRange),
        }
    }
}
