//! The plan of a table before the first request: partitions as rooms in the order a Scan meets them,
//! items in key order. The browser code draws the same and adds what requests do (web/src/plan/).

use serde_json::{Map, Value};

use crate::figures::{bytes, counted, grouped};
use crate::inspection::{InspectedItem, Inspection, Key, Partition};
use crate::values::{is_number, key_text, value_text};

/// With more attributes than this, every item writes them out as pairs.
const COLUMNS_MAX: usize = 5;

/// A partition of at most this many items is never folded.
const ITEMS_UNFOLDED_MAX: usize = 12;

/// This many items stand in sight at the head of a long partition.
const ITEMS_AT_HEAD: usize = 10;

/// One table.
#[derive(Debug)]
pub(crate) struct Plan {
    pub table: String,
    pub key_name: String,
    pub key_width: &'static str,
    pub columns: Vec<Column>,
    pub rooms: Vec<Room>,
    pub left_out: Option<String>,
}

impl Plan {
    /// How many places an item's attributes have; where they have none, one for all.
    pub fn places(&self) -> usize {
        self.columns.len().max(1)
    }
}

/// An attribute with a place of its own.
#[derive(Debug)]
pub(crate) struct Column {
    pub name: String,
    pub numeric: bool,
}

/// One partition.
#[derive(Debug)]
pub(crate) struct Room {
    pub name: String,
    pub dimension: String,
    pub badge: String,
    pub in_sight: Vec<PlanItem>,
    pub folded: Vec<PlanItem>,
    pub fold: String,
    pub left_out: Option<String>,
}

/// One item.
#[derive(Debug)]
pub(crate) struct PlanItem {
    pub key: String,
    pub content: Content,
    pub bytes: String,
}

/// An item's attributes: in their places, or as pairs where the item has another shape.
#[derive(Debug)]
pub(crate) enum Content {
    Cells(Vec<String>),
    Pairs(Vec<(String, String)>),
}

/// The plan of a table as it lies.
pub(crate) fn plan(inspection: &Inspection) -> Plan {
    let columns = columns(inspection);
    let rooms =
        inspection.partitions.iter().map(|partition| room(partition, &inspection.key, &columns)).collect();
    Plan {
        table: inspection.table.clone(),
        key_name: inspection.key.heading().to_owned(),
        key_width: key_width(inspection),
        columns,
        rooms,
        left_out: left_out(inspection),
    }
}

fn left_out(inspection: &Inspection) -> Option<String> {
    let partitions = counted(inspection.partitions_left_out, "partition");
    match (inspection.partitions_left_out, inspection.complete) {
        (0, true) => None,
        (_, true) => Some(format!("{partitions} more, not drawn.")),
        (_, false) => Some(format!("At least {partitions} more, not drawn.")),
    }
}

fn items(inspection: &Inspection) -> impl Iterator<Item = &InspectedItem> + Clone {
    inspection.partitions.iter().flat_map(|partition| &partition.items)
}

/// The attributes of the commonest shape; of two as common, the one met first.
fn columns(inspection: &Inspection) -> Vec<Column> {
    let mut shapes: Vec<(Vec<&str>, usize)> = Vec::new();
    for item in items(inspection) {
        let names = attribute_names(&item.item, &inspection.key);
        match shapes.iter_mut().find(|(shape, _)| *shape == names) {
            Some((_, count)) => *count += 1,
            None => shapes.push((names, 1)),
        }
    }
    let commonest = shapes.into_iter().reduce(|best, shape| if shape.1 > best.1 { shape } else { best });
    let names = commonest.map(|(names, _)| names).unwrap_or_default();
    if names.len() > COLUMNS_MAX {
        return Vec::new();
    }
    let numeric = |name: &str| items(inspection).all(|item| item.item.get(name).is_none_or(is_number));
    names.iter().map(|name| Column { name: (*name).to_owned(), numeric: numeric(name) }).collect()
}

fn attribute_names<'i>(item: &'i Map<String, Value>, key: &Key) -> Vec<&'i str> {
    let mut names: Vec<&str> =
        item.keys().map(String::as_str).filter(|name| key.names().all(|key| key != *name)).collect();
    names.sort_unstable();
    names
}

