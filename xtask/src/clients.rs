//! The AWS clients that tests run: a Python environment of their own, kept in the cache, and npm
//! packages beside their tests, where Node.js looks for them.

use std::fs;
use std::path::PathBuf;

use crate::cache;
use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;
use crate::{binary, setup, web};

const TESTS: &str = "conformance/clients/python";
const NODE_TESTS: &str = "conformance/clients/javascript";
const NODE_TEST_ENDING: &str = ".test.mjs";
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

/// Installs what the tests in JavaScript import.
pub fn node_packages(place: &Place) -> Outcome {
    web::install(&place.file(NODE_TESTS))
}

/// Node's own test runner on the clients' tests, against the endpoint at an address.
pub fn node_tests(place: &Place, url: &str) -> Outcome<Program> {
    let folder = place.file(NODE_TESTS);
    let entries = fs::read_dir(&folder).when(|| format!("cannot list {}", folder.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut tests: Vec<_> = names.filter(|name| name.ends_with(NODE_TEST_ENDING)).collect();
    tests.sort();
    Ok(Program::new("node")
        .args(["--test", "--test-reporter=spec"])
        .args(tests)
        .env("AWS_ENDPOINT_URL", url)
        .env("KEYPLAN_BINARY", binary::file(place))
        .env("AWS_REGION", "eu-west-2")
        .env("AWS_ACCESS_KEY_ID", "any")
        .env("AWS_SECRET_ACCESS_KEY", "any")
        .env("AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED", "true")
        .dir(folder))
}

/// An empty folder for the data of an endpoint on a file.
pub fn data_folder(place: &Place) -> Outcome<PathBuf> {
    let folder = place.target().join("clients-data");
    if folder.exists() {
        fs::remove_dir_all(&folder).when(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).when(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
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
