//! From a tape's nodes to the stored form, without a tree between.
//!
//! The service reports one error of an item, chosen by kind before place. So an error does not end the
//! reading: the one that ranks first is kept, and what was written is thrown away at the end.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::base64;
use crate::error::{DuplicateInSet, ExpectedJson, ValueError, WrongJsonType};
use crate::given::Given;
use crate::json::{Kind, Node};
use crate::kind::ValueKind;
use crate::limits::NESTING_LEVELS_MAX;
use crate::number::Number;
use crate::order;
use crate::size;
use crate::stored::{Item, Sink, Value, check_name};

/// Reads an item: an object from names to attribute values.
pub(crate) fn item(node: Node<'_, '_>) -> Result<Item, ValueError> {
    if let Some(Given::Item(item)) = node.given() {
        return Ok(item.clone());
    }
    let mut reader = Reader::new(node);
    reader.sink.begin_item();
    let size = match node.kind() {
        Kind::Object => reader.attributes(node, 1).1,
        _ => reader.wrong_type(ExpectedJson::Map, node),
    };
    match reader.error {
        None => Ok(reader.sink.finish_item(size)),
        Some(error) => Err(error),
    }
}

/// Reads one attribute value that stands inside a list or a map.
pub(crate) fn value(node: Node<'_, '_>) -> Result<Value, ValueError> {
    let mut reader = Reader::new(node);
    reader.value(node, 1);
    match reader.error {
        None => Ok(reader.sink.finish_value()),
        Some(error) => Err(error),
    }
}

/// Reads a boolean, which may be written as a word in any letter case.
///
/// # Errors
/// If the node is neither a boolean nor such a word.
pub fn read_boolean(node: Node<'_, '_>) -> Result<bool, WrongJsonType> {
    let wrong = WrongJsonType { expected: ExpectedJson::Boolean, found: node.kind() };
    if let Some(value) = node.boolean() {
        return Ok(value);
    }
    let word = node.string().ok_or(wrong)?;
    let is_one_of = |words: [&str; 5]| words.iter().any(|other| word.eq_ignore_ascii_case(other));
    if is_one_of(["true", "t", "yes", "y", "1"]) {
        Ok(true)
    } else if is_one_of(["false", "f", "no", "n", "0"]) {
        Ok(false)
    } else {
        Err(wrong)
    }
}

struct Reader<'t, 'a> {
    sink: Sink,
    /// Names and values of the objects that are being written, innermost last.
    members: Vec<(Cow<'a, str>, Node<'t, 'a>)>,
    error: Option<ValueError>,
}

impl<'t, 'a> Reader<'t, 'a> {
    fn new(node: Node<'t, 'a>) -> Self {
        Self { sink: Sink::with_capacity(node.raw().len()), members: Vec::new(), error: None }
    }

    /// Keeps `error` unless one that ranks as high was found before. Gives a size that nobody uses.
    fn fail(&mut self, error: ValueError) -> u64 {
        if self.error.as_ref().is_none_or(|kept| error.rank() < kept.rank()) {
            self.error = Some(error);
        }
        0
    }

    fn wrong_type(&mut self, expected: ExpectedJson, node: Node<'_, '_>) -> u64 {
        self.fail(WrongJsonType { expected, found: node.kind() }.into())
    }

    /// Writes the attributes of an item or the members of a map: gives their number and their size.
    fn attributes(&mut self, object: Node<'t, 'a>, level: usize) -> (usize, u64) {
        let start = self.members.len();
        self.members.extend(object.members().map(|(name, node)| (name.to_str(), node)));
        if let Some(members) = self.members.get_mut(start..) {
            order::sort_by(members, |(a, _), (b, _)| a.cmp(b));
        }
        self.drop_superseded(start);
        let end = self.members.len();
        self.sink.count(end - start);
        let mut size = 0;
        for index in start..end {
            let Some((name, node)) = self.members.get(index) else { break };
            let (checked, node) = (check_name(name), *node);
            size += self.sink.name(name);
            if let Err(error) = checked {
                self.fail(error);
            }
            size += self.value(node, level);
        }
        self.members.truncate(start);
        (end - start, size)
    }

    /// Of the members from `start`, sorted, keeps the last one of each name, and that only if it is not
    /// null.
    fn drop_superseded(&mut self, start: usize) {
        let mut kept = start;
        for index in start..self.members.len() {
            let Some((name, node)) = self.members.get(index) else { break };
            let superseded = self.members.get(index + 1).is_some_and(|(next, _)| next == name);
            if !superseded && !node.is_null() {
                self.members.swap(kept, index);
                kept += 1;
            }
        }
        self.members.truncate(kept);
    }

