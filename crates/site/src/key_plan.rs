//! The key plan: whole tables in small, one cell an item.

use keyplan_engine::inspect::Inspection;

/// A larger table is drawn in part.
const ROOMS_MAX: usize = 8;
const CELLS_MAX: u64 = 24;

/// The number of cells in each room, over a design's tables.
pub(crate) fn key_plan(inspections: &[Inspection]) -> Vec<u64> {
    let partitions = inspections.iter().flat_map(|inspection| &inspection.partitions).take(ROOMS_MAX);
    partitions.map(|partition| partition.held.items.min(CELLS_MAX)).collect()
}
