//! Grading: the answer and the solution are run on the same data, seen and hidden, and compared.

use keyplan_engine::Timestamp;
use keyplan_engine::capacity::Units;

use crate::compare::{ItemsDifference, TableFault, compare_items, compare_tables};
use crate::diagnosis::diagnose;
use crate::exercise::{Checks, Exercise, Request};
use crate::verdict::{Check, CheckKind, Verdict};
use crate::world::{Outcome, World, WorldError};

/// An answer and the solution on one set of data.
#[derive(Debug)]
pub(crate) struct Judged {
    pub outcome: Outcome,
    pub expected: Outcome,
    pub items: ItemsDifference,
    pub tables: Vec<TableFault>,
}

impl Judged {
    fn new<'r>(
        exercise: &Exercise,
        data: impl Iterator<Item = &'r Request> + Clone,
        answer: &[Request],
        now: Timestamp,
    ) -> Result<Judged, WorldError> {
        let outcome = World::new(data.clone(), now)?.run(answer);
        let expected = World::new(data, now)?.run(&exercise.solution);
        let attributes = exercise.checks.returned.as_ref().map(|returned| returned.attributes.as_slice());
        let items = compare_items(expected.items(), outcome.items(), attributes.unwrap_or_default());
        let tables = compare_tables(&expected.tables, &outcome.tables, &exercise.checks.ignore);
        Ok(Judged { outcome, expected, items, tables })
    }

    /// Whether the last request is refused as the solution's is, or as little.
    pub fn accepted(&self) -> bool {
        self.outcome.error() == self.expected.error()
    }

    /// Whether what was read and spent can speak for the answer: that of a request which was refused, and should
    /// not have been, says nothing of what the right one costs.
    fn cost_counts(&self) -> bool {
        self.accepted() || self.outcome.error().is_none()
    }

    /// The read units that may be spent: on other data the solution itself may need more.
    fn read_bound(&self, checks: &Checks) -> Option<Units> {
        checks.read_halves.map(|halves| Units::halves(halves).max(self.expected.read_units()))
    }

    fn write_bound(&self, checks: &Checks) -> Option<Units> {
        checks.write_halves.map(|halves| Units::halves(halves).max(self.expected.write_units()))
    }

    fn examined_bound(&self, checks: &Checks) -> Option<u64> {
        checks.examined.map(|items| items.max(self.expected.examined()))
    }

    /// The kinds of check that don't pass on this data.
    pub fn failures(&self, checks: &Checks) -> Vec<CheckKind> {
        let mut failed = Vec::new();
        let mut note = |kind, passed: bool| {
            if !passed {
                failed.push(kind);
            }
        };
        note(CheckKind::Accepted, self.accepted());
        if let Some(returned) = &checks.returned {
            note(CheckKind::Returned, self.items.same_items());
            note(CheckKind::Order, returned.order.is_none() || self.items.in_order);
        }
        note(CheckKind::Table, self.tables.is_empty());
        let counts = self.cost_counts();
        note(
            CheckKind::Examined,
            self.examined_bound(checks).is_none_or(|bound| counts && self.outcome.examined() <= bound),
        );
        note(
            CheckKind::Read,
            self.read_bound(checks).is_none_or(|bound| counts && self.outcome.read_units() <= bound),
        );
        note(
            CheckKind::Write,
            self.write_bound(checks).is_none_or(|bound| counts && self.outcome.write_units() <= bound),
        );
        failed
    }
}

/// Grades an answer.
///
/// # Errors
/// When the exercise's data can't be set up: never for a checked lesson.
pub fn grade(exercise: &Exercise, answer: &[Request], now: Timestamp) -> Result<Verdict, WorldError> {
    let seen = Judged::new(exercise, exercise.setup.iter(), answer, now)?;
    let hidden = match &exercise.hidden {
        Some(variant) => {
            let data = exercise.setup.iter().chain(&variant.requests);
            Some(Judged::new(exercise, data, answer, now)?)
        }
        None => None,
    };
    let checks = checks(exercise, answer, &seen, hidden.as_ref());
    let failed: Vec<CheckKind> =
        checks.iter().filter(|check| !check.passed).map(|check| check.kind).collect();
    let diagnosis = if failed.is_empty() {
        None
    } else {
        let own = exercise.rules.iter().find(|rule| rule.matches(answer, &seen.outcome, &failed));
        Some(match own {
            Some(rule) => crate::verdict::Diagnosis::new(&rule.id, &rule.title, &rule.text),
            None => diagnose(exercise, answer, &seen, hidden.as_ref(), &failed),
        })
    };
    let solution = failed.is_empty().then(|| (exercise.solution.clone(), seen.expected));
    Ok(Verdict { checks, diagnosis, outcome: seen.outcome, solution })
}

