//! What can be wrong with the parameters from before expressions, in the service's words.

use std::fmt;

use keyplan_value::ValueKind;

use super::ComparisonOperator;

/// Why a parameter from before expressions is refused. Its text is the service's, complete but for the
/// envelope that some operations put around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LegacyError {
    /// Expected has Exists beside a comparison.
    ExistsWithOperator {
        /// The attribute.
        attribute: String,
    },
    /// Expected has both Value and AttributeValueList.
    ValueWithList {
        /// The attribute.
        attribute: String,
    },
    /// Expected has an AttributeValueList and nothing to compare with.
    ListWithoutOperator {
        /// The attribute.
        attribute: String,
    },
    /// No operator has this name.
    UnknownOperator,
    /// Expected has an operator and no value for it.
    OperatorWithoutValue {
        /// The operator.
        operator: ComparisonOperator,
        /// The attribute.
        attribute: String,
    },
    /// The operator takes another number of values.
    ArgumentCount {
        /// The operator.
        operator: ComparisonOperator,
    },
    /// The operator has no meaning for values of this type.
    ArgumentType {
        /// The operator.
        operator: ComparisonOperator,
        /// The type.
        kind: ValueKind,
    },
    /// Values of different types.
    MixedTypes,
    /// The bounds of BETWEEN in the wrong order.
    BetweenOrder,
    /// Expected wants an attribute to exist and has no value for it.
    ExistsWithoutValue {
        /// The attribute.
        attribute: String,
    },
    /// Expected wants an attribute not to exist and has a value for it.
    ValueWithoutExists {
        /// The attribute.
        attribute: String,
    },
    /// Expected says nothing of an attribute.
    NothingExpected {
        /// The attribute.
        attribute: String,
    },
    /// KeyConditions has no condition, or more than a key may have.
    KeyConditionCount,
    /// AttributeUpdates has no value for an action that needs one.
    UpdateWithoutValue,
    /// AttributeUpdates deletes from something that is no set.
    DeleteType {
        /// The type.
        kind: ValueKind,
    },
    /// AttributeUpdates adds something that can't be added.
    AddType {
        /// The type.
        kind: ValueKind,
    },
    /// AttributesToGet names an attribute twice.
    NameTwice {
        /// The attribute.
        name: String,
    },
}

impl std::error::Error for LegacyError {}

impl fmt::Display for LegacyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LegacyError::*;
        match self {
            // These stand without the lead of the others.
            BetweenOrder => {
                return f.write_str(
                    "The BETWEEN condition was provided a range where the lower bound is greater than the \
                     upper bound",
                );
            }
            KeyConditionCount => return f.write_str("Conditions can be of length 1 or 2 only"),
            _ => f.write_str("One or more parameter values were invalid: ")?,
        }
        match self {
            BetweenOrder | KeyConditionCount => Ok(()),
            ExistsWithOperator { attribute } => {
                write!(f, "Exists and ComparisonOperator cannot be used together for Attribute: {attribute}")
            }
            ValueWithList { attribute } => {
                write!(f, "Value and AttributeValueList cannot be used together for Attribute: {attribute}")
            }
            ListWithoutOperator { attribute } => write!(
                f,
                "AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}"
            ),
            UnknownOperator => f.write_str("Invalid comparison operator"),
            OperatorWithoutValue { operator, attribute } => write!(
                f,
                "Value or AttributeValueList must be used with ComparisonOperator: {} for Attribute: \
                 {attribute}",
                operator.word()
            ),
            ArgumentCount { operator } => {
                write!(f, "Invalid number of argument(s) for the {} ComparisonOperator", operator.word())
            }
            ArgumentType { operator, kind } => write!(
                f,
                "ComparisonOperator {} is not valid for {} AttributeValue type",
                operator.word(),
                kind.code()
            ),
            MixedTypes => f.write_str("AttributeValues inside AttributeValueList must be of same type"),
            ExistsWithoutValue { attribute } => {
                write!(f, "Value must be provided when Exists is true for Attribute: {attribute}")
            }
            ValueWithoutExists { attribute } => {
                write!(f, "Value cannot be used when Exists is false for Attribute: {attribute}")
            }
            NothingExpected { attribute } => {
                write!(f, "Value must be provided when Exists is null for Attribute: {attribute}")
            }
            UpdateWithoutValue => {
                f.write_str("Only DELETE action is allowed when no attribute value is specified")
            }
            DeleteType { kind } => {
                write!(f, "DELETE action with value is not supported for the type {}", kind.code())
            }
            AddType { kind } => write!(f, "ADD action is not supported for the type {}", kind.code()),
            NameTwice { name } => write!(f, "Duplicate value in attribute name: {name}"),
        }
    }
}
