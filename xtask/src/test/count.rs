//! How many tests passed and failed, read from what their runners print at the end.

use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Whose closing lines to look for.
#[derive(Clone, Copy, Debug)]
pub enum Runner {
    /// `test result: ok. 3 passed; 1 failed; …`, once for each binary.
    Cargo,
    /// `Tests  1 failed | 2 passed (3)`.
    Vitest,
    /// `== 1 failed, 2 passed in 0.12s ==`.
    Pytest,
    /// `ℹ pass 2` and `ℹ fail 1`, each on its line: Node's own.
    Node,
    /// `3 passed, 0 failed` alone on its line.
    Plain,
}

impl Runner {
    /// What one line adds to the count.
    pub fn read(self, line: &str) -> Count {
        let line = without_colours(line);
        let line = line.trim();
        match self {
            Self::Cargo if line.starts_with("test result:") => before_words(line),
            Self::Vitest if line.starts_with("Tests ") => before_words(line),
            Self::Pytest if is_pytests_last(line) => before_words(line.trim_matches(['=', ' '])),
            Self::Node => line.strip_prefix("ℹ ").map_or_else(Count::default, after_words),
            Self::Plain if is_plain(line) => before_words(line),
            _ => Count::default(),
        }
    }
}

/// The numbers before `passed`, `failed` and `errors`.
fn before_words(line: &str) -> Count {
    let words: Vec<&str> =
        line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut count = Count::default();
    for pair in words.windows(2) {
        if let [number, word] = pair
            && let Ok(number) = number.parse::<u64>()
        {
            match *word {
                "passed" => count.passed += number,
                "failed" | "error" | "errors" => count.failed += number,
                _ => {}
            }
        }
    }
    count
}

/// The number after `pass`, `fail` or `cancelled`, where there is nothing else.
fn after_words(line: &str) -> Count {
    let number = |word: &str| line.strip_prefix(word).and_then(|rest| rest.trim().parse().ok()).unwrap_or(0);
    Count { passed: number("pass "), failed: number("fail ") + number("cancelled ") }
}

fn is_pytests_last(line: &str) -> bool {
    let line = line.trim_matches(['=', ' ']);
    let timed = line
        .rsplit_once(" in ")
        .is_some_and(|(_, time)| time.starts_with(|c: char| c.is_ascii_digit()) && time.contains('s'));
    timed && line.starts_with(|c: char| c.is_ascii_digit())
}

fn is_plain(line: &str) -> bool {
    let mut parts = line.split(", ");
    let is = |part: Option<&str>, word: &str| {
        let number = part.and_then(|part| part.strip_suffix(word));
        number.is_some_and(|number| number.trim_end().parse::<u64>().is_ok())
    };
    is(parts.next(), " passed") && is(parts.next(), " failed")
}

/// The line without a terminal's escape sequences.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // `ESC [ … letter`.
            let _ = chars.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(runner: Runner, lines: &str) -> (u64, u64) {
        let mut all = Count::default();
        lines.lines().for_each(|line| all += runner.read(line));
        (all.passed, all.failed)
    }

    #[test]
    fn each_binary_of_cargo_adds_to_the_count() {
        let lines = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n\
                     test result: FAILED. 1 passed; 2 failed; 0 ignored";
        assert_eq!(count(Runner::Cargo, lines), (4, 2));
    }

    #[test]
    fn vitests_files_are_not_its_tests() {
        let lines = " Test Files  2 passed (2)\n      Tests  1 failed | 11 passed (12)\n   Duration  1.2s";
        assert_eq!(count(Runner::Vitest, lines), (11, 1));
        assert_eq!(
            count(Runner::Vitest, "\u{1b}[2m Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m5 passed\u{1b}[39m (5)"),
            (5, 0)
        );
    }

    #[test]
    fn pytests_last_line_is_told_from_its_others() {
        assert_eq!(count(Runner::Pytest, "== 1 failed, 7 passed, 1 error in 12.31s (0:00:12) =="), (7, 2));
        assert_eq!(count(Runner::Pytest, "5 passed in 0.12s"), (5, 0));
        assert_eq!(count(Runner::Pytest, "it said 5 passed in 3s"), (0, 0));
    }

    #[test]
    fn nodes_closing_lines_are_told_from_its_tests() {
        let lines = "✔ it said pass 7 (3ms)\nℹ tests 14\nℹ suites 0\nℹ pass 11\nℹ fail 2\nℹ cancelled 1\n\
                     ℹ skipped 0\nℹ duration_ms 901.5\nℹ pass 5 balls";
        assert_eq!(count(Runner::Node, lines), (11, 3));
        assert_eq!(count(Runner::Node, "\u{1b}[34mℹ pass 4\u{1b}[39m"), (4, 0));
    }

    #[test]
    fn the_plain_form_stands_alone() {
        assert_eq!(count(Runner::Plain, "12 passed, 1 failed"), (12, 1));
        assert_eq!(count(Runner::Plain, "12 passed, 1 failed, 3 skipped"), (12, 1));
        assert_eq!(count(Runner::Plain, "topic a: 12 passed, 1 failed"), (0, 0));
    }
}
