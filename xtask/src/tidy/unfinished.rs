//! Nothing half-done is left behind: no reminders, no stand-ins, no tests that don't run.

use super::source::{Language, Source};
use super::words::has_word;
use super::{File, Finding};

/// In any line of a source file, comments above all.
const REMINDERS: [&str; 3] = ["TODO", "FIXME", "XXX"];
/// In the code of Rust.
const STAND_INS: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// In the code of scripts and Python: tests that are left out, or that leave the others out.
const SKIPS: [&str; 13] = [
    "test.skip",
    "it.skip",
    "describe.skip",
    "test.only",
    "it.only",
    "describe.only",
    "test.todo",
    "it.todo",
    "debugger;",
    "pytest.mark.skip",
    "pytest.skip",
    "pytest.mark.xfail",
    "unittest.skip",
];
const ENDINGS: [&str; 8] = [".rs", ".ts", ".js", ".mjs", ".svelte", ".css", ".py", ".sh"];
/// This rule's own words, and those of its neighbours.
const SELF: &str = "xtask/src/tidy/";

pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let counted = ENDINGS.iter().any(|ending| file.path.ends_with(ending));
    if !counted || file.path.starts_with(SELF) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let words = REMINDERS.iter().filter(|word| has_word(line, word));
        findings.extend(words.map(|word| Finding {
            file: file.path.clone(),
            line: index + 1,
            what: format!("a reminder: `{word}`"),
            why: "a reminder in the source is read by nobody who could act on it",
            remedy: "do it now, or file it as an issue and take the words out",
        }));
    }
    let language = Language::of(&file.path);
    let code = match language {
        Some(language) => Source::read(&file.text, language).code,
        None => file.text.lines().map(str::to_owned).collect(),
    };
    let banned: &[&str] = if language == Some(Language::Rust) { &STAND_INS } else { &SKIPS };
    for (index, line) in code.iter().enumerate() {
        let words = banned.iter().filter(|word| has_word(line, word));
        findings.extend(words.map(|word| Finding {
            file: file.path.clone(),
            line: index + 1,
            what: format!("`{word}` is left in"),
            why: "code that isn't there, or a test that doesn't run, looks as if it were and did",
            remedy: "finish it, or take it out",
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        in_file(&file).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn reminders_are_found_in_comments() {
        assert_eq!(found("a.rs", "// TODO: later"), ["a reminder: `TODO`"]);
        assert_eq!(found("a.css", "/* FIXME */"), ["a reminder: `FIXME`"]);
        assert!(found("a.rs", "let mastodon = XXXL;").is_empty());
        assert!(found("a.md", "TODO is a word here").is_empty());
    }

    #[test]
    fn stand_ins_are_found_in_code_alone() {
        assert_eq!(found("a.rs", "todo!()"), ["`todo!` is left in"]);
        assert_eq!(found("a.rs", "#[ignore = \"slow\"]\nfn a() {}"), ["`#[ignore` is left in"]);
        assert!(found("a.rs", "// calls todo!\nlet a = \"dbg!\";").is_empty());
    }

    #[test]
    fn tests_that_are_left_out_are_found() {
        assert_eq!(found("a.test.ts", "test.skip('a', () => {})"), ["`test.skip` is left in"]);
        assert_eq!(found("a.ts", "it.only('a')"), ["`it.only` is left in"]);
        assert_eq!(found("a.py", "@pytest.mark.skip"), ["`pytest.mark.skip` is left in"]);
    }
}
