//! Debian's package manager, as far as it is needed.

use std::path::Path;

use super::needs::Need;
use crate::failure::Outcome;
use crate::process::Program;

pub fn is_debian() -> bool {
    Path::new("/etc/debian_version").is_file()
}

pub fn is_root() -> bool {
    cfg!(unix) && text_of("id", &["-u"]).is_some_and(|id| id.trim() == "0")
}

/// What a program prints, or nothing if it isn't there or fails.
pub fn text_of(program: &str, arguments: &[&str]) -> Option<String> {
    // The parsers below read English.
    let program = Program::new(program).args(arguments).env("LC_ALL", "C");
    program.output().ok()
}

/// Fetches the lists of packages: a machine made from an image has none, or old ones.
pub fn fresh_lists() -> Outcome {
    Program::new("apt-get").args(["update", "-q"]).run()
}

/// The version of a package that would be installed.
pub fn candidate(package: &str) -> Option<String> {
    read_candidate(&text_of("apt-cache", &["policy", package])?)
}

pub fn install(needs: &[&Need]) -> Outcome {
    let names: Vec<&str> = needs.iter().map(|need| need.name).collect();
    println!("Installing {}", names.join(", "));
    fresh_lists()?;
    let packages = needs.iter().flat_map(|need| need.packages).filter_map(|group| {
        let known = group.iter().find(|package| candidate(package).is_some());
        known.or_else(|| group.last())
    });
    Program::new("apt-get")
        .args(["install", "-y", "-q", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .run()
}

fn read_candidate(policy: &str) -> Option<String> {
    let line = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate:"))?;
    let version = line.trim();
    (version != "(none)").then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_read_from_the_policy() {
        let policy = "clang-19:\n  Installed: (none)\n  Candidate: 1:19.1.7-3\n  Version table:\n";
        assert_eq!(read_candidate(policy).as_deref(), Some("1:19.1.7-3"));
        assert_eq!(read_candidate("x:\n  Candidate: (none)\n"), None);
        assert_eq!(read_candidate(""), None);
    }
}
