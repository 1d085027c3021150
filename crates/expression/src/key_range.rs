//! From a key condition and a key schema to the range of keys that a Query reads.

use std::fmt;

use keyplan_value::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use keyplan_value::{Value, ValueKind, ValueRef};

use crate::key_condition::{AttributeCondition, KeyCondition, KeyTest};

/// An attribute of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyAttribute<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type: S, N or B.
    pub kind: ValueKind,
}

/// The key schema of a table or index: one to four partition key attributes and none to four sort
/// key attributes, each in the order of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySchema<'a> {
    /// The partition key.
    pub partition: &'a [KeyAttribute<'a>],
    /// The sort key.
    pub sort: &'a [KeyAttribute<'a>],
}

/// What a Query reads: one partition key value, and of its items those with these sort key values.
#[derive(Clone, Debug)]
pub struct KeyRange {
    /// The values of the partition key attributes, in the order of the schema.
    pub partition: Vec<Value>,
    /// The values of the leading sort key attributes, in the order of the schema.
    pub sort_prefix: Vec<Value>,
    /// A test of the next sort key attribute other than equality.
    pub sort_test: Option<KeyTest>,
}

/// Why a key condition does not fit a key schema. Its text is the service's, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyConditionError {
    /// There are more conditions than key attributes.
    TooManyConditions {
        /// The conditions.
        conditions: usize,
        /// The key attributes.
        attributes: usize,
    },
    /// The partition key has a condition that is no equality.
    NotSupported,
    /// A key attribute that needs a condition has none.
    MissingAttribute {
        /// The attribute.
        attribute: String,
    },
    /// Attributes of a partition key with several attributes have no equality.
    PartitionEqualities {
        /// The attributes.
        attributes: Vec<String>,
    },
    /// Sort key attributes in front of one that has a condition have no equality.
    SortEqualities {
        /// The attributes.
        attributes: Vec<String>,
        /// The attribute with the condition.
        conditioned: String,
    },
    /// A key attribute has a condition that no key can be looked up with.
    NotIndexable,
    /// A value is of another type than the key attribute.
    TypeMismatch,
    /// A value is the empty string or binary, which no key has.
    EmptyValue {
        /// The attribute.
        attribute: String,
        /// S or B.
        kind: ValueKind,
    },
    /// The partition key's values are too long.
    PartitionKeyTooLong,
    /// The sort key's values are too long.
    SortKeyTooLong,
}

impl std::error::Error for KeyConditionError {}

impl fmt::Display for KeyConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use KeyConditionError::*;
        const INVALID: &str = "One or more parameter values were invalid: ";
        match self {
            TooManyConditions { conditions, attributes } => write!(
                f,
                "The number of query conditions ({conditions}) exceeds the number of key attributes \
                 defined in the schema ({attributes})"
            ),
            NotSupported => f.write_str("Query key condition not supported"),
            MissingAttribute { attribute } => {
                write!(f, "Query condition missed key schema element: {attribute}")
            }
            PartitionEqualities { attributes } => write!(
                f,
                "HASH key attributes {} must have equality conditions specified in the query",
                attributes.join(", ")
            ),
            SortEqualities { attributes, conditioned } => write!(
                f,
                "RANGE key attributes {} must have equality conditions specified in the query \
                 because a condition is present on key attribute {conditioned}",
                attributes.join(", ")
            ),
            NotIndexable => f.write_str("Attempted conditional constraint is not an indexable operation"),
            TypeMismatch => write!(f, "{INVALID}Condition parameter type does not match schema type"),
            EmptyValue { attribute, kind } => {
                let kind = if *kind == ValueKind::B { "binary" } else { "string" };
                write!(
                    f,
                    "One or more parameter values are not valid. The AttributeValue for a key attribute \
                     cannot contain an empty {kind} value. Key: {attribute}"
                )
            }
            // The missing space is the service's.
            PartitionKeyTooLong => write!(
                f,
                "{INVALID}Size of hashkey has exceeded the maximum size limit of\
                 {PARTITION_KEY_BYTES_MAX} bytes"
            ),
            SortKeyTooLong => write!(
                f,
                "{INVALID}Aggregated size of all range keys has exceeded the size limit of \
                 {SORT_KEY_BYTES_MAX} bytes"
            ),
        }
    }
}

impl KeyCondition {
    /// Fits the condition to a key schema.
    ///
    /// # Errors
    /// In this order: too many conditions, attributes without the condition that they need (for a
    /// partition key of one attribute, a value of another type comes first), values of another type, empty
    /// values, values that are too long.
    pub fn resolve(&self, schema: KeySchema) -> Result<KeyRange, KeyConditionError> {
        let attributes = schema.partition.len() + schema.sort.len();
        let conditions = self.count();
        if conditions > attributes {
            return Err(KeyConditionError::TooManyConditions { conditions, attributes });
        }
        let partition = self.partition(schema)?;
        let sort = self.sort(schema)?;
        for (attribute, test) in partition.iter().chain(&sort) {
            if test.values().any(|value| value.kind() != attribute.kind) {
                return Err(KeyConditionError::TypeMismatch);
            }
        }
        for (attribute, test) in partition.iter().chain(&sort) {
            if test.values().any(is_empty) {
                let kind = attribute.kind;
                return Err(KeyConditionError::EmptyValue { attribute: attribute.name.into(), kind });
            }
        }
        if bytes(&partition) > PARTITION_KEY_BYTES_MAX {
            return Err(KeyConditionError::PartitionKeyTooLong);
        }
        if bytes(&sort) > SORT_KEY_BYTES_MAX {
            return Err(KeyConditionError::SortKeyTooLong);
        }
        let mut range = KeyRange { partition: Vec::new(), sort_prefix: Vec::new(), sort_test: None };
        range.partition.extend(partition.into_iter().filter_map(|(_, test)| equal_to(test)));
        for (_, test) in sort {
            match equal_to(test) {
                Some(value) => range.sort_prefix.push(value),
                None => range.sort_test = Some(test.clone()),
            }
        }
        Ok(range)
    }

