//! PartiQL for DynamoDB: from a statement's text to what shall be read or written.
//!
//! A statement goes through two stages, as expressions do. **Parsing** looks at the text alone. **Binding**
//! puts a request's parameters in the place of the question marks and finds what the service finds before it
//! looks at any table. What comes of it is made of the parts that all other operations are made of: a WHERE is
//! a [`keyplan_expression::Condition`], the changes of an UPDATE are a [`keyplan_expression::Update`], and an
//! INSERT has an item. So what they mean is said once, in `keyplan_expression`.
//!
//! | type | what it is |
//! | --- | --- |
//! | [`ParsedStatement`] | a text, read |
//! | [`Statement`] | a statement with its values: [`Select`], [`Insert`], [`Update`], [`Delete`] |
//! | [`StatementError`] | what can be wrong with it, in the service's words |
//!
//! It is not: the place where a WHERE is searched for keys. Which attributes are keys, the table tells, so
//! the engine does that, on the way to its read plans and mutations.
//!
//! ```
//! use keyplan_partiql::{ParsedStatement, Statement};
//! use keyplan_value::{AttributeValue, Value};
//!
//! let parsed = ParsedStatement::parse(r#"SELECT "total" FROM "Orders" WHERE customer = ? AND total > 10"#)?;
//! let customer = Value::try_from(&AttributeValue::from("CUSTOMER#1"))?;
//! let Statement::Select(select) = parsed.bind(&[customer.into()])? else { unreachable!("it is a SELECT") };
//! assert_eq!(select.table, "Orders");
//! assert_eq!(select.columns.as_deref().map(|columns| columns[0].name.as_str()), Some("total"));
//!
//! let error = ParsedStatement::parse("SELECT * FROM Orders WHERE").unwrap_err();
//! assert_eq!(error.to_string(), "Statement wasn't well formed, can't be processed: Unexpected term");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here panics on a text, and every recursion is bounded by [`limits::NESTING_LEVELS_MAX`].

mod bind;
mod error;
mod keywords;
mod lexer;
pub mod limits;
mod parser;
mod position;
mod statement;
mod syntax;

pub use error::{LiteralFault, Misplaced, Rule, SetFunction, StatementError};
pub use lexer::{is_overlarge_number, is_wide_number};
pub use position::Position;
pub use statement::{Column, Delete, Insert, OrderTerm, ParsedStatement, Select, Statement, Table, Update};
pub use syntax::Returning;
