//! The AWS clients that tests run: a Python environment of their own, kept in the cache.

use std::fs;
use std::path::PathBuf;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::process::Program;
use crate::setup;

const TESTS: &str = "conformance/clients/python";
const TAB_ENDPOINT: &str = "tab-endpoint";

pub fn exists(place: &Place) -> bool {
    place.file(TESTS).is_dir()
}

/// pytest on the clients' tests.
pub fn pytest(place: &Place) -> Outcome<Program> {
    let python = environment(place)?;
    // Nothing is written into the work tree.
    Ok(Program::new(python)
        .args(["-m", "pytest", "-p", "no:cacheprovider", TESTS])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .dir(place.root()))
}

/// The Python of an environment with the packages that `requirements.txt` fixes.
fn environment(place: &Place) -> Outcome<PathBuf> {
    let requirements = place.file(&format!("{TESTS}/requirements.txt"));
    let python =
        setup::python().ok_or_else(|| Failure::new("no Python 3 with venv: run `cargo xtask setup`"))?;
    let version =
        Program::new(&python).args(["-c", "import sys; print(sys.version, sys.executable)"]).output()?;
    let name = cache::fingerprint([&cache::read(&requirements)?[..], version.as_bytes()]);
    let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let entry = cache::once(place, &format!("python-clients-{name}"), |folder| {
        println!("Installing the Python clients, once on this machine");
        Program::new(&python).args(["-m", "venv"]).arg(folder).run()?;
        // By `-m`, since the environment's own programs name the folder they were made in.
        Program::new(folder.join(inside))
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(&requirements)
            .run()
    })?;
    Ok(entry.join(inside))
}

/// The endpoint on a browser's tab, built.
pub fn tab_endpoint(place: &Place) -> Outcome<PathBuf> {
    Program::cargo().args(["build", "--package", TAB_ENDPOINT]).dir(place.root()).run()?;
    let file = format!("{TAB_ENDPOINT}{}", std::env::consts::EXE_SUFFIX);
    let built = place.target().join("debug").join(file);
    fs::metadata(&built)
        .map(|_| built.clone())
        .map_err(|error| Failure::new(format!("cargo wrote no {}: {error}", built.display())))
}

/// `cargo xtask tab-endpoint`: becomes the endpoint, whose first line tells its address.
pub fn run_tab_endpoint(place: &Place, arguments: &[String]) -> Outcome {
    Program::cargo()
        .args(["run", "--quiet", "--package", TAB_ENDPOINT, "--"])
        .args(arguments)
        .dir(place.root())
        .become_it()
}
