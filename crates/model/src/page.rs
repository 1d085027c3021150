//! What a page of a model needs to know, as JSON for the page to read.

use serde_json::{Map, Value, json};

use crate::model::{Index, Model, Table};
use crate::pattern::{Costs, Parameter, Pattern};

impl Model {
    /// The data of the model's page: the model, its tables and indexes, the requests that set it up, its
    /// patterns with their request templates, what the engine's inspections of the set-up tables show
    /// (`inspections`, JSON texts in the tables' order), the price file (`prices`, a JSON text), and the
    /// addresses of the lessons that errors are linked to (`lessons`).
    ///
    /// The text can stand in an HTML `script` element as it is: it holds no `<`.
    ///
    /// # Errors
    /// When an inspection or the price file is no JSON.
    pub fn page_data(
        &self,
        inspections: &[String],
        prices: &str,
        lessons: &Value,
    ) -> Result<String, serde_json::Error> {
        let inspections: Vec<Value> =
            inspections.iter().map(|json| serde_json::from_str(json)).collect::<Result<_, _>>()?;
        let prices: Value = serde_json::from_str(prices)?;
        let index = |(table, index): (&Table, &Index)| json!({ "table": table.name, "index": index.name });
        let data = json!({
            "model": { "id": self.id, "title": self.title, "question": self.question },
            "tables": self.design.tables.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
            "setup": self
                .setup()
                .into_iter()
                .map(|request| json!({ "target": request.target(), "body": request.body }))
                .collect::<Vec<_>>(),
            "patterns": self.patterns.iter().map(pattern).collect::<Vec<_>>(),
            "inspections": inspections,
            "indexes": self.design.indexes().map(index).collect::<Vec<_>>(),
            "prices": prices,
            "lessons": lessons,
        });
        // In JSON a `<` can only stand in a text, where its escape means the same.
        Ok(data.to_string().replace('<', "\\u003c"))
    }
}

fn pattern(pattern: &Pattern) -> Value {
    let template = pattern.template();
    let parameters: Vec<Value> = template.parameters.iter().map(parameter).collect();
    let mut members = Map::new();
    members.insert("id".into(), json!(pattern.id));
    members.insert("question".into(), json!(pattern.question));
    members.insert("operation".into(), json!(template.operation));
    members.insert("template".into(), template.body);
    members.insert("parameters".into(), json!(parameters));
    if let Some(returns) = &pattern.returns {
        let returns = json!({ "entities": returns.entities, "count": returns.count });
        members.insert("returns".into(), returns);
    }
    if pattern.costs != Costs::default() {
        members.insert("costs".into(), costs(&pattern.costs));
    }
    Value::Object(members)
}

fn costs(costs: &Costs) -> Value {
    let mut members = Map::new();
    for (name, units) in [("read", costs.read), ("write", costs.write)] {
        if let Some(units) = units {
            members.insert(name.into(), json!(units.as_f64()));
        }
    }
    if !costs.indexes.is_empty() {
        let indexes = costs.indexes.iter().map(|(name, units)| (name.clone(), json!(units.as_f64())));
        members.insert("indexes".into(), Value::Object(indexes.collect()));
    }
    Value::Object(members)
}

fn parameter(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name,
        "label": parameter.label(),
        "type": parameter.kind.code(),
        "example": parameter.example,
        "prefix": parameter.prefix,
    })
}
