//! The page's own tools: its npm packages, its checks, its build.

use std::fs;
use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::process::Program;
use crate::{setup, wasm};

/// `cargo xtask web`: the page with the engine in it, in `web/dist/`.
pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("`cargo xtask web` takes no `{argument}`")));
    }
    setup::machine()?;
    wasm::build(place)?;
    packages(place)?;
    build(place)
}

/// Whether the page's sources are there to build.
pub fn exists(place: &Place) -> bool {
    place.file("web/package.json").is_file()
}

/// Installs the packages that `web/package-lock.json` fixes, if that has changed.
pub fn packages(place: &Place) -> Outcome {
    if !exists(place) {
        return Ok(());
    }
    let lock = cache::read(&place.file("web/package-lock.json"))?;
    let stamp = place.file("web/node_modules/.installed-from");
    let wanted = cache::fingerprint([&lock[..]]);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    script(place).args(["ci", "--no-audit", "--no-fund"]).run()?;
    cache::write_if_changed(&stamp, wanted.as_bytes())
}

pub fn build(place: &Place) -> Outcome {
    script(place).args(["run", "build"]).run()
}

/// npm in `web/`, told which browser to test in.
pub fn script(place: &Place) -> Program {
    let npm = npm(&place.file("web"));
    match setup::chromium() {
        Some(chromium) => npm.env("KEYPLAN_CHROMIUM", chromium),
        None => npm,
    }
}

/// npm in a folder.
pub fn npm(folder: &Path) -> Program {
    let name = if cfg!(windows) { "npm.cmd" } else { "npm" };
    // Packages that bring browsers of their own: tests use the system's.
    Program::new(name).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1").dir(folder)
}
