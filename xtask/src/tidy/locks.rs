//! What the lock files pin comes from the public registries, unaltered, and under licences that `deny.toml` allows.

use serde_json::Value;

use super::dependencies::{LICENCES, allowed_licences, is_allowed};
use super::{File, Finding};

/// The one place that crates come from.
const CRATES: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// The one place that npm packages come from, where a lock names it at all.
const PACKAGES: &str = "https://registry.npmjs.org/";
/// The licence of fonts, which may be passed on inside of other works.
const FONTS: &str = "OFL-1.1";

pub fn check(files: &[File]) -> Vec<Finding> {
    let allowed = files.iter().find(|file| file.path == LICENCES);
    let mut allowed = allowed.map(|file| allowed_licences(&file.text)).unwrap_or_default();
    allowed.push(FONTS.to_owned());
    let locks = files.iter().filter_map(|file| match file.path.rsplit('/').next() {
        Some("Cargo.lock") => Some(crates(file)),
        Some("package-lock.json") => Some(packages(file, &allowed)),
        _ => None,
    });
    locks.flatten().collect()
}

fn origin(file: &File, what: String) -> Finding {
    Finding {
        file: file.path.clone(),
        line: 0,
        what,
        why: "what is built is what everybody can look at: a published version with its checksum",
        remedy: "take the package from its public registry, with its checksum in the lock",
    }
}

/// A package without a source is one of the work tree.
fn crates(file: &File) -> Vec<Finding> {
    let entries = file.text.split("[[package]]").skip(1);
    let wrong = entries.filter_map(|entry| {
        let field = |name: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))?;
            Some(line.trim_matches('"'))
        };
        let name = field("name").unwrap_or("");
        match (field("source"), field("checksum")) {
            (None, _) | (Some(CRATES), Some(_)) => None,
            (Some(CRATES), None) => Some(format!("`{name}` has no checksum")),
            (Some(other), _) => Some(format!("`{name}` comes from {other}")),
        }
    });
    wrong.map(|what| origin(file, what)).collect()
}

fn packages(file: &File, allowed: &[String]) -> Vec<Finding> {
    let lock: Value = serde_json::from_str(&file.text).unwrap_or_default();
    let Some(packages) = lock["packages"].as_object() else {
        return vec![origin(file, "no list of packages".to_owned())];
    };
    let mut findings = Vec::new();
    // The entry without a name is the work tree's own.
    for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
        match package["resolved"].as_str() {
            Some(from) if !from.starts_with(PACKAGES) => {
                findings.push(origin(file, format!("`{name}` comes from {from}")));
            }
            _ if package["integrity"].as_str().is_none() => {
                findings.push(origin(file, format!("`{name}` has no checksum")));
            }
            _ => {}
        }
        let licence = package["license"].as_str().unwrap_or("");
        if !is_allowed(licence, allowed) {
            findings.push(Finding {
                file: file.path.clone(),
                line: 0,
                what: format!("`{name}` is under the licence `{licence}`"),
                why: "Keyplan may be used and passed on under MIT or Apache-2.0, with all that it is built from",
                remedy: "do without the package, or allow the licence in deny.toml if that stays true",
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let deny = "[licenses]\nallow = [\"MIT\"]\n";
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        check(&[file(LICENCES, deny), file(path, text)]).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn a_crate_comes_from_its_registry_with_a_checksum() {
        let lock =
            |rest: &str| format!("version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n{rest}");
        let source = format!("source = \"{CRATES}\"\n");
        let checksum = "checksum = \"00\"\n";
        assert!(found("Cargo.lock", &lock("")).is_empty(), "one of the work tree");
        assert!(found("b/Cargo.lock", &lock(&(source.clone() + checksum))).is_empty());
        assert_eq!(found("b/Cargo.lock", &lock(&source)), ["`a` has no checksum"]);
        let elsewhere = lock("source = \"git+https://example.org/a#1\"\n");
        assert_eq!(found("Cargo.lock", &elsewhere), ["`a` comes from git+https://example.org/a#1"]);
    }

    #[test]
    fn an_npm_package_comes_from_its_registry_with_a_checksum_and_an_allowed_licence() {
        let lock = |entry: &str| format!(r#"{{"packages":{{"":{{}},"node_modules/a":{entry}}}}}"#);
        let name = "package-lock.json";
        assert!(found(name, &lock(r#"{"integrity":"x","license":"MIT"}"#)).is_empty());
        assert!(found(name, &lock(r#"{"integrity":"x","license":"OFL-1.1"}"#)).is_empty(), "a font");
        let elsewhere = lock(r#"{"resolved":"git+ssh://git@example.org/a","integrity":"x","license":"MIT"}"#);
        assert_eq!(found(name, &elsewhere), ["`node_modules/a` comes from git+ssh://git@example.org/a"]);
        let bare = found(name, &lock(r#"{"license":"GPL-3.0"}"#));
        assert_eq!(
            bare,
            ["`node_modules/a` has no checksum", "`node_modules/a` is under the licence `GPL-3.0`"]
        );
        assert_eq!(found(name, "nothing"), ["no list of packages"]);
    }
}
