//! The plan of a table before the first request: partitions as rooms in the order a Scan meets them,
//! items in key order. The browser code draws the same and adds what requests do (web/src/plan/).

use keyplan_engine::catalog::KeySchema;
use keyplan_engine::inspect::{Inspection, Partition};
use keyplan_value::{Item, ItemRef, ValueKind};

use crate::figures::{bytes, counted, grouped};
use crate::values::{key_text, value_text};

/// With more attributes than this, every item writes them out as pairs.
const COLUMNS_MAX: usize = 5;

/// Up to this many letters, the longest words of all places stand beside each other in the narrowest
/// plan.
const WORDS_MAX: usize = 24;

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
    /// Whether no word of a place needs to be broken.
    pub whole: bool,
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
    let rooms: Vec<Room> =
        inspection.partitions.iter().map(|partition| room(partition, &inspection.key, &columns)).collect();
    Plan {
        table: inspection.table.clone(),
        key_name: heading(&inspection.key).to_owned(),
        key_width: key_width(inspection),
        whole: words_fit(&columns, &rooms),
        columns,
        rooms,
        left_out: left_out(inspection),
    }
}

/// Whether the places' longest words stand beside each other.
fn words_fit(columns: &[Column], rooms: &[Room]) -> bool {
    let mut longest: Vec<usize> = columns.iter().map(|column| longest_word(&column.name)).collect();
    for item in rooms.iter().flat_map(|room| room.in_sight.iter().chain(&room.folded)) {
        let Content::Cells(cells) = &item.content else { continue };
        for (letters, cell) in longest.iter_mut().zip(cells) {
            *letters = longest_word(cell).max(*letters);
        }
    }
    longest.iter().sum::<usize>() <= WORDS_MAX
}

fn longest_word(text: &str) -> usize {
    text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0)
}

fn left_out(inspection: &Inspection) -> Option<String> {
    let left_out = inspection.partitions_left_out();
    let partitions = counted(left_out, "partition");
    match (left_out, inspection.complete) {
        (0, true) => None,
        (_, true) => Some(format!("{partitions} more, not drawn.")),
        (_, false) => Some(format!("At least {partitions} more, not drawn.")),
    }
}

fn items(inspection: &Inspection) -> impl Iterator<Item = ItemRef<'_>> {
    inspection.partitions.iter().flat_map(|partition| &partition.items).map(Item::as_ref)
}

/// The attribute that heads an item in its partition: the sort key where there is one.
fn heading(key: &KeySchema) -> &str {
    key.attributes().last().map(|attribute| attribute.name.as_str()).unwrap_or_default()
}

/// The attributes of the commonest shape; of two as common, the one met first.
fn columns(inspection: &Inspection) -> Vec<Column> {
    let mut shapes: Vec<(Vec<&str>, usize)> = Vec::new();
    for item in items(inspection) {
        let names = attribute_names(item, &inspection.key);
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
    let numeric = |name: &str| {
        items(inspection).all(|item| item.get(name).is_none_or(|value| value.kind() == ValueKind::N))
    };
    names.iter().map(|name| Column { name: (*name).to_owned(), numeric: numeric(name) }).collect()
}

/// An item's attributes that are no key, by name.
fn attribute_names<'i>(item: ItemRef<'i>, key: &KeySchema) -> Vec<&'i str> {
    let is_key = |name: &str| key.attributes().any(|attribute| attribute.name == name);
    item.iter().map(|(name, _)| name).filter(|name| !is_key(name)).collect()
}

/// How wide the sort key's place must be, by its longest text.
fn key_width(inspection: &Inspection) -> &'static str {
    let heading = heading(&inspection.key);
    let longest = items(inspection).map(|item| key_text(item.get(heading)).chars().count()).max();
    match longest.unwrap_or(0) {
        0..=10 => "s",
        11..=22 => "m",
        _ => "l",
    }
}

fn room(partition: &Partition, key: &KeySchema, columns: &[Column]) -> Room {
    let drawn = |item: &Item| drawn(item.as_ref(), key, columns);
    let head = if partition.items.len() > ITEMS_UNFOLDED_MAX { ITEMS_AT_HEAD } else { partition.items.len() };
    let (in_sight, folded) = partition.items.split_at(head);
    Room {
        name: partition_name(partition, key),
        dimension: format!("{}, {}", counted(partition.held.items, "item"), bytes(partition.held.bytes)),
        badge: format!("#{}", partition.badge()),
        in_sight: in_sight.iter().map(drawn).collect(),
        folded: folded.iter().map(drawn).collect(),
        fold: format!("{} more", counted(folded.len() as u64, "item")),
        left_out: match partition.items_left_out() {
            0 => None,
            left_out => Some(format!("{} more, not drawn", counted(left_out, "item"))),
        },
    }
}

