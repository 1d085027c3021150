//! Key conditions: what Query says of the partition key and the sort key.

use std::cmp::Ordering;
use std::sync::Arc;

use keyplan_value::{Value, ValueRef};

use crate::condition::{Condition, Node, ParsedCondition, Term};
use crate::error::ExpressionError;
use crate::path::DocumentPath;
use crate::placeholders::Placeholders;
use crate::syntax::Comparator;

/// The text of a key condition, read. It holds nothing of a request, so it can be kept and bound again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedKeyCondition {
    condition: ParsedCondition,
}

impl ParsedKeyCondition {
    /// Reads a text.
    ///
    /// # Errors
    /// Those of [`ParsedCondition::parse`].
    pub fn parse(text: &str) -> Result<ParsedKeyCondition, ExpressionError> {
        ParsedCondition::parse(text).map(|condition| ParsedKeyCondition { condition })
    }

    /// Binds the placeholders and marks the ones used.
    ///
    /// # Errors
    /// Those of [`ParsedCondition::bind`], then what is a condition but none on a key.
    pub fn bind(&self, placeholders: &Placeholders) -> Result<KeyCondition, ExpressionError> {
        KeyCondition::from_condition(self.condition.bind(placeholders)?)
    }
}

impl std::fmt::Display for ParsedKeyCondition {
    /// Writes a text that reads back as the same key condition.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.condition.fmt(f)
    }
}

/// Conditions on attributes that are to be a key's: at most one on each, all to be met.
///
/// Which of them are keys is known with the table: see [`KeyCondition::resolve`].
#[derive(Clone, Debug)]
pub struct KeyCondition {
    pub(crate) attributes: Vec<AttributeCondition>,
    /// Attributes that KeyConditions has with operators that no key can be looked up with. That is told
    /// only when the key is known, so they are kept until then.
    pub(crate) not_indexable: Vec<Arc<str>>,
}

/// What a key condition says of one attribute.
#[derive(Clone, Debug)]
pub struct AttributeCondition {
    /// The attribute.
    pub attribute: Arc<str>,
    /// What its value must be.
    pub test: KeyTest,
}

/// A test of one key attribute's value.
#[derive(Clone, Debug)]
pub enum KeyTest {
    /// `= value`
    Equal(Value),
    /// `< value`
    Less(Value),
    /// `<= value`
    LessOrEqual(Value),
    /// `> value`
    Greater(Value),
    /// `>= value`
    GreaterOrEqual(Value),
    /// `BETWEEN lower AND upper`, both included.
    Between(Value, Value),
    /// `begins_with(attribute, prefix)`
    BeginsWith(Value),
}

impl KeyTest {
    /// The values that the test compares with.
    pub fn values(&self) -> impl Iterator<Item = ValueRef<'_>> {
        let (one, two) = match self {
            KeyTest::Between(lower, upper) => (lower, Some(upper)),
            KeyTest::Equal(value)
            | KeyTest::Less(value)
            | KeyTest::LessOrEqual(value)
            | KeyTest::Greater(value)
            | KeyTest::GreaterOrEqual(value)
            | KeyTest::BeginsWith(value) => (value, None),
        };
        std::iter::once(one).chain(two).map(Value::as_ref)
    }

    /// Whether a value passes. A value of another type does not.
    pub fn matches(&self, value: ValueRef) -> bool {
        let is =
            |bound: &Value, holds: fn(Ordering) -> bool| value.compare(&bound.as_ref()).is_some_and(holds);
        match self {
            KeyTest::Equal(bound) => is(bound, Ordering::is_eq),
            KeyTest::Less(bound) => is(bound, Ordering::is_lt),
            KeyTest::LessOrEqual(bound) => is(bound, Ordering::is_le),
            KeyTest::Greater(bound) => is(bound, Ordering::is_gt),
            KeyTest::GreaterOrEqual(bound) => is(bound, Ordering::is_ge),
            KeyTest::Between(lower, upper) => is(lower, Ordering::is_ge) && is(upper, Ordering::is_le),
            KeyTest::BeginsWith(prefix) => value.begins_with(&prefix.as_ref()),
        }
    }
}

impl KeyCondition {
    /// The conditions in the order in which they are written.
    pub fn attributes(&self) -> &[AttributeCondition] {
        &self.attributes
    }

