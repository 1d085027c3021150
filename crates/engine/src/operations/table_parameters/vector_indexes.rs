//! The definitions of vector indexes: checked in full.

use std::collections::HashMap;

use keyplan_value::json::Node;

use super::indexes::Indexes;
use super::key_schema::{definition, first_repeated};
use crate::catalog::{BillingMode, KeyAttribute};
use crate::error::{DefinitionError, VectorIndexError};
use crate::limits::{VECTOR_DIMENSIONS_MAX, VECTOR_INDEXES_MAX};
use crate::validate::{long, present, string};

/// Checks the vector indexes of a request.
pub(super) fn vector_indexes<'t, 'a: 't>(
    list: impl Iterator<Item = Node<'t, 'a>>,
    billing_mode: BillingMode,
    definitions: &[KeyAttribute],
    found: &mut Indexes,
) -> Result<(), DefinitionError> {
    let mut dimensions_of = HashMap::new();
    for (at, index) in list.enumerate() {
        if billing_mode == BillingMode::Provisioned {
            return Err(VectorIndexError::Provisioned.into());
        }
        if at >= VECTOR_INDEXES_MAX {
            return Err(VectorIndexError::TooMany(VECTOR_INDEXES_MAX).into());
        }
        let dimensions = long(index, "Dimensions").unwrap_or_default();
        if dimensions > VECTOR_DIMENSIONS_MAX {
            return Err(VectorIndexError::Dimensions(VECTOR_DIMENSIONS_MAX).into());
        }
        let attribute = present(index, "VectorAttribute")
            .and_then(|attribute| string(attribute, "AttributeName"))
            .unwrap_or_default()
            .into_owned();
        if *dimensions_of.entry(attribute.clone()).or_insert(dimensions) != dimensions {
            return Err(VectorIndexError::DimensionsConflict(attribute).into());
        }
        if definition(definitions, &attribute).is_some() {
            return Err(VectorIndexError::AttributeDefined(attribute).into());
        }
        search_schema(index, definitions, found)?;
        found.add_vector(index)?;
    }
    Ok(())
}

fn search_schema(
    index: Node<'_, '_>,
    definitions: &[KeyAttribute],
    found: &mut Indexes,
) -> Result<(), VectorIndexError> {
    let schema = present(index, "SearchSchema");
    let elements: Vec<_> = schema.into_iter().flat_map(|schema| schema.elements()).collect();
    let names: Vec<String> = elements
        .iter()
        .filter_map(|element| string(*element, "AttributeName"))
        .map(|name| name.into_owned())
        .collect();
    if names.iter().any(|name| definition(definitions, name).is_none()) {
        return Err(VectorIndexError::SearchAttributeUndefined);
    }
    if first_repeated(names.iter().map(String::as_str)).is_some() {
        return Err(VectorIndexError::SearchAttributeTwice);
    }
    let is_hash = |element: &&Node<'_, '_>| {
        string(**element, "SearchSchemaElementType").is_some_and(|kind| kind == "HASH")
    };
    if elements.iter().filter(is_hash).count() > 1 {
        return Err(VectorIndexError::SearchHashTwice);
    }
    found.keys.extend(names);
    Ok(())
}
