//! A model stands in its file. A table, an item or a figure of it that also stands in Rust or
//! TypeScript would make the page show what the code knows instead of what the model says.
//!
//! The file is read roughly: names of tables and patterns by their indentation, values of items
//! and examples by their place after a colon or in a list. Tests are free, since they say what
//! a model's run must give.

use std::collections::BTreeSet;

use super::source::{Language, Source};
use super::words::has_word;
use super::{File, Finding};

const MODELS: &str = "content/models/";
/// A value this long that is no plain word is the model's own wherever it stands in a string.
const TELLING_CHARS_MIN: usize = 5;
/// Shorter values are anybody's, and so are words in small letters: `sent`, `returned`.
const VALUE_CHARS_MIN: usize = 4;
/// A number with so many digits is found in code, not only in strings.
const TELLING_DIGITS_MIN: usize = 5;

/// What a model says, as far as it can be told apart from everything else.
#[derive(Debug, Default, PartialEq, Eq)]
struct Signs {
    /// Only the whole of a string counts.
    words: BTreeSet<String>,
    /// Counts anywhere in a string or in a page's text.
    telling: BTreeSet<String>,
    /// Counts anywhere in code, too.
    numbers: BTreeSet<String>,
}

pub fn check(files: &[File]) -> Vec<Finding> {
    let mut signs = Signs::default();
    for model in files.iter().filter(|file| is_model(&file.path)) {
        signs.read(&model.text);
    }
    let checked = files.iter().filter(|file| !is_test(&file.path));
    checked.flat_map(|file| in_file(file, &signs)).collect()
}

fn is_model(path: &str) -> bool {
    path.starts_with(MODELS) && (path.ends_with(".yaml") || path.ends_with(".yml"))
}

fn is_test(path: &str) -> bool {
    let named = |part: &str| ["tests", "test", "benches", "fixtures"].contains(&part);
    path.split('/').any(named)
        || path.ends_with("/tests.rs")
        || path.contains(".test.")
        || path.contains(".spec.")
        || path.starts_with("web/browser/")
        || path.starts_with("xtask/src/tidy/")
}

impl Signs {
    fn read(&mut self, model: &str) {
        let mut section = "";
        for line in model.lines().map(without_comment) {
            let indent = line.len() - line.trim_start().len();
            let (key, _) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
            match (indent, section) {
                (0, _) => section = key,
                (2, "tables" | "patterns") if !key.starts_with('-') => {
                    self.words.insert(unquoted(key).to_owned());
                }
                (_, "items") => values(line).into_iter().for_each(|value| self.value(&value)),
                _ => {}
            }
            if section == "patterns" {
                let examples = line.split("example:").skip(1);
                examples.filter_map(first_value).for_each(|value| self.value(&value));
            }
        }
    }

    fn value(&mut self, value: &str) {
        let plain_word = value.chars().all(char::is_alphabetic);
        if plain_word && value.chars().all(char::is_lowercase) {
            return;
        }
        let number = value.chars().all(|c| c.is_ascii_digit() || c == '.');
        let digits = value.chars().filter(char::is_ascii_digit).count();
        if number && digits >= TELLING_DIGITS_MIN {
            self.numbers.insert(value.to_owned());
        } else if !plain_word && !number && value.chars().count() >= TELLING_CHARS_MIN {
            self.telling.insert(value.to_owned());
        } else if value.chars().count() >= VALUE_CHARS_MIN {
            self.words.insert(value.to_owned());
        }
    }
}

