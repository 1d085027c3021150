//! `cargo xtask bench`: the endpoint and the library under load, beside the closest peer and a bare HTTP server; and the
//! engine in a worker of a browser's tab.
//!
//! What is measured is built from `bench/`, a workspace of its own, and the peer from crates.io at a fixed
//! version. The figures are printed as tables; ratios of one run are worth more than rates.

use std::path::PathBuf;

use crate::binary;
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::process::Program;
use crate::web;

/// The peer: its package, its version, and its program.
const PEER: (&str, &str, &str) = ("dynoxide-rs", "3.2.0", "dynoxide");

/// What is measured in a browser, where no peer is.
const TAB: &str = "tab";
const TAB_SCRIPT: &str = "web/browser/tab-bench.mjs";

struct Measure {
    name: &'static str,
    /// Words for the program that loads.
    run: fn(&Benched) -> Vec<String>,
}

const MEASURES: &[Measure] = &[
    Measure { name: "http", run: |benched| benched.servers("http", "", true) },
    Measure { name: "file", run: |benched| benched.servers("file", "{file}", false) },
    Measure { name: "embedded", run: Benched::libraries },
    Measure { name: "memory", run: |benched| benched.servers("memory", "", false) },
    Measure { name: "size", run: |benched| benched.servers("memory", "{file}", false) },
    Measure { name: "growth", run: |benched| benched.servers("growth", "", false) },
    Measure { name: "stall", run: |benched| benched.servers("stall", "", false) },
];

/// Where the programs are.
struct Benched {
    keyplan: PathBuf,
    peer: PathBuf,
    built: PathBuf,
}

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    let split = arguments.iter().position(|argument| argument.starts_with("--")).unwrap_or(arguments.len());
    let (names, flags) = arguments.split_at(split);
    let known: Vec<&str> = MEASURES.iter().map(|measure| measure.name).chain([TAB]).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::new(format!("no measurement `{unknown}`; there are {}", known.join(", "))));
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let wanted: Vec<&Measure> = MEASURES.iter().filter(|measure| is_wanted(measure.name)).collect();
    if !wanted.is_empty() {
        let benched = build(place)?;
        for measure in wanted {
            println!("\n## {}", measure.name);
            let words = (measure.run)(&benched);
            Program::new(benched.built.join("keyplan-bench-load")).args(words).args(flags).run()?;
        }
    }
    if is_wanted(TAB) { tab(place, flags) } else { Ok(()) }
}

/// The command serves the page's origin, and has the page's engine in it.
fn tab(place: &Place, flags: &[String]) -> Outcome {
    web::packages(place)?;
    binary::build(place)?;
    println!("\n## {TAB}");
    Program::new("node")
        .arg(place.file(TAB_SCRIPT))
        .arg(binary::file(place))
        .args(flags)
        .dir(place.root())
        .run()
}

fn build(place: &Place) -> Outcome<Benched> {
    let target = place.target().join("bench");
    binary::build(place)?;
    for manifest in ["bench/Cargo.toml", "bench/embedded-peer/Cargo.toml"] {
        Program::cargo()
            .args(["build", "--release", "--locked", "--manifest-path", manifest, "--target-dir"])
            .arg(&target)
            .dir(place.root())
            .run()?;
    }
    let (package, version, program) = PEER;
    let root = target.join(format!("{package}-{version}"));
    let peer = root.join("bin").join(program);
    if !peer.is_file() {
        Program::cargo()
            .args(["install", package, "--version", version, "--locked", "--no-default-features"])
            .args(["--features", "native-sqlite,http-server,cli", "--root"])
            .arg(&root)
            .arg("--target-dir")
            .arg(target.join("peer"))
            .dir(place.root())
            .run()?;
    }
    Ok(Benched { keyplan: binary::file(place), peer, built: target.join("release") })
}

impl Benched {
    /// The endpoints: in memory, or on a file where `file` says how a command names it.
    fn servers(&self, what: &str, file: &str, with_floor: bool) -> Vec<String> {
        let on = |flag: &str| if file.is_empty() { String::new() } else { format!(" {flag} {file}") };
        let mut words = vec![what.to_owned()];
        let mut server = |name: &str, command: String| {
            words.extend(["--server".to_owned(), format!("{name}={command}")]);
        };
        let keyplan = self.keyplan.display();
        server("keyplan", format!("{keyplan} serve --port {{port}}{}", on("--db")));
        server("dynoxide", format!("{} --port {{port}}{}", self.peer.display(), on("--db-path")));
        if with_floor {
            server("floor", format!("{} {{port}}", self.built.join("keyplan-bench-floor").display()));
        }
        words
    }

    fn libraries(&self) -> Vec<String> {
        let program = |name: &str, file: &str| format!("{name}={}", self.built.join(file).display());
        let own = program("keyplan", "keyplan-bench-embedded");
        let peer = program("dynoxide", "keyplan-bench-embedded-peer");
        ["embedded", "--server", &own, "--server", &peer].map(str::to_owned).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_with_their_commands() {
        let benched = Benched { keyplan: "k".into(), peer: "p".into(), built: "b".into() };
        assert_eq!(
            benched.servers("http", "", true),
            [
                "http",
                "--server",
                "keyplan=k serve --port {port}",
                "--server",
                "dynoxide=p --port {port}",
                "--server",
                "floor=b/keyplan-bench-floor {port}"
            ]
        );
        let on_a_file = benched.servers("file", "{file}", false);
        assert_eq!(on_a_file[2], "keyplan=k serve --port {port} --db {file}");
        assert_eq!(on_a_file[4], "dynoxide=p --port {port} --db-path {file}");
        assert_eq!(benched.libraries()[4], "dynoxide=b/keyplan-bench-embedded-peer");
    }
}
