//! The Debian route: a rustc for the browser from Debian's packages alone.
//!
//! Debian ships a recent Rust for building browsers (`rustc-web`), without a standard library
//! for wasm32 and in conflict with rustup. So its packages are unpacked into a private folder,
//! never installed, and the standard library is built there from Debian's source of it. Once a
//! machine and a version: about two minutes, and 700 MB of cache.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::route::{TARGET, Toolchain};
use crate::cache;
use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::{Program, on_path};
use crate::setup::{candidate, fresh_lists, is_root, text_of};

const COMPILER: &str = "rustc-web";
const SOURCE: &str = "rust-web-src";
/// What the route is made of; the rest follows from what these depend on.
const ROOTS: [&str; 3] = [COMPILER, "cargo-web", SOURCE];
/// Beside the standard library: its fingerprint.
const MARK: &str = "fingerprint";
/// Before the version in the name of a cache entry.
const ENTRY: &str = "wasm-sysroot-";

/// Whether this machine has the packages, or has what was made of them.
pub fn is_possible(place: &Place) -> bool {
    on_path("dpkg-deb").is_some() && (cached(place).is_some() || (is_root() && version().is_some()))
}

pub fn toolchain(place: &Place) -> Outcome<Toolchain> {
    let entry = match cached(place) {
        Some(entry) => entry,
        None => {
            let version = version()
                .ok_or_else(|| Failure::new(format!("this machine's package lists have no {COMPILER}")))?;
            cache::once(place, &entry_name(&version), build)?
        }
    };
    Unpacked::find(&entry)?.toolchain()
}

/// What was built for the version that the lists offer, or, where they are gone, the last built.
fn cached(place: &Place) -> Option<PathBuf> {
    if let Some(version) = candidate(COMPILER) {
        let entry = place.cache().join(entry_name(&version));
        return entry.is_dir().then_some(entry);
    }
    let entries = fs::read_dir(place.cache()).ok()?.flatten().map(|entry| entry.path());
    entries
        .filter(|path| path.is_dir() && path.extension().is_none_or(|end| end != "unfinished"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(ENTRY)))
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
}

fn entry_name(version: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{ENTRY}{}", version.chars().map(safe).collect::<String>())
}

/// The version on offer, from fresh lists: an old list names files that are gone.
fn version() -> Option<String> {
    // Without lists that can be refreshed, those that are there decide.
    let _ = fresh_lists();
    candidate(COMPILER)
}

fn build(folder: &Path) -> Outcome {
    println!("Building a standard library for the browser, once on this machine");
    let packages = packages()?;
    Program::new("apt-get")
        .args(["download", "-q", "-o", "APT::Sandbox::User=root"])
        .args(&packages)
        .dir(folder)
        .run()?;
    let files = fs::read_dir(folder).when(|| format!("cannot list {}", folder.display()))?;
    let archives: Vec<PathBuf> = files
        .flatten()
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|end| end == "deb"))
        .collect();
    for archive in archives {
        Program::new("dpkg-deb").arg("-x").args([archive.as_path(), folder]).output()?;
        fs::remove_file(&archive).when(|| format!("cannot remove {}", archive.display()))?;
    }
    standard_library(folder)?;
    // Half of what was unpacked, and of no use from here on.
    for spent in ["usr/src", "usr/share"] {
        let spent = folder.join(spent);
        fs::remove_dir_all(&spent).when(|| format!("cannot remove {}", spent.display()))?;
    }
    Ok(())
}

/// The packages to unpack: those of the route itself, whether installed or not, and whatever
/// else this machine lacks for them.
fn packages() -> Outcome<BTreeSet<String>> {
    let mut own = BTreeSet::new();
    let mut ask: Vec<String> = ROOTS.map(str::to_owned).into();
    while let Some(package) = ask.pop() {
        let depends = text_of("apt-cache", &["depends", &package]).unwrap_or_default();
        ask.extend(of_the_route(&depends).filter(|name| !own.contains(name)));
        own.insert(package);
    }
    let linker = linker_package(&own).ok_or_else(|| {
        Failure::new(format!("{COMPILER} names no libllvm: cannot tell which lld it links with"))
    })?;
    own.insert(linker);

    let mut simulate = vec!["install", "--simulate", "--no-install-recommends"];
    simulate.extend(own.iter().map(String::as_str));
    let simulated = text_of("apt-get", &simulate)
        .ok_or_else(|| Failure::new("apt-get cannot tell what the compiler depends on"))?;
    let lacking: Vec<String> = would_be_installed(&simulated).collect();
    own.extend(lacking);
    Ok(own)
}

/// The packages of Rust and LLVM that `apt-cache depends` lists.
fn of_the_route(depends: &str) -> impl Iterator<Item = String> {
    depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .filter(|name| ["libstd-rust", "libllvm"].iter().any(|kind| name.starts_with(kind)))
        .map(str::to_owned)
}

/// The lld of the LLVM that rustc is built on.
fn linker_package(packages: &BTreeSet<String>) -> Option<String> {
    let llvm = packages.iter().find_map(|name| name.strip_prefix("libllvm"))?;
    Some(format!("lld-{llvm}"))
}

