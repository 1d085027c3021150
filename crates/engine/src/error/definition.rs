//! What can be wrong with a table's definition.

use std::fmt;

/// A fault of a CreateTable request that its constraints don't cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionError {
    /// Provisioned units on an on-demand table.
    ThroughputOnDemand,
    /// No provisioned units on a provisioned table.
    ThroughputMissing,
    /// Units that nobody can ask for.
    UnitsOutOfBounds {
        /// The units asked for.
        value: i64,
        /// Which.
        unit: Unit,
        /// Of which index, if not of the table.
        index: Option<String>,
    },
    /// An attribute is defined twice.
    DefinitionTwice(String),
    /// Fewer attributes are defined than the key has.
    TooFewDefinitions,
    /// A key attribute isn't defined.
    KeyUndefined {
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
    TooManyKeyAttributes(&'static str),
    /// A list of indexes is there and empty: its member's name.
    NoIndexes(&'static str),
    /// Local secondary indexes on a table without a sort key.
    LocalIndexOnSimpleTable,
    /// A local secondary index without a sort key.
    LocalIndexWithoutRange(IndexName),
    /// A local secondary index with a partition key of its own.
    LocalIndexOtherHash {
        /// The index.
        index: IndexName,
        /// Its partition key.
        of_index: String,
        /// The table's.
        of_table: String,
    },
    /// Too many local secondary indexes.
    TooManyLocalIndexes(usize),
    /// Too many global secondary indexes.
    TooManyGlobalIndexes(usize),
    /// Too many vector indexes.
    TooManyVectorIndexes(usize),
    /// A global secondary index of a provisioned table without provisioned units.
    IndexThroughputMissing(IndexName),
    /// A global secondary index of an on-demand table with provisioned units.
    IndexThroughputOnDemand(IndexName),
    /// A projection without a type.
    ProjectionUnknown,
    /// Projected attributes are named and the type isn't INCLUDE.
    NonKeyAttributesWith(&'static str),
    /// The type is INCLUDE and no attributes are named.
    NonKeyAttributesMissing,
    /// A projected attribute is named twice.
    NonKeyAttributeTwice(String),
    /// Too many projected attributes over all indexes.
    TooManyNonKeyAttributes(usize),
    /// Two indexes of one name.
    IndexTwice(IndexName),
    /// Vector indexes on a provisioned table.
    VectorIndexProvisioned,
    /// Two vector indexes on one attribute differ in its dimensions.
    VectorDimensionsConflict(String),
    /// A vector attribute is defined with a scalar type as well.
    VectorAttributeDefined(String),
    /// A vector has too many dimensions.
    VectorDimensions(i64),
    /// An attribute of a vector index's search schema isn't defined.
    SearchAttributeUndefined,
    /// An attribute comes twice in a search schema.
    SearchAttributeTwice,
    /// A search schema has more than one HASH attribute.
    SearchHashTwice,
    /// More attributes are defined than the key has, on a table without indexes.
    DefinitionsUnused,
    /// Defined attributes that neither table nor index has as a key.
    DefinitionsUnusedWithIndex {
        /// The attributes that are defined.
        defined: Vec<String>,
        /// The attributes that are keys.
        used: Vec<String>,
    },
    /// A view type for a stream that isn't enabled.
    StreamViewUnused,
    /// A stream without a view type.
    StreamViewMissing,
    /// An encryption member beside `Enabled: false`.
    EncryptionDisabled(&'static str),
    /// A key without the type KMS.
    EncryptionKeyWithoutType,
    /// Encryption of the type AES256.
    EncryptionType,
    /// A bound on on-demand units of a provisioned table.
    MaximumProvisioned(Unit),
    /// A bound on on-demand units below 1.
    MaximumOutOfRange(Unit),
    /// Fewer warm units than the table starts with.
    WarmTooLow {
        /// Which.
        unit: Unit,
        /// Whether the table is provisioned.
        provisioned: bool,
    },
    /// A tag's key is empty, too long, or has characters that tags don't have.
    TagKey(String),
    /// A tag's key starts with `aws:`.
    TagKeyReserved(String),
    /// A tag's value is missing, too long, or has characters that tags don't have.
    TagValue(Option<String>),
    /// A tag's key comes twice.
    TagKeyTwice(String),
    /// Too many tags.
    TooManyTags,
    /// Secondary indexes, all of them right: this engine has none yet.
    IndexesNotBuilt(Vec<String>),
    /// A member that is right, and which this engine can't act on yet.
    NotBuilt {
        /// What isn't there.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
}

/// The name of an index.
pub type IndexName = String;

/// Reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Unit {
    /// `Read` or `Write`, as members start.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Read => "Read",
            Unit::Write => "Write",
        }
    }
}

/// The lead that most of these texts have.
const INVALID: &str = "One or more parameter values were invalid: ";

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DefinitionError as E;
        let (lead, text): (&str, String) = match self {
            E::ThroughputOnDemand => (
                INVALID,
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
                 PAY_PER_REQUEST"
                    .to_owned(),
            ),
            E::ThroughputMissing => (
                INVALID,
                "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is \
                 PROVISIONED"
                    .to_owned(),
            ),
            E::UnitsOutOfBounds { value, unit, index } => {
                let of = index.as_ref().map(|index| format!(" for index {index}")).unwrap_or_default();
                let unit = unit.word();
                ("", format!("Given value {value} for {unit}CapacityUnits is out of bounds{of}"))
            }
            E::DefinitionTwice(name) => ("", format!("Attribute Name is duplicated: {name}")),
            E::TooFewDefinitions => {
                ("", "Invalid KeySchema: Some index key attribute have no definition".to_owned())
            }
            E::KeyUndefined { keys, defined } => (
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
            E::TooManyKeyAttributes(role) => (
                INVALID,
                format!("The KeySchema exceeds the maximum allowed number of {role} key attributes"),
            ),
            E::NoIndexes(list) => (INVALID, format!("List of {list} is empty")),
            E::LocalIndexOnSimpleTable => (
                INVALID,
                "Table KeySchema does not have a range key, which is required when specifying a \
                 LocalSecondaryIndex"
                    .to_owned(),
            ),
            E::LocalIndexWithoutRange(index) => {
                (INVALID, format!("Index KeySchema does not have a range key for index: {index}"))
            }
            E::LocalIndexOtherHash { index, of_index, of_table } => (
                INVALID,
                format!(
                    "Index KeySchema does not have the same leading hash key as table KeySchema for index: \
                     {index}. index hash key: {of_index}, table hash key: {of_table}"
                ),
            ),
            E::TooManyLocalIndexes(most) => {
                (INVALID, format!("Number of LocalSecondaryIndexes exceeds per-table limit of {most}"))
            }
            E::TooManyGlobalIndexes(most) => {
                (INVALID, format!("GlobalSecondaryIndex count exceeds the per-table limit of {most}"))
            }
            E::TooManyVectorIndexes(most) => {
                (INVALID, format!("VectorIndex count exceeds the per-table limit of {most}"))
            }
            E::IndexThroughputMissing(index) => {
                (INVALID, format!("ProvisionedThroughput is not specified for index: {index}"))
            }
            E::IndexThroughputOnDemand(index) => (
                INVALID,
                format!(
                    "ProvisionedThroughput should not be specified for index: {index} when BillingMode is \
                     PAY_PER_REQUEST"
                ),
            ),
            E::ProjectionUnknown => (INVALID, "Unknown ProjectionType: null".to_owned()),
            E::NonKeyAttributesWith(kind) => {
                (INVALID, format!("ProjectionType is {kind}, but NonKeyAttributes is specified"))
            }
            E::NonKeyAttributesMissing => {
                (INVALID, "ProjectionType is INCLUDE, but NonKeyAttributes is not specified".to_owned())
            }
            E::NonKeyAttributeTwice(name) => {
                (INVALID, format!("Duplicate element in NonKeyAttributes: {name}"))
            }
            E::TooManyNonKeyAttributes(most) => {
                (INVALID, format!("Number of NonKeyAttributes over all indexes exceeds the limit of {most}"))
            }
            E::IndexTwice(index) => (INVALID, format!("Duplicate index name: {index}")),
            E::VectorIndexProvisioned => {
                (INVALID, "Vector indexes are only supported for PAY_PER_REQUEST tables".to_owned())
            }
            E::VectorDimensionsConflict(name) => (
                INVALID,
                format!(
                    "Conflicting attribute definition for '{name}'. All VectorIndexes on the same vector \
                     attribute must use the same dimensions."
                ),
            ),
            E::VectorAttributeDefined(name) => (
                INVALID,
                format!(
                    "Conflicting attribute definition for '{name}'. An attribute cannot be defined in \
                     AttributeDefinitions when used as a VectorAttribute."
                ),
            ),
            E::VectorDimensions(most) => {
                (INVALID, format!("Number of dimensions must be between 1 and {most} inclusive."))
            }
            E::SearchAttributeUndefined => {
                (INVALID, "One element in SearchSchema is not defined in attribute definitions".to_owned())
            }
            E::SearchAttributeTwice => {
                (INVALID, "SearchSchema contains a duplicate AttributeName".to_owned())
            }
            E::SearchHashTwice => (INVALID, "SearchSchema contains more than one HASH element".to_owned()),
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
            E::StreamViewUnused => (
                INVALID,
                "Table is being created with a stream disabled, UpdateViewType should not be specified"
                    .to_owned(),
            ),
            E::StreamViewMissing => (
                INVALID,
                "Table is being created with a stream enabled, UpdateViewType is required".to_owned(),
            ),
            E::EncryptionDisabled(member) => {
                (INVALID, format!("{member} can not be specified if Enabled is false"))
            }
            E::EncryptionKeyWithoutType => {
                (INVALID, "SSEType KMS is required if KMSMasterKeyId is specified".to_owned())
            }
            E::EncryptionType => (INVALID, "SSEType AES256 is not supported".to_owned()),
            E::MaximumProvisioned(unit) => (
                INVALID,
                format!(
                    "Max{}RequestUnits for OnDemandThroughput cannot be specified when table BillingMode is \
                     PROVISIONED.",
                    unit.word()
                ),
            ),
            E::MaximumOutOfRange(unit) => (
                INVALID,
                format!(
                    "Requested Max{}RequestUnits for OnDemandThroughput for table is outside of valid range",
                    unit.word()
                ),
            ),
            E::WarmTooLow { unit, provisioned } => {
                let unit = unit.word();
                let than = if *provisioned {
                    format!("{unit}CapacityUnits of ProvisionedThroughput")
                } else {
                    "initial throughput for OnDemand".to_owned()
                };
                (
                    INVALID,
                    format!(
                        "Requested {unit}UnitsPerSecond for WarmThroughput for table is lower than {than}"
                    ),
                )
            }
            E::TagKey(key) => ("", format!("The Tag Key provided is invalid, Key: {key}")),
            E::TagKeyReserved(key) => ("", format!("Tag Key cannot be prefixed with aws:, Key: {key}")),
            E::TagValue(value) => (
                "",
                format!("The Tag Value provided is invalid, Value: {}", value.as_deref().unwrap_or("null")),
            ),
            E::TagKeyTwice(key) => {
                ("", format!("Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"))
            }
            E::TooManyTags => {
                ("", "Number of Tags exceed the current limit for the provided ResourceArn".to_owned())
            }
            E::IndexesNotBuilt(indexes) => (
                "",
                format!(
                    "Keyplan doesn't have secondary indexes yet. The definitions of {} are right; create the \
                     table without them.",
                    indexes.join(", ")
                ),
            ),
            E::NotBuilt { what, instead } => ("", format!("Keyplan doesn't have {what} yet; {instead}.")),
        };
        f.write_str(lead)?;
        f.write_str(&text)
    }
}
