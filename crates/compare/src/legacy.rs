//! The parameters from before expressions, written from the same trees.
//!
//! They say less than expressions: conditions on whole attributes, each once, all or one of which must hold, and
//! updates of whole attributes.

use serde_json::{Map, Value as Json, json};

use crate::expression::{Comparator, Condition, Operand, Path};
use crate::request::SortTest;
use crate::update::{Change, Term, Update};
use crate::value::{Spelling, Value};

/// The conditions of a tree by attribute, and whether one of them is enough.
pub fn conditions(condition: &Condition, spelling: Spelling) -> (Map<String, Json>, bool) {
    let mut written = Map::new();
    let is_any = matches!(condition, Condition::Or(..));
    collect(condition, spelling, &mut written);
    (written, is_any)
}

fn collect(condition: &Condition, spelling: Spelling, written: &mut Map<String, Json>) {
    if let Condition::And(one, other) | Condition::Or(one, other) = condition {
        collect(one, spelling, written);
        collect(other, spelling, written);
        return;
    }
    if let Some((attribute, operator, values)) = simple(condition) {
        written.insert(attribute.clone(), with_operator(operator, &values, spelling));
    }
}

fn with_operator(operator: &str, values: &[&Value], spelling: Spelling) -> Json {
    let mut condition = json!({ "ComparisonOperator": operator });
    if !values.is_empty() {
        condition["AttributeValueList"] = values.iter().map(|value| value.spelled(spelling)).collect();
    }
    condition
}

/// The same as Expected, which has shorter forms for what is asked most.
pub fn expected(condition: &Condition, spelling: Spelling) -> (Map<String, Json>, bool) {
    let (mut written, is_any) = conditions(condition, spelling);
    for (attribute, condition) in &mut written {
        // Which form is used depends on the name, so that both occur.
        let is_short = attribute.len() % 2 == 1;
        match condition["ComparisonOperator"].as_str() {
            Some("EQ") if is_short => *condition = json!({ "Value": condition["AttributeValueList"][0] }),
            Some("NULL") if is_short => *condition = json!({ "Exists": false }),
            _ => {}
        }
    }
    (written, is_any)
}

/// A condition on one attribute: its operator and its values.
fn simple(condition: &Condition) -> Option<(&String, &'static str, Vec<&Value>)> {
    let attribute = |operand: &'static str, path| -> Option<(&String, &'static str)> {
        Some((attribute(path)?, operand))
    };
    let (found, values): (_, Vec<&Value>) = match condition {
        Condition::Exists(path) => (attribute("NOT_NULL", path), vec![]),
        Condition::NotExists(path) => (attribute("NULL", path), vec![]),
        Condition::BeginsWith(path, operand) => (attribute("BEGINS_WITH", path), vec![value(operand)?]),
        Condition::Contains(path, operand) => (attribute("CONTAINS", path), vec![value(operand)?]),
        Condition::Lacks(path, operand) => (attribute("NOT_CONTAINS", path), vec![value(operand)?]),
        Condition::Compare(comparator, Operand::Path(path), operand) => {
            (attribute(operator(*comparator), path), vec![value(operand)?])
        }
        Condition::Between(Operand::Path(path), low, high) => {
            (attribute("BETWEEN", path), vec![value(low)?, value(high)?])
        }
        Condition::In(Operand::Path(path), others) => {
            (attribute("IN", path), others.iter().map(value).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    let (name, operator) = found?;
    Some((name, operator, values))
}

fn attribute(path: &Path) -> Option<&String> {
    path.inner.is_empty().then_some(&path.attribute)
}

fn value(operand: &Operand) -> Option<&Value> {
    match operand {
        Operand::Value(value) => Some(value),
        Operand::Path(_) | Operand::Size(_) => None,
    }
}

fn operator(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Equal => "EQ",
        Comparator::NotEqual => "NE",
        Comparator::Less => "LT",
        Comparator::LessOrEqual => "LE",
        Comparator::Greater => "GT",
        Comparator::GreaterOrEqual => "GE",
    }
}

/// KeyConditions of a partition and perhaps a stretch of it.
pub fn key_conditions((first, second): (String, String), partition: &Value, sort: Option<&SortTest>) -> Json {
    let normal = Spelling::Normal;
    let mut conditions = Map::from_iter([(first, with_operator("EQ", &[partition], normal))]);
    if let Some(test) = sort {
        let test = match test {
            SortTest::Compare(comparator, value) => with_operator(operator(*comparator), &[value], normal),
            SortTest::Between(low, high) => with_operator("BETWEEN", &[low, high], normal),
            SortTest::BeginsWith(start) => with_operator("BEGINS_WITH", &[start], normal),
        };
        conditions.insert(second, test);
    }
    conditions.into()
}

/// An update as AttributeUpdates.
pub fn updates(update: &Update, spelling: Spelling) -> Json {
    let action = |change: &Change| match change {
        Change::Set(Term::Value(value)) => json!({ "Action": "PUT", "Value": value.spelled(spelling) }),
        Change::Add(operand) => json!({ "Action": "ADD", "Value": operand.spelled(spelling) }),
        Change::Delete(operand) => json!({ "Action": "DELETE", "Value": operand.spelled(spelling) }),
        Change::Remove | Change::Set(_) => json!({ "Action": "DELETE" }),
    };
    update
        .0
        .iter()
        .map(|one| (one.target.attribute.clone(), action(&one.change)))
        .collect::<Map<_, _>>()
        .into()
}
