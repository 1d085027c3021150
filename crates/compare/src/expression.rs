//! Expressions as the generator holds them and the model means them: trees, evaluated by walking them.
//!
//! The texts that the engine parses are written from these trees; nothing here reads a text.

use std::collections::{BTreeMap, BTreeSet};

use crate::value::{Item, Number, ONE, Value};

/// A step into a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// An element of a list.
    Index(usize),
    /// A member of a map.
    Member(String),
}

/// A place in an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The attribute.
    pub attribute: String,
    /// The way on from there.
    pub inner: Vec<Element>,
}

impl Path {
    /// What is there.
    pub fn find<'i>(&self, item: &'i Item) -> Option<&'i Value> {
        let mut found = item.get(&self.attribute)?;
        for element in &self.inner {
            found = match (found, element) {
                (Value::M(members), Element::Member(name)) => members.get(name)?,
                (Value::L(elements), Element::Index(index)) => elements.get(*index)?,
                _ => return None,
            };
        }
        Some(found)
    }
}

/// What a condition compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// What is at a place.
    Path(Path),
    /// A value of the request.
    Value(Value),
    /// The size of what is at a place.
    Size(Path),
}

impl Operand {
    fn value(&self, item: &Item) -> Option<Value> {
        match self {
            Operand::Path(path) => path.find(item).cloned(),
            Operand::Value(value) => Some(value.clone()),
            Operand::Size(path) => {
                let count = match path.find(item)? {
                    Value::S(text) => text.encode_utf16().count(),
                    Value::B(bytes) => bytes.len(),
                    Value::Ss(members) => members.len(),
                    Value::Ns(members) => members.len(),
                    Value::Bs(members) => members.len(),
                    Value::L(elements) => elements.len(),
                    Value::M(members) => members.len(),
                    Value::N(_) | Value::Bool(_) | Value::Null => return None,
                };
                Some(Value::N(Number(count as i128 * ONE)))
            }
        }
    }
}

/// A comparator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A condition or filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Two operands compared.
    Compare(Comparator, Operand, Operand),
    /// An operand between two others, both included.
    Between(Operand, Operand, Operand),
    /// An operand equal to one of others.
    In(Operand, Vec<Operand>),
    /// Something is at a place.
    Exists(Path),
    /// Nothing is.
    NotExists(Path),
    /// What is at a place has a type.
    Type(Path, &'static str),
    /// What is at a place begins with an operand.
    BeginsWith(Path, Operand),
    /// What is at a place contains an operand.
    Contains(Path, Operand),
    /// What is at a place doesn't contain an operand; where nothing is, this doesn't hold either.
    Lacks(Path, Operand),
    /// Both.
    And(Box<Condition>, Box<Condition>),
    /// At least one.
    Or(Box<Condition>, Box<Condition>),
    /// Not.
    Not(Box<Condition>),
}

impl Condition {
    /// Whether it holds for an item; a missing item has no attribute.
    pub fn holds(&self, item: Option<&Item>) -> bool {
        let nothing = Item::new();
        self.is_true(item.unwrap_or(&nothing))
    }

