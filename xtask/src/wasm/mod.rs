//! `cargo xtask wasm`: the engine for the browser, in `web/engine-pkg/`.
//!
//! Four steps, each skipped when what it reads is unchanged: rustc builds `crates/browser` for
//! wasm32-unknown-unknown (see [`route`] for whose rustc), `wasm-bindgen` writes the JavaScript
//! beside it, `wasm-opt` shrinks the module, Node.js starts the result once. The last is there
//! because an optimiser too old for the module writes one that fails only when it starts.

mod bindgen;
mod optimise;
mod route;
mod sysroot;

use std::fs;
use std::path::PathBuf;

use crate::cache;
use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;
use crate::setup;

/// Where `web/` imports the engine from. Not under version control.
const PACKAGE: &str = "web/engine-pkg";
/// The library's name, and the stem of what is written to [`PACKAGE`].
const NAME: &str = "keyplan_browser";

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("`cargo xtask wasm` takes no `{argument}`")));
    }
    setup::machine()?;
    build(place)
}

/// Builds the module, or finds that it is built.
pub fn build(place: &Place) -> Outcome {
    let bindgen = bindgen::program(place)?;
    let optimiser = optimise::program(place)?;
    let raw_file = compile(place)?;
    let raw = cache::read(&raw_file)?;

    let package = place.file(PACKAGE);
    let name = |what: &str| format!("{NAME}{what}");
    let module = package.join(name("_bg.wasm"));
    // What the present package was made from.
    let stamp_file = package.join(".made-from");
    let stamp = cache::fingerprint([&raw[..], bindgen.version.as_bytes(), optimiser.version.as_bytes()]);
    let present = fs::read_to_string(&stamp_file).is_ok_and(|made_from| made_from == stamp);
    if present && module.is_file() {
        println!("  {PACKAGE} is up to date");
        return Ok(());
    }

    let bound = place.wasm_target().join("bound");
    if bound.exists() {
        fs::remove_dir_all(&bound).when(|| format!("cannot clear {}", bound.display()))?;
    }
    bindgen.bind(&raw_file, &bound, NAME)?;
    let optimised = optimiser.optimise(place, &bound, NAME)?;

    for what in [".js", ".d.ts", "_bg.wasm.d.ts"] {
        let file = name(what);
        cache::write_if_changed(&package.join(&file), &cache::read(&bound.join(&file))?)?;
    }
    cache::write_if_changed(&package.join("package.json"), br#"{ "type": "module" }"#)?;
    let optimised = cache::read(&optimised)?;
    cache::write_if_changed(&module, &optimised)?;
    println!("  {PACKAGE}: {} bytes, {} before wasm-opt", optimised.len(), raw.len());
    prove(place)?;
    cache::write_if_changed(&stamp_file, stamp.as_bytes())
}

fn compile(place: &Place) -> Outcome<PathBuf> {
    let clang = setup::clang_for_wasm()
        .ok_or_else(|| Failure::new("no clang with WebAssembly: run `cargo xtask setup`"))?;
    let toolchain = route::choose(place)?;
    println!("  rustc for the browser: {}", toolchain.label);
    toolchain
        .cargo()
        .args(["build", "--profile", "wasm", "--package", "keyplan-browser", "--lib"])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(place.wasm_target())
        .env("CC_wasm32_unknown_unknown", &clang)
        .env("AR_wasm32_unknown_unknown", setup::llvm_ar(&clang))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", plain_paths(place))
        .without_env("RUSTFLAGS")
        .without_env("CARGO_ENCODED_RUSTFLAGS")
        .dir(place.root())
        .run()?;
    let file = place.wasm_target().join("wasm32-unknown-unknown/wasm").join(format!("{NAME}.wasm"));
    if file.is_file() {
        return Ok(file);
    }
    Err(Failure::new(format!(
        "cargo wrote no {}: `crates/browser` must be a library of crate type cdylib",
        file.display()
    )))
}

/// Panic messages name source files: without the builder's home folder, so that two machines
/// build the same module.
fn plain_paths(place: &Place) -> String {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".cargo"))
    });
    let mut flags = vec![format!("--remap-path-prefix={}=/keyplan", place.root().display())];
    if let Some(cargo_home) = cargo_home {
        flags.push(format!("--remap-path-prefix={}=/cargo", cargo_home.display()));
    }
    // The variable is split at spaces; a path that has one keeps its name in the module.
    flags.retain(|flag| !flag.contains(' '));
    flags.join(" ")
}

/// Starts the finished module once.
fn prove(place: &Place) -> Outcome {
    let start = format!(
        "const {{ initSync }} = await import('./{NAME}.js');
         const {{ readFileSync }} = await import('node:fs');
         initSync({{ module: readFileSync('./{NAME}_bg.wasm') }});"
    );
    let node = Program::new("node").args(["--input-type=module", "--eval", &start]);
    node.dir(place.file(PACKAGE))
        .output()
        .map(|_| ())
        .when(|| "the optimised module does not start".to_owned())
}
