//! Packs the case files, of which the command has a copy: there is ten times as much text as its packed form.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

const CASES: &str = "../../conformance/cases";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={CASES}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo gives a folder to write to")?);
    let mut names = Vec::new();
    for entry in fs::read_dir(CASES)? {
        let name =
            entry?.file_name().into_string().map_err(|name| format!("{} is no name", name.display()))?;
        if name.ends_with(".yaml") {
            names.push(name);
        }
    }
    names.sort();
    let mut list = String::from("[\n");
    for name in names {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(format!("{CASES}/{name}"))?)?;
        fs::write(out.join(format!("{name}.gz")), packed.finish()?)?;
        writeln!(list, "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.gz\"))),")?;
    }
    list.push(']');
    fs::write(out.join("cases.rs"), list)?;
    Ok(())
}
