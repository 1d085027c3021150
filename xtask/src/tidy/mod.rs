//! `cargo xtask tidy`: what a reviewer would otherwise have to say each time. Each rule is a
//! file with its table, its reasons and its tests; a finding says where, what, why, and what
//! to do about it.

mod arrows;
mod calls;
mod dependencies;
mod lengths;
mod locks;
mod model_isolation;
mod names;
mod packages;
mod provenance;
mod source;
mod unfinished;
mod words;

use std::fmt;
use std::fs;

use crate::failure::{Failure, Outcome, While};
use crate::licences;
use crate::place::Place;
use crate::process::Program;

/// Something to put right.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    file: String,
    /// From 1; 0 where the whole file is meant.
    line: usize,
    what: String,
    why: &'static str,
    remedy: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}\n    why: {}\n    do:  {}", self.what, self.why, self.remedy)
    }
}

/// A text file of the work tree.
pub struct File {
    /// From the root, with `/`.
    path: String,
    text: String,
}

/// A rule over the files.
type Rule = fn(&[File]) -> Vec<Finding>;

const RULES: &[Rule] = &[
    lengths::check,
    locks::check,
    names::check,
    calls::check,
    unfinished::check,
    provenance::check,
    model_isolation::check,
    packages::check,
];

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("`cargo xtask tidy` takes no `{argument}`")));
    }
    crate::shapes::run(place, &["--check".to_owned()])?;
    let files = files(place)?;
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&files)).collect();
    let metadata = metadata(place)?;
    findings.extend(arrows::check(&metadata)?);
    findings.extend(dependencies::check(&metadata, &files)?);
    findings.extend(unnamed(place, &files)?);
    findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => {
            println!("tidy: {} files, nothing to put right", files.len());
            Ok(())
        }
        1 => Err(Failure::new("one thing to put right")),
        many => Err(Failure::new(format!("{many} things to put right"))),
    }
}

/// Others' work that ships and isn't named where everybody can read of it.
fn unnamed(place: &Place, files: &[File]) -> Outcome<Vec<Finding>> {
    let written = files.iter().find(|file| file.path == licences::FILE).map_or("", |file| &file.text);
    let finding = |package: String| Finding {
        file: licences::FILE.to_owned(),
        line: 0,
        what: format!("`{package}` ships and isn't named"),
        why: "the licences ask for their notices and texts wherever their work is passed on",
        remedy: "run `cargo xtask licences`, and commit what it writes",
    };
    Ok(licences::missing(place, written)?.into_iter().map(finding).collect())
}

/// What is wrong with the licences and the origins of what Keyplan is built from.
pub fn supply_chain(place: &Place) -> Outcome<Vec<Finding>> {
    let files = files(place)?;
    let mut findings = locks::check(&files);
    findings.extend(dependencies::check(&metadata(place)?, &files)?);
    Ok(findings)
}

/// The files under version control, and those that are about to be.
fn files(place: &Place) -> Outcome<Vec<File>> {
    let listed = Program::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .dir(place.root())
        .output()?;
    let mut files = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let on_disk = place.file(path);
        if !on_disk.is_file() {
            continue;
        }
        let bytes = fs::read(&on_disk).when(|| format!("cannot read {path}"))?;
        // Fonts and pictures have no lines.
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(File { path: path.to_owned(), text });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    Ok(files)
}

fn metadata(place: &Place) -> Outcome<serde_json::Value> {
    let printed = Program::cargo().args(["metadata", "--format-version", "1"]).dir(place.root()).output()?;
    serde_json::from_str(&printed).when(|| "cannot read what `cargo metadata` printed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_where_what_why_and_what_to_do() {
        let finding =
            Finding { file: "a.rs".to_owned(), line: 3, what: "x".to_owned(), why: "y", remedy: "z" };
        assert_eq!(finding.to_string(), "a.rs:3: x\n    why: y\n    do:  z");
        let whole = Finding { line: 0, ..finding };
        assert!(whole.to_string().starts_with("a.rs: x\n"));
    }
}
