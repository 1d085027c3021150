//! From the tree of a condition to the condition, with the checks that need the placeholders.

use std::cmp::Ordering;
use std::sync::Arc;

use keyplan_value::{Value, ValueKind};

use super::{Condition, Node, Term};
use crate::bind::{Binder, Resolved, check_count, printed};
use crate::condition::evaluate::size_of;
use crate::error::ExpressionError;
use crate::limits::IN_OPERANDS_MAX;
use crate::placeholders::Placeholders;
use crate::syntax::{Comparator, ConditionNode, ConditionTree, Function, OperandId};

/// Binds every node at its own position, so what nodes say of each other holds for both forms.
pub(super) fn bind(tree: &ConditionTree, placeholders: &Placeholders) -> Result<Condition, ExpressionError> {
    let mut binder = Binder::new(&tree.operands, placeholders);
    let nodes = tree.nodes.iter().map(|node| binder.node(node)).collect::<Result<_, _>>()?;
    Ok(Condition { nodes })
}

impl Binder<'_> {
    fn node(&mut self, node: &ConditionNode) -> Result<Node, ExpressionError> {
        match node {
            ConditionNode::And(left, right) => Ok(Node::And(*left, *right)),
            ConditionNode::Or(left, right) => Ok(Node::Or(*left, *right)),
            ConditionNode::Not(negated) => Ok(Node::Not(*negated)),
            ConditionNode::Compare { comparator, left, right } => self.compare(*comparator, *left, *right),
            ConditionNode::Between { operand, lower, upper } => self.between(*operand, *lower, *upper),
            ConditionNode::In { operand, list } => self.is_in(*operand, list),
            ConditionNode::Call { function, arguments } => self.call(*function, arguments),
        }
    }

    fn compare(
        &mut self,
        comparator: Comparator,
        left: OperandId,
        right: OperandId,
    ) -> Result<Node, ExpressionError> {
        let operator = comparator.symbol();
        let range = self.resolve_to(left.max(right))?;
        self.check_counts(range.clone())?;
        self.check_distinct(operator, left, &[right])?;
        self.check_types(range)?;
        if comparator.is_ordering() {
            self.check_type(operator, left, ValueKind::is_key_type)?;
            self.check_type(operator, right, ValueKind::is_key_type)?;
        }
        Ok(Node::Compare { comparator, left: self.term(left), right: self.term(right) })
    }

    fn between(
        &mut self,
        tested: OperandId,
        lower: OperandId,
        upper: OperandId,
    ) -> Result<Node, ExpressionError> {
        const OPERATOR: &str = "BETWEEN";
        let range = self.resolve_to(tested.max(lower).max(upper))?;
        self.check_counts(range.clone())?;
        self.check_distinct(OPERATOR, tested, &[lower, upper])?;
        self.check_types(range)?;
        for operand in [tested, lower, upper] {
            self.check_type(OPERATOR, operand, ValueKind::is_key_type)?;
        }
        if let (Resolved::Value(lower), Resolved::Value(upper)) = (self.operand(lower), self.operand(upper)) {
            check_bounds(lower, upper)?;
        }
        Ok(Node::Between { term: self.term(tested), lower: self.term(lower), upper: self.term(upper) })
    }

    fn is_in(&mut self, tested: OperandId, list: &[OperandId]) -> Result<Node, ExpressionError> {
        let range = self.resolve_to(list.iter().fold(tested, |last, id| last.max(*id)))?;
        self.check_counts(range.clone())?;
        if list.len() > IN_OPERANDS_MAX {
            return Err(ExpressionError::TooManyInOperands { count: list.len() });
        }
        self.check_distinct("IN", tested, list)?;
        self.check_types(range)?;
        Ok(Node::In { term: self.term(tested), list: list.iter().map(|id| self.term(*id)).collect() })
    }

    fn call(&mut self, function: Function, arguments: &[OperandId]) -> Result<Node, ExpressionError> {
        let path_required = || ExpressionError::PathRequired { function: function.name() };
        let none = || ExpressionError::OperandCount { function: function.name(), count: 0 };
        let last = arguments.last().copied().ok_or_else(none)?;
        let range = self.resolve_to(arguments.iter().fold(last, |last, id| last.max(*id)))?;
        self.check_counts(range.clone())?;
        check_count(function, arguments)?;
        if let [first, others @ ..] = arguments {
            self.check_distinct(function.name(), *first, others)?;
        }
        self.check_types(range)?;
        self.check_call(function, arguments)?;
        let path = || match arguments.first().map(|first| self.operand(*first)) {
            Some(Resolved::Path(path)) => Ok(path.clone()),
            _ => Err(path_required()),
        };
        Ok(match (function, arguments) {
            (Function::AttributeExists, _) => Node::AttributeExists(path()?),
            (Function::AttributeNotExists, _) => Node::AttributeNotExists(path()?),
            // Here the first operand may be a value, too, whatever the documentation says.
            (Function::AttributeType, [typed, _]) => {
                Node::AttributeType(self.term(*typed), self.type_named_by(last)?)
            }
            (Function::BeginsWith, [text, prefix]) => Node::BeginsWith(self.term(*text), self.term(*prefix)),
            (Function::Contains, [whole, part]) => Node::Contains(self.term(*whole), self.term(*part)),
            // The parser lets no other function be a condition, and the number of operands is checked.
            _ => return Err(path_required()),
        })
    }

    fn term(&self, id: OperandId) -> Term {
        match self.operand(id) {
            Resolved::Path(path) => Term::Path(path.clone()),
            Resolved::Value(value) => Term::Value(Arc::clone(value)),
            Resolved::Call { arguments, .. } => match arguments.first().map(|sized| self.operand(*sized)) {
                Some(Resolved::Path(path)) => Term::Size(path.clone()),
                Some(Resolved::Value(value)) => Term::SizeOfValue(size_of(Value::as_ref(value)).unwrap_or(0)),
                // size() of another function is refused by its type.
                _ => Term::SizeOfValue(0),
            },
            Resolved::Truth(condition) => Term::Truth(*condition),
            // Conditions have no arithmetic.
            Resolved::Arithmetic { .. } => Term::SizeOfValue(0),
        }
    }
}

fn check_bounds(lower: &Value, upper: &Value) -> Result<(), ExpressionError> {
    let (lower, upper) = (lower.as_ref(), upper.as_ref());
    match lower.compare(&upper) {
        None => Err(ExpressionError::BetweenTypes { lower: printed(lower), upper: printed(upper) }),
        Some(Ordering::Greater) => {
            Err(ExpressionError::BetweenOrder { lower: printed(lower), upper: printed(upper) })
        }
        Some(Ordering::Less | Ordering::Equal) => Ok(()),
    }
}
