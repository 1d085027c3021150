//! `cargo xtask studio`: from a fresh clone to the studio in the browser.

use crate::failure::Outcome;
use crate::place::Place;
use crate::process::Program;
use crate::{binary, setup};

/// Builds everything, then becomes `keyplan studio`, which takes the arguments.
pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    setup::machine()?;
    binary::build_with_page(place)?;
    Program::new(binary::file(place)).arg("studio").args(arguments).become_it()
}
