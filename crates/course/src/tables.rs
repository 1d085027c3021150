//! The tables of a lesson, as the requests that make them.

use keyplan_grading::Request;
use keyplan_model::form::{At, Entries, Flag, KeyAttributeShape, is_table_name};
use keyplan_model::{AttributeType, Problem};
use serde_json::{Map, Value, json};

use crate::parse::{Faults, request};
use crate::shape::{IndexShape, KeyShape, ProjectionShape, TableShape};

/// The tables' names in the file's order.
pub(crate) fn names(tables: &Entries<TableShape>) -> Vec<String> {
    tables.list.iter().map(|(name, _)| name.value.clone()).collect()
}

/// Each index as its table and its name.
pub(crate) fn indexes(tables: &Entries<TableShape>) -> Vec<(String, String)> {
    let of = |(table, shape): &(At<String>, TableShape)| {
        let names = shape.indexes.list.iter();
        names.map(|(index, _)| (table.value.clone(), index.value.clone())).collect::<Vec<_>>()
    };
    tables.list.iter().flat_map(of).collect()
}

/// A CreateTable for each table.
pub(crate) fn create(tables: &Entries<TableShape>, faults: &mut Faults) -> Vec<Request> {
    tables.list.iter().map(|(name, shape)| create_table(name, shape, faults)).collect()
}

fn create_table(name: &At<String>, shape: &TableShape, faults: &mut Faults) -> Request {
    if !is_table_name(&name.value) {
        faults.form.add(name.at, || Problem::TableName { text: name.value.clone() });
    }
    let mut definitions = Vec::new();
    let mut body = Map::new();
    body.insert("TableName".into(), json!(name.value));
    body.insert("KeySchema".into(), key_schema(&shape.key, &mut definitions, faults));
    let (mut local, mut global) = (Vec::new(), Vec::new());
    for (index, shape) in &shape.indexes.list {
        let description = json!({
            "IndexName": index.value,
            "KeySchema": key_schema(&shape.key, &mut definitions, faults),
            "Projection": projection(shape),
        });
        let is_local = shape.local.as_ref().is_some_and(|local| local.value == Flag::True);
        if is_local {
            local.push(description)
        } else {
            global.push(description)
        };
    }
    body.insert("AttributeDefinitions".into(), json!(definitions));
    for (member, indexes) in [("LocalSecondaryIndexes", local), ("GlobalSecondaryIndexes", global)] {
        if !indexes.is_empty() {
            body.insert(member.into(), json!(indexes));
        }
    }
    body.insert("BillingMode".into(), json!("PAY_PER_REQUEST"));
    request("CreateTable", &Value::Object(body))
}

/// The key's schema; an attribute that no key had before is added to the definitions.
fn key_schema(key: &KeyShape, definitions: &mut Vec<Value>, faults: &mut Faults) -> Value {
    let attributes = std::iter::once(&key.partition).chain(&key.sort);
    let mut schema = Vec::new();
    for (attribute, role) in attributes.zip(["HASH", "RANGE"]) {
        let name = &attribute.value.name;
        let kind = attribute_type(attribute, faults);
        if !definitions.iter().any(|definition| definition["AttributeName"] == json!(name)) {
            definitions.push(json!({ "AttributeName": name, "AttributeType": kind }));
        }
        schema.push(json!({ "AttributeName": name, "KeyType": role }));
    }
    json!(schema)
}

fn attribute_type(attribute: &At<KeyAttributeShape>, faults: &mut Faults) -> &'static str {
    match &attribute.value.kind {
        None => AttributeType::S.code(),
        Some(kind) => {
            if !matches!(kind.value, AttributeType::S | AttributeType::N | AttributeType::B) {
                let expected = "S, N or B, the types that a key may have,".to_owned();
                faults.form.add(kind.at, || Problem::Form { expected });
            }
            kind.value.code()
        }
    }
}

fn projection(shape: &IndexShape) -> Value {
    match shape.projection.as_ref().map(|projection| &projection.value) {
        None | Some(ProjectionShape::All) => json!({ "ProjectionType": "ALL" }),
        Some(ProjectionShape::KeysOnly) => json!({ "ProjectionType": "KEYS_ONLY" }),
        Some(ProjectionShape::Include(attributes)) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": attributes })
        }
    }
}
