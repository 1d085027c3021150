//! `cargo xtask instructions`: how many instructions the hot paths take, held against what is written down.
//!
//! A clock on a machine that others use can't tell that a request has become a tenth slower; the count of its
//! instructions can. Each workload of `xtask/instructions` runs twice under valgrind, with so many requests and with
//! twice as many; the difference is the requests' own. The counts stand in [`COUNTS`], for each release of the
//! compiler, which decides them as much as the sources do.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;
use crate::setup;

/// What is written down.
const COUNTS: &str = "xtask/instructions/counts.txt";
const PACKAGE: &str = "keyplan-instructions";

const ABOUT: &str = "\
# Instructions of one request, by compiler and workload: what `cargo xtask instructions` compares with.
# A change that is wanted is written here by `cargo xtask instructions --accept`.
";

/// By how many percent a count may differ.
const TOLERANCE_PERCENT: f64 = 5.0;

/// Counts by workload.
type Counts = BTreeMap<String, u64>;

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    let accepts = match arguments {
        [] => false,
        [flag] if flag == "--accept" => true,
        [argument, ..] => {
            return Err(Failure::new(format!("`cargo xtask instructions` takes --accept, not `{argument}`")));
        }
    };
    setup::machine()?;
    if !setup::has_valgrind() {
        println!("  valgrind doesn't count on this system, so nothing is counted");
        return Ok(());
    }
    let counted = count(place)?;
    let compiler = compiler()?;
    let mut known = read(&fs::read_to_string(place.file(COUNTS)).unwrap_or_default());
    if accepts {
        known.insert(compiler, counted);
        return fs::write(place.file(COUNTS), written(&known)).when(|| COUNTS.to_owned());
    }
    match known.get(&compiler) {
        Some(known) => compare(known, &counted),
        None => {
            println!(
                "  {COUNTS} has nothing for {compiler}, so these counts are compared with none; with \
                 `cargo xtask instructions --accept` later ones are"
            );
            Ok(())
        }
    }
}

/// Counts every workload.
fn count(place: &Place) -> Outcome<Counts> {
    Program::cargo().args(["build", "--release", "--locked", "-p", PACKAGE]).dir(place.root()).run()?;
    let program = place.target().join("release").join(PACKAGE);
    let list = Program::new(&program).output()?;
    let mut counts = Counts::new();
    for line in list.lines() {
        let (requests, name) =
            line.split_once('\t').ok_or_else(|| Failure::new(format!("a workload: {line}")))?;
        let requests: u64 = requests.parse().map_err(|_| Failure::new(format!("a workload: {line}")))?;
        let some = instructions(place, &program, name, requests)?;
        let twice = instructions(place, &program, name, 2 * requests)?;
        let each = twice.saturating_sub(some) / requests;
        println!("  {each:>10}  {name}");
        counts.insert(name.to_owned(), each);
    }
    Ok(counts)
}

/// The instructions of a whole run.
fn instructions(place: &Place, program: &PathBuf, name: &str, requests: u64) -> Outcome<u64> {
    let written = place.target().join("instructions.out");
    Program::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--quiet"])
        .arg(format!("--cachegrind-out-file={}", written.display()))
        .arg(program)
        .args([name, &requests.to_string()])
        // It lies on the stack, and its length would move the rest.
        .without_environment()
        .output()?;
    let text = fs::read_to_string(&written).when(|| written.display().to_string())?;
    let summary = text.lines().find_map(|line| line.strip_prefix("summary: "));
    let counted = summary.and_then(|summary| summary.split(' ').next()?.parse().ok());
    counted.ok_or_else(|| Failure::new(format!("{} has no summary", written.display())))
}

/// The compiler and what it builds for.
fn compiler() -> Outcome<String> {
    let version = Program::new("rustc").arg("-vV").output()?;
    let field = |name: &str| version.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("unknown");
    Ok(format!("rustc {} {}", field("release: "), field("host: ")))
}

fn compare(known: &Counts, counted: &Counts) -> Outcome {
    let mut differ = String::new();
    for (name, count) in counted {
        let change = match known.get(name) {
            Some(known) => 100.0 * (*count as f64 / *known as f64 - 1.0),
            None => f64::INFINITY,
        };
        if change.abs() > TOLERANCE_PERCENT {
            let before = known.get(name).map_or_else(|| "none".to_owned(), u64::to_string);
            writeln!(differ, "  {name}: {before} before, {count} now ({change:+.1} %)").unwrap_or_default();
        }
    }
    for name in known.keys().filter(|name| !counted.contains_key(*name)) {
        writeln!(differ, "  {name}: it is not counted any more").unwrap_or_default();
    }
    if differ.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "requests take more or fewer instructions than {COUNTS} says:\n{differ}If that is wanted, \
         `cargo xtask instructions --accept` writes it down"
    )))
}

fn read(text: &str) -> BTreeMap<String, Counts> {
    let mut known = BTreeMap::new();
    let mut compiler = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("  ").and_then(|line| line.rsplit_once(": ")) {
            Some((name, count)) => {
                let counts: &mut Counts = known.entry(compiler.clone()).or_default();
                counts.insert(name.to_owned(), count.parse().unwrap_or(0));
            }
            None => line.trim_end_matches(':').clone_into(&mut compiler),
        }
    }
    known
}

fn written(known: &BTreeMap<String, Counts>) -> String {
    let mut text = ABOUT.to_owned();
    for (compiler, counts) in known {
        writeln!(text, "{compiler}:").unwrap_or_default();
        for (name, count) in counts {
            writeln!(text, "  {name}: {count}").unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Counts {
        pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let known = BTreeMap::from([
            ("rustc 1.95.0 here".to_owned(), counts(&[("GetItem", 5), ("PutItem: more", 7)])),
            ("rustc 1.96.0 here".to_owned(), counts(&[("GetItem", 4)])),
        ]);
        assert_eq!(read(&written(&known)), known);
    }

    #[test]
    fn a_count_may_differ_by_a_twentieth() {
        let known = counts(&[("GetItem", 1_000)]);
        assert!(compare(&known, &counts(&[("GetItem", 1_049)])).is_ok());
        assert!(compare(&known, &counts(&[("GetItem", 951)])).is_ok());
        let slower = compare(&known, &counts(&[("GetItem", 1_060)])).expect_err("it is slower");
        assert!(slower.to_string().contains("GetItem: 1000 before, 1060 now (+6.0 %)"), "{slower}");
        assert!(compare(&known, &counts(&[("GetItem", 900)])).is_err(), "what is written down is to be true");
        assert!(compare(&known, &counts(&[])).is_err(), "nothing goes unseen");
        assert!(compare(&known, &counts(&[("GetItem", 1_000), ("Scan", 1)])).is_err());
    }
}