    /// Writes one attribute value and gives its size.
    fn value(&mut self, node: Node<'t, 'a>, level: usize) -> u64 {
        if let Some(Given::Value(value)) = node.given() {
            self.sink.copy(value.as_ref());
            return value.as_ref().size();
        }
        match node.kind() {
            Kind::Object => {}
            Kind::Null => return self.fail(ValueError::Empty),
            _ => return self.wrong_type(ExpectedJson::ElementValue, node),
        }
        if level > NESTING_LEVELS_MAX {
            return self.fail(ValueError::NestedTooDeep { levels: level - 1 + levels(node) });
        }
        match the_member(node) {
            Ok((kind, member)) => self.content(kind, member, level),
            Err(ValueError::MoreThanOneType) => {
                let error = error_of_several(node);
                self.fail(error)
            }
            Err(error) => self.fail(error),
        }
    }

    fn content(&mut self, kind: ValueKind, node: Node<'t, 'a>, level: usize) -> u64 {
        match kind {
            ValueKind::S => match node.text() {
                Some(text) => self.sink.string(&text.to_str()),
                None => self.wrong_type(ExpectedJson::String, node),
            },
            ValueKind::N => match node.string() {
                Some(text) => match number(&text) {
                    Ok(number) => self.sink.number(&number),
                    Err(error) => self.fail(error),
                },
                None => self.wrong_type(ExpectedJson::String, node),
            },
            ValueKind::B => self.binary(node),
            ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => self.set(kind, node),
            ValueKind::Bool => match read_boolean(node) {
                Ok(value) => self.sink.boolean(value),
                Err(error) => self.fail(error.into()),
            },
            ValueKind::Null => match read_boolean(node) {
                Ok(true) => self.sink.null(),
                Ok(false) => self.fail(ValueError::NullFalse),
                Err(error) => self.fail(error.into()),
            },
            ValueKind::L => self.list(node, level),
            ValueKind::M => self.map(node, level),
        }
    }

    fn binary(&mut self, node: Node<'t, 'a>) -> u64 {
        let Some(text) = node.string() else {
            return self.wrong_type(ExpectedJson::Binary, node);
        };
        let mark = self.sink.open(ValueKind::B);
        let start = self.sink.body().len();
        let decoded = base64::decode(&text, self.sink.body());
        let size = self.sink.body().len() - start;
        self.sink.close(mark);
        match decoded {
            Ok(()) => size as u64,
            Err(error) => self.fail(ValueError::NotBase64(error)),
        }
    }

    fn list(&mut self, node: Node<'t, 'a>, level: usize) -> u64 {
        if node.kind() != Kind::Array {
            return self.wrong_type(ExpectedJson::List, node);
        }
        let mark = self.sink.open(ValueKind::L);
        self.sink.count(node.len());
        let mut size = size::CONTAINER_BYTES;
        for element in node.elements() {
            size += size::ELEMENT_BYTES + self.value(element, level + 1);
        }
        self.sink.close(mark);
        size
    }

    fn map(&mut self, node: Node<'t, 'a>, level: usize) -> u64 {
        if node.kind() != Kind::Object {
            return self.wrong_type(ExpectedJson::Map, node);
        }
        let mark = self.sink.open(ValueKind::M);
        let (count, members) = self.attributes(node, level + 1);
        self.sink.close(mark);
        size::CONTAINER_BYTES + size::ELEMENT_BYTES * count as u64 + members
    }

    fn set(&mut self, kind: ValueKind, node: Node<'t, 'a>) -> u64 {
        if node.kind() != Kind::Array {
            return self.wrong_type(ExpectedJson::List, node);
        }
        let mut texts = Vec::new();
        for element in node.elements().filter(|element| !element.is_null()) {
            match element.string() {
                Some(text) => texts.push(text),
                None if kind == ValueKind::Bs => return self.wrong_type(ExpectedJson::Binary, element),
                None => return self.wrong_type(ExpectedJson::String, element),
            }
        }
        if texts.is_empty() {
            return self.fail(ValueError::EmptySet(kind));
        }
        let written = match kind {
            ValueKind::Ns => self.number_set(&texts),
            ValueKind::Bs => self.binary_set(&texts),
            _ => in_order(kind, &texts, &texts)
                .map(|members| self.sink.bytes_set(kind, members.iter().map(|member| member.as_bytes()))),
        };
        written.unwrap_or_else(|error| self.fail(error))
    }

