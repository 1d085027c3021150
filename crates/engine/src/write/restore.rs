//! Putting items back as they were before a write.

use std::sync::Arc;

use keyplan_store::{Batch, Change, Snapshot};
use keyplan_value::Item;

use super::{Action, Mutation, Refusal, apply_all};
use crate::call::Timestamp;
use crate::catalog::TableDefinition;
use crate::error::InternalError;
use crate::keys::ItemKey;

/// Adds to `batch` what puts the items of `tables` back that the inverse of a write names, with all that
/// follows from a changed item: a record in the journal, and what belongs to the items as they are now, which
/// need not be as that write left them.
///
/// # Errors
/// When the store fails, or an item can't be read.
pub(crate) fn restore(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    tables: &[Arc<TableDefinition>],
    inverse: &[Change],
    now: Timestamp,
) -> Result<(), InternalError> {
    let mut mutations = Vec::new();
    for change in inverse {
        let Some(table) = tables.iter().find(|table| table.space == change.space()) else { continue };
        let (item, action) = match change {
            Change::Put { value, .. } => {
                let item = Item::from_stored(value.clone())?;
                (item.clone(), Action::Put(item))
            }
            Change::Delete { space, key } => match snapshot.get(*space, key)? {
                Some(stored) => (Item::from_stored(stored)?, Action::Delete),
                None => continue,
            },
            Change::DeleteRange { .. } | Change::Add { .. } => continue,
        };
        let key = ItemKey::of_item(&table.key_schema, item.as_ref());
        let key = key.map_err(|_| InternalError::Malformed("an item's key"))?;
        let table = Arc::clone(table);
        mutations.push(Mutation { table, key, action, condition: None, return_on_failure: false });
    }
    match apply_all(snapshot, batch, now, mutations.iter().map(Ok)) {
        Ok(applied) if applied.iter().all(Result::is_ok) => Ok(()),
        Err(Refusal::Internal(error)) => Err(error),
        // The tables are those of the snapshot, and what was there fits where it was.
        Ok(_) | Err(_) => Err(InternalError::Malformed("what takes a write back")),
    }
}
