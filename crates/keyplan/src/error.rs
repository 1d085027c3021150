//! What can go wrong with a request, as the service says it.

use std::fmt;

use keyplan_value::{Item, ValueError};

/// An error of the service: its kind, and its own words.
///
/// ```
/// use keyplan::{Database, ErrorCode};
///
/// let error = Database::in_memory().describe_table("Orders").send().unwrap_err();
/// assert_eq!(error.code(), &ErrorCode::ResourceNotFound);
/// assert_eq!(error.message(), "Requested resource not found: Table: Orders not found");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    details: Box<Details>,
}

#[derive(Debug, Clone, PartialEq)]
struct Details {
    code: ErrorCode,
    message: String,
    item: Option<Item>,
    reasons: Vec<CancellationReason>,
}

/// What kind of error it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// `AccessDeniedException`: the resource belongs to another account.
    AccessDenied,
    /// `ConditionalCheckFailedException`: a write's condition didn't hold.
    ConditionalCheckFailed,
    /// `IdempotentParameterMismatchException`: a token came again with another request.
    IdempotentParameterMismatch,
    /// `InternalServerError`: the store failed.
    Internal,
    /// `ItemCollectionSizeLimitExceededException`: an item collection would become too large.
    ItemCollectionSizeLimitExceeded,
    /// `LimitExceededException`: more than an account or a table may have.
    LimitExceeded,
    /// `ResourceInUseException`: the table is there, or in a state that refuses the change.
    ResourceInUse,
    /// `ResourceNotFoundException`: there is no such table.
    ResourceNotFound,
    /// `SerializationException`: JSON of a wrong type.
    Serialization,
    /// `TransactionCanceledException`: a transaction was given up, and says why for each action.
    TransactionCanceled,
    /// `UnknownOperationException`: there is no such operation, or it is not built.
    UnknownOperation,
    /// `ValidationException`: the request can't be right, or doesn't fit its table.
    Validation,
    /// Another type, by its name.
    Other(String),
}

impl ErrorCode {
    pub(crate) fn of_type(name: &str) -> ErrorCode {
        // The namespace before `#` differs by layer of the service.
        match name.rsplit('#').next().unwrap_or(name) {
            "AccessDeniedException" => ErrorCode::AccessDenied,
            "ConditionalCheckFailedException" => ErrorCode::ConditionalCheckFailed,
            "IdempotentParameterMismatchException" => ErrorCode::IdempotentParameterMismatch,
            "InternalServerError" => ErrorCode::Internal,
            "ItemCollectionSizeLimitExceededException" => ErrorCode::ItemCollectionSizeLimitExceeded,
            "LimitExceededException" => ErrorCode::LimitExceeded,
            "ResourceInUseException" => ErrorCode::ResourceInUse,
            "ResourceNotFoundException" => ErrorCode::ResourceNotFound,
            "SerializationException" => ErrorCode::Serialization,
            "TransactionCanceledException" => ErrorCode::TransactionCanceled,
            "UnknownOperationException" => ErrorCode::UnknownOperation,
            "ValidationException" => ErrorCode::Validation,
            other => ErrorCode::Other(other.to_owned()),
        }
    }

    /// The name that the service gives it, such as `ValidationException`.
    pub fn name(&self) -> &str {
        match self {
            ErrorCode::AccessDenied => "AccessDeniedException",
            ErrorCode::ConditionalCheckFailed => "ConditionalCheckFailedException",
            ErrorCode::IdempotentParameterMismatch => "IdempotentParameterMismatchException",
            ErrorCode::Internal => "InternalServerError",
            ErrorCode::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceededException",
            ErrorCode::LimitExceeded => "LimitExceededException",
            ErrorCode::ResourceInUse => "ResourceInUseException",
            ErrorCode::ResourceNotFound => "ResourceNotFoundException",
            ErrorCode::Serialization => "SerializationException",
            ErrorCode::TransactionCanceled => "TransactionCanceledException",
            ErrorCode::UnknownOperation => "UnknownOperationException",
            ErrorCode::Validation => "ValidationException",
            ErrorCode::Other(name) => name,
        }
    }
}

/// What one action has to do with a transaction's being given up.
#[derive(Debug, Clone, PartialEq)]
pub struct CancellationReason {
    /// `None` for an action that is not to blame, such as `ConditionalCheckFailed` for one that is.
    pub code: String,
    /// The service's words; an action that is not to blame has none.
    pub message: Option<String>,
    /// The item as it stands, when the action asked for it.
    pub item: Option<Item>,
}

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        let details = Details { code, message: message.into(), item: None, reasons: Vec::new() };
        Error { details: Box::new(details) }
    }

    pub(crate) fn with_item(mut self, item: Option<Item>) -> Error {
        self.details.item = item;
        self
    }

    pub(crate) fn with_reasons(mut self, reasons: Vec<CancellationReason>) -> Error {
        self.details.reasons = reasons;
        self
    }

    /// An answer that isn't as the service writes it.
    pub(crate) fn unreadable() -> Error {
        Error::new(ErrorCode::Internal, "the answer can't be read")
    }

    /// The kind.
    pub fn code(&self) -> &ErrorCode {
        &self.details.code
    }

    /// The service's words.
    pub fn message(&self) -> &str {
        &self.details.message
    }

    /// After a failed condition: the item as it stands, when the request asked for it.
    pub fn item(&self) -> Option<&Item> {
        self.details.item.as_ref()
    }

    /// After a canceled transaction: a reason for each action, in their order.
    pub fn cancellation_reasons(&self) -> &[CancellationReason] {
        &self.details.reasons
    }

    /// Whether a write's condition didn't hold.
    pub fn is_conditional_check_failed(&self) -> bool {
        self.details.code == ErrorCode::ConditionalCheckFailed
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code().name(), self.message())
    }
}

impl std::error::Error for Error {}

/// An item or a value that can't be sent, told as the service would.
impl From<ValueError> for Error {
    fn from(error: ValueError) -> Error {
        Error::new(ErrorCode::Validation, error.to_string())
    }
}
