//! Attribute definitions and the key schemas that use them.

use std::borrow::Cow;

use keyplan_value::ValueKind;
use keyplan_value::json::Node;

use super::indexes::Indexes;
use crate::catalog::{KeyAttribute, KeySchema};
use crate::error::KeyError;
use crate::validate::{present, string};

/// Reads AttributeDefinitions, as they were sent.
pub(in crate::operations) fn definitions(request: Node<'_, '_>) -> Vec<KeyAttribute> {
    let list = present(request, "AttributeDefinitions");
    let elements = list.into_iter().flat_map(|list| list.elements());
    elements
        .filter_map(|definition| {
            Some(KeyAttribute {
                name: string(definition, "AttributeName")?.into_owned(),
                kind: ValueKind::from_code(&string(definition, "AttributeType")?)?,
            })
        })
        .collect()
}

/// An element of a key schema.
pub(super) struct KeyElement<'a> {
    pub(super) name: Cow<'a, str>,
    /// HASH, or else RANGE.
    pub(super) hash: bool,
}

/// Reads the KeySchema of a table or an index.
pub(super) fn elements<'a>(of: Node<'_, 'a>) -> Vec<KeyElement<'a>> {
    let list = present(of, "KeySchema");
    let elements = list.into_iter().flat_map(|list| list.elements());
    elements
        .filter_map(|element| {
            Some(KeyElement {
                name: string(element, "AttributeName")?,
                hash: string(element, "KeyType")? == "HASH",
            })
        })
        .collect()
}

/// Checks that every attribute of a key is defined.
pub(super) fn all_defined(elements: &[KeyElement<'_>], definitions: &[KeyAttribute]) -> Result<(), KeyError> {
    if definitions.len() < elements.len() {
        return Err(KeyError::TooFewDefinitions);
    }
    if elements.iter().all(|element| definition(definitions, &element.name).is_some()) {
        return Ok(());
    }
    Err(KeyError::Undefined {
        keys: elements.iter().map(|element| element.name.clone().into_owned()).collect(),
        defined: names(definitions),
    })
}

/// The definition of an attribute.
pub(super) fn definition<'d>(definitions: &'d [KeyAttribute], name: &str) -> Option<&'d KeyAttribute> {
    definitions.iter().find(|definition| definition.name == name)
}

/// Checks a key of a partition key and perhaps a sort key.
pub(super) fn simple_key(elements: &[KeyElement<'_>]) -> Result<(), KeyError> {
    if elements.first().is_none_or(|first| !first.hash) {
        return Err(KeyError::FirstNotHash);
    }
    if let [first, second, ..] = elements {
        if first.name == second.name {
            return Err(KeyError::SameName);
        }
        if second.hash {
            return Err(KeyError::SecondNotRange);
        }
    }
    Ok(())
}

/// Reads and checks the table's key.
pub(in crate::operations) fn table_key(
    request: Node<'_, '_>,
    definitions: &[KeyAttribute],
) -> Result<KeySchema, KeyError> {
    if let Some(twice) = first_repeated(definitions.iter().map(|definition| definition.name.as_str())) {
        return Err(KeyError::DefinitionTwice(twice.to_owned()));
    }
    let elements = elements(request);
    all_defined(&elements, definitions)?;
    simple_key(&elements)?;
    Ok(schema(&elements, definitions))
}

/// The key that some checked elements describe.
pub(super) fn schema(elements: &[KeyElement<'_>], definitions: &[KeyAttribute]) -> KeySchema {
    let part = |hash: bool| {
        let of_part = elements.iter().filter(|element| element.hash == hash);
        of_part.filter_map(|element| definition(definitions, &element.name).cloned()).collect()
    };
    KeySchema { partition: part(true), sort: part(false) }
}

/// The names of attributes.
fn names<'a>(attributes: impl IntoIterator<Item = &'a KeyAttribute>) -> Vec<String> {
    attributes.into_iter().map(|attribute| attribute.name.clone()).collect()
}

/// The first of some names that has come before.
pub(super) fn first_repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = std::collections::HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

/// Checks that every defined attribute is a key attribute of the table or of an index.
pub(in crate::operations) fn all_used(
    definitions: &[KeyAttribute],
    key: &KeySchema,
    indexes: &Indexes,
) -> Result<(), KeyError> {
    let mut used = names(key.attributes());
    for name in indexes.keys() {
        if !used.contains(name) {
            used.push(name.clone());
        }
    }
    if definitions.iter().all(|definition| used.contains(&definition.name)) {
        return Ok(());
    }
    if indexes.is_empty() {
        return Err(KeyError::DefinitionsUnused);
    }
    Err(KeyError::DefinitionsUnusedWithIndex { defined: names(definitions), used })
}