/// The partition key's texts in the order of the key.
fn partition_name(partition: &Partition, key: &KeySchema) -> String {
    let values =
        key.attributes().filter_map(|attribute| partition.partition_key.as_ref().get(&attribute.name));
    values.map(|value| key_text(Some(value))).collect::<Vec<_>>().join(", ")
}

fn drawn(item: ItemRef<'_>, key: &KeySchema, columns: &[Column]) -> PlanItem {
    let names = attribute_names(item, key);
    let fits =
        !columns.is_empty() && names.iter().all(|name| columns.iter().any(|column| column.name == *name));
    let text = |name: &str| item.get(name).map(value_text).unwrap_or_default();
    let content = if fits {
        Content::Cells(columns.iter().map(|column| text(&column.name)).collect())
    } else {
        Content::Pairs(names.iter().map(|name| ((*name).to_owned(), text(name))).collect())
    };
    PlanItem { key: key_text(item.get(heading(key))).into_owned(), content, bytes: grouped(item.size()) }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use keyplan_engine::Timestamp;
    use keyplan_engine::inspect::Window;
    use keyplan_model::Model;

    use super::*;

    /// A boat and its trips in one partition, as the engine shows them.
    fn inspection(boats: usize, trips: usize) -> Inspection {
        let mut yaml = r##"
keyplan: 1
title: Trips
question: Where to?
category: travel
summary: A boat and its trips share a partition.
tables:
  Trips: { key: { partition: pk, sort: sk } }
entities:
  Boat: { table: Trips, key: { pk: "BOAT#<boat>", sk: "BOAT" }, attributes: { name: S } }
  Trip: { table: Trips, key: { pk: "BOAT#<boat>", sk: "TRIP#<at>" }, attributes: { to: S, seats: N } }
patterns:
  trips:
    question: Where to?
    operation: Query
    table: Trips
    where: { pk: "BOAT#<boat>" }
    parameters: { boat: { example: "1" } }
items:
"##
        .to_owned();
        for _ in 0..boats {
            yaml.push_str("  - Boat: { boat: \"1\", name: Petrel }\n");
        }
        for at in 0..trips {
            let _ = writeln!(yaml, "  - Trip: {{ boat: \"1\", at: \"{at:04}\", to: Oslo, seats: 9 }}");
        }
        let model = Model::parse(&yaml, "trips.yaml").expect("a model");
        let engine = model.design.stage(Timestamp(0)).expect("a model that can be set up");
        engine.inspect("Trips", None, Window::default()).expect("its table")
    }

    #[test]
    fn the_commonest_shape_has_places_and_others_write_pairs() {
        let plan = plan(&inspection(1, 2));
        assert_eq!((plan.table.as_str(), plan.key_name.as_str(), plan.key_width), ("Trips", "sk", "s"));
        let names: Vec<&str> = plan.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["seats", "to"]);
        assert!(plan.columns[0].numeric && !plan.columns[1].numeric);
        assert!(plan.whole, "short words are not broken");
        let room = &plan.rooms[0];
        assert_eq!(room.name, "BOAT#1");
        // The boat: 8 + 6 + 10 bytes. A trip: 8 + 11 + 6 + 7.
        assert_eq!(room.dimension, "3 items, 88 B");
        assert!(matches!(&room.in_sight[0].content, Content::Pairs(pairs) if pairs[0].1 == "Petrel"));
        assert!(matches!(&room.in_sight[1].content, Content::Cells(cells) if cells == &["9", "Oslo"]));
        assert_eq!((room.in_sight[1].key.as_str(), room.in_sight[1].bytes.as_str()), ("TRIP#0000", "32"));
    }

    #[test]
    fn a_long_partition_folds_its_end() {
        let long = plan(&inspection(0, 13));
        assert_eq!(long.rooms[0].in_sight.len(), 10);
        assert_eq!(long.rooms[0].fold, "3 items more");
        let short = plan(&inspection(0, 12));
        assert!(short.rooms[0].folded.is_empty(), "twelve items are in sight");
    }
}
