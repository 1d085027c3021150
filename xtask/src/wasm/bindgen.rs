//! The JavaScript beside the module, written by `xtask/wasm-bindgen`: a crate of its own lock,
//! built once a machine and a version.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache;
use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;

const CRATE: &str = "xtask/wasm-bindgen";
const PROGRAM: &str = "keyplan-wasm-bindgen";

pub struct Bindgen {
    /// Changes with anything that its output depends on.
    pub version: String,
    program: PathBuf,
}

pub fn program(place: &Place) -> Outcome<Bindgen> {
    let manifest = place.file(&format!("{CRATE}/Cargo.toml"));
    let lock = cache::read_text(&manifest.with_file_name("Cargo.lock"))?;
    let source = cache::read(&manifest.with_file_name("src").join("main.rs"))?;
    let ours = locked(&lock, "wasm-bindgen-cli-support")
        .ok_or_else(|| Failure::new(format!("{CRATE}/Cargo.lock has no wasm-bindgen")))?;
    same_version(&cache::read_text(&place.file("Cargo.lock"))?, ours)?;

    let version = format!("{ours}-{}", cache::fingerprint([lock.as_bytes(), &source]));
    let file = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let entry = cache::once(place, &format!("wasm-bindgen-{version}"), |folder| {
        println!("Building wasm-bindgen, once on this machine");
        let target = folder.join("target");
        Program::cargo()
            .args(["build", "--release", "--locked", "--manifest-path"])
            .arg(&manifest)
            .arg("--target-dir")
            .arg(&target)
            .run()?;
        fs::rename(target.join("release").join(&file), folder.join(&file))
            .when(|| format!("cargo wrote no {file}"))?;
        fs::remove_dir_all(&target).when(|| format!("cannot remove {}", target.display()))
    })?;
    Ok(Bindgen { version, program: entry.join(file) })
}

impl Bindgen {
    /// Writes `NAME.js`, `NAME.d.ts` and `NAME_bg.wasm` to a folder.
    pub fn bind(&self, module: &Path, folder: &Path, name: &str) -> Outcome {
        Program::new(&self.program).arg(module).arg(folder).arg(name).run()
    }
}

/// The library and the program speak a private format: they must be of one version.
fn same_version(workspace_lock: &str, ours: &str) -> Outcome {
    match locked(workspace_lock, "wasm-bindgen") {
        Some(theirs) if theirs != ours => Err(Failure::new(format!(
            "the workspace locks wasm-bindgen {theirs}, {CRATE} locks {ours}: set \
             `wasm-bindgen = \"={ours}\"` in crates/browser, or move both on together"
        ))),
        _ => Ok(()),
    }
}

/// The version of a package in a Cargo.lock.
fn locked<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == name)?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"0.1.0\"\n\n\
                        [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";

    #[test]
    fn the_locked_version_is_of_the_very_package() {
        assert_eq!(locked(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked(LOCK, "serde"), None);
    }

    #[test]
    fn two_versions_are_refused_with_what_to_do() {
        assert!(same_version(LOCK, "0.2.130").is_ok());
        assert!(same_version("", "0.2.130").is_ok(), "a workspace without it is no mistake");
        let refused = same_version(LOCK, "0.2.131").expect_err("they differ").to_string();
        assert!(refused.contains("=0.2.131") && refused.contains("crates/browser"), "{refused}");
    }
}
