//! From the syntax tree and the parameters to the statement, with the checks that need no table.

mod condition;
mod literal;
mod path;
mod update;

use std::collections::BTreeSet;
use std::sync::Arc;

use keyplan_value::Value;

use crate::error::{Misplaced, Rule, StatementError};
use crate::parser::Tree;
use crate::statement::{Column, Delete, Insert, OrderTerm, Select, Statement, Table, Update};
use crate::syntax::{self, Columns, Expr, ExprId, From, Placed, Returning};

type Result<T> = std::result::Result<T, StatementError>;

/// What a statement is bound with.
#[derive(Clone, Copy)]
pub(crate) struct Binder<'a> {
    exprs: &'a [Placed],
    parameters: &'a [Arc<Value>],
}

/// Binds the parameters.
pub(crate) fn bind(tree: &Tree, parameters: &[Arc<Value>]) -> Result<Statement> {
    let binder = Binder { exprs: &tree.exprs, parameters };
    match binder.expr(tree.root) {
        Expr::Statement(statement) => binder.statement(statement),
        Expr::Call { name, arguments } if name == "exists" => match arguments.as_slice() {
            [only] => match binder.expr(*only) {
                Expr::Statement(statement) => match &**statement {
                    syntax::Statement::Select(select) => binder.select(select).map(Statement::Exists),
                    _ => Err(StatementError::NoOperation { kind: "Call" }),
                },
                _ => Err(StatementError::NoOperation { kind: "Call" }),
            },
            _ => Err(StatementError::NoOperation { kind: "Call" }),
        },
        expr => Err(StatementError::NoOperation { kind: kind(expr) }),
    }
}

/// What the service calls a kind of expression.
fn kind(expr: &Expr) -> &'static str {
    match expr {
        Expr::Name(_) => "Id",
        Expr::Path { .. } => "Path",
        Expr::String(_) | Expr::Number(_) | Expr::Bool(_) | Expr::Null | Expr::Ion(_) => "Lit",
        Expr::Missing => "Missing",
        Expr::Parameter(_) => "Parameter",
        Expr::List(_) => "List",
        Expr::Bag(_) => "Bag",
        Expr::Struct(_) => "Struct",
        Expr::Unary { operator: "not", .. } => "Not",
        Expr::Unary { operator: "-", .. } => "Neg",
        Expr::Unary { .. } => "Pos",
        Expr::Binary { operator, .. } => match *operator {
            "and" => "And",
            "or" => "Or",
            "=" => "Eq",
            "<>" | "!=" => "Ne",
            "<" => "Lt",
            "<=" => "Lte",
            ">" => "Gt",
            ">=" => "Gte",
            "+" => "Plus",
            "-" => "Minus",
            "*" => "Times",
            "/" => "Divide",
            "%" => "Modulo",
            "||" => "Concat",
            _ => "BagOp",
        },
        Expr::In { negated: true, .. }
        | Expr::Between { negated: true, .. }
        | Expr::Like { negated: true } => "Not",
        Expr::In { .. } => "InCollection",
        Expr::Between { .. } => "Between",
        Expr::Like { .. } => "Like",
        Expr::Is { negated: true, .. } => "Not",
        Expr::Is { .. } => "IsType",
        Expr::Call { .. } => "Call",
        Expr::Case { simple: true } => "SimpleCase",
        Expr::Case { simple: false } => "SearchedCase",
        Expr::Statement(_) => "Select",
    }
}

/// The keyword that a statement begins with.
fn keyword(statement: &syntax::Statement) -> &'static str {
    match statement {
        syntax::Statement::Select(_) => "SELECT",
        syntax::Statement::Insert(_) => "INSERT",
        syntax::Statement::Update(_) => "UPDATE",
        syntax::Statement::Delete(_) => "DELETE",
    }
}

