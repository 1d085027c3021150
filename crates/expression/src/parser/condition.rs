//! Conditions, filters and key conditions: NOT binds tighter than AND, and AND tighter than OR.

use super::Parser;
use super::operand::ParsedOperand;
use crate::error::ExpressionError;
use crate::lexer::TokenKind;
use crate::syntax::{
    Comparator, ConditionId, ConditionNode, ConditionTree, Function, FunctionPlace, Operand,
};

/// Reads a condition.
pub(crate) fn parse_condition(text: &str) -> Result<ConditionTree, ExpressionError> {
    let mut conditions =
        Conditions { parser: Parser::new(text, false)?, nodes: Vec::new(), open: Vec::new() };
    conditions.read()?;
    Ok(ConditionTree { operands: conditions.parser.finish()?, nodes: conditions.nodes })
}

/// What waits for a condition to end, innermost last.
enum Open {
    Group,
    Not,
    And(ConditionId),
    Or(ConditionId),
}

/// How tightly the operator binds that a finished condition meets.
#[derive(PartialEq, PartialOrd)]
enum Binding {
    Nothing,
    Or,
    And,
    Not,
}

impl Open {
    fn binding(&self) -> Binding {
        match self {
            Open::Group => Binding::Nothing,
            Open::Or(_) => Binding::Or,
            Open::And(_) => Binding::And,
            Open::Not => Binding::Not,
        }
    }
}

/// A condition just read.
struct ParsedCondition {
    id: ConditionId,
    /// Whether parentheses stand directly around it.
    grouped: bool,
}

struct Conditions<'a> {
    parser: Parser<'a>,
    nodes: Vec<ConditionNode>,
    open: Vec<Open>,
}

impl Conditions<'_> {
    /// Reads the whole text. The root is the last node.
    fn read(&mut self) -> Result<(), ExpressionError> {
        loop {
            self.open_groups();
            let operand = self.parser.operand()?;
            let condition = self.condition_from(operand)?;
            if !self.continues(condition)? {
                return Ok(());
            }
        }
    }

    /// Goes past every NOT and parenthesis in front of a condition.
    fn open_groups(&mut self) {
        loop {
            match self.parser.peek() {
                TokenKind::Not => {
                    self.parser.operator();
                    self.open.push(Open::Not);
                }
                TokenKind::LeftParenthesis => {
                    self.parser.advance();
                    self.open.push(Open::Group);
                }
                _ => return,
            }
        }
    }

    /// Reads on from a first operand to the end of its condition.
    fn condition_from(&mut self, mut operand: ParsedOperand) -> Result<ParsedCondition, ExpressionError> {
        loop {
            if let Some(node) = self.comparison_from(operand)? {
                return Ok(self.push(node, false));
            }
            // The parentheses of `(a) = :v` surround an operand, those of `(size(a)) = :v` too, and
            // those of `(contains(a, :v))` a condition: only what follows tells.
            if self.parser.peek() == TokenKind::RightParenthesis
                && matches!(self.open.last(), Some(Open::Group))
            {
                operand = self.parser.close_group(operand)?;
                self.open.pop();
                continue;
            }
            let Some(function) = operand.call else { return Err(self.parser.unexpected()) };
            return Ok(self.function_condition(operand, function));
        }
    }

    fn comparison_from(&mut self, first: ParsedOperand) -> Result<Option<ConditionNode>, ExpressionError> {
        let comparator = match self.parser.peek() {
            TokenKind::Equal => Comparator::Equal,
            TokenKind::NotEqual => Comparator::NotEqual,
            TokenKind::Less => Comparator::Less,
            TokenKind::LessOrEqual => Comparator::LessOrEqual,
            TokenKind::Greater => Comparator::Greater,
            TokenKind::GreaterOrEqual => Comparator::GreaterOrEqual,
            TokenKind::Between => {
                self.parser.operator();
                self.parser.notice_misused_operand(first);
                let lower = self.operand()?;
                self.parser.expect(TokenKind::And)?;
                let upper = self.operand()?;
                return Ok(Some(ConditionNode::Between { operand: first.id, lower, upper }));
            }
            TokenKind::In => {
                self.parser.operator();
                self.parser.notice_misused_operand(first);
                self.parser.expect(TokenKind::LeftParenthesis)?;
                let mut list = vec![self.operand()?];
                while self.parser.accept(TokenKind::Comma) {
                    list.push(self.operand()?);
                }
                self.parser.expect(TokenKind::RightParenthesis)?;
                return Ok(Some(ConditionNode::In { operand: first.id, list }));
            }
            _ => return Ok(None),
        };
        self.parser.operator();
        self.parser.notice_misused_operand(first);
        let right = self.operand()?;
        Ok(Some(ConditionNode::Compare { comparator, left: first.id, right }))
    }

    fn operand(&mut self) -> Result<usize, ExpressionError> {
        let operand = self.parser.operand()?;
        self.parser.notice_misused_operand(operand);
        Ok(operand.id)
    }

    fn function_condition(&mut self, operand: ParsedOperand, function: Option<Function>) -> ParsedCondition {
        if let Some(function) = function
            && function.place() == FunctionPlace::Operand
        {
            self.parser.notice_misused(function);
        }
        let arguments = match self.parser.operands.pop() {
            Some(Operand::Call { arguments, .. }) => arguments,
            // A call is the last operand read, so nothing else is met here.
            _ => Vec::new(),
        };
        let function = function.unwrap_or(Function::AttributeExists);
        self.push(ConditionNode::Call { function, arguments }, operand.grouped)
    }

    /// Closes what the text closes after a condition. `false` at the end of the text.
    fn continues(&mut self, mut condition: ParsedCondition) -> Result<bool, ExpressionError> {
        loop {
            match self.parser.peek() {
                TokenKind::And => {
                    condition = self.close_operators(condition, Binding::And);
                    self.open.push(Open::And(condition.id));
                }
                TokenKind::Or => {
                    condition = self.close_operators(condition, Binding::Or);
                    self.open.push(Open::Or(condition.id));
                }
                TokenKind::RightParenthesis => {
                    condition = self.close_operators(condition, Binding::Or);
                    if self.open.pop().is_none() {
                        return Err(self.parser.unexpected());
                    }
                    if condition.grouped {
                        return Err(ExpressionError::RedundantParentheses);
                    }
                    self.parser.advance();
                    condition.grouped = true;
                    continue;
                }
                TokenKind::End => {
                    self.close_operators(condition, Binding::Or);
                    let closed = self.open.is_empty();
                    return if closed { Ok(false) } else { Err(self.parser.unexpected()) };
                }
                _ => return Err(self.parser.unexpected()),
            }
            self.parser.operator();
            return Ok(true);
        }
    }

    /// Ends every operator that binds at least as tightly as the one met.
    fn close_operators(&mut self, mut condition: ParsedCondition, met: Binding) -> ParsedCondition {
        while let Some(open) = self.open.pop_if(|open| open.binding() >= met) {
            let node = match open {
                Open::Not => ConditionNode::Not(condition.id),
                Open::And(left) => ConditionNode::And(left, condition.id),
                Open::Or(left) => ConditionNode::Or(left, condition.id),
                Open::Group => break,
            };
            condition = self.push(node, false);
        }
        condition
    }

    fn push(&mut self, node: ConditionNode, grouped: bool) -> ParsedCondition {
        self.nodes.push(node);
        ParsedCondition { id: self.nodes.len() - 1, grouped }
    }
}
