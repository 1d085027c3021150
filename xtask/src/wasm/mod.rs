//! `cargo xtask wasm`: the engine for the browser, in `web/engine-pkg/`: the module that every page starts, and the
//! one with SQLite in it, which a page asks for when it opens a database file.
//!
//! Four steps each, each skipped when what it reads is unchanged: rustc builds `crates/browser` for
//! wasm32-unknown-unknown (see [`route`] for whose rustc), `wasm-bindgen` writes the JavaScript
//! beside it, `wasm-opt` shrinks the module, Node.js starts the result once. The last is there
//! because an optimiser too old for the module writes one that fails only when it starts.

mod bindgen;
mod optimise;
mod route;
mod sysroot;

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache;
use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;
use crate::setup;

/// Where `web/` imports the engine from. Not under version control.
const PACKAGE: &str = "web/engine-pkg";
/// The library's name.
const LIBRARY: &str = "keyplan_browser";
/// So that Node.js, too, takes the JavaScript for a module.
const PACKAGE_JSON: &[u8] = br#"{ "type": "module" }"#;

/// Parts of SQLite that sqlite-wasm-rs builds by default and no store uses: full text, spatial
/// indexes, sessions, JSON, UTF-16, hooks and the tables that describe a database's inside.
const SQLITE_LEFT_OUT: &str = "-USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE -USQLITE_ENABLE_SESSION \
    -USQLITE_ENABLE_PREUPDATE_HOOK -USQLITE_ENABLE_BYTECODE_VTAB -USQLITE_ENABLE_DBPAGE_VTAB \
    -USQLITE_ENABLE_DBSTAT_VTAB -USQLITE_ENABLE_STMTVTAB -USQLITE_ENABLE_MATH_FUNCTIONS \
    -USQLITE_ENABLE_OFFSET_SQL_FUNC -USQLITE_ENABLE_COLUMN_METADATA -USQLITE_ENABLE_UNLOCK_NOTIFY \
    -USQLITE_ENABLE_UNKNOWN_SQL_FUNCTION -DSQLITE_OMIT_JSON \
    -USQLITE_ENABLE_API_ARMOR -DSQLITE_OMIT_AUTHORIZATION -DSQLITE_OMIT_TRACE \
    -DSQLITE_OMIT_PROGRESS_CALLBACK -DSQLITE_OMIT_GET_TABLE -DSQLITE_OMIT_INCRBLOB \
    -DSQLITE_OMIT_COMPLETE -DSQLITE_OMIT_DECLTYPE \
    -DSQLITE_OMIT_TCL_VARIABLE -DSQLITE_OMIT_LOCALTIME -DSQLITE_OMIT_UTF16 \
    -DSQLITE_OMIT_LIKE_OPTIMIZATION -DSQLITE_OMIT_BETWEEN_OPTIMIZATION -DSQLITE_OMIT_OR_OPTIMIZATION \
    -DSQLITE_OMIT_XFER_OPT -DSQLITE_OMIT_INTROSPECTION_PRAGMAS";

/// How a module is built.
struct Build {
    /// Cargo's profile, and the folder of what it writes.
    profile: &'static str,
    features: &'static str,
    /// The stem of its files.
    name: &'static str,
    /// The folder of what wasm-bindgen writes.
    bound: &'static str,
}

/// What every page gets: stores in memory.
const SHIPPED: Build = Build { profile: "wasm", features: "", name: LIBRARY, bound: "bound" };
/// What a page gets that opens a database: SQLite is in it.
const WITH_FILES: Build =
    Build { profile: "wasm", features: "files", name: "keyplan_browser_files", bound: "bound-files" };
/// With the stores' kit in it, for the browser tests alone; built quickly instead of well.
const WITH_KIT: Build = Build { profile: "wasm-kit", features: "kit", name: LIBRARY, bound: "kit-pkg" };

/// What a page may wait for, with gzip: every operation is in a module.
const SHIPPED_BYTES_MAX: u64 = 900_000;
/// The same for the module with SQLite, which adds some 230 KB.
const WITH_FILES_BYTES_MAX: u64 = 1_200_000;

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    match arguments {
        [] => {
            setup::machine()?;
            build(place)
        }
        [flag] if flag == "--kit" => {
            setup::machine()?;
            println!("  {}", build_kit(place)?.display());
            Ok(())
        }
        [argument, ..] => {
            Err(Failure::new(format!("`cargo xtask wasm` takes --kit or nothing, not `{argument}`")))
        }
    }
}

/// Builds the modules, or finds that they are built.
pub fn build(place: &Place) -> Outcome {
    build_module(place, &SHIPPED, SHIPPED_BYTES_MAX)?;
    build_module(place, &WITH_FILES, WITH_FILES_BYTES_MAX)
}

