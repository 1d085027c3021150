//! A design, set up on an engine of its own and looked at.

use keyplan_engine::inspect::{Inspection, Window};
use keyplan_engine::{Engine, Timestamp};
use keyplan_model::{Design, Model};
use serde_json::Value;

use crate::error::SiteError;

/// The time at which a page's engine stands. No clock reaches a page: the same files make the same
/// bytes.
pub(crate) const PAGE_TIME: Timestamp = Timestamp(0);

/// A model on its engine, before the first request.
pub(crate) struct Stage {
    pub engine: Engine,
    /// The tables in the file's order; at least one.
    pub tables: Vec<Inspection>,
    /// The indexes in the order of their tables.
    pub indexes: Vec<Inspection>,
}

impl Stage {
    /// Sets the model up and inspects its tables and indexes.
    pub fn new(model: &Model) -> Result<Stage, SiteError> {
        let (id, design) = (&model.id, &model.design);
        let engine = engine(id, design)?;
        let tables = design.tables.iter().map(|table| inspect(id, &engine, &table.name, None));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let indexes = design.indexes();
        let indexes = indexes.map(|(table, index)| inspect(id, &engine, &table.name, Some(&index.name)));
        let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
        if tables.is_empty() {
            return Err(SiteError::NoTables { id: id.clone() });
        }
        Ok(Stage { engine, tables, indexes })
    }

    /// What a page's scripts need of the model, fit to stand in a `script` element; `lessons` are the
    /// addresses of the lessons that errors are linked to.
    pub fn data(&self, model: &Model, prices: Option<&str>, lessons: &Value) -> Result<String, SiteError> {
        let texts: Vec<String> = self.tables.iter().map(Inspection::to_json).collect();
        let prices = prices.unwrap_or(r#"{"prices":[]}"#);
        let data = model.page_data(&texts, prices, lessons);
        data.map_err(|error| SiteError::Data { id: model.id.clone(), error })
    }
}

/// An engine with a design on it.
pub(crate) fn engine(id: &str, design: &Design) -> Result<Engine, SiteError> {
    let staged = design.stage(PAGE_TIME);
    staged.map_err(|error| SiteError::Run { id: id.to_owned(), error: Box::new(error) })
}

/// How a table or an index of a design lies.
pub(crate) fn inspect(
    id: &str,
    engine: &Engine,
    table: &str,
    index: Option<&str>,
) -> Result<Inspection, SiteError> {
    engine.inspect(table, index, Window::default()).map_err(|error| SiteError::Inspect {
        id: id.to_owned(),
        table: table.to_owned(),
        error: Box::new(error),
    })
}
