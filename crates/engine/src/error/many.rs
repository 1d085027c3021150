//! What can be wrong with a request of many items, and why a transaction is given up.

use std::fmt;

use keyplan_value::Item;
use keyplan_value::json::Writer;

use super::{ItemFault, NotFound, Throttled};

/// What is told of an item that a transaction holds.
pub(super) const CONFLICT: &str = "Transaction is ongoing for the item";

/// A fault of a batch or a transaction as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManyFault {
    /// BatchGetItem asks for no keys of a table.
    NoKeys {
        /// The table, as sent.
        table: String,
    },
    /// BatchGetItem asks for too many keys.
    TooManyKeys {
        /// The table at which there are too many, as sent.
        table: String,
        /// The most there can be.
        most: usize,
    },
    /// A batch names one item twice.
    ItemTwiceInBatch,
    /// A request of BatchWriteItem is neither a put nor a delete, or both.
    NotOneRequest,
    /// An action of a transaction is none.
    NoAction,
    /// An action of a transaction is several.
    SeveralActions,
    /// A transaction names one item twice.
    ItemTwiceInTransaction,
    /// The items of a transaction are too large together.
    TransactionTooLarge,
    /// What a transaction writes is too large, taken together; its bytes.
    PayloadTooLarge(u64),
}

impl fmt::Display for ManyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManyFault::NoKeys { table } => write!(
                f,
                "1 validation error detected: Value at 'RequestItems.{table}.member.Keys' failed to satisfy \
                 constraint: Member must have length greater than or equal to 1"
            ),
            ManyFault::TooManyKeys { table, most } => write!(
                f,
                "1 validation error detected: Value at 'RequestItems.{table}.member.Keys' failed to satisfy \
                 constraint: Member must have length less than or equal to {most}"
            ),
            ManyFault::ItemTwiceInBatch => f.write_str("Provided list of item keys contains duplicates"),
            // The text is one of attribute values; the service reads requests as if they were such.
            ManyFault::NotOneRequest => f.write_str(
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the \
                 supported datatypes",
            ),
            ManyFault::NoAction => f.write_str(
                "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
            ),
            ManyFault::SeveralActions => {
                f.write_str("TransactItems can only contain one of Check, Put, Update or Delete")
            }
            ManyFault::ItemTwiceInTransaction => {
                f.write_str("Transaction request cannot include multiple operations on one item")
            }
            // The service says it twice.
            ManyFault::PayloadTooLarge(bytes) => write!(
                f,
                "Transaction payload size cannot exceed 4MB. Payload Size: : Transaction payload size cannot \
                 exceed 4MB. Payload Size: {bytes}"
            ),
            ManyFault::TransactionTooLarge => f.write_str(
                "Collection size of items exceeded, which can also be caused by the aggregate size of the \
                 items in the transaction exceeding the 4MB limit",
            ),
        }
    }
}

/// What an action has to do with a transaction's being given up.
#[derive(Debug, Clone, PartialEq)]
pub enum CancellationReason {
    /// Nothing.
    None,
    /// Its condition doesn't hold.
    ConditionalCheckFailed {
        /// The item as it stands, when the action asked for it and there is one.
        item: Option<Item>,
    },
    /// A PartiQL INSERT found an item with its key.
    DuplicateItem,
    /// There is no such table, which PartiQL tells so.
    NoSuchTable,
    /// It doesn't fit its table, or its item.
    Validation(ItemFault),
    /// The item collection that it changes would become too large.
    ItemCollectionTooLarge,
    /// Another transaction holds its item.
    Conflict,
    /// There are no units left for it.
    Throttled(Throttled),
}

impl CancellationReason {
    fn code(&self) -> &'static str {
        match self {
            CancellationReason::None => "None",
            CancellationReason::ConditionalCheckFailed { .. } => "ConditionalCheckFailed",
            CancellationReason::DuplicateItem => "DuplicateItem",
            CancellationReason::NoSuchTable => "ResourceNotFound",
            CancellationReason::Validation(_) => "ValidationError",
            CancellationReason::ItemCollectionTooLarge => "ItemCollectionSizeLimitExceeded",
            CancellationReason::Conflict => "TransactionConflict",
            CancellationReason::Throttled(throttled) => throttled.code(),
        }
    }

    /// Writes the reason as the answer lists it; one that is none has no message.
    pub(super) fn write(&self, out: &mut Writer<'_>) {
        out.begin_object().name("Code").string(self.code());
        match self {
            CancellationReason::None => {}
            CancellationReason::ConditionalCheckFailed { item } => {
                if let Some(item) = item {
                    out.name("Item").value_with(|bytes| item.as_ref().write_json(bytes));
                }
                out.name("Message").string(super::CONDITION_FAILED);
            }
            CancellationReason::DuplicateItem => {
                out.name("Message").string(super::DUPLICATE_ITEM);
            }
            CancellationReason::NoSuchTable => {
                out.name("Message").string(&NotFound::Resource.to_string());
            }
            CancellationReason::Validation(fault) => {
                out.name("Message").string(&fault.to_string());
            }
            CancellationReason::ItemCollectionTooLarge => {
                out.name("Message").string("Collection size exceeded.");
            }
            CancellationReason::Conflict => {
                out.name("Message").string(CONFLICT);
            }
            CancellationReason::Throttled(throttled) => {
                out.name("Message").string(throttled.limited.text());
            }
        }
        out.end_object();
    }

    /// The message of the whole answer.
    pub(super) fn message(reasons: &[CancellationReason]) -> String {
        let codes: Vec<&str> = reasons.iter().map(CancellationReason::code).collect();
        format!(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
            codes.join(", ")
        )
    }
}