    /// Takes a condition apart, the outermost operator first and then as written.
    fn from_condition(condition: Condition) -> Result<KeyCondition, ExpressionError> {
        let nodes = condition.nodes();
        let mut pending: Vec<usize> = nodes.len().checked_sub(1).into_iter().collect();
        let mut attributes: Vec<AttributeCondition> = Vec::new();
        while let Some(node) = pending.pop().and_then(|id| nodes.get(id)) {
            if let Node::And(left, right) = node {
                pending.extend([*right, *left]);
                continue;
            }
            let found = attribute_condition(node)?;
            if attributes.iter().any(|earlier| earlier.attribute == found.attribute) {
                return Err(ExpressionError::KeyRepeated);
            }
            attributes.push(found);
        }
        Ok(KeyCondition { attributes, not_indexable: Vec::new() })
    }
}

fn attribute_condition(node: &Node) -> Result<AttributeCondition, ExpressionError> {
    let refused = |operator| Err(ExpressionError::KeyOperator { operator });
    match node {
        Node::And(..) => refused("AND"),
        Node::Or(..) => refused("OR"),
        Node::Not(_) => refused("NOT"),
        Node::In { .. } => refused("IN"),
        Node::Compare { comparator: Comparator::NotEqual, .. } => refused("<>"),
        Node::AttributeExists(_) => refused("attribute_exists"),
        Node::AttributeNotExists(_) => refused("attribute_not_exists"),
        Node::AttributeType(..) => refused("attribute_type"),
        Node::Contains(..) => refused("contains"),
        Node::Compare { comparator, left, right } => {
            let (attribute, values) = attribute_and_values([left, right])?;
            let is_first = matches!(left, Term::Path(_));
            let comparator = if is_first { *comparator } else { comparator.exchanged() };
            condition_of(attribute, values, |[value]| match comparator {
                Comparator::Less => KeyTest::Less(value),
                Comparator::LessOrEqual => KeyTest::LessOrEqual(value),
                Comparator::Greater => KeyTest::Greater(value),
                Comparator::GreaterOrEqual => KeyTest::GreaterOrEqual(value),
                Comparator::Equal | Comparator::NotEqual => KeyTest::Equal(value),
            })
        }
        Node::Between { term, lower, upper } => {
            if matches!(term, Term::Value(_)) {
                return Err(ExpressionError::KeyNotFirstOperand { operator: "BETWEEN" });
            }
            let (attribute, values) = attribute_and_values([term, lower, upper])?;
            condition_of(attribute, values, |[lower, upper]| KeyTest::Between(lower, upper))
        }
        Node::BeginsWith(text, prefix) => {
            if matches!(text, Term::Value(_)) {
                return Err(ExpressionError::KeyNotFirstOperand { operator: "begins_with" });
            }
            let (attribute, values) = attribute_and_values([text, prefix])?;
            condition_of(attribute, values, |[prefix]| KeyTest::BeginsWith(prefix))
        }
    }
}

/// The one attribute among some operands, and the values among them.
fn attribute_and_values<const N: usize>(
    terms: [&Term; N],
) -> Result<(&DocumentPath, Vec<Value>), ExpressionError> {
    let mut attribute = None;
    let mut values = Vec::with_capacity(N);
    for term in terms {
        match term {
            Term::Size(_) | Term::SizeOfValue(_) => {
                return Err(ExpressionError::KeyOperator { operator: "size" });
            }
            // Only another language compares conditions, and it has no key conditions.
            Term::Truth(_) => return Err(ExpressionError::KeyWithoutAttribute),
            Term::Value(value) => values.push(Value::clone(value)),
            Term::Path(_) if attribute.is_some() => return Err(ExpressionError::KeySeveralAttributes),
            Term::Path(path) if !path.inner().is_empty() => return Err(ExpressionError::KeyNestedPath),
            Term::Path(path) => attribute = Some(path),
        }
    }
    Ok((attribute.ok_or(ExpressionError::KeyWithoutAttribute)?, values))
}

fn condition_of<const N: usize>(
    attribute: &DocumentPath,
    values: Vec<Value>,
    test: impl FnOnce([Value; N]) -> KeyTest,
) -> Result<AttributeCondition, ExpressionError> {
    // One attribute among N + 1 operands leaves N values.
    let values = values.try_into().map_err(|_| ExpressionError::KeyWithoutAttribute)?;
    Ok(AttributeCondition { attribute: attribute.attribute().clone(), test: test(values) })
}
