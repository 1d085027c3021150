//! Disks that fail at every call in turn, and lose power after every one: what was acknowledged is there
//! afterwards, what failed said so, and the store goes on when the disk does.

use std::path::Path;
use std::sync::Arc;

use keyplan_failing_disk::{Call, Disk, Event, Fault, Kept, Replay};
use keyplan_store::kit::survival;
use keyplan_store_sqlite::{Durability, Options, SqliteStore};
use tempfile::TempDir;

const FULL: Options = Options { durability: Durability::Full };
const RELAXED: Options = Options { durability: Durability::Relaxed };

/// Steps before a fault may come, while it may, and in all sessions of a run that loses power.
const STEPS: usize = 2;

const WRITER: u64 = 0;

/// A folder on a disk of its own.
struct Place {
    folder: TempDir,
    disk: Arc<Disk>,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let disk = Disk::at(folder.path()).expect("the folder is there");
        Place { folder, disk }
    }

    fn open(&self, options: Options) -> Result<SqliteStore, String> {
        SqliteStore::open(self.folder.path().join("my.db"), options).map_err(|error| error.to_string())
    }
}

/// What was acknowledged, as the kit counts it.
#[derive(Default)]
struct Acknowledged(Vec<(u64, u64)>);

impl Acknowledged {
    /// Takes one step: a new keyspace, entries in it, and counters beside them.
    fn step(&mut self, store: &SqliteStore, disk: &Disk) -> Result<(), String> {
        let from = survival::next_step(store, WRITER)?;
        survival::write(store, WRITER, from, &mut |step| {
            self.0.push((WRITER, step));
            disk.mark(step);
            false
        })
    }
}

/// An error says what is wrong and what to do, and never that the file is damaged: it is not.
fn told(error: &str) {
    let known = ["there is no space left", "could not be read or written", "cannot be written"];
    assert!(known.iter().any(|part| error.contains(part)), "{error}");
}

/// What fails, when, and how long.
#[derive(Clone, Copy, Debug)]
struct Case {
    call: Call,
    fault: Fault,
    after: u64,
    times: u64,
    /// Whether the disk is mended while the store is open.
    mended_open: bool,
}

/// Runs a store on a disk that fails; says how many calls failed.
fn run(case: Case) -> u64 {
    let place = Place::new();
    let disk = &place.disk;
    let mut acknowledged = Acknowledged::default();
    let store = place.open(FULL).expect("the disk is fine");
    for _ in 0..STEPS {
        acknowledged.step(&store, disk).expect("the disk is fine");
    }
    drop(store);

    disk.fail(case.call, case.fault, case.after, case.times);
    let mut failed = 0;
    match place.open(FULL) {
        Err(error) => told(&error),
        Ok(store) => {
            for _ in 0..STEPS {
                if let Err(error) = acknowledged.step(&store, disk) {
                    told(&error);
                }
            }
            if case.mended_open {
                failed = disk.mend();
                acknowledged
                    .step(&store, disk)
                    .unwrap_or_else(|error| panic!("{case:?}: it does not go on: {error}"));
                survival::check(&store, &acknowledged.0).unwrap_or_else(|what| panic!("{case:?}: {what}"));
            }
        }
    }
    failed += disk.mend();
    let store = place.open(FULL).unwrap_or_else(|error| panic!("{case:?}: not opened again: {error}"));
    survival::check(&store, &acknowledged.0).unwrap_or_else(|what| panic!("{case:?}: {what}"));
    acknowledged.step(&store, disk).unwrap_or_else(|error| panic!("{case:?}: {error}"));
    failed
}

/// Has each call of a kind fail in turn, once, a few times, and from then on.
fn at_every_call(call: Call, fault: Fault) {
    let mut cases = 0;
    for (times, mended_open) in [(1, true), (1, false), (4, true), (u64::MAX, true), (u64::MAX, false)] {
        let mut after = 0;
        while run(Case { call, fault, after, times, mended_open }) > 0 {
            after += 1;
        }
        cases += after;
    }
    assert!(cases > 0, "no {call:?} was made");
}

#[test]
fn files_that_are_not_opened() {
    at_every_call(Call::Open, Fault::Fails);
}

#[test]
fn reads_that_fail() {
    at_every_call(Call::Read, Fault::Fails);
}

#[test]
fn writes_that_fail() {
    at_every_call(Call::Write, Fault::Fails);
}

