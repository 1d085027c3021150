//! The form of a model file: what may stand where, before anything is checked against anything else.
//!
//! The doc comments of this module are the descriptions of the JSON Schema, so editors show them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use crate::model::{Billing, NoteKind};
use crate::pattern::{Direction, Operation};
use crate::placed::{At, Each, Entries, Plain};
use crate::types::AttributeType;

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

/// A table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableShape {
    /// The table's primary key.
    pub key: TableKeyShape,
    /// How requests are paid for.
    pub billing: Option<At<Billing>>,
}

/// A primary key: the names of its attributes, with their types where they are not S.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableKeyShape {
    /// The partition key: `pk`, or `{ pk: N }`.
    pub partition: At<KeyAttributeShape>,
    /// The sort key: `sk`, or `{ sk: N }`.
    pub sort: Option<At<KeyAttributeShape>>,
}

/// An entity: one kind of item.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntityShape {
    /// The table in which the items stand.
    pub table: At<String>,
    /// A template for each key attribute: `CUSTOMER#<customerId>`. A name that stands only here is
    /// part of the key and not stored a second time.
    pub key: Entries<At<String>>,
    /// The other attributes and their types.
    #[serde(default)]
    pub attributes: Entries<At<AttributeType>>,
}

/// An access pattern: one question, one request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatternShape {
    /// The question in plain words.
    pub question: At<String>,
    /// The DynamoDB operation that answers it.
    pub operation: At<Operation>,
    /// The table that a Query or Scan reads.
    pub table: Option<At<String>>,
    /// The entity whose item a GetItem reads; the key comes from its templates.
    pub entity: Option<At<String>>,
    /// Both halves of a Query's key condition, by key attribute.
    #[serde(rename = "where")]
    pub condition: Option<At<Entries<At<KeyConditionShape>>>>,
    /// Forward (the default) or backward along the sort key.
    pub direction: Option<At<Direction>>,
    /// The most items that are examined.
    pub limit: Option<At<u64>>,
    /// Whether the read is strongly consistent.
    pub consistent: Option<At<Flag>>,
    /// The parameters `<name>` of the pattern, each with an example.
    #[serde(default)]
    pub parameters: Entries<ParameterShape>,
    /// What the pattern must return on the sample items with the example parameters.
    pub returns: Option<ReturnsShape>,
    /// What the pattern costs there.
    pub costs: Option<CostsShape>,
}

/// One parameter of a pattern.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterShape {
    /// A value that shows what the pattern does.
    pub example: At<Plain>,
}

/// What a pattern returns.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReturnsShape {
    /// The entities of the items that come back.
    #[serde(default)]
    pub entities: Each<At<String>>,
    /// How many items come back.
    pub count: At<u64>,
}

/// What a pattern costs, in capacity units.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CostsShape {
    /// Read capacity units.
    pub read: Option<At<UnitsText>>,
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
    /// The other design in a sentence.
    pub text: At<String>,
}

/// One sample item: its entity's name over its values.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct SampleShape(pub At<Entries<At<Entries<At<Plain>>>>>);

/// `true` or `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    /// `true`
    True,
    /// `false`
    False,
}

impl JsonSchema for Flag {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Flag".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// A number of capacity units as it is written.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct UnitsText(pub String);

impl JsonSchema for UnitsText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Units".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "multipleOf": 0.5 })
    }
}

/// A key attribute: its name, or `{ name: type }`.
#[derive(Debug)]
pub struct KeyAttributeShape {
    /// The name.
    pub name: String,
    /// The type, where it is given.
    pub kind: Option<At<AttributeType>>,
}

