//! Wrappers for the types of a file's shape: a value and its place, mappings and lists that keep their
//! order and go on after a faulty entry (so that one run tells all faults), and values as written.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::decode::{AT, LENIENT, PLAIN};
use crate::finding::Position;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct At<T> {
    /// Where it stands.
    pub at: Position,
    /// What stands there.
    pub value: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AtVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for AtVisitor<T> {
            type Value = At<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its place")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<At<T>, A::Error> {
                let missing = || de::Error::custom("a value with its place");
                let line = parts.next_element()?.ok_or_else(missing)?;
                let column = parts.next_element()?.ok_or_else(missing)?;
                let value = parts.next_element()?.ok_or_else(missing)?;
                Ok(At { at: Position { line, column }, value })
            }
        }
        deserializer.deserialize_newtype_struct(AT, AtVisitor(PhantomData))
    }
}

/// A mapping from names to values, in the file's order.
#[derive(Debug)]
pub struct Entries<T> {
    /// Each name with its value.
    pub list: Vec<(At<String>, T)>,
    /// Names whose values have a fault that has been told; they are known all the same.
    pub faulty: Vec<String>,
}

impl<T> Entries<T> {
    /// All names, those of faulty values too.
    pub fn names(&self) -> Vec<&str> {
        let good = self.list.iter().map(|(name, _)| &name.value);
        good.chain(&self.faulty).map(String::as_str).collect()
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Entries { list: Vec::new(), faulty: Vec::new() }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
            type Value = Entries<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping from names to values")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Entries<T>, A::Error> {
                let mut entries = Entries::default();
                while let Some(name) = members.next_key::<At<String>>()? {
                    // The fault of a value is noted already; the entries after it are read as well.
                    match members.next_value() {
                        Ok(value) => entries.list.push((name, value)),
                        Err(_) => entries.faulty.push(name.value),
                    }
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_newtype_struct(LENIENT, EntriesVisitor(PhantomData))
    }
}

/// A list, in the file's order.
#[derive(Debug)]
pub struct Each<T>(pub Vec<T>);

impl<T> Default for Each<T> {
    fn default() -> Self {
        Each(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EachVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for EachVisitor<T> {
            type Value = Each<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Each<T>, A::Error> {
                let mut values = Vec::new();
                loop {
                    match elements.next_element() {
                        Ok(Some(value)) => values.push(value),
                        Ok(None) => return Ok(Each(values)),
                        Err(_) => {} // Noted already; the list shrinks with each step, so this ends.
                    }
                }
            }
        }
        deserializer.deserialize_newtype_struct(LENIENT, EachVisitor(PhantomData))
    }
}

/// A sample value as it is written; what it means is said elsewhere, such as by an entity's types.
#[derive(Debug, Clone)]
pub enum Plain {
    /// A scalar.
    Text {
        /// Its text.
        text: String,
        /// Whether it stands in quotes, or as a block.
        quoted: bool,
    },
    /// A list.
    List(Vec<At<Plain>>),
    /// A mapping.
    Mapping(Vec<(At<String>, At<Plain>)>),
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlainVisitor;
        impl<'de> Visitor<'de> for PlainVisitor {
            type Value = Plain;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(self, text: D) -> Result<Plain, D::Error> {
                Ok(Plain::Text { text: String::deserialize(text)?, quoted: false })
            }
            fn visit_str<E>(self, text: &str) -> Result<Plain, E> {
                Ok(Plain::Text { text: text.to_owned(), quoted: true })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Plain, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = elements.next_element()? {
                    list.push(value);
                }
                Ok(Plain::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Plain, A::Error> {
                let mut mapping = Vec::new();
                while let Some(entry) = members.next_entry()? {
                    mapping.push(entry);
                }
                Ok(Plain::Mapping(mapping))
            }
        }
        deserializer.deserialize_newtype_struct(PLAIN, PlainVisitor)
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("{}ByName", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}

impl<T: JsonSchema> JsonSchema for Each<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("ListOf{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let element = generator.subschema_for::<T>();
        json_schema!({ "type": "array", "items": element })
    }
}

impl JsonSchema for Plain {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Plain".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}
