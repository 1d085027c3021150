//! Finding whole words in a line.

/// Whether `word` stands in `line` with no letter, digit or underscore against either end.
/// An end of `word` that is itself none of these needs no such edge.
pub fn has_word(line: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let needs_left = word.starts_with(part_of_name);
    let needs_right = word.ends_with(part_of_name);
    line.match_indices(word).any(|(at, _)| {
        let left = line[..at].ends_with(part_of_name);
        let right = line[at + word.len()..].starts_with(part_of_name);
        !(needs_left && left || needs_right && right)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_edges() {
        assert!(has_word("use std::env;", "std::env"));
        assert!(has_word("rand::random()", "rand::"));
        assert!(!has_word("operand::new()", "rand::"));
        assert!(!has_word("std::environment", "std::env"));
        assert!(has_word("#[ignore]", "#[ignore"));
        assert!(has_word("operand::x(); rand::y()", "rand::"), "a later place counts");
    }
}
