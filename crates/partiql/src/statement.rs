//! Statements whose parameters are bound: what is to be read or written, before any table is known.

use std::sync::Arc;

use keyplan_expression::{Condition, DocumentPath};
use keyplan_value::{Item, Value};

use crate::bind;
use crate::error::StatementError;
use crate::parser::{self, Tree};
use crate::syntax::Returning;

/// The name of a table, as written.
pub type Table = String;

/// The text of a statement, read. It holds nothing of a request but its text.
#[derive(Clone, Debug)]
pub struct ParsedStatement {
    tree: Tree,
}

impl ParsedStatement {
    /// Reads a text. How long it may be is the request's rule.
    ///
    /// # Errors
    /// That it is no statement.
    pub fn parse(text: &str) -> Result<ParsedStatement, StatementError> {
        match parser::parse(text) {
            Ok(tree) => Ok(ParsedStatement { tree }),
            Err(parser::Malformed(detail)) => Err(StatementError::Malformed { detail }),
        }
    }

    /// Puts the parameters in the place of the question marks.
    ///
    /// # Errors
    /// What may not stand where it stands, in written order but WHERE before SET; then what is wrong with
    /// operands; then too many operators.
    pub fn bind(&self, parameters: &[Arc<Value>]) -> Result<Statement, StatementError> {
        bind::bind(&self.tree, parameters)
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `SELECT …`
    Select(Select),
    /// `EXISTS(SELECT …)`: a condition of a transaction.
    Exists(Select),
    /// `INSERT INTO … VALUE …`
    Insert(Insert),
    /// `UPDATE … SET … REMOVE …`
    Update(Update),
    /// `DELETE FROM …`
    Delete(Delete),
}

impl Statement {
    /// The table.
    pub fn table(&self) -> &str {
        match self {
            Statement::Select(select) | Statement::Exists(select) => &select.table,
            Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
        }
    }

    /// Whether it reads and does nothing else.
    pub fn is_read(&self) -> bool {
        matches!(self, Statement::Select(_))
    }

    /// Whether it gives back something of the item that it writes.
    pub fn has_returning(&self) -> bool {
        match self {
            Statement::Update(update) => update.returning.is_some(),
            Statement::Delete(delete) => delete.returns_old,
            _ => false,
        }
    }
}

/// What a SELECT reads.
#[derive(Clone, Debug)]
pub struct Select {
    /// The table.
    pub table: Table,
    /// The index of the table.
    pub index: Option<String>,
    /// What is answered of each item, if it isn't all.
    pub columns: Option<Vec<Column>>,
    /// The condition.
    pub condition: Option<Condition>,
    /// The order.
    pub order: Vec<OrderTerm>,
}

/// A path, under the name that it has in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The path.
    pub path: DocumentPath,
}

/// An attribute by which items are ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderTerm {
    /// The attribute.
    pub attribute: Arc<str>,
    /// Whether the largest value comes first.
    pub descending: bool,
}

/// What an INSERT puts.
#[derive(Clone, Debug)]
pub struct Insert {
    /// The table.
    pub table: Table,
    /// The item.
    pub item: Item,
}

/// What an UPDATE changes.
#[derive(Clone, Debug)]
pub struct Update {
    /// The table.
    pub table: Table,
    /// The changes.
    pub update: Arc<keyplan_expression::Update>,
    /// The condition, which names the item too.
    pub condition: Option<Condition>,
    /// What is given back.
    pub returning: Option<Returning>,
}

/// What a DELETE removes.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The table.
    pub table: Table,
    /// The condition, which names the item too.
    pub condition: Option<Condition>,
    /// Whether the item that was removed is given back.
    pub returns_old: bool,
}
