//! ValidationException: the families of its texts.

use std::fmt;

use keyplan_expression::{ExpressionError, ExpressionKind};
use keyplan_value::ValueError;

use super::backup::BackupFault;
use super::definition::DefinitionError;
use super::destination::DestinationError;
use super::global::ReplicaError;
use super::item::ItemFault;
use super::many::ManyFault;
use super::policy::PolicyError;
use super::resource_arn::ResourceArnError;
use super::statement::StatementFault;
use super::stream::StreamFault;
use super::time_to_live::TimeToLiveError;
use super::transfer::TransferFault;
use crate::arn::ArnError;
use crate::validate::Violations;

/// What a ValidationException says.
#[derive(Debug)]
pub enum ValidationError {
    /// Members that break the constraints of their shapes.
    Constraints(Violations),
    /// A member whose absence or form has a sentence of its own in the shape's overlay.
    Sentence(&'static str),
    /// The text of another, after `1 validation error detected: `. Which texts have that lead differs
    /// by operation, not by text.
    Enveloped(Box<ValidationError>),
    /// A table name that looks like an ARN and isn't one of a table.
    Arn(ArnError),
    /// A table that can't be deleted.
    DeletionProtected,
    /// A table's definition.
    Definition(DefinitionError),
    /// An item, a key, or the parameters of reading and writing items.
    Item(ItemFault),
    /// A batch or a transaction as a whole.
    Many(ManyFault),
    /// The ARN of a resource that is to have tags.
    ResourceArn(ResourceArnError),
    /// A request about a backup.
    Backup(BackupFault),
    /// A resource policy.
    Policy(PolicyError),
    /// A change of a table's Kinesis destinations.
    Destination(DestinationError),
    /// A change of a global table.
    Replica(ReplicaError),
    /// A PartiQL statement.
    Statement(StatementFault),
    /// One of the statements of a transaction.
    InStatement {
        /// Its position.
        position: usize,
        /// What is wrong with it.
        error: Box<ValidationError>,
    },
    /// A request about a stream.
    Stream(StreamFault),
    /// A change of a table's time to live.
    TimeToLive(TimeToLiveError),
    /// A request about an export, an import or a bulk put.
    Transfer(TransferFault),
    /// An attribute value.
    Value(ValueError),
    /// An attribute value, in the words that BatchWriteItem and transactions keep.
    OlderValue(ValueError),
    /// An expression.
    Expression {
        /// Which of the request's expressions.
        which: ExpressionKind,
        /// What is wrong with it.
        error: ExpressionError,
    },
}

impl ValidationError {
    /// This error with the lead `1 validation error detected: `.
    #[must_use]
    pub fn enveloped(self) -> ValidationError {
        match self {
            // These carry the lead themselves.
            ValidationError::Constraints(_) | ValidationError::Enveloped(_) | ValidationError::Arn(_) => self,
            error => ValidationError::Enveloped(Box::new(error)),
        }
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValidationError::Constraints(violations) => violations.fmt(f),
            ValidationError::Sentence(text) => f.write_str(text),
            ValidationError::Enveloped(error) => write!(f, "1 validation error detected: {error}"),
            ValidationError::Arn(error) => error.fmt(f),
            ValidationError::DeletionProtected => f.write_str(
                "Resource cannot be deleted as it is currently protected against deletion. Disable deletion \
                 protection first.",
            ),
            ValidationError::Definition(error) => error.fmt(f),
            ValidationError::Item(fault) => fault.fmt(f),
            ValidationError::Many(fault) => fault.fmt(f),
            ValidationError::ResourceArn(error) => error.fmt(f),
            ValidationError::Policy(error) => error.fmt(f),
            ValidationError::Destination(error) => error.fmt(f),
            ValidationError::Replica(error) => error.fmt(f),
            ValidationError::Statement(fault) => fault.fmt(f),
            ValidationError::InStatement { position, error } => {
                write!(f, "Validation failed in TransactStatements[{position}]: {error}")
            }
            ValidationError::Stream(fault) => fault.fmt(f),
            ValidationError::Backup(fault) => fault.fmt(f),
            ValidationError::TimeToLive(error) => error.fmt(f),
            ValidationError::Transfer(fault) => fault.fmt(f),
            ValidationError::Value(error) => error.fmt(f),
            ValidationError::OlderValue(error) => f.write_str(&error.older_message().unwrap_or_default()),
            ValidationError::Expression { which, error } => {
                if error.has_lead() {
                    write!(f, "Invalid {}: ", which.parameter())?;
                }
                error.fmt(f)
            }
        }
    }
}
