//! The errors of the service: born typed, turned into a status and a body here alone.
//!
//! Below this module an error is a variant with the data it speaks of. [`ServiceError::render`] is the
//! one place that knows which type name, which prefix and which spelling of the message member each
//! family has on the wire.

mod backup;
mod busy;
mod definition;
mod destination;
mod global;
mod item;
mod many;
mod policy;
mod resource;
mod resource_arn;
mod serialization;
mod signature;
mod statement;
mod stream;
mod throttling;
mod time_to_live;
mod transfer;
mod validation;
mod vector;

use std::fmt;

use keyplan_store::StoreError;
use keyplan_value::json::Writer;
use keyplan_value::{Item, StoredFormError, ValueError};

pub use backup::{BackupError, BackupFault};
pub use busy::{Busy, StreamMove};
pub use definition::{
    DefinitionError, IndexError, IndexName, KeyError, SettingError, TagError, ThroughputError, Unit,
    UpdateError, VectorIndexError,
};
pub use destination::DestinationError;
pub use global::{GlobalTableNotFound, ReplicaError};
pub use item::{ItemFault, SegmentFault, SelectFault, StartKeyFault};
pub use many::{CancellationReason, ManyFault};
pub use policy::{PolicyError, PolicyNotFound};
pub use resource::{InUse, LimitExceeded, NotFound};
pub use resource_arn::ResourceArnError;
pub use serialization::{ScalarType, SerializationError, Token};
pub use signature::{RefusedSignature, ScopeFault, SignatureFault};
pub use statement::StatementFault;
pub use stream::StreamFault;
pub use throttling::{Limited, Throttled, ThrottlingReason};
pub use time_to_live::TimeToLiveError;
pub use transfer::{TransferError, TransferFault};
pub use validation::ValidationError;
pub use vector::{SearchFault, VectorFault};

use crate::weather::Trouble;

/// An error the service answers.
#[derive(Debug)]
pub enum ServiceError {
    /// A request that can't be right whatever the tables hold, or that doesn't fit its table.
    Validation(Box<ValidationError>),
    /// JSON of the wrong type, or no JSON at all.
    Serialization(SerializationError),
    /// A target that names no operation.
    UnknownOperation,
    /// The request's signature is refused; the text is made when it is answered.
    Authentication(RefusedSignature),
    /// The resource belongs to another account.
    AccessDenied {
        /// The operation.
        operation: &'static str,
        /// The resource's ARN as sent.
        resource: String,
    },
    /// No such table.
    ResourceNotFound(NotFound),
    /// The table is there, or is in a state that refuses the change.
    ResourceInUse(InUse),
    /// More than an account or a table may have.
    LimitExceeded(LimitExceeded),
    /// What the operations on backups refuse in words of their own.
    Backup(BackupError),
    /// A write's condition didn't hold.
    ConditionalCheckFailed {
        /// The item as it stands, when the request asked for it and there is one.
        item: Option<Item>,
    },
    /// The same of a PartiQL statement, with the item.
    StatementConditionFailed {
        /// The item as it stands.
        item: Item,
    },
    /// A PartiQL INSERT found an item with its key.
    DuplicateItem,
    /// A transaction was given up: for each action why, or that it isn't to blame.
    TransactionCanceled(Vec<CancellationReason>),
    /// A token came again, with a request that isn't the one it was first sent with.
    IdempotentParameterMismatch,
    /// An item collection would become too large.
    ItemCollectionSizeLimitExceeded,
    /// An export, an import or a bulk put.
    Transfer(TransferError),
    /// A shard iterator is too old.
    ExpiredIterator,
    /// A record that can't be read any more.
    TrimmedDataAccess,
    /// There are no units left.
    Throttled(Box<Throttled>),
    /// A transaction holds the item.
    TransactionConflict,
    /// The transaction with the request's token isn't done.
    TransactionInProgress,
    /// An error that the weather brings.
    Weather(Trouble),
    /// There is no resource policy, or not the one that is expected.
    PolicyNotFound(PolicyNotFound),
    /// A resource policy that would keep the one who puts it from putting another.
    PolicyLocksOut,
    /// No global table of the form of 2017 has this name.
    GlobalTableNotFound(GlobalTableNotFound),
    /// The store failed, or its bytes can't be read.
    Internal(InternalError),
}

