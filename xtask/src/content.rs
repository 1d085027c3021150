//! The proof of what stands under `content/`: a program of its own, since it holds the engine.

use std::path::PathBuf;

use crate::failure::Outcome;
use crate::place::Place;
use crate::process::Program;

/// `cargo xtask content`: all of it, or the files whose names hold one of the words.
pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    proof(place).args(arguments).run()
}

/// The program, not yet run.
pub fn proof(place: &Place) -> Program {
    Program::cargo()
        .args(["run", "--quiet", "--locked", "--package", "content-proof", "--"])
        .arg("--content")
        .arg(place.file("content"))
        .dir(place.root())
}

/// Writes what the engine answers natively to everything in the lessons, and says where.
pub fn record(place: &Place) -> Outcome<PathBuf> {
    let file = place.target().join("lessons.json");
    proof(place).arg("--record").arg(&file).run()?;
    Ok(file)
}