    fn is_true(&self, item: &Item) -> bool {
        match self {
            Condition::Compare(Comparator::NotEqual, left, right) => {
                // The one comparison that a missing operand makes true.
                !(left.value(item).is_some() && left.value(item) == right.value(item))
            }
            Condition::Compare(comparator, left, right) => match (left.value(item), right.value(item)) {
                (Some(left), Some(right)) => compares(*comparator, &left, &right),
                _ => false,
            },
            Condition::Between(operand, low, high) => {
                match (operand.value(item), low.value(item), high.value(item)) {
                    (Some(value), Some(low), Some(high)) => {
                        compares(Comparator::GreaterOrEqual, &value, &low)
                            && compares(Comparator::LessOrEqual, &value, &high)
                    }
                    _ => false,
                }
            }
            Condition::In(operand, others) => {
                let value = operand.value(item);
                value.is_some() && others.iter().any(|other| other.value(item) == value)
            }
            Condition::Exists(path) => path.find(item).is_some(),
            Condition::NotExists(path) => path.find(item).is_none(),
            Condition::Type(path, kind) => path.find(item).is_some_and(|value| value.kind() == *kind),
            Condition::BeginsWith(path, operand) => match (path.find(item), operand.value(item)) {
                (Some(Value::S(text)), Some(Value::S(start))) => text.starts_with(&start),
                (Some(Value::B(bytes)), Some(Value::B(start))) => bytes.starts_with(&start),
                _ => false,
            },
            Condition::Contains(path, operand) => match (path.find(item), operand.value(item)) {
                (Some(value), Some(part)) => contains(value, &part),
                _ => false,
            },
            Condition::Lacks(path, operand) => match (path.find(item), operand.value(item)) {
                (Some(value), Some(part)) => !contains(value, &part),
                _ => false,
            },
            Condition::And(one, other) => one.is_true(item) && other.is_true(item),
            Condition::Or(one, other) => one.is_true(item) || other.is_true(item),
            Condition::Not(condition) => !condition.is_true(item),
        }
    }
}

/// Whether two values that are there compare so. Only strings, numbers and binaries have an order.
pub fn compares(comparator: Comparator, left: &Value, right: &Value) -> bool {
    let have_order = matches!(
        (left, right),
        (Value::S(_), Value::S(_)) | (Value::N(_), Value::N(_)) | (Value::B(_), Value::B(_))
    );
    match comparator {
        Comparator::Equal => left == right,
        Comparator::NotEqual => left != right,
        Comparator::Less => have_order && left < right,
        Comparator::LessOrEqual => have_order && left <= right,
        Comparator::Greater => have_order && left > right,
        Comparator::GreaterOrEqual => have_order && left >= right,
    }
}

fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::S(text), Value::S(part)) => text.contains(part.as_str()),
        (Value::B(bytes), Value::B(part)) => {
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        }
        (Value::Ss(members), Value::S(part)) => members.contains(part),
        (Value::Ns(members), Value::N(part)) => members.contains(part),
        (Value::Bs(members), Value::B(part)) => members.contains(part),
        (Value::L(elements), part) => elements.contains(part),
        _ => false,
    }
}

/// Those of an item's places that are named, each wrapped in its path; lists are dense.
pub fn project(item: &Item, paths: &[Path]) -> Item {
    let names: BTreeSet<&String> = paths.iter().map(|path| &path.attribute).collect();
    let of_name = |name: &String| -> Vec<&[Element]> {
        paths.iter().filter(|path| path.attribute == *name).map(|path| path.inner.as_slice()).collect()
    };
    let pick = |name: &String| Some((name.clone(), pick(item.get(name)?, &of_name(name))?));
    names.into_iter().filter_map(pick).collect()
}

fn pick(value: &Value, ways: &[&[Element]]) -> Option<Value> {
    if ways.iter().any(|way| way.is_empty()) {
        return Some(value.clone());
    }
    let mut below: BTreeMap<&Element, Vec<&[Element]>> = BTreeMap::new();
    for way in ways {
        let (first, rest) = way.split_first()?;
        below.entry(first).or_default().push(rest);
    }
    let picked = match value {
        Value::M(members) => {
            let member = |(element, ways): (&&Element, &Vec<&[Element]>)| match element {
                Element::Member(name) => Some((name.clone(), pick(members.get(name)?, ways)?)),
                Element::Index(_) => None,
            };
            Value::M(below.iter().filter_map(member).collect())
        }
        Value::L(elements) => {
            let element = |(element, ways): (&&Element, &Vec<&[Element]>)| match element {
                Element::Index(index) => pick(elements.get(*index)?, ways),
                Element::Member(_) => None,
            };
            Value::L(below.iter().filter_map(element).collect())
        }
        _ => return None,
    };
    let is_bare = matches!(&picked, Value::M(members) if members.is_empty())
        || matches!(&picked, Value::L(elements) if elements.is_empty());
    (!is_bare).then_some(picked)
}
