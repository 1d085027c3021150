//! Writes: order, atomicity, aborts, purity.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::scenes::{Scene, said, write};
use super::{Factory, Finding};
use crate::{Batch, Bounds, Direction, Space, StoreError, StoreExt, Written};

pub(super) fn in_order(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let space = scene.space;
    let mut batch = Batch::new();
    batch.put(space, b"a", *b"1");
    batch.put(space, b"a", *b"2");
    batch.put(space, b"b", *b"1");
    batch.delete(space, b"b");
    batch.delete(space, b"c");
    batch.put(space, b"c", *b"1");
    batch.put(space, b"d", *b"1");
    batch.delete_range(space, Bound::Included(b"d".to_vec()), Bound::Unbounded);
    batch.put(space, b"e", *b"1");
    scene.commit(batch)?;
    ensure_eq!(
        scene.entries()?,
        vec![(b"a".to_vec(), b"2".to_vec()), (b"c".to_vec(), b"1".to_vec()), (b"e".to_vec(), b"1".to_vec()),],
        "what the last change of each key left"
    );
    Ok(())
}

pub(super) fn abort(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a"])?;
    let before = scene.entries()?;
    let written = scene.store.write(Box::new(|_| None)).map_err(said)?;
    ensure_eq!(written, Written::Aborted, "the answer to an abort");
    let reason = scene.store.transact(|_| Err::<(Batch, ()), _>("a reason")).map_err(said)?;
    ensure_eq!(reason, Err("a reason"), "the reason of an abort");
    ensure_eq!(scene.entries()?, before, "entries after aborts");
    Ok(())
}

pub(super) fn refused(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a"])?;
    let before = scene.entries()?;
    let nowhere = Space(scene.space.0 + 1_000);
    let mut batch = Batch::new();
    batch.put(scene.space, b"b", *b"1");
    batch.delete(scene.space, b"a");
    batch.put(nowhere, b"b", *b"1");
    let refused = write(&*scene.store, batch);
    ensure_eq!(refused, Err(StoreError::NoSuchSpace(nowhere)), "a batch into a keyspace that was never made");
    ensure_eq!(scene.entries()?, before, "entries after a refused batch");
    Ok(())
}

pub(super) fn sees_earlier(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let space = scene.space;
    for expected in 0..20_u8 {
        let found = scene.store.transact(move |snapshot| {
            let found = snapshot.get(space, b"count")?;
            let count = found.and_then(|value| value.first().copied()).unwrap_or(0);
            let mut batch = Batch::new();
            batch.put(space, b"count", [count + 1]);
            Ok::<_, StoreError>((batch, count))
        });
        let (found, _) = found.map_err(said)?.map_err(said)?;
        ensure_eq!(found, expected, "what a write saw of those before it");
    }
    Ok(())
}

pub(super) fn last_run_counts(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let space = scene.space;
    let runs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&runs);
    let written = scene.store.transact(move |_| {
        let run = counted.fetch_add(1, Ordering::SeqCst) + 1;
        let mut batch = Batch::new().keeping_inverse();
        batch.put(space, b"run", run.to_be_bytes());
        batch.add(space, b"commits", 1);
        Ok::<_, StoreError>((batch, run))
    });
    let (answer, _) = written.map_err(said)?.map_err(said)?;
    ensure_eq!(answer, runs.load(Ordering::SeqCst), "the run that answered");
    let stored = scene.value(b"run")?;
    ensure_eq!(stored, Some(answer.to_be_bytes().to_vec()), "the run stored");
    let commits = scene.value(b"commits")?;
    ensure_eq!(commits, Some(1_i64.to_be_bytes().to_vec()), "times applied");
    Ok(())
}

pub(super) fn delete_range(factory: &dyn Factory) -> Finding {
    let keys: [&[u8]; 5] = [b"", b"a", b"b", b"c", b"\xff"];
    let mut ends = vec![Bound::Unbounded];
    for key in keys {
        ends.push(Bound::Included(key));
        ends.push(Bound::Excluded(key));
    }
    let scene = Scene::new(factory)?;
    for lower in &ends {
        for upper in &ends {
            for keeps in [false, true] {
                let mut batch = Batch::new();
                for key in keys {
                    batch.put(scene.space, key, key);
                }
                scene.commit(batch)?;
                let mut batch = Batch::new();
                batch.keep_inverse = keeps;
                let owned = |end: &Bound<&[u8]>| end.map(<[u8]>::to_vec);
                batch.delete_range(scene.space, owned(lower), owned(upper));
                scene.commit(batch)?;
                let bounds = Bounds::new(*lower, *upper);
                let left: Vec<_> =
                    keys.into_iter().filter(|key| !bounds.contains(key)).map(<[u8]>::to_vec).collect();
                let found = scene.keys(Bounds::ALL, Direction::Forward)?;
                ensure_eq!(found, left, "keys left after deleting {bounds:?}");
            }
        }
    }
    Ok(())
}

pub(super) fn reentrant(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a"])?;
    let space = scene.space;
    let inner = Arc::clone(&scene.store);
    // What the calls inside answer is the store's choice; that they answer is not.
    let outcome = scene.store.transact(move |_| {
        let mut batch = Batch::new();
        batch.put(space, b"inner", *b"1");
        let written = write(&*inner, batch);
        let read = inner.view(|snapshot| snapshot.get(space, b"a"));
        let mut batch = Batch::new();
        batch.put(space, b"outer", *b"1");
        Ok::<_, StoreError>((batch, (written, read.is_ok())))
    });
    let ((written, _), _) = outcome.map_err(said)?.map_err(said)?;
    ensure_eq!(written, Err(StoreError::Reentrant), "a write from inside a write's closure");
    let inner = Arc::clone(&scene.store);
    let nested = scene.store.view(move |_| inner.view(|snapshot| snapshot.get(space, b"a"))).map_err(said)?;
    match nested {
        Ok(found) => {
            let found = found.map_err(said)?;
            ensure!(found.is_some(), "a read inside a read lost a key");
        }
        Err(error) => ensure_eq!(error, StoreError::Reentrant, "a read inside a read"),
    }
    let keys = scene.keys(Bounds::ALL, Direction::Forward)?;
    ensure_eq!(keys, vec![b"a".to_vec(), b"outer".to_vec()], "keys after calls from inside");
    Ok(())
}
