//! The short form of the rounds of SIGKILL: what was acknowledged survives, nothing is half done, and what follows
//! from the items fits them.

use std::path::PathBuf;

use keyplan_torture::kill::{Kills, kill};

const ROUNDS: u64 = 10;
const ROUNDS_LONG: u64 = 100;

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let rounds = if std::env::var_os("KEYPLAN_LONG_TESTS").is_some() { ROUNDS_LONG } else { ROUNDS };
    let kills = Kills {
        program: PathBuf::from(env!("CARGO_BIN_EXE_keyplan")),
        arguments: Vec::new(),
        rounds,
        clients: 8,
        requests: 200,
        seed: 11,
    };
    let counts = kill(&kills, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    println!("{rounds} kills: {counts:?}");
    assert_eq!(counts.runs, rounds);
    assert!(counts.answered >= rounds && counts.unanswered > 0, "requests were under way when it was killed");
}
