//! What can be wrong with an item, a key, or the parameters of reading and writing items.

use std::fmt;

use keyplan_expression::{KeyConditionError, LegacyError, PlaceholderKeyError, PlaceholderMap, UpdateError};
use keyplan_value::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use keyplan_value::{ValueError, ValueKind};

use super::vector::{SearchFault, VectorFault};

/// A fault of an item operation's request, or of its fit to the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemFault {
    /// The key's attributes aren't those of the key schema, or of another type.
    KeyMismatch,
    /// The item lacks a key attribute.
    MissingKey {
        /// The attribute.
        name: String,
    },
    /// A key attribute of the item is of another type.
    KeyType {
        /// The attribute.
        name: String,
        /// The type of the definition.
        expected: ValueKind,
        /// The type found.
        actual: ValueKind,
    },
    /// A key attribute is an empty string or binary value.
    EmptyKey {
        /// The attribute.
        name: String,
        /// Its type, S or B.
        kind: ValueKind,
    },
    /// An attribute that is a key of an index is of another type.
    IndexKeyType {
        /// The attribute.
        name: String,
        /// The type of the definition.
        expected: ValueKind,
        /// The type found.
        actual: ValueKind,
        /// The index.
        index: String,
    },
    /// An attribute that is a key of an index is an empty string or binary value.
    EmptyIndexKey {
        /// The attribute.
        name: String,
        /// Its type, S or B.
        kind: ValueKind,
        /// The index.
        index: String,
    },
    /// An update makes an attribute that is a key of an index an empty string or binary value.
    IndexKeyUpdatedToEmpty {
        /// Its type, S or B.
        kind: ValueKind,
    },
    /// A vector, or an attribute that vector searches are narrowed by, doesn't fit a vector index.
    Vector {
        /// How.
        fault: VectorFault,
        /// The index.
        index: String,
    },
    /// The partition key's value is too long.
    PartitionKeyTooLarge,
    /// The sort key's value is too long.
    SortKeyTooLarge,
    /// The item is too large.
    ItemTooLarge,
    /// Parameters of the two generations in one request.
    Mixed {
        /// Those of the older generation.
        non_expression: Vec<&'static str>,
        /// Those of the newer.
        expression: Vec<&'static str>,
    },
    /// A parameter of the older generation.
    Legacy(LegacyError),
    /// A word of AttributeUpdates that is no action.
    UnknownAction,
    /// ConditionalOperator, and too few conditions that it could go between.
    ConditionalOperator {
        /// Whether there is one.
        single: bool,
    },
    /// Placeholders without an expression that could use them.
    WithoutExpression {
        /// The placeholders' member.
        placeholders: PlaceholderMap,
        /// What the service adds on reads, such as `FilterExpression is null`.
        detail: Option<&'static str>,
    },
    /// An empty map of placeholders.
    NoPlaceholders(PlaceholderMap),
    /// A placeholder of the wrong form.
    PlaceholderKey(PlaceholderKeyError),
    /// An alias that stands for the empty name.
    EmptyAlias {
        /// The alias.
        key: String,
    },
    /// An update can't be applied to the item.
    Update(UpdateError),
    /// An update changes a key attribute.
    KeyTarget {
        /// The attribute.
        name: String,
    },
    /// ReturnValues of a put or delete is one of UpdateItem's.
    OnlyOldValues,
    /// Select and projection don't go together.
    Select(SelectFault),
    /// The index doesn't exist.
    NoSuchIndex {
        /// Its name.
        index: String,
    },
    /// The index is still being filled.
    Backfilling {
        /// Its name.
        index: String,
    },
    /// A Query or a Scan of a vector index.
    ReadOfVectorIndex {
        /// Whether it is a Query.
        query: bool,
    },
    /// A search that can't be made.
    Search(SearchFault),
    /// A consistent read of a global secondary index.
    ConsistentGlobalRead,
    /// All attributes of a global secondary index that doesn't have them.
    AllOfGlobalIndex {
        /// Its name.
        index: String,
    },
    /// Attributes that a global secondary index doesn't have.
    NotProjected {
        /// Its name.
        index: String,
        /// The attributes.
        attributes: Vec<String>,
    },
    /// Query without a key condition.
    KeyConditionMissing,
    /// A Query's filter names a key attribute.
    FilterOnKey {
        /// The attribute.
        name: String,
        /// Whether the filter is QueryFilter.
        legacy: bool,
    },
    /// An expression looks into a key attribute.
    NestedKey {
        /// The attribute.
        name: String,
        /// Whether it is a key of an index, and not the table's.
        of_index: bool,
    },
    /// A key condition doesn't fit the key schema.
    KeyCondition(KeyConditionError),
    /// ExclusiveStartKey isn't where a read could have ended.
    StartKey(StartKeyFault),
    /// A value of ExclusiveStartKey is none.
    StartKeyValue(ValueError),
    /// A placeholder's value is none, where the text names the placeholder.
    PlaceholderValue {
        /// The placeholder.
        key: String,
        /// What is wrong with its value.
        error: ValueError,
    },
    /// Parameters of a parallel scan.
    Segments(SegmentFault),
}

