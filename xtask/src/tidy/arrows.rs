//! The layers: which crate may depend on which. The table is the picture of ARCHITECTURE.md;
//! an arrow is added there, here and in a decision record, or not at all.

use serde_json::Value;

use super::Finding;
use crate::failure::{Failure, Outcome};

/// Each crate with the crates that it may depend on outside tests, lowest layer first.
const ARROWS: &[(&str, &[&str])] = &[
    ("keyplan-value", &[]),
    ("keyplan-expression", &["keyplan-value"]),
    ("keyplan-formats", &["keyplan-value"]),
    ("keyplan-partiql", &["keyplan-value", "keyplan-expression"]),
    ("keyplan-store", &[]),
    ("keyplan-store-sqlite", &["keyplan-store"]),
    // For tests of files alone; nothing else is built on it.
    ("keyplan-failing-disk", &[]),
    (
        "keyplan-engine",
        &["keyplan-value", "keyplan-expression", "keyplan-formats", "keyplan-partiql", "keyplan-store"],
    ),
    ("keyplan-server", &["keyplan-engine", "keyplan-store"]),
    ("keyplan-prices", &["keyplan-engine", "keyplan-value"]),
    ("keyplan-model", &["keyplan-engine", "keyplan-store", "keyplan-value", "keyplan-expression"]),
    ("keyplan-grading", &["keyplan-engine", "keyplan-store", "keyplan-value"]),
    ("keyplan-course", &["keyplan-engine", "keyplan-grading", "keyplan-model"]),
    (
        "keyplan-site",
        &[
            "keyplan-model",
            "keyplan-grading",
            "keyplan-course",
            "keyplan-prices",
            "keyplan-engine",
            "keyplan-value",
        ],
    ),
    (
        "keyplan-browser",
        &["keyplan-engine", "keyplan-grading", "keyplan-prices", "keyplan-store", "keyplan-store-sqlite"],
    ),
    ("keyplan", &["keyplan-engine", "keyplan-store", "keyplan-store-sqlite", "keyplan-value"]),
    ("keyplan-aws", &["keyplan"]),
    ("keyplan-conformance", &["keyplan", "keyplan-engine", "keyplan-value"]),
    // Holds the engine against a model of its own; nothing is built on it.
    ("keyplan-compare", &["keyplan-engine", "keyplan-store", "keyplan-store-sqlite"]),
    // Holds what clients are answered, and what a kill leaves, against what is promised.
    ("keyplan-torture", &["keyplan-compare", "keyplan-engine", "keyplan-store", "keyplan-store-sqlite"]),
    (
        "keyplan-cli",
        &[
            "keyplan",
            "keyplan-conformance",
            "keyplan-course",
            "keyplan-engine",
            "keyplan-expression",
            "keyplan-model",
            "keyplan-partiql",
            "keyplan-server",
            "keyplan-site",
            "keyplan-store",
            "keyplan-store-sqlite",
            "keyplan-value",
        ],
    ),
    ("keyplan-instructions", &["keyplan"]),
    ("tab-endpoint", &["keyplan-engine", "keyplan-server", "keyplan-store"]),
    (
        "content-proof",
        &["keyplan-course", "keyplan-engine", "keyplan-grading", "keyplan-model", "keyplan-site"],
    ),
    // A test of all that reads what a stranger wrote; nothing is built on it.
    (
        "keyplan-fuzz",
        &[
            "keyplan-engine",
            "keyplan-expression",
            "keyplan-formats",
            "keyplan-model",
            "keyplan-partiql",
            "keyplan-store",
            "keyplan-store-sqlite",
            "keyplan-value",
        ],
    ),
    ("xtask", &[]),
];

/// Where nothing may lead, in tests neither.
const ENDS: [&str; 4] = ["keyplan-cli", "keyplan-browser", "keyplan-fuzz", "xtask"];

const WHY: &str =
    "the layers point one way, so that each can be understood and tested without those above it";
const REMEDY: &str = "move what is needed to the lower crate, or hand it in as a parameter; a new arrow takes a record under docs/decisions/ and a line in xtask/src/tidy/arrows.rs";

