//! What comes from outside: no `serde_json` where the request's path must not have one, and
//! only licences that `deny.toml` allows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::arrows::manifest;
use super::{File, Finding};
use crate::failure::{Failure, Outcome};

/// Crates that a request passes through. A tree of JSON values there would be the hash maps
/// and copies that the tape is there to avoid.
const WITHOUT_SERDE_JSON: [&str; 4] =
    ["keyplan-value", "keyplan-expression", "keyplan-engine", "keyplan-server"];
const BANNED: &str = "serde_json";
pub(super) const LICENCES: &str = "deny.toml";

pub fn check(metadata: &Value, files: &[File]) -> Outcome<Vec<Finding>> {
    let graph = Graph::read(metadata)?;
    let mut findings = Vec::new();
    for name in WITHOUT_SERDE_JSON {
        if let Some((id, chain)) = graph.chain(name, BANNED) {
            findings.push(Finding {
                file: graph.packages.get(id).map(|package| manifest(metadata, package)).unwrap_or_default(),
                line: 0,
                what: format!("`{BANNED}` is reached outside tests: {}", chain.join(" -> ")),
                why: "a request's bytes are scanned once into a tape and go to the stored form from there, with no tree of values between",
                remedy: "read and write JSON with the codec of keyplan-value; in tests make it a dev-dependency",
            });
        }
    }
    let allowed = files.iter().find(|file| file.path == LICENCES);
    let allowed = allowed.map(|file| allowed_licences(&file.text)).unwrap_or_default();
    findings.extend(graph.packages.values().filter_map(|package| licence(package, &allowed)));
    Ok(findings)
}

/// The workspace's packages and what they are built from, tests left out.
struct Graph<'a> {
    packages: BTreeMap<&'a str, &'a Value>,
    edges: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    fn read(metadata: &'a Value) -> Outcome<Self> {
        let unreadable = || Failure::new("`cargo metadata` resolves no packages");
        let packages = metadata["packages"].as_array().ok_or_else(unreadable)?;
        let nodes = metadata["resolve"]["nodes"].as_array().ok_or_else(unreadable)?;
        let by_id = packages.iter().filter_map(|package| Some((package["id"].as_str()?, package)));
        let edges = nodes.iter().filter_map(|node| {
            let to = node["deps"].as_array()?.iter().filter(|dep| is_shipped(dep));
            Some((node["id"].as_str()?, to.filter_map(|dep| dep["pkg"].as_str()).collect()))
        });
        Ok(Self { packages: by_id.collect(), edges: edges.collect() })
    }

    fn name(&self, id: &str) -> &'a str {
        self.packages.get(id).and_then(|package| package["name"].as_str()).unwrap_or("")
    }

    /// The shortest way from a crate of ours to a package, as names, with the crate's id.
    fn chain(&self, from: &str, to: &str) -> Option<(&'a str, Vec<&'a str>)> {
        let is_start = |package: &&Value| package["name"] == from && package["source"].is_null();
        let start = self.packages.iter().find(|(_, package)| is_start(package))?;
        let mut queue = VecDeque::from([vec![*start.0]]);
        let mut seen = BTreeSet::from([*start.0]);
        while let Some(way) = queue.pop_front() {
            let here = way.last().copied()?;
            if self.name(here) == to {
                return Some((*start.0, way.iter().map(|id| self.name(id)).collect()));
            }
            for next in self.edges.get(here).into_iter().flatten() {
                if seen.insert(next) {
                    let mut longer = way.clone();
                    longer.push(next);
                    queue.push_back(longer);
                }
            }
        }
        None
    }
}

