//! `cargo xtask audit`: whether what Keyplan is built from may be used, comes from where it should, and is known to
//! be unsafe. Licences and origins are read from the lock files, on any machine. Advisories are looked up by
//! `cargo deny` and `npm audit`; where one of them or what it asks cannot be had, that is said and has a status of
//! its own, for silence would look like a clean answer.

use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::process::{Program, on_path};
use crate::tidy;

/// The workspaces, each with a lock of its own.
const WORKSPACES: [&str; 6] = [
    "Cargo.toml",
    "crates/keyplan-aws/Cargo.toml",
    "fuzz/run/Cargo.toml",
    "bench/Cargo.toml",
    "bench/embedded-peer/Cargo.toml",
    "xtask/wasm-bindgen/Cargo.toml",
];
/// The folders with a `package-lock.json`.
const PACKAGES: [&str; 3] = ["web", "conformance/clients/javascript", "xtask/binaryen"];

/// What came of a check.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Clean,
    /// What was found is for the terminal.
    Found(String),
    /// Why it could not be made.
    Unchecked(String),
}

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("`cargo xtask audit` takes no `{argument}`")));
    }
    let mut verdicts = vec![("licences and sources".to_owned(), locks(place)?)];
    verdicts.extend(crates(place)?);
    for folder in PACKAGES {
        let answer = Program::new("npm")
            .args(["audit", "--package-lock-only", "--json"])
            .dir(place.file(folder))
            .answer();
        let verdict = match answer {
            Ok(answer) => npm(&answer.printed),
            Err(failure) => Verdict::Unchecked(failure.to_string()),
        };
        verdicts.push((format!("npm audit, {folder}"), verdict));
    }
    for (name, verdict) in &verdicts {
        match verdict {
            Verdict::Clean => println!("ok           {name}"),
            Verdict::Found(what) => println!("FOUND        {name}\n{what}"),
            Verdict::Unchecked(why) => println!("NOT CHECKED  {name}: {why}"),
        }
    }
    judge(&verdicts)
}

/// A finding weighs more than what could not be looked at.
fn judge(verdicts: &[(String, Verdict)]) -> Outcome {
    let count = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|(_, verdict)| wanted(verdict)).count();
    let found = count(|verdict| matches!(verdict, Verdict::Found(_)));
    let unchecked = count(|verdict| matches!(verdict, Verdict::Unchecked(_)));
    let checked = verdicts.len() - unchecked;
    let all = verdicts.len();
    if found > 0 {
        return Err(Failure::new(format!("{checked} of {all} checks made, {found} found something")));
    }
    if unchecked > 0 {
        return Err(Failure::incomplete(format!("{checked} of {all} checks made; they found nothing")));
    }
    println!("audit: {all} checks, nothing found");
    Ok(())
}

fn locks(place: &Place) -> Outcome<Verdict> {
    let findings = tidy::supply_chain(place)?;
    if findings.is_empty() {
        return Ok(Verdict::Clean);
    }
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Ok(Verdict::Found(lines.join("\n")))
}

/// `cargo deny` on every workspace. The advisories are fetched first, so that what cannot be reached is not taken
/// for a finding.
fn crates(place: &Place) -> Outcome<Vec<(String, Verdict)>> {
    if on_path("cargo-deny").is_none() {
        let why = "cargo-deny isn't on this machine; `cargo install --locked cargo-deny` installs it";
        return Ok(vec![("cargo deny".to_owned(), Verdict::Unchecked(why.to_owned()))]);
    }
    let deny = |manifest: &str| {
        Program::new("cargo-deny")
            .args(["--locked", "--color", "never", "--config"])
            .arg(place.file("deny.toml"))
            .arg("--manifest-path")
            .arg(place.file(manifest))
            .dir(place.root())
    };
    let fetched = deny("Cargo.toml").args(["fetch", "db"]).answer()?;
    let mut verdicts = Vec::new();
    let mut kinds = vec!["licenses", "sources", "bans"];
    if fetched.is_success {
        kinds.push("advisories");
    } else {
        let why = format!("they cannot be fetched: {}", first_error(&fetched.complained));
        verdicts.push(("cargo deny, advisories".to_owned(), Verdict::Unchecked(why)));
    }
    for manifest in WORKSPACES {
        let checked = deny(manifest).args(["check", "--hide-inclusion-graph"]).args(&kinds).answer()?;
        let name = format!("cargo deny {}, {manifest}", kinds.join(" "));
        verdicts.push((name, denied(checked.is_success, &checked.complained)));
    }
    Ok(verdicts)
}

