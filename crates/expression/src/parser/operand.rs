//! Operands: paths, values, functions of operands, and the arithmetic of SET.

use std::sync::Arc;

use super::Parser;
use crate::error::ExpressionError;
use crate::lexer::TokenKind;
use crate::syntax::{ArithmeticOperator, Function, FunctionPlace, Operand, OperandId};

/// An operand just read, and what its place must know of it.
#[derive(Clone, Copy)]
pub(super) struct ParsedOperand {
    pub(super) id: OperandId,
    /// Whether parentheses stand directly around it.
    pub(super) grouped: bool,
    /// Whether it is a function, and which one if it has a function's name.
    pub(super) call: Option<Option<Function>>,
}

/// What has been opened and not closed yet, innermost last.
enum Open {
    /// A parenthesis; in an update perhaps with the left side and operator of arithmetic.
    Group(Option<(OperandId, ArithmeticOperator)>),
    Call {
        function: Option<Function>,
        arguments: Vec<OperandId>,
    },
}

impl Parser<'_> {
    /// Reads one operand, parentheses around it included.
    pub(super) fn operand(&mut self) -> Result<ParsedOperand, ExpressionError> {
        let mut open = Vec::new();
        loop {
            if self.accept(TokenKind::LeftParenthesis) {
                open.push(Open::Group(None));
                continue;
            }
            if self.peek() == TokenKind::Name && self.peek_second() == TokenKind::LeftParenthesis {
                let function = self.function_name();
                open.push(Open::Call { function, arguments: Vec::new() });
                continue;
            }
            let operand = self.simple_operand()?;
            if let Some(done) = self.close(&mut open, operand)? {
                return Ok(done);
            }
        }
    }

    /// Reads `name(`. The name decides nothing yet: an unknown one is reported after the syntax.
    fn function_name(&mut self) -> Option<Function> {
        self.operators += 1;
        let name = self.advance();
        self.advance();
        let function = Function::named(name);
        match function {
            None => {
                let error = ExpressionError::UnknownFunction { function: name.into() };
                self.noticed.unknown_function.get_or_insert(error);
            }
            Some(function) => {
                if (function.place() == FunctionPlace::Update) != self.in_update {
                    let error = ExpressionError::FunctionNotAllowed {
                        function: function.name(),
                        in_update: self.in_update,
                    };
                    self.noticed.misused_function.get_or_insert(error);
                }
            }
        }
        function
    }

    fn simple_operand(&mut self) -> Result<ParsedOperand, ExpressionError> {
        let operand = match self.peek() {
            TokenKind::ValuePlaceholder => Operand::Value(Arc::from(self.advance())),
            TokenKind::Name | TokenKind::NamePlaceholder => Operand::Path(self.path()?),
            _ => return Err(self.unexpected()),
        };
        Ok(ParsedOperand { id: self.push(operand), grouped: false, call: None })
    }

    /// Closes what the text closes after an operand. `None` when another operand must follow.
    fn close(
        &mut self,
        open: &mut Vec<Open>,
        mut operand: ParsedOperand,
    ) -> Result<Option<ParsedOperand>, ExpressionError> {
        while let Some(innermost) = open.pop() {
            match innermost {
                Open::Group(None) => {
                    if let Some(operator) = self.arithmetic_operator() {
                        open.push(Open::Group(Some((operand.id, operator))));
                        return Ok(None);
                    }
                    operand = self.close_group(operand)?;
                }
                Open::Group(Some((left, operator))) => {
                    let sum = Operand::Arithmetic { operator, left, right: operand.id };
                    let sum = ParsedOperand { id: self.push(sum), grouped: false, call: None };
                    operand = self.close_group(sum)?;
                }
                Open::Call { function, mut arguments } => {
                    self.notice_misused_operand(operand);
                    self.notice_list_append_of_itself(function, operand);
                    arguments.push(operand.id);
                    if self.accept(TokenKind::Comma) {
                        open.push(Open::Call { function, arguments });
                        return Ok(None);
                    }
                    self.expect(TokenKind::RightParenthesis)?;
                    operand = self.call(function, arguments);
                }
            }
        }
        Ok(Some(operand))
    }

    /// Closes the parenthesis around an operand.
    pub(super) fn close_group(&mut self, operand: ParsedOperand) -> Result<ParsedOperand, ExpressionError> {
        self.expect(TokenKind::RightParenthesis)?;
        if operand.grouped {
            return Err(ExpressionError::RedundantParentheses);
        }
        Ok(ParsedOperand { grouped: true, ..operand })
    }

    fn call(&mut self, function: Option<Function>, arguments: Vec<OperandId>) -> ParsedOperand {
        // A function without meaning is already noticed, so what stands for it here is never seen.
        let named = function.unwrap_or(Function::Size);
        let id = self.push(Operand::Call { function: named, arguments });
        ParsedOperand { id, grouped: false, call: Some(function) }
    }

    /// Goes past `+` or `-`, which updates alone have.
    pub(super) fn arithmetic_operator(&mut self) -> Option<ArithmeticOperator> {
        let operator = match self.peek() {
            TokenKind::Plus => ArithmeticOperator::Plus,
            TokenKind::Minus => ArithmeticOperator::Minus,
            _ => return None,
        };
        if !self.in_update {
            return None;
        }
        self.operator();
        Some(operator)
    }

    /// The service takes one function within another, but no list_append within list_append.
    fn notice_list_append_of_itself(&mut self, function: Option<Function>, operand: ParsedOperand) {
        let appends = Some(Function::ListAppend);
        if function == appends && operand.call == Some(appends) {
            self.notice_misused(Function::ListAppend);
        }
    }

    /// Notices a condition where an operand is due.
    pub(super) fn notice_misused_operand(&mut self, operand: ParsedOperand) {
        if let Some(Some(function)) = operand.call
            && function.place() == FunctionPlace::Condition
        {
            self.notice_misused(function);
        }
    }

    pub(super) fn notice_misused(&mut self, function: Function) {
        let error = ExpressionError::MisusedFunction { function: function.name() };
        self.noticed.misused_function.get_or_insert(error);
    }
}
