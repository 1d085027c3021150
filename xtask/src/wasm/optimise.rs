//! The module made smaller and quicker by `wasm-opt`, whose npm package `xtask/binaryen` pins:
//! Debian's version 108 writes modules that fail at their start. It takes a minute, so its
//! output is kept in the cache, by what it was made from.

use std::path::{Path, PathBuf};

use crate::cache;
use crate::failure::Outcome;
use crate::place::Place;
use crate::process::Program;

const PACKAGE: &str = "xtask/binaryen";
const LEVEL: &str = "-Oz";
/// How many optimised modules the cache keeps.
const KEPT: usize = 8;
/// Before the fingerprint in the name of a cache entry.
const ENTRY: &str = "wasm-optimised-";

pub struct Optimiser {
    /// Changes with anything that its output depends on.
    pub version: String,
    program: PathBuf,
}

pub fn program(place: &Place) -> Outcome<Optimiser> {
    let files = ["package.json", "package-lock.json", ".npmrc"];
    let lock = cache::read(&place.file(&format!("{PACKAGE}/package-lock.json")))?;
    let version = cache::fingerprint([&lock[..], LEVEL.as_bytes()]);
    let entry = cache::once(place, &format!("binaryen-{version}"), |folder| {
        println!("Fetching wasm-opt, once on this machine");
        for file in files {
            let pinned = cache::read(&place.file(&format!("{PACKAGE}/{file}")))?;
            cache::write_if_changed(&folder.join(file), &pinned)?;
        }
        crate::web::npm(folder).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).run()
    })?;
    Ok(Optimiser { version, program: entry.join("node_modules/binaryen/bin/wasm-opt") })
}

impl Optimiser {
    /// The optimised form of `NAME_bg.wasm` in a folder.
    pub fn optimise(&self, place: &Place, folder: &Path, name: &str) -> Outcome<PathBuf> {
        let input = folder.join(format!("{name}_bg.wasm"));
        let from = cache::fingerprint([&cache::read(&input)?[..], self.version.as_bytes()]);
        let entry = cache::once(place, &format!("{ENTRY}{from}"), |entry| {
            Program::new("node")
                .arg(&self.program)
                .arg(LEVEL)
                .arg(&input)
                .arg("-o")
                .arg(entry.join("module.wasm"))
                .run()
        })?;
        cache::prune(place, ENTRY, KEPT)?;
        Ok(entry.join("module.wasm"))
    }
}
