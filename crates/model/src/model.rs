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
    /// Tables, entities and sample items.
    pub design: Design,
    /// Access patterns in the file's order.
    pub patterns: Vec<Pattern>,
    /// Expected traffic of some patterns.
    pub traffic: Vec<Traffic>,
    /// Notes on the design.
    pub notes: Vec<Note>,
    /// What one might have built instead.
    pub counter_design: Option<CounterDesign>,
}

impl Model {
    /// The pattern of this id.
    pub fn pattern(&self, id: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.id == id)
    }
}

/// Tables and what stands in them.
#[derive(Debug, Clone)]
pub struct Design {
    /// Tables in the file's order; at least one.
    pub tables: Vec<Table>,
    /// Entities in the file's order; at least one.
    pub entities: Vec<Entity>,
    /// Sample items in the file's order.
    pub items: Vec<SampleItem>,
}

impl Design {
    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The entity of this name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The indexes of all tables, each with its table.
    pub fn indexes(&self) -> impl Iterator<Item = (&Table, &Index)> {
        self.tables.iter().flat_map(|table| table.indexes.iter().map(move |index| (table, index)))
    }
}

/// Another design on the same data, asked the same question.
#[derive(Debug, Clone)]
pub struct CounterDesign {
    /// What it is, and what comes of it.
    pub text: String,
    /// The id of the pattern that is asked beside it.
    pub compares: String,
    /// Its tables, entities and items.
    pub design: Design,
    /// The question as it is asked of it.
    pub pattern: Pattern,
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
    /// Its secondary indexes in the file's order.
    pub indexes: Vec<Index>,
    /// The attribute that says when an item expires.
    pub ttl: Option<String>,
    /// What its stream tells of each change.
    pub stream: Option<StreamView>,
}

impl Table {
    /// The attributes of the primary key, partition key first.
    pub fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> + Clone {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// The index of this name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The attributes of all keys, the table's first, each once.
    pub fn defined_attributes(&self) -> Vec<&KeyAttribute> {
        let mut defined: Vec<&KeyAttribute> = Vec::new();
        for attribute in self.key_attributes().chain(self.indexes.iter().flat_map(Index::key_attributes)) {
            if defined.iter().all(|other| other.name != attribute.name) {
                defined.push(attribute);
            }
        }
        defined
    }
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// The index's name.
    pub name: String,
    /// Global or local.
    pub scope: IndexScope,
    /// The attributes of its partition key; at least one.
    pub partition: Vec<KeyAttribute>,
    /// The attributes of its sort key.
    pub sort: Vec<KeyAttribute>,
    /// What its entries hold besides the keys.
    pub projection: Projection,
}

impl Index {
    /// The attributes of its key, those of the partition key first.
    pub fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> + Clone {
        self.partition.iter().chain(&self.sort)
    }
}

/// Whose partitions an index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IndexScope {
    /// Its own.
    #[default]
    Global,
    /// Its table's.
    Local,
}

/// What an index's entries hold besides the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// All attributes.
    All,
    /// Nothing.
    KeysOnly,
    /// These attributes.
    Include(Vec<String>),
}

/// What a stream tells of each change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StreamView {
    /// The key.
    KeysOnly,
    /// The item as it is now.
    NewImage,
    /// The item as it was.
    OldImage,
    /// Both.
    NewAndOldImages,
}

/// How requests to a table are paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Billing {
    /// By request.
    #[default]
    OnDemand,
    /// By the hour, for so many units a second; each index of the table has as many.
    Provisioned {
        /// Read capacity units.
        read: u64,
        /// Write capacity units.
        write: u64,
    },
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
    /// The templates of attributes that stand in an item for an index alone.
    pub index_keys: Vec<KeyTemplate>,
}

impl Entity {
    /// All templates: those of the key, then those of index attributes.
    pub fn templates(&self) -> impl Iterator<Item = &KeyTemplate> {
        self.key.iter().chain(&self.index_keys)
    }

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
