//! Expressions, by the precedence of their operators.

use super::{END, Malformed, Parser, Result};
use crate::keywords::is_type;
use crate::lexer::Token;
use crate::syntax::{Expr, ExprId, Step};

const MISSING_RIGHT: &str = "Missing right-hand side expression of infix operator";
const UNEXPECTED_TERM: &str = "Unexpected term";

/// How tightly an operator binds; those that bind most come first.
fn precedence(operator: &str) -> u8 {
    match operator {
        "*" | "/" | "%" => 10,
        "+" | "-" | "||" => 9,
        "<" | "<=" | ">" | ">=" | "between" | "like" => 8,
        "=" | "<>" | "!=" | "is" | "in" => 7,
        "and" => 5,
        "or" => 4,
        "intersect" | "except" | "union" => 3,
        _ => 0,
    }
}

/// NOT binds less than what it negates and more than AND.
const NOT: u8 = 6;

impl Parser {
    /// An expression up to an operator that binds no more than `above`.
    pub(super) fn expression(&mut self, above: u8) -> Result<ExprId> {
        self.nested(|parser| {
            let mut left = parser.unary()?;
            while let Some((operator, negated)) = parser.infix() {
                if precedence(operator) <= above {
                    break;
                }
                left = parser.binary(operator, negated, left)?;
            }
            Ok(left)
        })
    }

    /// The operator that is next, and whether NOT stands before it.
    fn infix(&self) -> Option<(&'static str, bool)> {
        match (self.token(), self.ahead(1)) {
            (Token::Operator("not"), Token::Operator(operator @ ("in" | "between" | "like"))) => {
                Some((operator, true))
            }
            (Token::Operator("not" | "@"), _) => None,
            (Token::Operator(operator), _) => Some((operator, false)),
            _ => None,
        }
    }

    fn binary(&mut self, operator: &'static str, mut negated: bool, left: ExprId) -> Result<ExprId> {
        if negated {
            self.skip();
        }
        let at = self.at();
        self.skip();
        if operator == "is" && self.take_operator("not") {
            negated = true;
        }
        if self.token() == END {
            return Err(Malformed(if operator == "is" { "Expected type name" } else { MISSING_RIGHT }));
        }
        let expr = match operator {
            "is" => {
                let type_at = self.at();
                let type_name = self.type_name()?;
                Expr::Is { operand: left, type_name, type_at, negated }
            }
            "in" => Expr::In { operand: left, list: self.in_list()?, negated },
            "between" => {
                let lower = self.expression(precedence(operator))?;
                if !self.take_operator("and") {
                    return Err(Malformed("Expected AND keyword"));
                }
                if self.token() == END {
                    return Err(Malformed("Expected expression after AND"));
                }
                let upper = self.expression(precedence(operator))?;
                Expr::Between { operand: left, lower, upper, negated }
            }
            "like" => {
                self.expression(precedence(operator))?;
                if self.take_keyword("escape") {
                    self.expression(precedence(operator))?;
                }
                Expr::Like { negated }
            }
            operator => Expr::Binary { operator, left, right: self.expression(precedence(operator))? },
        };
        Ok(self.push(expr, at))
    }

    /// What IN looks in. In parentheses even one expression is a list.
    fn in_list(&mut self) -> Result<ExprId> {
        let at = self.at();
        let selects = matches!(self.ahead(1), Token::Keyword("select"));
        if selects || !self.take_sign("(") {
            return self.expression(precedence("in"));
        }
        let list = self.list_until(")", "Expected RIGHT_PAREN")?;
        Ok(self.push(Expr::List(list), at))
    }

    fn type_name(&mut self) -> Result<String> {
        let Token::Keyword(first) = *self.token() else { return Err(Malformed("Expected type name")) };
        if !is_type(first) {
            return Err(Malformed("Expected type name"));
        }
        self.skip();
        let mut name = first.to_owned();
        for (word, second) in [("double", "precision"), ("character", "varying")] {
            if first == word && self.take_keyword(second) {
                name.push('_');
                name.push_str(second);
            }
        }
        // A type's parameters say nothing here.
        if self.take_sign("(") {
            while matches!(self.token(), Token::Number(_)) || matches!(self.token(), Token::Sign(",")) {
                self.skip();
            }
            self.expect_sign(")", "Expected RIGHT_PAREN")?;
        }
        Ok(name)
    }

