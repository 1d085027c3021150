//! A model as it is once it has been read and checked: every name resolved, every template parsed.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::template::Template;

/// One table design: tables, entities, access patterns, sample items and notes.
///
/// Made by [`Model::parse`]; what stands in it has been checked against the rest of it.
#[derive(Debug, Clone)]
pub struct Model {
    /// The file's name without folder and ending: `customer-orders`.
    pub id: String,
    /// The model's name.
    pub title: String,
    /// The question that it answers first of all.
    pub question: String,
    /// The gallery's group.
    pub category: String,
    /// The design in a sentence or two.
    pub summary: String,
    /// Ids of lessons that explain what the design uses.
    pub lessons: Vec<String>,
    /// Tables in the file's order; at least one.
    pub tables: Vec<Table>,
    /// Entities in the file's order; at least one.
    pub entities: Vec<Entity>,
    /// Access patterns in the file's order.
    pub patterns: Vec<Pattern>,
    /// Sample items in the file's order.
    pub items: Vec<SampleItem>,
    /// Expected traffic of some patterns.
    pub traffic: Vec<Traffic>,
    /// Notes on the design.
    pub notes: Vec<Note>,
    /// What one might have built instead, in words.
    pub counter_design: Option<String>,
}

impl Model {
    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The entity of this name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The pattern of this id.
    pub fn pattern(&self, id: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.id == id)
    }
}

/// A table and its primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The table's name.
    pub name: String,
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key, if it has one.
    pub sort: Option<KeyAttribute>,
    /// How its requests are paid for.
    pub billing: Billing,
}

impl Table {
    /// The attributes of the primary key, partition key first.
    pub fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> + Clone {
        std::iter::once(&self.partition).chain(&self.sort)
    }
}

/// How requests to a table are paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Billing {
    /// By request.
    #[default]
    OnDemand,
}

impl Billing {
    /// The mode's name on the wire.
    pub fn mode(self) -> &'static str {
        match self {
            Billing::OnDemand => "PAY_PER_REQUEST",
        }
    }
}

/// An attribute of a primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: KeyType,
}

/// The types that a model's keys may have. (DynamoDB allows B as well; templates make texts.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// A text.
    S,
    /// A number.
    N,
}

impl KeyType {
    /// The type as DynamoDB JSON writes it.
    pub fn code(self) -> &'static str {
        match self {
            KeyType::S => "S",
            KeyType::N => "N",
        }
    }
}

/// A type of attribute, as DynamoDB JSON writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum AttributeType {
    /// Text.
    S,
    /// Number.
    N,
    /// Binary, written in base64.
    B,
    /// `true` or `false`.
    #[serde(rename = "BOOL")]
    Bool,
    /// Nothing, as a value.
    #[serde(rename = "NULL")]
    Null,
    /// A set of texts.
    #[serde(rename = "SS")]
    Ss,
    /// A set of numbers.
    #[serde(rename = "NS")]
    Ns,
    /// A set of binaries.
    #[serde(rename = "BS")]
    Bs,
    /// A list.
    L,
    /// A map.
    M,
}

impl AttributeType {
    /// The type as DynamoDB JSON writes it.
    pub fn code(self) -> &'static str {
        match self {
            AttributeType::S => "S",
            AttributeType::N => "N",
            AttributeType::B => "B",
            AttributeType::Bool => "BOOL",
            AttributeType::Null => "NULL",
            AttributeType::Ss => "SS",
            AttributeType::Ns => "NS",
            AttributeType::Bs => "BS",
            AttributeType::L => "L",
            AttributeType::M => "M",
        }
    }

    /// How a value of the type is written in a model file.
    pub(crate) fn written(self) -> &'static str {
        match self {
            AttributeType::S => "a text",
            AttributeType::N => "a number",
            AttributeType::B => "bytes in base64",
            AttributeType::Bool => "true or false",
            AttributeType::Null => "null",
            AttributeType::Ss => "a list of texts that is not empty",
            AttributeType::Ns => "a list of numbers that is not empty",
            AttributeType::Bs => "a list of bytes in base64 that is not empty",
            AttributeType::L => "a list",
            AttributeType::M => "a mapping",
        }
    }
}

