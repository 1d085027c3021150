//! What survives the sudden end of the process, or of the tab's worker.
//!
//! [`write()`] commits numbered steps and acknowledges each; the process is then ended in the midst
//! of it. [`check`] opens the same place and finds every acknowledged step, whole, and nothing that
//! was written in part. Natively [`around_kills`] does both, with a child process that is killed.

use super::scenes::{all, commit, said, value};
use super::{Finding, Where};
use crate::{Batch, Space, Store, counter_bytes, counter_value};

/// The number of the invariant in `docs/store-invariants.md`.
pub const NUMBER: u32 = 40;

/// What holds.
pub const NAME: &str = "a kill loses nothing acknowledged and leaves nothing half done";

/// Where it can be checked: both halves run anywhere, and only what ends them differs.
pub const AT: Where = Where::Everywhere;

/// The keyspace of the engine's records that the steps count in.
const RECORDS: Space = Space(0);

/// The counter of all steps.
const STEPS: &[u8] = b"steps";

/// Bytes a step writes: enough that a commit takes several pages.
const VALUE_BYTES: usize = 3_000;

/// How many entries a step writes beside its counters.
const ENTRIES_PER_STEP: u64 = 3;

/// Commits steps of one writer from a number on, until `acknowledge` says stop (`false`). Each
/// step counts in one keyspace and writes entries in another, all in one batch.
pub fn write(store: &dyn Store, writer: u64, from: u64, acknowledge: &mut dyn FnMut(u64) -> bool) -> Finding {
    let space = store.new_space().map_err(said)?;
    for step in from.. {
        let mut batch = Batch::new();
        for entry in 0..ENTRIES_PER_STEP {
            batch.put(space, key(writer, step, entry), value_of(step));
        }
        batch.put(RECORDS, step_key(writer, step), space.0.to_be_bytes());
        batch.add(RECORDS, STEPS, 1);
        batch.add(RECORDS, writer_key(writer), 1);
        commit(store, batch)?;
        if !acknowledge(step) {
            break;
        }
    }
    Ok(())
}

/// Checks a place after the end of its writer: every acknowledged (writer, step) is there, each step
/// that is there is whole, and the counters count just these.
pub fn check(store: &dyn Store, acknowledged: &[(u64, u64)]) -> Finding {
    for (writer, step) in acknowledged {
        let found = value(store, RECORDS, &step_key(*writer, *step))?;
        ensure!(found.is_some(), "writer {writer} was told of step {step}, which is not there");
    }
    let mut steps = 0_i64;
    let mut highest = Space(0);
    for (record, number) in all(store, RECORDS)? {
        if record.first() != Some(&b's') || record == STEPS {
            continue;
        }
        steps += 1;
        let number: [u8; 8] = number.try_into().map_err(|_| "a step's record is damaged".to_owned())?;
        let space = Space(u64::from_be_bytes(number));
        highest = highest.max(space);
        for entry in 0..ENTRIES_PER_STEP {
            let mut key = record.clone();
            key.push(entry as u8);
            let found = value(store, space, &key)?;
            ensure!(
                found.is_some_and(|bytes| bytes.len() == VALUE_BYTES),
                "step {record:02x?} is there without its entry {entry}"
            );
        }
    }
    let counted = value(store, RECORDS, STEPS)?;
    let expected = (steps != 0).then(|| counter_bytes(steps).to_vec());
    ensure_eq!(counted, expected, "steps counted");
    let next = store.new_space().map_err(said)?;
    ensure!(next > highest, "{next:?} is given out after {highest:?}");
    Ok(())
}

/// The step a writer goes on from.
pub fn next_step(store: &dyn Store, writer: u64) -> Result<u64, String> {
    let counted = value(store, RECORDS, &writer_key(writer))?;
    let count = counted.and_then(|bytes| counter_value(&bytes)).unwrap_or(0);
    u64::try_from(count).map_err(|_| format!("writer {writer} counts {count} steps"))
}

fn step_key(writer: u64, step: u64) -> Vec<u8> {
    [b"s".as_slice(), &writer.to_be_bytes(), &step.to_be_bytes()].concat()
}

