//! From positioned nodes to the typed shape of a file.
//!
//! The shape's types (see [`crate::shape`]) say once what a file may hold: serde's derived code reads
//! them from here, and the JSON Schema is made from the same declarations. The wrappers of
//! [`crate::placed`] ask this deserializer, by the names below, for what plain serde would lose.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::{StrDeserializer, U32Deserializer};
use serde::de::{self, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use crate::finding::{Finding, Findings, Position, nearest};
use crate::problem::{Named, Problem};
use crate::yaml::{Key, Node, NodeKind, is_null};

/// Names of the wrappers as the deserializer knows them; no type of a shape can have these names.
pub(crate) const AT: &str = "\u{0}at";
pub(crate) const LENIENT: &str = "\u{0}lenient";
pub(crate) const PLAIN: &str = "\u{0}plain";

/// Reads `node` as a `T`; what does not fit becomes findings.
pub(crate) fn decode<T: de::DeserializeOwned>(node: &Node, findings: &mut Findings) -> Option<T> {
    let sink = RefCell::new(std::mem::take(findings));
    let decoded = T::deserialize(Reader { node, findings: &sink });
    *findings = sink.into_inner();
    match decoded {
        Ok(value) => Some(value),
        Err(Misfit::Noted) => None,
        Err(Misfit::Here(problem)) => {
            findings.add(node.at, || problem);
            None
        }
        Err(Misfit::Placed(finding)) => {
            findings.add(finding.at, || finding.problem);
            None
        }
    }
}

/// A fault on its way up to the place where it is noted.
#[derive(Debug)]
enum Misfit {
    /// Not yet placed: the node that is being read gives the place.
    Here(Problem),
    Placed(Finding),
    /// Among the findings already.
    Noted,
}

impl Misfit {
    fn placed(self, at: Position) -> Misfit {
        match self {
            Misfit::Here(problem) => Misfit::Placed(Finding::new(at, problem)),
            other => other,
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Here(problem) => problem.fmt(f),
            Misfit::Placed(finding) => finding.problem.fmt(f),
            Misfit::Noted => f.write_str("noted"),
        }
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Misfit::Here(Problem::Form { expected: message.to_string() })
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Misfit::Here(Problem::Form { expected: expected.to_string() })
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Misfit::Here(Problem::Form { expected: expected.to_string() })
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Misfit::Here(unknown(Named::Member, field, expected))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Misfit::Here(unknown(Named::Word, variant, expected))
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Misfit::Here(Problem::Form { expected: expected.to_string() })
    }

    fn missing_field(name: &'static str) -> Self {
        Misfit::Here(Problem::MissingMember { name })
    }
}

fn unknown(what: Named, name: &str, known: &'static [&'static str]) -> Problem {
    Problem::Unknown {
        what,
        name: name.to_owned(),
        nearest: nearest(name, known.iter().copied()).map(str::to_owned),
        known: known.iter().map(|name| (*name).to_owned()).collect(),
    }
}

#[derive(Clone, Copy)]
struct Reader<'n> {
    node: &'n Node,
    findings: &'n RefCell<Findings>,
}

impl<'n> Reader<'n> {
    fn wrong_kind(self, expected: &'static str) -> Misfit {
        let found = self.node.kind.described();
        Misfit::Here(Problem::WrongKind { expected, found }).placed(self.node.at)
    }

    fn text(self, expected: &'static str) -> Result<&'n str, Misfit> {
        match &self.node.kind {
            NodeKind::Scalar { text, quoted } if *quoted || !is_null(text) => Ok(text),
            _ => Err(self.wrong_kind(expected)),
        }
    }

    fn whole_number(self) -> Result<u64, Misfit> {
        let text = self.text("a whole number")?;
        text.parse().map_err(|_| {
            Misfit::Here(Problem::NotAWholeNumber { text: text.to_owned() }).placed(self.node.at)
        })
    }

    fn list<V: Visitor<'n>>(self, visitor: V, lenient: bool) -> Result<V::Value, Misfit> {
        match &self.node.kind {
            NodeKind::Sequence(nodes) => visitor
                .visit_seq(Elements { nodes: nodes.iter(), findings: self.findings, lenient })
                .map_err(|misfit| misfit.placed(self.node.at)),
            _ => Err(self.wrong_kind("a list")),
        }
    }

    fn mapping<V: Visitor<'n>>(self, visitor: V, lenient: bool) -> Result<V::Value, Misfit> {
        match &self.node.kind {
            NodeKind::Mapping(entries) => visitor
                .visit_map(Members { entries: entries.iter(), value: None, findings: self.findings, lenient })
                .map_err(|misfit| misfit.placed(self.node.at)),
            _ => Err(self.wrong_kind("a mapping")),
        }
    }
}