/// How wide the sort key's place must be, by its longest text.
fn key_width(inspection: &Inspection) -> &'static str {
    let heading = inspection.key.heading();
    let longest = items(inspection).map(|item| key_text(item.item.get(heading)).chars().count()).max();
    match longest.unwrap_or(0) {
        0..=10 => "s",
        11..=22 => "m",
        _ => "l",
    }
}

fn room(partition: &Partition, key: &Key, columns: &[Column]) -> Room {
    let drawn = |item: &InspectedItem| drawn(item, key, columns);
    let head = if partition.items.len() > ITEMS_UNFOLDED_MAX { ITEMS_AT_HEAD } else { partition.items.len() };
    let (in_sight, folded) = partition.items.split_at(head);
    Room {
        name: key_text(partition.partition_key.get(&key.partition.name)).to_owned(),
        dimension: format!("{}, {}", counted(partition.item_count, "item"), bytes(partition.bytes)),
        badge: format!("#{}", partition.badge),
        in_sight: in_sight.iter().map(drawn).collect(),
        folded: folded.iter().map(drawn).collect(),
        fold: format!("{} more", counted(folded.len() as u64, "item")),
        left_out: match partition.items_left_out {
            0 => None,
            left_out => Some(format!("{} more, not drawn", counted(left_out, "item"))),
        },
    }
}

fn drawn(inspected: &InspectedItem, key: &Key, columns: &[Column]) -> PlanItem {
    let item = &inspected.item;
    let names = attribute_names(item, key);
    let fits =
        !columns.is_empty() && names.iter().all(|name| columns.iter().any(|column| column.name == *name));
    let text = |name: &str| item.get(name).map(value_text).unwrap_or_default();
    let content = if fits {
        Content::Cells(columns.iter().map(|column| text(&column.name)).collect())
    } else {
        Content::Pairs(names.iter().map(|name| ((*name).to_owned(), text(name))).collect())
    };
    PlanItem { key: key_text(item.get(key.heading())).to_owned(), content, bytes: grouped(inspected.bytes) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn inspection(items: &[Value]) -> Inspection {
        let items: Vec<Value> = items.iter().map(|item| json!({ "bytes": 1_200, "item": item })).collect();
        let count = items.len();
        serde_json::from_value(json!({
            "table": "Trips", "index": null,
            "key": { "partition": { "name": "pk", "type": "S" }, "sort": { "name": "sk", "type": "S" } },
            "partitions": [{
                "hash": "4d0312aa", "badge": "4d", "partitionKey": { "pk": { "S": "BOAT#1" } },
                "items": items, "itemCount": count, "bytes": 1_200 * count, "itemsLeftOut": 0,
            }],
            "partitionCount": 1, "itemCount": count, "bytes": 1_200 * count, "partitionsLeftOut": 0, "complete": true,
        }))
        .expect("the shape of an inspection")
    }

    fn trip(at: usize) -> Value {
        json!({ "pk": {"S": "BOAT#1"}, "sk": {"S": format!("{at:04}")}, "to": {"S": "Oslo"}, "seats": {"N": "9"} })
    }

    #[test]
    fn the_commonest_shape_has_places_and_others_write_pairs() {
        let boat = json!({ "pk": {"S": "BOAT#1"}, "sk": {"S": "BOAT"}, "name": {"S": "Petrel"} });
        let plan = plan(&inspection(&[boat, trip(1), trip(2)]));
        let names: Vec<&str> = plan.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["seats", "to"]);
        assert!(plan.columns[0].numeric && !plan.columns[1].numeric);
        let room = &plan.rooms[0];
        assert_eq!(room.name, "BOAT#1");
        assert_eq!(room.dimension, "3 items, 3,600 B");
        assert!(matches!(&room.in_sight[0].content, Content::Pairs(pairs) if pairs[0].1 == "Petrel"));
        assert!(matches!(&room.in_sight[1].content, Content::Cells(cells) if cells == &["9", "Oslo"]));
    }

    #[test]
    fn a_long_partition_folds_its_end() {
        let trips: Vec<Value> = (0..13).map(trip).collect();
        let plan = plan(&inspection(&trips));
        assert_eq!(plan.rooms[0].in_sight.len(), 10);
        assert_eq!(plan.rooms[0].fold, "3 items more");
        let plan = super::plan(&inspection(&trips[..12]));
        assert!(plan.rooms[0].folded.is_empty(), "twelve items are in sight");
    }
}
