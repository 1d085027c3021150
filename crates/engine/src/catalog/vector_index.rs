//! What a vector index is.

use keyplan_store::Space;

use super::definition::{KeyAttribute, TableDefinition};
use super::index::IndexProjection;

/// A vector index of a table.
///
/// An item has an entry in it if it has the vector attribute and, where there is one, the HASH attribute of the
/// search schema. The entry holds the vector as 32-bit floating-point numbers and the values that searches are
/// narrowed by; what else the index projects is read from the table, in the snapshot of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorIndexDefinition {
    /// The index's name.
    pub name: String,
    /// The keyspace of the entries.
    pub space: Space,
    /// The attribute that holds the vectors, a list of numbers.
    pub attribute: String,
    /// How many numbers a vector has.
    pub dimensions: u32,
    /// How the distance of two vectors is measured.
    pub distance: DistanceFunction,
    /// The attributes that searches are narrowed by, in the order they were sent.
    pub search_schema: Vec<SearchElement>,
    /// What a search answers besides the table's key and the search schema's attributes.
    pub projection: IndexProjection,
    /// Whether it was added to a table that was there: then a [job](crate::jobs) may still be filling it.
    pub added: bool,
}

/// An attribute that searches are narrowed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchElement {
    /// The attribute and its type.
    pub attribute: KeyAttribute,
    /// What it does.
    pub role: SearchRole,
}

/// What an attribute of a search schema does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchRole {
    /// It parts the index: each search is in one of its values.
    Hash,
    /// Searches may name its value.
    InlineFilter,
}

impl SearchRole {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            SearchRole::Hash => "HASH",
            SearchRole::InlineFilter => "INLINE_FILTER",
        }
    }

    /// The role of a word.
    pub fn from_word(word: &str) -> Option<SearchRole> {
        [SearchRole::Hash, SearchRole::InlineFilter].into_iter().find(|role| role.word() == word)
    }
}

/// How the distance of two vectors is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistanceFunction {
    /// One less the cosine of the angle between them: from 0, the same direction, to 2.
    Cosine,
    /// The length of their difference.
    Euclidean,
    /// Their product; the larger, the nearer.
    DotProduct,
}

impl DistanceFunction {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            DistanceFunction::Cosine => "COSINE",
            DistanceFunction::Euclidean => "EUCLIDEAN",
            DistanceFunction::DotProduct => "DOT_PRODUCT",
        }
    }

    /// The function of a word.
    pub fn from_word(word: &str) -> Option<DistanceFunction> {
        [DistanceFunction::Cosine, DistanceFunction::Euclidean, DistanceFunction::DotProduct]
            .into_iter()
            .find(|function| function.word() == word)
    }
}

impl VectorIndexDefinition {
    /// The attribute that parts the index, if there is one.
    pub fn hash(&self) -> Option<&KeyAttribute> {
        self.of_role(SearchRole::Hash).next()
    }

    /// The attributes whose values searches may name besides.
    pub fn filters(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.of_role(SearchRole::InlineFilter)
    }

    fn of_role(&self, role: SearchRole) -> impl Iterator<Item = &KeyAttribute> {
        self.search_schema
            .iter()
            .filter(move |element| element.role == role)
            .map(|element| &element.attribute)
    }

    /// Whether an attribute is one that searches are narrowed by.
    pub fn searches_by(&self, name: &str) -> bool {
        self.search_schema.iter().any(|element| element.attribute.name == name)
    }

    /// Whether a search can answer an attribute, where the item has it.
    pub fn projects(&self, table: &TableDefinition, name: &str) -> bool {
        let included = match &self.projection {
            IndexProjection::All => true,
            IndexProjection::KeysOnly => false,
            IndexProjection::Include(names) => names.iter().any(|included| included == name),
        };
        included || self.searches_by(name) || table.key_schema.has(name)
    }

    /// Bytes that the service counts for a vector, without its attribute's name.
    pub fn vector_bytes(&self) -> u64 {
        4 * u64::from(self.dimensions)
    }
}