fn checks(exercise: &Exercise, answer: &[Request], seen: &Judged, hidden: Option<&Judged>) -> Vec<Check> {
    let asked = &exercise.checks;
    let failed = seen.failures(asked);
    let hidden_failures = hidden.map(|hidden| hidden.failures(asked)).unwrap_or_default();
    let mut checks = Vec::new();
    let mut add = |kind: CheckKind, name: String, passed: bool, text: String| {
        checks.push(Check { kind, name, passed, text });
    };
    let passes = |kind: CheckKind| !failed.contains(&kind);
    match (seen.outcome.error(), seen.expected.error()) {
        (None, None) => {}
        (found, Some(error)) => {
            let name = format!("Refused with {error}");
            add(
                CheckKind::Accepted,
                name,
                passes(CheckKind::Accepted),
                found.unwrap_or("not refused").to_owned(),
            );
        }
        (Some(error), None) => {
            add(CheckKind::Accepted, "The request is accepted".to_owned(), false, error.to_owned());
        }
    }
    if let Some(returned) = &asked.returned {
        let ItemsDifference { expected, found, right, .. } = seen.items;
        let name = match expected {
            1 => "The item".to_owned(),
            count => format!("The {count} items"),
        };
        let others = found.saturating_sub(right);
        let text = if others == 0 {
            format!("{right} of {expected}")
        } else {
            format!("{right} of {expected}, and {others} other")
        };
        add(CheckKind::Returned, name, passes(CheckKind::Returned), text);
        if let Some(order) = &returned.order {
            let text = match (seen.items.in_order, hidden_failures.contains(&CheckKind::Order)) {
                (true, true) => "by chance",
                (true, false) => "as asked",
                (false, _) if seen.items.reversed => "the other way round",
                (false, _) => "another order",
            };
            add(CheckKind::Order, order.clone(), passes(CheckKind::Order), text.to_owned());
        }
    }
    if asked.table.is_some() || !passes(CheckKind::Table) {
        let name = asked.table.clone().unwrap_or_else(|| "The table afterwards".to_owned());
        let text = match seen.tables.len() {
            0 => "as it should be".to_owned(),
            1 => "1 difference".to_owned(),
            count => format!("{count} differences"),
        };
        add(CheckKind::Table, name, passes(CheckKind::Table), text);
    }
    if !asked.operations.is_empty() {
        let other = other_operation(asked, answer);
        let name = format!("With {}", asked.operations.join(", "));
        add(CheckKind::Operations, name, other.is_none(), other.unwrap_or("as asked").to_owned());
    }
    if let Some(most) = asked.requests {
        let name = format!("At most {most} {}", if most == 1 { "request" } else { "requests" });
        add(CheckKind::Requests, name, answer.len() as u64 <= most, answer.len().to_string());
    }
    let cost = |spent: String| if seen.cost_counts() { spent } else { "refused".to_owned() };
    if let Some(bound) = seen.examined_bound(asked) {
        let name = format!("At most {bound} items read");
        let examined = cost(seen.outcome.examined().to_string());
        add(CheckKind::Examined, name, passes(CheckKind::Examined), examined);
    }
    let units = [
        (CheckKind::Read, seen.read_bound(asked), seen.outcome.read_units(), "read"),
        (CheckKind::Write, seen.write_bound(asked), seen.outcome.write_units(), "write"),
    ];
    for (kind, bound, spent, word) in units {
        if let Some(bound) = bound {
            let text = cost(format!("{spent} {word} units"));
            add(kind, format!("At most {bound} {word} units"), passes(kind), text);
        }
    }
    if let Some(hidden) = hidden {
        let text = hidden_text(hidden, &hidden_failures);
        add(CheckKind::Hidden, "Hidden data".to_owned(), hidden_failures.is_empty(), text);
    }
    checks
}

/// An operation of the answer that was not asked for.
pub(crate) fn other_operation<'r>(asked: &Checks, answer: &'r [Request]) -> Option<&'r str> {
    let operations = answer.iter().map(Request::operation);
    operations
        .filter(|_| !asked.operations.is_empty())
        .find(|name| !asked.operations.iter().any(|other| other == name))
}

/// What is wrong on the hidden data, in a few words each.
fn hidden_text(hidden: &Judged, failed: &[CheckKind]) -> String {
    if failed.is_empty() {
        return "as on this data".to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    for kind in failed {
        words.push(match kind {
            CheckKind::Accepted => match hidden.outcome.error() {
                Some(error) => error.to_owned(),
                None => "not refused".to_owned(),
            },
            CheckKind::Returned => "other items".to_owned(),
            CheckKind::Order if failed.contains(&CheckKind::Returned) => continue,
            CheckKind::Order => "another order".to_owned(),
            CheckKind::Table => "another table afterwards".to_owned(),
            CheckKind::Examined | CheckKind::Read | CheckKind::Write if !hidden.cost_counts() => continue,
            CheckKind::Examined => format!("{} items read", hidden.outcome.examined()),
            CheckKind::Read => format!("{} read units", hidden.outcome.read_units()),
            CheckKind::Write => format!("{} write units", hidden.outcome.write_units()),
            CheckKind::Operations | CheckKind::Requests | CheckKind::Hidden => continue,
        });
    }
    words.join(", ")
}
