//! `cargo xtask compare`: the engine held against a plain model of the service, from the release build.

use crate::failure::Outcome;
use crate::place::Place;
use crate::process::Program;

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    Program::cargo()
        .args(["run", "--release", "--locked", "--quiet", "-p", "keyplan-compare", "--"])
        .args(arguments)
        .dir(place.root())
        .run()
}