impl fmt::Display for AttributeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            AttributeType::S => "a text",
            AttributeType::N => "a number",
            AttributeType::B => "binary",
            AttributeType::Bool => "true or false",
            AttributeType::Null => "null",
            AttributeType::Ss => "a set of texts",
            AttributeType::Ns => "a set of numbers",
            AttributeType::Bs => "a set of binaries",
            AttributeType::L => "a list",
            AttributeType::M => "a map",
        };
        write!(f, "{name} ({})", self.code())
    }
}

/// One kind of item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// The table in which it stands.
    pub table: String,
    /// The templates of its key, partition key first.
    pub key: Vec<KeyTemplate>,
    /// Its other attributes.
    pub attributes: Vec<Attribute>,
}

impl Entity {
    /// How surely a key is one of this entity's: bytes of template text that stand in it.
    pub(crate) fn matches(&self, key: impl Fn(&str) -> Option<String>) -> Option<usize> {
        let mut bytes = 0;
        for part in &self.key {
            bytes += part.template.matches(&key(&part.attribute)?)?;
        }
        Some(bytes)
    }
}

/// The template of one key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplate {
    /// The key attribute.
    pub attribute: String,
    /// Its type.
    pub kind: KeyType,
    /// What it is made of.
    pub template: Template,
}

/// An attribute of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: AttributeType,
}

/// An operation of DynamoDB that a pattern can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Operation {
    /// One item by its key.
    GetItem,
    /// Items of one partition.
    Query,
    /// Items of the whole table.
    Scan,
}

impl Operation {
    /// The operation's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Operation::GetItem => "GetItem",
            Operation::Query => "Query",
            Operation::Scan => "Scan",
        }
    }
}

/// Which way a Query goes along the sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the lowest sort key up.
    #[default]
    Forward,
    /// From the highest sort key down.
    Backward,
}

/// One question and the one request that answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Its id.
    pub id: String,
    /// The question in plain words.
    pub question: String,
    /// The table that is read.
    pub table: String,
    /// What is read there.
    pub access: Access,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// The parameters in the file's order.
    pub parameters: Vec<Parameter>,
    /// What it must return on the sample items with the example parameters.
    pub returns: Option<Returns>,
    /// The read units that it must cost there.
    pub read_units: Option<Units>,
}

impl Pattern {
    /// The operation that the pattern asks.
    pub fn operation(&self) -> Operation {
        match self.access {
            Access::Get { .. } => Operation::GetItem,
            Access::Query { .. } => Operation::Query,
            Access::Scan { .. } => Operation::Scan,
        }
    }
}

/// What a pattern reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// One item of an entity.
    Get {
        /// The templates of its key.
        key: Vec<KeyTemplate>,
    },
    /// Items of one partition.
    Query {
        /// The partition key and its value.
        partition: KeyTemplate,
        /// What is asked of the sort key.
        sort: Option<SortCondition>,
        /// The way along the sort key.
        direction: Direction,
        /// The most items that are examined.
        limit: Option<u32>,
    },
    /// Items of the whole table.
    Scan {
        /// The most items that are examined.
        limit: Option<u32>,
    },
}

/// What a Query asks of the sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortCondition {
    /// The sort key.
    pub attribute: String,
    /// Its type.
    pub kind: KeyType,
    /// The comparison.
    pub comparison: SortComparison,
}

/// A comparison of the sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortComparison {
    /// `=`, `<`, `<=`, `>` or `>=`, as an expression writes it.
    Operator(&'static str, Template),
    /// Keys that begin with a text.
    BeginsWith(Template),
    /// Keys from the first to the second, both included.
    Between(Template, Template),
}

impl SortComparison {
    /// The templates that it compares with.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let (first, second) = match self {
            SortComparison::Operator(_, template) | SortComparison::BeginsWith(template) => (template, None),
            SortComparison::Between(lower, upper) => (lower, Some(upper)),
        };
        std::iter::once(first).chain(second)
    }
}

