//! Two targets side by side.

use std::fmt;

use crate::report::{Outcome, Report, Topic};

/// What two targets made of the same cases.
///
/// ```
/// use keyplan_conformance::{Against, CaseFile, InProcess, run};
///
/// let file = CaseFile::parse(
///     r#"
/// topic: tables
/// about: Tables by name.
/// cases:
///   - name: an account without tables lists none
///     source: API reference, ListTables
///     request: {ListTables: {}}
///     answer: {status: 200, body: {"TableNames": []}}
/// "#,
///     "tables.yaml",
/// )?;
/// let files = [file];
/// let (one, other) = (run(&files, &mut InProcess::new()), run(&files, &mut InProcess::new()));
/// assert_eq!(Against::new(&one, &other).apart(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Against<'r> {
    one: &'r Report,
    other: &'r Report,
}

impl<'r> Against<'r> {
    /// Of two reports on the same cases.
    pub fn new(one: &'r Report, other: &'r Report) -> Against<'r> {
        Against { one, other }
    }

    /// How many cases the two answered differently.
    pub fn apart(&self) -> usize {
        self.pairs().filter(|(one, other)| differ(one, other)).count()
    }

    fn pairs(&self) -> impl Iterator<Item = (&'r Outcome, &'r Outcome)> + use<'r> {
        self.one.outcomes.iter().zip(&self.other.outcomes)
    }

    fn of_topic(&self, topic: &'r Topic) -> impl Iterator<Item = (&'r Outcome, &'r Outcome)> + use<'r> {
        self.pairs().filter(move |(one, _)| one.topic == topic.topic)
    }
}

/// Answers that both fit a case may still be two of those that the service gives.
fn differ(one: &Outcome, other: &Outcome) -> bool {
    one.failure != other.failure || one.as_elsewhere != other.as_elsewhere
}

impl fmt::Display for Against<'_> {
    /// The cases that were answered differently, a line for each topic, and how many were answered alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (one, other) in self.pairs().filter(|(one, other)| differ(one, other)) {
            writeln!(f, "APART {}: {}", one.topic, one.name)?;
            for (whose, outcome) in [("the endpoint", one), ("against", other)] {
                match &outcome.failure {
                    None if outcome.as_elsewhere => {
                        writeln!(f, "    {whose}: as the case says the service does elsewhere")?
                    }
                    None => writeln!(f, "    {whose}: as the case says")?,
                    Some(failure) => writeln!(f, "    {whose}: {failure}")?,
                }
            }
            writeln!(f, "    source: {}", one.source)?;
        }
        let topics = &self.one.topics;
        let width = topics.iter().map(|topic| topic.topic.len()).max().unwrap_or(0);
        writeln!(f, "{:width$}  cases, the endpoint's passed, against's passed, answered differently", "")?;
        for topic in topics {
            let count =
                |counts: fn(&(&Outcome, &Outcome)) -> bool| self.of_topic(topic).filter(counts).count();
            let all = self.of_topic(topic).count();
            let one = count(|(one, _)| one.failure.is_none());
            let other = count(|(_, other)| other.failure.is_none());
            let apart = count(|(one, other)| differ(one, other));
            writeln!(f, "{:width$}  {all:>5} {one:>5} {other:>5} {apart:>5}", topic.topic)?;
        }
        let all = self.one.outcomes.len();
        write!(f, "{} of {all} cases were answered alike", all - self.apart())
    }
}
