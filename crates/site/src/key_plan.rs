//! The key plan: a whole table in small, one cell an item.

use crate::inspection::Inspection;

/// A larger table is drawn in part.
const ROOMS_MAX: usize = 8;
const CELLS_MAX: u64 = 24;

/// The number of cells in each room.
pub(crate) fn key_plan(inspection: &Inspection) -> Vec<u64> {
    let partitions = inspection.partitions.iter().take(ROOMS_MAX);
    partitions.map(|partition| partition.item_count.min(CELLS_MAX)).collect()
}
