//! Access patterns: the members that each operation takes, the request that they make, and parameters
//! that are all declared and all used.

mod expressions;
mod items;
mod query;
mod uses;

use keyplan_engine::capacity::Units;
use serde_json::{Map, Value, json};

use self::uses::Uses;
use super::tables::known_index;
use super::{Names, filled, is_id, known};
use crate::Position;
use crate::finding::Findings;
use crate::model::{Design, Entity, Table};
use crate::pattern::{Costs, Operation, Pattern, Returns};
use crate::placed::{At, Entries};
use crate::problem::{Named, Problem};
use crate::shape::{CostsShape, Flag, PatternShape, UnitsText};
use crate::units;

pub(super) fn check(
    shapes: &Entries<PatternShape>,
    design: &Design,
    names: &Names<'_>,
    findings: &mut Findings,
) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for (id, shape) in &shapes.list {
        is_id(id, findings);
        patterns.extend(check_one(id, shape, design, names, findings));
    }
    patterns
}

/// A request in the making, with the templates that its parameters fill.
struct Draft {
    table: String,
    index: Option<String>,
    entity: Option<String>,
    body: Map<String, Value>,
    uses: Uses,
}

impl Draft {
    fn new(table: &str) -> Draft {
        let table = table.to_owned();
        Draft { table, index: None, entity: None, body: Map::new(), uses: Uses::default() }
    }
}

pub(super) fn check_one(
    id: &At<String>,
    shape: &PatternShape,
    design: &Design,
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Pattern> {
    let Design { tables, entities, .. } = design;
    filled("the question", &shape.question, findings);
    let operation = shape.operation.value;
    refuse(id, shape, operation, findings);
    let draft = match operation {
        Operation::Query | Operation::Scan => query::check(shape, tables, names, findings),
        Operation::GetItem | Operation::PutItem | Operation::UpdateItem | Operation::DeleteItem => {
            items::single(id, shape, entities, names, findings)
        }
        Operation::BatchGetItem => items::batch_get(shape, entities, names, findings),
        Operation::TransactWriteItems => items::transaction(shape, entities, names, findings),
    }?;
    Some(Pattern {
        id: id.value.clone(),
        question: shape.question.value.clone(),
        operation,
        parameters: draft.uses.parameters(&shape.parameters, findings),
        returns: returns(shape, &draft, entities, names, findings),
        costs: shape.costs.as_ref().map(|shape| costs(shape, tables, findings)).unwrap_or_default(),
        table: draft.table,
        index: draft.index,
        entity: draft.entity,
        body: Value::Object(draft.body),
    })
}

/// Whether an operation has a member.
#[derive(PartialEq)]
enum Taken {
    Never,
    Perhaps,
    Always,
}

fn taken(operation: Operation, member: &str) -> Taken {
    use Operation::{
        BatchGetItem, DeleteItem, GetItem, PutItem, Query, Scan, TransactWriteItems, UpdateItem,
    };

    match (operation, member) {
        (Query | Scan, "table") | (Query, "where") => Taken::Always,
        (GetItem | PutItem | UpdateItem | DeleteItem, "entity") => Taken::Always,
        (UpdateItem, "update") | (BatchGetItem, "keys") | (TransactWriteItems, "actions") => Taken::Always,
        (Query | Scan, "index" | "filter" | "select" | "limit" | "values") | (Query, "direction") => {
            Taken::Perhaps
        }
        (GetItem | Query | Scan, "projection" | "consistent") => Taken::Perhaps,
        (GetItem | PutItem | UpdateItem | DeleteItem, "key") | (PutItem, "item") => Taken::Perhaps,
        (PutItem | UpdateItem | DeleteItem, "condition" | "values" | "return-values") => Taken::Perhaps,
        _ => Taken::Never,
    }
}

fn refuse(id: &At<String>, shape: &PatternShape, operation: Operation, findings: &mut Findings) {
    fn at<T>(member: &Option<At<T>>) -> Option<Position> {
        member.as_ref().map(|member| member.at)
    }
    for (member, there) in [
        ("table", at(&shape.table)),
        ("index", at(&shape.index)),
        ("entity", at(&shape.entity)),
        ("key", at(&shape.key)),
        ("where", at(&shape.key_condition)),
        ("filter", at(&shape.filter)),
        ("projection", at(&shape.projection)),
        ("select", at(&shape.select)),
        ("direction", at(&shape.direction)),
        ("limit", at(&shape.limit)),
        ("consistent", at(&shape.consistent)),
        ("item", at(&shape.item)),
        ("update", at(&shape.update)),
        ("condition", at(&shape.condition)),
        ("values", at(&shape.values)),
        ("return-values", at(&shape.return_values)),
        ("keys", at(&shape.keys)),
        ("actions", at(&shape.actions)),
    ] {
        match (there, taken(operation, member)) {
            (Some(at), Taken::Never) => {
                findings.add(at, || Problem::MemberRefused { operation: operation.name(), member });
            }
            (None, Taken::Always) => {
                findings.add(id.at, || Problem::MemberNeeded { operation: operation.name(), member });
            }
            _ => {}
        }
    }
}

fn insert_consistent(shape: &PatternShape, body: &mut Map<String, Value>) {
    if matches!(&shape.consistent, Some(At { value: Flag::True, .. })) {
        body.insert("ConsistentRead".into(), json!(true));
    }
}

fn returns(
    shape: &PatternShape,
    draft: &Draft,
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Returns> {
    let returns = shape.returns.as_ref()?;
    let operation = shape.operation.value;
    for name in &returns.entities.0 {
        known(Named::Entity, name, names.entities.iter().copied(), findings);
        let entity = entities.iter().find(|entity| entity.name == name.value);
        if entity.is_some_and(|entity| entity.table != draft.table) && operation != Operation::BatchGetItem {
            findings.add(name.at, || Problem::EntityOfAnotherTable {
                entity: name.value.clone(),
                table: draft.table.clone(),
            });
        }
    }
    let entities = returns.entities.0.iter().map(|name| name.value.clone()).collect();
    Some(Returns { entities, count: returns.count.value })
}

fn costs(shape: &CostsShape, tables: &[Table], findings: &mut Findings) -> Costs {
    let read = shape.read.as_ref().and_then(|text| units(text, findings));
    let write = shape.write.as_ref().and_then(|text| units(text, findings));
    let mut indexes = Vec::new();
    for (name, text) in &shape.indexes.list {
        known_index(name, tables.iter(), findings);
        indexes.extend(units(text, findings).map(|units| (name.value.clone(), units)));
    }
    Costs { read, write, indexes }
}

fn units(text: &At<UnitsText>, findings: &mut Findings) -> Option<Units> {
    let units = units::parse(&text.value.0);
    if units.is_none() {
        findings.add(text.at, || Problem::NotUnits { text: text.value.0.clone() });
    }
    units
}
