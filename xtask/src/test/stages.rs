//! The stages of `cargo xtask test`, in their order.

use super::Run;
use super::count::{Count, Runner};
use crate::endpoint::Endpoint;
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::process::Program;
use crate::{binary, clients, content, instructions, tidy, wasm, web};

pub struct Stage {
    pub name: &'static str,
    pub summary: &'static str,
    /// Whether the work tree has what the stage is about.
    pub present: fn(&Place) -> bool,
    pub run: fn(&Run, &mut Count) -> Outcome,
}

pub const STAGES: &[Stage] = &[
    Stage { name: "format", summary: "the layout of Rust's sources", present: always, run: format },
    Stage { name: "tidy", summary: "the house rules", present: always, run: house_rules },
    Stage { name: "clippy", summary: "lints, as errors", present: always, run: clippy },
    Stage { name: "rust", summary: "unit and integration tests", present: always, run: rust },
    Stage {
        name: "docs",
        summary: "examples in the documentation, and its links",
        present: always,
        run: docs,
    },
    Stage {
        name: "content",
        summary: "what lessons and models state is what the engine does",
        present: always,
        run: proof,
    },
    Stage { name: "wasm", summary: "the engine for the browser", present: has_browser, run: engine },
    Stage {
        name: "web",
        summary: "the page: types, layout, unit tests, build",
        present: web::exists,
        run: page,
    },
    Stage {
        name: "binary",
        summary: "the command, with the page in it",
        present: binary::exists,
        run: command,
    },
    Stage {
        name: "instructions",
        summary: "what the hot paths take, against what is written down",
        present: binary::exists,
        run: hot_paths,
    },
    Stage { name: "browser", summary: "the page in Chromium", present: has_browser_tests, run: browser },
    Stage {
        name: "conformance",
        summary: "the service's behaviour: in process, natively over HTTP, and in a tab",
        present: has_conformance,
        run: conformance,
    },
    Stage {
        name: "clients",
        summary: "AWS SDKs and the libraries on them, natively and in a tab",
        present: clients::exists,
        run: real_clients,
    },
    Stage {
        name: "rust-sdk",
        summary: "the AWS SDK for Rust: over HTTP, and in process",
        present: has_aws,
        run: rust_sdk,
    },
];

fn always(_: &Place) -> bool {
    true
}

fn has_browser(place: &Place) -> bool {
    place.file("crates/browser/Cargo.toml").is_file()
}

fn has_browser_tests(place: &Place) -> bool {
    place.file("web/browser").read_dir().is_ok_and(|mut tests| tests.next().is_some())
}

fn has_conformance(place: &Place) -> bool {
    place.file("conformance/cases").read_dir().is_ok_and(|mut cases| cases.next().is_some())
}

fn has_aws(place: &Place) -> bool {
    place.file(AWS).is_file()
}

/// The workspace of what is built with the AWS SDK for Rust.
const AWS: &str = "crates/keyplan-aws/Cargo.toml";

/// Cargo on the workspace, with the lock as it is.
fn cargo(run: &Run, command: &str) -> Program {
    Program::cargo().arg(command).arg("--locked").dir(run.place.root())
}

/// Runs a suite and adds what it counts. A suite that runs nothing has lost its tests.
fn counted(program: Program, runner: Runner, count: &mut Count) -> Outcome {
    let mut own = Count::default();
    let outcome = program.run_reading(|line| own += runner.read(line));
    *count += own;
    outcome?;
    if own == Count::default() {
        return Err(Failure::new("it ended well, but ran no test"));
    }
    Ok(())
}

fn format(run: &Run, _: &mut Count) -> Outcome {
    for manifest in [
        "Cargo.toml",
        "bench/Cargo.toml",
        "bench/embedded-peer/Cargo.toml",
        "fuzz/run/Cargo.toml",
        "xtask/wasm-bindgen/Cargo.toml",
    ] {
        Program::cargo()
            .args(["fmt", "--all", "--check", "--manifest-path", manifest])
            .dir(run.place.root())
            .run()
            .map_err(|failure| {
                Failure::new(format!("{failure}; `cargo fmt --all --manifest-path {manifest}` puts it right"))
            })?;
    }
    Ok(())
}

fn house_rules(run: &Run, _: &mut Count) -> Outcome {
    tidy::run(run.place, &[])
}

