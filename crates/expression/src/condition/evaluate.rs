//! Asks a condition of an item, reading from the stored form only what the condition names.

use std::cmp::Ordering;

use keyplan_value::{ItemRef, Number, Value, ValueKind, ValueRef};
use memchr::memmem;

use super::{Condition, Node, Term};
use crate::bind::has_size;
use crate::path::DocumentPath;
use crate::syntax::Comparator;

/// What a side of a comparison stands for in one item.
#[derive(Clone, Copy)]
enum Found<'a> {
    Value(ValueRef<'a>),
    Size(u64),
    Truth(bool),
}

impl Condition {
    /// Whether the condition holds for an item, or, with `None`, where there is no item.
    ///
    /// A comparison with something that is not there is false, except `<>`, which is true; one of
    /// two types is unequal and has no order.
    pub fn matches(&self, item: Option<ItemRef>) -> bool {
        match self.nodes.len().checked_sub(1) {
            Some(root) => self.holds(root, item),
            None => true,
        }
    }

    /// Recursion ends after at most as many steps as a condition may have operators.
    fn holds(&self, id: usize, item: Option<ItemRef>) -> bool {
        match &self.nodes[id] {
            Node::And(left, right) => self.holds(*left, item) && self.holds(*right, item),
            Node::Or(left, right) => self.holds(*left, item) || self.holds(*right, item),
            Node::Not(negated) => !self.holds(*negated, item),
            Node::Compare { comparator, left, right } => {
                compare(*comparator, self.find(left, item), self.find(right, item))
            }
            Node::Between { term, lower, upper } => {
                let found = self.find(term, item);
                compare(Comparator::GreaterOrEqual, found, self.find(lower, item))
                    && compare(Comparator::LessOrEqual, found, self.find(upper, item))
            }
            Node::In { term, list } => {
                let found = self.find(term, item);
                list.iter().any(|other| compare(Comparator::Equal, found, self.find(other, item)))
            }
            Node::AttributeExists(path) => find(path, item).is_some(),
            Node::AttributeNotExists(path) => find(path, item).is_none(),
            Node::AttributeType(term, kind) => {
                self.find(term, item).is_some_and(|found| found.kind() == *kind)
            }
            Node::BeginsWith(text, prefix) => self.both(text, prefix, item, begins_with),
            Node::Contains(whole, part) => self.both(whole, part, item, contains),
        }
    }

    fn find<'a>(&'a self, term: &'a Term, item: Option<ItemRef<'a>>) -> Option<Found<'a>> {
        match term {
            Term::Path(path) => find(path, item).map(Found::Value),
            Term::Value(value) => Some(Found::Value(Value::as_ref(value))),
            Term::Size(path) => find(path, item).and_then(size_of).map(Found::Size),
            Term::SizeOfValue(size) => Some(Found::Size(*size)),
            Term::Truth(id) => Some(Found::Truth(self.holds(*id, item))),
        }
    }

    fn both<'a>(
        &'a self,
        one: &'a Term,
        two: &'a Term,
        item: Option<ItemRef<'a>>,
        holds: impl FnOnce(ValueRef<'a>, Found<'a>) -> bool,
    ) -> bool {
        match (self.find(one, item), self.find(two, item)) {
            (Some(Found::Value(one)), Some(two)) => holds(one, two),
            // A size is a number, and numbers contain and begin with nothing.
            _ => false,
        }
    }
}

fn find<'a>(path: &DocumentPath, item: Option<ItemRef<'a>>) -> Option<ValueRef<'a>> {
    path.find(item?)
}

/// What size() gives for a value: UTF-16 code units of a string, bytes of a binary, members of the
/// rest. Numbers, BOOL and NULL have none.
pub(super) fn size_of(value: ValueRef) -> Option<u64> {
    let size = match value.kind() {
        ValueKind::S => value.as_str()?.chars().map(char::len_utf16).sum(),
        ValueKind::B => value.as_bytes()?.len(),
        kind if has_size(kind) => value.member_count(),
        _ => return None,
    };
    Some(size as u64)
}

fn compare(comparator: Comparator, left: Option<Found>, right: Option<Found>) -> bool {
    let both = left.zip(right);
    match comparator {
        Comparator::Equal => both.is_some_and(|(left, right)| left.equals(right)),
        Comparator::NotEqual => !both.is_some_and(|(left, right)| left.equals(right)),
        Comparator::Less => order(both).is_some_and(Ordering::is_lt),
        Comparator::LessOrEqual => order(both).is_some_and(Ordering::is_le),
        Comparator::Greater => order(both).is_some_and(Ordering::is_gt),
        Comparator::GreaterOrEqual => order(both).is_some_and(Ordering::is_ge),
    }
}

fn order(both: Option<(Found, Found)>) -> Option<Ordering> {
    both.and_then(|(left, right)| left.order(right))
}

impl Found<'_> {
    fn kind(self) -> ValueKind {
        match self {
            Found::Value(value) => value.kind(),
            Found::Size(_) => ValueKind::N,
            Found::Truth(_) => ValueKind::Bool,
        }
    }

    fn equals(self, other: Found) -> bool {
        match (self, other) {
            (Found::Value(one), Found::Value(two)) => one == two,
            (Found::Truth(one), Found::Truth(two)) => one == two,
            (Found::Truth(truth), Found::Value(value)) | (Found::Value(value), Found::Truth(truth)) => {
                value.as_bool() == Some(truth)
            }
            _ => self.order(other) == Some(Ordering::Equal),
        }
    }

    fn order(self, other: Found) -> Option<Ordering> {
        match (self, other) {
            (Found::Value(one), Found::Value(two)) => one.compare(&two),
            _ => Some(self.number()?.cmp(&other.number()?)),
        }
    }

    fn number(self) -> Option<Number> {
        match self {
            Found::Value(value) => value.number(),
            Found::Size(size) => Some(Number::from(size)),
            Found::Truth(_) => None,
        }
    }
}

fn begins_with(text: ValueRef, prefix: Found) -> bool {
    matches!(prefix, Found::Value(prefix) if text.begins_with(&prefix))
}

fn contains(whole: ValueRef, part: Found) -> bool {
    match whole.kind() {
        ValueKind::S | ValueKind::B => {
            let Found::Value(part) = part else { return false };
            let bytes = whole.as_bytes().zip(part.as_bytes());
            whole.kind() == part.kind()
                && bytes.is_some_and(|(whole, part)| memmem::find(whole, part).is_some())
        }
        // Members of a set are values of its element type, so another type finds nothing here.
        ValueKind::Ss | ValueKind::Ns | ValueKind::Bs | ValueKind::L => {
            whole.elements().any(|element| Found::Value(element).equals(part))
        }
        ValueKind::N | ValueKind::Bool | ValueKind::Null | ValueKind::M => false,
    }
}
