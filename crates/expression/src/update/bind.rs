//! From the tree of an update to the update, with the checks that need the placeholders.

use std::ops::Range;
use std::sync::Arc;

use keyplan_value::ValueKind;

use super::{Action, Change, Origin, Term, Update};
use crate::bind::{Binder, Resolved, resolve_path};
use crate::error::ExpressionError;
use crate::path::DocumentPath;
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use crate::syntax::{self, Clause, Function, Operand, OperandId, UpdateTree};

pub(super) fn bind(tree: &UpdateTree, placeholders: &Placeholders) -> Result<Update, ExpressionError> {
    let paths = resolve_names(tree, placeholders)?;
    let mut binder = Binder::new(&tree.operands, placeholders);
    let mut ranges: Vec<Range<OperandId>> = Vec::with_capacity(tree.actions.len());
    for action in &tree.actions {
        ranges.push(value_of(action).map_or(Ok(0..0), |last| binder.resolve_to(last))?);
    }
    // Whether the targets fit together comes before the operands are looked at.
    let targets = PathTree::new(&paths)?;
    for (action, range) in tree.actions.iter().zip(&ranges) {
        binder.check_counts(range.clone())?;
        binder.check_types(range.clone())?;
        check_clause(&binder, action)?;
    }
    let terms = (0..tree.operands.len()).map(|id| binder.set_term(id)).collect();
    let written = tree.actions.iter().zip(ranges);
    let changes = written.map(|(action, range)| binder.change(action, range));
    let actions = paths.into_iter().zip(changes).map(|(target, change)| Action { target, change });
    Ok(Update::new(actions.collect(), terms, targets, Origin::Expression))
}

/// The targets, after every name of the expression is found to be defined: undefined names come before
/// undefined values, wherever they stand.
fn resolve_names(
    tree: &UpdateTree,
    placeholders: &Placeholders,
) -> Result<Vec<DocumentPath>, ExpressionError> {
    let mut operands = tree.operands.iter().enumerate().peekable();
    let mut targets = Vec::with_capacity(tree.actions.len());
    for action in &tree.actions {
        targets.push(resolve_path(action.path(), placeholders)?);
        let Some(last) = value_of(action) else { continue };
        while let Some((_, operand)) = operands.next_if(|(id, _)| *id <= last) {
            if let Operand::Path(path) = operand {
                resolve_path(path, placeholders)?;
            }
        }
    }
    Ok(targets)
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
fn check_clause(binder: &Binder, action: &syntax::Action) -> Result<(), ExpressionError> {
    let Some(kind) = value_of(action).and_then(|id| binder.known_type(id)) else { return Ok(()) };
    let clause = action.clause();
    let is_allowed = match clause {
        Clause::Set | Clause::Remove => true,
        Clause::Add => kind == ValueKind::N || kind.is_set(),
        Clause::Delete => kind.is_set(),
    };
    if is_allowed { Ok(()) } else { Err(ExpressionError::ClauseOperandType { clause, kind }) }
}

impl Binder<'_> {
    fn change(&self, action: &syntax::Action, range: Range<OperandId>) -> Change {
        let value = |id: OperandId| match self.operand(id) {
            Resolved::Value(value) => Some(Arc::clone(value)),
            // The parser gives ADD and DELETE nothing but values.
            _ => None,
        };
        let change = match action {
            syntax::Action::Set { .. } => Some(Change::Set(range)),
            syntax::Action::Remove { .. } => None,
            syntax::Action::Add { value: id, .. } => value(*id).map(Change::Add),
            syntax::Action::Delete { value: id, .. } => value(*id).map(Change::Delete),
        };
        change.unwrap_or(Change::Remove)
    }

    /// A term at the position of its operand, so what terms say of each other holds for both forms.
    fn set_term(&self, id: OperandId) -> Term {
        match self.operand(id) {
            Resolved::Path(path) => Term::Path(path.clone()),
            Resolved::Value(value) => Term::Value(Arc::clone(value)),
            Resolved::Arithmetic { operator, left, right } => Term::Arithmetic(*operator, *left, *right),
            Resolved::Call { function, arguments } => match (function, arguments) {
                (Function::IfNotExists, [path, otherwise]) => Term::IfNotExists(*path, *otherwise),
                (_, [front, back]) => Term::ListAppend(*front, *back),
                // Both functions of updates have two operands: that is checked.
                _ => Term::ListAppend(id, id),
            },
            // No update assigns whether a condition holds.
            Resolved::Truth(_) => Term::ListAppend(id, id),
        }
    }
}
