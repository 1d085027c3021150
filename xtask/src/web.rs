//! The page's own tools: its npm packages, its checks, its build.

use std::fs;
use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;
use crate::{setup, wasm};

/// Folders of `web/` that the page is not built from.
const NO_SOURCES: [&str; 5] = ["node_modules", "dist", "packed", "test", "browser"];

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
    if exists(place) { install(&place.file("web")) } else { Ok(()) }
}

/// Installs the packages that a folder's `package-lock.json` fixes, if that has changed.
pub fn install(folder: &Path) -> Outcome {
    let lock = cache::read(&folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules/.installed-from");
    let wanted = cache::fingerprint([&lock[..]]);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    npm(folder).args(["ci", "--no-audit", "--no-fund"]).run()?;
    cache::write_if_changed(&stamp, wanted.as_bytes())
}

/// Builds the page, and packs it for the command, unless `web/dist/` was made from just these files: a new one, even with the
/// same in it, would make the command that embeds it be linked again.
pub fn build(place: &Place) -> Outcome {
    let stamp = place.file("web/node_modules/.built-from");
    let made_from = sources(place)?;
    let built = place.file("web/dist").is_dir() && place.file("web/packed").is_dir();
    if built && fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == made_from) {
        println!("  web/dist is up to date");
        return Ok(());
    }
    script(place).args(["run", "build"]).run()?;
    cache::write_if_changed(&stamp, made_from.as_bytes())
}

/// What the page's checks and completion are made of, beside its own sources (web/service-shapes.config.ts).
const SHAPES: &str = "crates/engine/shapes";
const RESERVED: &str = "crates/expression/src/reserved.rs";

/// A fingerprint of what the page is built from.
fn sources(place: &Place) -> Outcome<String> {
    let mut folders = vec![place.file("web"), place.file(SHAPES)];
    let mut parts = vec![cache::read(&place.file(RESERVED))?];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).when(|| format!("cannot list {}", folder.display()))?;
        let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            let is_source =
                entry.file_name().is_none_or(|name| NO_SOURCES.iter().all(|no_source| name != *no_source));
            if entry.is_dir() && is_source {
                folders.push(entry);
            } else if entry.is_file() {
                parts.push(entry.to_string_lossy().into_owned().into_bytes());
                parts.push(cache::read(&entry)?);
            }
        }
    }
    Ok(cache::fingerprint(parts.iter().map(Vec::as_slice)))
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
