//! A design's indexes as the page lists them.

use keyplan_engine::inspect::Inspection;
use keyplan_model::{Index, IndexScope, Projection, Table};

use crate::figures::{bytes, counted};

/// One index.
pub(crate) struct IndexEntry {
    pub name: String,
    pub table: String,
    /// Each half of the key, and the attributes in it with their types.
    pub key: Vec<(&'static str, String)>,
    pub holds: String,
    pub size: String,
    /// Whether some items of the table are not in it.
    pub sparse: Option<String>,
}

/// The indexes of a design beside what lies in them.
pub(crate) fn entries<'d>(
    indexes: impl Iterator<Item = (&'d Table, &'d Index)>,
    inspections: &[Inspection],
    tables: &[Inspection],
) -> Vec<IndexEntry> {
    let entry = |((table, index), inspection): ((&Table, &Index), &Inspection)| {
        let of_table = tables.iter().find(|other| other.table == table.name);
        let items = of_table.map_or(0, |table| table.totals.items);
        let (held, out) = (inspection.totals.items, items.saturating_sub(inspection.totals.items));
        let half = |attributes: &[keyplan_model::KeyAttribute]| {
            let named = attributes.iter().map(|key| format!("{} {}", key.name, key.kind.code()));
            named.collect::<Vec<_>>().join(", ")
        };
        let mut key = vec![("partition key", half(&index.partition))];
        if !index.sort.is_empty() {
            key.push(("sort key", half(&index.sort)));
        }
        IndexEntry {
            name: index.name.clone(),
            table: match index.scope {
                IndexScope::Global => format!("global, on {}", table.name),
                IndexScope::Local => format!("local, on {}", table.name),
            },
            key,
            holds: match &index.projection {
                Projection::All => "all attributes".to_owned(),
                Projection::KeysOnly => "the keys alone".to_owned(),
                Projection::Include(names) => format!("the keys and {}", names.join(", ")),
            },
            size: format!("{}, {}", entries_counted(held), bytes(inspection.totals.bytes)),
            sparse: (out > 0).then(|| format!("{} of the table not in it", counted(out, "item"))),
        }
    };
    indexes.zip(inspections).map(entry).collect()
}

fn entries_counted(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", crate::figures::grouped(count)) }
}