/// A fault of the engine's own ground.
#[derive(Debug)]
pub enum InternalError {
    /// The store failed.
    Store(StoreError),
    /// A stored item that can't be read.
    StoredForm(StoredFormError),
    /// A record of the engine's own that isn't as it was written.
    Malformed(&'static str),
    /// A member that the operation's shape requires, and that was not missed before.
    Unchecked(&'static str),
    /// The operation broke off.
    Panicked,
}

impl fmt::Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InternalError::Store(error) => error.fmt(f),
            InternalError::StoredForm(error) => error.fmt(f),
            InternalError::Malformed(what) => write!(f, "{what} in the store is damaged"),
            InternalError::Unchecked(member) => write!(f, "the member {member} was not checked"),
            InternalError::Panicked => f.write_str("the operation broke off"),
        }
    }
}

impl std::error::Error for InternalError {}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> ServiceError {
        ServiceError::Internal(InternalError::Store(error))
    }
}

impl From<ValidationError> for ServiceError {
    fn from(error: ValidationError) -> ServiceError {
        ServiceError::Validation(Box::new(error))
    }
}

impl From<ItemFault> for ServiceError {
    fn from(error: ItemFault) -> ServiceError {
        ValidationError::Item(error).into()
    }
}

impl From<ManyFault> for ServiceError {
    fn from(error: ManyFault) -> ServiceError {
        ValidationError::Many(error).into()
    }
}

impl From<TransferError> for ServiceError {
    fn from(error: TransferError) -> ServiceError {
        ServiceError::Transfer(error)
    }
}

impl From<TransferFault> for ServiceError {
    fn from(error: TransferFault) -> ServiceError {
        ValidationError::Transfer(error).into()
    }
}

impl From<BackupError> for ServiceError {
    fn from(error: BackupError) -> ServiceError {
        ServiceError::Backup(error)
    }
}

impl From<BackupFault> for ServiceError {
    fn from(error: BackupFault) -> ServiceError {
        ValidationError::Backup(error).into()
    }
}

impl From<StatementFault> for ServiceError {
    fn from(error: StatementFault) -> ServiceError {
        ValidationError::Statement(error).into()
    }
}

impl From<StreamFault> for ServiceError {
    fn from(error: StreamFault) -> ServiceError {
        ValidationError::Stream(error).into()
    }
}

impl From<DefinitionError> for ServiceError {
    fn from(error: DefinitionError) -> ServiceError {
        ValidationError::Definition(error).into()
    }
}

impl From<ThroughputError> for ServiceError {
    fn from(error: ThroughputError) -> ServiceError {
        DefinitionError::from(error).into()
    }
}

impl From<IndexError> for ServiceError {
    fn from(error: IndexError) -> ServiceError {
        DefinitionError::from(error).into()
    }
}

impl From<VectorIndexError> for ServiceError {
    fn from(error: VectorIndexError) -> ServiceError {
        DefinitionError::from(error).into()
    }
}

impl From<UpdateError> for ServiceError {
    fn from(error: UpdateError) -> ServiceError {
        DefinitionError::from(error).into()
    }
}

/// A value that can't be read is a SerializationException; one that is read and refused is not.
impl From<ValueError> for ServiceError {
    fn from(error: ValueError) -> ServiceError {
        if error.is_serialization() {
            SerializationError::Value(error).into()
        } else {
            ValidationError::Value(error).into()
        }
    }
}

impl From<InternalError> for ServiceError {
    fn from(error: InternalError) -> ServiceError {
        ServiceError::Internal(error)
    }
}

impl From<StoredFormError> for InternalError {
    fn from(error: StoredFormError) -> InternalError {
        InternalError::StoredForm(error)
    }
}

impl From<StoreError> for InternalError {
    fn from(error: StoreError) -> InternalError {
        InternalError::Store(error)
    }
}

impl From<SerializationError> for ServiceError {
    fn from(error: SerializationError) -> ServiceError {
        ServiceError::Serialization(error)
    }
}