pub fn check(metadata: &Value) -> Outcome<Vec<Finding>> {
    let unreadable = || Failure::new("`cargo metadata` names no packages");
    let packages = metadata["packages"].as_array().ok_or_else(unreadable)?;
    // A package of the workspace comes from no registry.
    let ours: Vec<&Value> = packages.iter().filter(|package| package["source"].is_null()).collect();
    let names: Vec<&str> = ours.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut findings = Vec::new();
    for package in &ours {
        let Some(name) = package["name"].as_str() else {
            continue;
        };
        let file = manifest(metadata, package);
        let Some((_, allowed)) = ARROWS.iter().find(|(crate_name, _)| *crate_name == name) else {
            findings.push(finding(file, format!("the layers don't know the crate `{name}`")));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let Some(to) = dependency["name"].as_str().filter(|to| names.contains(to)) else {
                continue;
            };
            let for_tests = dependency["kind"] == "dev";
            if ENDS.contains(&to) {
                let what = format!("`{name}` depends on `{to}`, on which nothing may");
                findings.push(finding(file.clone(), what));
            } else if !for_tests && !allowed.contains(&to) {
                let what = format!("`{name}` depends on `{to}`, an arrow that the layers don't have");
                findings.push(finding(file.clone(), what));
            }
        }
    }
    Ok(findings)
}

fn finding(file: String, what: String) -> Finding {
    Finding { file, line: 0, what, why: WHY, remedy: REMEDY }
}

/// The path of a package's Cargo.toml from the root.
pub fn manifest(metadata: &Value, package: &Value) -> String {
    let path = package["manifest_path"].as_str().unwrap_or("Cargo.toml");
    let root = metadata["workspace_root"].as_str().unwrap_or("");
    let below = path.strip_prefix(root).unwrap_or(path);
    below.trim_start_matches(['/', '\\']).replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn workspace(arrows: &[(&str, &str, Value)]) -> Value {
        let mut names: Vec<&str> = arrows.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
        names.sort_unstable();
        names.dedup();
        let packages: Vec<Value> = names
            .iter()
            .map(|name| {
                let dependencies: Vec<Value> = arrows
                    .iter()
                    .filter(|(from, _, _)| from == name)
                    .map(|(_, to, kind)| json!({ "name": to, "kind": kind }))
                    .collect();
                json!({
                    "name": name,
                    "source": null,
                    "manifest_path": format!("/tree/{name}/Cargo.toml"),
                    "dependencies": dependencies,
                })
            })
            .collect();
        json!({ "workspace_root": "/tree", "packages": packages })
    }

    fn found(arrows: &[(&str, &str, Value)]) -> Vec<Finding> {
        check(&workspace(arrows)).expect("readable")
    }

    #[test]
    fn the_table_has_no_circle() {
        for (index, (name, allowed)) in ARROWS.iter().enumerate() {
            for to in *allowed {
                let below = ARROWS.iter().position(|(other, _)| other == to);
                assert!(below.is_some_and(|below| below < index), "{name} -> {to} points upwards");
            }
        }
    }

    #[test]
    fn an_arrow_downwards_is_fine() {
        assert!(found(&[("keyplan-engine", "keyplan-value", json!(null))]).is_empty());
    }

    #[test]
    fn an_arrow_upwards_is_found_where_it_stands() {
        let found = found(&[("keyplan-value", "keyplan-engine", json!(null))]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].file, "keyplan-value/Cargo.toml");
        assert!(found[0].what.contains("`keyplan-value` depends on `keyplan-engine`"));
    }

    #[test]
    fn tests_may_look_sideways_but_not_at_the_ends() {
        assert!(found(&[("keyplan-store", "keyplan-value", json!("dev"))]).is_empty());
        assert_eq!(found(&[("keyplan-store", "keyplan-cli", json!("dev"))]).len(), 1);
    }

    #[test]
    fn a_build_dependency_is_an_arrow() {
        assert_eq!(found(&[("keyplan-store", "keyplan-value", json!("build"))]).len(), 1);
    }

    #[test]
    fn a_crate_that_the_table_lacks_is_found() {
        let found = found(&[("keyplan-extra", "keyplan-value", json!(null))]);
        assert!(found.iter().any(|finding| finding.what.contains("keyplan-extra")));
    }
}
