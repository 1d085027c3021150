//! What any bytes may do to the parsers, the codecs and the engine: a function a [`Target`], which
//! panics where something is wrong.
//!
//! `cargo xtask fuzz TARGET` runs libFuzzer on one. The tests run every target on its small corpus
//! (`corpus/TARGET/`): seeds that reach far in, and the inputs of faults that were found and mended.
//!
//! ```
//! let json = keyplan_fuzz::target("json").expect("there is one of that name");
//! (json.run)(br#"{"a": [1, "\u00e9"]}"#);
//! (json.run)(b"{{{{");
//! ```

mod codecs;
mod expressions;
mod files;
mod requests;
mod statements;
mod weather;

/// Something that is given any bytes.
#[derive(Debug)]
pub struct Target {
    /// Its name, and the folder of its corpus.
    pub name: &'static str,
    /// Tries it on some bytes.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "json", run: codecs::json },
    Target { name: "item", run: codecs::item },
    Target { name: "stored-item", run: codecs::stored_item },
    Target { name: "key", run: codecs::key },
    Target { name: "number", run: codecs::number },
    Target { name: "expression", run: expressions::expression },
    Target { name: "partiql", run: statements::partiql },
    Target { name: "request", run: requests::request },
    Target { name: "policy", run: requests::policy },
    Target { name: "model", run: files::model },
    Target { name: "database", run: files::database },
    Target { name: "weather", run: weather::weather },
    Target { name: "import-file", run: files::import_file },
];

/// The target of a name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
