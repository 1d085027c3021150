//! From tokens to the syntax tree.
//!
//! As in the service, a statement is an expression: what stands where is found out by reading expressions
//! with the precedence of their operators, and what is left over at the end is an error of its own. Each
//! error is one of the service's texts.

mod expression;
mod statement;

use crate::lexer::{self, Placed as PlacedToken, Token};
use crate::limits::NESTING_LEVELS_MAX;
use crate::position::Position;
use crate::syntax::{Expr, ExprId, Placed};

/// Why a text is no statement: the service's words behind the lead, which some errors do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

pub(crate) type Result<T> = std::result::Result<T, Malformed>;

/// What a text says.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) exprs: Vec<Placed>,
    pub(crate) root: ExprId,
}

pub(crate) struct Parser {
    tokens: Vec<PlacedToken>,
    next: usize,
    exprs: Vec<Placed>,
    level: usize,
}

const END: &Token = &Token::End;
const NOWHERE: Position = Position { line: 1, column: 1, length: 0 };

/// Reads a text.
pub(crate) fn parse(text: &str) -> Result<Tree> {
    // What can't be read as tokens is told without saying what it is.
    let tokens = lexer::tokens(text).map_err(|_| Malformed(""))?;
    let mut parser = Parser { tokens, next: 0, exprs: Vec::new(), level: 0 };
    let root = parser.expression(0)?;
    if parser.take_sign(";") {
        if parser.token() != END {
            return Err(Malformed("Unexpected token after semicolon. (Only one query is allowed.)"));
        }
    } else if parser.token() != END {
        return Err(Malformed("Unexpected token after expression"));
    }
    Ok(Tree { exprs: parser.exprs, root })
}

impl Parser {
    fn token(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> &Token {
        self.tokens.get(self.next + by).map_or(END, |placed| &placed.token)
    }

    fn at(&self) -> Position {
        self.tokens.get(self.next).map_or(NOWHERE, |placed| placed.at)
    }

    fn skip(&mut self) {
        self.next += 1;
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.token(), Token::Keyword(found) if *found == keyword)
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        self.next += usize::from(found);
        found
    }

    fn expect_keyword(&mut self, keyword: &str, missing: &'static str) -> Result<()> {
        if self.take_keyword(keyword) { Ok(()) } else { Err(Malformed(missing)) }
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.token(), Token::Sign(found) if *found == sign);
        self.next += usize::from(found);
        found
    }

    fn expect_sign(&mut self, sign: &str, missing: &'static str) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(Malformed(missing)) }
    }

    fn is_operator(&self, operator: &str) -> bool {
        matches!(self.token(), Token::Operator(found) if *found == operator)
    }

    fn take_operator(&mut self, operator: &str) -> bool {
        let found = self.is_operator(operator);
        self.next += usize::from(found);
        found
    }

    fn push(&mut self, expr: Expr, at: Position) -> ExprId {
        self.exprs.push(Placed { expr, at });
        self.exprs.len() - 1
    }

    /// Goes one level deeper for what `read` reads.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.level >= NESTING_LEVELS_MAX {
            return Err(Malformed(""));
        }
        self.level += 1;
        let read = read(self);
        self.level -= 1;
        read
    }
}