    /// An operand with what stands before it. NOTs and signs are counted rather than entered.
    fn unary(&mut self) -> Result<ExprId> {
        let mut before = Vec::new();
        while let Token::Operator(operator @ ("+" | "-")) = *self.token() {
            before.push((operator, self.at()));
            self.skip();
        }
        if before.is_empty() && self.is_operator("not") {
            while self.is_operator("not") {
                before.push(("not", self.at()));
                self.skip();
            }
            let mut operand = self.expression(NOT)?;
            for (operator, at) in before.into_iter().rev() {
                operand = self.push(Expr::Unary { operator, operand }, at);
            }
            return Ok(operand);
        }
        let mut operand = self.path_term()?;
        for (operator, at) in before.into_iter().rev() {
            // A sign before a number is part of it.
            operand = match self.exprs.last_mut().map(|placed| &mut placed.expr) {
                Some(Expr::Number(text)) => {
                    if operator == "-" {
                        match text.strip_prefix('-') {
                            Some(positive) => *text = positive.to_owned(),
                            None => text.insert(0, '-'),
                        }
                    }
                    operand
                }
                _ => self.push(Expr::Unary { operator, operand }, at),
            };
        }
        Ok(operand)
    }

    /// A term and the way that leads from it.
    pub(super) fn path_term(&mut self) -> Result<ExprId> {
        let at = self.at();
        let root = self.term()?;
        let steps = self.steps()?;
        if steps.is_empty() {
            return Ok(root);
        }
        Ok(self.push(Expr::Path { root, steps }, at))
    }

    /// A path that begins with a name.
    pub(super) fn simple_path(&mut self) -> Result<ExprId> {
        match self.token() {
            Token::Word(_) | Token::Quoted(_) => self.path_term(),
            _ => Err(Malformed("Expected identifier for simple path")),
        }
    }