/// How Select and projection don't go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectFault {
    /// SPECIFIC_ATTRIBUTES without a projection.
    SpecificWithoutProjection,
    /// A projection, and a Select that has another meaning.
    WithProjection {
        /// The projection's parameter: ProjectionExpression or AttributesToGet.
        parameter: &'static str,
        /// The Select, in the message's words.
        select: &'static str,
    },
    /// ALL_PROJECTED_ATTRIBUTES without an index.
    AllProjectedWithoutIndex,
}

/// What is wrong with an ExclusiveStartKey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartKeyFault {
    /// Its attributes aren't those of the key, are of another type, or too long.
    Shape,
    /// It breaks the sort key's condition.
    SortCondition,
    /// It is in another partition, and the query has a condition on the sort key.
    OneItem,
    /// It is another partition's, and a partition holds one item.
    OtherItem,
    /// It is in another partition.
    OtherPartition,
    /// It is in another segment.
    OtherSegment {
        /// How many segments there are.
        total: u64,
        /// The one asked for.
        segment: u64,
    },
}

/// What is wrong with the parameters of a parallel scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentFault {
    /// Segment alone.
    TotalMissing,
    /// TotalSegments alone.
    SegmentMissing,
    /// Segment isn't below TotalSegments.
    OutOfRange,
}

const INVALID: &str = "One or more parameter values were invalid: ";
const NOT_VALID: &str = "One or more parameter values are not valid. ";

impl fmt::Display for ItemFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ItemFault::KeyMismatch => f.write_str("The provided key element does not match the schema"),
            ItemFault::MissingKey { name } => write!(f, "{INVALID}Missing the key {name} in the item"),
            ItemFault::KeyType { name, expected, actual } => write!(
                f,
                "{INVALID}Type mismatch for key {name} expected: {} actual: {}",
                expected.code(),
                actual.code()
            ),
            ItemFault::EmptyKey { name, kind } => {
                let kind = if *kind == ValueKind::B { "binary" } else { "string" };
                write!(
                    f,
                    "{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {kind} value. \
                     Key: {name}"
                )
            }
            ItemFault::IndexKeyType { name, expected, actual, index } => write!(
                f,
                "{INVALID}Type mismatch for Index Key {name} Expected: {} Actual: {} IndexName: {index}",
                expected.code(),
                actual.code()
            ),
            ItemFault::EmptyIndexKey { name, kind, index } => {
                let kind = if *kind == ValueKind::B { "binary" } else { "string" };
                write!(
                    f,
                    "{NOT_VALID}A value specified for a secondary index key is not supported. The \
                     AttributeValue for a key attribute cannot contain an empty {kind} value. IndexName: \
                     {index}, IndexKey: {name}"
                )
            }
            ItemFault::IndexKeyUpdatedToEmpty { kind } => {
                let kind = if *kind == ValueKind::B { "binary" } else { "string" };
                write!(
                    f,
                    "{NOT_VALID}The update expression attempted to update a secondary index key to a value that \
                     is not supported. The AttributeValue for a key attribute cannot contain an empty {kind} \
                     value."
                )
            }
            ItemFault::Vector { fault, index } => write!(f, "{fault} IndexName: {index}"),
            // The service leaves the space out.
            ItemFault::PartitionKeyTooLarge => {
                let most = PARTITION_KEY_BYTES_MAX;
                write!(f, "{INVALID}Size of hashkey has exceeded the maximum size limit of{most} bytes")
            }
            ItemFault::SortKeyTooLarge => write!(
                f,
                "{INVALID}Aggregated size of all range keys has exceeded the size limit of {SORT_KEY_BYTES_MAX} \
                 bytes"
            ),
            ItemFault::ItemTooLarge => f.write_str("Item size has exceeded the maximum allowed size"),
            ItemFault::Mixed { non_expression, expression } => write!(
                f,
                "Can not use both expression and non-expression parameters in the same request: \
                 Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
                non_expression.join(", "),
                expression.join(", ")
            ),
            ItemFault::Legacy(error) => error.fmt(f),
            // The quotation mark is the service's.
            ItemFault::UnknownAction => {
                f.write_str("Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action")
            }
            ItemFault::ConditionalOperator { single: false } => {
                f.write_str("ConditionalOperator cannot be used without Filter or Expected")
            }
            ItemFault::ConditionalOperator { single: true } => f.write_str(
                "ConditionalOperator can only be used when Filter or Expected has two or more elements",
            ),
            ItemFault::Update(error) => error.fmt(f),
            ItemFault::KeyTarget { name } => {
                write!(f, "{INVALID}Cannot update attribute {name}. This attribute is part of the key")
            }
            ItemFault::WithoutExpression { placeholders, detail } => {
                write!(f, "{} can only be specified when using expressions", placeholders.parameter())?;
                match detail {
                    Some(detail) => write!(f, ": {detail}"),
                    None => Ok(()),
                }
            }
            ItemFault::NoPlaceholders(placeholders) => {
                write!(f, "{} must not be empty", placeholders.parameter())
            }
            ItemFault::PlaceholderKey(error) => error.fmt(f),
            ItemFault::EmptyAlias { key } => write!(
                f,
                "ExpressionAttributeNames contains invalid value: Empty attribute name for key {key}"
            ),
            ItemFault::OnlyOldValues => f.write_str("ReturnValues can only be ALL_OLD or NONE"),
            ItemFault::Select(fault) => fault.fmt(f),
            ItemFault::NoSuchIndex { index } => {
                write!(f, "The table does not have the specified index: {index}")
            }
            ItemFault::Backfilling { index } => {
                write!(f, "Cannot read from backfilling global secondary index: {index}")
            }
            // Only the one ends in a stop.
            ItemFault::ReadOfVectorIndex { query: true } => {
                f.write_str("Query operation not supported on this index type.")
            }
            ItemFault::ReadOfVectorIndex { query: false } => {
                f.write_str("Scan operation not supported on this index type")
            }
            ItemFault::Search(fault) => fault.fmt(f),
            ItemFault::ConsistentGlobalRead => {
                f.write_str("Consistent reads are not supported on global secondary indexes")
            }
            ItemFault::AllOfGlobalIndex { index } => write!(
                f,
                "{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index} \
                 because its projection type is not ALL"
            ),
            ItemFault::NotProjected { index, attributes } => {
                let attributes = attributes.join(", ");
                write!(f, "{INVALID}Global secondary index {index} does not project [{attributes}]")
            }
            ItemFault::KeyConditionMissing => f.write_str(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
            ),
            ItemFault::FilterOnKey { name, legacy } => {
                let filter = if *legacy { "QueryFilter" } else { "Filter Expression" };
                write!(
                    f,
                    "{filter} can only contain non-primary key attributes: Primary key attribute: {name}"
                )
            }
            ItemFault::NestedKey { name, of_index } => {
                let key = if *of_index { "IndexKey" } else { "Key" };
                write!(
                    f,
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not \
                     allowed: {key}: {name}"
                )
            }
            ItemFault::KeyCondition(error) => error.fmt(f),
            ItemFault::StartKey(fault) => fault.fmt(f),
            ItemFault::StartKeyValue(error) => write!(f, "{}: {error}", StartKeyFault::Shape),
            ItemFault::PlaceholderValue { key, error } => {
                let error = error.older_message().unwrap_or_default();
                write!(f, "ExpressionAttributeValues contains invalid value: {error} for key {key}")
            }
            ItemFault::Segments(fault) => f.write_str(fault.text()),
        }
    }
}

