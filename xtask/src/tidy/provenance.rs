//! The project speaks of itself alone: no path of the machine it was written on, no address of
//! a package registry, no word of the tools that wrote it.

use super::{File, Finding};

/// What never stands in a file, in lower case.
const BANNED: [&str; 14] = [
    "/work/",
    "/root/",
    "/tmp/kp",
    "registry.npmjs.org",
    "files.pythonhosted.org",
    "pypi.org",
    "deb.debian.org",
    "static.crates.io",
    "index.crates.io",
    "subagent",
    "anthropic",
    "chatgpt",
    "openai",
    "as an ai ",
];
/// This rule's own words.
const SELF: &str = "xtask/src/tidy/provenance.rs";

pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|file| file.path != SELF).flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let line = line.to_lowercase();
        let words = BANNED.iter().filter(|word| stands_in(&line, word));
        findings.extend(words.map(|word| Finding {
            file: file.path.clone(),
            line: index + 1,
            what: format!("`{}`", word.trim()),
            why: "a reader needs the project, not the workplace it came from; a mirror must serve as well as a registry",
            remedy: "say it without the path, the host or the tool",
        }));
    }
    findings
}

/// A path counts where it begins, not in the middle of another.
fn stands_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !word.starts_with('/')
            || !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-*)}]".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        in_file(&File { path: "a.md".to_owned(), text: text.to_owned() }).len()
    }

    #[test]
    fn paths_and_hosts_of_a_workplace_are_found() {
        assert_eq!(found("see /root/notes"), 1);
        assert_eq!(found("\"resolved\": \"https://Registry.npmjs.org/a\""), 1);
    }

    #[test]
    fn ordinary_text_is_free() {
        assert_eq!(found("the service's session and its user agent"), 0);
        assert_eq!(found("docs/work/plan.md, ./work/a, {home}/root/x"), 0, "the middle of another path");
    }
}
