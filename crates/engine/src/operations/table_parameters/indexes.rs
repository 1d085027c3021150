//! The definitions of secondary indexes: checked in full.

use keyplan_value::json::Node;

use super::key_schema::{KeyElement, all_defined, elements, first_repeated, simple_key};
use super::projection::projection;
use super::throughput::provisioned;
use super::vector_indexes::vector_indexes;
use crate::catalog::{BillingMode, KeyAttribute, KeySchema};
use crate::error::{DefinitionError, IndexError, KeyError};
use crate::limits::{
    GLOBAL_INDEX_KEY_ATTRIBUTES_OF_A_TYPE_MAX, GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX,
    NON_KEY_ATTRIBUTES_OF_TABLE_MAX,
};
use crate::validate::{present, string};

/// What the checked definitions of all indexes come to.
#[derive(Default)]
pub(super) struct Indexes {
    /// Their names; indexes of all families share one name space.
    pub(super) names: Vec<String>,
    /// Their key attributes, and the attributes that vector indexes search by.
    pub(super) keys: Vec<String>,
    /// How many attributes their projections name.
    pub(super) non_key_attributes: usize,
}

impl Indexes {
    pub(super) fn add(&mut self, index: Node<'_, '_>) -> Result<(), IndexError> {
        self.non_key_attributes += projection(index)?;
        let name = name_of(index);
        if self.names.contains(&name) {
            return Err(IndexError::Twice(name));
        }
        self.names.push(name);
        Ok(())
    }

    fn add_keys(&mut self, elements: &[KeyElement<'_>]) {
        self.keys.extend(elements.iter().map(|element| element.name.clone().into_owned()));
    }
}

pub(super) fn name_of(index: Node<'_, '_>) -> String {
    string(index, "IndexName").unwrap_or_default().into_owned()
}

/// Checks all index definitions of a request.
pub(super) fn indexes(
    request: Node<'_, '_>,
    billing_mode: BillingMode,
    definitions: &[KeyAttribute],
    key: &KeySchema,
) -> Result<Indexes, DefinitionError> {
    for list in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes", "VectorIndexes"] {
        if present(request, list).is_some_and(|list| list.is_empty()) {
            return Err(IndexError::EmptyList(list).into());
        }
    }
    let list = |name: &str| present(request, name).into_iter().flat_map(|list| list.elements());
    let mut found = Indexes::default();
    for (at, index) in list("LocalSecondaryIndexes").enumerate() {
        local_index(index, definitions, key, &mut found)?;
        if at >= LOCAL_INDEXES_MAX {
            return Err(IndexError::TooManyLocal(LOCAL_INDEXES_MAX).into());
        }
    }
    for (at, index) in list("GlobalSecondaryIndexes").enumerate() {
        global_index(index, billing_mode, definitions, &mut found)?;
        if at >= GLOBAL_INDEXES_MAX {
            return Err(IndexError::TooManyGlobal(GLOBAL_INDEXES_MAX).into());
        }
    }
    vector_indexes(list("VectorIndexes"), billing_mode, definitions, &mut found)?;
    if found.non_key_attributes > NON_KEY_ATTRIBUTES_OF_TABLE_MAX {
        return Err(IndexError::TooManyNonKeyAttributes(NON_KEY_ATTRIBUTES_OF_TABLE_MAX).into());
    }
    Ok(found)
}

fn local_index(
    index: Node<'_, '_>,
    definitions: &[KeyAttribute],
    key: &KeySchema,
    found: &mut Indexes,
) -> Result<(), DefinitionError> {
    if key.sort.is_none() {
        return Err(IndexError::LocalOnSimpleTable.into());
    }
    let elements = elements(index);
    all_defined(&elements, definitions)?;
    simple_key(&elements)?;
    let [hash, _range] = elements.as_slice() else {
        return Err(IndexError::LocalWithoutRange(name_of(index)).into());
    };
    if hash.name != key.partition.name {
        return Err(IndexError::LocalOtherHash {
            index: name_of(index),
            of_index: hash.name.clone().into_owned(),
            of_table: key.partition.name.clone(),
        }
        .into());
    }
    found.add_keys(&elements);
    Ok(found.add(index)?)
}

fn global_index(
    index: Node<'_, '_>,
    billing_mode: BillingMode,
    definitions: &[KeyAttribute],
    found: &mut Indexes,
) -> Result<(), DefinitionError> {
    let units = present(index, "ProvisionedThroughput");
    match (billing_mode, units) {
        (BillingMode::Provisioned, None) => {
            return Err(IndexError::ThroughputMissing(name_of(index)).into());
        }
        (BillingMode::PayPerRequest, Some(_)) => {
            return Err(IndexError::ThroughputOnDemand(name_of(index)).into());
        }
        (BillingMode::Provisioned, Some(units)) => {
            provisioned(units, Some(&name_of(index)))?;
        }
        (BillingMode::PayPerRequest, None) => {}
    }
    let elements = elements(index);
    all_defined(&elements, definitions)?;
    global_key(&elements)?;
    found.add_keys(&elements);
    Ok(found.add(index)?)
}

/// Checks the key of a global secondary index: up to four partition and four sort key attributes.
fn global_key(elements: &[KeyElement<'_>]) -> Result<(), KeyError> {
    if elements.first().is_none_or(|first| !first.hash) {
        return Err(KeyError::FirstNotHash);
    }
    // A key of the old two-part form keeps its own sentence.
    if let [first, second] = elements
        && !second.hash
        && first.name == second.name
    {
        return Err(KeyError::SameName);
    }
    if first_repeated(elements.iter().map(|element| element.name.as_ref())).is_some() {
        return Err(KeyError::IndexKeyTwice);
    }
    if !elements.is_sorted_by_key(|element| !element.hash) {
        return Err(KeyError::HashAfterRange);
    }
    for (role, hash) in [("HASH", true), ("RANGE", false)] {
        let count = elements.iter().filter(|element| element.hash == hash).count();
        if count > GLOBAL_INDEX_KEY_ATTRIBUTES_OF_A_TYPE_MAX {
            return Err(KeyError::TooManyAttributes(role));
        }
    }
    Ok(())
}
