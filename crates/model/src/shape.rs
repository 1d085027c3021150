//! The form of a model file: what may stand where, before anything is checked against anything else.
//!
//! The doc comments of this module are the descriptions of the JSON Schema, so editors show them.

mod condition;
mod pattern;
mod table;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::NoteKind;
use crate::placed::{At, Each, Entries, Plain};
use crate::types::AttributeType;

pub(crate) use condition::{ComparandShape, Comparison, KeyConditionShape};
pub(crate) use pattern::{ActionShape, CostsShape, ParameterShape, PatternShape, ValuesShape};
pub use pattern::{Flag, UnitsText};
pub use table::TableShape;
pub(crate) use table::{BillingShape, IndexShape, KeyAttributeShape, KeyPartShape, ProjectionShape};

/// A Keyplan model: tables, entities, access patterns and sample items of one design.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "Keyplan model")]
pub(crate) struct ModelShape {
    /// The version of this form: 1.
    pub keyplan: At<u64>,
    /// The model's name, as a heading.
    pub title: At<String>,
    /// The question that the design answers first of all.
    pub question: At<String>,
    /// The group of the gallery in which the model stands.
    pub category: At<String>,
    /// The design in a sentence or two.
    pub summary: At<String>,
    /// Lessons of the course that explain what the design uses.
    #[serde(default)]
    pub lessons: Each<At<String>>,
    /// Tables by name.
    pub tables: Entries<TableShape>,
    /// Entities by name: the kinds of item that the tables hold.
    pub entities: Entries<EntityShape>,
    /// Access patterns by id: the questions that the design must answer.
    #[serde(default)]
    pub patterns: Entries<PatternShape>,
    /// Sample items, each under the name of its entity, in plain values: `- Order: { orderId: "1" }`.
    #[serde(default)]
    pub items: Each<SampleShape>,
    /// Expected traffic by pattern. What is not stated is not priced.
    #[serde(default)]
    pub traffic: Entries<TrafficShape>,
    /// Why the design is as it is.
    #[serde(default)]
    pub notes: Each<NoteShape>,
    /// What one might have built instead.
    pub counter_design: Option<CounterDesignShape>,
}

/// An entity: one kind of item.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EntityShape {
    /// The table in which the items stand.
    pub table: At<String>,
    /// A template for each key attribute: `CUSTOMER#<customerId>`. A name that stands only here is
    /// part of the key and not stored a second time.
    pub key: Entries<At<String>>,
    /// The other attributes and their types.
    #[serde(default)]
    pub attributes: Entries<At<AttributeType>>,
    /// A template for each attribute that stands in the item for an index alone: `EMAIL#<email>`. An
    /// item that doesn't give all of a template's names has no such attribute.
    #[serde(default)]
    pub index_keys: Entries<At<String>>,
}

/// How often a pattern is asked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrafficShape {
    /// The average rate: `40/s`. Units of time: s, min, h, day.
    pub average: At<String>,
    /// The highest rate that is expected.
    pub peak: Option<At<String>>,
}

/// One note on the design.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteShape {
    /// What the note tells.
    pub kind: At<NoteKind>,
    /// The note's heading.
    pub title: At<String>,
    /// The note.
    pub text: At<String>,
}

/// What one might have built instead.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CounterDesignShape {
    /// The other design in a sentence or two, and what it costs.
    pub text: At<String>,
    /// The pattern of this design that is asked beside it.
    pub compares: At<String>,
    /// The other design's tables.
    pub tables: Entries<TableShape>,
    /// The other design's entities. Those that are called as this design's hold the same sample items,
    /// under keys of their own; what they don't name is left out.
    pub entities: Entries<EntityShape>,
    /// Sample items of its own, where the same data needs other items.
    pub items: Option<Each<SampleShape>>,
    /// The same question, asked of the other design.
    pub pattern: PatternShape,
}

/// One sample item: its entity's name over its values.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct SampleShape(pub At<Entries<At<Entries<At<Plain>>>>>);
