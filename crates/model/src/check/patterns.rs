//! Access patterns: the members that each operation takes, key conditions over the table's key, and
//! parameters that are all declared and all used.

use keyplan_engine::capacity::Units;

use super::entities::{is_number_template, name_type};
use super::{Names, filled, is_id, known, template};
use crate::finding::Findings;
use crate::model::{Entity, KeyAttribute, KeyTemplate, Table};
use crate::pattern::{Access, Operation, Parameter, Pattern, Returns, SortComparison, SortCondition};
use crate::placed::{At, Entries, Plain};
use crate::problem::{Named, Problem};
use crate::shape::{ComparandShape, Comparison, Flag, KeyConditionShape, ParameterShape, PatternShape};
use crate::template::{Part, Template};
use crate::types::{AttributeType, KeyType};
use crate::units;

/// The wire's Limit is a 32-bit integer.
const LIMIT_MAX: u64 = i32::MAX as u64;

pub(super) fn check(
    shapes: &Entries<PatternShape>,
    tables: &[Table],
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for (id, shape) in &shapes.list {
        is_id(id, findings);
        filled("the question", &shape.question, findings);
        let operation = shape.operation.value;
        refuse(id, shape, operation, findings);
        let subject = match operation {
            Operation::GetItem => get(id, shape, entities, names, findings),
            Operation::Query => query(shape, tables, names, findings),
            Operation::Scan => scan(shape, tables, names, findings),
        };
        let Some(subject) = subject else { continue };
        patterns.push(Pattern {
            id: id.value.clone(),
            question: shape.question.value.clone(),
            consistent: matches!(&shape.consistent, Some(At { value: Flag::True, .. })),
            parameters: parameters(&shape.parameters, &subject.uses, findings),
            returns: returns(shape, &subject.table, entities, names, findings),
            read_units: units(shape, findings),
            table: subject.table,
            access: subject.access,
        });
    }
    patterns
}

/// What a pattern reads, and the templates that its parameters fill.
struct Subject {
    table: String,
    access: Access,
    uses: Vec<Use>,
}

/// One template in a pattern: where it stands, and the types of its names.
struct Use {
    template: Template,
    at: crate::Position,
    name_types: Vec<(String, KeyType)>,
}

impl Use {
    fn new(text: &At<String>, template: Template, kind: KeyType) -> Use {
        let whole = template.single_name().is_some();
        let name_kind = if whole { kind } else { KeyType::S };
        let name_types = template.names().map(|name| (name.to_owned(), name_kind)).collect();
        Use { template, at: text.at, name_types }
    }
}

fn refuse(id: &At<String>, shape: &PatternShape, operation: Operation, findings: &mut Findings) {
    let get = operation == Operation::GetItem;
    let query = operation == Operation::Query;
    for (member, there, taken) in [
        ("table", shape.table.as_ref().map(|table| table.at), !get),
        ("entity", shape.entity.as_ref().map(|entity| entity.at), get),
        ("where", shape.condition.as_ref().map(|condition| condition.at), query),
        ("direction", shape.direction.as_ref().map(|direction| direction.at), query),
        ("limit", shape.limit.as_ref().map(|limit| limit.at), !get),
    ] {
        let operation = operation.name();
        if let (Some(at), false) = (there, taken) {
            findings.add(at, || Problem::MemberRefused { operation, member });
        }
        let needed = matches!(member, "table" | "entity" | "where");
        if there.is_none() && taken && needed {
            findings.add(id.at, || Problem::MemberNeeded { operation, member });
        }
    }
}

