//! The `keyplan` command as users get it: a release build with the page in it.

use std::path::PathBuf;

use crate::failure::Outcome;
use crate::place::Place;
use crate::process::Program;
use crate::{wasm, web};

pub fn exists(place: &Place) -> bool {
    place.file("crates/cli/Cargo.toml").is_file()
}

pub fn build(place: &Place) -> Outcome {
    Program::cargo().args(["build", "--release", "--package", "keyplan-cli"]).dir(place.root()).run()
}

/// The same from the beginning: the engine for the browser, the page, the command.
pub fn build_with_page(place: &Place) -> Outcome {
    wasm::build(place)?;
    web::packages(place)?;
    web::build(place)?;
    build(place)
}

/// Where it stands once built.
pub fn file(place: &Place) -> PathBuf {
    place.target().join("release").join(format!("keyplan{}", std::env::consts::EXE_SUFFIX))
}
