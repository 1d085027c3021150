//! The form of the engine's records in a store: stated in the store itself, checked when it is opened.
//!
//! The store has a format of its own (how entries lie in a file). This one says how the engine's
//! definitions, items, counters and jobs are to be read, so that a later engine can tell what it was
//! given, and an earlier one refuses what it would misread.

use keyplan_store::{Batch, Bounds, Direction, Snapshot, Store, StoreError, StoreExt, Visit};

use crate::engine::OpenError;
use crate::spaces::{CATALOG, FORMAT};

/// The form that this engine writes. The first had no indexes.
const CURRENT: u64 = 4;

/// The oldest form that is read as it stands: it had neither journals nor expiry times, and the next no vector
/// indexes. An engine that knew no other would write past them, so an older form is restated.
const OLDEST: u64 = 2;

/// The record's key.
const KEY: &[u8] = b"records";

/// Checks a store's form, and states it in a store that has no tables yet. One that takes no writes is read as it
/// stands: nothing can be written past what an older form doesn't have.
///
/// # Errors
/// When the store fails, or its records are of another form.
pub fn check(store: &dyn Store) -> Result<(), OpenError> {
    store.view(check_stated)??;
    match store.view(stated)?? {
        Some(CURRENT) => Ok(()),
        Some(_) | None => {
            let stated = store.transact(|_| {
                let mut batch = Batch::new();
                batch.put(FORMAT, KEY, CURRENT.to_be_bytes().to_vec());
                Ok::<_, StoreError>((batch, ()))
            });
            match stated {
                Err(StoreError::ReadOnly { .. }) => Ok(()),
                stated => {
                    stated??;
                    Ok(())
                }
            }
        }
    }
}

/// Checks the form of what a snapshot shows, and changes nothing.
///
/// # Errors
/// When the store fails, or its records are of another form.
pub fn check_stated(snapshot: &dyn Snapshot) -> Result<(), OpenError> {
    match stated(snapshot)? {
        Some(found) if !(OLDEST..=CURRENT).contains(&found) => Err(OpenError::Format { found }),
        Some(_) | None => Ok(()),
    }
}

/// The form a store states; 0 where it holds tables and states none.
fn stated(snapshot: &dyn Snapshot) -> Result<Option<u64>, StoreError> {
    if let Some(record) = snapshot.get(FORMAT, KEY)? {
        return Ok(Some(<[u8; 8]>::try_from(&*record).map_or(0, u64::from_be_bytes)));
    }
    let mut has_tables = false;
    snapshot.range(CATALOG, Bounds::ALL, Direction::Forward, 1, &mut |_, _| {
        has_tables = true;
        Visit::Stop
    })?;
    Ok(has_tables.then_some(0))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use keyplan_store::MemoryStore;

    use super::*;
    use crate::{Engine, EngineOptions};

    fn with(space: keyplan_store::Space, key: &'static [u8], value: Vec<u8>) -> Arc<MemoryStore> {
        let store = Arc::new(MemoryStore::new());
        store
            .transact(move |_| {
                let mut batch = Batch::new();
                batch.put(space, key, value.clone());
                Ok::<_, StoreError>((batch, ()))
            })
            .expect("the store runs")
            .expect("the batch applies");
        store
    }

    fn found(store: Arc<MemoryStore>) -> Option<u64> {
        match Engine::open(store, EngineOptions::default()) {
            Err(OpenError::Format { found }) => Some(found),
            _ => None,
        }
    }

    #[test]
    fn a_store_that_was_opened_before_opens_again() {
        let store = Arc::new(MemoryStore::new());
        for _ in 0..2 {
            assert_eq!(found(Arc::clone(&store)), None);
        }
    }

    #[test]
    fn records_of_another_form_are_refused() {
        for other in [OLDEST - 1, CURRENT + 1] {
            assert_eq!(found(with(FORMAT, KEY, other.to_be_bytes().to_vec())), Some(other));
        }
        for older in OLDEST..CURRENT {
            assert_eq!(found(with(FORMAT, KEY, older.to_be_bytes().to_vec())), None, "{older}");
        }
        assert_eq!(found(with(FORMAT, KEY, b"damaged".to_vec())), Some(0));
    }

    #[test]
    fn tables_without_a_stated_form_are_refused() {
        assert_eq!(found(with(CATALOG, b"Things", vec![1])), Some(0));
    }
}
