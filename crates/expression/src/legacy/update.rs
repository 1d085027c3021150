//! AttributeUpdates.

use std::sync::Arc;

use keyplan_value::{Value, ValueKind};

use super::LegacyError;
use crate::error::ExpressionError;
use crate::path::DocumentPath;
use crate::path_tree::PathTree;
use crate::update::{Action, Change, Origin, Term, Update};

/// What AttributeUpdates does to an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttributeAction {
    /// Sets it.
    #[default]
    Put,
    /// Adds to a number, a set or a list.
    Add,
    /// Takes it away, or members from its set.
    Delete,
}

impl AttributeAction {
    /// The action of a word, which has capital letters alone.
    pub fn from_word(word: &str) -> Option<AttributeAction> {
        match word {
            "PUT" => Some(AttributeAction::Put),
            "ADD" => Some(AttributeAction::Add),
            "DELETE" => Some(AttributeAction::Delete),
            _ => None,
        }
    }
}

/// One entry of AttributeUpdates.
#[derive(Clone, Debug)]
pub struct AttributeUpdate {
    attribute: Arc<str>,
    action: AttributeAction,
    value: Option<Arc<Value>>,
}

impl AttributeUpdate {
    /// An action on an attribute.
    ///
    /// # Errors
    /// A value that is missing, or of a type that the action has no meaning for.
    pub fn new(
        attribute: &str,
        action: AttributeAction,
        value: Option<Value>,
    ) -> Result<AttributeUpdate, LegacyError> {
        let kind = value.as_ref().map(|value| value.as_ref().kind());
        match (action, kind) {
            (AttributeAction::Put | AttributeAction::Add, None) => {
                return Err(LegacyError::UpdateWithoutValue);
            }
            (AttributeAction::Delete, Some(kind)) if !kind.is_set() => {
                return Err(LegacyError::DeleteType { kind });
            }
            (AttributeAction::Add, Some(kind))
                if !kind.is_set() && !matches!(kind, ValueKind::N | ValueKind::L) =>
            {
                return Err(LegacyError::AddType { kind });
            }
            _ => {}
        }
        Ok(AttributeUpdate { attribute: attribute.into(), action, value: value.map(Arc::new) })
    }
}

impl Update {
    /// The update that AttributeUpdates is.
    ///
    /// # Errors
    /// If an attribute comes twice.
    pub fn from_legacy(
        updates: impl IntoIterator<Item = AttributeUpdate>,
    ) -> Result<Update, ExpressionError> {
        let mut actions = Vec::new();
        let mut terms = Vec::new();
        for AttributeUpdate { attribute, action, value } in updates {
            let target = DocumentPath::new(attribute, []);
            let change = match (action, value) {
                (_, None) => Change::Remove,
                (AttributeAction::Delete, Some(value)) => Change::Delete(value),
                (AttributeAction::Put, Some(value)) => set(&mut terms, [Term::Value(value)]),
                (AttributeAction::Add, Some(value)) if Value::as_ref(&value).kind() == ValueKind::L => {
                    // A list is appended, to nothing where there is none.
                    let first = terms.len();
                    let nothing = Arc::new(Value::list([]));
                    set(
                        &mut terms,
                        [
                            Term::Path(target.clone()),
                            Term::Value(nothing),
                            Term::IfNotExists(first, first + 1),
                            Term::Value(value),
                            Term::ListAppend(first + 2, first + 3),
                        ],
                    )
                }
                (AttributeAction::Add, Some(value)) => Change::Add(value),
            };
            actions.push(Action { target, change });
        }
        let targets = PathTree::new(actions.iter().map(|action| &action.target))?;
        Ok(Update::new(actions, terms, targets, Origin::AttributeUpdates))
    }
}

/// An assignment of the last of some terms.
fn set<const N: usize>(terms: &mut Vec<Term>, of_action: [Term; N]) -> Change {
    let start = terms.len();
    terms.extend(of_action);
    Change::Set(start..terms.len())
}
