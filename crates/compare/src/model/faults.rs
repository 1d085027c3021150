//! What the service refuses, in its words.

use serde_json::{Value as Json, json};

use super::{Answer, PARTITION_KEY_BYTES, SORT_KEY_BYTES};
use crate::request::KeySchema;
use crate::value::{Item, Value, to_json};

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// It isn't one that can be done.
    Invalid(String),
    /// What it is about isn't there.
    NotFound(String),
    /// What it would make is there.
    InUse(String),
    /// Its condition doesn't hold; the item, if that is told.
    ConditionFailed(Option<Item>),
    /// A transaction is cancelled: for each action, why.
    Cancelled(Vec<Option<Fault>>),
    /// A token comes again with another transaction.
    OtherTransaction,
}

const SERVICE: &str = "com.amazonaws.dynamodb.v20120810#";
const CONDITION_FAILED: &str = "The conditional request failed";

impl Fault {
    /// A ValidationException.
    pub fn invalid(message: impl Into<String>) -> Fault {
        Fault::Invalid(message.into())
    }

    /// A ValidationException with the lead that many of them have.
    pub fn parameter(message: &str) -> Fault {
        Fault::Invalid(format!("One or more parameter values were invalid: {message}"))
    }

    /// There is no such table.
    pub fn no_table() -> Fault {
        Fault::NotFound("Requested resource not found".to_owned())
    }

    /// A key is not one of the table.
    pub fn key() -> Fault {
        Fault::invalid("The provided key element does not match the schema")
    }

    /// A key attribute is empty.
    pub fn empty_key(name: &str, value: &Value) -> Fault {
        Fault::Invalid(format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot \
             contain an empty {} value. Key: {name}",
            empty_word(value)
        ))
    }

    /// A key, of a table or an index, is too long.
    pub fn too_long(key: &KeySchema, item: &Item) -> Option<Fault> {
        let bytes = |attribute: &(String, &str)| item.get(&attribute.0).map_or(0, Value::size);
        if bytes(&key.partition) > PARTITION_KEY_BYTES {
            return Some(Fault::parameter(
                "Size of hashkey has exceeded the maximum size limit of2048 bytes",
            ));
        }
        if key.sort.as_ref().map_or(0, bytes) > SORT_KEY_BYTES {
            let what = "Aggregated size of all range keys has exceeded the size limit of 1024 bytes";
            return Some(Fault::parameter(what));
        }
        None
    }

    /// The answer that says so.
    pub fn answer(self) -> Answer {
        Answer { status: 400, body: self.body() }
    }

    fn body(self) -> Json {
        match self {
            Fault::Invalid(message) => {
                json!({ "__type": "com.amazon.coral.validate#ValidationException", "message": message })
            }
            Fault::NotFound(message) => {
                json!({ "__type": format!("{SERVICE}ResourceNotFoundException"), "message": message })
            }
            Fault::InUse(message) => {
                json!({ "__type": format!("{SERVICE}ResourceInUseException"), "message": message })
            }
            Fault::ConditionFailed(item) => {
                let kind = format!("{SERVICE}ConditionalCheckFailedException");
                let mut body = json!({ "__type": kind, "message": CONDITION_FAILED });
                if let Some(item) = item {
                    body["Item"] = to_json(&item);
                }
                body
            }
            Fault::Cancelled(reasons) => {
                let reasons: Vec<(&str, Json)> = reasons.into_iter().map(reason).collect();
                let codes: Vec<&str> = reasons.iter().map(|(code, _)| *code).collect();
                let message = format!(
                    "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
                    codes.join(", ")
                );
                let reasons: Vec<Json> = reasons.into_iter().map(|(_, reason)| reason).collect();
                json!({
                    "__type": format!("{SERVICE}TransactionCanceledException"),
                    "CancellationReasons": reasons,
                    "Message": message,
                })
            }
            // Nobody has recorded its words.
            Fault::OtherTransaction => {
                json!({ "__type": format!("{SERVICE}IdempotentParameterMismatchException") })
            }
        }
    }
}

/// What to call an empty value.
pub fn empty_word(value: &Value) -> &'static str {
    if value.kind() == "B" { "binary" } else { "string" }
}

fn reason(fault: Option<Fault>) -> (&'static str, Json) {
    match fault {
        Some(Fault::ConditionFailed(item)) => {
            let mut reason = json!({ "Code": "ConditionalCheckFailed", "Message": CONDITION_FAILED });
            if let Some(item) = item {
                reason["Item"] = to_json(&item);
            }
            ("ConditionalCheckFailed", reason)
        }
        Some(Fault::Invalid(message)) => {
            ("ValidationError", json!({ "Code": "ValidationError", "Message": message }))
        }
        _ => ("None", json!({ "Code": "None" })),
    }
}
