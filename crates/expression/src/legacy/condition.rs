//! Expected, QueryFilter, ScanFilter and KeyConditions.

use std::cmp::Ordering;
use std::sync::Arc;

use keyplan_value::Value;

use super::{ComparisonOperator, LegacyError};
use crate::condition::{Condition, Node, Term};
use crate::key_condition::{AttributeCondition, KeyCondition, KeyTest};
use crate::path::DocumentPath;
use crate::syntax::Comparator;

/// What is asked of one attribute.
#[derive(Clone, Debug)]
pub struct LegacyCondition {
    attribute: Arc<str>,
    operator: ComparisonOperator,
    values: Vec<Value>,
}

/// How several conditions go together: ConditionalOperator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combination {
    /// All are to hold.
    #[default]
    All,
    /// One is enough.
    Any,
}

/// What Expected says of one attribute, as it was sent.
#[derive(Debug)]
pub struct Expectation<'a> {
    /// The attribute.
    pub attribute: &'a str,
    /// Value.
    pub value: Option<Value>,
    /// AttributeValueList.
    pub list: Option<Vec<Value>>,
    /// ComparisonOperator.
    pub operator: Option<&'a str>,
    /// Exists.
    pub exists: Option<bool>,
}

impl Expectation<'_> {
    /// The condition that it is.
    ///
    /// # Errors
    /// Members that don't go together or are missing, then what [`LegacyCondition::new`] finds.
    pub fn into_condition(self) -> Result<LegacyCondition, LegacyError> {
        let Expectation { attribute, value, list, operator, exists } = self;
        let name = || attribute.to_owned();
        if operator.is_some() && exists.is_some() {
            return Err(LegacyError::ExistsWithOperator { attribute: name() });
        }
        if value.is_some() && list.is_some() {
            return Err(LegacyError::ValueWithList { attribute: name() });
        }
        let Some(operator) = operator else {
            if list.is_some() {
                return Err(LegacyError::ListWithoutOperator { attribute: name() });
            }
            return match (exists, value) {
                (Some(false), None) => LegacyCondition::new(attribute, ComparisonOperator::Null, Vec::new()),
                (Some(false), Some(_)) => Err(LegacyError::ValueWithoutExists { attribute: name() }),
                (_, Some(value)) => LegacyCondition::new(attribute, ComparisonOperator::Eq, vec![value]),
                (Some(true), None) => Err(LegacyError::ExistsWithoutValue { attribute: name() }),
                (None, None) => Err(LegacyError::NothingExpected { attribute: name() }),
            };
        };
        let operator = ComparisonOperator::from_word(operator).ok_or(LegacyError::UnknownOperator)?;
        let values = match (value, list) {
            (Some(value), _) => vec![value],
            (None, Some(list)) => list,
            (None, None) if operator.takes_nothing() => Vec::new(),
            (None, None) => {
                return Err(LegacyError::OperatorWithoutValue { operator, attribute: name() });
            }
        };
        LegacyCondition::new(attribute, operator, values)
    }
}

impl LegacyCondition {
    /// A comparison of an attribute with values.
    ///
    /// # Errors
    /// In this order: the number of values, their types, that their types differ, the order of bounds.
    pub fn new(
        attribute: &str,
        operator: ComparisonOperator,
        values: Vec<Value>,
    ) -> Result<LegacyCondition, LegacyError> {
        if !operator.takes(values.len()) {
            return Err(LegacyError::ArgumentCount { operator });
        }
        let kinds = || values.iter().map(|value| value.as_ref().kind());
        if let Some(kind) = kinds().find(|kind| !operator.is_for(*kind)) {
            return Err(LegacyError::ArgumentType { operator, kind });
        }
        if kinds().zip(kinds().skip(1)).any(|(one, next)| one != next) {
            return Err(LegacyError::MixedTypes);
        }
        if let (ComparisonOperator::Between, [lower, upper]) = (operator, values.as_slice())
            && lower.as_ref().compare(&upper.as_ref()) == Some(Ordering::Greater)
        {
            return Err(LegacyError::BetweenOrder);
        }
        Ok(LegacyCondition { attribute: attribute.into(), operator, values })
    }

