//! Tables: keys, indexes whose attributes have one type each, and settings.

use super::{Names, is_table_name, known};
use crate::finding::{Findings, Position};
use crate::model::{Billing, Index, IndexScope, KeyAttribute, Projection, Table};
use crate::placed::{At, Entries};
use crate::problem::{Named, Problem};
use crate::shape::{BillingShape, IndexShape, KeyAttributeShape, KeyPartShape, ProjectionShape, TableShape};
use crate::types::{AttributeType, KeyType};

/// The most attributes in one half of an index's key.
const KEY_PART_ATTRIBUTES_MAX: usize = 4;

/// The tables that a file declares; what does not hang together becomes findings.
pub fn check(shapes: &Entries<TableShape>, findings: &mut Findings) -> Vec<Table> {
    let mut tables = Vec::new();
    for (name, shape) in &shapes.list {
        if !is_table_name(&name.value) {
            findings.add(name.at, || Problem::TableName { text: name.value.clone() });
        }
        let mut table = Table {
            name: name.value.clone(),
            partition: key_attribute(shape.key.partition.at, &shape.key.partition.value, findings),
            sort: shape.key.sort.as_ref().map(|sort| key_attribute(sort.at, &sort.value, findings)),
            billing: match shape.billing {
                None | Some(BillingShape::OnDemand) => Billing::OnDemand,
                Some(BillingShape::Provisioned { read, write }) => Billing::Provisioned { read, write },
            },
            indexes: Vec::new(),
            ttl: shape.ttl.as_ref().map(|ttl| ttl.value.clone()),
            stream: shape.stream.as_ref().map(|stream| stream.value),
        };
        for (name, shape) in &shape.indexes.list {
            let index = index(name, shape, &table, findings);
            table.indexes.push(index);
        }
        tables.push(table);
    }
    tables
}

fn index(name: &At<String>, shape: &IndexShape, table: &Table, findings: &mut Findings) -> Index {
    if !is_table_name(&name.value) {
        findings.add(name.at, || Problem::TableName { text: name.value.clone() });
    }
    let partition = part(&shape.key.partition, table, findings);
    let sort = shape.key.sort.as_ref().map(|sort| part(sort, table, findings)).unwrap_or_default();
    let scope = shape.scope.as_ref().map(|scope| scope.value).unwrap_or_default();
    if scope == IndexScope::Local && !partition.iter().map(|key| &key.name).eq([&table.partition.name]) {
        let attribute = table.partition.name.clone();
        findings.add(shape.key.partition.at, || Problem::LocalIndexPartition { attribute });
    }
    let projection = match &shape.projection {
        None | Some(ProjectionShape::All) => Projection::All,
        Some(ProjectionShape::KeysOnly) => Projection::KeysOnly,
        Some(ProjectionShape::Include(names)) => {
            Projection::Include(names.iter().map(|name| name.value.clone()).collect())
        }
    };
    Index { name: name.value.clone(), scope, partition, sort, projection }
}

fn part(shape: &At<KeyPartShape>, table: &Table, findings: &mut Findings) -> Vec<KeyAttribute> {
    let count = shape.value.0.len();
    if !(1..=KEY_PART_ATTRIBUTES_MAX).contains(&count) {
        findings.add(shape.at, || Problem::KeyPartCount { found: count });
    }
    let mut attributes = Vec::new();
    for attribute in &shape.value.0 {
        // One that stands alone has the place of the whole.
        let at = if attribute.at == Position::START { shape.at } else { attribute.at };
        let attribute = key_attribute(at, &attribute.value, findings);
        let defined = table.defined_attributes();
        let other = defined.into_iter().find(|other| other.name == attribute.name);
        if let Some(other) = other.filter(|other| other.kind != attribute.kind) {
            findings.add(at, || Problem::NameType {
                name: attribute.name.clone(),
                expected: attribute.kind.into(),
                declared: other.kind.into(),
            });
        }
        attributes.push(attribute);
    }
    attributes
}

fn key_attribute(at: Position, shape: &KeyAttributeShape, findings: &mut Findings) -> KeyAttribute {
    let name = shape.name.clone();
    if name.is_empty() {
        findings.add(at, || Problem::Empty { what: "the key attribute's name" });
    }
    let kind = match &shape.kind {
        None => KeyType::S,
        Some(kind) => match kind.value {
            AttributeType::S => KeyType::S,
            AttributeType::N => KeyType::N,
            _ => {
                findings.add(kind.at, || Problem::Form {
                    expected: "S or N, the types of a model's keys,".to_owned(),
                });
                KeyType::S
            }
        },
    };
    KeyAttribute { name, kind }
}

/// The index that a pattern or a cost names.
pub(super) fn known_index<'t>(
    name: &At<String>,
    tables: impl Iterator<Item = &'t Table> + Clone,
    findings: &mut Findings,
) -> Option<&'t Index> {
    let indexes = tables.flat_map(|table| &table.indexes);
    known(Named::Index, name, indexes.clone().map(|index| index.name.as_str()), findings);
    indexes.clone().find(|index| index.name == name.value)
}

/// Every attribute that a setting or an index of a table names must be of some entity, or nothing
/// would ever be there.
pub(super) fn attributes_are_given(
    shapes: &Entries<TableShape>,
    tables: &[Table],
    entities: &[crate::model::Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) {
    if names.entities.len() != entities.len() {
        return; // A faulty entity may have them.
    }
    for (table, (_, shape)) in tables.iter().zip(&shapes.list) {
        let of_table = || entities.iter().filter(|entity| entity.table == table.name);
        let kind = |name: &str| {
            of_table().find_map(|entity| {
                let attribute = entity.attributes.iter().find(|attribute| attribute.name == name);
                let template = entity.index_keys.iter().find(|key| key.attribute == name);
                attribute.map(|a| a.kind).or(template.map(|key| key.kind.into()))
            })
        };
        for (index, (name, _)) in table.indexes.iter().zip(&shape.indexes.list) {
            for attribute in index.key_attributes() {
                if table.key_attributes().any(|key| key.name == attribute.name) {
                    continue;
                }
                match kind(&attribute.name) {
                    None => findings.add(name.at, || Problem::IndexStaysEmpty {
                        index: index.name.clone(),
                        attribute: attribute.name.clone(),
                    }),
                    Some(declared) if declared != attribute.kind.into() => {
                        findings.add(name.at, || Problem::NameType {
                            name: attribute.name.clone(),
                            expected: attribute.kind.into(),
                            declared,
                        });
                    }
                    Some(_) => {}
                }
            }
        }
        if let Some(ttl) = &shape.ttl
            && kind(&ttl.value) != Some(AttributeType::N)
        {
            findings.add(ttl.at, || Problem::TtlAttribute { attribute: ttl.value.clone() });
        }
    }
}
