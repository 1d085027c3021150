//! What came of an answer, held against what comes of the solution.

use keyplan_value::{Item, ValueKind, ValueRef, order};

use crate::world::TableImage;

/// How the items that came back differ from those of the solution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemsDifference {
    /// How many the solution returns.
    pub expected: usize,
    /// How many came back.
    pub found: usize,
    /// How many of them are right.
    pub right: usize,
    /// How many are right as far as they go, but lack attributes.
    pub incomplete: usize,
    /// The attributes that those lack.
    pub lacking: Vec<String>,
    /// Whether they stand in the solution's order.
    pub in_order: bool,
    /// Whether they stand in just the other order.
    pub reversed: bool,
}

impl ItemsDifference {
    /// Whether the right items came back, and no others.
    pub fn same_items(&self) -> bool {
        self.right == self.expected && self.found == self.expected
    }
}

/// An item's attributes that count, each as its name and its JSON, by name.
type Shown = Vec<(String, String)>;

fn shown(item: &Item, attributes: &[String]) -> Shown {
    let counts = |name: &str| attributes.is_empty() || attributes.iter().any(|attribute| attribute == name);
    let mut shown: Shown = item
        .as_ref()
        .iter()
        .filter(|(name, _)| counts(name))
        .map(|(name, value)| (name.to_owned(), json(value)))
        .collect();
    order::sort_by(&mut shown, |one, other| one.cmp(other));
    shown
}

fn json(value: ValueRef<'_>) -> String {
    let mut json = Vec::new();
    value.write_json(&mut json);
    String::from_utf8(json).unwrap_or_default()
}

/// Compares items that came back; of `attributes` only, where some are named.
pub(crate) fn compare_items<'i>(
    expected: impl Iterator<Item = &'i Item>,
    found: impl Iterator<Item = &'i Item>,
    attributes: &[String],
) -> ItemsDifference {
    let expected: Vec<Shown> = expected.map(|item| shown(item, attributes)).collect();
    let found: Vec<Shown> = found.map(|item| shown(item, attributes)).collect();
    let mut difference = ItemsDifference {
        expected: expected.len(),
        found: found.len(),
        in_order: expected == found,
        reversed: expected.iter().rev().eq(&found) && expected != found,
        ..ItemsDifference::default()
    };
    let mut left: Vec<&Shown> = expected.iter().collect();
    let mut others = Vec::new();
    for item in &found {
        match left.iter().position(|other| *other == item) {
            Some(place) => {
                left.remove(place);
                difference.right += 1;
            }
            None => others.push(item),
        }
    }
    for item in others {
        let whole =
            left.iter().position(|whole| !item.is_empty() && item.iter().all(|pair| whole.contains(pair)));
        let Some(place) = whole else { continue };
        let whole = left.remove(place);
        difference.incomplete += 1;
        for (name, _) in whole {
            if !item.iter().any(|(other, _)| other == name) && !difference.lacking.contains(name) {
                difference.lacking.push(name.clone());
            }
        }
    }
    difference
}

/// One way in which the tables are not as they should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableFault {
    /// An item that should be there is not.
    ItemMissing {
        /// Its key, in words.
        key: String,
    },
    /// An item is there that should not be.
    ItemExtra {
        /// Its key, in words.
        key: String,
    },
    /// An attribute of an item is gone.
    AttributeMissing {
        /// The item's key, in words.
        key: String,
        /// The attribute.
        attribute: String,
    },
    /// An attribute is there that should not be.
    AttributeExtra {
        /// The item's key, in words.
        key: String,
        /// The attribute.
        attribute: String,
    },
    /// An attribute has another value.
    AttributeWrong {
        /// The item's key, in words.
        key: String,
        /// The attribute.
        attribute: String,
        /// As it should be, in words.
        expected: String,
        /// As it is, in words.
        found: String,
    },
}

/// Compares the tables afterwards; attributes to ignore may have any value, or none.
pub(crate) fn compare_tables(
    expected: &[TableImage],
    found: &[TableImage],
    ignore: &[String],
) -> Vec<TableFault> {
    let mut faults = Vec::new();
    for table in expected {
        let other = found.iter().find(|other| other.name == table.name);
        let others = other.map(|other| other.items.as_slice()).unwrap_or_default();
        let same = |left: &Item, right: &Item| {
            table
                .key
                .iter()
                .all(|name| left.as_ref().get(name).map(json) == right.as_ref().get(name).map(json))
        };
        for item in &table.items {
            match others.iter().find(|other| same(item, other)) {
                Some(other) => compare_attributes(&table.key, item, other, ignore, &mut faults),
                None => faults.push(TableFault::ItemMissing { key: key_words(item, &table.key) }),
            }
        }
        for item in others {
            if !table.items.iter().any(|other| same(item, other)) {
                faults.push(TableFault::ItemExtra { key: key_words(item, &table.key) });
            }
        }
    }
    faults
}

fn compare_attributes(
    key: &[String],
    expected: &Item,
    found: &Item,
    ignore: &[String],
    faults: &mut Vec<TableFault>,
) {
    let counts = |name: &str| !ignore.iter().any(|ignored| ignored == name);
    for (name, value) in expected.as_ref().iter().filter(|(name, _)| counts(name)) {
        let key = || key_words(expected, key);
        let attribute = name.to_owned();
        match found.as_ref().get(name) {
            None => faults.push(TableFault::AttributeMissing { key: key(), attribute }),
            Some(other) if json(other) == json(value) => {}
            Some(other) => faults.push(TableFault::AttributeWrong {
                key: key(),
                attribute,
                expected: words(value),
                found: words(other),
            }),
        }
    }
    for (name, _) in found.as_ref().iter().filter(|(name, _)| counts(name)) {
        if expected.as_ref().get(name).is_none() {
            let key = key_words(expected, key);
            faults.push(TableFault::AttributeExtra { key, attribute: name.to_owned() });
        }
    }
}

fn key_words(item: &Item, key: &[String]) -> String {
    let values = key.iter().filter_map(|name| item.as_ref().get(name));
    values.map(words).collect::<Vec<_>>().join(", ")
}

/// A value in words: texts and numbers as they are, others as DynamoDB JSON.
fn words(value: ValueRef<'_>) -> String {
    match value.kind() {
        ValueKind::S => value.as_str().unwrap_or_default().to_owned(),
        ValueKind::N => value.number().map(|number| number.to_string()).unwrap_or_default(),
        _ => json(value),
    }
}