    /// Adds the condition's nodes; the last is its root.
    fn push_to(self, nodes: &mut Vec<Node>) {
        use ComparisonOperator::*;
        let path = DocumentPath::new(self.attribute, []);
        let mut values = self.values.into_iter().map(|value| Term::Value(Arc::new(value)));
        let Some(value) = values.next() else {
            // The number of values is checked, so the operator takes none.
            nodes.push(match self.operator {
                Null => Node::AttributeNotExists(path),
                _ => Node::AttributeExists(path),
            });
            return;
        };
        let term = Term::Path(path);
        let compare = |comparator| Node::Compare { comparator, left: term.clone(), right: value.clone() };
        let node = match self.operator {
            Eq | Null | NotNull => compare(Comparator::Equal),
            Ne => compare(Comparator::NotEqual),
            Lt => compare(Comparator::Less),
            Le => compare(Comparator::LessOrEqual),
            Gt => compare(Comparator::Greater),
            Ge => compare(Comparator::GreaterOrEqual),
            In => Node::In { term, list: std::iter::once(value).chain(values).collect() },
            Between => {
                let upper = values.next().unwrap_or_else(|| value.clone());
                Node::Between { term, lower: value, upper }
            }
            BeginsWith => Node::BeginsWith(term, value),
            Contains | NotContains => Node::Contains(term, value),
        };
        // What is missing contains nothing, and yet NOT_CONTAINS does not hold there.
        let exists = match (&node, self.operator) {
            (Node::Contains(Term::Path(path), _), NotContains) => Some(Node::AttributeExists(path.clone())),
            _ => None,
        };
        nodes.push(node);
        if let Some(exists) = exists {
            nodes.push(Node::Not(nodes.len().saturating_sub(1)));
            nodes.push(exists);
            let both = nodes.len();
            nodes.push(Node::And(both.saturating_sub(2), both.saturating_sub(1)));
        }
    }

    /// The test of a key's attribute, or the attribute alone where keys can't be looked up so.
    fn into_key_test(self) -> Result<AttributeCondition, Arc<str>> {
        let LegacyCondition { attribute, operator, values } = self;
        let mut values = values.into_iter();
        let (first, second) = (values.next(), values.next());
        let test = match (operator, first, second) {
            (ComparisonOperator::Eq, Some(value), _) => KeyTest::Equal(value),
            (ComparisonOperator::Lt, Some(value), _) => KeyTest::Less(value),
            (ComparisonOperator::Le, Some(value), _) => KeyTest::LessOrEqual(value),
            (ComparisonOperator::Gt, Some(value), _) => KeyTest::Greater(value),
            (ComparisonOperator::Ge, Some(value), _) => KeyTest::GreaterOrEqual(value),
            (ComparisonOperator::Between, Some(lower), Some(upper)) => KeyTest::Between(lower, upper),
            (ComparisonOperator::BeginsWith, Some(value), _) => KeyTest::BeginsWith(value),
            _ => return Err(attribute),
        };
        Ok(AttributeCondition { attribute, test })
    }
}

impl Condition {
    /// The condition that Expected, QueryFilter or ScanFilter is; nothing if it asks for nothing.
    pub fn from_legacy(
        conditions: impl IntoIterator<Item = LegacyCondition>,
        combination: Combination,
    ) -> Option<Condition> {
        let mut nodes = Vec::new();
        let mut roots = Vec::new();
        for condition in conditions {
            condition.push_to(&mut nodes);
            roots.push(nodes.len().saturating_sub(1));
        }
        // There is no bound on their number, so they are joined in pairs: the tree stays flat enough to
        // be walked by recursion.
        while roots.len() > 1 {
            let mut joined = Vec::with_capacity(roots.len().div_ceil(2));
            for pair in roots.chunks(2) {
                joined.push(match *pair {
                    [left, right] => {
                        nodes.push(match combination {
                            Combination::All => Node::And(left, right),
                            Combination::Any => Node::Or(left, right),
                        });
                        nodes.len() - 1
                    }
                    _ => pair.first().copied().unwrap_or_default(),
                });
            }
            roots = joined;
        }
        // The last pair to be joined is the root; a single condition is its own.
        (!nodes.is_empty()).then_some(Condition { nodes })
    }
}

impl KeyCondition {
    /// The conditions that KeyConditions is.
    ///
    /// # Errors
    /// Their number: a table's key takes two at most, `most` is that of what is read.
    pub fn from_legacy(conditions: Vec<LegacyCondition>, most: usize) -> Result<KeyCondition, LegacyError> {
        if conditions.is_empty() || conditions.len() > most {
            return Err(LegacyError::KeyConditionCount);
        }
        let (mut attributes, mut not_indexable) = (Vec::new(), Vec::new());
        for condition in conditions {
            match condition.into_key_test() {
                Ok(condition) => attributes.push(condition),
                Err(attribute) => not_indexable.push(attribute),
            }
        }
        Ok(KeyCondition { attributes, not_indexable })
    }
}
