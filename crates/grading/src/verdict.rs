//! What an answer is found to be.

use keyplan_value::json::{Limits, Tape, Writer};

use crate::exercise::{Request, write_requests};
use crate::world::Outcome;

/// What a check looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckKind {
    /// Whether requests are refused as the solution's are.
    Accepted,
    /// The items that come back.
    Returned,
    /// Their order.
    Order,
    /// The tables afterwards.
    Table,
    /// The operations used.
    Operations,
    /// The number of requests.
    Requests,
    /// Items read.
    Examined,
    /// Read units.
    Read,
    /// Write units.
    Write,
    /// All of it on other data.
    Hidden,
}

impl CheckKind {
    /// The word for it in a lesson's file and in a verdict.
    pub fn word(self) -> &'static str {
        match self {
            CheckKind::Accepted => "accepted",
            CheckKind::Returned => "returned",
            CheckKind::Order => "order",
            CheckKind::Table => "table",
            CheckKind::Operations => "operations",
            CheckKind::Requests => "requests",
            CheckKind::Examined => "examined",
            CheckKind::Read => "read",
            CheckKind::Write => "write",
            CheckKind::Hidden => "hidden",
        }
    }
}

/// One check and what it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it looks at.
    pub kind: CheckKind,
    /// What it asks for.
    pub name: String,
    /// Whether the answer has it.
    pub passed: bool,
    /// What it found, in a few words.
    pub text: String,
}

/// The mistake that an answer makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Its id: one of the exercise's, or a general one.
    pub id: String,
    /// The mistake in a sentence.
    pub title: String,
    /// What to look at.
    pub text: String,
}

impl Diagnosis {
    pub(crate) fn new(id: &str, title: impl Into<String>, text: impl Into<String>) -> Diagnosis {
        Diagnosis { id: id.to_owned(), title: title.into(), text: text.into() }
    }
}

/// What an answer is found to be.
#[derive(Debug)]
pub struct Verdict {
    /// Every check, in the order in which they are shown.
    pub checks: Vec<Check>,
    /// The mistake, if a check failed.
    pub diagnosis: Option<Diagnosis>,
    /// What the answer did on the data that the reader sees.
    pub outcome: Outcome,
    /// The solution and what it did there, if every check passed.
    pub solution: Option<(Vec<Request>, Outcome)>,
}

impl Verdict {
    /// Whether every check passed.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }

    /// The verdict as JSON: `Verdict` in `web/src/contract.ts`.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut json = Writer::new(&mut out);
        json.begin_object().name("passed").boolean(self.passed());
        json.name("checks").begin_array();
        for check in &self.checks {
            json.begin_object().name("kind").string(check.kind.word());
            json.name("name").string(&check.name).name("passed").boolean(check.passed);
            json.name("text").string(&check.text).end_object();
        }
        json.end_array();
        if let Some(diagnosis) = &self.diagnosis {
            json.name("diagnosis").begin_object().name("id").string(&diagnosis.id);
            json.name("title").string(&diagnosis.title).name("text").string(&diagnosis.text).end_object();
        }
        write_receipts(&self.outcome, &mut json);
        if let Some((requests, outcome)) = &self.solution {
            json.name("solution").begin_object();
            write_requests("requests", requests, &mut json);
            write_receipts(outcome, &mut json);
            json.end_object();
        }
        json.end_object();
        String::from_utf8(out).unwrap_or_default()
    }
}

/// What each request answered and cost.
fn write_receipts(outcome: &Outcome, json: &mut Writer<'_>) {
    json.name("receipts").begin_array();
    for reply in &outcome.replies {
        json.begin_object().name("status").integer(reply.status);
        if Tape::parse(reply.body.as_bytes(), &Limits::default()).is_ok() {
            json.name("body").value_with(|out| out.extend_from_slice(reply.body.as_bytes()));
        }
        json.name("trace");
        match &reply.trace {
            Some(trace) => json.value_with(|out| trace.write_json(out)),
            None => json.null(),
        };
        json.end_object();
    }
    json.end_array();
}
