//! Access patterns: the members of every operation, which each pattern uses a part of.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::KeyConditionShape;
use crate::pattern::{ActionKind, Direction, Operation, ReturnValues, Select};
use crate::placed::{At, Each, Entries, Plain};
use crate::types::ParameterType;

/// Values by attribute or by name.
pub(crate) type ValuesShape = Entries<At<Plain>>;

/// An access pattern: one question, one request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PatternShape {
    /// The question in plain words.
    pub question: At<String>,
    /// The DynamoDB operation that answers it.
    pub operation: At<Operation>,
    /// The table that a Query or Scan reads.
    pub table: Option<At<String>>,
    /// The index of the table that a Query or Scan reads.
    pub index: Option<At<String>>,
    /// The entity whose item is read or written; the key comes from its templates.
    pub entity: Option<At<String>>,
    /// Templates for names in the entity's key; a name that doesn't stand here is a parameter.
    pub key: Option<At<Entries<At<String>>>>,
    /// Both halves of a Query's key condition, by key attribute.
    #[serde(rename = "where")]
    pub key_condition: Option<At<Entries<At<KeyConditionShape>>>>,
    /// A filter expression; `<name>` is a parameter, `:name` one of `values`, `#name` the attribute.
    pub filter: Option<At<String>>,
    /// A projection expression.
    pub projection: Option<At<String>>,
    /// What a Query or Scan answers.
    pub select: Option<At<Select>>,
    /// Forward (the default) or backward along the sort key.
    pub direction: Option<At<Direction>>,
    /// The most items that are examined.
    pub limit: Option<At<u64>>,
    /// Whether the read is strongly consistent.
    pub consistent: Option<At<Flag>>,
    /// The attributes that a PutItem writes; `<name>` in a text is a parameter.
    pub item: Option<At<ValuesShape>>,
    /// An update expression; `<name>` is a parameter, `:name` one of `values`, `#name` the attribute.
    pub update: Option<At<String>>,
    /// A condition expression: the write happens only where it holds.
    pub condition: Option<At<String>>,
    /// Values of the expressions by name: `values: { one: 1 }` is `:one`.
    pub values: Option<At<ValuesShape>>,
    /// Which attributes a write answers with.
    pub return_values: Option<At<ReturnValues>>,
    /// The items of a BatchGetItem, each an entity over templates for the names in its key:
    /// `- Account: { userId: "<userId>" }`.
    pub keys: Option<At<Each<KeyOfShape>>>,
    /// The actions of a TransactWriteItems.
    pub actions: Option<At<Each<ActionShape>>>,
    /// The parameters `<name>` of the pattern, each with an example.
    #[serde(default)]
    pub parameters: Entries<ParameterShape>,
    /// What the pattern must return on the sample items with the example parameters.
    pub returns: Option<ReturnsShape>,
    /// What the pattern costs there.
    pub costs: Option<CostsShape>,
}

/// One item by its key: its entity's name over templates for the names in its key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct KeyOfShape(pub At<Entries<At<Entries<At<String>>>>>);

/// One action of a transaction.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActionShape {
    /// What is done: put, update, delete or check.
    pub action: At<ActionKind>,
    /// The entity whose item it is done to.
    pub entity: At<String>,
    /// Templates for names in the entity's key; a name that doesn't stand here is a parameter.
    pub key: Option<At<Entries<At<String>>>>,
    /// The attributes that a put writes.
    pub item: Option<At<ValuesShape>>,
    /// An update expression.
    pub update: Option<At<String>>,
    /// A condition expression.
    pub condition: Option<At<String>>,
    /// Values of the expressions by name.
    pub values: Option<At<ValuesShape>>,
}

/// One parameter of a pattern.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterShape {
    /// A value that shows what the pattern does.
    pub example: At<Plain>,
    /// The type of a parameter that stands in expressions alone; S without it. In a key and in an item
    /// the attribute gives the type.
    #[serde(rename = "type")]
    pub kind: Option<At<ParameterType>>,
}

/// What a pattern returns.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReturnsShape {
    /// The entities of the items that come back.
    #[serde(default)]
    pub entities: Each<At<String>>,
    /// How many items come back.
    pub count: At<u64>,
}

/// What a pattern costs, in capacity units.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CostsShape {
    /// Read capacity units, those of indexes included.
    pub read: Option<At<UnitsText>>,
    /// Write capacity units, those of indexes included.
    pub write: Option<At<UnitsText>>,
    /// The units of single indexes, by name.
    #[serde(default)]
    pub indexes: Entries<At<UnitsText>>,
}

/// `true` or `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    /// `true`
    True,
    /// `false`
    False,
}

impl JsonSchema for Flag {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Flag".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// A number of capacity units as it is written.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct UnitsText(pub String);

impl JsonSchema for UnitsText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Units".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "multipleOf": 0.5 })
    }
}
