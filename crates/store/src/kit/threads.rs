//! What holds among threads: isolation, atomicity, grouping, panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::scenes::{Scene, commit, entries_of, said, view, write};
use super::{Factory, Finding};
use crate::{
    Batch, Bounds, Direction, Snapshot, Space, StoreError, StoreExt, Visit, Written, counter_bytes,
    counter_value,
};

/// Threads at work at a time.
const THREADS: usize = 8;

/// Writes of each.
const WRITES: usize = 25;

/// How long something that must happen may take before it counts as never happening.
const NEVER: Duration = Duration::from_secs(30);

/// Runs a closure on several threads and joins what they found.
fn on_threads(count: usize, work: impl Fn(usize) -> Finding + Sync) -> Finding {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..count).map(|number| scope.spawn(move || work(number))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?)
    })
}

pub(super) fn isolation(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b", b"c"])?;
    let (store, space) = (&*scene.store, scene.space);
    let (ask, asked) = mpsc::channel::<()>();
    let (answer, answered) = mpsc::channel::<Finding>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while asked.recv().is_ok() {
                let mut batch = Batch::new();
                batch.put(space, b"a", *b"changed");
                batch.delete(space, b"b");
                batch.put(space, b"d", *b"new");
                batch.add(space, b"count", 1);
                let written = commit(store, batch).map(drop);
                if answer.send(written).is_err() {
                    break;
                }
            }
        });
        let outcome = store.view(|snapshot| -> Finding {
            let read = || entries_of(snapshot, space, Bounds::ALL, Direction::Forward).map_err(said);
            let first = read()?;
            ensure_eq!(first.len(), 3, "entries at first");
            for _ in 0..3 {
                ask.send(()).map_err(|_| "the writer is gone")?;
                answered
                    .recv_timeout(NEVER)
                    .map_err(|_| "a write did not end while a snapshot was open".to_owned())??;
                ensure_eq!(read()?, first, "entries after another's write");
                let value = snapshot.get(space, b"a").map_err(said)?;
                ensure_eq!(value.as_deref(), Some(&b"a"[..]), "a value after it");
            }
            Ok(())
        });
        // Ends the writer's loop, so that the scope can end.
        drop(ask);
        outcome.map_err(said)?
    })?;
    let keys = scene.keys(Bounds::ALL, Direction::Forward)?;
    let expected = [&b"a"[..], b"c", b"count", b"d"].map(<[u8]>::to_vec);
    ensure_eq!(keys, expected.to_vec(), "keys on a new snapshot");
    Ok(())
}

pub(super) fn atomic(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let (store, space) = (&*scene.store, scene.space);
    let all_same = |number: usize| {
        let mut batch = Batch::new();
        for key in 0..20_u8 {
            batch.put(space, [key], number.to_be_bytes());
        }
        batch
    };
    commit(store, all_same(0))?;
    let writing = AtomicUsize::new(2);
    on_threads(4, |thread| {
        if thread < 2 {
            let written =
                (0..2 * WRITES).try_for_each(|number| commit(store, all_same(2 * number + thread)).map(drop));
            writing.fetch_sub(1, Ordering::SeqCst);
            return written;
        }
        while writing.load(Ordering::SeqCst) > 0 {
            let entries =
                view(store, |snapshot| entries_of(snapshot, space, Bounds::ALL, Direction::Backward))?;
            ensure_eq!(entries.len(), 20, "entries of a batch");
            let first = entries.first().map(|(_, value)| value);
            let same = entries.iter().all(|(_, value)| Some(value) == first);
            ensure!(same, "a snapshot shows two batches: {entries:?}");
        }
        Ok(())
    })
}

pub(super) fn serialisable(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let (store, space) = (&*scene.store, scene.space);
    // Each takes one of the seats that are left, which it may only if it sees those taken.
    let seats = THREADS * WRITES / 2;
    let taken = AtomicUsize::new(0);
    on_threads(THREADS, |thread| {
        for number in 0..WRITES {
            let outcome = store.transact(move |snapshot| {
                let free = seats - count(snapshot, space).map_err(Some)?;
                if free == 0 {
                    return Err(None);
                }
                let mut batch = Batch::new();
                batch.put(space, [thread as u8, number as u8], *b"taken");
                Ok((batch, ()))
            });
            match outcome.map_err(said)? {
                Ok(_) => _ = taken.fetch_add(1, Ordering::SeqCst),
                Err(None) => {}
                Err(Some(error)) => return Err(said(error)),
            }
        }
        Ok(())
    })?;
    ensure_eq!(taken.load(Ordering::SeqCst), seats, "seats given");
    ensure_eq!(scene.entries()?.len(), seats, "seats stored");
    Ok(())
}

fn count(snapshot: &dyn Snapshot, space: Space) -> Result<usize, StoreError> {
    let entries = entries_of(snapshot, space, Bounds::ALL, Direction::Forward)?;
    Ok(entries.len())
}

