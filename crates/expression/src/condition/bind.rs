//! From the tree of a condition to the condition, with the checks that need the placeholders.

use std::cmp::Ordering;
use std::sync::Arc;

use keyplan_value::Value;

use super::{Condition, Node, Term};
use crate::bind::{Binder, Resolved, check_call_counts, check_call_types, check_distinct};
use crate::bind::{has_order, printed, type_named_by};
use crate::condition::evaluate::size_of;
use crate::error::ExpressionError;
use crate::limits::IN_OPERANDS_MAX;
use crate::placeholders::Placeholders;
use crate::syntax::{Comparator, ConditionNode, ConditionTree, Function, OperandId};

/// Binds every node at its own position, so what nodes say of each other holds for both forms.
pub(super) fn bind(tree: &ConditionTree, placeholders: &Placeholders) -> Result<Condition, ExpressionError> {
    let binder = Binder { operands: &tree.operands, placeholders };
    let nodes = tree.nodes.iter().map(|node| bind_node(&binder, node)).collect::<Result<_, _>>()?;
    Ok(Condition { nodes })
}

fn bind_node(binder: &Binder, node: &ConditionNode) -> Result<Node, ExpressionError> {
    match node {
        ConditionNode::And(left, right) => Ok(Node::And(*left, *right)),
        ConditionNode::Or(left, right) => Ok(Node::Or(*left, *right)),
        ConditionNode::Not(negated) => Ok(Node::Not(*negated)),
        ConditionNode::Compare { comparator, left, right } => compare(binder, *comparator, [*left, *right]),
        ConditionNode::Between { operand, lower, upper } => between(binder, [*operand, *lower, *upper]),
        ConditionNode::In { operand, list } => is_in(binder, *operand, list),
        ConditionNode::Call { function, arguments } => call(binder, *function, arguments),
    }
}

fn compare(binder: &Binder, comparator: Comparator, sides: [OperandId; 2]) -> Result<Node, ExpressionError> {
    let [left, right] = resolve(binder, sides)?;
    left.check_counts()?;
    right.check_counts()?;
    let operator = comparator.symbol();
    check_distinct(operator, &left, std::slice::from_ref(&right))?;
    left.check_types()?;
    right.check_types()?;
    if comparator.is_ordering() {
        left.check_type(operator, has_order)?;
        right.check_type(operator, has_order)?;
    }
    Ok(Node::Compare { comparator, left: term(left), right: term(right) })
}

fn between(binder: &Binder, operands: [OperandId; 3]) -> Result<Node, ExpressionError> {
    const OPERATOR: &str = "BETWEEN";
    let operands = resolve(binder, operands)?;
    operands.iter().try_for_each(Resolved::check_counts)?;
    let [tested, bounds @ ..] = &operands;
    check_distinct(OPERATOR, tested, bounds)?;
    operands.iter().try_for_each(Resolved::check_types)?;
    operands.iter().try_for_each(|operand| operand.check_type(OPERATOR, has_order))?;
    if let [Resolved::Value(lower), Resolved::Value(upper)] = bounds {
        let (lower, upper) = (Value::as_ref(lower), Value::as_ref(upper));
        match lower.compare(&upper) {
            None => {
                return Err(ExpressionError::BetweenTypes { lower: printed(lower), upper: printed(upper) });
            }
            Some(Ordering::Greater) => {
                return Err(ExpressionError::BetweenOrder { lower: printed(lower), upper: printed(upper) });
            }
            Some(Ordering::Less | Ordering::Equal) => {}
        }
    }
    let [tested, lower, upper] = operands.map(term);
    Ok(Node::Between { term: tested, lower, upper })
}

fn is_in(binder: &Binder, tested: OperandId, list: &[OperandId]) -> Result<Node, ExpressionError> {
    let tested = binder.resolve(tested)?;
    let list = binder.resolve_all(list)?;
    tested.check_counts()?;
    list.iter().try_for_each(Resolved::check_counts)?;
    if list.len() > IN_OPERANDS_MAX {
        return Err(ExpressionError::TooManyInOperands { count: list.len() });
    }
    check_distinct("IN", &tested, &list)?;
    tested.check_types()?;
    list.iter().try_for_each(Resolved::check_types)?;
    Ok(Node::In { term: term(tested), list: list.into_iter().map(term).collect() })
}

fn call(binder: &Binder, function: Function, arguments: &[OperandId]) -> Result<Node, ExpressionError> {
    let arguments = binder.resolve_all(arguments)?;
    check_call_counts(function, &arguments)?;
    if let [first, others @ ..] = arguments.as_slice() {
        check_distinct(function.name(), first, others)?;
    }
    check_call_types(function, &arguments)?;
    let mut arguments = arguments.into_iter();
    let path_required = || ExpressionError::PathRequired { function: function.name() };
    let first = arguments.next().ok_or_else(path_required)?;
    Ok(match (function, first, arguments.next()) {
        (Function::AttributeExists, Resolved::Path(path), None) => Node::AttributeExists(path),
        (Function::AttributeNotExists, Resolved::Path(path), None) => Node::AttributeNotExists(path),
        (Function::AttributeType, Resolved::Path(path), Some(named)) => {
            Node::AttributeType(path, type_named_by(&named)?)
        }
        (Function::BeginsWith, text, Some(prefix)) => Node::BeginsWith(term(text), term(prefix)),
        (Function::Contains, whole, Some(part)) => Node::Contains(term(whole), term(part)),
        // The parser lets no other function be a condition, and its operands are checked.
        _ => return Err(path_required()),
    })
}

fn resolve<'a, const N: usize>(
    binder: &Binder<'a>,
    ids: [OperandId; N],
) -> Result<[Resolved<'a>; N], ExpressionError> {
    let resolved = binder.resolve_all(&ids)?;
    // One operand comes of every id.
    resolved.try_into().map_err(|_| ExpressionError::TooManyOperators)
}

fn term(operand: Resolved) -> Term {
    match operand {
        Resolved::Path(path) => Term::Path(path),
        Resolved::Value(value) => Term::Value(Arc::clone(value)),
        Resolved::Call { arguments, .. } => match arguments.into_iter().next() {
            Some(Resolved::Path(path)) => Term::Size(path),
            Some(Resolved::Value(value)) => Term::SizeOfValue(size_of(Value::as_ref(value)).unwrap_or(0)),
            // size() of a number or of another function is refused by its type.
            _ => Term::SizeOfValue(0),
        },
        // Conditions have no arithmetic.
        Resolved::Arithmetic { .. } => Term::SizeOfValue(0),
    }
}
