//! A model's access patterns as the page lists them.

use keyplan_model::Pattern;
use serde_json::Value;

/// One question and how it is asked.
pub(crate) struct Question {
    pub question: String,
    pub operation: &'static str,
    pub condition: String,
    pub figure: String,
    pub unit: &'static str,
}

/// A field of the console.
pub(crate) struct Field {
    pub label: String,
    pub prefix: String,
    pub example: String,
}

/// The questions in the file's order.
pub(crate) fn questions(patterns: &[Pattern]) -> Vec<Question> {
    patterns
        .iter()
        .map(|pattern| {
            let template = pattern.template();
            let (figure, unit) = units(pattern);
            Question {
                question: pattern.question.clone(),
                operation: template.operation,
                condition: condition(&template.body),
                figure,
                unit,
            }
        })
        .collect()
}

/// The parameters of a pattern with their examples.
pub(crate) fn fields(pattern: &Pattern) -> Vec<Field> {
    pattern
        .parameters
        .iter()
        .map(|parameter| Field {
            label: parameter.label(),
            prefix: parameter.prefix.clone(),
            example: parameter.example.clone(),
        })
        .collect()
}

/// A request in short: its key condition or its key's attributes, then what differs from the usual.
/// The browser code says the same (web/src/console/condition.ts).
fn condition(body: &Value) -> String {
    let mut parts = Vec::new();
    if let Some(condition) = body["KeyConditionExpression"].as_str() {
        parts.push(condition.to_owned());
    } else if let Some(key) = body["Key"].as_object() {
        parts.push(key.keys().map(String::as_str).collect::<Vec<_>>().join(", "));
    }
    if body["ScanIndexForward"] == Value::Bool(false) {
        parts.push("descending".to_owned());
    }
    if let Some(limit) = body["Limit"].as_u64() {
        parts.push(format!("limit {limit}"));
    }
    parts.join(", ")
}

/// What the file says that it costs: a figure and its unit. What it does not say is not stated.
fn units(pattern: &Pattern) -> (String, &'static str) {
    match pattern.read_units {
        Some(units) => (units.to_string(), "read units"),
        None => ("not stated".to_owned(), ""),
    }
}