    fn number_set(&mut self, texts: &[Cow<'a, str>]) -> Result<u64, ValueError> {
        let numbers = texts.iter().map(|text| number(text)).collect::<Result<Vec<_>, _>>()?;
        let members = in_order(ValueKind::Ns, &numbers, texts)?;
        Ok(self.sink.number_set(members.into_iter()))
    }

    fn binary_set(&mut self, texts: &[Cow<'a, str>]) -> Result<u64, ValueError> {
        let decode = |text: &Cow<'a, str>| {
            let mut bytes = Vec::new();
            base64::decode(text, &mut bytes).map(|()| bytes).map_err(ValueError::NotBase64)
        };
        let binaries = texts.iter().map(decode).collect::<Result<Vec<_>, _>>()?;
        let members = in_order(ValueKind::Bs, &binaries, texts)?;
        Ok(self.sink.bytes_set(ValueKind::Bs, members.into_iter().map(Vec::as_slice)))
    }
}

fn number(text: &str) -> Result<Number, ValueError> {
    Number::parse(text).map_err(|error| ValueError::Number { error, text: text.to_owned() })
}

/// The members of a set in their order, if each is there once. `texts` are the members as sent.
fn in_order<'m, T: Ord>(
    kind: ValueKind,
    members: &'m [T],
    texts: &[Cow<'_, str>],
) -> Result<Vec<&'m T>, ValueError> {
    let mut sorted: Vec<&T> = members.iter().collect();
    order::sort_by(&mut sorted, |one, other| one.cmp(other));
    if sorted.windows(2).all(|pair| pair.first() != pair.last()) {
        return Ok(sorted);
    }
    let mut seen = BTreeSet::new();
    let repeated = members.iter().position(|member| !seen.insert(member)).unwrap_or(0);
    let members = texts.iter().map(|text| text.to_string()).collect();
    Err(ValueError::DuplicateInSet(DuplicateInSet { kind, members, repeated }))
}

/// The members of an attribute value that are named for a type and there; of a name that comes twice the
/// last one.
fn typed_members<'t, 'a>(node: Node<'t, 'a>) -> impl Iterator<Item = (ValueKind, Node<'t, 'a>)> {
    let mut last = [None; ValueKind::ALL.len()];
    for (name, member) in node.members() {
        if let Some(kind) = ValueKind::from_code(&name.to_str())
            && let Some(place) = last.get_mut(kind as usize)
        {
            *place = Some(member);
        }
    }
    let there = |member: Option<Node<'t, 'a>>| member.filter(|member| !member.is_null());
    ValueKind::ALL.into_iter().zip(last).filter_map(move |(kind, member)| Some((kind, there(member)?)))
}

/// The one member of an attribute value that is named for a type.
fn the_member<'t, 'a>(node: Node<'t, 'a>) -> Result<(ValueKind, Node<'t, 'a>), ValueError> {
    // Nearly all values have one member and no more.
    let mut members = node.members();
    if let (Some((name, member)), None) = (members.next(), members.next()) {
        return match ValueKind::from_code(&name.to_str()) {
            Some(kind) if !member.is_null() => Ok((kind, member)),
            _ => Err(ValueError::Empty),
        };
    }
    let mut members = typed_members(node);
    let first = members.next().ok_or(ValueError::Empty)?;
    match members.next() {
        None => Ok(first),
        Some(_) => Err(ValueError::MoreThanOneType),
    }
}

/// What the service reports of a value with members of several types: it reads them before it counts
/// them, in an order of its own.
fn error_of_several(node: Node<'_, '_>) -> ValueError {
    let place = |error: &ValueError| match error {
        error if error.is_serialization() => Some(0),
        ValueError::EmptySet(_) => Some(1),
        ValueError::Number { .. } => Some(2),
        ValueError::NullFalse => Some(3),
        _ => None,
    };
    let mut first: Option<(u8, ValueError)> = None;
    for (kind, member) in typed_members(node) {
        // Only the member's own content is read ahead of the count, not what a list or map holds.
        let opaque = match kind {
            ValueKind::L => member.kind() == Kind::Array,
            ValueKind::M => member.kind() == Kind::Object,
            _ => false,
        };
        if opaque {
            continue;
        }
        let mut reader = Reader::new(member);
        reader.content(kind, member, NESTING_LEVELS_MAX);
        if let Some(error) = reader.error
            && let Some(place) = place(&error)
            && first.as_ref().is_none_or(|(before, _)| place < *before)
        {
            first = Some((place, error));
        }
    }
    first.map_or(ValueError::MoreThanOneType, |(_, error)| error)
}

/// How many levels an attribute value has, itself included. Walks with a list of its own, so that depth
/// costs no stack.
fn levels(node: Node<'_, '_>) -> usize {
    let mut deepest = 0;
    let mut open = vec![(node, 1)];
    while let Some((node, level)) = open.pop() {
        deepest = deepest.max(level);
        if let Some(list) = node.get("L") {
            open.extend(list.elements().map(|element| (element, level + 1)));
        }
        if let Some(map) = node.get("M") {
            open.extend(map.members().map(|(_, member)| (member, level + 1)));
        }
    }
    deepest
}
