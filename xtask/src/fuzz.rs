//! `cargo xtask fuzz`: libFuzzer on the targets of `fuzz/`.
//!
//! It needs neither a nightly compiler nor cargo-fuzz: rustc's own pass counts what code an input
//! reaches. What it learns stays in the build folder; an input that breaks a target is written there
//! too, and belongs into the target's corpus once the fault is mended.

use std::fs;

use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;

const CORPORA: &str = "fuzz/corpus";
const RUNNER: &str = "fuzz/run/Cargo.toml";
const SECONDS: u64 = 30;
/// More than any request may hold would only be refused for its length.
const INPUT_BYTES_MAX: u64 = 65_536;
const MEMORY_MB_MAX: u64 = 2_048;
/// An input that takes longer is a finding.
const INPUT_SECONDS_MAX: u64 = 10;

/// What libFuzzer asks of the compiler.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    let (seconds, mut targets) = read(arguments)?;
    let known = targets_of(place)?;
    if let Some(unknown) = targets.iter().find(|target| !known.contains(target)) {
        return Err(Failure::new(format!("no fuzz target `{unknown}`; there are {}", known.join(", "))));
    }
    if targets.is_empty() {
        targets = known;
    }
    let host = host()?;
    let build = place.target().join("fuzz");
    Program::cargo()
        .args([
            "build",
            "--release",
            "--locked",
            "--manifest-path",
            RUNNER,
            "--target",
            &host,
            "--target-dir",
        ])
        .arg(&build)
        .env("RUSTFLAGS", COVERAGE.join(" "))
        .dir(place.root())
        .run()?;
    let runner = build.join(&host).join("release").join("keyplan-fuzz-run");
    for target in &targets {
        let learned = build.join("corpus").join(target);
        fs::create_dir_all(&learned).when(|| format!("cannot make {}", learned.display()))?;
        let found = format!("-artifact_prefix={}/found-{target}-", build.display());
        Program::new(&runner)
            .arg(&learned)
            .arg(place.file(CORPORA).join(target))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-max_len={INPUT_BYTES_MAX}"))
            .arg(format!("-rss_limit_mb={MEMORY_MB_MAX}"))
            .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
            .args([&found, "-print_final_stats=1", "-verbosity=0"])
            .env("KEYPLAN_FUZZ_TARGET", target)
            .run()?;
    }
    println!("{} fuzz targets, {seconds} seconds each, nothing found", targets.len());
    Ok(())
}

fn read(arguments: &[String]) -> Outcome<(u64, Vec<String>)> {
    let mut seconds = SECONDS;
    let mut targets = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            let number = arguments.next().and_then(|number| number.parse().ok());
            seconds = number.ok_or_else(|| Failure::new("--seconds wants a number"))?;
        } else {
            targets.push(argument.clone());
        }
    }
    Ok((seconds, targets))
}

/// A target is a folder with its corpus.
fn targets_of(place: &Place) -> Outcome<Vec<String>> {
    let corpora = place.file(CORPORA);
    let folders = fs::read_dir(&corpora).when(|| format!("cannot list {}", corpora.display()))?;
    let mut targets: Vec<String> =
        folders.flatten().map(|folder| folder.file_name().to_string_lossy().into_owned()).collect();
    targets.sort();
    Ok(targets)
}

/// The machine's own target, which cargo must be told so that build scripts are built without the flags.
fn host() -> Outcome<String> {
    let about = Program::new("rustc").args(["--version", "--verbose"]).output()?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("`rustc --version --verbose` names no host"))
}
