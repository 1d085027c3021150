//! Values: empty, large, many, and kept.

use super::scenes::{Scene, view};
use super::{Factory, Finding};
use crate::{Batch, Bounds, Direction, SharedBytes, Visit};

/// Larger than any item of the service, whose limit is 400 KB.
const LARGE_BYTES: usize = 1_500_000;

pub(super) fn empty(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let mut batch = Batch::new();
    batch.put(scene.space, b"", *b"of the empty key");
    batch.put(scene.space, b"empty value", *b"");
    scene.commit(batch)?;
    ensure_eq!(
        scene.entries()?,
        vec![(b"".to_vec(), b"of the empty key".to_vec()), (b"empty value".to_vec(), b"".to_vec()),],
        "entries"
    );
    ensure_eq!(scene.value(b"empty value")?, Some(Vec::new()), "empty value");
    ensure_eq!(scene.value(b"missing")?, None, "a key that is not there");
    let mut batch = Batch::new();
    batch.delete(scene.space, b"");
    scene.commit(batch)?;
    ensure_eq!(scene.value(b"")?, None, "the empty key, deleted");
    Ok(())
}

pub(super) fn large(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let value: Vec<u8> = (0..LARGE_BYTES).map(|at| (at % 251) as u8).collect();
    let mut batch = Batch::new();
    batch.put(scene.space, b"a", *b"before");
    batch.put(scene.space, b"b", value.clone());
    batch.put(scene.space, b"c", *b"after");
    scene.commit(batch)?;
    ensure!(scene.value(b"b")?.as_ref() == Some(&value), "a value of {LARGE_BYTES} bytes came back changed");
    let lengths: Vec<usize> = scene.entries()?.iter().map(|(_, v)| v.len()).collect();
    ensure_eq!(lengths, vec![6, LARGE_BYTES, 5], "lengths in a range");
    let key = vec![b'k'; 4_000];
    let mut batch = Batch::new();
    batch.put(scene.space, key.clone(), *b"long");
    scene.commit(batch)?;
    ensure_eq!(scene.value(&key)?, Some(b"long".to_vec()), "a long key");
    Ok(())
}

pub(super) fn many(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b", b"c"])?;
    let keys: [&[u8]; 6] = [b"c", b"missing", b"a", b"c", b"b", b"a"];
    let found = view(&*scene.store, |snapshot| snapshot.get_many(scene.space, &keys))?;
    let found: Vec<_> = found.iter().map(Option::as_deref).collect();
    let expected: Vec<Option<&[u8]>> =
        keys.into_iter().map(|key| (key != b"missing").then_some(key)).collect();
    ensure_eq!(found, expected, "values in the order of the keys");
    let none = view(&*scene.store, |snapshot| snapshot.get_many(scene.space, &[]))?;
    ensure!(none.is_empty(), "no keys were answered with {none:?}");
    Ok(())
}

pub(super) fn kept(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b"])?;
    let mut kept: Vec<SharedBytes> = Vec::new();
    view(&*scene.store, |snapshot| {
        let mut visit = |_: &[u8], value: crate::StoredValue<'_>| {
            kept.push(value.to_shared());
            Visit::Continue
        };
        snapshot.range(scene.space, Bounds::ALL, Direction::Forward, 2, &mut visit)
    })?;
    let mut batch = Batch::new();
    batch.put(scene.space, b"a", *b"another");
    batch.delete(scene.space, b"b");
    scene.commit(batch)?;
    let kept: Vec<&[u8]> = kept.iter().map(|value| &**value).collect();
    ensure_eq!(kept, vec![&b"a"[..], b"b"], "values kept over a write");
    Ok(())
}