impl<'n> Deserializer<'n> for Reader<'n> {
    type Error = Misfit;

    /// A scalar is its text: what it means is said by the types of the shape, never guessed.
    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.node.kind {
            NodeKind::Scalar { .. } => self.deserialize_str(visitor),
            NodeKind::Sequence(_) => self.list(visitor, false),
            NodeKind::Mapping(_) => self.mapping(visitor, false),
        }
    }

    fn deserialize_str<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let text = self.text("a text")?;
        visitor.visit_str(text).map_err(|misfit: Misfit| misfit.placed(self.node.at))
    }

    fn deserialize_string<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_str(visitor)
    }

    fn deserialize_u64<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_u64(self.whole_number()?)
    }

    fn deserialize_option<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.node.kind {
            NodeKind::Scalar { text, quoted: false } if is_null(text) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.list(visitor, false)
    }

    fn deserialize_map<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.mapping(visitor, false)
    }

    fn deserialize_struct<V: Visitor<'n>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.mapping(visitor, false)
    }

    fn deserialize_enum<V: Visitor<'n>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let word: StrDeserializer<'_, Misfit> = self.text("a word")?.into_deserializer();
        visitor.visit_enum(word).map_err(|misfit| misfit.placed(self.node.at))
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match (name, &self.node.kind) {
            (AT, _) => visitor.visit_seq(PlaceThenValue { reader: self, step: 0 }),
            (LENIENT, NodeKind::Sequence(_)) => self.list(visitor, true),
            (LENIENT, NodeKind::Mapping(_)) => self.mapping(visitor, true),
            (LENIENT, _) => {
                // The visitor words what it reads; it answers a unit with what it expected.
                visitor.visit_unit().map_err(|misfit: Misfit| misfit.placed(self.node.at))
            }
            // A plain scalar comes as a newtype around its text, a quoted one as the text.
            (PLAIN, NodeKind::Scalar { text, quoted: false }) => {
                let text: StrDeserializer<'_, Misfit> = text.as_str().into_deserializer();
                visitor.visit_newtype_struct(text)
            }
            (PLAIN, NodeKind::Scalar { text, quoted: true }) => visitor.visit_str(text),
            (PLAIN, _) => self.deserialize_any(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'n>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct identifier ignored_any
    }
}

struct Elements<'n> {
    nodes: std::slice::Iter<'n, Node>,
    findings: &'n RefCell<Findings>,
    lenient: bool,
}

impl<'n> SeqAccess<'n> for Elements<'n> {
    type Error = Misfit;

    fn next_element_seed<S: de::DeserializeSeed<'n>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let Some(node) = self.nodes.next() else { return Ok(None) };
        let read = seed.deserialize(Reader { node, findings: self.findings });
        read.map(Some).map_err(|misfit| note(misfit.placed(node.at), self.findings, self.lenient))
    }
}

struct Members<'n> {
    entries: std::slice::Iter<'n, (Key, Node)>,
    value: Option<&'n Node>,
    findings: &'n RefCell<Findings>,
    lenient: bool,
}

impl<'n> MapAccess<'n> for Members<'n> {
    type Error = Misfit;

    fn next_key_seed<S: de::DeserializeSeed<'n>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(KeyReader { key }).map(Some).map_err(|misfit| misfit.placed(key.at))
    }

    fn next_value_seed<S: de::DeserializeSeed<'n>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        let Some(node) = self.value.take() else {
            return Err(Misfit::Here(Problem::KeyNotText));
        };
        let read = seed.deserialize(Reader { node, findings: self.findings });
        read.map_err(|misfit| note(misfit.placed(node.at), self.findings, self.lenient))
    }
}

/// Where the wrapper around goes on after a fault, the fault is noted at once.
fn note(misfit: Misfit, findings: &RefCell<Findings>, lenient: bool) -> Misfit {
    match misfit {
        Misfit::Placed(finding) if lenient => {
            findings.borrow_mut().add(finding.at, || finding.problem);
            Misfit::Noted
        }
        other => other,
    }
}

struct KeyReader<'n> {
    key: &'n Key,
}

impl<'n> Deserializer<'n> for KeyReader<'n> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_str(&self.key.text)
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match name {
            AT => visitor.visit_seq(PlaceThenValue { reader: self, step: 0 }),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'n>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let word: StrDeserializer<'_, Misfit> = self.key.text.as_str().into_deserializer();
        visitor.visit_enum(word)
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'n>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Something that knows where it stands.
trait Placed {
    fn at(&self) -> Position;
}

impl Placed for Reader<'_> {
    fn at(&self) -> Position {
        self.node.at
    }
}

impl Placed for KeyReader<'_> {
    fn at(&self) -> Position {
        self.key.at
    }
}

impl Clone for KeyReader<'_> {
    fn clone(&self) -> Self {
        KeyReader { key: self.key }
    }
}

/// What [`At`](crate::placed::At) reads: line, column, value.
struct PlaceThenValue<R> {
    reader: R,
    step: u8,
}

impl<'n, R: Deserializer<'n, Error = Misfit> + Placed + Clone> SeqAccess<'n> for PlaceThenValue<R> {
    type Error = Misfit;

    fn next_element_seed<S: de::DeserializeSeed<'n>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let at = self.reader.at();
        let step = self.step;
        self.step = step.saturating_add(1);
        match step {
            0 => seed.deserialize(number(at.line)).map(Some),
            1 => seed.deserialize(number(at.column)).map(Some),
            2 => seed.deserialize(self.reader.clone()).map(Some).map_err(|misfit| misfit.placed(at)),
            _ => Ok(None),
        }
    }
}

fn number(value: u32) -> U32Deserializer<Misfit> {
    value.into_deserializer()
}
