//! Entities: templates for exactly the key attributes of their table, and typed attributes.

use keyplan_value::Number;

use super::{Names, is_id, known, template};
use crate::finding::Findings;
use crate::model::{Attribute, Entity, Index, KeyAttribute, KeyTemplate, Table};
use crate::placed::{At, Entries};
use crate::problem::{Named, Problem};
use crate::shape::EntityShape;
use crate::template::{Part, Template};
use crate::types::{AttributeType, KeyType};

pub(super) fn check(
    shapes: &Entries<EntityShape>,
    tables: &[Table],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Vec<Entity> {
    let mut entities = Vec::new();
    for (name, shape) in &shapes.list {
        is_id(name, findings);
        known(Named::Table, &shape.table, names.tables.iter().copied(), findings);
        let Some(table) = tables.iter().find(|table| table.name == shape.table.value) else { continue };
        let attributes = attributes(shape, table, findings);
        let Some(key) = key(name, shape, table, &attributes, findings) else { continue };
        let index_keys = index_keys(shape, table, &key, &attributes, findings);
        if !shape.attributes.faulty.is_empty() {
            continue; // Its items would only repeat the fault.
        }
        let (name, table) = (name.value.clone(), table.name.clone());
        entities.push(Entity { name, table, key, attributes, index_keys });
    }
    entities
}

fn attributes(shape: &EntityShape, table: &Table, findings: &mut Findings) -> Vec<Attribute> {
    let mut attributes = Vec::new();
    for (name, kind) in &shape.attributes.list {
        if name.value.is_empty() {
            findings.add(name.at, || Problem::Empty { what: "the attribute's name" });
        }
        if table.key_attributes().any(|key| key.name == name.value) {
            let attribute = name.value.clone();
            findings.add(name.at, || Problem::KeyAttributeDeclared { attribute });
        }
        attributes.push(Attribute { name: name.value.clone(), kind: kind.value });
    }
    attributes
}

fn key(
    entity: &At<String>,
    shape: &EntityShape,
    table: &Table,
    attributes: &[Attribute],
    findings: &mut Findings,
) -> Option<Vec<KeyTemplate>> {
    for (name, _) in &shape.key.list {
        let keys = table.key_attributes().map(|key| key.name.as_str());
        known(Named::KeyAttribute, name, keys, findings);
    }
    let mut key = Some(Vec::new());
    for attribute in table.key_attributes() {
        let found = shape.key.list.iter().find(|(name, _)| name.value == attribute.name);
        let Some((_, text)) = found else {
            findings.add(entity.at, || Problem::KeyAttributeMissing {
                attribute: attribute.name.clone(),
                table: table.name.clone(),
            });
            key = None;
            continue;
        };
        let template = template(text, findings)
            .filter(|template| key_template_fits(template, attribute, attributes, text, findings));
        match (&mut key, template) {
            (Some(key), Some(template)) => {
                key.push(KeyTemplate { attribute: attribute.name.clone(), kind: attribute.kind, template })
            }
            _ => key = None,
        }
    }
    key
}

/// The templates of index attributes. Their names must have a value: in the key or as an attribute.
fn index_keys(
    shape: &EntityShape,
    table: &Table,
    key: &[KeyTemplate],
    attributes: &[Attribute],
    findings: &mut Findings,
) -> Vec<KeyTemplate> {
    let of_indexes = || table.indexes.iter().flat_map(Index::key_attributes);
    let mut templates = Vec::new();
    for (name, text) in &shape.index_keys.list {
        let index_attributes: Vec<&str> = of_indexes().map(|key| key.name.as_str()).collect();
        known(Named::KeyAttribute, name, index_attributes.iter().copied(), findings);
        let taken = table.key_attributes().map(|key| &key.name);
        if taken.chain(attributes.iter().map(|attribute| &attribute.name)).any(|other| *other == name.value) {
            findings.add(name.at, || Problem::KeyAttributeDeclared { attribute: name.value.clone() });
        }
        let Some(attribute) = of_indexes().find(|key| key.name == name.value) else { continue };
        let Some(template) = template(text, findings) else { continue };
        for part in template.names() {
            let in_key = key.iter().flat_map(|key| key.template.names());
            let given = in_key.chain(attributes.iter().map(|attribute| attribute.name.as_str()));
            let part = At { at: text.at, value: part.to_owned() };
            known(Named::Attribute, &part, given, findings);
        }
        if key_template_fits(&template, attribute, attributes, text, findings) {
            let (attribute, kind) = (attribute.name.clone(), attribute.kind);
            templates.push(KeyTemplate { attribute, kind, template });
        }
    }
    templates
}

/// Checks the types of a key template's names.
fn key_template_fits(
    template: &Template,
    attribute: &KeyAttribute,
    attributes: &[Attribute],
    text: &At<String>,
    findings: &mut Findings,
) -> bool {
    let declared = |name: &str| attributes.iter().find(|other| other.name == name).map(|a| a.kind);
    if attribute.kind == KeyType::N {
        if !is_number_template(template) {
            let attribute = attribute.name.clone();
            findings.add(text.at, || Problem::NumberKeyTemplate { attribute });
            return false;
        }
        if let Some(name) = template.single_name()
            && let Some(declared) = declared(name).filter(|kind| *kind != AttributeType::N)
        {
            let name = name.to_owned();
            let expected = AttributeType::N;
            findings.add(text.at, || Problem::NameType { name, expected, declared });
            return false;
        }
        return true;
    }
    for name in template.names() {
        match declared(name) {
            None | Some(AttributeType::S | AttributeType::N) => {}
            Some(declared) => {
                let name = name.to_owned();
                findings.add(text.at, || Problem::TypeOfName { name, declared });
                return false;
            }
        }
    }
    true
}

/// Whether a template makes numbers: it is one name, or a number itself.
pub(super) fn is_number_template(template: &Template) -> bool {
    match template.parts() {
        [Part::Name(_)] => true,
        [Part::Text(text)] => Number::parse(text).is_ok(),
        _ => false,
    }
}

/// The type of a name in an entity's key: as declared, else as the key attribute has it.
pub(super) fn name_type(entity: &Entity, name: &str) -> AttributeType {
    let declared = entity.attributes.iter().find(|attribute| attribute.name == name);
    declared.map_or_else(
        || {
            let whole = entity.key.iter().find(|key| key.template.single_name() == Some(name));
            match whole.map(|key| key.kind) {
                Some(KeyType::N) => AttributeType::N,
                _ => AttributeType::S,
            }
        },
        |attribute| attribute.kind,
    )
}