    /// The equalities on the partition key, which needs one on each of its attributes.
    fn partition<'s>(&self, schema: KeySchema<'s>) -> Result<Vec<Tested<'_, 's>>, KeyConditionError> {
        let found =
            |attribute: &KeyAttribute<'s>| self.test_of(attribute.name).map(|test| (*attribute, test));
        let tested: Vec<_> = schema.partition.iter().filter_map(found).collect();
        if schema.partition.iter().any(|attribute| self.is_not_indexable(attribute.name)) {
            return Err(KeyConditionError::NotIndexable);
        }
        if let ([_], [(attribute, test)]) = (schema.partition, tested.as_slice())
            && test.values().any(|value| value.kind() != attribute.kind)
        {
            return Err(KeyConditionError::TypeMismatch);
        }
        let names = schema.partition.iter().map(|attribute| attribute.name);
        let without: Vec<_> = names.filter(|name| !self.has_equality(name)).collect();
        match (without.as_slice(), schema.partition) {
            ([], _) => Ok(tested),
            ([_], [_]) if !tested.is_empty() => Err(KeyConditionError::NotSupported),
            ([attribute], [_]) => {
                Err(KeyConditionError::MissingAttribute { attribute: String::from(*attribute) })
            }
            _ => Err(KeyConditionError::PartitionEqualities { attributes: owned(&without) }),
        }
    }

    /// The conditions on the sort key: equalities from its first attribute on, then perhaps another test.
    fn sort<'s>(&self, schema: KeySchema<'s>) -> Result<Vec<Tested<'_, 's>>, KeyConditionError> {
        let found =
            |attribute: &KeyAttribute<'s>| self.test_of(attribute.name).map(|test| (*attribute, test));
        let tested: Vec<_> = schema.sort.iter().filter_map(found).collect();
        let wanted = self.count().saturating_sub(schema.partition.len());
        let refused: Vec<_> =
            schema.sort.iter().filter(|attribute| self.is_not_indexable(attribute.name)).collect();
        if let Some((last, _)) = tested.last() {
            let before =
                schema.sort.iter().map(|attribute| attribute.name).take_while(|name| *name != last.name);
            let without: Vec<_> = before.filter(|name| !self.has_equality(name)).collect();
            if !without.is_empty() {
                return Err(KeyConditionError::SortEqualities {
                    attributes: owned(&without),
                    conditioned: last.name.into(),
                });
            }
        }
        // A condition on what is no key leaves a key attribute without one: the service names the latter.
        let names_other = tested.len() + refused.len() < wanted;
        let has_none = |name: &str| self.test_of(name).is_none() && !self.is_not_indexable(name);
        let untested = schema.sort.iter().find(|attribute| has_none(attribute.name));
        match untested.filter(|_| names_other) {
            Some(attribute) => Err(KeyConditionError::MissingAttribute { attribute: attribute.name.into() }),
            None if !refused.is_empty() => Err(KeyConditionError::NotIndexable),
            None => Ok(tested),
        }
    }

    /// The conditions, those included that no key can be looked up with.
    fn count(&self) -> usize {
        self.attributes.len() + self.not_indexable.len()
    }

    fn is_not_indexable(&self, name: &str) -> bool {
        self.not_indexable.iter().any(|attribute| **attribute == *name)
    }

    fn has_equality(&self, name: &str) -> bool {
        matches!(self.test_of(name), Some(KeyTest::Equal(_)))
    }

    fn test_of(&self, name: &str) -> Option<&KeyTest> {
        let of_name = |condition: &&AttributeCondition| *condition.attribute == *name;
        self.attributes.iter().find(of_name).map(|condition| &condition.test)
    }
}

/// A key attribute and the test of its value.
type Tested<'c, 's> = (KeyAttribute<'s>, &'c KeyTest);

fn equal_to(test: &KeyTest) -> Option<Value> {
    match test {
        KeyTest::Equal(value) => Some(value.clone()),
        _ => None,
    }
}

fn is_empty(value: ValueRef) -> bool {
    value.as_bytes().is_some_and(<[u8]>::is_empty)
}

/// The bytes of the longest values that the tests name.
fn bytes(tested: &[Tested]) -> u64 {
    let longest = |test: &KeyTest| test.values().map(|value| value.size()).max().unwrap_or(0);
    tested.iter().map(|(_, test)| longest(test)).sum()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| String::from(*name)).collect()
}