fn clippy(run: &Run, _: &mut Count) -> Outcome {
    cargo(run, "clippy")
        .args(["--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])
        .run()
}

fn rust(run: &Run, count: &mut Count) -> Outcome {
    // These are built by `cargo xtask fuzz` and `cargo xtask bench` alone; that their locks still fit is seen here.
    for manifest in ["fuzz/run/Cargo.toml", "bench/Cargo.toml", "bench/embedded-peer/Cargo.toml"] {
        Program::cargo()
            .args(["fetch", "--locked", "--manifest-path", manifest])
            .dir(run.place.root())
            .run()?;
    }
    let tests = cargo(run, "test")
        .args(["--workspace", "--all-features", "--no-fail-fast"])
        .args(["--lib", "--bins", "--tests"]);
    counted(at_length(run, tests), Runner::Cargo, count)
}

/// With `--long`, property tests try many more inputs, and suites that ask for it go further.
fn at_length(run: &Run, program: Program) -> Program {
    if run.long { program.env("PROPTEST_CASES", "4096").env("KEYPLAN_LONG_TESTS", "1") } else { program }
}

fn docs(run: &Run, count: &mut Count) -> Outcome {
    let examples = cargo(run, "test").args(["--workspace", "--all-features", "--doc"]);
    counted(examples, Runner::Cargo, count)?;
    cargo(run, "doc")
        .args(["--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "--deny warnings")
        .run()
}

fn proof(run: &Run, count: &mut Count) -> Outcome {
    counted(content::proof(run.place), Runner::Plain, count)
}

fn engine(run: &Run, _: &mut Count) -> Outcome {
    wasm::build(run.place)
}

fn page(run: &Run, count: &mut Count) -> Outcome {
    web::packages(run.place)?;
    web::script(run.place).args(["run", "check"]).run()?;
    counted(web::script(run.place).args(["run", "test"]).env("CI", "true"), Runner::Vitest, count)?;
    web::build(run.place)
}

fn command(run: &Run, _: &mut Count) -> Outcome {
    binary::build_with_page(run.place)
}

fn hot_paths(run: &Run, _: &mut Count) -> Outcome {
    instructions::run(run.place, &[])
}

fn browser(run: &Run, count: &mut Count) -> Outcome {
    binary::build_with_page(run.place)?;
    let mut tests = web::script(run.place)
        .args(["run", "test:browser"])
        .env("CI", "true")
        .env("KEYPLAN_BINARY", binary::file(run.place))
        .env("KEYPLAN_LESSONS_RECORD", content::record(run.place)?);
    if wasm::has_kit(run.place) {
        tests = tests.env("KEYPLAN_KIT_PACKAGE", wasm::build_kit(run.place)?);
    }
    counted(at_length(run, tests), Runner::Vitest, count)
}

fn conformance(run: &Run, count: &mut Count) -> Outcome {
    binary::build_with_page(run.place)?;
    let keyplan = || Program::new(binary::file(run.place)).dir(run.place.root());
    // Through the library, and the report is whole.
    counted(keyplan().arg("conformance"), Runner::Plain, count)?;
    let tab_endpoint = Program::new(clients::tab_endpoint(run.place)?).dir(run.place.root());
    for endpoint in [keyplan().args(["serve", "--port", "0"]), tab_endpoint.args(["--port", "0"])] {
        let endpoint = Endpoint::start(endpoint)?;
        let cases = keyplan().args(["conformance", "--endpoint", &endpoint.url]);
        counted(cases, Runner::Plain, count)?;
    }
    Ok(())
}

fn real_clients(run: &Run, count: &mut Count) -> Outcome {
    binary::build_with_page(run.place)?;
    let tab_endpoint = clients::tab_endpoint(run.place)?;
    clients::node_packages(run.place)?;
    let tests = clients::pytest(run.place)?
        .env("KEYPLAN_BINARY", binary::file(run.place))
        .env("KEYPLAN_TAB_ENDPOINT", &tab_endpoint);
    counted(at_length(run, tests), Runner::Pytest, count)?;

    let serve = || Program::new(binary::file(run.place)).args(["serve", "--port", "0"]).dir(run.place.root());
    let file = clients::data_folder(run.place)?.join("clients.db");
    let in_tab = Program::new(tab_endpoint).args(["--port", "0"]).dir(run.place.root());
    for endpoint in [serve(), serve().arg("--db").arg(file), in_tab] {
        let endpoint = Endpoint::start(endpoint)?;
        counted(clients::node_tests(run.place, &endpoint.url)?, Runner::Node, count)?;
    }
    Ok(())
}

/// The closing line of `fifty_databases` says how long fifty tests with databases of their own take.
fn rust_sdk(run: &Run, count: &mut Count) -> Outcome {
    binary::build_with_page(run.place)?;
    let serve = Program::new(binary::file(run.place)).dir(run.place.root());
    let endpoint = Endpoint::start(serve.args(["serve", "--port", "0"]))?;
    let aws = |command| cargo(run, command).args(["--manifest-path", AWS, "--workspace", "--release"]);
    aws("clippy").args(["--all-targets", "--", "--deny", "warnings"]).run()?;
    counted(aws("test").env("KEYPLAN_ENDPOINT", &endpoint.url), Runner::Cargo, count)
}
