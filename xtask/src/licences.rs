//! `cargo xtask licences`: who else's work is in the command and on the site, under which licences, with their
//! texts, each once. The file is committed, and the house rules hold it against what is built.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::{Failure, Outcome, While};
use crate::place::Place;
use crate::process::Program;
use crate::web;

/// Where it is written, and read by the site and the command.
pub const FILE: &str = "crates/site/third-party.txt";

/// What ships with the programs that build: the crates of these, and the packages that the pages are made of.
const SHIPPED: [&str; 2] = ["keyplan-cli", "keyplan-browser"];
/// Packages that only build by their lock, and whose code is in the pages all the same.
const BUNDLED: [&str; 3] = ["clsx", "esm-env", "svelte"];

const HEAD: &str = "\
Keyplan is built with the work of many others. Below stands what is in the command, in the engine for the
browser and on the site's pages: each package with its licence and its notices, by the text that they share.

SQLite is in it too (the public domain: https://sqlite.org/copyright.html), and the standard library of Rust
(MIT or Apache-2.0, like most of what follows).
";

/// Texts that are looked for beside a package, the ones to prefer first: where there is a choice, the shorter licence.
const TEXTS: [&str; 11] = [
    "LICENSE-MIT",
    "LICENSE-MIT.md",
    "LICENSE-MIT.txt",
    "license-mit",
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "license",
    "LICENSE-ZLIB.md",
    "LICENSE-APACHE",
    "COPYING",
];

struct Package {
    name: String,
    version: String,
    licence: String,
    folder: PathBuf,
}

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::new("it takes no arguments"));
    }
    web::packages(place)?;
    let mut packages = crates(place)?;
    packages.extend(modules(place)?);
    let written = text(&packages);
    let file = place.file(FILE);
    fs::write(&file, &written).when(|| format!("cannot write {}", file.display()))?;
    println!("{FILE}: {} packages, {} bytes", packages.len(), written.len());
    Ok(())
}

/// The shipped packages that a written list lacks, each with its version.
pub fn missing(place: &Place, written: &str) -> Outcome<Vec<String>> {
    let listed: BTreeSet<&str> = written.lines().filter_map(|line| line.strip_prefix("* ")).collect();
    let listed: BTreeSet<&str> = listed.iter().filter_map(|line| Some(line.split_once(" (")?.0)).collect();
    let mut wanted = crate_names(place)?;
    wanted.extend(module_names(place)?);
    let named = wanted.into_iter().map(|(name, version)| format!("{name} {version}"));
    Ok(named.filter(|package| !listed.contains(package.as_str())).collect())
}

/// Names and versions of the crates that end up in what is shipped, on any system.
fn crate_names(place: &Place) -> Outcome<BTreeSet<(String, String)>> {
    let mut tree = Program::cargo().args(["tree", "--locked", "--edges", "normal", "--target", "all"]);
    tree = tree.args(["--prefix", "none", "--all-features"]);
    for package in SHIPPED {
        tree = tree.args(["--package", package]);
    }
    let listed = tree.dir(place.root()).output()?;
    let crates = listed.lines().filter(|line| !line.contains("(proc-macro)") && !line.contains("(/"));
    let named = crates.filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    });
    // Those of the work tree are told by their folders, which `cargo tree` shows.
    Ok(named.filter(|(name, _)| !name.starts_with("keyplan")).collect())
}

fn crates(place: &Place) -> Outcome<Vec<Package>> {
    let read = Program::cargo().args(["metadata", "--locked", "--format-version", "1", "--all-features"]);
    let metadata: Value = serde_json::from_str(&read.dir(place.root()).output()?)
        .when(|| "cannot read what `cargo metadata` says".to_owned())?;
    let wanted = crate_names(place)?;
    let known = metadata["packages"].as_array().into_iter().flatten();
    let packages = known.filter_map(|package| {
        let field = |name: &str| package[name].as_str().map(str::to_owned);
        let (name, version) = (field("name")?, field("version")?);
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?.to_path_buf();
        let licence = field("license").unwrap_or_else(|| "see its text".to_owned());
        wanted.contains(&(name.clone(), version.clone())).then_some(Package {
            name,
            version,
            licence,
            folder,
        })
    });
    Ok(packages.collect())
}

