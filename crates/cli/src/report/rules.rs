//! What a run may not do.

use std::collections::BTreeMap;

use keyplan_engine::capacity::Units;

use super::Sums;

/// What makes the endpoint end with an exit code of its own.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rules {
    /// Any Scan.
    pub(crate) fail_on_scan: bool,
    /// More units, read and written together.
    pub(crate) max_units: Option<u64>,
}

impl Rules {
    /// Whether there are any.
    pub(crate) fn are_any(&self) -> bool {
        self.fail_on_scan || self.max_units.is_some()
    }

    pub(super) fn broken(&self, sums: &Sums) -> Vec<String> {
        let mut broken = Vec::new();
        if self.fail_on_scan && sums.scans > 0 {
            let mut scanned = BTreeMap::<String, u64>::new();
            for (used, sum) in sums.uses.iter().filter(|(used, _)| used.operation == "Scan") {
                let place = place(used.table.as_deref().unwrap_or_default(), used.index.as_deref());
                *scanned.entry(place).or_default() += sum.requests;
            }
            let scanned: Vec<String> =
                scanned.iter().map(|(place, count)| format!("{place} ({count})")).collect();
            broken.push(format!("Scans were made, with --fail-on-scan: {}", scanned.join(", ")));
        }
        if let Some(max) = self.max_units.filter(|max| sums.units() > Units::whole(*max)) {
            broken.push(format!("{} units were used, more than --max-units {max}", sums.units()));
        }
        broken
    }
}

/// A table, or an index of it.
pub(super) fn place(table: &str, index: Option<&str>) -> String {
    index.map_or_else(|| table.to_owned(), |index| format!("{table}/{index}"))
}
