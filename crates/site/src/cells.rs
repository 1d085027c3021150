//! A key plan with marks: every item of a table or index at one cell, those that a request met marked.

use keyplan_engine::inspect::Inspection;
use keyplan_engine::trace::Access;
use keyplan_value::Item;

/// One item.
pub(crate) struct Cell {
    pub examined: bool,
    pub returned: bool,
}

/// The cells of one design.
pub(crate) struct Cells {
    pub label: String,
    pub cells: Vec<Cell>,
}

/// The items of an inspection, marked as an access met them.
pub(crate) fn cells(title: &str, inspection: &Inspection, access: &Access) -> Cells {
    let mut cells = Vec::new();
    for partition in &inspection.partitions {
        let traced =
            access.partitions.iter().filter(|traced| traced.partition_key == partition.partition_key);
        let (mut runs, mut returned) = (Vec::new(), Vec::new());
        for traced in traced {
            runs.extend(&traced.runs);
            returned.extend(&traced.returned);
        }
        let mut examined = vec![false; partition.items.len()];
        for run in runs {
            let place = |key: &Item| partition.items.iter().position(|item| has_key(item, key));
            if let (Some(first), Some(last)) = (place(&run.first), place(&run.last)) {
                // A read that goes backward met the last item first.
                let (low, high) = (first.min(last), first.max(last));
                examined.iter_mut().take(high + 1).skip(low).for_each(|cell| *cell = true);
            }
        }
        cells.extend(partition.items.iter().zip(examined).map(|(item, examined)| Cell {
            examined,
            returned: returned.iter().any(|key| has_key(item, key)),
        }));
    }
    let count = |mark: fn(&Cell) -> bool| cells.iter().filter(|cell| mark(cell)).count();
    let label = format!(
        "{title}: {} items, {} examined, {} returned",
        cells.len(),
        count(|cell| cell.examined),
        count(|cell| cell.returned)
    );
    Cells { label, cells }
}

fn has_key(item: &Item, key: &Item) -> bool {
    key.as_ref().iter().all(|(name, value)| item.as_ref().get(name) == Some(value))
}
