//! Rounds of SIGKILL: the command serves a file under load and is killed at a random moment; then the file is
//! verified, the command started again, and what is there held against what was answered.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use tempfile::TempDir;

use crate::load::{Events, Load, Shared};
use crate::run::{Counts, Knowledge};
use crate::service::{Connection, Service};
use crate::table;

/// Rounds on one file, before the next is begun.
const ROUNDS_OF_FILE: u64 = 25;

/// Groups of items.
const GROUPS: usize = 8;

/// A client's request may be waited for so long before it is looked again whether it is time.
const LOOK: Duration = Duration::from_micros(50);

/// How it is done.
#[derive(Debug, Clone)]
pub struct Kills {
    /// The command `keyplan`.
    pub program: PathBuf,
    /// What `keyplan serve` is told besides.
    pub arguments: Vec<String>,
    /// Rounds.
    pub rounds: u64,
    /// Clients at the same time.
    pub clients: usize,
    /// It is killed when so many requests were answered, or before.
    pub requests: u64,
    /// Where chance begins.
    pub seed: u64,
}

/// The command while it serves.
struct Serving {
    process: Child,
    address: String,
}

impl Serving {
    fn start(kills: &Kills, file: &Path) -> Result<Serving, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", kills.program.display());
        let mut process = Command::new(&kills.program)
            .args(["serve", "--port", "0", "--db"])
            .arg(file)
            .args(&kills.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let output = process.stdout.take().ok_or("the command has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(failed)?;
        match line.trim_end().strip_prefix("Keyplan endpoint: http://") {
            Some(address) => Ok(Serving { address: address.to_owned(), process }),
            None => {
                let _ended = process.kill().and_then(|()| process.wait());
                Err(format!("the command did not serve: {line:?}"))
            }
        }
    }

    fn connect(&self) -> Result<Connection, String> {
        Connection::to(&self.address).map_err(|error| format!("{}: {error}", self.address))
    }

    fn kill(&mut self) {
        // On Unix this is SIGKILL.
        let _ended = self.process.kill().and_then(|()| self.process.wait());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs the rounds; `progress` is told after each what was counted so far.
///
/// # Errors
/// When something acknowledged is lost, half done or out of order; in words, with the round and its seed.
pub fn kill(kills: &Kills, progress: &mut dyn FnMut(&Counts)) -> Result<Counts, String> {
    let mut counts = Counts::default();
    let mut round = 0;
    while round < kills.rounds {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder for the file: {error}"))?;
        let rounds = ROUNDS_OF_FILE.min(kills.rounds - round);
        let done = on_one_file(kills, &folder, (round, rounds), &mut counts, progress);
        done.map_err(|(round, error)| {
            let kept = folder.keep();
            format!("round {round} from seed {}: {error}\nthe file is kept in {}", kills.seed, kept.display())
        })?;
        round += rounds;
    }
    Ok(counts)
}

fn on_one_file(
    kills: &Kills,
    folder: &TempDir,
    (first, rounds): (u64, u64),
    counts: &mut Counts,
    progress: &mut dyn FnMut(&Counts),
) -> Result<(), (u64, String)> {
    let file = folder.path().join("torture.db");
    let mut knowledge = Knowledge::new(GROUPS);
    let mut serving = Serving::start(kills, &file).map_err(|error| (first, error))?;
    serving.connect().and_then(|mut client| table::make(&mut client)).map_err(|error| (first, error))?;
    for round in first..first + rounds {
        let in_round = |error| (round, error);
        let seed = kills.seed.wrapping_add(round);
        let events = until_killed(kills, &mut serving, &mut knowledge, seed).map_err(in_round)?;
        verified(&kills.program, &file).map_err(in_round)?;
        serving = Serving::start(kills, &file).map_err(in_round)?;
        let mut client = serving.connect().map_err(in_round)?;
        counts.add(knowledge.check(&mut client, events).map_err(in_round)?);
        progress(counts);
    }
    Ok(())
}

/// Lets clients send requests, and kills the command while they do.
fn until_killed(
    kills: &Kills,
    serving: &mut Serving,
    knowledge: &mut Knowledge,
    seed: u64,
) -> Result<Events, String> {
    let mut clients: Vec<Box<dyn Service>> = Vec::new();
    for _ in 0..kills.clients {
        clients.push(Box::new(serving.connect()?));
    }
    let mut changing = serving.connect()?;
    let mut rng = Rng::with_seed(seed);
    let enough = rng.u64(1..=kills.requests);
    // Some way into whatever is under way then.
    let further = rng.u32(..200_000);
    let load = Load { groups: GROUPS, requests: None, seed };
    knowledge.load(clients, &mut changing, load, move |shared: &Shared| {
        while shared.answered.load(Ordering::Relaxed) < enough && !shared.stopping.load(Ordering::Relaxed) {
            thread::park_timeout(LOOK);
        }
        for _ in 0..further {
            std::hint::spin_loop();
        }
        shared.stopping.store(true, Ordering::SeqCst);
        serving.kill();
    })
}

/// What follows from the items of the file that was left fits them.
fn verified(program: &Path, file: &Path) -> Result<(), String> {
    let output = Command::new(program).arg("verify").arg(file).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!("verify: {}{}", text(&output.stdout), text(&output.stderr)))
}
