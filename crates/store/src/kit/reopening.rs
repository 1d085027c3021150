//! What is there when a store is opened again. Stores that keep nothing have nothing to show.

use super::scenes::{all, commit, said};
use super::{Factory, Finding};
use crate::{Batch, Space, StoreError};

pub(super) fn everything(factory: &dyn Factory) -> Finding {
    if !factory.keeps() {
        return Ok(());
    }
    let place = factory.place().map_err(said)?;
    let store = place.open().map_err(said)?;
    let space = store.new_space().map_err(said)?;
    let dropped = store.new_space().map_err(said)?;
    for number in 0..50_u8 {
        let mut batch = Batch::new();
        batch.put(space, [number], vec![number; 5_000]);
        batch.put(dropped, [number], *b"gone soon");
        batch.add(Space(0), b"count", 1);
        commit(&*store, batch)?;
    }
    store.drop_space(dropped).map_err(said)?;
    let before = (all(&*store, space)?, all(&*store, Space(0))?);
    drop(store);
    for round in 0..3 {
        let store = place.open().map_err(said)?;
        let found = (all(&*store, space)?, all(&*store, Space(0))?);
        ensure!(found == before, "reopening {round}: entries differ");
        ensure!(all(&*store, dropped)?.is_empty(), "reopening {round}: not dropped");
        let mut batch = Batch::new();
        batch.put(dropped, b"a", *b"1");
        let answer = super::scenes::write(&*store, batch);
        ensure_eq!(
            answer,
            Err(StoreError::NoSuchSpace(dropped)),
            "reopening {round}: a write into a dropped keyspace"
        );
    }
    Ok(())
}

pub(super) fn numbers(factory: &dyn Factory) -> Finding {
    if !factory.keeps() {
        return Ok(());
    }
    let place = factory.place().map_err(said)?;
    let mut last = Space(Space::RESERVED - 1);
    for round in 0..4 {
        let store = place.open().map_err(said)?;
        for _ in 0..3 {
            let space = store.new_space().map_err(said)?;
            ensure!(space > last, "reopening {round}: {space:?} after {last:?}");
            last = space;
        }
        // The highest number is the one a store that only looks at what is left forgets.
        store.drop_space(last).map_err(said)?;
    }
    Ok(())
}
