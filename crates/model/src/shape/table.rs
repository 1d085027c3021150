//! Tables: keys, indexes and settings.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::finding::Position;
use crate::model::{IndexScope, StreamView};
use crate::placed::{At, Each, Entries};
use crate::types::AttributeType;

/// A table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableShape {
    /// The table's primary key.
    pub(crate) key: TableKeyShape,
    /// How requests are paid for: on-demand (without it), or provisioned units.
    pub(crate) billing: Option<BillingShape>,
    /// Secondary indexes by name.
    #[serde(default)]
    pub(crate) indexes: Entries<IndexShape>,
    /// The attribute that says when an item expires, in seconds since 1970.
    pub(crate) ttl: Option<At<String>>,
    /// What the table's stream tells of each change.
    pub(crate) stream: Option<At<StreamView>>,
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

/// A secondary index.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexShape {
    /// The index's key.
    pub key: IndexKeyShape,
    /// Global (without it) or local: with the table's own partition key.
    pub scope: Option<At<IndexScope>>,
    /// The attributes that the entries hold besides the keys: all (without it), keys-only, or a list.
    pub projection: Option<ProjectionShape>,
}

/// An index's key: one attribute for each half, or a list of up to four.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexKeyShape {
    /// The partition key: `owner`, `{ owner: N }` or `[tenant, region]`.
    pub partition: At<KeyPartShape>,
    /// The sort key.
    pub sort: Option<At<KeyPartShape>>,
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

/// Half of an index's key: one attribute, or several in order.
#[derive(Debug)]
pub(crate) struct KeyPartShape(pub Vec<At<KeyAttributeShape>>);

impl<'de> Deserialize<'de> for KeyPartShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartVisitor;
        impl<'de> Visitor<'de> for PartVisitor {
            type Value = KeyPartShape;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an attribute such as owner or { owner: N }, or a list of them")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<KeyPartShape, E> {
                let attribute = KeyAttributeShape { name: name.to_owned(), kind: None };
                Ok(KeyPartShape(vec![At { at: Position::START, value: attribute }]))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<KeyPartShape, A::Error> {
                let attribute = KeyAttributeShape::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(KeyPartShape(vec![At { at: Position::START, value: attribute }]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<KeyPartShape, A::Error> {
                let mut attributes = Vec::new();
                while let Some(attribute) = parts.next_element()? {
                    attributes.push(attribute);
                }
                Ok(KeyPartShape(attributes))
            }
        }
        deserializer.deserialize_any(PartVisitor)
    }
}

impl JsonSchema for KeyPartShape {
    fn schema_name() -> Cow<'static, str> {
        "KeyPart".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let attribute = generator.subschema_for::<KeyAttributeShape>();
        json_schema!({
            "description": "One attribute, or up to four in order.",
            "anyOf": [
                attribute,
                { "type": "array", "items": attribute, "minItems": 1, "maxItems": 4 }
            ]
        })
    }
}

/// How requests to a table are paid for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BillingShape {
    OnDemand,
    Provisioned { read: u64, write: u64 },
}

/// Provisioned units.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitsShape {
    read: u64,
    write: u64,
}

impl<'de> Deserialize<'de> for BillingShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BillingVisitor;
        impl<'de> Visitor<'de> for BillingVisitor {
            type Value = BillingShape;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("on-demand, or { provisioned: { read: 5, write: 5 } }")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<BillingShape, E> {
                match word {
                    "on-demand" => Ok(BillingShape::OnDemand),
                    _ => Err(E::unknown_variant(word, &["on-demand", "provisioned"])),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BillingShape, A::Error> {
                match map.next_entry::<String, UnitsShape>()? {
                    Some((word, UnitsShape { read, write })) if word == "provisioned" => {
                        Ok(BillingShape::Provisioned { read, write })
                    }
                    Some((word, _)) => Err(de::Error::unknown_field(&word, &["provisioned"])),
                    None => Err(de::Error::invalid_length(0, &self)),
                }
            }
        }
        deserializer.deserialize_any(BillingVisitor)
    }
}

impl JsonSchema for BillingShape {
    fn schema_name() -> Cow<'static, str> {
        "Billing".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let units = json_schema!({ "type": "integer", "minimum": 1 });
        json_schema!({
            "oneOf": [
                { "const": "on-demand" },
                {
                    "type": "object",
                    "required": ["provisioned"],
                    "additionalProperties": false,
                    "properties": {
                        "provisioned": {
                            "type": "object",
                            "required": ["read", "write"],
                            "additionalProperties": false,
                            "properties": { "read": units, "write": units }
                        }
                    }
                }
            ]
        })
    }
}

/// What an index's entries hold.
#[derive(Debug)]
pub(crate) enum ProjectionShape {
    All,
    KeysOnly,
    Include(Vec<At<String>>),
}

impl<'de> Deserialize<'de> for ProjectionShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ProjectionVisitor;
        impl<'de> Visitor<'de> for ProjectionVisitor {
            type Value = ProjectionShape;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("all, keys-only, or { include: [name] }")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<ProjectionShape, E> {
                match word {
                    "all" => Ok(ProjectionShape::All),
                    "keys-only" => Ok(ProjectionShape::KeysOnly),
                    _ => Err(E::unknown_variant(word, &["all", "keys-only", "include"])),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ProjectionShape, A::Error> {
                match map.next_entry::<String, Each<At<String>>>()? {
                    Some((word, names)) if word == "include" => Ok(ProjectionShape::Include(names.0)),
                    Some((word, _)) => Err(de::Error::unknown_field(&word, &["include"])),
                    None => Err(de::Error::invalid_length(0, &self)),
                }
            }
        }
        deserializer.deserialize_any(ProjectionVisitor)
    }
}

impl JsonSchema for ProjectionShape {
    fn schema_name() -> Cow<'static, str> {
        "Projection".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "oneOf": [
                { "enum": ["all", "keys-only"] },
                {
                    "type": "object",
                    "required": ["include"],
                    "additionalProperties": false,
                    "properties": {
                        "include": { "type": "array", "items": { "type": "string" }, "minItems": 1 }
                    }
                }
            ]
        })
    }
}