#[test]
fn a_disk_that_is_full() {
    at_every_call(Call::Write, Fault::Full);
}

#[test]
fn writes_that_are_cut_short() {
    at_every_call(Call::Write, Fault::Short);
}

#[test]
fn syncs_that_fail() {
    at_every_call(Call::Sync, Fault::Fails);
}

#[test]
fn files_that_are_not_removed() {
    at_every_call(Call::Delete, Fault::Fails);
}

/// Two sessions of a store, and what was done to the disk.
fn sessions(options: Options) -> Vec<Event> {
    let place = Place::new();
    let mut acknowledged = Acknowledged::default();
    for _ in 0..2 {
        let store = place.open(options).expect("the disk is fine");
        for _ in 0..STEPS {
            acknowledged.step(&store, &place.disk).expect("the disk is fine");
        }
    }
    place.disk.events()
}

/// Opens what a loss of power left, and checks that it has what was acknowledged, whole.
fn check_after(replay: &Replay, kept: Kept, options: Options, acknowledged: &[(u64, u64)], at: &str) {
    let place = Place::new();
    replay.lose_power(kept, place.folder.path()).expect("the folder can be written");
    let failed = |what: String| -> ! { panic!("{at}, {kept:?} of the rest: {what}") };
    let store = place.open(options).unwrap_or_else(|error| failed(error));
    survival::check(&store, acknowledged).unwrap_or_else(|what| failed(what));
}

/// Loses power after each thing that was done.
fn at_every_moment(events: &[Event], options: Options, owed: impl Fn(&[(u64, u64)]) -> Vec<(u64, u64)>) {
    let mut replay = Replay::default();
    let mut acknowledged = Vec::new();
    for (number, event) in events.iter().enumerate() {
        replay.apply(event);
        if let Event::Marked(step) = event {
            acknowledged.push((WRITER, *step));
        }
        let at = format!("after event {number} of {}", events.len());
        for kept in [Kept::Nothing, Kept::Everything, Kept::Some(number as u64)] {
            check_after(&replay, kept, options, &owed(&acknowledged), &at);
        }
    }
    assert_eq!(acknowledged.len(), 2 * STEPS);
}

#[test]
fn a_loss_of_power_takes_nothing_acknowledged_when_writes_are_synced() {
    at_every_moment(&sessions(FULL), FULL, <[(u64, u64)]>::to_vec);
}

#[test]
fn a_loss_of_power_leaves_a_relaxed_file_whole() {
    at_every_moment(&sessions(RELAXED), RELAXED, |_| Vec::new());
}

#[test]
fn a_sync_that_failed_takes_nothing_that_was_acknowledged_after_it() {
    for after in 0.. {
        let place = Place::new();
        let mut acknowledged = Acknowledged::default();
        let store = place.open(FULL).expect("the disk is fine");
        place.disk.fail(Call::Sync, Fault::Fails, after, 1);
        for _ in 0..2 * STEPS {
            if let Err(error) = acknowledged.step(&store, &place.disk) {
                told(&error);
            }
        }
        drop(store);
        let failed = place.disk.mend();
        let mut replay = Replay::default();
        let mut seen = Vec::new();
        for event in place.disk.events() {
            replay.apply(&event);
            if let Event::Marked(step) = event {
                seen.push((WRITER, step));
                let at = format!("sync {after} failed, and step {step} was acknowledged");
                for kept in [Kept::Nothing, Kept::Everything, Kept::Some(step)] {
                    check_after(&replay, kept, FULL, &seen, &at);
                }
            }
        }
        if failed == 0 {
            assert!(after > 0, "no sync was made");
            break;
        }
    }
}

#[test]
fn each_write_is_synced_before_it_is_acknowledged_unless_less_is_asked_for() {
    let synced_before = |events: &[Event]| {
        let mut synced = false;
        let mut marks = Vec::new();
        for event in events {
            match event {
                Event::Synced { file } if Path::new(&**file).ends_with("my.db-wal") => synced = true,
                Event::Marked(_) => {
                    marks.push(synced);
                    synced = false;
                }
                _ => {}
            }
        }
        marks
    };
    assert_eq!(synced_before(&sessions(FULL)), [true; 2 * STEPS]);
    assert!(synced_before(&sessions(RELAXED)).contains(&false));
}
