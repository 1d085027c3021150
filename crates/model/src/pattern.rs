//! Access patterns: a question, and what is read to answer it.

use keyplan_engine::capacity::Units;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::KeyTemplate;
use crate::template::Template;
use crate::types::KeyType;

/// An operation of DynamoDB that a pattern can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Operation {
    /// One item by its key.
    GetItem,
    /// Items of one partition.
    Query,
    /// Items of the whole table.
    Scan,
}

impl Operation {
    /// The operation's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Operation::GetItem => "GetItem",
            Operation::Query => "Query",
            Operation::Scan => "Scan",
        }
    }
}

/// Which way a Query goes along the sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the lowest sort key up.
    #[default]
    Forward,
    /// From the highest sort key down.
    Backward,
}

/// One question and the one request that answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Its id.
    pub id: String,
    /// The question in plain words.
    pub question: String,
    /// The table that is read.
    pub table: String,
    /// What is read there.
    pub access: Access,
    /// Whether the read is strongly consistent.
    pub consistent: bool,
    /// The parameters in the file's order.
    pub parameters: Vec<Parameter>,
    /// What it must return on the sample items with the example parameters.
    pub returns: Option<Returns>,
    /// The read units that it must cost there.
    pub read_units: Option<Units>,
}

impl Pattern {
    /// The operation that the pattern asks.
    pub fn operation(&self) -> Operation {
        match self.access {
            Access::Get { .. } => Operation::GetItem,
            Access::Query { .. } => Operation::Query,
            Access::Scan { .. } => Operation::Scan,
        }
    }
}

/// What a pattern reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// One item of an entity.
    Get {
        /// The templates of its key.
        key: Vec<KeyTemplate>,
    },
    /// Items of one partition.
    Query {
        /// The partition key and its value.
        partition: KeyTemplate,
        /// What is asked of the sort key.
        sort: Option<SortCondition>,
        /// The way along the sort key.
        direction: Direction,
        /// The most items that are examined.
        limit: Option<u32>,
    },
    /// Items of the whole table.
    Scan {
        /// The most items that are examined.
        limit: Option<u32>,
    },
}

/// What a Query asks of the sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortCondition {
    /// The sort key.
    pub attribute: String,
    /// Its type.
    pub kind: KeyType,
    /// The comparison.
    pub comparison: SortComparison,
}

/// A comparison of the sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortComparison {
    /// `=`, `<`, `<=`, `>` or `>=`, as an expression writes it.
    Operator(&'static str, Template),
    /// Keys that begin with a text.
    BeginsWith(Template),
    /// Keys from the first to the second, both included.
    Between(Template, Template),
}

impl SortComparison {
    /// The templates that it compares with.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let (first, second) = match self {
            SortComparison::Operator(_, template) | SortComparison::BeginsWith(template) => (template, None),
            SortComparison::Between(lower, upper) => (lower, Some(upper)),
        };
        std::iter::once(first).chain(second)
    }
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
