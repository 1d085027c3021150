//! What a Query asks of a key.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use crate::placed::At;

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
    fn schema_name() -> std::borrow::Cow<'static, str> {
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
