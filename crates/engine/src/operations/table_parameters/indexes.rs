//! The definitions of secondary indexes.

use keyplan_store::Space;
use keyplan_value::json::Node;

use super::key_schema::{KeyElement, all_defined, elements, first_repeated, schema, simple_key};
use super::projection::projection;
use super::throughput::AskedThroughput;
use super::vector_indexes::{DefinedVectorIndex, vector_indexes};
use crate::catalog::{
    BillingMode, IndexDefinition, IndexProjection, IndexScope, KeyAttribute, KeySchema, ThroughputSettings,
};
use crate::error::{DefinitionError, IndexError, KeyError};
use crate::limits::{
    GLOBAL_INDEX_KEY_ATTRIBUTES_OF_A_TYPE_MAX, GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX,
    NON_KEY_ATTRIBUTES_OF_TABLE_MAX,
};
use crate::validate::{present, string};

/// A secondary index as a request defines it.
#[derive(Clone)]
pub(in crate::operations) struct DefinedIndex {
    pub(in crate::operations) name: String,
    scope: IndexScope,
    pub(in crate::operations) key_schema: KeySchema,
    pub(in crate::operations) projection: IndexProjection,
    pub(in crate::operations) throughput: ThroughputSettings,
}

impl DefinedIndex {
    /// The index, once it has a keyspace.
    pub(in crate::operations) fn in_space(self, space: Space, added: bool) -> IndexDefinition {
        let DefinedIndex { name, scope, key_schema, projection, throughput } = self;
        IndexDefinition { name, scope, space, key_schema, projection, throughput, added }
    }
}

/// What the checked definitions of all indexes come to.
#[derive(Default)]
pub(in crate::operations) struct Indexes {
    /// The global and local secondary indexes.
    pub(in crate::operations) defined: Vec<DefinedIndex>,
    /// The vector indexes.
    pub(in crate::operations) vector: Vec<DefinedVectorIndex>,
    /// Their key attributes, and the attributes that vector indexes search by.
    keys: Vec<String>,
    /// How many attributes their projections name.
    non_key_attributes: usize,
}

impl Indexes {
    fn add(&mut self, index: DefinedIndex) -> Result<(), IndexError> {
        self.check_name(&index.name)?;
        self.non_key_attributes += index.projection.names().len();
        self.keys.extend(index.key_schema.attributes().map(|attribute| attribute.name.clone()));
        self.defined.push(index);
        Ok(())
    }

    pub(super) fn add_vector(&mut self, index: DefinedVectorIndex) -> Result<(), IndexError> {
        self.check_name(&index.name)?;
        self.non_key_attributes += index.projected().len();
        self.keys.extend(index.search_schema.iter().map(|element| element.attribute.name.clone()));
        self.vector.push(index);
        Ok(())
    }

    /// Indexes of all families share one name space.
    fn check_name(&self, name: &str) -> Result<(), IndexError> {
        let vector = self.vector.iter().map(|index| &index.name);
        let mut names = self.defined.iter().map(|index| &index.name).chain(vector);
        if names.any(|taken| taken == name) { Err(IndexError::Twice(name.to_owned())) } else { Ok(()) }
    }

    /// The attributes that are keys of indexes, or that vector indexes search by.
    pub(super) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Whether there is any index.
    pub(super) fn is_empty(&self) -> bool {
        self.defined.is_empty() && self.vector.is_empty()
    }
}

/// The name of an index.
pub(in crate::operations) fn name_of(index: Node<'_, '_>) -> String {
    string(index, "IndexName").unwrap_or_default().into_owned()
}

/// Checks all index definitions of a request.
pub(in crate::operations) fn indexes(
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
        found.add(local_index(index, definitions, key)?)?;
        if at >= LOCAL_INDEXES_MAX {
            return Err(IndexError::TooManyLocal(LOCAL_INDEXES_MAX).into());
        }
    }
    for (at, index) in list("GlobalSecondaryIndexes").enumerate() {
        let asked = of_new_table(index, billing_mode)?;
        let mut defined = global_index(index, definitions)?;
        defined.throughput = asked.initial_settings(billing_mode, Some(&defined.name))?;
        found.add(defined)?;
        if at >= GLOBAL_INDEXES_MAX {
            return Err(IndexError::TooManyGlobal(GLOBAL_INDEXES_MAX).into());
        }
    }
    vector_indexes(list("VectorIndexes"), billing_mode, definitions, &mut found)?;
    check_non_key_attributes(found.non_key_attributes)?;
    Ok(found)
}

/// Attributes that projections name are counted over all indexes of a table.
pub(in crate::operations) fn check_non_key_attributes(count: usize) -> Result<(), IndexError> {
    if count > NON_KEY_ATTRIBUTES_OF_TABLE_MAX {
        return Err(IndexError::TooManyNonKeyAttributes(NON_KEY_ATTRIBUTES_OF_TABLE_MAX));
    }
    Ok(())
}

fn local_index(
    index: Node<'_, '_>,
    definitions: &[KeyAttribute],
    key: &KeySchema,
) -> Result<DefinedIndex, DefinitionError> {
    if key.sort.is_empty() {
        return Err(IndexError::LocalOnSimpleTable.into());
    }
    let elements = elements(index);
    all_defined(&elements, definitions)?;
    simple_key(&elements)?;
    let [hash, _range] = elements.as_slice() else {
        return Err(IndexError::LocalWithoutRange(name_of(index)).into());
    };
    let of_table = key.partition.iter().map(|attribute| attribute.name.as_str()).collect::<Vec<_>>().concat();
    if hash.name != of_table {
        let of_index = hash.name.clone().into_owned();
        return Err(IndexError::LocalOtherHash { index: name_of(index), of_index, of_table }.into());
    }
    Ok(DefinedIndex {
        name: name_of(index),
        scope: IndexScope::Local,
        key_schema: schema(&elements, definitions),
        projection: projection(index)?,
        throughput: ThroughputSettings::default(),
    })
}

/// What is asked of the throughput of a global secondary index that is made with its table.
fn of_new_table(index: Node<'_, '_>, billing_mode: BillingMode) -> Result<AskedThroughput, DefinitionError> {
    let name = name_of(index);
    match (billing_mode, present(index, "ProvisionedThroughput")) {
        (BillingMode::Provisioned, None) => Err(IndexError::ThroughputMissing(name).into()),
        (BillingMode::PayPerRequest, Some(_)) => Err(IndexError::ThroughputOnDemand(name).into()),
        _ => Ok(AskedThroughput::read(index, Some(&name))?),
    }
}

/// Reads and checks a global secondary index, all but its throughput.
pub(in crate::operations) fn global_index(
    index: Node<'_, '_>,
    definitions: &[KeyAttribute],
) -> Result<DefinedIndex, DefinitionError> {
    let elements = elements(index);
    all_defined(&elements, definitions)?;
    global_key(&elements)?;
    Ok(DefinedIndex {
        name: name_of(index),
        scope: IndexScope::Global,
        key_schema: schema(&elements, definitions),
        projection: projection(index)?,
        throughput: ThroughputSettings::default(),
    })
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
