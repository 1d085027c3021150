//! DynamoDB's expression languages: conditions, filters, key conditions, projections and updates.
//!
//! An expression goes through two stages. **Parsing** looks at the text alone, so what comes of it can
//! be kept by text and shared between requests. **Binding** puts a request's names and values in
//! the place of `#name` and `:value`, and finds what the service finds before it looks at any table.
//! What is bound owns all that it needs: it can move into a store's write and be asked of any item.
//!
//! | expression | parsed | bound | then |
//! | --- | --- | --- | --- |
//! | condition, filter | [`ParsedCondition`] | [`Condition`] | [`Condition::matches`] an item |
//! | key condition | [`ParsedKeyCondition`] | [`KeyCondition`] | [`KeyCondition::resolve`] |
//! | projection | [`ParsedProjection`] | [`Projection`] | [`Projection::write_json`] of an item |
//! | update | [`ParsedUpdate`] | [`Update`] | [`Update::apply`] to an item, which gives the new item |
//!
//! The parameters from before expressions become the same: [`LegacyCondition`]s make a condition
//! ([`Condition::from_legacy`]) or a key condition, [`AttributeUpdate`]s an update, and a list of names
//! a projection.
//!
//! Every text is read against [`limits`]. Items are read in their stored form, and of them only what
//! the expression names.
//!
//! It is not: the place where a message gets its envelope or its error type (the engine knows the
//! operation; [`ExpressionError`] has the words after `Invalid <X>Expression: `); the encoding of
//! keys (a [`KeyRange`] has values and `keyplan_value::key` makes bounds of them); PartiQL, which builds
//! the same trees by [`ExpressionBuilder`].
//!
//! ```
//! use keyplan_expression::{ParsedCondition, Placeholders};
//! use keyplan_value::{AttributeValue, Item, Value};
//!
//! let parsed = ParsedCondition::parse("attribute_exists(sk) AND #total > :least")?;
//! let least = Value::try_from(&AttributeValue::from(10))?;
//! let placeholders = Placeholders::new(
//!     [("#total".to_owned(), "total".to_owned())],
//!     [(":least".to_owned(), least)],
//! );
//! let condition = parsed.bind(&placeholders)?;
//! placeholders.check_unused()?;
//!
//! let order = Item::from_attributes([
//!     ("sk", AttributeValue::from("ORDER#1")),
//!     ("total", AttributeValue::from(25)),
//! ])?;
//! assert!(condition.matches(Some(order.as_ref())));
//! assert!(!condition.matches(None));
//!
//! let error = ParsedCondition::parse("a =").unwrap_err();
//! assert_eq!(error.to_string(), r#"Syntax error; token: "<EOF>", near: "=""#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here panics on input, and every recursion is bounded: trees are flat, parsers keep their own
//! stacks, and what walks a tree goes no deeper than an expression may have operators.

mod bind;
mod build;
mod condition;
mod error;
mod key_condition;
mod key_range;
mod legacy;
mod lexer;
pub mod limits;
mod parser;
mod path;
mod path_tree;
mod placeholders;
mod print;
mod projection;
mod reserved;
mod search_condition;
mod syntax;
mod update;

pub use build::{ExpressionBuilder, OperandRef, PartRef};
pub use condition::{Condition, ParsedCondition, Part, PartId};
pub use error::{ExpressionError, ExpressionKind, OperandType, PlaceholderMap, PrintedPath, PrintedValue};
pub use key_condition::{AttributeCondition, KeyCondition, KeyTest, ParsedKeyCondition};
pub use key_range::{KeyAttribute, KeyConditionError, KeyRange, KeySchema};
pub use legacy::{
    AttributeAction, AttributeUpdate, Combination, ComparisonOperator, Expectation, LegacyCondition,
    LegacyError,
};
pub use path::{DocumentPath, PathElement};
pub use placeholders::{PlaceholderKeyError, PlaceholderKeyProblem, Placeholders};
pub use projection::{ParsedProjection, Projection};
pub use search_condition::SearchCondition;
pub use syntax::{ArithmeticOperator, Clause, Comparator, Function};
pub use update::{ParsedUpdate, Update, UpdateError};
