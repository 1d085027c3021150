//! A model as it is once it has been read and checked: every name resolved, every template parsed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::pattern::Pattern;
use crate::template::Template;
use crate::traffic::Traffic;
use crate::types::{AttributeType, KeyType};

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

/// A sample item.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleItem {
    /// Its entity.
    pub entity: String,
    /// The item as DynamoDB JSON, key attributes first.
    pub attributes: Map<String, Value>,
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