    fn steps(&mut self) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            if self.take_sign(".") {
                let step = match self.token() {
                    Token::Word(name) | Token::Quoted(name) => Step::Name(name.clone()),
                    Token::Operator("*") => Step::Unpivot,
                    _ => return Err(Malformed("Invalid path dot component")),
                };
                steps.push(step);
                self.skip();
            } else if self.take_sign("[") {
                if self.take_operator("*") {
                    steps.push(Step::Wildcard);
                } else {
                    steps.push(Step::Index(self.expression(0)?));
                }
                self.expect_sign("]", "Expected RIGHT_BRACKET")?;
            } else {
                return Ok(steps);
            }
        }
    }

    fn term(&mut self) -> Result<ExprId> {
        let at = self.at();
        let token = self.token().clone();
        let expr = match token {
            Token::Word(name) if matches!(self.ahead(1), Token::Sign("(")) => {
                self.skip();
                return self.call(name.to_ascii_lowercase(), at);
            }
            Token::Word(name) | Token::Quoted(name) => Expr::Name(name),
            Token::String(text) => Expr::String(text),
            Token::Number(text) => Expr::Number(text),
            Token::Ion(text) => Expr::Ion(ion_kind(&text)),
            Token::Parameter(index) => Expr::Parameter(index),
            Token::Keyword(keyword) => return self.keyword_term(keyword),
            Token::Sign(sign) => return self.bracketed(sign),
            Token::Operator(_) => return Err(Malformed("Unexpected operator")),
            Token::End => return Err(Malformed(UNEXPECTED_TERM)),
        };
        self.skip();
        Ok(self.push(expr, at))
    }

    fn keyword_term(&mut self, keyword: &'static str) -> Result<ExprId> {
        let at = self.at();
        let expr = match keyword {
            "true" => Expr::Bool(true),
            "false" => Expr::Bool(false),
            "null" => Expr::Null,
            "missing" => Expr::Missing,
            "select" | "insert" | "update" | "delete" | "from" => return self.statement(keyword),
            "case" => return self.case(),
            keyword if matches!(self.ahead(1), Token::Sign("(")) => {
                self.skip();
                return self.call(keyword.to_owned(), at);
            }
            _ => return Err(Malformed("Unexpected keyword")),
        };
        self.skip();
        Ok(self.push(expr, at))
    }

    fn call(&mut self, name: String, at: crate::position::Position) -> Result<ExprId> {
        self.expect_sign("(", UNEXPECTED_TERM)?;
        if name == "count" && self.take_operator("*") {
            self.expect_sign(")", "Expected RIGHT_PAREN")?;
            return Ok(self.push(Expr::Call { name, arguments: Vec::new() }, at));
        }
        let arguments = self.list_until(")", "Expected RIGHT_PAREN")?;
        Ok(self.push(Expr::Call { name, arguments }, at))
    }

    /// What an opening bracket begins.
    fn bracketed(&mut self, sign: &'static str) -> Result<ExprId> {
        let at = self.at();
        if !matches!(sign, "(" | "[" | "<<" | "{") {
            return Err(Malformed(UNEXPECTED_TERM));
        }
        self.skip();
        let expr = match sign {
            "(" => {
                let mut list = self.list_until(")", "Expected RIGHT_PAREN")?;
                match (list.pop(), list.is_empty()) {
                    // One expression in parentheses is that expression.
                    (Some(only), true) => return Ok(only),
                    (Some(last), false) => {
                        list.push(last);
                        Expr::List(list)
                    }
                    (None, _) => return Err(Malformed(UNEXPECTED_TERM)),
                }
            }
            "[" => Expr::List(self.list_until("]", "Expected RIGHT_BRACKET")?),
            "<<" => Expr::Bag(self.list_until(">>", "Expected RIGHT_DOUBLE_ANGLE_BRACKET")?),
            _ => Expr::Struct(self.members()?),
        };
        Ok(self.push(expr, at))
    }

    /// Expressions with commas between them, up to a closing bracket.
    fn list_until(&mut self, close: &str, missing: &'static str) -> Result<Vec<ExprId>> {
        let mut list = Vec::new();
        if self.take_sign(close) {
            return Ok(list);
        }
        loop {
            list.push(self.expression(0)?);
            if !self.take_sign(",") {
                break;
            }
        }
        self.expect_sign(close, missing)?;
        Ok(list)
    }

    fn members(&mut self) -> Result<Vec<(ExprId, ExprId)>> {
        let mut members = Vec::new();
        if self.take_sign("}") {
            return Ok(members);
        }
        loop {
            let name = self.expression(0)?;
            self.expect_sign(":", "Expected COLON")?;
            members.push((name, self.expression(0)?));
            if !self.take_sign(",") {
                break;
            }
        }
        self.expect_sign("}", "Expected RIGHT_CURLY")?;
        Ok(members)
    }

    fn case(&mut self) -> Result<ExprId> {
        let at = self.at();
        self.skip();
        let simple = !self.is_keyword("when");
        if simple {
            self.expression(0)?;
        }
        if !self.is_keyword("when") {
            return Err(Malformed("Expected a WHEN clause in CASE"));
        }
        while self.take_keyword("when") {
            self.expression(0)?;
            self.expect_keyword("then", "Expected THEN keyword")?;
            self.expression(0)?;
        }
        if self.take_keyword("else") {
            self.expression(0)?;
        }
        self.expect_keyword("end", "Expected END keyword")?;
        Ok(self.push(Expr::Case { simple }, at))
    }
}

/// The kind of value that a text of Ion is, as far as its beginning tells.
fn ion_kind(text: &str) -> &'static str {
    let text = text.trim();
    match text.as_bytes().first() {
        None => "DATAGRAM",
        Some(b'"') => "STRING",
        Some(b'{') if text.starts_with("{{\"") => "CLOB",
        Some(b'{') if text.starts_with("{{") => "BLOB",
        Some(b'{') => "STRUCT",
        Some(b'[') => "LIST",
        Some(b'(') => "SEXP",
        _ if text == "true" || text == "false" => "BOOL",
        _ if text.starts_with("null") => "NULL",
        Some(b'0'..=b'9' | b'-' | b'+') => {
            if text.contains('T') {
                "TIMESTAMP"
            } else if text.contains(['e', 'E']) {
                "FLOAT"
            } else if text.contains(['.', 'd', 'D']) {
                "DECIMAL"
            } else {
                "INT"
            }
        }
        _ => "SYMBOL",
    }
}