fn get(
    id: &At<String>,
    shape: &PatternShape,
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Subject> {
    let name = shape.entity.as_ref()?;
    known(Named::Entity, name, names.entities.iter().copied(), findings);
    let entity = entities.iter().find(|entity| entity.name == name.value)?;
    let uses = entity.key.iter().map(|key| Use {
        template: key.template.clone(),
        at: id.at,
        name_types: key
            .template
            .names()
            .map(|name| {
                let number = name_type(entity, name) == AttributeType::N;
                (name.to_owned(), if number { KeyType::N } else { KeyType::S })
            })
            .collect(),
    });
    Some(Subject {
        table: entity.table.clone(),
        uses: uses.collect(),
        access: Access::Get { key: entity.key.clone() },
    })
}

fn scan(
    shape: &PatternShape,
    tables: &[Table],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Subject> {
    let table = table(shape, tables, names, findings)?;
    let limit = limit(shape, findings);
    Some(Subject { table: table.name.clone(), uses: Vec::new(), access: Access::Scan { limit } })
}

fn query(
    shape: &PatternShape,
    tables: &[Table],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Subject> {
    let table = table(shape, tables, names, findings)?;
    let condition = shape.condition.as_ref()?;
    if !condition.value.faulty.is_empty() {
        return None; // What is missing stands there, with a fault of its own.
    }
    for (name, _) in &condition.value.list {
        let keys = table.key_attributes().map(|key| key.name.as_str());
        known(Named::KeyAttribute, name, keys, findings);
    }
    let asked = |attribute: &KeyAttribute| {
        let found = condition.value.list.iter().find(|(name, _)| name.value == attribute.name);
        found.map(|(_, asked)| asked)
    };
    let mut uses = Vec::new();
    let partition = match asked(&table.partition) {
        Some(At { at, value: KeyConditionShape::Equal(text) }) => {
            let text = At { at: *at, value: text.clone() };
            let template = key_value(&table.partition, &text, findings)?;
            uses.push(Use::new(&text, template.clone(), table.partition.kind));
            KeyTemplate { attribute: table.partition.name.clone(), kind: table.partition.kind, template }
        }
        other => {
            let attribute = table.partition.name.clone();
            let at = other.map_or(condition.at, |asked| asked.at);
            findings.add(at, || Problem::PartitionKeyCondition { attribute });
            return None;
        }
    };
    let sort = match table.sort.as_ref().and_then(|sort| Some((sort, asked(sort)?))) {
        Some((sort, asked)) => Some(SortCondition {
            attribute: sort.name.clone(),
            kind: sort.kind,
            comparison: sort_comparison(sort, asked, &mut uses, findings)?,
        }),
        None => None,
    };
    let direction = shape.direction.as_ref().map(|direction| direction.value).unwrap_or_default();
    let limit = limit(shape, findings);
    Some(Subject {
        table: table.name.clone(),
        uses,
        access: Access::Query { partition, sort, direction, limit },
    })
}

fn sort_comparison(
    sort: &KeyAttribute,
    asked: &At<KeyConditionShape>,
    uses: &mut Vec<Use>,
    findings: &mut Findings,
) -> Option<SortComparison> {
    let mut operand = |text: &At<String>, findings: &mut Findings| {
        let template = key_value(sort, text, findings)?;
        uses.push(Use::new(text, template.clone(), sort.kind));
        Some(template)
    };
    match &asked.value {
        KeyConditionShape::Equal(text) => {
            let text = At { at: asked.at, value: text.clone() };
            Some(SortComparison::Operator("=", operand(&text, findings)?))
        }
        KeyConditionShape::Compare(_, ComparandShape::Two(lower, upper)) => {
            let lower = operand(lower, findings);
            let upper = operand(upper, findings);
            Some(SortComparison::Between(lower?, upper?))
        }
        KeyConditionShape::Compare(comparison, ComparandShape::One(text)) => {
            let operator = match comparison.value {
                Comparison::BeginsWith if sort.kind == KeyType::N => {
                    let attribute = sort.name.clone();
                    findings.add(comparison.at, || Problem::TypeRefusesBeginsWith { attribute });
                    return None;
                }
                Comparison::BeginsWith => {
                    return Some(SortComparison::BeginsWith(operand(text, findings)?));
                }
                Comparison::Equal | Comparison::Between => "=",
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
            };
            Some(SortComparison::Operator(operator, operand(text, findings)?))
        }
    }
}

/// A template that makes a value of a key attribute.
fn key_value(attribute: &KeyAttribute, text: &At<String>, findings: &mut Findings) -> Option<Template> {
    let template = template(text, findings)?;
    if attribute.kind == KeyType::N && !is_number_template(&template) {
        let attribute = attribute.name.clone();
        findings.add(text.at, || Problem::NumberKeyTemplate { attribute });
        return None;
    }
    Some(template)
}

fn table<'t>(
    shape: &PatternShape,
    tables: &'t [Table],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<&'t Table> {
    let name = shape.table.as_ref()?;
    known(Named::Table, name, names.tables.iter().copied(), findings);
    tables.iter().find(|table| table.name == name.value)
}

fn limit(shape: &PatternShape, findings: &mut Findings) -> Option<u32> {
    let limit = shape.limit.as_ref()?;
    if !(1..=LIMIT_MAX).contains(&limit.value) {
        findings.add(limit.at, || Problem::LimitOutOfRange { limit: limit.value });
    }
    u32::try_from(limit.value).ok()
}

fn parameters(shapes: &Entries<ParameterShape>, uses: &[Use], findings: &mut Findings) -> Vec<Parameter> {
    let declared = shapes.names();
    for used in uses {
        for name in used.template.names() {
            let name = At { at: used.at, value: name.to_owned() };
            known(Named::Parameter, &name, declared.iter().copied(), findings);
        }
    }
    let mut parameters = Vec::new();
    for (name, shape) in &shapes.list {
        let mut kinds = uses.iter().flat_map(|used| &used.name_types);
        let Some((_, kind)) = kinds.find(|(other, _)| *other == name.value) else {
            findings.add(name.at, || Problem::UnusedParameter { name: name.value.clone() });
            continue;
        };
        let attribute_kind = match kind {
            KeyType::S => AttributeType::S,
            KeyType::N => AttributeType::N,
        };
        let example: &At<Plain> = &shape.example;
        let Some(example) = crate::sample::key_text(&name.value, attribute_kind, example, findings) else {
            continue;
        };
        parameters.push(Parameter {
            name: name.value.clone(),
            kind: *kind,
            example,
            prefix: prefix(&name.value, uses),
        });
    }
    parameters
}

/// The text directly before a parameter where it stands first.
fn prefix(name: &str, uses: &[Use]) -> String {
    for used in uses {
        let mut before = "";
        for part in used.template.parts() {
            match part {
                Part::Text(text) => before = text,
                Part::Name(other) if other == name => return before.to_owned(),
                Part::Name(_) => before = "",
            }
        }
    }
    String::new()
}

fn returns(
    shape: &PatternShape,
    table: &str,
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Returns> {
    let returns = shape.returns.as_ref()?;
    for name in &returns.entities.0 {
        known(Named::Entity, name, names.entities.iter().copied(), findings);
        let entity = entities.iter().find(|entity| entity.name == name.value);
        if entity.is_some_and(|entity| entity.table != table) {
            findings.add(name.at, || Problem::EntityOfAnotherTable {
                entity: name.value.clone(),
                table: table.to_owned(),
            });
        }
    }
    let entities = returns.entities.0.iter().map(|name| name.value.clone()).collect();
    Some(Returns { entities, count: returns.count.value })
}

fn units(shape: &PatternShape, findings: &mut Findings) -> Option<Units> {
    let text = shape.costs.as_ref()?.read.as_ref()?;
    let units = units::parse(&text.value.0);
    if units.is_none() {
        findings.add(text.at, || Problem::NotUnits { text: text.value.0.clone() });
    }
    units
}
