//! The parsers: tokens to a syntax tree, without recursion, and the errors that the text alone shows.
//!
//! A parser refuses the first token that no valid expression has at its place. Words and functions
//! that are wrong although the syntax is right are remembered on the way and reported afterwards,
//! in the service's order.

mod condition;
mod operand;
mod projection;
mod update;

pub(crate) use condition::parse_condition;
pub(crate) use projection::parse_projection;
pub(crate) use update::parse_update;

use std::sync::Arc;

use crate::error::ExpressionError;
use crate::lexer::{TokenKind, Tokens};
use crate::limits::{LIST_INDEX_MAX, OPERATORS_MAX};
use crate::reserved::is_reserved;
use crate::syntax::{Element, Operand, OperandId, Path};

/// A place in the tokens, the operands read so far, and what was noticed on the way.
struct Parser<'a> {
    tokens: Tokens<'a>,
    position: usize,
    in_update: bool,
    operands: Vec<Operand>,
    operators: u32,
    noticed: Noticed,
}

/// The first error of each family that does not stop the reading.
#[derive(Default)]
struct Noticed {
    unknown_function: Option<ExpressionError>,
    misused_function: Option<ExpressionError>,
    /// A reserved word or an index out of range, whichever is written first.
    path: Option<ExpressionError>,
    repeated_clause: Option<ExpressionError>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, in_update: bool) -> Result<Self, ExpressionError> {
        Ok(Parser {
            tokens: Tokens::read(text)?,
            position: 0,
            in_update,
            operands: Vec::new(),
            operators: 0,
            noticed: Noticed::default(),
        })
    }

    fn peek(&self) -> TokenKind {
        self.tokens.kind(self.position)
    }

    fn peek_second(&self) -> TokenKind {
        self.tokens.kind(self.position + 1)
    }

    /// Goes past the current token and gives its text.
    fn advance(&mut self) -> &'a str {
        let text = self.tokens.text(self.position);
        self.position += 1;
        text
    }

    /// Goes past the current token if it is of this kind.
    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.position += 1;
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Result<&'a str, ExpressionError> {
        if self.peek() == kind { Ok(self.advance()) } else { Err(self.unexpected()) }
    }

    /// The refusal of the current token.
    fn unexpected(&self) -> ExpressionError {
        self.tokens.syntax_error(self.position)
    }

    /// Goes past an operator's token and counts the operator.
    fn operator(&mut self) {
        self.operators += 1;
        self.position += 1;
    }

    fn push(&mut self, operand: Operand) -> OperandId {
        self.operands.push(operand);
        self.operands.len() - 1
    }

    fn path(&mut self) -> Result<Path, ExpressionError> {
        let mut elements = vec![self.path_name()?];
        loop {
            if self.accept(TokenKind::Dot) {
                elements.push(self.path_name()?);
            } else if self.accept(TokenKind::LeftBracket) {
                let digits = self.expect(TokenKind::Index)?;
                elements.push(Element::Index(self.index(digits)));
                self.expect(TokenKind::RightBracket)?;
            } else {
                return Ok(Path { elements });
            }
        }
    }

    fn path_name(&mut self) -> Result<Element, ExpressionError> {
        match self.peek() {
            TokenKind::Name => {
                let name = self.advance();
                if is_reserved(name) {
                    self.noticed.path.get_or_insert(ExpressionError::ReservedWord { word: name.into() });
                }
                Ok(Element::Name(Arc::from(name)))
            }
            TokenKind::NamePlaceholder => Ok(Element::Placeholder(Arc::from(self.advance()))),
            _ => Err(self.unexpected()),
        }
    }

    fn index(&mut self, digits: &str) -> u32 {
        let index = digits.parse().ok().filter(|index| *index <= LIST_INDEX_MAX);
        if index.is_none() {
            self.noticed.path.get_or_insert(ExpressionError::ListIndexOutOfRange { index: digits.into() });
        }
        index.unwrap_or(LIST_INDEX_MAX)
    }

    /// Ends the reading: the first noticed error in the service's order, else the operands.
    fn finish(self) -> Result<Vec<Operand>, ExpressionError> {
        if self.operators > OPERATORS_MAX {
            return Err(ExpressionError::TooManyOperators);
        }
        let Noticed { unknown_function, misused_function, path, repeated_clause } = self.noticed;
        let in_order = if self.in_update {
            [path, unknown_function, misused_function, repeated_clause]
        } else {
            [unknown_function, misused_function, path, repeated_clause]
        };
        in_order.into_iter().flatten().next().map_or(Ok(self.operands), Err)
    }
}