pub(super) fn counters(factory: &dyn Factory) -> Finding {
    let scene = Scene::new(factory)?;
    let (store, space) = (&*scene.store, scene.space);
    on_threads(THREADS, |thread| {
        (0..WRITES).try_for_each(|number| {
            let mut batch = Batch::new();
            batch.add(space, b"all", 1);
            batch.add(space, b"sum", number as i64);
            batch.add(space, [thread as u8], 1);
            commit(store, batch).map(drop)
        })
    })?;
    let sum = THREADS * WRITES * (WRITES - 1) / 2;
    let reads = |count: usize| Some(counter_bytes(count as i64).to_vec());
    ensure_eq!(scene.value(b"all")?, reads(THREADS * WRITES), "all additions");
    ensure_eq!(scene.value(b"sum")?, reads(sum), "sum of all");
    for thread in 0..THREADS {
        ensure_eq!(scene.value(&[thread as u8])?, reads(WRITES), "one thread's");
    }
    Ok(())
}

pub(super) fn grouped(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"text"])?;
    let (store, space) = (&*scene.store, scene.space);
    let nowhere = Space(space.0 + 1_000);
    on_threads(THREADS, |thread| {
        for number in 0..WRITES {
            let key = [thread as u8, number as u8];
            let mut batch = Batch::new().keeping_inverse();
            batch.put(space, key, *b"1");
            batch.add(space, b"count", 1);
            let kind = (thread + number) % 4;
            match kind {
                1 => batch.put(nowhere, *b"key", *b"1"),
                2 => batch.add(space, *b"text", 1),
                _ => {}
            }
            if kind == 3 {
                let answer = store.write(Box::new(|_| None));
                ensure_eq!(answer, Ok(Written::Aborted), "an abort in a group");
                continue;
            }
            let answer = write(store, batch);
            let expected = match kind {
                0 => {
                    let inverse = match answer {
                        Ok(Written::Committed { inverse }) => inverse,
                        other => return Err(format!("a write in a group: {other:?}")),
                    };
                    let changes = inverse.map(|batch| batch.changes.len());
                    ensure_eq!(changes, Some(2), "changes of an inverse in a group");
                    continue;
                }
                1 => StoreError::NoSuchSpace(nowhere),
                _ => StoreError::NotACounter { space, key: b"text".to_vec() },
            };
            ensure_eq!(answer, Err(expected), "a refusal in a group");
        }
        Ok(())
    })?;
    let good = (0..THREADS)
        .flat_map(|thread| (0..WRITES).map(move |number| (thread + number) % 4))
        .filter(|kind| *kind == 0)
        .count();
    let expected = Some(counter_bytes(good as i64).to_vec());
    ensure_eq!(scene.value(b"count")?, expected, "writes counted");
    ensure_eq!(scene.entries()?.len(), good + 2, "entries of good members");
    Ok(())
}

pub(super) fn panics(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b"])?;
    let (store, space) = (&*scene.store, scene.space);
    on_threads(THREADS, |thread| {
        for _ in 0..4 {
            if thread % 2 == 0 {
                let mut batch = Batch::new();
                batch.add(space, b"count", 1);
                commit(store, batch)?;
                continue;
            }
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                store.write(Box::new(move |snapshot| {
                    let read = snapshot.get(space, b"a");
                    panic!("in a write's closure, after {read:?}")
                }))
            }));
            ensure!(panicked.is_err(), "a panic in a write was swallowed");
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                store.view(|snapshot| {
                    snapshot
                        .range(space, Bounds::ALL, Direction::Forward, 2, &mut |_, _| panic!("in a visitor"))
                })
            }));
            ensure!(panicked.is_err(), "a panic in a visitor was swallowed");
        }
        Ok(())
    })?;
    let count = scene.value(b"count")?;
    let count = count.and_then(|bytes| counter_value(&bytes));
    ensure_eq!(count, Some(THREADS as i64 / 2 * 4), "writes among panics");
    ensure_eq!(scene.entries()?.len(), 3, "entries after panics");
    let made = store.new_space().map_err(said)?;
    store.drop_space(made).map_err(said)
}

pub(super) fn long_read(factory: &dyn Factory) -> Finding {
    let scene = Scene::with_keys(factory, &[b"a", b"b", b"c"])?;
    let (store, space) = (&*scene.store, scene.space);
    let (written, waited) = mpsc::channel::<Finding>();
    let started = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut in_time = Ok(());
        let mut visited = 0;
        let read = view(store, |snapshot| {
            let mut visit = |_: &[u8], _: crate::StoredValue<'_>| {
                visited += 1;
                if !started.swap(true, Ordering::SeqCst) {
                    let written = written.clone();
                    scope.spawn(move || {
                        let mut batch = Batch::new();
                        batch.put(space, b"bb", *b"written meanwhile");
                        // Nobody waits any more if it came too late.
                        let _sent = written.send(commit(store, batch).map(drop));
                    });
                    in_time = waited
                        .recv_timeout(NEVER)
                        .unwrap_or_else(|_| Err("a write waited for a read".to_owned()));
                }
                Visit::Continue
            };
            snapshot.range(space, Bounds::ALL, Direction::Forward, 3, &mut visit)
        });
        in_time?;
        read?;
        ensure_eq!(visited, 3, "entries of the long read");
        Ok(())
    })?;
    ensure_eq!(scene.entries()?.len(), 4, "entries after it");
    Ok(())
}
