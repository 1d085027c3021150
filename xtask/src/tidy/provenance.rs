//! The project speaks of itself alone: no path of the machine it was written on.

use super::{File, Finding};

/// Where people's folders lie, in lower case.
const BANNED: [&str; 3] = ["/root/", "/home/", "/users/"];
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
            why: "a reader has the project, not the machine it was written on",
            remedy: "say it without the path",
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
    fn paths_of_a_machine_are_found() {
        assert_eq!(found("see /root/notes"), 1);
        assert_eq!(found("file:///Users/somebody/notes"), 1);
    }

    #[test]
    fn ordinary_text_is_free() {
        assert_eq!(found("the service's session and its user agent"), 0);
        assert_eq!(found("docs/root/plan.md, ./home/a, {home}/root/x"), 0, "the middle of another path");
    }
}
