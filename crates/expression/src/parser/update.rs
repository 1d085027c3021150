//! Updates: the clauses SET, REMOVE, ADD and DELETE, each at most once, in any order.

use std::sync::Arc;

use super::Parser;
use crate::error::ExpressionError;
use crate::lexer::TokenKind;
use crate::syntax::{Action, Clause, Operand, OperandId, UpdateTree};

/// Reads an update.
pub(crate) fn parse_update(text: &str) -> Result<UpdateTree, ExpressionError> {
    let mut parser = Parser::new(text, true)?;
    let mut actions = Vec::new();
    let mut seen = Vec::new();
    loop {
        let clause = match parser.peek() {
            TokenKind::Set => Clause::Set,
            TokenKind::Remove => Clause::Remove,
            TokenKind::Add => Clause::Add,
            TokenKind::Delete => Clause::Delete,
            TokenKind::End if !seen.is_empty() => break,
            _ => return Err(parser.unexpected()),
        };
        if seen.contains(&clause) {
            parser.noticed.repeated_clause.get_or_insert(ExpressionError::RepeatedClause { clause });
        }
        seen.push(clause);
        parser.advance();
        actions.push(parser.action(clause)?);
        while parser.accept(TokenKind::Comma) {
            actions.push(parser.action(clause)?);
        }
    }
    Ok(UpdateTree { operands: parser.finish()?, actions })
}

impl Parser<'_> {
    fn action(&mut self, clause: Clause) -> Result<Action, ExpressionError> {
        let path = self.path()?;
        Ok(match clause {
            Clause::Set => {
                self.expect(TokenKind::Equal)?;
                Action::Set { path, value: self.set_value()? }
            }
            Clause::Remove => Action::Remove { path },
            Clause::Add => Action::Add { path, value: self.value_placeholder()? },
            Clause::Delete => Action::Delete { path, value: self.value_placeholder()? },
        })
    }

    /// Reads an operand, or two of them with one `+` or `-` between.
    fn set_value(&mut self) -> Result<OperandId, ExpressionError> {
        let left = self.operand()?.id;
        let Some(operator) = self.arithmetic_operator() else { return Ok(left) };
        let right = self.operand()?.id;
        Ok(self.push(Operand::Arithmetic { operator, left, right }))
    }

    fn value_placeholder(&mut self) -> Result<OperandId, ExpressionError> {
        let placeholder = Arc::from(self.expect(TokenKind::ValuePlaceholder)?);
        Ok(self.push(Operand::Value(placeholder)))
    }
}