fn writer_key(writer: u64) -> Vec<u8> {
    [b"w".as_slice(), &writer.to_be_bytes()].concat()
}

fn key(writer: u64, step: u64, entry: u64) -> Vec<u8> {
    let mut key = step_key(writer, step);
    key.push(entry as u8);
    key
}

fn value_of(step: u64) -> Vec<u8> {
    vec![step as u8; VALUE_BYTES]
}

#[cfg(not(target_arch = "wasm32"))]
pub use self::kill::around_kills;

#[cfg(not(target_arch = "wasm32"))]
mod kill {
    //! The two halves around a child process that is killed.

    use std::env;
    use std::ffi::OsStr;
    use std::io::{BufRead, BufReader, Write};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::thread;

    use super::{check, next_step, said, write};
    use crate::kit::Finding;
    use crate::{Store, StoreError};

    /// Tells the child where to write.
    const PLACE: &str = "KEYPLAN_KIT_KILL_PLACE";

    /// Before what the child acknowledges.
    const ACKNOWLEDGED: &str = "acknowledged ";

    /// Writers of the child, so that commits are grouped.
    const WRITERS: u64 = 4;

    /// Opens a store at a path.
    pub type OpenAt<'a> = &'a dyn Fn(&Path) -> Result<Arc<dyn Store>, StoreError>;

    /// Runs rounds of: a child writes and is killed after some acknowledgements; what it wrote is
    /// checked. It is called by a test and nothing else in it, whose full name is `test`: the child
    /// is the same test of the same program.
    pub fn around_kills(test: &str, place: &Path, rounds: usize, open: OpenAt<'_>) -> Finding {
        if let Some(place) = env::var_os(PLACE) {
            return child(&place, open);
        }
        let mut acknowledged = Vec::new();
        for round in 0..rounds {
            // Different lengths end the child at different moments of its work.
            let enough = 5 + 17 * round;
            acknowledged.extend(killed_after(test, place, enough)?);
            let store = open(place).map_err(said)?;
            check(&*store, &acknowledged).map_err(|what| format!("round {round}: {what}"))?;
        }
        Ok(())
    }

    fn child(place: &OsStr, open: OpenAt<'_>) -> Finding {
        let store = open(Path::new(place)).map_err(said)?;
        thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let store = &*store;
                    scope.spawn(move || {
                        let from = next_step(store, writer)?;
                        write(store, writer, from, &mut |step| {
                            let line = format!("{ACKNOWLEDGED}{writer} {step}\n");
                            // Written past the test's capture; a closed pipe ends the child.
                            std::io::stdout().write_all(line.as_bytes()).is_ok()
                        })
                    })
                })
                .collect();
            writers
                .into_iter()
                .try_for_each(|writer| writer.join().map_err(|_| "a writer panicked".to_owned())?)
        })
    }

    /// Starts a child, kills it after some acknowledgements, and returns all it gave.
    fn killed_after(test: &str, place: &Path, enough: usize) -> Result<Vec<(u64, u64)>, String> {
        let failed = |error: std::io::Error| format!("the child process: {error}");
        let mut child = Command::new(env::current_exe().map_err(failed)?)
            .args([test, "--exact", "--nocapture", "--test-threads", "1"])
            .env(PLACE, place)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let output = child.stdout.take().ok_or("the child has no output")?;
        let mut acknowledged = Vec::new();
        for line in BufReader::new(output).lines() {
            acknowledged.extend(parse(&line.map_err(failed)?));
            if acknowledged.len() == enough {
                // What it still has in the pipe was acknowledged as well.
                child.kill().map_err(failed)?;
            }
        }
        child.wait().map_err(failed)?;
        if acknowledged.len() < enough {
            return Err(format!("the child ended by itself after {} steps", acknowledged.len()));
        }
        Ok(acknowledged)
    }

    /// A whole line of an acknowledgement; one that the kill cut short is none.
    fn parse(line: &str) -> Option<(u64, u64)> {
        let (_, numbers) = line.split_once(ACKNOWLEDGED)?;
        let (writer, step) = numbers.split_once(' ')?;
        Some((writer.parse().ok()?, step.parse().ok()?))
    }
}
