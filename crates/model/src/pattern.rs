//! Access patterns: a question, and the request that answers it.

use keyplan_engine::capacity::Units;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::types::KeyType;

/// An operation of DynamoDB that a pattern can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Operation {
    /// One item by its key.
    GetItem,
    /// Items of one partition.
    Query,
    /// Items of the whole table or index.
    Scan,
    /// Several items by their keys.
    BatchGetItem,
    /// Writes a whole item.
    PutItem,
    /// Edits an item.
    UpdateItem,
    /// Takes an item away.
    DeleteItem,
    /// Several writes, all or none.
    TransactWriteItems,
}

impl Operation {
    /// The operation's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Operation::GetItem => "GetItem",
            Operation::Query => "Query",
            Operation::Scan => "Scan",
            Operation::BatchGetItem => "BatchGetItem",
            Operation::PutItem => "PutItem",
            Operation::UpdateItem => "UpdateItem",
            Operation::DeleteItem => "DeleteItem",
            Operation::TransactWriteItems => "TransactWriteItems",
        }
    }

    /// Whether it changes what is stored.
    pub fn writes(self) -> bool {
        match self {
            Operation::GetItem | Operation::Query | Operation::Scan | Operation::BatchGetItem => false,
            Operation::PutItem
            | Operation::UpdateItem
            | Operation::DeleteItem
            | Operation::TransactWriteItems => true,
        }
    }
}

/// Which way a Query goes along the sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    /// From the lowest sort key up.
    #[default]
    Forward,
    /// From the highest sort key down.
    Backward,
}

/// What a Query or Scan answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Select {
    /// Whole items.
    AllAttributes,
    /// What the index's entries hold.
    AllProjectedAttributes,
    /// How many there are, and nothing of them.
    Count,
}

impl Select {
    pub fn word(self) -> &'static str {
        match self {
            Select::AllAttributes => "ALL_ATTRIBUTES",
            Select::AllProjectedAttributes => "ALL_PROJECTED_ATTRIBUTES",
            Select::Count => "COUNT",
        }
    }
}

/// Which attributes a write answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReturnValues {
    /// The item as it was.
    AllOld,
    /// The item as it is now.
    AllNew,
    /// What the update changed, as it was.
    UpdatedOld,
    /// What the update changed, as it is now.
    UpdatedNew,
}

impl ReturnValues {
    pub fn word(self) -> &'static str {
        match self {
            ReturnValues::AllOld => "ALL_OLD",
            ReturnValues::AllNew => "ALL_NEW",
            ReturnValues::UpdatedOld => "UPDATED_OLD",
            ReturnValues::UpdatedNew => "UPDATED_NEW",
        }
    }
}

/// What an action of a transaction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ActionKind {
    /// Writes a whole item.
    Put,
    /// Edits an item.
    Update,
    /// Takes an item away.
    Delete,
    /// Changes nothing, and lets the transaction fail where its condition doesn't hold.
    Check,
}

/// One question and the one request that answers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// Its id.
    pub id: String,
    /// The question in plain words.
    pub question: String,
    /// The operation that it asks.
    pub operation: Operation,
    /// The table that is read or written first.
    pub table: String,
    /// The index that is read, if it isn't the table.
    pub index: Option<String>,
    /// The entity whose item is read or written, where the pattern names one.
    pub entity: Option<String>,
    /// The request's body, with `<name>` in its texts where a parameter goes.
    pub(crate) body: Value,
    /// The parameters in the file's order.
    pub parameters: Vec<Parameter>,
    /// What it must return on the sample items with the example parameters.
    pub returns: Option<Returns>,
    /// What it must cost there.
    pub costs: Costs,
}

/// What a pattern must cost; what is not stated is not checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Costs {
    /// Read units, those of indexes included.
    pub read: Option<Units>,
    /// Write units, those of indexes included.
    pub write: Option<Units>,
    /// Units of single indexes, by name.
    pub indexes: Vec<(String, Units)>,
}

/// A parameter of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: KeyType,
    /// A value that shows what the pattern does.
    pub example: String,
    /// The text that stands directly before the value where it is used first: `CUSTOMER#`.
    pub prefix: String,
}

impl Parameter {
    /// The name as a label reads it: `customerId` is "Customer id", `orderSKU` is "Order SKU".
    pub fn label(&self) -> String {
        let mut label = String::new();
        let mut before_is_capital = false;
        let mut letters = self.name.chars().peekable();
        while let Some(letter) = letters.next() {
            let capital = letter.is_uppercase();
            let next_is_capital = letters.peek().is_some_and(|next| next.is_uppercase());
            let begins = capital && (!before_is_capital || letters.peek().is_some() && !next_is_capital);
            match letter {
                '_' | '-' | '.' if label.is_empty() => {}
                '_' | '-' | '.' => label.push(' '),
                _ if label.is_empty() => label.extend(letter.to_uppercase()),
                _ if begins => {
                    label.push_str(if label.ends_with(' ') { "" } else { " " });
                    if next_is_capital { label.push(letter) } else { label.extend(letter.to_lowercase()) }
                }
                _ => label.push(letter),
            }
            before_is_capital = capital;
        }
        if label.is_empty() { self.name.clone() } else { label }
    }
}

/// What a pattern must return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returns {
    /// The entities of the items; each must come at least once, and no other.
    pub entities: Vec<String>,
    /// How many items.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_the_names_words() {
        for (name, label) in [
            ("customerId", "Customer id"),
            ("from", "From"),
            ("placedOn", "Placed on"),
            ("order_id", "Order id"),
            ("order-Id", "Order id"),
            ("orderSKU", "Order SKU"),
            ("SKU", "SKU"),
            ("SKUCode", "SKU code"),
            ("line2", "Line2"),
            ("_", "_"),
            ("été", "Été"),
        ] {
            let parameter = Parameter {
                name: name.into(),
                kind: KeyType::S,
                example: String::new(),
                prefix: String::new(),
            };
            assert_eq!(parameter.label(), label, "{name}");
        }
    }
}
