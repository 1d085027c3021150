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

/// A request in short: where and on what condition, then what differs from the usual. The browser code says
/// the same (web/src/console/condition.ts).
pub(crate) fn condition(body: &Value) -> String {
    let names =
        |of: &Value| of.as_object().map(|of| of.keys().map(String::as_str).collect::<Vec<_>>().join(", "));
    let text = |member: &str| body[member].as_str();
    let mut parts: Vec<String> = Vec::new();
    parts.extend(text("KeyConditionExpression").map(str::to_owned));
    parts.extend(names(&body["Key"]));
    parts.extend(names(&body["Item"]));
    if let Some(tables) = body["RequestItems"].as_object() {
        let keys = tables.values().filter_map(|table| table["Keys"].as_array()).map(Vec::len).sum::<usize>();
        parts.push(format!("{keys} keys"));
    }
    let actions = body["TransactItems"].as_array();
    parts.extend(actions.into_iter().flatten().filter_map(names));
    parts.extend(text("UpdateExpression").map(str::to_owned));
    parts.extend(text("ConditionExpression").map(|condition| format!("if {condition}")));
    parts.extend(text("FilterExpression").map(|filter| format!("filter {filter}")));
    if body["ScanIndexForward"] == Value::Bool(false) {
        parts.push("descending".to_owned());
    }
    if let Some(limit) = body["Limit"].as_u64() {
        parts.push(format!("limit {limit}"));
    }
    if body["Select"] == "COUNT" {
        parts.push("count".to_owned());
    }
    let parts = parts.join(", ");
    match text("IndexName") {
        Some(index) => format!("{index}: {parts}"),
        None => parts,
    }
}

/// What the file says that it costs: a figure and its unit. What it does not say is not stated.
fn units(pattern: &Pattern) -> (String, &'static str) {
    match (pattern.costs.read, pattern.costs.write) {
        (Some(units), _) => (units.to_string(), "read units"),
        (None, Some(units)) => (units.to_string(), "write units"),
        (None, None) => ("not stated".to_owned(), ""),
    }
}
