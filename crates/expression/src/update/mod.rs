//! Updates: what UpdateItem does to an item.

mod apply;
mod bind;
mod charge;
mod evaluate;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use keyplan_value::{ItemRef, NumberError, Value};

use crate::error::ExpressionError;
use crate::parser::parse_update;
use crate::path::DocumentPath;
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use crate::syntax::{ArithmeticOperator, UpdateTree};

/// The text of an update, read. It holds nothing of a request, so it can be kept and bound again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedUpdate {
    pub(crate) tree: UpdateTree,
}

impl ParsedUpdate {
    /// Reads a text.
    ///
    /// # Errors
    /// What the text alone shows, in this order: emptiness, size, syntax and redundant parentheses,
    /// the number of operators, reserved words, unknown and misplaced functions, repeated clauses.
    pub fn parse(text: &str) -> Result<ParsedUpdate, ExpressionError> {
        parse_update(text).map(|tree| ParsedUpdate { tree })
    }

    /// Binds the placeholders and marks the ones used.
    ///
    /// # Errors
    /// In this order: undefined names, undefined values, overlapping paths, conflicting paths, and what
    /// is wrong with operands.
    pub fn bind(&self, placeholders: &Placeholders) -> Result<Update, ExpressionError> {
        bind::bind(&self.tree, placeholders)
    }
}

impl fmt::Display for ParsedUpdate {
    /// Writes a text that reads back as the same update.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tree.fmt(f)
    }
}

/// An update of one request, to be applied to an item in its stored form.
#[derive(Clone, Debug)]
pub struct Update {
    actions: Vec<Action>,
    /// What SET assigns, children before their parents.
    terms: Vec<Term>,
    /// The places of all actions, each known by its action's position.
    targets: PathTree,
    origin: Origin,
}

/// Where an update was written, which decides the words for what it can't do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Expression,
    AttributeUpdates,
}

/// One thing to do to one place.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) target: DocumentPath,
    pub(crate) change: Change,
}

/// What is done to a place.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Assigns the last of these terms, which has the others below it.
    Set(Range<TermId>),
    Remove,
    Add(Arc<Value>),
    Delete(Arc<Value>),
}

/// The position of a term in its update.
pub(crate) type TermId = usize;

/// What SET assigns, or computes on the way to it.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Path(DocumentPath),
    Value(Arc<Value>),
    IfNotExists(TermId, TermId),
    ListAppend(TermId, TermId),
    Arithmetic(ArithmeticOperator, TermId, TermId),
}

impl Update {
    /// An update from actions, the terms that they assign, and their targets laid over each other.
    pub(crate) fn new(actions: Vec<Action>, terms: Vec<Term>, targets: PathTree, origin: Origin) -> Update {
        Update { actions, terms, targets, origin }
    }

    /// The places that the update changes, in the order in which they are written.
    pub fn targets(&self) -> impl Iterator<Item = &DocumentPath> {
        self.actions.iter().map(|action| &action.target)
    }

    /// All document paths of the update: those that it changes, then those that it reads.
    pub fn paths(&self) -> impl Iterator<Item = &DocumentPath> {
        let read = self.terms.iter().filter_map(|term| match term {
            Term::Path(path) => Some(path),
            _ => None,
        });
        self.targets().chain(read)
    }

    /// Whether there are REMOVE and DELETE clauses alone. Such an update creates no item.
    pub fn is_deletions_only(&self) -> bool {
        self.actions.iter().all(|action| matches!(action.change, Change::Remove | Change::Delete(_)))
    }

    /// Appends what the targets held before the update as DynamoDB JSON, each wrapped in its path.
    /// `false` if there is nothing, which is written as `{}`.
    pub fn write_updated_old(&self, old: ItemRef, out: &mut Vec<u8>) -> bool {
        self.targets.write_json(old, out)
    }

    /// Appends what the targets hold after the update, as [`Update::write_updated_old`] does for
    /// before. An index is that of the expression, whatever moved there, also to where REMOVE took something.
    pub fn write_updated_new(&self, new: ItemRef, out: &mut Vec<u8>) -> bool {
        self.targets.write_json(new, out)
    }
}

/// Why an update cannot be applied to an item. Its text is the service's, complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateError {
    /// SET reads an attribute that is not there.
    MissingAttribute,
    /// What is stored has a type that the action has no meaning for.
    OperandType,
    /// As [`UpdateError::OperandType`], in the words for AttributeUpdates.
    AttributeType,
    /// The place does not exist and cannot be made: what it lies in is missing or of another type.
    InvalidPath,
    /// The result is no number that can be stored.
    Number(NumberError),
    /// The result is larger than items may be.
    TooLarge,
    /// The result is nested deeper than items may be.
    NestedTooDeep,
}

impl std::error::Error for UpdateError {}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UpdateError::MissingAttribute => {
                "The provided expression refers to an attribute that does not exist in the item"
            }
            UpdateError::OperandType => "An operand in the update expression has an incorrect data type",
            UpdateError::AttributeType => "Type mismatch for attribute to update",
            UpdateError::InvalidPath => {
                "The document path provided in the update expression is invalid for update"
            }
            UpdateError::Number(error) => return error.fmt(f),
            UpdateError::TooLarge => "Item size to update has exceeded the maximum allowed size",
            UpdateError::NestedTooDeep => "Nesting Levels have exceeded supported limits",
        })
    }
}
