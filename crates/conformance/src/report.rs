//! What came of a run.

use std::fmt;

use serde::Serialize;

use crate::compare::Mismatch;

/// The longest body that a report shows, in characters.
const BODY_CHARACTERS_MAX: usize = 1_000;

/// What came of all cases, in the order in which they ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The topics, in the order in which they ran.
    pub topics: Vec<Topic>,
    /// One for each case.
    pub outcomes: Vec<Outcome>,
    /// Operations that the target doesn't know; see [`not_built`](crate::not_built).
    pub not_built: Vec<String>,
    /// Cases that were left out, because the target has no buckets that objects can be put into.
    pub left_out: usize,
}

/// What cases are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Topic {
    /// In a word.
    pub topic: String,
    /// In a sentence.
    pub about: String,
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
        passed(self.outcomes.iter())
    }

    /// How many cases failed.
    pub fn failed(&self) -> usize {
        self.outcomes.len() - self.passed()
    }

    /// What came of a topic's cases.
    pub fn of_topic<'r>(&'r self, topic: &'r Topic) -> impl Iterator<Item = &'r Outcome> + Clone {
        self.outcomes.iter().filter(|outcome| outcome.topic == topic.topic)
    }

    /// The report as JSON, by topic:
    ///
    /// ```json
    /// {"passed": 1, "failed": 0, "notBuilt": ["ExecuteStatement"], "leftOut": 0,
    ///  "topics": [{"topic": "tables", "about": "Tables by name.", "passed": 1, "failed": 0,
    ///              "cases": [{"name": "...", "source": "...", "failure": null, "asElsewhere": false}]}]}
    /// ```
    pub fn to_json(&self) -> String {
        let topics = self.topics.iter().map(|topic| {
            let cases: Vec<_> = self.of_topic(topic).map(CaseInJson::of).collect();
            let passed = passed(self.of_topic(topic));
            TopicInJson { topic, passed, failed: cases.len() - passed, cases }
        });
        let report = ReportInJson {
            passed: self.passed(),
            failed: self.failed(),
            not_built: &self.not_built,
            left_out: self.left_out,
            topics: topics.collect(),
        };
        // Texts and numbers alone: there is nothing in it that could not be written.
        serde_json::to_string(&report).unwrap_or_default()
    }
}

fn passed<'r>(outcomes: impl Iterator<Item = &'r Outcome>) -> usize {
    outcomes.filter(|outcome| outcome.failure.is_none()).count()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportInJson<'r> {
    passed: usize,
    failed: usize,
    not_built: &'r [String],
    left_out: usize,
    topics: Vec<TopicInJson<'r>>,
}

#[derive(Serialize)]
struct TopicInJson<'r> {
    #[serde(flatten)]
    topic: &'r Topic,
    passed: usize,
    failed: usize,
    cases: Vec<CaseInJson<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CaseInJson<'r> {
    name: &'r str,
    source: &'r str,
    failure: Option<String>,
    as_elsewhere: bool,
}

impl<'r> CaseInJson<'r> {
    fn of(outcome: &'r Outcome) -> CaseInJson<'r> {
        CaseInJson {
            name: &outcome.name,
            source: &outcome.source,
            failure: outcome.failure.as_ref().map(Failure::to_string),
            as_elsewhere: outcome.as_elsewhere,
        }
    }
}

impl fmt::Display for Report {
    /// Failures in full, a line for each topic, the operations that are not built, and the closing
    /// line `N passed, N failed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for outcome in &self.outcomes {
            if let Some(failure) = &outcome.failure {
                writeln!(f, "FAILED {}: {}", outcome.topic, outcome.name)?;
                writeln!(f, "    {failure}")?;
                writeln!(f, "    source: {}", outcome.source)?;
            }
        }
        let width = self.topics.iter().map(|topic| topic.topic.len()).max().unwrap_or(0);
        for topic in &self.topics {
            let of_topic = self.of_topic(topic);
            let (passed, all) = (passed(of_topic.clone()), of_topic.count());
            writeln!(f, "{:width$}  {passed} of {all}", topic.topic)?;
        }
        if !self.not_built.is_empty() {
            writeln!(f, "not built: {}", self.not_built.join(", "))?;
        }
        if self.left_out > 0 {
            writeln!(f, "left out: {} cases that need buckets; see --buckets", self.left_out)?;
        }
        write!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}
