//! From the tree of an update to the update, with the checks that need the placeholders.

use std::sync::Arc;

use keyplan_value::{Value, ValueKind};

use super::{Action, Change, Term, Update};
use crate::bind::{Binder, Resolved};
use crate::error::ExpressionError;
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use crate::syntax::{self, Clause, Function, OperandId, UpdateTree};

pub(super) fn bind(tree: &UpdateTree, placeholders: &Placeholders) -> Result<Update, ExpressionError> {
    let binder = Binder { operands: &tree.operands, placeholders };
    for action in &tree.actions {
        binder.path(action.path())?;
        value_of(action).map_or(Ok(()), |id| binder.check_names(id))?;
    }
    let mut operands = Vec::with_capacity(tree.actions.len());
    for action in &tree.actions {
        operands.push(value_of(action).map(|id| binder.resolve(id)).transpose()?);
    }
    let targets = tree.actions.iter().map(|action| binder.path(action.path()));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    // Whether the targets fit together comes before the operands are looked at.
    PathTree::new(&targets)?;
    for (action, operand) in tree.actions.iter().zip(&operands) {
        if let Some(operand) = operand {
            operand.check_counts()?;
            operand.check_types()?;
            check_clause(action.clause(), operand)?;
        }
    }
    let changes = tree.actions.iter().zip(operands).map(|(action, operand)| change(action.clause(), operand));
    Update::new(targets.into_iter().zip(changes).map(|(target, change)| Action { target, change }).collect())
}

fn value_of(action: &syntax::Action) -> Option<OperandId> {
    match action {
        syntax::Action::Remove { .. } => None,
        syntax::Action::Set { value, .. }
        | syntax::Action::Add { value, .. }
        | syntax::Action::Delete { value, .. } => Some(*value),
    }
}

/// Refuses a value that ADD or DELETE has no meaning for.
fn check_clause(clause: Clause, operand: &Resolved) -> Result<(), ExpressionError> {
    let Some(kind) = operand.known_type() else { return Ok(()) };
    let is_allowed = match clause {
        Clause::Set | Clause::Remove => true,
        Clause::Add => kind == ValueKind::N || kind.is_set(),
        Clause::Delete => kind.is_set(),
    };
    if is_allowed { Ok(()) } else { Err(ExpressionError::ClauseOperandType { clause, kind }) }
}

fn change(clause: Clause, operand: Option<Resolved>) -> Change {
    match (clause, operand) {
        (Clause::Set, Some(operand)) => Change::Set(term(operand)),
        (Clause::Add, Some(Resolved::Value(value))) => Change::Add(Arc::clone(value)),
        (Clause::Delete, Some(Resolved::Value(value))) => Change::Delete(Arc::clone(value)),
        // The parser gives every SET an operand, and ADD and DELETE a value.
        _ => Change::Remove,
    }
}

fn term(operand: Resolved) -> Term {
    match operand {
        Resolved::Path(path) => Term::Path(path),
        Resolved::Value(value) => Term::Value(Arc::clone(value)),
        Resolved::Arithmetic { operator, left, right } => {
            Term::Arithmetic(operator, Box::new([term(*left), term(*right)]))
        }
        Resolved::Call { function, arguments } => match <[Resolved; 2]>::try_from(arguments) {
            Ok([Resolved::Path(path), otherwise]) if function == Function::IfNotExists => {
                Term::IfNotExists(path, Box::new(term(otherwise)))
            }
            Ok(sides) => Term::ListAppend(Box::new(sides.map(term))),
            // Both functions of updates have two operands, and the first has a path: that is checked.
            Err(_) => Term::ListAppend(Box::new([empty_list(), empty_list()])),
        },
    }
}

fn empty_list() -> Term {
    Term::Value(Arc::new(Value::list([])))
}
