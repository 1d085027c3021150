//! A bound condition, taken apart by whoever looks for keys in it.

use std::sync::Arc;

use keyplan_value::Value;

use super::{Condition, Node, Term};
use crate::key_condition::KeyTest;
use crate::path::DocumentPath;
use crate::syntax::Comparator;

/// The place of a part in its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartId(usize);

/// What a part of a condition says, as far as keys can have to do with it.
#[derive(Debug)]
pub enum Part<'c> {
    /// Both of two parts.
    And(PartId, PartId),
    /// One of two parts.
    Or(PartId, PartId),
    /// The contrary of a part.
    Not(PartId),
    /// That an attribute passes one of these tests.
    Test {
        /// The attribute.
        attribute: &'c Arc<str>,
        /// The tests.
        tests: Vec<KeyTest>,
        /// Whether they are the list of an IN.
        listed: bool,
    },
    /// That an attribute has another value.
    Unequal {
        /// The attribute.
        attribute: &'c Arc<str>,
    },
    /// Anything else.
    Other,
}

impl Condition {
    /// The part that is the whole condition; a condition without parts always holds.
    pub fn root(&self) -> Option<PartId> {
        self.nodes.len().checked_sub(1).map(PartId)
    }

    /// What a part says.
    pub fn part(&self, id: PartId) -> Part<'_> {
        let Some(node) = self.nodes.get(id.0) else { return Part::Other };
        match node {
            Node::And(left, right) => Part::And(PartId(*left), PartId(*right)),
            Node::Or(left, right) => Part::Or(PartId(*left), PartId(*right)),
            Node::Not(negated) => Part::Not(PartId(*negated)),
            Node::Compare { comparator, left, right } => match (left, right) {
                (Term::Path(path), Term::Value(value)) => comparison(*comparator, path, value),
                (Term::Value(value), Term::Path(path)) => comparison(comparator.exchanged(), path, value),
                _ => Part::Other,
            },
            Node::Between {
                term: Term::Path(path),
                lower: Term::Value(lower),
                upper: Term::Value(upper),
            } => test(path, KeyTest::Between(Value::clone(lower), Value::clone(upper))),
            Node::In { term: Term::Path(path), list } => membership(path, list),
            Node::BeginsWith(Term::Path(path), Term::Value(prefix)) => {
                test(path, KeyTest::BeginsWith(Value::clone(prefix)))
            }
            _ => Part::Other,
        }
    }

    /// A part as a condition of its own.
    #[must_use]
    pub fn only(&self, id: PartId) -> Condition {
        let first = self.first_of(id);
        let nodes = self.nodes.get(first..=id.0).unwrap_or_default().iter();
        Condition { nodes: nodes.map(|node| node.clone().moved(&|id| id - first)).collect() }
    }

    /// The document paths of a part, each as often as it is written and in that order.
    pub fn paths_of(&self, id: PartId) -> Vec<&DocumentPath> {
        let nodes = self.nodes.get(self.first_of(id)..=id.0).unwrap_or_default();
        nodes.iter().flat_map(Node::paths).collect()
    }

    /// Where a part begins: what it is made of lies right before it.
    fn first_of(&self, id: PartId) -> usize {
        let mut first = id.0;
        while let Some(before) = self.nodes.get(first).and_then(Node::first_part) {
            first = before;
        }
        first
    }
}

fn top_level(path: &DocumentPath) -> Option<&Arc<str>> {
    path.inner().is_empty().then(|| path.attribute())
}

fn test(path: &DocumentPath, test: KeyTest) -> Part<'_> {
    match top_level(path) {
        Some(attribute) => Part::Test { attribute, tests: vec![test], listed: false },
        None => Part::Other,
    }
}

fn comparison<'c>(comparator: Comparator, path: &'c DocumentPath, value: &Value) -> Part<'c> {
    let value = value.clone();
    test(
        path,
        match comparator {
            Comparator::Equal => KeyTest::Equal(value),
            Comparator::Less => KeyTest::Less(value),
            Comparator::LessOrEqual => KeyTest::LessOrEqual(value),
            Comparator::Greater => KeyTest::Greater(value),
            Comparator::GreaterOrEqual => KeyTest::GreaterOrEqual(value),
            Comparator::NotEqual => {
                return top_level(path).map_or(Part::Other, |attribute| Part::Unequal { attribute });
            }
        },
    )
}

fn membership<'c>(path: &'c DocumentPath, list: &[Term]) -> Part<'c> {
    let value = |term: &Term| match term {
        Term::Value(value) => Some(KeyTest::Equal(Value::clone(value))),
        _ => None,
    };
    match (top_level(path), list.iter().map(value).collect::<Option<Vec<_>>>()) {
        (Some(attribute), Some(tests)) => Part::Test { attribute, tests, listed: true },
        _ => Part::Other,
    }
}
