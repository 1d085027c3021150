//! The checked-in model of one service.

use std::path::Path;

use serde_json::Value;

use crate::failure::{Failure, Outcome, While};

/// One service's operations and shapes.
pub struct Model {
    /// Operations with the names of their input shapes, by name.
    pub operations: Vec<(String, String)>,
    shapes: serde_json::Map<String, Value>,
}

/// A shape of the model.
pub struct Shape {
    /// The type's name.
    pub kind: String,
    /// A structure's members with their shapes' names.
    pub members: Vec<(String, String)>,
    /// The members that must be there.
    pub required: Vec<String>,
    /// The shape of a list's elements or a map's values.
    pub element: Option<String>,
    /// The shape of a map's keys.
    pub key: Option<String>,
    /// The words of an enum.
    pub words: Vec<String>,
    /// The least length or value.
    pub min: Option<i64>,
    /// The greatest length or value.
    pub max: Option<i64>,
    /// The pattern of a string.
    pub pattern: Option<String>,
}

impl Model {
    /// Reads a file that [`super::extract`] wrote.
    pub fn read(path: &Path) -> Outcome<Model> {
        let text = std::fs::read(path).when(|| format!("reading {}", path.display()))?;
        let value: Value = serde_json::from_slice(&text).when(|| format!("reading {}", path.display()))?;
        let object = |name: &str| {
            value[name]
                .as_object()
                .cloned()
                .ok_or_else(|| Failure::new(format!("{} has no {name}", path.display())))
        };
        let mut operations: Vec<(String, String)> = object("operations")?
            .into_iter()
            .map(|(name, operation)| (name, text_of(&operation["input"])))
            .collect();
        operations.sort();
        Ok(Model { operations, shapes: object("shapes")? })
    }

    /// A shape by name.
    pub fn shape(&self, name: &str) -> Outcome<Shape> {
        let shape =
            self.shapes.get(name).ok_or_else(|| Failure::new(format!("the model has no shape {name}")))?;
        let list = |name: &str| -> Vec<String> {
            shape[name].as_array().into_iter().flatten().map(text_of).collect()
        };
        let part = |name: &str| shape[name].as_str().map(str::to_owned);
        Ok(Shape {
            kind: text_of(&shape["type"]),
            members: shape["members"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, shape)| (name.clone(), text_of(shape)))
                .collect(),
            required: list("required"),
            element: part("member").or_else(|| part("value")),
            key: part("key"),
            words: list("enum"),
            min: shape["min"].as_i64(),
            max: shape["max"].as_i64(),
            pattern: part("pattern"),
        })
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
