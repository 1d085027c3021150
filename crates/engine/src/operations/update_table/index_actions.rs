//! GlobalSecondaryIndexUpdates: what shall become of single indexes.

use std::collections::HashSet;

use keyplan_value::json::Node;

use crate::catalog::KeyAttribute;
use crate::error::{DefinitionError, IndexError, UpdateError};
use crate::operations::table_parameters::indexes::{DefinedIndex, global_index, name_of};
use crate::operations::table_parameters::throughput::AskedThroughput;
use crate::validate::present;

/// What shall become of one index.
pub(super) struct IndexAction {
    /// The index's name.
    pub(super) index: String,
    pub(super) action: Action,
}

pub(super) enum Action {
    /// It is made, with this throughput.
    Create { index: Box<DefinedIndex>, throughput: AskedThroughput },
    /// Its throughput changes.
    Update(AskedThroughput),
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
            let throughput = AskedThroughput::read(change, Some(&name))?;
            (name, Action::Update(throughput))
        }
        [None, None, Some(delete)] => (name_of(delete), Action::Delete),
        _ => return Err(UpdateError::SeveralIndexActions.into()),
    };
    Ok(IndexAction { index, action })
}
