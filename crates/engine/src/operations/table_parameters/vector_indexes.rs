//! The definitions of vector indexes.

use std::collections::HashMap;

use keyplan_store::Space;
use keyplan_value::json::Node;

use super::indexes::{Indexes, name_of};
use super::key_schema::{definition, first_repeated};
use super::projection::projection;
use crate::catalog::{
    BillingMode, DistanceFunction, IndexProjection, KeyAttribute, SearchElement, SearchRole,
    VectorIndexDefinition,
};
use crate::error::{DefinitionError, VectorIndexError};
use crate::limits::{VECTOR_DIMENSIONS_MAX, VECTOR_INDEXES_MAX};
use crate::validate::{long, present, string};

/// A vector index as a request defines it.
#[derive(Clone)]
pub(in crate::operations) struct DefinedVectorIndex {
    pub(in crate::operations) name: String,
    pub(in crate::operations) attribute: String,
    pub(in crate::operations) dimensions: u32,
    pub(in crate::operations) search_schema: Vec<SearchElement>,
    distance: DistanceFunction,
    projection: IndexProjection,
}

impl DefinedVectorIndex {
    /// Reads and checks a vector index by itself.
    pub(in crate::operations) fn read(
        index: Node<'_, '_>,
        definitions: &[KeyAttribute],
    ) -> Result<DefinedVectorIndex, DefinitionError> {
        DefinedVectorIndex::read_beside(index, definitions, &mut HashMap::new())
    }

    /// The same beside others, whose attributes have these dimensions.
    fn read_beside(
        index: Node<'_, '_>,
        definitions: &[KeyAttribute],
        known: &mut HashMap<String, u32>,
    ) -> Result<DefinedVectorIndex, DefinitionError> {
        let asked = long(index, "Dimensions").unwrap_or_default();
        let dimensions = u32::try_from(asked).ok().filter(|_| asked <= VECTOR_DIMENSIONS_MAX);
        let dimensions = dimensions.ok_or(VectorIndexError::Dimensions(VECTOR_DIMENSIONS_MAX))?;
        let attribute = present(index, "VectorAttribute")
            .and_then(|attribute| string(attribute, "AttributeName"))
            .unwrap_or_default()
            .into_owned();
        if *known.entry(attribute.clone()).or_insert(dimensions) != dimensions {
            return Err(VectorIndexError::DimensionsConflict(attribute).into());
        }
        if definition(definitions, &attribute).is_some() {
            return Err(VectorIndexError::AttributeDefined(attribute).into());
        }
        let search_schema = search_schema(index, definitions)?;
        // The constraints of the shape see to it that there is one.
        let distance = string(index, "DistanceFunction").and_then(|word| DistanceFunction::from_word(&word));
        Ok(DefinedVectorIndex {
            name: name_of(index),
            attribute,
            dimensions,
            search_schema,
            distance: distance.unwrap_or(DistanceFunction::Cosine),
            projection: projection(index)?,
        })
    }

    /// The attributes that its projection names.
    pub(super) fn projected(&self) -> &[String] {
        self.projection.names()
    }

    /// The index, once it has a keyspace.
    pub(in crate::operations) fn in_space(self, space: Space, added: bool) -> VectorIndexDefinition {
        let DefinedVectorIndex { name, attribute, dimensions, search_schema, distance, projection } = self;
        VectorIndexDefinition {
            name,
            space,
            attribute,
            dimensions,
            distance,
            search_schema,
            projection,
            added,
        }
    }
}

/// Reads and checks the vector indexes of a new table.
pub(super) fn vector_indexes<'t, 'a: 't>(
    list: impl Iterator<Item = Node<'t, 'a>>,
    billing_mode: BillingMode,
    definitions: &[KeyAttribute],
    found: &mut Indexes,
) -> Result<(), DefinitionError> {
    let mut known = HashMap::new();
    for (at, index) in list.enumerate() {
        if billing_mode == BillingMode::Provisioned {
            return Err(VectorIndexError::Provisioned.into());
        }
        if at >= VECTOR_INDEXES_MAX {
            return Err(VectorIndexError::TooMany(VECTOR_INDEXES_MAX).into());
        }
        found.add_vector(DefinedVectorIndex::read_beside(index, definitions, &mut known)?)?;
    }
    Ok(())
}

fn search_schema(
    index: Node<'_, '_>,
    definitions: &[KeyAttribute],
) -> Result<Vec<SearchElement>, VectorIndexError> {
    let schema = present(index, "SearchSchema");
    let elements = schema.into_iter().flat_map(|schema| schema.elements());
    let mut found: Vec<SearchElement> = Vec::new();
    for element in elements {
        let name = string(element, "AttributeName").unwrap_or_default();
        let role = string(element, "SearchSchemaElementType").and_then(|word| SearchRole::from_word(&word));
        let attribute = definition(definitions, &name).ok_or(VectorIndexError::SearchAttributeUndefined)?;
        let role = role.unwrap_or(SearchRole::InlineFilter);
        found.push(SearchElement { attribute: attribute.clone(), role });
    }
    if first_repeated(found.iter().map(|element| element.attribute.name.as_str())).is_some() {
        return Err(VectorIndexError::SearchAttributeTwice);
    }
    if found.iter().filter(|element| element.role == SearchRole::Hash).count() > 1 {
        return Err(VectorIndexError::SearchHashTwice);
    }
    Ok(found)
}
