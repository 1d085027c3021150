//! GlobalSecondaryIndexUpdates and VectorIndexUpdates: what shall become of single indexes.

use std::collections::HashSet;

use keyplan_value::json::Node;

use crate::catalog::KeyAttribute;
use crate::error::{DefinitionError, IndexError, ThroughputError, UpdateError};
use crate::operations::table_parameters::indexes::{DefinedIndex, global_index, name_of};
use crate::operations::table_parameters::throughput::AskedThroughput;
use crate::operations::table_parameters::vector_indexes::DefinedVectorIndex;
use crate::validate::present;

/// What shall become of one index.
#[derive(Clone)]
pub(super) struct IndexAction {
    /// The index's name.
    pub(super) index: String,
    pub(super) action: Action,
}

#[derive(Clone)]
pub(super) enum Action {
    /// It is made, with this throughput.
    Create { index: Box<DefinedIndex>, throughput: AskedThroughput },
    /// Its throughput changes. What is wrong with the figures is told only of an index that is there.
    Update(Result<AskedThroughput, ThroughputError>),
    /// It goes.
    Delete,
}

/// Reads and checks the actions of a request.
pub(super) fn actions(
    request: Node<'_, '_>,
    definitions: &[KeyAttribute],
) -> Result<Vec<IndexAction>, DefinitionError> {
    const LIST: &str = "GlobalSecondaryIndexUpdates";
    let Some(list) = present(request, LIST) else { return Ok(Vec::new()) };
    if list.is_empty() {
        return Err(IndexError::EmptyList(LIST).into());
    }
    let mut actions: Vec<IndexAction> = Vec::new();
    let mut names = HashSet::new();
    for update in list.elements() {
        let read = action(update, definitions)?;
        if !names.insert(read.index.clone()) {
            return Err(UpdateError::IndexTwice(read.index).into());
        }
        actions.push(read);
    }
    Ok(actions)
}

fn action(update: Node<'_, '_>, definitions: &[KeyAttribute]) -> Result<IndexAction, DefinitionError> {
    let sent = ["Create", "Update", "Delete"].map(|name| present(update, name));
    let (index, action) = match sent {
        [None, None, None] => return Err(UpdateError::NoIndexAction.into()),
        [Some(create), None, None] => {
            let name = name_of(create);
            if definitions.is_empty() {
                return Err(UpdateError::DefinitionsMissing(name).into());
            }
            let throughput = AskedThroughput::read(create, Some(&name))?;
            (name, Action::Create { index: Box::new(global_index(create, definitions)?), throughput })
        }
        [None, Some(change), None] => {
            let name = name_of(change);
            let throughput = AskedThroughput::read(change, Some(&name));
            (name, Action::Update(throughput))
        }
        [None, None, Some(delete)] => (name_of(delete), Action::Delete),
        _ => return Err(UpdateError::SeveralIndexActions.into()),
    };
    Ok(IndexAction { index, action })
}

/// What shall become of one vector index.
#[derive(Clone)]
pub(super) enum VectorAction {
    /// It is made.
    Create(Box<DefinedVectorIndex>),
    /// It goes: its name.
    Delete(String),
}

/// Reads and checks the actions of a request on vector indexes.
pub(super) fn vector_actions(
    request: Node<'_, '_>,
    definitions: &[KeyAttribute],
) -> Result<Vec<VectorAction>, DefinitionError> {
    const LIST: &str = "VectorIndexUpdates";
    let Some(list) = present(request, LIST) else { return Ok(Vec::new()) };
    if list.is_empty() {
        return Err(IndexError::EmptyList(LIST).into());
    }
    let action = |update| match ["Create", "Delete"].map(|name| present(update, name)) {
        [None, None] => Err(UpdateError::NoVectorIndexAction.into()),
        [Some(_), Some(_)] => Err(UpdateError::SeveralVectorIndexActions.into()),
        [Some(create), None] => {
            DefinedVectorIndex::read(create, definitions).map(|index| VectorAction::Create(Box::new(index)))
        }
        [None, Some(delete)] => Ok(VectorAction::Delete(name_of(delete))),
    };
    list.elements().map(action).collect()
}
