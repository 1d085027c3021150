//! A model's page: its design, its questions, and its table before the first request.

use askama::Template;
use keyplan_course::Course;
use keyplan_engine::inspect::Inspection;
use keyplan_engine::operations::built_names;
use keyplan_model::{Model, NoteKind, Part};
use keyplan_prices::Prices;

use crate::error::SiteError;
use crate::figures::{bytes, counted, grouped};
use crate::indexes::{self, IndexEntry};
use crate::key_plan::key_plan;
use crate::layout::{Frame, Layout, SitePart};
use crate::plan::{Content, Plan, plan};
use crate::questions::{Field, Question, fields, questions};
use crate::stage::Stage;
use crate::versus::{Versus, versus};

/// A model, set up and looked at.
pub(crate) struct ModelPage {
    model: Model,
    /// Its place in the list of designs, from 1.
    number: usize,
    /// The data for the page's scripts, fit to stand in a `script` element.
    data: String,
    stage: Stage,
    /// The first table's plan, which the page shows before the first request.
    plan: Plan,
    versus: Option<Versus>,
}

#[derive(Template)]
#[template(path = "model.html")]
struct ModelTemplate<'a> {
    layout: Layout<'a>,
    model: &'a Model,
    number: usize,
    facts: Vec<(&'static str, String)>,
    questions: Vec<Question>,
    fields: Vec<Field>,
    plan: &'a Plan,
    indexes: Vec<IndexEntry>,
    versus: Option<&'a Versus>,
    lessons: Vec<(String, Option<String>)>,
    data: &'a str,
    operations: String,
}

/// The way from a model's page to the course.
const COURSE: &str = "../../course/";

/// The prices as text and as they were read.
#[derive(Clone, Copy, Default)]
pub(crate) struct PriceList<'a> {
    pub text: Option<&'a str>,
    pub read: Option<&'a Prices>,
}

impl ModelPage {
    /// Sets a model up on an engine of its own and inspects its tables; its counter-design is asked too.
    pub fn new(
        model: Model,
        number: usize,
        prices: PriceList<'_>,
        course: &Course,
    ) -> Result<ModelPage, SiteError> {
        let stage = Stage::new(&model)?;
        let first = stage.tables.first().ok_or_else(|| SiteError::NoTables { id: model.id.clone() })?;
        let plan = plan(first);
        let data = stage.data(&model, prices.text, &course.addresses(COURSE))?;
        let versus = versus(&model, prices.read)?;
        Ok(ModelPage { model, number, data, stage, plan, versus })
    }

    pub fn id(&self) -> &str {
        &self.model.id
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn key_plan(&self) -> Vec<u64> {
        key_plan(&self.stage.tables)
    }

    /// How many times as much the counter-design costs.
    pub fn factor(&self) -> Option<&str> {
        self.versus.as_ref()?.factor.as_deref()
    }

    pub fn render(&self, course: &Course, frame: Frame<'_>) -> Result<String, SiteError> {
        let model = &self.model;
        let lesson = |slug: &String| match course.lesson(slug) {
            Some((_, lesson)) => (lesson.title.clone(), Some(format!("{COURSE}{slug}/"))),
            None => (in_words(slug), None),
        };
        let layout =
            Layout::new(format!("{} · Keyplan", model.question), model.summary.clone(), "../../", frame);
        let page = ModelTemplate {
            layout: layout.of(SitePart::Gallery),
            model,
            number: self.number,
            facts: self.facts(),
            questions: questions(&model.patterns),
            fields: model.patterns.first().map(fields).unwrap_or_default(),
            plan: &self.plan,
            indexes: indexes::entries(model.design.indexes(), &self.stage.indexes, &self.stage.tables),
            versus: self.versus.as_ref(),
            lessons: model.lessons.iter().map(lesson).collect(),
            data: &self.data,
            operations: built_names().collect::<Vec<_>>().join(" "),
        };
        Ok(page.render()?)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let tables = &self.stage.tables;
        let each = |fact: fn(&Inspection) -> String| tables.iter().map(fact).collect::<Vec<_>>().join("; ");
        let sum = |figure: fn(&Inspection) -> u64| tables.iter().map(figure).sum();
        let items: u64 = sum(|inspection| inspection.totals.items);
        let names: Vec<&str> = self.model.design.indexes().map(|(_, index)| index.name.as_str()).collect();
        vec![
            (
                if tables.len() == 1 { "Table" } else { "Tables" },
                each(|table| format!("{}, {}", table.table, counted(table.partition_count, "partition"))),
            ),
            match names.as_slice() {
                [] => ("Key", each(key_names)),
                [name] => ("Index", (*name).to_owned()),
                names => ("Indexes", names.join(", ")),
            },
            ("Questions", grouped(self.model.patterns.len() as u64)),
            ("Items", format!("{}, {}", grouped(items), bytes(sum(|inspection| inspection.totals.bytes)))),
        ]
    }
}

/// A lesson's slug in words.
fn in_words(slug: &str) -> String {
    let mut letters = slug.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    first + &letters.as_str().replace('-', " ")
}

fn key_names(inspection: &Inspection) -> String {
    inspection.key.attributes().map(|attribute| attribute.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A note's text in spans; what stands between backticks is code.
fn spans(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split('`').enumerate().map(|(place, span)| (span, place % 2 == 1))
}
