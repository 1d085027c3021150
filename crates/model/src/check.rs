//! From the shape of a file to a model: names resolved, templates parsed, values typed, and a finding
//! for whatever does not hang together.

mod entities;
mod items;
mod patterns;
pub(crate) mod tables;

use crate::finding::{Findings, nearest};
use crate::model::{CounterDesign, Design, Model, Note};
use crate::placed::{At, Entries};
use crate::problem::{Named, Problem};
use crate::shape::{CounterDesignShape, EntityShape, ModelShape, SampleShape, TableShape, TrafficShape};
use crate::template::Template;
use crate::traffic::{Rate, Traffic};

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
    let items = Items { shapes: &shape.items.0, whole: true };
    let design = design(&shape.tables, &shape.entities, items, &names, findings);
    let patterns = patterns::check(&shape.patterns, &design, &names, findings);
    let counter_design =
        shape.counter_design.as_ref().and_then(|counter| counter_design(counter, &shape, &names, findings));
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
        design,
        patterns,
        traffic,
        notes: notes.collect(),
        counter_design,
    }
}

/// Sample items, and whether the entities must know all that they hold.
struct Items<'s> {
    shapes: &'s [SampleShape],
    whole: bool,
}

fn design(
    table_shapes: &Entries<TableShape>,
    entities: &Entries<EntityShape>,
    items: Items<'_>,
    names: &Names<'_>,
    findings: &mut Findings,
) -> Design {
    let tables = tables::check(table_shapes, findings);
    if tables.is_empty() && findings.is_empty() {
        findings.add(crate::Position::START, || Problem::Empty { what: "`tables`" });
    }
    let entities = entities::check(entities, &tables, names, findings);
    if entities.is_empty() && findings.is_empty() {
        findings.add(crate::Position::START, || Problem::Empty { what: "`entities`" });
    }
    tables::attributes_are_given(table_shapes, &tables, &entities, names, findings);
    let items = items::check(&items, &entities, names, findings);
    Design { tables, entities, items }
}

/// The other design: its own tables and entities over the same items, unless it has items of its own.
fn counter_design(
    shape: &CounterDesignShape,
    model: &ModelShape,
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<CounterDesign> {
    filled("the counter-design's text", &shape.text, findings);
    known(Named::Pattern, &shape.compares, names.patterns.iter().copied(), findings);
    let names = Names {
        tables: shape.tables.names(),
        entities: shape.entities.names(),
        patterns: vec![shape.compares.value.as_str()],
    };
    let items = match &shape.items {
        Some(own) => Items { shapes: &own.0, whole: true },
        None => Items { shapes: &model.items.0, whole: false },
    };
    let design = design(&shape.tables, &shape.entities, items, &names, findings);
    let pattern = patterns::check_one(&shape.compares, &shape.pattern, &design, &names, findings)?;
    Some(CounterDesign {
        text: shape.text.value.trim().to_owned(),
        compares: shape.compares.value.clone(),
        design,
        pattern,
    })
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
