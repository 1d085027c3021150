//! Calls that the pure layers must not make, and printing from a library. What they'd fetch
//! is a parameter: so a test decides it, and the same code runs in a browser's tab.

use super::source::{Language, Source};
use super::words::has_word;
use super::{File, Finding};

/// The crates that neither read a clock nor touch the machine.
const PURE: [&str; 5] = ["value", "expression", "partiql", "engine", "store"];

struct Banned {
    path: &'static str,
    why: &'static str,
    remedy: &'static str,
}

const BANNED: &[Banned] = &[
    Banned {
        path: "SystemTime::now",
        why: "time is handed in: tests fix it, and a lesson moves it",
        remedy: "take `now` as a parameter",
    },
    Banned {
        path: "Instant::now",
        why: "it panics in a browser's tab, and time is handed in",
        remedy: "take `now` as a parameter, or count work in entries",
    },
    Banned {
        path: "std::env",
        why: "a browser's tab has no environment, and a library's answer must not hang on one",
        remedy: "take the setting as a parameter",
    },
    Banned {
        path: "std::fs",
        why: "a browser's tab has no files; the store is the only place that keeps anything",
        remedy: "take the bytes as a parameter, or put the work into an adaptor",
    },
    Banned {
        path: "std::thread",
        why: "a browser's tab has no threads; nothing in these layers spawns or sleeps",
        remedy: "make it a job that is advanced in steps, or put the work into an adaptor",
    },
    Banned {
        path: "rand::",
        why: "chance is handed in, so that a run can be repeated",
        remedy: "take the random number as a parameter",
    },
    Banned {
        path: "fastrand::",
        why: "chance is handed in, so that a run can be repeated",
        remedy: "take the random number as a parameter",
    },
];

/// Places where a banned call is right, each with its reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "crates/store/src/turn.rs",
    "std::thread",
    "it names the present thread, to refuse a write inside a write instead of waiting for itself",
)];

const PRINTING: [&str; 4] = ["println!", "eprintln!", "print!", "eprint!"];
/// Crates whose business is the terminal.
const PRINTERS: [&str; 3] = ["crates/cli/", "crates/compare/src/main.rs", "crates/torture/src/main.rs"];

pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let Some((crate_name, inside)) = crate_source(&file.path) else {
        return Vec::new();
    };
    let source = Source::read(&file.text, Language::Rust);
    let mut findings = Vec::new();
    // The stores' kit is test code that other crates can run.
    let pure = PURE.contains(&crate_name) && !inside.starts_with("kit");
    let prints = PRINTERS.iter().any(|printer| file.path.starts_with(printer));
    for (line, code) in source.shipped() {
        if pure {
            let banned = BANNED.iter().filter(|banned| calls(code, banned.path));
            let banned = banned.filter(|banned| !excepted(&file.path, banned.path));
            findings.extend(banned.map(|banned| Finding {
                file: file.path.clone(),
                line,
                what: format!("`{}` in `{crate_name}`", banned.path.trim_end_matches("::")),
                why: banned.why,
                remedy: banned.remedy,
            }));
        }
        if !prints && PRINTING.iter().any(|print| has_word(code, print)) {
            findings.push(Finding {
                file: file.path.clone(),
                line,
                what: "a library prints".to_owned(),
                why: "what stands on a terminal is the command's to decide; a tab has none",
                remedy: "return it, and print it in `cli`",
            });
        }
    }
    findings
}

/// The crate and the path inside its `src`, for what ships from `crates/`.
fn crate_source(path: &str) -> Option<(&str, &str)> {
    let (crate_name, within) = path.strip_prefix("crates/")?.split_once('/')?;
    let inside = within.strip_prefix("src/")?;
    inside.ends_with(".rs").then_some((crate_name, inside))
}

fn excepted(file: &str, call: &str) -> bool {
    EXCEPTIONS.iter().any(|(path, banned, _)| *path == file && *banned == call)
}

fn calls(code: &str, path: &str) -> bool {
    if has_word(code, path) {
        return true;
    }
    // `use std::{env, fs}` names them as well.
    let grouped = path.strip_prefix("std::").zip(code.split("std::{").nth(1));
    grouped.is_some_and(|(name, group)| has_word(group, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [usize; 0] = [];

    fn found(path: &str, text: &str) -> Vec<usize> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        in_file(&file).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_pure_crate_reads_no_clock() {
        assert_eq!(found("crates/engine/src/a.rs", "\nlet t = SystemTime::now();"), [2]);
        assert_eq!(found("crates/engine/src/a.rs", "use std::{env, sync::Arc};"), [1]);
        assert_eq!(found("crates/value/src/a.rs", "use std::fs;"), [1]);
        assert_eq!(found("crates/server/src/a.rs", "let t = SystemTime::now();"), NONE);
    }

    #[test]
    fn comments_strings_and_tests_are_free() {
        let text = "// SystemTime::now\nlet a = \"std::fs\";\n#[cfg(test)]\nmod t { use std::fs; }";
        assert_eq!(found("crates/engine/src/a.rs", text), NONE);
        assert_eq!(found("crates/engine/tests/a.rs", "use std::fs;"), NONE);
        assert_eq!(found("crates/store/src/kit/a.rs", "use std::thread;"), NONE);
    }

    #[test]
    fn similar_names_are_free() {
        assert_eq!(found("crates/engine/src/a.rs", "Operand::Path; std::environment();"), NONE);
    }

    #[test]
    fn a_library_does_not_print() {
        assert_eq!(found("crates/model/src/a.rs", "println!(\"x\");"), [1]);
        assert_eq!(found("crates/cli/src/a.rs", "println!(\"x\");"), NONE);
        assert_eq!(found("crates/model/build.rs", "println!(\"cargo:x\");"), NONE);
    }

    #[test]
    fn an_exception_is_for_one_call_in_one_file() {
        let (path, call, reason) = EXCEPTIONS[0];
        assert!(reason.len() > 20);
        assert_eq!(found(path, &format!("use {call};")), NONE);
        assert_eq!(found(path, "use std::fs;"), [1]);
    }
}
