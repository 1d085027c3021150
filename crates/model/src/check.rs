//! From the shape of a file to a model: names resolved, templates parsed, values typed, and a finding
//! for whatever does not hang together.

mod entities;
mod items;
mod patterns;

use crate::finding::{Findings, nearest};
use crate::model::{KeyAttribute, Model, Note, Table};
use crate::placed::{At, Entries};
use crate::problem::{Named, Problem};
use crate::shape::{KeyAttributeShape, ModelShape, TableShape, TrafficShape};
use crate::template::Template;
use crate::traffic::{Rate, Traffic};
use crate::types::KeyType;

/// The version of the form that this program reads.
const FORM_VERSION: u64 = 1;

/// Names in a model stand in page addresses and element ids.
const ID_BYTES_MAX: usize = 64;

/// What the file names, faulty or not: a name that points to a faulty thing is no second fault.
struct Names<'s> {
    tables: Vec<&'s str>,
    entities: Vec<&'s str>,
    patterns: Vec<&'s str>,
}

/// Makes the model, or adds findings. A model that comes with findings is not to be used.
pub(crate) fn check(id: &str, shape: ModelShape, findings: &mut Findings) -> Model {
    if shape.keyplan.value != FORM_VERSION {
        let found = shape.keyplan.value;
        findings.add(shape.keyplan.at, || Problem::Version { found });
    }
    for (what, text) in
        [("the title", &shape.title), ("the question", &shape.question), ("the summary", &shape.summary)]
    {
        filled(what, text, findings);
    }
    is_id(&shape.category, findings);
    for lesson in &shape.lessons.0 {
        is_id(lesson, findings);
    }
    let names = Names {
        tables: shape.tables.names(),
        entities: shape.entities.names(),
        patterns: shape.patterns.names(),
    };
    let tables = tables(&shape.tables, findings);
    if tables.is_empty() && findings.is_empty() {
        findings.add(crate::Position::START, || Problem::Empty { what: "`tables`" });
    }
    let entities = entities::check(&shape.entities, &tables, &names, findings);
    if entities.is_empty() && findings.is_empty() {
        findings.add(crate::Position::START, || Problem::Empty { what: "`entities`" });
    }
    let patterns = patterns::check(&shape.patterns, &tables, &entities, &names, findings);
    let items = items::check(&shape.items.0, &entities, &names, findings);
    let traffic = traffic(&shape.traffic, &names, findings);
    let notes = shape.notes.0.into_iter().map(|note| {
        filled("the note's title", &note.title, findings);
        filled("the note's text", &note.text, findings);
        Note { kind: note.kind.value, title: note.title.value, text: note.text.value }
    });
    Model {
        id: id.to_owned(),
        title: shape.title.value,
        question: shape.question.value,
        category: shape.category.value,
        summary: shape.summary.value.trim().to_owned(),
        lessons: shape.lessons.0.into_iter().map(|lesson| lesson.value).collect(),
        tables,
        entities,
        patterns,
        items,
        traffic,
        notes: notes.collect(),
        counter_design: shape.counter_design.map(|design| design.text.value),
    }
}

fn tables(shapes: &Entries<TableShape>, findings: &mut Findings) -> Vec<Table> {
    let mut tables = Vec::new();
    for (name, shape) in &shapes.list {
        if !is_table_name(&name.value) {
            findings.add(name.at, || Problem::TableName { text: name.value.clone() });
        }
        tables.push(Table {
            name: name.value.clone(),
            partition: key_attribute(&shape.key.partition, findings),
            sort: shape.key.sort.as_ref().map(|sort| key_attribute(sort, findings)),
            billing: shape.billing.as_ref().map(|billing| billing.value).unwrap_or_default(),
        });
    }
    tables
}

fn key_attribute(shape: &At<KeyAttributeShape>, findings: &mut Findings) -> KeyAttribute {
    use crate::types::AttributeType;

    let name = shape.value.name.clone();
    if name.is_empty() {
        findings.add(shape.at, || Problem::Empty { what: "the key attribute's name" });
    }
    let kind = match &shape.value.kind {
        None => KeyType::S,
        Some(kind) => match kind.value {
            AttributeType::S => KeyType::S,
            AttributeType::N => KeyType::N,
            _ => {
                findings.add(kind.at, || Problem::Form {
                    expected: "S or N, the types of a model's keys,".to_owned(),
                });
                KeyType::S
            }
        },
    };
    KeyAttribute { name, kind }
}

fn traffic(shapes: &Entries<TrafficShape>, names: &Names<'_>, findings: &mut Findings) -> Vec<Traffic> {
    let mut checked = Vec::new();
    for (pattern, shape) in &shapes.list {
        known(Named::Pattern, pattern, names.patterns.iter().copied(), findings);
        let average = rate(&shape.average, findings);
        let peak = shape.peak.as_ref().map(|peak| rate(peak, findings));
        if let (Some(average), Some(peak)) = (average, peak.map_or(Some(None), |rate| rate.map(Some))) {
            checked.push(Traffic { pattern: pattern.value.clone(), average, peak });
        }
    }
    checked
}

fn rate(text: &At<String>, findings: &mut Findings) -> Option<Rate> {
    let rate = Rate::parse(&text.value);
    if rate.is_none() {
        findings.add(text.at, || Problem::NotARate { text: text.value.clone() });
    }
    rate
}

/// A name that is not among the known ones is a finding.
fn known<'k>(
    what: Named,
    name: &At<String>,
    known: impl Iterator<Item = &'k str> + Clone,
    findings: &mut Findings,
) {
    if known.clone().any(|other| other == name.value) {
        return;
    }
    findings.add(name.at, || Problem::Unknown {
        what,
        name: name.value.clone(),
        nearest: nearest(&name.value, known.clone()).map(str::to_owned),
        known: known.map(str::to_owned).collect(),
    });
}

/// A text that says nothing is a finding.
pub fn filled(what: &'static str, text: &At<String>, findings: &mut Findings) {
    if text.value.trim().is_empty() {
        findings.add(text.at, || Problem::Empty { what });
    }
}

/// A name that can stand in page addresses and element ids.
pub fn is_id(text: &At<String>, findings: &mut Findings) {
    let mut letters = text.value.chars();
    let good = text.value.len() <= ID_BYTES_MAX
        && letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    if !good {
        findings.add(text.at, || Problem::NotAnId { text: text.value.clone() });
    }
}

/// A name that the service takes for a table.
pub fn is_table_name(text: &str) -> bool {
    (3..=255).contains(&text.len())
        && text.bytes().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-' | b'.'))
}

fn template(text: &At<String>, findings: &mut Findings) -> Option<Template> {
    match Template::parse(&text.value) {
        Ok(template) => Some(template),
        Err(problem) => {
            findings.add(text.at, || Problem::Template { problem });
            None
        }
    }
}
