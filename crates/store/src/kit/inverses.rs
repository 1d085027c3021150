//! Inverses: given, exact, and right for batches nobody thought of.

use std::ops::Bound;

use super::model::{self, Model};
use super::random::Random;
use super::scenes::{Scene, all, commit, said, write};
use super::{Factory, Finding};
use crate::{Batch, Space, Store, StoreError, counter_bytes};

pub(super) fn asked(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let mut batch = Batch::new();
    batch.put(scene.space, b"a", *b"1");
    let inverse = scene.commit(batch.clone())?;
    ensure_eq!(inverse, None, "the inverse of a batch that did not ask");
    let inverse = scene.commit(batch.keeping_inverse())?;
    ensure!(inverse.is_some(), "no inverse was given");
    let inverse = scene.commit(Batch::new().keeping_inverse())?;
    ensure_eq!(inverse, Some(Batch::new()), "the inverse of a batch that changes nothing");
    Ok(())
}

pub(super) fn restores(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b", b"c", b"d"])?;
    let space = scene.space;
    let mut batch = Batch::new();
    batch.put(space, b"zero", counter_bytes(0));
    batch.put(space, b"seven", counter_bytes(7));
    scene.commit(batch)?;
    let before = scene.entries()?;
    let mut batch = Batch::new().keeping_inverse();
    batch.put(space, b"a", *b"replaced");
    batch.put(space, b"a", *b"twice");
    batch.delete(space, b"b");
    batch.put(space, b"new", *b"1");
    batch.delete_range(space, Bound::Included(b"b".to_vec()), Bound::Included(b"d".to_vec()));
    batch.put(space, b"c", *b"after the range");
    batch.add(space, b"zero", 3);
    batch.add(space, b"seven", -7);
    batch.add(space, b"fresh", 9);
    batch.delete(space, b"missing");
    let inverse = scene.commit(batch)?.ok_or("no inverse was given")?;
    let after = scene.entries()?;
    ensure!(before != after, "the batch changed nothing");
    let again = scene.commit(inverse.keeping_inverse())?;
    ensure_eq!(scene.entries()?, before, "entries after the inverse");
    scene.commit(again.ok_or("the inverse gave no inverse")?)?;
    ensure_eq!(scene.entries()?, after, "entries after the inverse's inverse");
    Ok(())
}

/// Batches of a seed: each is applied, compared, undone, compared, and applied again.
fn follow(store: &dyn Store, spaces: &[Space], seed: u64) -> Finding {
    let mut random = Random::new(seed);
    let mut model = Model::new();
    for step in 0..12 {
        let batch = model::random_batch(&mut random, spaces);
        if !model::accepts(&model, &batch) {
            let answer = write(store, batch);
            ensure!(
                matches!(answer, Err(StoreError::NotACounter { .. })),
                "seed {seed}, step {step}: a batch to refuse was answered {answer:?}"
            );
            compare(store, spaces, &model, &format!("seed {seed}, step {step} refused"))?;
            continue;
        }
        let before = model.clone();
        model::apply(&mut model, &batch);
        let inverse = commit(store, batch)?.ok_or("no inverse was given")?;
        compare(store, spaces, &model, &format!("seed {seed}, step {step}"))?;
        let again = commit(store, inverse.keeping_inverse())?;
        compare(store, spaces, &before, &format!("seed {seed}, step {step} undone"))?;
        commit(store, again.ok_or("the inverse gave no inverse")?)?;
        compare(store, spaces, &model, &format!("seed {seed}, step {step} redone"))?;
    }
    Ok(())
}

fn compare(store: &dyn Store, spaces: &[Space], model: &Model, when: &str) -> Finding {
    for space in spaces {
        let expected: Vec<_> = model
            .iter()
            .filter(|((of, _), _)| of == space)
            .map(|((_, key), value)| (key.clone(), value.clone()))
            .collect();
        ensure_eq!(all(store, *space)?, expected, "{when}, keyspace {}", space.0);
    }
    Ok(())
}

pub(super) fn random(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    for seed in 0..12 {
        let other = scene.store.new_space().map_err(said)?;
        let fresh = scene.store.new_space().map_err(said)?;
        follow(&*scene.store, &[other, fresh], seed)?;
    }
    Ok(())
}
