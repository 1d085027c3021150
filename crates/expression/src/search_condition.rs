//! Search conditions: what SearchVectors says of the attributes of a search schema.

use std::sync::Arc;

use keyplan_value::Value;

use crate::condition::{Condition, Node, Term};
use crate::error::ExpressionError;
use crate::syntax::Comparator;

/// Attributes, each with the value that it has to equal, in the order in which they are written.
///
/// Which attributes and types there may be is known with the index.
#[derive(Clone, Debug)]
pub struct SearchCondition {
    attributes: Vec<(Arc<str>, Value)>,
}

impl SearchCondition {
    /// Takes a condition apart.
    ///
    /// # Errors
    /// What is a condition but none of a search: anything but equality, a place inside an attribute, two
    /// conditions on one attribute.
    pub fn from_condition(condition: &Condition) -> Result<SearchCondition, ExpressionError> {
        let nodes = condition.nodes();
        let mut pending: Vec<usize> = nodes.len().checked_sub(1).into_iter().collect();
        let mut attributes: Vec<(Arc<str>, Value)> = Vec::new();
        while let Some(node) = pending.pop().and_then(|id| nodes.get(id)) {
            let (path, value) = match node {
                Node::And(left, right) => {
                    pending.extend([*right, *left]);
                    continue;
                }
                Node::Compare { comparator: Comparator::Equal, left, right } => match (left, right) {
                    (Term::Path(path), Term::Value(value)) | (Term::Value(value), Term::Path(path)) => {
                        (path, value)
                    }
                    _ => return Err(ExpressionError::SearchComparator),
                },
                _ => return Err(ExpressionError::SearchComparator),
            };
            if !path.inner().is_empty() {
                return Err(ExpressionError::SearchNestedPath);
            }
            if attributes.iter().any(|(earlier, _)| earlier == path.attribute()) {
                return Err(ExpressionError::SearchRepeated);
            }
            attributes.push((Arc::clone(path.attribute()), Value::clone(value)));
        }
        Ok(SearchCondition { attributes })
    }

    /// The attributes and their values.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.attributes.iter().map(|(name, value)| (&**name, value))
    }

    /// The value that an attribute has to equal, if it has to.
    pub fn value(&self, attribute: &str) -> Option<&Value> {
        self.attributes().find(|(name, _)| *name == attribute).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use keyplan_value::AttributeValue;

    use super::*;
    use crate::{ParsedCondition, Placeholders};

    fn read(text: &str) -> Result<Vec<String>, ExpressionError> {
        let value = |text: &str| Value::try_from(&AttributeValue::from(text)).expect("a value");
        let values = vec![(":a".to_owned(), value("a")), (":b".to_owned(), value("b"))];
        let placeholders = Placeholders::new(Vec::new(), values);
        let condition = ParsedCondition::parse(text)?.bind(&placeholders)?;
        let search = SearchCondition::from_condition(&condition)?;
        Ok(search.attributes().map(|(name, value)| format!("{name}={value:?}")).collect())
    }

    #[test]
    fn only_equalities_joined_by_and_are_a_search_condition() {
        assert_eq!(read("y = :a AND (:b = x)"), Ok(vec![r#"y={"S":"a"}"#.into(), r#"x={"S":"b"}"#.into()]));
        for text in ["x < :a", "x = :a OR y = :b", "NOT x = :a", "x = y", "x <> :a", "x IN (:a)"] {
            assert_eq!(read(text), Err(ExpressionError::SearchComparator), "{text}");
        }
        assert_eq!(read("x.y = :a"), Err(ExpressionError::SearchNestedPath));
        assert_eq!(read("x[0] = :a"), Err(ExpressionError::SearchNestedPath));
        assert_eq!(read("x = :a AND y = :b AND x = :b"), Err(ExpressionError::SearchRepeated));
    }
}
