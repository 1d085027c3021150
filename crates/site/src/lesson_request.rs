//! A lesson's request as its page shows it: in short, and as JSON.

use keyplan_course::{StatedAnswer, Step};
use keyplan_grading::Request;
use serde_json::Value;

/// A request in short: the operation, what it is asked of, and what is asked.
pub(crate) struct ShortRequest {
    pub operation: String,
    /// The table, or the index.
    pub of: String,
    /// The conditions, each as a word before it and its text.
    pub asks: Vec<(&'static str, String)>,
    /// The body, for people.
    pub json: String,
}

/// One figure of an answer: a mark's class, the figure, and what it counts.
pub(crate) struct Figure {
    pub mark: &'static str,
    pub figure: String,
    pub of: &'static str,
}

/// The request in short.
pub(crate) fn short(request: &Request) -> ShortRequest {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let text = |member: &str| body[member].as_str().map(str::to_owned);
    let mut asks = Vec::new();
    for (word, member) in [
        ("", "KeyConditionExpression"),
        ("filter", "FilterExpression"),
        ("update", "UpdateExpression"),
        ("if", "ConditionExpression"),
        ("only", "ProjectionExpression"),
    ] {
        asks.extend(text(member).map(|text| (word, text)));
    }
    for member in ["Key", "Item"] {
        if let Some(values) = body[member].as_object() {
            let values: Vec<String> = values.values().take(2).map(scalar).collect();
            asks.insert(0, ("", values.join(", ")));
        }
    }
    if body["ScanIndexForward"] == Value::Bool(false) {
        asks.push(("", "descending".to_owned()));
    }
    asks.extend(body["Limit"].as_u64().map(|limit| ("limit", limit.to_string())));
    if body.get("ExclusiveStartKey").is_some() {
        asks.push(("", "from where the last page ended".to_owned()));
    }
    ShortRequest {
        operation: request.operation().to_owned(),
        of: text("IndexName").or_else(|| text("TableName")).unwrap_or_default(),
        asks,
        json: pretty(&body),
    }
}

/// A value of one type in short: texts and numbers as they are.
fn scalar(value: &Value) -> String {
    match value.as_object().and_then(|value| value.values().next()) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// A body over several lines, as people write it: what fits a line stands on one.
pub(crate) fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write_pretty(value, 0, &mut out);
    out
}

/// The longest value that stands on one line.
const LINE_CHARACTERS_MAX: usize = 60;

fn write_pretty(value: &Value, depth: usize, out: &mut String) {
    let short = spaced(value);
    let indent = "  ".repeat(depth + 1);
    match value {
        Value::Object(members) if depth == 0 || short.chars().count() > LINE_CHARACTERS_MAX => {
            out.push_str("{\n");
            for (place, (name, member)) in members.iter().enumerate() {
                out.push_str(&format!("{indent}{}: ", Value::String(name.clone())));
                write_pretty(member, depth + 1, out);
                out.push_str(if place + 1 < members.len() { ",\n" } else { "\n" });
            }
            out.push_str(&"  ".repeat(depth));
            out.push('}');
        }
        Value::Array(elements) if short.chars().count() > LINE_CHARACTERS_MAX => {
            out.push_str("[\n");
            for (place, element) in elements.iter().enumerate() {
                out.push_str(&indent);
                write_pretty(element, depth + 1, out);
                out.push_str(if place + 1 < elements.len() { ",\n" } else { "\n" });
            }
            out.push_str(&"  ".repeat(depth));
            out.push(']');
        }
        _ => out.push_str(&short),
    }
}

/// On one line, with a space after each comma and colon.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members = members.iter();
            let members: Vec<String> = members
                .map(|(name, value)| format!("{}: {}", Value::String(name.clone()), spaced(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// What a step's answer is stated to be.
pub(crate) fn figures(step: &Step) -> Vec<Figure> {
    let StatedAnswer { examined, returned, read, write, error, .. } = &step.answer;
    let mut figures = Vec::new();
    let mut add = |mark, figure: Option<String>, of| {
        figures.extend(figure.map(|figure| Figure { mark, figure, of }));
    };
    add("e", error.clone(), "");
    add("x", examined.map(|count| count.to_string()), "examined");
    add("r", returned.map(|count| count.to_string()), "returned");
    add("", read.map(|units| units.to_string()), "read units");
    add("", write.map(|units| units.to_string()), "write units");
    add("", step.answer.last_evaluated_key.filter(|there| *there).map(|_| "LastEvaluatedKey".to_owned()), "");
    figures
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_is_broken_where_it_is_long() {
        let body = json!({
            "TableName": "Loans",
            "KeyConditionExpression": "branch = :b",
            "ExpressionAttributeValues": { ":b": { "S": "mill" } },
        });
        assert_eq!(
            pretty(&body),
            "{\n  \"TableName\": \"Loans\",\n  \"KeyConditionExpression\": \"branch = :b\",\n  \
             \"ExpressionAttributeValues\": { \":b\": { \"S\": \"mill\" } }\n}"
        );
        assert_eq!(serde_json::from_str::<Value>(&pretty(&body)).expect("JSON"), body);
    }
}
