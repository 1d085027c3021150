//! Query and Scan: the key condition over a table's or an index's key, and what else they take.

use serde_json::{Map, Value, json};

use super::super::entities::is_number_template;
use super::super::tables::known_index;
use super::super::{Names, known, template};
use super::expressions::{Expressions, Language};
use super::uses::Uses;
use super::{Draft, insert_consistent};
use crate::finding::Findings;
use crate::model::{Index, KeyAttribute, Table};
use crate::pattern::Direction;
use crate::placed::At;
use crate::problem::{Named, Problem};
use crate::shape::{ComparandShape, Comparison, KeyConditionShape, PatternShape};
use crate::template::Template;
use crate::types::KeyType;

/// The wire's Limit is a 32-bit integer.
const LIMIT_MAX: u64 = i32::MAX as u64;

pub(super) fn check(
    shape: &PatternShape,
    tables: &[Table],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Draft> {
    let name = shape.table.as_ref()?;
    known(Named::Table, name, names.tables.iter().copied(), findings);
    let table = tables.iter().find(|table| table.name == name.value)?;
    let index = match &shape.index {
        Some(name) => Some(known_index(name, std::iter::once(table), findings)?),
        None => None,
    };
    let mut draft = Draft::new(&table.name);
    draft.index = index.map(|index| index.name.clone());
    let body = &mut draft.body;
    let uses = &mut draft.uses;
    body.insert("TableName".into(), json!(table.name));
    if let Some(index) = index {
        body.insert("IndexName".into(), json!(index.name));
    }
    let mut expressions = Expressions::new(shape.values.as_ref(), &shape.parameters);
    if shape.key_condition.is_some() {
        let condition = key_condition(shape, table, index, &mut expressions, uses, findings)?;
        body.insert("KeyConditionExpression".into(), json!(condition));
    }
    let filter = shape.filter.as_ref();
    expressions.add("FilterExpression", Language::Condition, filter, body, uses, findings);
    let projection = shape.projection.as_ref();
    expressions.add("ProjectionExpression", Language::Projection, projection, body, uses, findings);
    expressions.finish(body, findings);
    if shape.direction.as_ref().is_some_and(|direction| direction.value == Direction::Backward) {
        body.insert("ScanIndexForward".into(), json!(false));
    }
    insert_limit(shape, body, findings);
    if let Some(select) = &shape.select {
        body.insert("Select".into(), json!(select.value.word()));
    }
    insert_consistent(shape, body);
    Some(draft)
}

fn insert_limit(shape: &PatternShape, body: &mut Map<String, Value>, findings: &mut Findings) {
    let Some(limit) = &shape.limit else { return };
    if !(1..=LIMIT_MAX).contains(&limit.value) {
        findings.add(limit.at, || Problem::LimitOutOfRange { limit: limit.value });
    }
    body.insert("Limit".into(), json!(limit.value));
}

/// The condition over the key: one value for each partition key attribute, then the sort key's from the
/// left, of which the last may be compared.
fn key_condition(
    shape: &PatternShape,
    table: &Table,
    index: Option<&Index>,
    expressions: &mut Expressions<'_>,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Option<String> {
    let condition = shape.key_condition.as_ref()?;
    if !condition.value.faulty.is_empty() {
        return None; // What is missing stands there, with a fault of its own.
    }
    let (partition, sort): (Vec<&KeyAttribute>, Vec<&KeyAttribute>) = match index {
        Some(index) => (index.partition.iter().collect(), index.sort.iter().collect()),
        None => (vec![&table.partition], table.sort.iter().collect()),
    };
    let all = || partition.iter().chain(&sort);
    for (name, _) in &condition.value.list {
        let names: Vec<&str> = all().map(|key| key.name.as_str()).collect();
        known(Named::KeyAttribute, name, names.iter().copied(), findings);
    }
    let asked = |attribute: &KeyAttribute| {
        let found = condition.value.list.iter().find(|(name, _)| name.value == attribute.name);
        found.map(|(_, asked)| asked)
    };
    let mut parts = Vec::new();
    for (place, attribute) in (1_usize..).zip(&partition) {
        let Some(At { at, value: KeyConditionShape::Equal(text) }) = asked(attribute) else {
            let at = asked(attribute).map_or(condition.at, |asked| asked.at);
            let attribute = attribute.name.clone();
            findings.add(at, || Problem::PartitionKeyCondition { attribute });
            return None;
        };
        let text = At { at: *at, value: text.clone() };
        let template = key_value(attribute, &text, uses, findings)?;
        let base = numbered("partition", place);
        let left = expressions.name(&attribute.name, &format!("#{base}"));
        let value = expressions.value(&base, json!({ attribute.kind.code(): template.to_string() }));
        parts.push(format!("{left} = {value}"));
    }
    let mut open = false;
    for (place, attribute) in (1_usize..).zip(&sort) {
        let Some(asked) = asked(attribute) else {
            open = true;
            continue;
        };
        if open {
            let attribute = attribute.name.clone();
            findings.add(asked.at, || Problem::SortConditionOrder { attribute });
            return None;
        }
        open = !matches!(asked.value, KeyConditionShape::Equal(_));
        let base = numbered("sort", place);
        parts.push(comparison(attribute, &base, asked, expressions, uses, findings)?);
    }
    Some(parts.join(" AND "))
}

fn numbered(base: &str, place: usize) -> String {
    if place == 1 { base.to_owned() } else { format!("{base}{place}") }
}

fn comparison(
    attribute: &KeyAttribute,
    base: &str,
    asked: &At<KeyConditionShape>,
    expressions: &mut Expressions<'_>,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Option<String> {
    let left = expressions.name(&attribute.name, &format!("#{base}"));
    let mut operand = |base: &str, text: &At<String>, findings: &mut Findings| {
        let template = key_value(attribute, text, uses, findings)?;
        Some(expressions.value(base, json!({ attribute.kind.code(): template.to_string() })))
    };
    match &asked.value {
        KeyConditionShape::Equal(text) => {
            let text = At { at: asked.at, value: text.clone() };
            Some(format!("{left} = {}", operand(base, &text, findings)?))
        }
        KeyConditionShape::Compare(_, ComparandShape::Two(lower, upper)) => {
            let lower = operand("from", lower, findings);
            let upper = operand("to", upper, findings);
            Some(format!("{left} BETWEEN {} AND {}", lower?, upper?))
        }
        KeyConditionShape::Compare(comparison, ComparandShape::One(text)) => {
            let operator = match comparison.value {
                Comparison::BeginsWith if attribute.kind == KeyType::N => {
                    let attribute = attribute.name.clone();
                    findings.add(comparison.at, || Problem::TypeRefusesBeginsWith { attribute });
                    return None;
                }
                Comparison::BeginsWith => {
                    return Some(format!("begins_with({left}, {})", operand(base, text, findings)?));
                }
                Comparison::Equal | Comparison::Between => "=",
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
            };
            Some(format!("{left} {operator} {}", operand(base, text, findings)?))
        }
    }
}

/// A template that makes a value of a key attribute.
fn key_value(
    attribute: &KeyAttribute,
    text: &At<String>,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Option<Template> {
    let template = template(text, findings)?;
    if attribute.kind == KeyType::N && !is_number_template(&template) {
        let attribute = attribute.name.clone();
        findings.add(text.at, || Problem::NumberKeyTemplate { attribute });
        return None;
    }
    uses.add(&template, attribute.kind, text.at);
    Some(template)
}