/// A finding has a code; any other failure kept it from looking.
fn denied(is_success: bool, complained: &str) -> Verdict {
    if is_success {
        Verdict::Clean
    } else if complained.contains("error[") {
        Verdict::Found(complained.to_owned())
    } else {
        Verdict::Unchecked(first_error(complained).to_owned())
    }
}

fn first_error(complained: &str) -> &str {
    let line = complained.lines().find(|line| line.to_lowercase().contains("error"));
    line.or(complained.lines().next()).unwrap_or("it doesn't say why").trim()
}

/// Reads npm's report, which it prints in place of an error, too.
fn npm(printed: &str) -> Verdict {
    let report: Value = serde_json::from_str(printed).unwrap_or_default();
    let Some(total) = report["metadata"]["vulnerabilities"]["total"].as_u64() else {
        let said = report["message"].as_str().or(report["error"]["summary"].as_str());
        return Verdict::Unchecked(said.unwrap_or("npm's answer holds no report").to_owned());
    };
    if total == 0 {
        return Verdict::Clean;
    }
    let advisories = report["vulnerabilities"].as_object().into_iter().flatten();
    let lines: Vec<String> = advisories
        .map(|(name, advisory)| format!("    {name}: {}", advisory["severity"].as_str().unwrap_or("unrated")))
        .collect();
    Verdict::Found(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_npm_is_clean_only_if_it_says_so() {
        assert_eq!(
            npm(r#"{"vulnerabilities":{},"metadata":{"vulnerabilities":{"total":0}}}"#),
            Verdict::Clean
        );
        let bad =
            r#"{"vulnerabilities":{"a":{"severity":"high"}},"metadata":{"vulnerabilities":{"total":1}}}"#;
        assert_eq!(npm(bad), Verdict::Found("    a: high".to_owned()));
        let refused = r#"{"message":"405 Method Not Allowed"}"#;
        assert_eq!(npm(refused), Verdict::Unchecked("405 Method Not Allowed".to_owned()));
        for nothing in ["", "{}", "no report"] {
            assert!(matches!(npm(nothing), Verdict::Unchecked(_)), "{nothing}");
        }
    }

    #[test]
    fn a_failure_of_cargo_deny_is_a_finding_only_if_it_has_a_code() {
        assert_eq!(denied(true, "warning[duplicate]: twice"), Verdict::Clean);
        assert!(matches!(denied(false, "error[rejected]: a licence"), Verdict::Found(_)));
        let broken = denied(false, "note\nerror: unexpected argument\n");
        assert_eq!(broken, Verdict::Unchecked("error: unexpected argument".to_owned()));
    }

    #[test]
    fn what_was_not_checked_is_no_success_and_a_finding_weighs_more() {
        let named = |verdict| ("a".to_owned(), verdict);
        let clean = || named(Verdict::Clean);
        let unchecked = || named(Verdict::Unchecked("offline".to_owned()));
        let found = || named(Verdict::Found("x".to_owned()));
        judge(&[clean(), clean()]).expect("all is well");
        let code = |verdicts: &[(String, Verdict)]| judge(verdicts).expect_err("not all is well").status();
        assert_eq!(code(&[clean(), unchecked()]), Failure::INCOMPLETE);
        assert_eq!(code(&[unchecked(), found()]), 1);
    }

    #[test]
    fn every_lock_is_looked_at() {
        let place = Place::find().expect("the work tree");
        for manifest in WORKSPACES {
            assert!(place.file(manifest).with_extension("lock").is_file(), "{manifest}");
        }
        for folder in PACKAGES {
            assert!(place.file(folder).join("package-lock.json").is_file(), "{folder}");
        }
    }
}