fn would_be_installed(simulated: &str) -> impl Iterator<Item = String> {
    simulated
        .lines()
        .filter_map(|line| line.strip_prefix("Inst "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
}

/// Builds the standard library and puts it where rustc looks for one, so that a plain
/// `cargo build --target` finds it from then on.
fn standard_library(folder: &Path) -> Outcome {
    let scratch = folder.join("build");
    cache::write_if_changed(
        &scratch.join("Cargo.toml"),
        b"[package]\nname = \"std-builder\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n",
    )?;
    cache::write_if_changed(&scratch.join("src/lib.rs"), b"#![no_std]\n")?;
    let unpacked = Unpacked::find(folder)?;
    let compiler = unpacked.toolchain()?;
    compiler
        .cargo()
        .args(["build", "--release", "--target", TARGET, "-Zbuild-std=std,panic_abort"])
        .arg("--target-dir")
        .arg(scratch.join("target"))
        .env("RUSTC_BOOTSTRAP", "1")
        // Fat LTO in the crates that use it needs the bitcode.
        .env("RUSTFLAGS", format!("-Cembed-bitcode=yes {}", super::plain_paths(folder, "/rust")))
        .without_env("CARGO_ENCODED_RUSTFLAGS")
        .dir(&scratch)
        .run()?;
    let built = scratch.join("target").join(TARGET).join("release/deps");
    let library = folder.join("usr/lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&library).when(|| format!("cannot make {}", library.display()))?;
    let files = fs::read_dir(&built).when(|| format!("cannot list {}", built.display()))?;
    for file in files.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libstd_builder") {
            fs::copy(file.path(), library.join(&name)).when(|| format!("cannot copy {name}"))?;
        }
    }
    cache::write_if_changed(&library.join(MARK), fingerprint(&library)?.as_bytes())?;
    fs::remove_dir_all(&scratch).when(|| format!("cannot remove {}", scratch.display()))
}

/// A short name for a built standard library.
fn fingerprint(library: &Path) -> Outcome<String> {
    let files = fs::read_dir(library).when(|| format!("cannot list {}", library.display()))?;
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    let contents = files.iter().map(|file| cache::read(file)).collect::<Outcome<Vec<_>>>()?;
    Ok(cache::fingerprint(contents.iter().map(Vec::as_slice)))
}

/// The unpacked packages.
struct Unpacked {
    usr: PathBuf,
    libraries: PathBuf,
    linker: PathBuf,
}

impl Unpacked {
    fn find(folder: &Path) -> Outcome<Self> {
        let usr = folder.join("usr");
        let incomplete =
            || Failure::new(format!("{} is incomplete: remove it and try again", folder.display()));
        let below = |within: &Path, wanted: fn(&str) -> bool| {
            let entries = fs::read_dir(within).ok()?.flatten().map(|entry| entry.path());
            entries
                .into_iter()
                .find(|path| path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())))
        };
        let lib = usr.join("lib");
        let libraries = below(&lib, |name| name.contains("-linux-")).ok_or_else(incomplete)?;
        let llvm = below(&lib, |name| name.starts_with("llvm-")).ok_or_else(incomplete)?;
        let linker = llvm.join("bin/wasm-ld");
        if !linker.is_file() || !usr.join("bin/rustc").is_file() {
            return Err(incomplete());
        }
        Ok(Self { usr, libraries, linker })
    }

    fn toolchain(&self) -> Outcome<Toolchain> {
        let bin = self.usr.join("bin");
        let mut path = vec![bin.clone()];
        if let Some(present) = std::env::var_os("PATH") {
            path.extend(std::env::split_paths(&present));
        }
        let path = std::env::join_paths(path).when(|| "the PATH cannot be extended".to_owned())?;
        let text = |file: PathBuf| -> OsString { file.into() };
        let mark = self.usr.join("lib/rustlib").join(TARGET).join("lib").join(MARK);
        let mark = fs::read_to_string(mark).ok();
        Ok(Toolchain {
            label: "Debian's, from the cache".to_owned(),
            program: Some(bin.join("cargo")),
            environment: vec![
                ("PATH", path),
                ("RUSTC", text(bin.join("rustc"))),
                ("LD_LIBRARY_PATH", text(self.libraries.clone())),
                ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", text(self.linker.clone())),
            ],
            mark: mark.map(|mark| format!("--cfg=standard_library=\"{mark}\"")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_route_follows_rust_and_llvm_and_nothing_else() {
        let depends = "rustc-web\n  Depends: libc6\n  Depends: libstd-rust-web-dev\n \
                       |Depends: clang\n  Depends: libllvm22\n  Conflicts: rustc\n";
        let names: Vec<String> = of_the_route(depends).collect();
        assert_eq!(names, ["libstd-rust-web-dev", "libllvm22"]);
    }

    #[test]
    fn the_linker_has_the_version_of_llvm() {
        let packages = ["cargo-web", "libllvm22"].map(str::to_owned).into();
        assert_eq!(linker_package(&packages).as_deref(), Some("lld-22"));
        assert_eq!(linker_package(&BTreeSet::new()), None);
    }

    #[test]
    fn a_simulation_tells_what_is_lacking() {
        let simulated = "Reading lists...\nRemv rustc [1.63]\nInst libgit2-1.5 (1.5.1 Debian)\n\
                         Conf libgit2-1.5 (1.5.1 Debian)\n";
        let names: Vec<String> = would_be_installed(simulated).collect();
        assert_eq!(names, ["libgit2-1.5"]);
    }

    #[test]
    fn a_version_becomes_a_folders_name() {
        assert_eq!(entry_name("1.96.0+dfsg1-1~deb12u2"), "wasm-sysroot-1.96.0-dfsg1-1-deb12u2");
    }
}
