//! Counters: additions, zero, and what is no counter.

use std::ops::Bound;

use super::random::Random;
use super::scenes::{Scene, write};
use super::{Factory, Finding};
use crate::{Batch, StoreError, counter_bytes};

fn added(scene: &Scene, amounts: &[i64]) -> Result<Option<Vec<u8>>, String> {
    let mut batch = Batch::new();
    for amount in amounts {
        batch.add(scene.space, b"count", *amount);
    }
    scene.commit(batch)?;
    scene.value(b"count")
}

pub(super) fn add(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let reads = |count: i64| Some(counter_bytes(count).to_vec());
    ensure_eq!(added(&scene, &[0])?, None, "nothing added to nothing");
    ensure_eq!(added(&scene, &[5])?, reads(5), "added to nothing");
    ensure_eq!(added(&scene, &[-7])?, reads(-2), "below zero");
    ensure_eq!(added(&scene, &[0])?, reads(-2), "nothing added");
    ensure_eq!(added(&scene, &[1, 1])?, None, "a counter at zero");
    ensure_eq!(added(&scene, &[1, 2, 3])?, reads(6), "three in one batch");
    ensure_eq!(added(&scene, &[i64::MAX - 6])?, reads(i64::MAX), "the top");
    ensure_eq!(added(&scene, &[1])?, reads(i64::MIN), "over the top");
    let mut batch = Batch::new();
    batch.put(scene.space, b"count", counter_bytes(40));
    batch.add(scene.space, b"count", 2);
    scene.commit(batch)?;
    ensure_eq!(scene.value(b"count")?, reads(42), "added to what was put");
    Ok(())
}

pub(super) fn refused(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"text", b"more text"])?;
    let before = scene.entries()?;
    let space = scene.space;
    let not_a_counter = |key: &[u8]| Err(StoreError::NotACounter { space, key: key.to_vec() });
    let mut batch = Batch::new();
    batch.put(space, b"new", *b"1");
    batch.add(space, b"text", 1);
    let answer = write(&*scene.store, batch);
    ensure_eq!(answer, not_a_counter(b"text"), "added to a text");
    let mut batch = Batch::new();
    batch.add(space, b"new", 1);
    batch.put(space, b"new", *b"a text");
    batch.add(space, b"new", 1);
    let answer = write(&*scene.store, batch);
    ensure_eq!(answer, not_a_counter(b"new"), "added to a text just put");
    ensure_eq!(scene.entries()?, before, "entries after refused batches");
    let mut batch = Batch::new();
    batch.delete(space, b"text");
    batch.add(space, b"text", 1);
    batch.delete_range(space, Bound::Included(b"more".to_vec()), Bound::Excluded(b"n".to_vec()));
    batch.add(space, b"more text", 2);
    scene.commit(batch)?;
    ensure_eq!(
        scene.entries()?,
        vec![
            (b"more text".to_vec(), counter_bytes(2).to_vec()),
            (b"text".to_vec(), counter_bytes(1).to_vec()),
        ],
        "counters where texts were deleted"
    );
    Ok(())
}

pub(super) fn commute(factory: &dyn Factory) -> Finding {
    let mut random = Random::new(21);
    let amounts: Vec<i64> = (0..40).map(|_| random.next().cast_signed()).collect();
    let total = amounts.iter().fold(0_i64, |sum, n| sum.wrapping_add(*n));
    let scene = Scene::new(factory)?;
    for order in 0..3 {
        let mut shuffled = amounts.clone();
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, random.below(at as u64 + 1) as usize);
        }
        let found = added(&scene, &shuffled)?;
        let expected = Some(counter_bytes(total).to_vec()).filter(|_| total != 0);
        ensure_eq!(found, expected, "sum of order {order}");
        let back: Vec<i64> = amounts.iter().map(|n| n.wrapping_neg()).collect();
        ensure_eq!(added(&scene, &back)?, None, "taken back");
    }
    Ok(())
}
