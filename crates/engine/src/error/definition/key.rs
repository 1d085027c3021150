//! Key schemas and attribute definitions.

use std::fmt;

use super::INVALID;

/// What is wrong with a key schema, or with the definitions it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyError {
    /// An attribute is defined twice.
    DefinitionTwice(String),
    /// Fewer attributes are defined than the key has.
    TooFewDefinitions,
    /// A key attribute isn't defined.
    Undefined {
        /// The key's attributes.
        keys: Vec<String>,
        /// The attributes that are defined.
        defined: Vec<String>,
    },
    /// The first key attribute isn't a partition key.
    FirstNotHash,
    /// The second key attribute isn't a sort key.
    SecondNotRange,
    /// Both key attributes are one.
    SameName,
    /// An index of several partition or sort key attributes has one twice.
    IndexKeyTwice,
    /// A partition key attribute of an index comes after a sort key attribute.
    HashAfterRange,
    /// An index has too many key attributes of one role, HASH or RANGE.
    TooManyAttributes(&'static str),
    /// More attributes are defined than the key has, on a table without indexes.
    DefinitionsUnused,
    /// Defined attributes that neither table nor index has as a key.
    DefinitionsUnusedWithIndex {
        /// The attributes that are defined.
        defined: Vec<String>,
        /// The attributes that are keys.
        used: Vec<String>,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use KeyError as E;
        let (lead, text): (&str, String) = match self {
            E::DefinitionTwice(name) => ("", format!("Attribute Name is duplicated: {name}")),
            E::TooFewDefinitions => {
                ("", "Invalid KeySchema: Some index key attribute have no definition".to_owned())
            }
            E::Undefined { keys, defined } => (
                INVALID,
                format!(
                    "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], \
                     AttributeDefinitions: [{}]",
                    keys.join(", "),
                    defined.join(", ")
                ),
            ),
            E::FirstNotHash => {
                ("", "Invalid KeySchema: The first KeySchemaElement is not a HASH key type".to_owned())
            }
            E::SecondNotRange => {
                ("", "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type".to_owned())
            }
            E::SameName => (
                "",
                "Both the Hash Key and the Range Key element in the KeySchema have the same name".to_owned(),
            ),
            E::IndexKeyTwice => {
                ("", "The KeySchema contains multiple key attributes with the same name".to_owned())
            }
            E::HashAfterRange => (
                INVALID,
                "All HASH key attributes must precede RANGE key attributes in the KeySchema".to_owned(),
            ),
            E::TooManyAttributes(role) => (
                INVALID,
                format!("The KeySchema exceeds the maximum allowed number of {role} key attributes"),
            ),
            E::DefinitionsUnused => (
                INVALID,
                "Number of attributes in KeySchema does not exactly match number of attributes defined in \
                 AttributeDefinitions"
                    .to_owned(),
            ),
            E::DefinitionsUnusedWithIndex { defined, used } => (
                INVALID,
                format!(
                    "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
                    defined.join(", "),
                    used.join(", ")
                ),
            ),
        };
        f.write_str(lead)?;
        f.write_str(&text)
    }
}