impl<'a> Binder<'a> {
    fn placed(&self, id: ExprId) -> &'a Placed {
        // Positions come from the parser that made the expressions.
        &self.exprs[id]
    }

    fn expr(&self, id: ExprId) -> &'a Expr {
        &self.placed(id).expr
    }

    fn parameter(&self, index: usize) -> Result<&'a Arc<Value>> {
        self.parameters.get(index).ok_or(StatementError::Rule(Rule::ParameterCount))
    }

    fn statement(&self, statement: &syntax::Statement) -> Result<Statement> {
        match statement {
            syntax::Statement::Select(select) => self.select(select).map(Statement::Select),
            syntax::Statement::Insert(insert) => self.insert(insert).map(Statement::Insert),
            syntax::Statement::Update(update) => self.update(update).map(Statement::Update),
            syntax::Statement::Delete(delete) => self.delete(delete).map(Statement::Delete),
        }
    }

    fn select(&self, select: &syntax::Select) -> Result<Select> {
        let columns = self.columns(&select.columns)?;
        if select.from.several {
            return Err(Rule::SingleSource.into());
        }
        let (table, index) = self.source(&select.from)?;
        if let Some((clause, at)) = select.unsupported {
            return Err(StatementError::Clause { clause, at });
        }
        let order = select.order.iter().map(|term| {
            let Placed { expr, at } = self.placed(term.key);
            match expr {
                Expr::Name(name) => {
                    Ok(OrderTerm { attribute: name.as_str().into(), descending: term.descending })
                }
                expr => Err(StatementError::OrderTerm { kind: kind(expr), at: *at }),
            }
        });
        let order = order.collect::<Result<Vec<_>>>()?;
        let condition = self.condition(select.condition)?.map(|condition| condition.finish()).transpose()?;
        Ok(Select { table, index, columns, condition, order })
    }

    fn columns(&self, columns: &Columns) -> Result<Option<Vec<Column>>> {
        let columns = match columns {
            Columns::All => return Ok(None),
            Columns::AllAndOthers => return Err(Rule::StarAmongOthers.into()),
            Columns::Value => return Err(Rule::SelectValue.into()),
            Columns::Some(columns) => columns,
        };
        let mut read = Vec::with_capacity(columns.len());
        let mut names = BTreeSet::new();
        for (id, aliased) in columns {
            let path = self.document_path(*id)?;
            if *aliased {
                return Err(Rule::Alias.into());
            }
            let name = path::column_name(&path);
            if !names.insert(name.clone()) {
                return Err(StatementError::DuplicateColumn { name });
            }
            read.push(Column { name, path });
        }
        Ok(Some(read))
    }

    /// The table, and perhaps the index, that a FROM names.
    fn source(&self, from: &From) -> Result<(Table, Option<String>)> {
        if from.aliased {
            return Err(Rule::Alias.into());
        }
        let mut names = match self.expr(from.source) {
            Expr::Name(name) => vec![name.clone()],
            Expr::Path { root, steps } => {
                let Expr::Name(first) = self.expr(*root) else { return Err(Rule::SourceKind.into()) };
                let mut names = vec![first.clone()];
                for step in steps {
                    match step {
                        syntax::Step::Name(name) => names.push(name.clone()),
                        _ => return Err(Rule::SourceList.into()),
                    }
                }
                names
            }
            _ => return Err(Rule::SourceKind.into()),
        };
        if names.iter().any(String::is_empty) {
            return Err(Rule::EmptyName.into());
        }
        if names.len() > 2 {
            return Err(Rule::SourceParts.into());
        }
        let index = if names.len() == 2 { names.pop() } else { None };
        Ok((names.pop().unwrap_or_default(), index))
    }

    /// The table that a write names.
    fn target(&self, from: &From) -> Result<Table> {
        match self.source(from)? {
            (table, None) => Ok(table),
            (_, Some(_)) => Err(Rule::WriteToIndex.into()),
        }
    }

    fn insert(&self, insert: &syntax::Insert) -> Result<Insert> {
        let target = self.placed(insert.target);
        let Expr::Name(table) = &target.expr else { return Err(StatementError::NotATable(target.at)) };
        if table.is_empty() {
            return Err(Rule::EmptyName.into());
        }
        if insert.several {
            return Err(Rule::SeveralItems.into());
        }
        if insert.returning {
            return Err(Rule::InsertReturning.into());
        }
        Ok(Insert { table: table.clone(), item: self.item(insert.value)? })
    }

    fn update(&self, update: &syntax::Update) -> Result<Update> {
        let table = self.target(&update.from)?;
        let condition = self.condition(update.condition)?;
        let changes = self.changes(&update.changes)?;
        // What is wrong with operands comes after all that may not be there at all.
        let (condition, operators) = match condition {
            Some(condition) => (Some(condition.bind()?), condition.operators),
            None => (None, 0),
        };
        let bound = changes.bind()?;
        condition::check_operators(operators)?;
        condition::check_operators(changes.operators)?;
        Ok(Update { table, update: Arc::new(bound), condition, returning: update.returning })
    }

    fn delete(&self, delete: &syntax::Delete) -> Result<Delete> {
        let table = self.target(&delete.from)?;
        let condition = self.condition(delete.condition)?.map(|condition| condition.finish()).transpose()?;
        match delete.returning {
            Some(returning) if returning != Returning::AllOld => {
                Err(StatementError::DeleteReturning(returning))
            }
            returning => Ok(Delete { table, condition, returns_old: returning.is_some() }),
        }
    }

    /// Marks the expressions that are parts of one by themselves, so that they can be walked in the order
    /// in which they end: `parts` names the parts of each.
    fn marked(&self, root: ExprId, parts: impl Fn(&Expr, &mut dyn FnMut(ExprId))) -> Vec<ExprId> {
        let mut wanted = vec![false; root + 1];
        if let Some(last) = wanted.last_mut() {
            *last = true;
        }
        for id in (0..=root).rev() {
            if !wanted[id] {
                continue;
            }
            parts(self.expr(id), &mut |part| {
                if let Some(mark) = wanted.get_mut(part) {
                    *mark = true;
                }
            });
        }
        (0..=root).filter(|id| wanted[*id]).collect()
    }
}

fn misplaced(misplaced: Misplaced, placed: &Placed) -> StatementError {
    StatementError::At(misplaced, placed.at)
}
