//! Sample items: each value typed by its entity, each key made from the entity's templates.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::entities::name_type;
use super::{Items, Names, known};
use crate::finding::{Findings, Position};
use crate::model::{Entity, KeyTemplate, SampleItem};
use crate::placed::{At, Entries, Plain};
use crate::problem::{Named, Problem};
use crate::sample::{key_text, typed};
use crate::types::AttributeType;

pub(super) fn check(
    items: &Items<'_>,
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Vec<SampleItem> {
    let mut checked = Vec::new();
    let mut seen: HashMap<(&str, Vec<String>), Position> = HashMap::new();
    for shape in items.shapes {
        let [(name, values)] = shape.0.value.list.as_slice() else {
            let found = shape.0.value.list.len();
            findings.add(shape.0.at, || Problem::OneEntityEach { found });
            continue;
        };
        if items.whole {
            known(Named::Entity, name, names.entities.iter().copied(), findings);
        }
        let Some(entity) = entities.iter().find(|entity| entity.name == name.value) else { continue };
        let Some(key) = key(entity, name, &values.value, findings) else { continue };
        let texts: Vec<String> = key.iter().map(|(_, _, text)| text.clone()).collect();
        if let Some(first) = seen.insert((entity.table.as_str(), texts), name.at) {
            findings.add(name.at, || Problem::DuplicateItem { first });
        }
        if let Some(other) = reads_as_another(entity, entities, &key) {
            let entity = entity.name.clone();
            let other = other.to_owned();
            findings.add(name.at, || Problem::KeyReadsAs { entity, other });
        }
        let mut attributes: Map<String, Value> =
            key.into_iter().map(|(name, code, text)| (name, json!({ code: text }))).collect();
        if items.whole {
            all_known(entity, &values.value, findings);
        }
        attributes.extend(index_keys(entity, &values.value, findings));
        attributes.extend(others(entity, &values.value, findings));
        checked.push(SampleItem { entity: entity.name.clone(), attributes });
    }
    checked
}

/// The key of an item: attribute, type and text.
type Key = Vec<(String, &'static str, String)>;

fn key(
    entity: &Entity,
    item: &At<String>,
    values: &Entries<At<Plain>>,
    findings: &mut Findings,
) -> Option<Key> {
    // A name that stands in both halves of a key is read once, so that its fault is told once.
    let mut texts: HashMap<&str, Option<String>> = HashMap::new();
    for name in entity.key.iter().flat_map(|part| part.template.names()) {
        if texts.contains_key(name) {
            continue;
        }
        let text = match values.list.iter().find(|(other, _)| other.value == name) {
            Some((_, value)) => key_text(name, name_type(entity, name), value, findings),
            None => {
                findings.add(item.at, || Problem::ValueMissing {
                    name: name.to_owned(),
                    entity: entity.name.clone(),
                });
                None
            }
        };
        texts.insert(name, text);
    }
    let mut key = Vec::new();
    for part in &entity.key {
        let fill = |name: &str| texts.get(name).cloned().flatten().ok_or(());
        let text = part.template.fill(fill).ok()?;
        key.push((part.attribute.clone(), part.kind.code(), text));
    }
    Some(key)
}

fn in_key(entity: &Entity) -> impl Iterator<Item = &str> + Clone {
    entity.key.iter().flat_map(|key| key.template.names())
}

fn all_known(entity: &Entity, values: &Entries<At<Plain>>, findings: &mut Findings) {
    for (name, _) in &values.list {
        let declared = entity.attributes.iter().map(|attribute| attribute.name.as_str());
        known(Named::Attribute, name, declared.chain(in_key(entity)), findings);
    }
}

/// Attributes for indexes alone. An item that doesn't give all their names is not in the index.
fn index_keys(entity: &Entity, values: &Entries<At<Plain>>, findings: &mut Findings) -> Vec<(String, Value)> {
    let mut attributes = Vec::new();
    for KeyTemplate { attribute, kind, template } in &entity.index_keys {
        let text = template.fill(|name| {
            let (_, value) = values.list.iter().find(|(other, _)| other.value == name).ok_or(())?;
            key_text(name, name_type(entity, name), value, findings).ok_or(())
        });
        if let Ok(text) = text {
            attributes.push((attribute.clone(), json!({ kind.code(): text })));
        }
    }
    attributes
}

fn others(entity: &Entity, values: &Entries<At<Plain>>, findings: &mut Findings) -> Vec<(String, Value)> {
    let mut attributes = Vec::new();
    for attribute in &entity.attributes {
        let Some((_, value)) = values.list.iter().find(|(name, _)| name.value == attribute.name) else {
            continue; // Items of one entity need not have all its attributes.
        };
        if in_key(entity).any(|name| name == attribute.name)
            && !matches!(attribute.kind, AttributeType::S | AttributeType::N)
        {
            continue; // The entity's own finding has told it.
        }
        if let Some(value) = typed(&attribute.name, attribute.kind, value, findings) {
            attributes.push((attribute.name.clone(), value));
        }
    }
    attributes
}

/// Another entity of the table as which this key reads at least as well: a run of the model couldn't
/// tell which of the two came back.
fn reads_as_another<'e>(entity: &Entity, entities: &'e [Entity], key: &Key) -> Option<&'e str> {
    let value =
        |attribute: &str| key.iter().find(|(name, _, _)| name == attribute).map(|(_, _, text)| text.clone());
    let own = entity.matches(value)?;
    entities
        .iter()
        .filter(|other| other.table == entity.table && other.name != entity.name)
        .find(|other| other.matches(value).is_some_and(|bytes| bytes >= own))
        .map(|other| other.name.as_str())
}