impl<'de> Deserialize<'de> for KeyAttributeShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyAttributeVisitor;
        impl<'de> Visitor<'de> for KeyAttributeVisitor {
            type Value = KeyAttributeShape;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name such as pk, or a name and its type such as { pk: N }")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<KeyAttributeShape, E> {
                Ok(KeyAttributeShape { name: name.to_owned(), kind: None })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<KeyAttributeShape, A::Error> {
                let entry: Option<(String, At<AttributeType>)> = map.next_entry()?;
                match (entry, map.next_key::<String>()?) {
                    (Some((name, kind)), None) => Ok(KeyAttributeShape { name, kind: Some(kind) }),
                    _ => Err(de::Error::invalid_length(0, &self)),
                }
            }
        }
        deserializer.deserialize_any(KeyAttributeVisitor)
    }
}

impl JsonSchema for KeyAttributeShape {
    fn schema_name() -> Cow<'static, str> {
        "KeyAttribute".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An attribute's name (type S), or { name: type }.",
            "oneOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": { "enum": ["S", "N", "B"] }
                }
            ]
        })
    }
}

/// What a Query asks of one key attribute: a template, or one comparison.
#[derive(Debug)]
pub(crate) enum KeyConditionShape {
    Equal(String),
    Compare(At<Comparison>, ComparandShape),
}

/// Comparisons of a sort key, spelled as in a key condition expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Comparison {
    #[serde(rename = "=")]
    Equal,
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    LessOrEqual,
    #[serde(rename = ">")]
    Greater,
    #[serde(rename = ">=")]
    GreaterOrEqual,
    #[serde(rename = "begins_with")]
    BeginsWith,
    #[serde(rename = "between")]
    Between,
}

/// One template, or two for `between`.
#[derive(Debug)]
pub(crate) enum ComparandShape {
    One(At<String>),
    Two(At<String>, At<String>),
}

impl<'de> Deserialize<'de> for KeyConditionShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ConditionVisitor;
        impl<'de> Visitor<'de> for ConditionVisitor {
            type Value = KeyConditionShape;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a template, or one comparison such as { begins_with: \"ORDER#\" }")
            }
            fn visit_str<E: de::Error>(self, template: &str) -> Result<KeyConditionShape, E> {
                Ok(KeyConditionShape::Equal(template.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<KeyConditionShape, A::Error> {
                let Some(comparison) = map.next_key::<At<Comparison>>()? else {
                    return Err(de::Error::invalid_length(0, &self));
                };
                let comparand = if comparison.value == Comparison::Between {
                    let bounds: Pair = map.next_value()?;
                    ComparandShape::Two(bounds.0, bounds.1)
                } else {
                    ComparandShape::One(map.next_value()?)
                };
                match map.next_key::<String>()? {
                    None => Ok(KeyConditionShape::Compare(comparison, comparand)),
                    Some(_) => Err(de::Error::invalid_length(2, &self)),
                }
            }
        }
        deserializer.deserialize_any(ConditionVisitor)
    }
}

/// The two bounds of `between`.
struct Pair(At<String>, At<String>);

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairVisitor;
        impl<'de> Visitor<'de> for PairVisitor {
            type Value = Pair;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of two templates, lower bound first")
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut bounds: A) -> Result<Pair, A::Error> {
                match (bounds.next_element()?, bounds.next_element()?, bounds.next_element::<At<String>>()?) {
                    (Some(lower), Some(upper), None) => Ok(Pair(lower, upper)),
                    _ => Err(de::Error::invalid_length(0, &self)),
                }
            }
        }
        deserializer.deserialize_seq(PairVisitor)
    }
}

impl JsonSchema for KeyConditionShape {
    fn schema_name() -> Cow<'static, str> {
        "KeyCondition".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A template for equality, or one comparison of the sort key.",
            "oneOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": false,
                    "properties": {
                        "=": { "type": "string" },
                        "<": { "type": "string" },
                        "<=": { "type": "string" },
                        ">": { "type": "string" },
                        ">=": { "type": "string" },
                        "begins_with": { "type": "string" },
                        "between": {
                            "type": "array",
                            "items": { "type": "string" },
                            "minItems": 2,
                            "maxItems": 2
                        }
                    }
                }
            ]
        })
    }
}
