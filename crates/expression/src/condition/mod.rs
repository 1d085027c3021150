//! Conditions and filters: bound to their placeholders, ready to be asked of any item.

mod bind;
mod evaluate;
mod parts;

pub use parts::{Part, PartId};

use std::sync::Arc;

use keyplan_value::{Value, ValueKind};

use crate::error::ExpressionError;
use crate::parser::parse_condition;
use crate::path::DocumentPath;
use crate::placeholders::Placeholders;
use crate::syntax::{Comparator, ConditionTree, Element, Operand};

/// The text of a condition or filter, read. It holds nothing of a request, so it can be kept and
/// bound again for every request with the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCondition {
    pub(crate) tree: ConditionTree,
}

impl ParsedCondition {
    /// Reads a text.
    ///
    /// # Errors
    /// What the text alone shows, in this order: emptiness, size, syntax and redundant parentheses,
    /// the number of operators, unknown functions, misused functions, reserved words.
    pub fn parse(text: &str) -> Result<ParsedCondition, ExpressionError> {
        parse_condition(text).map(|tree| ParsedCondition { tree })
    }

    /// Binds the placeholders and marks the ones used.
    ///
    /// # Errors
    /// Those of the first wrong comparison or function as written, in this order: undefined
    /// placeholders, the number of operands, equal operands, types.
    pub fn bind(&self, placeholders: &Placeholders) -> Result<Condition, ExpressionError> {
        bind::bind(&self.tree, placeholders)
    }

    /// Marks the placeholders that the condition names as used, whether or not it can be bound.
    /// UpdateItem looks for those left over before it looks at a condition's operands.
    pub fn mark_used(&self, placeholders: &Placeholders) {
        for operand in &self.tree.operands {
            match operand {
                Operand::Path(path) => path.elements.iter().for_each(|element| {
                    if let Element::Placeholder(name) = element {
                        let _marked = placeholders.name(name);
                    }
                }),
                Operand::Value(value) => {
                    let _marked = placeholders.value(value);
                }
                Operand::Literal(_)
                | Operand::Truth(_)
                | Operand::Call { .. }
                | Operand::Arithmetic { .. } => {}
            }
        }
    }
}

impl std::fmt::Display for ParsedCondition {
    /// Writes a text that reads back as the same condition.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tree.fmt(f)
    }
}

/// A condition or filter of one request, to be asked of items in their stored form.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Children before their parents; the last is the root.
    pub(crate) nodes: Vec<Node>,
}

/// One part of a condition. And, Or and Not name their parts by position.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
    Compare { comparator: Comparator, left: Term, right: Term },
    Between { term: Term, lower: Term, upper: Term },
    In { term: Term, list: Vec<Term> },
    AttributeExists(DocumentPath),
    AttributeNotExists(DocumentPath),
    AttributeType(Term, ValueKind),
    BeginsWith(Term, Term),
    Contains(Term, Term),
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Path(DocumentPath),
    Value(Arc<Value>),
    /// The size of what is at a path.
    Size(DocumentPath),
    /// The size of a value of the request.
    SizeOfValue(u64),
    /// Whether another part holds.
    Truth(usize),
}

impl Condition {
    /// Whether something is at a path.
    pub fn exists(path: DocumentPath) -> Condition {
        Condition { nodes: vec![Node::AttributeExists(path)] }
    }

    /// This condition and another.
    #[must_use]
    pub fn and(self, other: Condition) -> Condition {
        self.joined(other, Node::And)
    }

    /// This condition or another.
    #[must_use]
    pub fn or(self, other: Condition) -> Condition {
        self.joined(other, Node::Or)
    }

    /// That this condition does not hold.
    #[must_use]
    pub fn negated(mut self) -> Condition {
        if let Some(root) = self.nodes.len().checked_sub(1) {
            self.nodes.push(Node::Not(root));
        }
        self
    }

    fn joined(mut self, other: Condition, with: fn(usize, usize) -> Node) -> Condition {
        let Some(left) = self.nodes.len().checked_sub(1) else { return other };
        let offset = self.nodes.len();
        self.nodes.extend(other.nodes.into_iter().map(|node| node.moved(&|id| id + offset)));
        let right = self.nodes.len() - 1;
        if right > left {
            self.nodes.push(with(left, right));
        }
        self
    }

    /// The document paths of the condition, each as often as it is written and in that order.
    pub fn paths(&self) -> impl Iterator<Item = &DocumentPath> {
        self.nodes.iter().flat_map(Node::paths)
    }

    /// The parts of the condition, children before their parents.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

impl Node {
    /// The same part, where all that it names has moved.
    fn moved(self, to: &dyn Fn(usize) -> usize) -> Node {
        let term = |term: Term| match term {
            Term::Truth(id) => Term::Truth(to(id)),
            term => term,
        };
        match self {
            Node::And(left, right) => Node::And(to(left), to(right)),
            Node::Or(left, right) => Node::Or(to(left), to(right)),
            Node::Not(id) => Node::Not(to(id)),
            Node::Compare { comparator, left, right } => {
                Node::Compare { comparator, left: term(left), right: term(right) }
            }
            Node::In { term: tested, list } => {
                Node::In { term: term(tested), list: list.into_iter().map(term).collect() }
            }
            Node::Contains(whole, part) => Node::Contains(term(whole), term(part)),
            // The rest holds no truth: the types of their operands are checked.
            node => node,
        }
    }

    /// The first of the parts that this one is made of.
    fn first_part(&self) -> Option<usize> {
        let truth = |term: &Term| match term {
            Term::Truth(id) => Some(*id),
            _ => None,
        };
        match self {
            Node::And(first, _) | Node::Or(first, _) | Node::Not(first) => Some(*first),
            Node::Compare { left, right, .. } => truth(left).or_else(|| truth(right)),
            Node::Contains(whole, part) => truth(whole).or_else(|| truth(part)),
            Node::In { term, list } => truth(term).or_else(|| list.iter().find_map(truth)),
            _ => None,
        }
    }

    fn paths(&self) -> impl Iterator<Item = &DocumentPath> {
        let (path, terms, list): (Option<&DocumentPath>, [Option<&Term>; 3], &[Term]) = match self {
            Node::And(..) | Node::Or(..) | Node::Not(_) => (None, [None; 3], &[]),
            Node::Compare { left, right, .. } => (None, [Some(left), Some(right), None], &[]),
            Node::BeginsWith(one, two) | Node::Contains(one, two) => {
                (None, [Some(one), Some(two), None], &[])
            }
            Node::Between { term, lower, upper } => (None, [Some(term), Some(lower), Some(upper)], &[]),
            Node::In { term, list } => (None, [Some(term), None, None], list),
            Node::AttributeType(term, _) => (None, [Some(term), None, None], &[]),
            Node::AttributeExists(path) | Node::AttributeNotExists(path) => (Some(path), [None; 3], &[]),
        };
        path.into_iter().chain(terms.into_iter().flatten().chain(list).filter_map(Term::path))
    }
}

impl Term {
    fn path(&self) -> Option<&DocumentPath> {
        match self {
            Term::Path(path) | Term::Size(path) => Some(path),
            Term::Value(_) | Term::SizeOfValue(_) | Term::Truth(_) => None,
        }
    }
}
