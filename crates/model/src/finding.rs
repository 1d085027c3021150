//! What is wrong with a model file, where, and what to do about it.

use std::fmt;

use crate::limits::{MODEL_FINDINGS_MAX, SUGGESTION_CANDIDATES_MAX, SUGGESTION_NAME_BYTES_MAX};
use crate::problem::Problem;

/// A place in a file; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Position {
    /// The beginning of the file: where a finding about the whole of it stands.
    pub const START: Position = Position { line: 1, column: 1 };
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where it stands.
    pub at: Position,
    /// What it is.
    pub problem: Problem,
}

impl Finding {
    pub(crate) fn new(at: Position, problem: Problem) -> Finding {
        Finding { at, problem }
    }
}

/// Why a text is no model: at least one finding, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// The file's name as it was handed in.
    pub file: String,
    /// What is wrong, in the order of the file; at most [`MODEL_FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// How many further findings there were.
    pub left_out: usize,
}

/// Findings on their way: the first ones are kept, the rest is only counted, so that a hostile file
/// can't make the reader look for thousands of similar names.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    left_out: usize,
}

impl Findings {
    /// Takes note of a problem; `problem` is asked only if it is kept.
    pub fn add(&mut self, at: Position, problem: impl FnOnce() -> Problem) {
        if self.kept.len() < MODEL_FINDINGS_MAX {
            self.kept.push(Finding::new(at, problem()));
        } else {
            self.left_out = self.left_out.saturating_add(1);
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The findings as they came, and how many were left out.
    pub fn into_parts(self) -> (Vec<Finding>, usize) {
        (self.kept, self.left_out)
    }

    /// The error for `file`, findings in the file's order.
    pub(crate) fn into_error(self, file: &str) -> ModelError {
        let mut findings = self.kept;
        findings.sort_by_key(|finding| finding.at);
        ModelError { file: file.to_owned(), findings, left_out: self.left_out }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.findings.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{}:{}: {}", self.file, finding.at, finding.problem)?;
            write!(f, "  {}", finding.problem.remedy())?;
        }
        if self.left_out > 0 {
            write!(f, "\n... and {} more", self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for ModelError {}

/// The known name that the writer probably meant: the nearest one that is at most a third off, or one
/// letter in a short name.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > SUGGESTION_NAME_BYTES_MAX {
        return None;
    }
    let letters = name.chars().count();
    let most = (letters / 3).max(usize::from(letters > 1));
    known
        .into_iter()
        .take(SUGGESTION_CANDIDATES_MAX)
        .filter(|candidate| candidate.len() <= SUGGESTION_NAME_BYTES_MAX)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, letter case aside.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().flat_map(char::to_lowercase).collect();
    let mut costs: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row;
        let mut before = row + 1;
        if let Some(first) = costs.first_mut() {
            *first = before;
        }
        for (cost, other) in costs.iter_mut().skip(1).zip(&right) {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = *cost;
            before = changed.min(before + 1).min(*cost + 1);
            *cost = before;
        }
    }
    costs.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["patterns", "entities", "tables"];
        assert_eq!(nearest("pattens", known), Some("patterns"));
        assert_eq!(nearest("Tables", known), Some("tables"));
        assert_eq!(nearest("indexes", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("T", ["S", "N"]), None);
        assert_eq!(nearest("pq", ["pk", "sk"]), Some("pk"));
    }

    #[test]
    fn distances_are_levenshtein() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
