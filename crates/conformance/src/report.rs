//! What came of a run.

use std::fmt;

use crate::compare::Mismatch;

/// The longest body that a report shows, in characters.
const BODY_CHARACTERS_MAX: usize = 1_000;

/// What came of all cases, in the order in which they ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// One for each case.
    pub outcomes: Vec<Outcome>,
    /// Operations that the target doesn't know; see [`not_built`](crate::not_built).
    pub not_built: Vec<String>,
}

/// What came of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The case's topic.
    pub topic: String,
    /// The case's name.
    pub name: String,
    /// Who says so.
    pub source: String,
    /// What went wrong, if something did.
    pub failure: Option<Failure>,
    /// The answer is not the case's first, but one that the service gives elsewhere.
    pub as_elsewhere: bool,
}

/// Why a case failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are what their names say.
pub enum Failure {
    /// The target gave no answer.
    NoAnswer { what: String },
    /// A request before the case was refused.
    Setup { operation: String, status: u16, body: String },
    /// An answer lacks what was to be kept of it.
    NothingToKeep { name: String, path: String, body: String },
    /// A table does not reach a state.
    Stuck { table: String, status: String },
    /// A header that every answer has is missing or wrong.
    Header { header: &'static str, expected: String, found: Option<String> },
    /// The status is another one.
    Status { expected: u16, found: u16, body: String },
    /// The body is no JSON.
    NotJson { body: String },
    /// The body is another one.
    Body { mismatch: Mismatch, body: String },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoAnswer { what } => f.write_str(what),
            Failure::Setup { operation, status, body } => {
                write!(f, "the set-up's {operation} was refused with {status}: {}", cut(body))
            }
            Failure::NothingToKeep { name, path, body } => {
                write!(f, "there is no text at {path} to keep as `{name}`: {}", cut(body))
            }
            Failure::Stuck { table, status } => write!(f, "table {table} does not become {status}"),
            Failure::Header { header, expected, found } => {
                let found = found.as_deref().unwrap_or("nothing");
                write!(f, "{header} should be {expected}, and is {found}")
            }
            Failure::Status { expected, found, body } => {
                write!(f, "the status should be {expected}, and is {found}: {}", cut(body))
            }
            Failure::NotJson { body } => write!(f, "the body is no JSON: {}", cut(body)),
            Failure::Body { mismatch: Mismatch { path, expected, found }, body } => write!(
                f,
                "{path}\n      should be {expected}\n      and is    {found}\n      body      {}",
                cut(body)
            ),
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(BODY_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

impl Report {
    /// How many cases passed.
    pub fn passed(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.failure.is_none()).count()
    }

    /// How many cases failed.
    pub fn failed(&self) -> usize {
        self.outcomes.len() - self.passed()
    }
}

impl fmt::Display for Report {
    /// Failures in full, a line for each topic, the operations that are not built, and the closing
    /// line `N passed, N failed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut topics: Vec<&str> = Vec::new();
        for outcome in &self.outcomes {
            if !topics.contains(&outcome.topic.as_str()) {
                topics.push(&outcome.topic);
            }
            if let Some(failure) = &outcome.failure {
                writeln!(f, "FAILED {}: {}", outcome.topic, outcome.name)?;
                writeln!(f, "    {failure}")?;
                writeln!(f, "    source: {}", outcome.source)?;
            }
        }
        let width = topics.iter().map(|topic| topic.len()).max().unwrap_or(0);
        for topic in topics {
            let of_topic = self.outcomes.iter().filter(|outcome| outcome.topic == topic);
            let all = of_topic.clone().count();
            let passed = of_topic.filter(|outcome| outcome.failure.is_none()).count();
            writeln!(f, "{topic:width$}  {passed} of {all}")?;
        }
        if !self.not_built.is_empty() {
            writeln!(f, "not built: {}", self.not_built.join(", "))?;
        }
        write!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}