/// Whether a dependency is linked into the crate: not one for tests or for a build script.
fn is_shipped(dependency: &Value) -> bool {
    let kinds = dependency["dep_kinds"].as_array();
    kinds.is_none_or(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

/// The strings of `allow = [...]` under `[licenses]`.
pub(super) fn allowed_licences(deny: &str) -> Vec<String> {
    let section = deny.split("[licenses]").nth(1).unwrap_or("");
    let list = section.split("allow = [").nth(1).unwrap_or("");
    let list = list.split(']').next().unwrap_or("");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn licence(package: &Value, allowed: &[String]) -> Option<Finding> {
    if package["source"].is_null() {
        return None;
    }
    let stated = package["license"].as_str().unwrap_or("");
    if is_allowed(stated, allowed) {
        return None;
    }
    let name = package["name"].as_str().unwrap_or("");
    Some(Finding {
        file: "Cargo.lock".to_owned(),
        line: 0,
        what: format!("`{name}` is under the licence `{stated}`"),
        why: "Keyplan may be used and passed on under MIT or Apache-2.0, with all that it is built from",
        remedy: "do without the package, or allow the licence in deny.toml if that stays true",
    })
}

/// Whether an SPDX expression can be met with allowed licences alone. Reads `A OR B AND C`,
/// the old `A/B`, and parentheses as far as packages use them.
pub(super) fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.trim();
    let expression = without_outer_parentheses(expression);
    if let Some(parts) = split_outside_parentheses(expression, &[" AND "]) {
        return parts.iter().all(|part| is_allowed(part, allowed));
    }
    if let Some(parts) = split_outside_parentheses(expression, &[" OR ", "/"]) {
        return parts.iter().any(|part| is_allowed(part, allowed));
    }
    // `MPL-2.0+` lets one choose 2.0.
    let licence = expression.strip_suffix('+').unwrap_or(expression);
    allowed.iter().any(|allowed| allowed == licence)
}

fn without_outer_parentheses(expression: &str) -> &str {
    let inner = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let balanced = |text: &str| {
        let mut depth = 0_i32;
        text.chars().all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0
        })
    };
    inner.filter(|inner| balanced(inner)).unwrap_or(expression)
}

fn split_outside_parentheses<'a>(text: &'a str, separators: &[&str]) -> Option<Vec<&'a str>> {
    let mut depth = 0_i32;
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        let found = separators.iter().find(|separator| text[at..].starts_with(**separator));
        if let (0, Some(separator)) = (depth, found) {
            parts.push(&text[from..at]);
            from = at + separator.len();
        }
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(&text[from..]);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn metadata(kind: Value) -> Value {
        let shipped = json!([{ "kind": null }]);
        json!({
            "workspace_root": "/tree",
            "packages": [
                { "id": "v", "name": "keyplan-value", "source": null, "manifest_path": "/tree/value/Cargo.toml" },
                { "id": "m", "name": "middle", "source": "registry", "license": "MIT" },
                { "id": "j", "name": "serde_json", "source": "registry", "license": "MIT" },
            ],
            "resolve": { "nodes": [
                { "id": "v", "deps": [{ "pkg": "m", "dep_kinds": [{ "kind": kind }] }] },
                { "id": "m", "deps": [{ "pkg": "j", "dep_kinds": shipped }] },
                { "id": "j", "deps": [] },
            ] },
        })
    }

    fn deny() -> File {
        File {
            path: LICENCES.to_owned(),
            text: "[licenses]\nallow = [\n  \"MIT\", # ours\n  \"Apache-2.0\",\n]\n".to_owned(),
        }
    }

    #[test]
    fn serde_json_is_found_behind_another_package() {
        let found = check(&metadata(json!(null)), &[deny()]).expect("readable");
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("keyplan-value -> middle -> serde_json"), "{}", found[0]);
        assert_eq!(found[0].file, "value/Cargo.toml");
    }

    #[test]
    fn serde_json_is_free_to_tests() {
        assert_eq!(check(&metadata(json!("dev")), &[deny()]).expect("readable"), []);
    }

    #[test]
    fn a_licence_must_be_allowed() {
        let found = check(&metadata(json!("dev")), &[]).expect("readable");
        assert_eq!(found.len(), 2, "without deny.toml nothing is allowed");
    }

    #[test]
    fn licence_expressions_are_read() {
        let allowed = allowed_licences(&deny().text);
        for fine in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(MIT OR GPL-3.0) AND Apache-2.0", "Apache-2.0+"]
        {
            assert!(is_allowed(fine, &allowed), "{fine}");
        }
        for wrong in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND Zlib"] {
            assert!(!is_allowed(wrong, &allowed), "{wrong}");
        }
    }
}