const CONDITION_FAILED: &str = "The conditional request failed";
const DUPLICATE_ITEM: &str = "Duplicate primary key exists in table";

/// The namespaces of error types.
const SERVICE: &str = "com.amazon.coral.service#";
const VALIDATE: &str = "com.amazon.coral.validate#";
const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810#";

impl ServiceError {
    /// The error's name without its namespace, such as `ValidationException`.
    pub fn name(&self) -> &'static str {
        match self {
            ServiceError::Validation(_) => "ValidationException",
            ServiceError::Serialization(_) => "SerializationException",
            ServiceError::UnknownOperation => "UnknownOperationException",
            ServiceError::Authentication(refused) => refused.kind,
            ServiceError::AccessDenied { .. } => "AccessDeniedException",
            ServiceError::ResourceNotFound(_) => "ResourceNotFoundException",
            ServiceError::ResourceInUse(_) => "ResourceInUseException",
            ServiceError::LimitExceeded(_) => "LimitExceededException",
            ServiceError::Backup(error) => error.name(),
            ServiceError::ConditionalCheckFailed { .. } | ServiceError::StatementConditionFailed { .. } => {
                "ConditionalCheckFailedException"
            }
            ServiceError::DuplicateItem => "DuplicateItemException",
            ServiceError::TransactionCanceled(_) => "TransactionCanceledException",
            ServiceError::IdempotentParameterMismatch => "IdempotentParameterMismatchException",
            ServiceError::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceededException",
            ServiceError::Transfer(error) => error.name(),
            ServiceError::ExpiredIterator => "ExpiredIteratorException",
            ServiceError::TrimmedDataAccess => "TrimmedDataAccessException",
            ServiceError::Throttled(throttled) => throttled.name(),
            ServiceError::TransactionConflict => "TransactionConflictException",
            ServiceError::TransactionInProgress => "TransactionInProgressException",
            ServiceError::Weather(trouble) => trouble.name(),
            ServiceError::PolicyNotFound(_) => "PolicyNotFoundException",
            ServiceError::PolicyLocksOut => "AccessDeniedException",
            ServiceError::GlobalTableNotFound(_) => "GlobalTableNotFoundException",
            ServiceError::Internal(_) => "InternalServerError",
        }
    }

    fn namespace(&self) -> &'static str {
        match self {
            ServiceError::Validation(_) => VALIDATE,
            ServiceError::Serialization(_)
            | ServiceError::UnknownOperation
            | ServiceError::Authentication(_) => SERVICE,
            ServiceError::AccessDenied { .. }
            | ServiceError::ResourceNotFound(_)
            | ServiceError::ResourceInUse(_)
            | ServiceError::LimitExceeded(_)
            | ServiceError::Backup(_)
            | ServiceError::ConditionalCheckFailed { .. }
            | ServiceError::StatementConditionFailed { .. }
            | ServiceError::DuplicateItem
            | ServiceError::TransactionCanceled(_)
            | ServiceError::IdempotentParameterMismatch
            | ServiceError::ItemCollectionSizeLimitExceeded
            | ServiceError::Transfer(_)
            | ServiceError::ExpiredIterator
            | ServiceError::TrimmedDataAccess
            | ServiceError::Throttled(_)
            | ServiceError::TransactionConflict
            | ServiceError::TransactionInProgress
            | ServiceError::Weather(_)
            | ServiceError::PolicyNotFound(_)
            | ServiceError::PolicyLocksOut
            | ServiceError::GlobalTableNotFound(_)
            | ServiceError::Internal(_) => DYNAMODB,
        }
    }

    /// The message and the member it stands in; some errors have none.
    fn message(&self) -> Option<(&'static str, String)> {
        let text = match self {
            ServiceError::Validation(error) => error.to_string(),
            // The service writes the member of these with a capital.
            ServiceError::TransactionCanceled(reasons) => {
                return Some(("Message", CancellationReason::message(reasons)));
            }
            ServiceError::IdempotentParameterMismatch => {
                let text = "The request has the token of an earlier one and other parameters";
                return Some(("Message", text.to_owned()));
            }
            ServiceError::Serialization(error) => {
                let is_strict = matches!(error, SerializationError::Strict { .. });
                return error.text().map(|text| (if is_strict { "message" } else { "Message" }, text));
            }
            ServiceError::UnknownOperation => return None,
            ServiceError::Authentication(refused) => refused.message.clone(),
            ServiceError::AccessDenied { operation, resource } => format!(
                "User is not authorized to perform: dynamodb:{operation} on resource: {resource} because no \
                 resource-based policy allows the dynamodb:{operation} action"
            ),
            ServiceError::ResourceNotFound(missing) => missing.to_string(),
            ServiceError::ResourceInUse(in_use) => in_use.to_string(),
            ServiceError::LimitExceeded(limit) => limit.to_string(),
            ServiceError::Backup(error) => error.to_string(),
            ServiceError::ConditionalCheckFailed { .. } => CONDITION_FAILED.to_owned(),
            ServiceError::StatementConditionFailed { .. } => {
                return Some(("Message", CONDITION_FAILED.to_owned()));
            }
            ServiceError::DuplicateItem => DUPLICATE_ITEM.to_owned(),
            ServiceError::ItemCollectionSizeLimitExceeded => {
                "Item collection size limit exceeded.".to_owned()
            }
            ServiceError::Transfer(error) => error.to_string(),
            ServiceError::ExpiredIterator => {
                "The provided iterator exceeds the maximum age allowed.".to_owned()
            }
            ServiceError::TrimmedDataAccess => {
                "The data you are trying to access has been trimmed.".to_owned()
            }
            ServiceError::Throttled(throttled) => throttled.limited.text().to_owned(),
            ServiceError::TransactionConflict => many::CONFLICT.to_owned(),
            ServiceError::TransactionInProgress => {
                let text = "The transaction with the given request token is already in progress.";
                return Some(("Message", text.to_owned()));
            }
            ServiceError::Weather(trouble) => trouble.text().to_owned(),
            ServiceError::PolicyNotFound(missing) => missing.to_string(),
            ServiceError::PolicyLocksOut => {
                "The new resource policy will not allow you to update the resource policy in the future."
                    .to_owned()
            }
            ServiceError::GlobalTableNotFound(missing) => missing.to_string(),
            ServiceError::Internal(_) => "Internal server error".to_owned(),
        };
        Some(("message", text))
    }

    /// The error's code and text as a batch of statements lists them.
    pub fn of_member(&self) -> (&'static str, String) {
        let code = match self {
            // These two are cut otherwise than the rest.
            ServiceError::Validation(_) => "ValidationError",
            ServiceError::Internal(_) => "InternalServerError",
            ServiceError::Throttled(throttled) => throttled.code(),
            error => error.name().trim_end_matches("Exception"),
        };
        (code, self.message().map(|(_, text)| text).unwrap_or_default())
    }

    /// What is wrong with the engine's own ground, if that is what the error is; clients are not told.
    pub fn fault(&self) -> Option<String> {
        match self {
            ServiceError::Internal(error) => Some(error.to_string()),
            _ => None,
        }
    }

    /// The HTTP status and the body.
    pub fn render(&self) -> (u16, Vec<u8>) {
        let mut body = Vec::with_capacity(160);
        let mut out = Writer::new(&mut body);
        out.begin_object();
        out.name("__type");
        out.string(&[self.namespace(), self.name()].concat());
        if let ServiceError::TransactionCanceled(reasons) = self {
            out.name("CancellationReasons").begin_array();
            for reason in reasons {
                reason.write(&mut out);
            }
            out.end_array();
        }
        if let Some((member, text)) = self.message() {
            out.name(member);
            out.string(&text);
        }
        if let ServiceError::ConditionalCheckFailed { item: Some(item) }
        | ServiceError::StatementConditionFailed { item } = self
        {
            out.name("Item");
            out.value_with(|bytes| item.as_ref().write_json(bytes));
        }
        if let ServiceError::Throttled(throttled) = self {
            throttled.write_reasons(&mut out);
        }
        out.end_object();
        let status = match self {
            ServiceError::Internal(_) => 500,
            ServiceError::Weather(trouble) => trouble.status(),
            _ => 400,
        };
        (status, body)
    }
}
