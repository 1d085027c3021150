//! Changes of a table.

use std::fmt;

use keyplan_value::ValueKind;

use super::throughput::subject;
use super::{INVALID, IndexName, Unit};
use crate::catalog::{KeyAttribute, KeySchema, Throughput};

/// What is wrong with an UpdateTable request, by itself or with the table as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateError {
    /// Nothing is to change; the members that could say what, but for those that were sent.
    Nothing(Vec<&'static str>),
    /// Something that can't be changed together with anything else.
    Alone(&'static str),
    /// Bounds of on-demand units and something else than the billing mode.
    MaximaWithOthers,
    /// A stream and units at once.
    StreamWithUnits,
    /// An index made or taken away, and units changed, at once.
    IndexWithUnits,
    /// An index made or taken away, and a stream changed, at once.
    IndexWithStream,
    /// An index made, and warm throughput changed, at once.
    IndexWithWarm,
    /// A table becomes a provisioned one without units.
    UnitsMissing,
    /// A table becomes a provisioned one, and an index has no units.
    UnitsOfIndexMissing(IndexName),
    /// A table becomes one on demand, with units.
    UnitsOnDemand,
    /// Provisioned units of an index of an on-demand table.
    UnitsOfIndexOnDemand(IndexName),
    /// An index of a provisioned table that is made or updated without units.
    UnitsOfIndexIncomplete(IndexName),
    /// An update of an index of an on-demand table that is about something else than such a table has.
    OnlyOnDemand(IndexName),
    /// Units are to be what they are.
    UnitsUnchanged {
        /// Of which index, if not of the table.
        index: Option<IndexName>,
        /// The units.
        units: Throughput,
    },
    /// An index that is made has a key attribute of another type than an older key has it.
    AttributeRedefined {
        /// The older key.
        existing: KeySchema,
        /// The new one.
        new: KeySchema,
    },
    /// A bound on on-demand units of a provisioned table.
    MaximumProvisioned(Unit),
    /// Fewer warm units than there are.
    WarmDecrease {
        /// Which.
        unit: Unit,
        /// Of which index, if not of the table.
        index: Option<IndexName>,
    },
    /// An update of the warm units of an index that names none.
    WarmEmpty(IndexName),
    /// A stream is to be disabled where there is none.
    NoStream {
        /// The table.
        table: String,
    },
    /// A stream is to be enabled where there is one.
    StreamEnabled {
        /// The table.
        table: String,
    },
    /// A stream is to be enabled without a view type.
    StreamViewMissing,
    /// A stream is to be disabled, with a view type.
    StreamViewUnused,
    /// Encryption with the service's own key, which the table has.
    AlreadyDefault,
    /// Encryption with the key that the table has.
    AlreadyWithKey,
    /// An update of an index that says nothing.
    NoIndexAction,
    /// An update of an index that says two things.
    SeveralIndexActions,
    /// An update of a vector index that says nothing.
    NoVectorIndexAction,
    /// An update of a vector index that says two things.
    SeveralVectorIndexActions,
    /// A table with vector indexes is to become a provisioned one.
    ProvisionedWithVectorIndexes,
    /// A global secondary index on an attribute that holds vectors.
    VectorAsKey {
        /// The attribute.
        name: String,
        /// The vectors' dimensions.
        dimensions: u32,
        /// The index's key: each attribute, its type and its role.
        key: Vec<(String, ValueKind, &'static str)>,
    },
    /// Two updates of one index.
    IndexTwice(IndexName),
    /// An index is to be made without definitions of its key attributes.
    DefinitionsMissing(IndexName),
    /// An index is to be made under a name that is taken.
    IndexExists,
    /// An index that is no global secondary one is to be updated or deleted.
    NotGlobal {
        /// Which, as a verb.
        action: &'static str,
        /// The index.
        index: IndexName,
    },
}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_bare() {
            f.write_str(INVALID)?;
        }
        use UpdateError as E;
        match self {
            E::Nothing(members) => {
                let (last, rest) = members.split_last().unwrap_or((&"", &[]));
                write!(f, "At least one of {} or {last} is required", rest.join(", "))
            }
            E::Alone(what) => write!(f, "{what} must be the only operation in the request"),
            E::MaximaWithOthers => f.write_str(
                "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
            ),
            E::StreamWithUnits => f.write_str("You cannot modify stream status while updating table IOPS"),
            E::IndexWithUnits => f.write_str("You cannot create or delete index while updating table IOPS"),
            E::IndexWithStream => {
                f.write_str("You cannot create or delete index while changing stream status")
            }
            E::IndexWithWarm => {
                f.write_str("Create global secondary index cannot be specified when updating WarmThroughput")
            }
            E::UnitsMissing => {
                f.write_str("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
            }
            E::UnitsOfIndexMissing(index) => {
                write!(f, "ProvisionedThroughput must be specified for index: {index}")
            }
            E::UnitsOnDemand => {
                f.write_str("ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST")
            }
            E::UnitsOfIndexOnDemand(index) => write!(
                f,
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {index} when \
                 BillingMode is PAY_PER_REQUEST"
            ),
            E::UnitsOfIndexIncomplete(index) => {
                write!(
                    f,
                    "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {index}"
                )
            }
            E::OnlyOnDemand(index) => write!(
                f,
                "The only Updates for index: {index} when TableThroughputMode is PAY_PER_REQUEST can be to \
                 OnDemandThroughput, WarmThroughput"
            ),
            E::UnitsUnchanged { index, units } => write_unchanged(index.as_deref(), *units, f),
            E::MaximumProvisioned(unit) => write!(
                f,
                "Max{}RequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is \
                 PROVISIONED",
                unit.word()
            ),
            E::WarmDecrease { unit, index } => write!(
                f,
                "Requested {}UnitsPerSecond for WarmThroughput for {} is lower than current WarmThroughput, \
                 decreasing WarmThroughput is not supported",
                unit.word(),
                subject(index.as_deref())
            ),
            E::WarmEmpty(index) => write!(
                f,
                "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified \
                 for index: {index}"
            ),
            E::NoStream { table } => write!(f, "Table has no stream to disable: TableName: {table}"),
            E::StreamEnabled { table } => {
                write!(f, "Table already has an enabled stream: TableName: {table}")
            }
            E::StreamViewMissing => f.write_str("If stream is being enabled then UpdateViewType is required"),
            E::StreamViewUnused => {
                f.write_str("If stream is being disabled, then UpdateViewType must not be specified")
            }
            E::AlreadyDefault => f.write_str("Table is already encrypted by default"),
            E::AlreadyWithKey => f.write_str(
                "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you \
                 want to change Master Key",
            ),
            E::NoIndexAction => f.write_str(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                 GlobalSecondaryIndexUpdate.Delete must not be null",
            ),
            E::SeveralIndexActions => f.write_str(
                "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
            ),
            E::NoVectorIndexAction => {
                f.write_str("One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null")
            }
            E::SeveralVectorIndexActions => {
                f.write_str("Only one vector index action is allowed per VectorIndexUpdate object")
            }
            E::ProvisionedWithVectorIndexes => {
                f.write_str("Tables with vector indexes must be in PAY_PER_REQUEST mode")
            }
            E::VectorAsKey { name, dimensions, key } => {
                write!(
                    f,
                    "Attributes cannot be redefined. Please check that your attribute has the same type as \
                     previously defined. Existing schema: VectorIndexSchema:[VectorAttribute: \
                     key{{{name}:L:{dimensions}}}] New schema: Schema:["
                )?;
                for (at, (name, kind, role)) in key.iter().enumerate() {
                    let between = if at == 0 { "" } else { ", " };
                    write!(f, "{between}SchemaElement: key{{{name}:{}:{role}}}", kind.code())?;
                }
                f.write_str("]")
            }
            E::IndexTwice(index) => write!(
                f,
                "Only one global secondary index update per index is allowed simultaneously. Index: {index}"
            ),
            E::DefinitionsMissing(index) => {
                write!(f, "AttributeDefinitions is not specified for index: {index}")
            }
            E::AttributeRedefined { existing, new } => write!(
                f,
                "Attributes cannot be redefined. Please check that your attribute has the same type \
                 as previously defined. Existing schema: {} New schema: {}",
                printed(existing),
                printed(new)
            ),
            E::IndexExists => f.write_str("Attempting to create an index which already exists"),
            E::NotGlobal { action, index } => {
                write!(f, "Cannot {action} an index that is not a GlobalSecondaryIndex: {index}")
            }
        }
    }
}

impl UpdateError {
    /// Whether the text goes without the lead that most of these have.
    fn is_bare(&self) -> bool {
        matches!(
            self,
            UpdateError::Nothing(_)
                | UpdateError::UnitsUnchanged { .. }
                | UpdateError::NoStream { .. }
                | UpdateError::StreamEnabled { .. }
                | UpdateError::IndexExists
                | UpdateError::NotGlobal { .. }
        )
    }
}

fn write_unchanged(index: Option<&str>, units: Throughput, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let of = subject(index);
    write!(
        f,
        "The provisioned throughput for the {of} will not change. The requested value equals the current \
         value. "
    )?;
    for (unit, value) in [(Unit::Read, units.read), (Unit::Write, units.write)] {
        let unit = unit.word();
        write!(
            f,
            "Current {unit}CapacityUnits provisioned for the {of}: {value}. Requested {unit}CapacityUnits: \
             {value}. "
        )?;
    }
    f.write_str(
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    )
}

/// A key schema as the service prints its own.
fn printed(schema: &KeySchema) -> String {
    let element = |attribute: &KeyAttribute, role: &str| {
        format!("SchemaElement: key{{{}:{}:{role}}}", attribute.name, attribute.kind.code())
    };
    let partition = schema.partition.iter().map(|attribute| element(attribute, "HASH"));
    let elements: Vec<String> =
        partition.chain(schema.sort.iter().map(|attribute| element(attribute, "RANGE"))).collect();
    format!("Schema:[{}]", elements.join(", "))
}