fn in_file(file: &File, signs: &Signs) -> Vec<Finding> {
    let Some(language) = Language::of(&file.path) else {
        return Vec::new();
    };
    let source = Source::read(&file.text, language);
    let mut found: BTreeSet<(usize, &str)> = BTreeSet::new();
    for (line, text) in &source.strings {
        if source.is_test_line(*line) {
            continue;
        }
        let whole = signs.words.iter().filter(|word| is_whole(text, word));
        let within = signs.telling.iter().chain(&signs.numbers).filter(|sign| has_word(text, sign));
        found.extend(whole.chain(within).map(|sign| (*line, sign.as_str())));
    }
    for (line, code) in source.shipped() {
        let code = if language == Language::Rust { code.replace('_', "") } else { code.to_owned() };
        let numbers = signs.numbers.iter().filter(|number| has_word(&code, number));
        found.extend(numbers.map(|sign| (line, sign.as_str())));
        if file.path.ends_with(".svelte") {
            let telling = signs.telling.iter().filter(|sign| has_word(&code, sign));
            found.extend(telling.map(|sign| (line, sign.as_str())));
        }
    }
    let finding = |(line, sign): (usize, &str)| Finding {
        file: file.path.clone(),
        line,
        what: format!("`{sign}` stands in a model under {MODELS}"),
        why: "a page must show what the model says; what the code also knows, it could show without it",
        remedy: "read it from the model; an example in code takes names of its own",
    };
    found.into_iter().map(finding).collect()
}

/// Whether a string is the word, or JSON with the word as one of its strings.
fn is_whole(text: &str, word: &str) -> bool {
    text == word || text.contains(&format!("\"{word}\"")) || text.contains(&format!("\"{word}\\\""))
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == '"' {
            quoted = !quoted;
        }
        if c == '#' && before == ' ' && !quoted {
            return line[..at].trim_end();
        }
        before = c;
    }
    line
}

/// The values in a line of an item: after a colon, or in a list.
fn values(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            '{' | '}' | '[' | ']' | ',' if !quoted => parts.push(String::new()),
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(c);
                }
            }
        }
    }
    let value = |part: &String| {
        let part = part.trim().trim_start_matches("- ");
        part.split_once(": ").map_or(part, |(_, value)| value).trim().to_owned()
    };
    let values = parts.iter().map(value);
    values.filter(|value| !value.is_empty() && !value.ends_with(':')).collect()
}

fn first_value(text: &str) -> Option<String> {
    values(text).into_iter().next()
}

fn unquoted(text: &str) -> &str {
    text.trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r##"title: Plants
tables:
  Garden:
    key: { partition: pk }    # a comment
patterns:
  plants-by-bed:
    parameters: { bed: { example: "BED#north-7" } }
items:
  - Plant: { bed: north-7, name: Blue Spruce, planted: 1578873600, height: 12, stage: grown, tags: [tall, "a, b"] }
notes:
  - text: elsewhere
"##;

    fn found(path: &str, text: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let files = [file("content/models/plants.yaml", MODEL), file(path, text)];
        check(&files).into_iter().map(|finding| format!("{} {}", finding.line, finding.what)).collect()
    }

    #[test]
    fn a_model_is_read_for_its_signs() {
        let mut signs = Signs::default();
        signs.read(MODEL);
        let all = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
        assert_eq!(all(&signs.words), ["Garden", "a, b", "plants-by-bed"]);
        assert_eq!(all(&signs.telling), ["BED#north-7", "Blue Spruce", "north-7"]);
        assert_eq!(all(&signs.numbers), ["1578873600"]);
    }

    #[test]
    fn a_table_name_is_found_as_a_whole_string_or_in_json() {
        assert_eq!(found("a.rs", "f(\"Garden\");").len(), 1);
        assert_eq!(found("a.ts", "f('{\"TableName\":\"Garden\"}');").len(), 1);
        assert!(found("a.rs", "struct Garden; f(\"the Garden of\");").is_empty());
    }

    #[test]
    fn values_are_found_in_strings_pages_and_code() {
        assert_eq!(found("a.rs", "\nf(\"for BED#north-7\");").len(), 2, "the value and what holds it");
        assert_eq!(found("a.svelte", "<p>Blue Spruce</p>").len(), 1);
        assert_eq!(found("a.rs", "let since = 1_578_873_600;").len(), 1);
        assert!(found("a.rs", "let height = 12; // north-7").is_empty());
    }

    #[test]
    fn tests_may_know_the_model() {
        assert!(found("crates/model/tests/a.rs", "f(\"Garden\");").is_empty());
        assert!(found("web/src/a.test.ts", "f('Garden');").is_empty());
        assert!(found("a.rs", "#[cfg(test)]\nmod tests { fn a() { f(\"Garden\") } }").is_empty());
    }
}
