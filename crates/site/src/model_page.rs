//! A model's page: its design, its questions, and its table before the first request.

use askama::Template;
use keyplan_engine::Timestamp;
use keyplan_engine::inspect::{Inspection, Window};
use keyplan_engine::operations::built_names;
use keyplan_model::{Model, NoteKind, Part, Table};

use crate::assets::Assets;
use crate::error::SiteError;
use crate::figures::{bytes, counted, grouped};
use crate::key_plan::key_plan;
use crate::layout::Layout;
use crate::plan::{Content, Plan, plan};
use crate::questions::{Field, Question, fields, questions};

/// The time at which a page's engine stands. No clock reaches a page: the same files make the same
/// bytes.
const PAGE_TIME: Timestamp = Timestamp(0);

/// A model, set up and looked at.
pub(crate) struct ModelPage {
    model: Model,
    /// Its place in the list of designs, from 1.
    number: usize,
    /// The data for the page's scripts, fit to stand in a `script` element.
    data: String,
    /// Its tables in the file's order.
    inspections: Vec<Inspection>,
    /// The first table's plan, which the page shows before the first request.
    plan: Plan,
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
    data: &'a str,
    operations: String,
}

impl ModelPage {
    /// Sets a model up on an engine of its own and inspects its tables.
    pub fn new(model: Model, number: usize) -> Result<ModelPage, SiteError> {
        let id = &model.id;
        let engine = model
            .stage(PAGE_TIME)
            .map_err(|error| SiteError::Run { id: id.clone(), error: Box::new(error) })?;
        let inspect = |table: &Table| {
            engine.inspect(&table.name, None, Window::default()).map_err(|error| SiteError::Inspect {
                id: id.clone(),
                table: table.name.clone(),
                error: Box::new(error),
            })
        };
        let inspections = model.tables.iter().map(inspect).collect::<Result<Vec<_>, _>>()?;
        let first = inspections.first().ok_or_else(|| SiteError::NoTables { id: id.clone() })?;
        let plan = plan(first);
        let texts: Vec<String> = inspections.iter().map(Inspection::to_json).collect();
        let data = model.page_data(&texts).map_err(|error| SiteError::Data { id: id.clone(), error })?;
        Ok(ModelPage { model, number, data, inspections, plan })
    }

    pub fn id(&self) -> &str {
        &self.model.id
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn key_plan(&self) -> Vec<u64> {
        key_plan(&self.inspections)
    }

    pub fn render(&self, assets: &Assets) -> Result<String, SiteError> {
        let model = &self.model;
        let page = ModelTemplate {
            layout: Layout::new(
                format!("{} · Keyplan", model.question),
                model.summary.clone(),
                "../../",
                assets,
            ),
            model,
            number: self.number,
            facts: self.facts(),
            questions: questions(&model.patterns),
            fields: model.patterns.first().map(fields).unwrap_or_default(),
            plan: &self.plan,
            data: &self.data,
            operations: built_names().collect::<Vec<_>>().join(" "),
        };
        Ok(page.render()?)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let each = |fact: fn(&Inspection) -> String| {
            self.inspections.iter().map(fact).collect::<Vec<_>>().join("; ")
        };
        let sum = |figure: fn(&Inspection) -> u64| self.inspections.iter().map(figure).sum();
        let items: u64 = sum(|inspection| inspection.totals.items);
        vec![
            (
                if self.inspections.len() == 1 { "Table" } else { "Tables" },
                each(|table| format!("{}, {}", table.table, counted(table.partition_count, "partition"))),
            ),
            ("Key", each(key_names)),
            ("Questions", grouped(self.model.patterns.len() as u64)),
            ("Items", format!("{}, {}", grouped(items), bytes(sum(|inspection| inspection.totals.bytes)))),
        ]
    }
}

fn key_names(inspection: &Inspection) -> String {
    inspection.key.attributes().map(|attribute| attribute.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A note's text in spans; what stands between backticks is code.
fn spans(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split('`').enumerate().map(|(place, span)| (span, place % 2 == 1))
}