/// Names and versions of the packages whose code or fonts the pages have.
fn module_names(place: &Place) -> Outcome<BTreeSet<(String, String)>> {
    let file = place.file("web/package-lock.json");
    let text = fs::read_to_string(&file).when(|| format!("cannot read {}", file.display()))?;
    let lock: Value = serde_json::from_str(&text).when(|| format!("cannot read {}", file.display()))?;
    let packages = lock["packages"].as_object().into_iter().flatten();
    let named = packages.filter_map(|(path, package)| {
        let name = path.strip_prefix("node_modules/")?;
        let is_shipped = package["dev"] != true || BUNDLED.contains(&name);
        is_shipped.then_some((name.to_owned(), package["version"].as_str()?.to_owned()))
    });
    Ok(named.collect())
}

fn modules(place: &Place) -> Outcome<Vec<Package>> {
    let read = |(name, version): (String, String)| {
        let folder = place.file("web/node_modules").join(&name);
        let file = folder.join("package.json");
        let text = fs::read_to_string(&file).when(|| format!("cannot read {}", file.display()))?;
        let package: Value =
            serde_json::from_str(&text).when(|| format!("cannot read {}", file.display()))?;
        let licence = package["license"].as_str().unwrap_or("see its text").to_owned();
        Ok(Package { name, version, licence, folder })
    };
    module_names(place)?.into_iter().map(read).collect()
}

/// The whole file: packages by the text that they share, and the text below them.
fn text(packages: &[Package]) -> String {
    let mut shared: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for Package { name, version, licence, folder } in packages {
        let found = TEXTS.iter().find_map(|text| fs::read_to_string(folder.join(text)).ok());
        let (notices, body) = parted(&found.unwrap_or_default());
        let entry = format!("* {name} {version} ({licence})\n{notices}");
        let same: String = body.to_lowercase().split_whitespace().collect();
        shared.entry(same).or_insert_with(|| (body, Vec::new())).1.push(entry);
    }
    let mut groups: Vec<(String, Vec<String>)> = shared.into_values().collect();
    groups.sort_by_key(|(_, entries)| std::cmp::Reverse(entries.len()));
    let mut written = HEAD.to_owned();
    for (body, mut entries) in groups {
        entries.sort();
        written.push_str("\n================================================================\n\n");
        written.push_str(&entries.concat());
        let body = if body.is_empty() {
            "Their packages have no text of it; https://spdx.org/licenses/ has."
        } else {
            &body
        };
        written.push_str(&format!("\n{body}\n"));
    }
    written
}

/// The notices of a licence's text, and the text without them.
fn parted(text: &str) -> (String, String) {
    // Of a notice that is an example in a licence's appendix, the years are not filled in.
    let is_notice = |line: &str| {
        let line = line.trim().to_lowercase();
        line.starts_with("copyright (c)") && !line.contains('[') && !line.contains('{')
            || line.starts_with("copyright 2")
            || line.starts_with("copyright 1")
            || line.starts_with("copyright ©")
    };
    let (notices, body): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| is_notice(line));
    let notices = notices.iter().map(|notice| format!("    {}\n", notice.trim())).collect();
    (notices, body.join("\n").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_told_from_the_text_they_stand_on() {
        let (notices, body) = parted("MIT License\n\nCopyright (c) 2020 Somebody\n\nPermission is granted\n");
        assert_eq!(notices, "    Copyright (c) 2020 Somebody\n");
        assert_eq!(body, "MIT License\n\n\nPermission is granted");
        let appendix = "Copyright [yyyy] [name of copyright owner]";
        assert_eq!(parted(appendix), (String::new(), appendix.to_owned()));
    }
}
