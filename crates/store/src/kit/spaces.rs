//! Keyspaces: made, kept apart, dropped.

use std::collections::BTreeSet;

use super::scenes::{Scene, all, commit, said, write};
use super::{Factory, Finding};
use crate::{Batch, Space, StoreError};

/// More entries than a store works through in one step.
const MANY: u32 = 10_000;

pub(super) fn reserved(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    for number in 0..Space::RESERVED {
        let space = Space(number);
        ensure!(all(&*scene.store, space)?.is_empty(), "{space:?} is not empty");
        let mut batch = Batch::new();
        batch.put(space, b"key", *b"value");
        scene.commit(batch)?;
        ensure_eq!(all(&*scene.store, space)?.len(), 1, "entries of {space:?}");
        ensure_eq!(
            scene.store.drop_space(space),
            Err(StoreError::ReservedSpace(space)),
            "dropping {space:?}"
        );
        ensure_eq!(all(&*scene.store, space)?.len(), 1, "entries of {space:?}");
    }
    Ok(())
}

pub(super) fn numbers(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let mut seen = BTreeSet::from([scene.space]);
    for round in 0..20 {
        let space = scene.store.new_space().map_err(said)?;
        ensure!(!space.is_reserved(), "{space:?} is reserved");
        ensure!(seen.insert(space), "{space:?} was given out before");
        ensure!(all(&*scene.store, space)?.is_empty(), "{space:?} is not empty");
        let mut batch = Batch::new();
        batch.put(space, b"key", *b"value");
        scene.commit(batch)?;
        if round % 2 == 0 {
            scene.store.drop_space(space).map_err(said)?;
        }
    }
    Ok(())
}

pub(super) fn apart(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b"])?;
    let other = scene.store.new_space().map_err(said)?;
    let mut batch = Batch::new();
    batch.put(other, b"a", *b"another");
    batch.put(other, b"\xff", *b"last");
    scene.commit(batch)?;
    ensure_eq!(scene.entries()?.len(), 2, "entries of the first");
    ensure_eq!(scene.value(b"a")?, Some(b"a".to_vec()), "a of the first");
    let mut batch = Batch::new();
    batch.delete_range(other, std::ops::Bound::Unbounded, std::ops::Bound::Unbounded);
    scene.commit(batch)?;
    ensure!(all(&*scene.store, other)?.is_empty(), "the second is not empty");
    ensure_eq!(scene.entries()?.len(), 2, "entries of the first");
    Ok(())
}

pub(super) fn dropped(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b"])?;
    let store = &*scene.store;
    let other = store.new_space().map_err(said)?;
    let mut batch = Batch::new();
    batch.put(other, b"a", *b"another");
    commit(store, batch)?;
    store.drop_space(other).map_err(said)?;
    ensure!(all(store, other)?.is_empty(), "a dropped keyspace shows entries");
    let mut batch = Batch::new();
    batch.put(scene.space, b"c", *b"1");
    batch.put(other, b"a", *b"1");
    ensure_eq!(write(store, batch), Err(StoreError::NoSuchSpace(other)), "a write into a dropped keyspace");
    store.drop_space(other).map_err(said)?;
    ensure_eq!(scene.entries()?.len(), 2, "entries of the other keyspace");
    Ok(())
}

pub(super) fn large(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let store = &*scene.store;
    for space in [store.new_space(), store.new_space()] {
        let space = space.map_err(said)?;
        let mut batch = Batch::new();
        for number in 0..MANY {
            batch.put(space, number.to_be_bytes(), *b"value");
        }
        commit(store, batch)?;
        ensure_eq!(all(store, space)?.len(), MANY as usize, "entries");
        store.drop_space(space).map_err(said)?;
        ensure!(all(store, space)?.is_empty(), "a dropped keyspace shows entries");
        // What is freed later must not reach what is written meanwhile.
        let mut batch = Batch::new();
        batch.put(scene.space, space.0.to_be_bytes(), *b"value");
        commit(store, batch)?;
    }
    ensure_eq!(scene.entries()?.len(), 2, "entries of the other keyspace");
    Ok(())
}

pub(super) fn epoch(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let before = (scene.store.epoch(), scene.store.may_block());
    let mut batch = Batch::new();
    batch.put(scene.space, b"a", *b"1");
    scene.commit(batch)?;
    let space = scene.store.new_space().map_err(said)?;
    scene.store.drop_space(space).map_err(said)?;
    let after = (scene.store.epoch(), scene.store.may_block());
    ensure_eq!(after, before, "epoch and blocking after own writes");
    Ok(())
}
