//! Ranges: order, bounds, direction, and visitors.

use std::ops::Bound;

use super::scenes::{Scene, view};
use super::{Factory, Finding};
use crate::{Bounds, Direction, Visit};

/// Keys whose order differs if bytes are taken as signed, as text, or by length first.
const KEYS: [&[u8]; 9] =
    [b"", b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"\x7f\xff", b"\x80", b"\xff", b"\xff\xff"];

fn scene(factory: &dyn Factory) -> Result<Scene, String> {
    let mut backward = KEYS;
    backward.reverse();
    Scene::with_keys(factory, &backward)
}

pub(super) fn unsigned_bytes(factory: &dyn Factory) -> Finding {
    let keys = scene(factory)?.keys(Bounds::ALL, Direction::Forward)?;
    ensure_eq!(keys, KEYS.map(<[u8]>::to_vec), "keys in their order");
    Ok(())
}

/// The ends that matter: open, and each kind at keys that are there and that are not.
fn ends() -> Vec<Bound<&'static [u8]>> {
    let missing: [&[u8]; 3] = [b"\x00\x01", b"\x7f", b"\xff\xff\xff"];
    let mut ends = vec![Bound::Unbounded];
    for key in KEYS.into_iter().chain(missing) {
        ends.push(Bound::Included(key));
        ends.push(Bound::Excluded(key));
    }
    ends
}

pub(super) fn bounds(factory: &dyn Factory) -> Finding {
    let scene = scene(factory)?;
    for lower in ends() {
        for upper in ends() {
            let bounds = Bounds::new(lower, upper);
            let expected: Vec<_> =
                KEYS.into_iter().filter(|key| bounds.contains(key)).map(<[u8]>::to_vec).collect();
            let keys = scene.keys(bounds, Direction::Forward)?;
            ensure_eq!(keys, expected, "keys inside {bounds:?}");
        }
    }
    Ok(())
}

pub(super) fn empty_ranges(factory: &dyn Factory) -> Finding {
    let scene = scene(factory)?;
    let key: &[u8] = b"\x80";
    let above: &[u8] = b"\xff";
    for (lower, upper) in [
        (Bound::Included(above), Bound::Included(key)),
        (Bound::Excluded(key), Bound::Included(key)),
        (Bound::Included(key), Bound::Excluded(key)),
        (Bound::Excluded(key), Bound::Excluded(key)),
        (Bound::Excluded(above), Bound::Excluded(key)),
        (Bound::Unbounded, Bound::Excluded(&[][..])),
    ] {
        for direction in [Direction::Forward, Direction::Backward] {
            let keys = scene.keys(Bounds::new(lower, upper), direction)?;
            ensure!(keys.is_empty(), "{lower:?} to {upper:?} visited {keys:?}");
        }
    }
    Ok(())
}

pub(super) fn backward(factory: &dyn Factory) -> Finding {
    let scene = scene(factory)?;
    for lower in ends() {
        for upper in ends() {
            let bounds = Bounds::new(lower, upper);
            let forward = scene.keys(bounds, Direction::Forward)?;
            let mut backward = scene.keys(bounds, Direction::Backward)?;
            backward.reverse();
            ensure_eq!(backward, forward, "{bounds:?} backward, reversed");
        }
    }
    Ok(())
}

pub(super) fn stop(factory: &dyn Factory) -> Finding {
    let scene = scene(factory)?;
    for direction in [Direction::Forward, Direction::Backward] {
        for take in 1..=KEYS.len() {
            let mut visited = 0;
            view(&*scene.store, |snapshot| {
                snapshot.range(scene.space, Bounds::ALL, direction, take, &mut |_, _| {
                    visited += 1;
                    if visited == take { Visit::Stop } else { Visit::Continue }
                })
            })?;
            ensure_eq!(visited, take, "visits of a visitor that stops");
        }
    }
    Ok(())
}

pub(super) fn expected(factory: &dyn Factory) -> Finding {
    let scene = scene(factory)?;
    for expected in [0, 1, 3, KEYS.len(), usize::MAX] {
        let mut visited = Vec::new();
        view(&*scene.store, |snapshot| {
            let mut visit = |key: &[u8], _: crate::StoredValue<'_>| {
                visited.push(key.to_vec());
                Visit::Continue
            };
            snapshot.range(scene.space, Bounds::ALL, Direction::Forward, expected, &mut visit)
        })?;
        ensure_eq!(visited, KEYS.map(<[u8]>::to_vec), "keys when {expected} are expected");
    }
    Ok(())
}

pub(super) fn nested_reads(factory: &dyn Factory) -> Finding {
    let scene = scene(factory)?;
    let mut pairs = 0;
    view(&*scene.store, |snapshot| {
        let mut inner_error = None;
        snapshot.range(scene.space, Bounds::ALL, Direction::Forward, 9, &mut |key, _| {
            let found = snapshot.get(scene.space, key);
            let again = snapshot.range(
                scene.space,
                Bounds::new(Bound::Included(key), Bound::Unbounded),
                Direction::Forward,
                9,
                &mut |_, _| {
                    pairs += 1;
                    Visit::Continue
                },
            );
            match (found, again) {
                (Ok(Some(value)), Ok(())) if *value == *key => Visit::Continue,
                (found, again) => {
                    inner_error = again.err().or(found.err());
                    Visit::Stop
                }
            }
        })?;
        inner_error.map_or(Ok(()), Err)
    })?;
    let count = KEYS.len();
    ensure_eq!(pairs, count * (count + 1) / 2, "keys visited from each key on");
    Ok(())
}