fn build_module(place: &Place, build: &Build, gzipped_bytes_max: u64) -> Outcome {
    let bindgen = bindgen::program(place)?;
    let optimiser = optimise::program(place)?;
    let raw_file = compile(place, build)?;
    let raw = cache::read(&raw_file)?;

    let package = place.file(PACKAGE);
    let name = build.name;
    let module = package.join(format!("{name}_bg.wasm"));
    // What the present module was made from.
    let stamp_file = package.join(format!(".{name}-made-from"));
    let stamp = cache::fingerprint([&raw[..], bindgen.version.as_bytes(), optimiser.version.as_bytes()]);
    let present = fs::read_to_string(&stamp_file).is_ok_and(|made_from| made_from == stamp);
    if present && module.is_file() {
        println!("  {PACKAGE}/{name} is up to date");
        return Ok(());
    }

    let bound = bind(place, &bindgen, &raw_file, build)?;
    let optimised = cache::read(&optimiser.optimise(place, &bound, name)?)?;
    for what in [".js", ".d.ts", "_bg.wasm.d.ts"] {
        let file = format!("{name}{what}");
        cache::write_if_changed(&package.join(&file), &cache::read(&bound.join(&file))?)?;
    }
    cache::write_if_changed(&package.join("package.json"), PACKAGE_JSON)?;
    cache::write_if_changed(&module, &optimised)?;
    println!("  {PACKAGE}/{name}: {} bytes, {} before wasm-opt", optimised.len(), raw.len());
    prove(&package, name, gzipped_bytes_max)?;
    cache::write_if_changed(&stamp_file, stamp.as_bytes())
}

/// The package with the stores' kit in it, in a folder of the build.
pub fn build_kit(place: &Place) -> Outcome<PathBuf> {
    let bindgen = bindgen::program(place)?;
    let raw = compile(place, &WITH_KIT)?;
    let package = bind(place, &bindgen, &raw, &WITH_KIT)?;
    cache::write_if_changed(&package.join("package.json"), PACKAGE_JSON)?;
    Ok(package)
}

/// Whether the browser's crate has the kit to be built.
pub fn has_kit(place: &Place) -> bool {
    let manifest = fs::read_to_string(place.file("crates/browser/Cargo.toml"));
    manifest.is_ok_and(|manifest| manifest.lines().any(|line| line.starts_with("kit = ")))
}

fn bind(place: &Place, bindgen: &bindgen::Bindgen, raw: &Path, build: &Build) -> Outcome<PathBuf> {
    let folder = place.wasm_target().join(build.bound);
    if folder.exists() {
        fs::remove_dir_all(&folder).when(|| format!("cannot clear {}", folder.display()))?;
    }
    bindgen.bind(raw, &folder, build.name)?;
    Ok(folder)
}

fn compile(place: &Place, build: &Build) -> Outcome<PathBuf> {
    let clang = setup::clang_for_wasm()
        .ok_or_else(|| Failure::new("no clang with WebAssembly: run `cargo xtask setup`"))?;
    let toolchain = route::choose(place)?;
    println!("  rustc for the browser: {}", toolchain.label);
    let mut flags = plain_paths(place.root(), "/keyplan");
    if let Some(mark) = &toolchain.mark {
        flags.push(' ');
        flags.push_str(mark);
    }
    toolchain
        .cargo()
        .args(["build", "--package", "keyplan-browser", "--lib", "--profile", build.profile])
        .args(["--features", build.features])
        .args(["--target", route::TARGET, "--target-dir"])
        .arg(place.wasm_target())
        .env("CC_wasm32_unknown_unknown", &clang)
        .env("AR_wasm32_unknown_unknown", setup::llvm_ar(&clang))
        .env("SQLITE_WASM_RS_FLAGS", SQLITE_LEFT_OUT)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags)
        .without_env("RUSTFLAGS")
        .without_env("CARGO_ENCODED_RUSTFLAGS")
        .dir(place.root())
        .run()?;
    let folder = place.wasm_target().join(route::TARGET).join(build.profile);
    let file = folder.join(format!("{LIBRARY}.wasm"));
    if file.is_file() {
        return Ok(file);
    }
    Err(Failure::new(format!(
        "cargo wrote no {}: `crates/browser` must be a library of crate type cdylib",
        file.display()
    )))
}

/// Flags for rustc. Panic messages name source files: without the builder's folders, so that two
/// machines build the same module.
fn plain_paths(sources: &Path, named: &str) -> String {
    let mut flags = vec![format!("--remap-path-prefix={}={named}", sources.display())];
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| home.map(|home| PathBuf::from(home).join(".cargo")));
    if let Some(cargo_home) = cargo_home {
        flags.push(format!("--remap-path-prefix={}=/cargo", cargo_home.display()));
    }
    // The flags are split at spaces; a path that has one keeps its name in the module.
    flags.retain(|flag| !flag.contains(' '));
    flags.join(" ")
}

/// Starts the finished module once, and says what of it goes over the wire.
fn prove(package: &Path, name: &str, gzipped_bytes_max: u64) -> Outcome {
    let start = format!(
        "const {{ initSync }} = await import('./{name}.js');
         const {{ readFileSync }} = await import('node:fs');
         const {{ gzipSync }} = await import('node:zlib');
         const module = readFileSync('./{name}_bg.wasm');
         initSync({{ module }});
         console.log(gzipSync(module, {{ level: 9 }}).length);"
    );
    let printed = Program::new("node")
        .args(["--input-type=module", "--eval", &start])
        .dir(package)
        .output()
        .when(|| "the optimised module does not start".to_owned())?;
    let gzipped: u64 = printed
        .trim()
        .parse()
        .map_err(|_| Failure::new(format!("the module's start printed {printed:?} instead of its size")))?;
    println!("  {PACKAGE}/{name}: {gzipped} bytes with gzip");
    if gzipped > gzipped_bytes_max {
        return Err(Failure::new(format!(
            "{name} has {gzipped} bytes with gzip; a page may wait for at most {gzipped_bytes_max}"
        )));
    }
    Ok(())
}
