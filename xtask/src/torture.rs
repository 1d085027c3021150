//! `cargo xtask torture`: what is promised for a file and for many clients at once, tried for long. Rounds of SIGKILL
//! against the release build, histories of many clients on every store, and the stores' tests with their faults.

use crate::binary;
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::process::Program;

/// What each part is told of what was chosen.
const OF_KILLS: [&str; 3] = ["--rounds", "--clients", "--seed"];
const OF_HISTORIES: [&str; 3] = ["--seconds", "--clients", "--seed"];

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    let chosen = read(arguments)?;
    binary::build(place)?;
    Program::cargo()
        .args(["build", "--release", "--locked", "--package", "keyplan-torture"])
        .dir(place.root())
        .run()?;
    let torture = || {
        let name = format!("keyplan-torture{}", std::env::consts::EXE_SUFFIX);
        Program::new(place.target().join("release").join(name))
    };
    let of = |names: &[&str]| -> Vec<&String> {
        chosen
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .flat_map(|(name, number)| [name, number])
            .collect()
    };
    torture().arg("kill").arg(binary::file(place)).args(of(&OF_KILLS)).run()?;
    torture().arg("histories").args(of(&OF_HISTORIES)).run()?;
    Program::cargo()
        .args(["test", "--locked", "--quiet", "--package", "keyplan-store-sqlite"])
        .env("KEYPLAN_LONG_TESTS", "1")
        .dir(place.root())
        .run()?;
    println!("kills, histories and the store's faults: all is as it should be");
    Ok(())
}

/// Names of what can be chosen, each with its number.
fn read(arguments: &[String]) -> Outcome<Vec<(String, String)>> {
    let known = |name: &String| OF_KILLS.iter().chain(&OF_HISTORIES).any(|known| known == name);
    let mut chosen = Vec::new();
    for pair in arguments.chunks(2) {
        match pair {
            [name, number] if known(name) && number.parse::<u64>().is_ok() => {
                chosen.push((name.clone(), number.clone()));
            }
            _ => {
                let what = "give --rounds, --seconds, --clients or --seed, each with a number";
                return Err(Failure::new(what));
            }
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_names() {
        let read = |text: &str| read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let chosen = read("--rounds 5 --seed 7").unwrap_or_default();
        assert_eq!(chosen, [("--rounds", "5"), ("--seed", "7")].map(|(n, v)| (n.to_owned(), v.to_owned())));
        for wrong in ["--rounds", "--rounds many", "5 --rounds", "--turns 5"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