impl fmt::Display for SelectFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectFault::SpecificWithoutProjection => f.write_str(
                "Must specify the AttributesToGet or ProjectionExpression when choosing to get \
                 SPECIFIC_ATTRIBUTES",
            ),
            SelectFault::WithProjection { parameter, select } => {
                write!(f, "Cannot specify the {parameter} when choosing to get {select}")
            }
            SelectFault::AllProjectedWithoutIndex => {
                f.write_str("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
            }
        }
    }
}

impl fmt::Display for StartKeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StartKeyFault::Shape => "The provided starting key is invalid",
            StartKeyFault::SortCondition => {
                "The provided starting key does not match the range key predicate"
            }
            StartKeyFault::OneItem => "The query can return at most one row and cannot be restarted",
            StartKeyFault::OtherItem => "The provided exclusive start key is invalid",
            StartKeyFault::OtherPartition => {
                "The provided starting key is outside query boundaries based on provided conditions"
            }
            StartKeyFault::OtherSegment { total, segment } => {
                return write!(
                    f,
                    "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use \
                     ExclusiveStartKey with correct Segment. TotalSegments: {total} Segment: {segment}"
                );
            }
        })
    }
}

impl SegmentFault {
    fn text(self) -> &'static str {
        match self {
            SegmentFault::TotalMissing => {
                "The TotalSegments parameter is required but was not present in the request when Segment \
                 parameter is present"
            }
            SegmentFault::SegmentMissing => {
                "The Segment parameter is required but was not present in the request when parameter \
                 TotalSegments is present"
            }
            SegmentFault::OutOfRange => {
                "The Segment parameter is zero-based and must be less than parameter TotalSegments"
            }
        }
    }
}

impl From<LegacyError> for ItemFault {
    fn from(error: LegacyError) -> ItemFault {
        ItemFault::Legacy(error)
    }
}

impl From<UpdateError> for ItemFault {
    fn from(error: UpdateError) -> ItemFault {
        ItemFault::Update(error)
    }
}