/// A parameter of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: KeyType,
    /// A value that shows what the pattern does.
    pub example: String,
    /// The text that stands directly before the value where it is used first: `CUSTOMER#`.
    pub prefix: String,
}

/// What a pattern must return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returns {
    /// The entities of the items; each must come at least once, and no other.
    pub entities: Vec<String>,
    /// How many items.
    pub count: u64,
}

/// Capacity units, which come in halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Units {
    halves: u64,
}

impl Units {
    /// So many halves of a unit.
    pub fn from_halves(halves: u64) -> Units {
        Units { halves }
    }

    /// Reads `2`, `2.0` or `0.5`; anything finer is no number of units.
    pub fn parse(text: &str) -> Option<Units> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let half = match fraction.trim_end_matches('0') {
            "" if !fraction.is_empty() => 0,
            "5" => 1,
            _ => return None,
        };
        if !whole.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let halves = whole.parse::<u64>().ok()?.checked_mul(2)?.checked_add(half)?;
        Some(Units { halves })
    }

    /// How many halves of a unit these are.
    pub fn halves(self) -> u64 {
        self.halves
    }

    /// The units as a JSON number.
    pub(crate) fn to_json(self) -> Value {
        if self.halves.is_multiple_of(2) {
            Value::from(self.halves / 2)
        } else {
            Value::from(self.halves as f64 / 2.0)
        }
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.halves / 2, if self.halves.is_multiple_of(2) { "" } else { ".5" })
    }
}

/// A sample item.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleItem {
    /// Its entity.
    pub entity: String,
    /// The item as DynamoDB JSON, key attributes first.
    pub attributes: Map<String, Value>,
}

/// How often a pattern is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// The pattern.
    pub pattern: String,
    /// The average rate.
    pub average: Rate,
    /// The highest rate that is expected.
    pub peak: Option<Rate>,
}

/// So many requests in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many requests.
    pub requests: u64,
    /// In how many seconds.
    pub seconds: u32,
}

impl Rate {
    /// Reads `40/s`, `12/min`, `3/h` or `1/day`.
    pub fn parse(text: &str) -> Option<Rate> {
        let (requests, unit) = text.split_once('/')?;
        let seconds = match unit.trim() {
            "s" => 1,
            "min" => 60,
            "h" => 3_600,
            "day" => 86_400,
            _ => return None,
        };
        Some(Rate { requests: requests.trim().parse().ok()?, seconds })
    }
}

/// A note on the design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it tells.
    pub kind: NoteKind,
    /// Its heading.
    pub title: String,
    /// Its text.
    pub text: String,
}

/// What a note tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// A reason.
    Why,
    /// What is paid for it.
    TradeOff,
    /// Something to beware of.
    Beware,
}

impl NoteKind {
    /// The kind as a model file writes it.
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::Why => "why",
            NoteKind::TradeOff => "trade-off",
            NoteKind::Beware => "beware",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_in_halves() {
        for (text, halves) in [("0.5", 1), ("1", 2), ("1.0", 2), ("2.50", 5), ("0", 0)] {
            assert_eq!(Units::parse(text).map(Units::halves), Some(halves), "{text}");
        }
        for text in ["", ".5", "0.25", "-1", "1.", "1e3", "99999999999999999999"] {
            assert_eq!(Units::parse(text), None, "{text}");
        }
        assert_eq!(Units::from_halves(3).to_string(), "1.5");
        assert_eq!(Units::from_halves(4).to_string(), "2");
    }

    #[test]
    fn rates_name_their_time() {
        assert_eq!(Rate::parse("40/s"), Some(Rate { requests: 40, seconds: 1 }));
        assert_eq!(Rate::parse("3 / h"), Some(Rate { requests: 3, seconds: 3_600 }));
        for text in ["40", "40/week", "x/s", "-1/s", "1.5/s"] {
            assert_eq!(Rate::parse(text), None, "{text}");
        }
    }
}
