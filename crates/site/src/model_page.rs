//! A model's page: its design, its questions, and its table before the first request.

use askama::Template;
use keyplan_engine::operations::built_names;
use keyplan_engine::{Timestamp, inspect::Window};
use keyplan_model::{Model, NoteKind, Part};

use crate::assets::Assets;
use crate::error::SiteError;
use crate::figures::{bytes, counted, grouped};
use crate::inspection::Inspection;
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
    inspection: Inspection,
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
    plan: Plan,
    data: &'a str,
    operations: String,
}

impl ModelPage {
    /// Sets a model up on an engine of its own and inspects its table.
    pub fn new(model: Model, number: usize) -> Result<ModelPage, SiteError> {
        let id = model.id.clone();
        let engine = model
            .stage(PAGE_TIME)
            .map_err(|error| SiteError::Run { id: id.clone(), error: Box::new(error) })?;
        let table = model.tables.first().map(|table| table.name.clone()).unwrap_or_default();
        let failed = |reason: String| SiteError::Inspect { id: id.clone(), table: table.clone(), reason };
        let inspected =
            engine.inspect(&table, None, Window::default()).map_err(|error| failed(error.to_string()))?;
        let json = inspected.to_json();
        let inspection = serde_json::from_str(&json).map_err(|error| failed(error.to_string()))?;
        let data = model.page_data(Some(&json)).map_err(|error| failed(error.to_string()))?;
        Ok(ModelPage { model, number, data, inspection })
    }

    pub fn id(&self) -> &str {
        &self.model.id
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn key_plan(&self) -> Vec<u64> {
        key_plan(&self.inspection)
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
            plan: plan(&self.inspection),
            data: &self.data,
            operations: built_names().collect::<Vec<_>>().join(" "),
        };
        Ok(page.render()?)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let inspection = &self.inspection;
        let keys = inspection.key.names().collect::<Vec<_>>().join(", ");
        vec![
            ("Table", format!("{}, {}", inspection.table, counted(inspection.partition_count, "partition"))),
            ("Key", keys),
            ("Questions", grouped(self.model.patterns.len() as u64)),
            ("Items", format!("{}, {}", grouped(inspection.item_count), bytes(inspection.bytes))),
        ]
    }
}

/// A note's text in spans; what stands between backticks is code.
fn spans(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split('`').enumerate().map(|(place, span)| (span, place % 2 == 1))
}
