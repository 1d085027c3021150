//! Whose rustc builds for wasm32-unknown-unknown.
//!
//! In this order: the active toolchain, if the standard library for wasm32 is installed;
//! on Debian the compiler that Debian packages for its browsers, in a private folder of the
//! cache, with a standard library built there once (see [`super::sysroot`]); else
//! `rustup target add`. `KEYPLAN_WASM_ROUTE=rustup|debian|rustup-add` names one.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use super::sysroot;
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::process::Program;

pub const TARGET: &str = "wasm32-unknown-unknown";
const CHOICE: &str = "KEYPLAN_WASM_ROUTE";

/// A cargo that can build for the browser.
pub struct Toolchain {
    /// For the person at the terminal.
    pub label: String,
    pub program: Option<PathBuf>,
    pub environment: Vec<(&'static str, OsString)>,
    /// A flag for rustc that changes with the standard library. Cargo tells compilers apart by
    /// their version, and would go on with crates that a library no longer there was built for.
    pub mark: Option<String>,
}

impl Toolchain {
    pub fn cargo(&self) -> Program {
        let program = self.program.as_ref().map_or_else(Program::cargo, Program::new);
        self.environment.iter().fold(program, |program, (name, value)| program.env(name, value))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Rustup,
    Debian,
    RustupAdd,
}

pub fn choose(place: &Place) -> Outcome<Toolchain> {
    let named = match env::var(CHOICE) {
        Ok(name) => Some(parse(&name)?),
        Err(_) => None,
    };
    let route = named.unwrap_or_else(|| first_open(active_has_target(), sysroot::is_possible(place)));
    match route {
        Route::Rustup if active_has_target() => Ok(active()),
        Route::Rustup => Err(Failure::new(format!(
            "{CHOICE}=rustup, but the active toolchain has no {TARGET}: \
             run `rustup target add {TARGET}`"
        ))),
        Route::Debian => sysroot::toolchain(place),
        Route::RustupAdd => {
            Program::new("rustup").args(["target", "add", TARGET]).run().map_err(|failure| {
                Failure::new(format!(
                    "{failure}\nThe engine for the browser needs a Rust with {TARGET}: one of\n  \
                     - rustup that can download it,\n  \
                     - a system package of Rust that has it,\n  \
                     - Debian, as root, where this command builds it from Debian's packages."
                ))
            })?;
            Ok(active())
        }
    }
}

fn parse(name: &str) -> Outcome<Route> {
    match name {
        "rustup" => Ok(Route::Rustup),
        "debian" => Ok(Route::Debian),
        "rustup-add" => Ok(Route::RustupAdd),
        other => Err(Failure::new(format!("{CHOICE}={other}: it takes rustup, debian or rustup-add"))),
    }
}

fn first_open(has_target: bool, debian: bool) -> Route {
    match (has_target, debian) {
        (true, _) => Route::Rustup,
        (false, true) => Route::Debian,
        (false, false) => Route::RustupAdd,
    }
}

fn active() -> Toolchain {
    Toolchain { label: "the active toolchain".to_owned(), program: None, environment: Vec::new(), mark: None }
}

/// Whether the compiler that cargo calls has the standard library for the browser.
fn active_has_target() -> bool {
    let print = ["--print", "target-libdir", "--target", TARGET];
    let Ok(folder) = Program::new("rustc").args(print).output() else {
        return false;
    };
    let Ok(files) = std::fs::read_dir(folder.trim()) else {
        return false;
    };
    files.flatten().any(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_target_comes_first_and_a_download_last() {
        assert_eq!(first_open(true, true), Route::Rustup);
        assert_eq!(first_open(false, true), Route::Debian);
        assert_eq!(first_open(false, false), Route::RustupAdd);
    }

    #[test]
    fn a_route_can_be_named_and_a_wrong_name_is_refused() {
        assert_eq!(parse("debian").ok(), Some(Route::Debian));
        assert_eq!(parse("rustup").ok(), Some(Route::Rustup));
        assert_eq!(parse("rustup-add").ok(), Some(Route::RustupAdd));
        let refused = parse("brew").expect_err("no such route");
        assert!(refused.to_string().contains("rustup, debian or rustup-add"), "{refused}");
    }
}
