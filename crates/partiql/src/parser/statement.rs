//! Statements, which are expressions too.

use super::{END, Malformed, Parser, Result};
use crate::lexer::Token;
use crate::syntax::{
    Change, Columns, Delete, Expr, ExprId, From, Insert, Order, Returning, Select, Statement, Update,
};

const NO_WORK: &str = "Expected data manipulation";

impl Parser {
    /// The statement that a keyword begins.
    pub(super) fn statement(&mut self, keyword: &str) -> Result<ExprId> {
        let at = self.at();
        self.skip();
        let statement = self.nested(|parser| match keyword {
            "select" => parser.select().map(Statement::Select),
            "insert" => parser.insert().map(Statement::Insert),
            "update" => parser.update().map(Statement::Update),
            "delete" => parser.delete().map(Statement::Delete),
            _ => parser.update_from_first().map(Statement::Update),
        })?;
        Ok(self.push(Expr::Statement(Box::new(statement)), at))
    }

    fn select(&mut self) -> Result<Select> {
        let mut unsupported = None;
        let at = self.at();
        if self.take_keyword("distinct") {
            unsupported = Some(("DISTINCT", at));
        } else {
            self.take_keyword("all");
        }
        let columns = self.columns()?;
        self.expect_keyword("from", "Expected FROM")?;
        let from = self.select_from()?;
        let mut select = Select { columns, from, condition: None, order: Vec::new(), unsupported };
        if self.take_keyword("where") {
            select.condition = Some(self.expression(0)?);
        }
        let mut refuse = |clause, at| _ = select.unsupported.get_or_insert((clause, at));
        let at = self.at();
        if self.take_keyword("group") {
            self.expect_keyword("by", "Expected BY")?;
            self.separated(Parser::aliased_expression)?;
            refuse("GROUP BY", at);
        }
        let at = self.at();
        if self.take_keyword("having") {
            self.expression(0)?;
            refuse("HAVING", at);
        }
        if self.take_keyword("order") {
            self.expect_keyword("by", "Expected BY")?;
            select.order = self.separated(Parser::order)?;
        }
        for (keyword, clause) in [("limit", "LIMIT"), ("offset", "OFFSET")] {
            let at = self.at();
            if self.take_keyword(keyword) {
                self.expression(0)?;
                let _ = select.unsupported.get_or_insert((clause, at));
            }
        }
        Ok(select)
    }

    fn columns(&mut self) -> Result<Columns> {
        if self.take_keyword("value") || self.take_keyword("pivot") {
            self.expression(0)?;
            return Ok(Columns::Value);
        }
        let mut stars = 0;
        let mut columns = Vec::new();
        loop {
            if self.take_operator("*") {
                stars += 1;
            } else if self.is_keyword("from") {
                return Err(Malformed(
                    "Expected identifier or an expression but found unexpected keyword 'from' in a select list.",
                ));
            } else {
                columns.push(self.aliased_expression()?);
            }
            if !self.take_sign(",") {
                break;
            }
        }
        Ok(match stars {
            0 => Columns::Some(columns),
            1 if columns.is_empty() => Columns::All,
            _ => Columns::AllAndOthers,
        })
    }

    /// An expression, and whether it has a name of its own.
    fn aliased_expression(&mut self) -> Result<(ExprId, bool)> {
        let expression = self.expression(0)?;
        Ok((expression, self.alias()?))
    }

    fn alias(&mut self) -> Result<bool> {
        let is_name = |token: &Token| matches!(token, Token::Word(_) | Token::Quoted(_));
        let is_as = self.take_keyword("as");
        if is_name(self.token()) {
            self.skip();
            return Ok(true);
        }
        if is_as { Err(Malformed("Expected identifier for alias")) } else { Ok(false) }
    }

    fn separated<T>(&mut self, read: fn(&mut Parser) -> Result<T>) -> Result<Vec<T>> {
        let mut list = vec![read(self)?];
        while self.take_sign(",") {
            list.push(read(self)?);
        }
        Ok(list)
    }

    fn order(&mut self) -> Result<Order> {
        let key = self.expression(0)?;
        let descending = self.take_keyword("desc");
        if !descending {
            self.take_keyword("asc");
        }
        if self.take_keyword("nulls") && !self.take_keyword("first") && !self.take_keyword("last") {
            return Err(Malformed("Expected FIRST OR LAST after NULLS"));
        }
        Ok(Order { key, descending })
    }

    /// The sources of a SELECT; joins are read, to be refused.
    fn select_from(&mut self) -> Result<From> {
        let source = self.expression(0)?;
        let mut from = From { source, aliased: self.source_alias()?, several: false };
        loop {
            let joins = ["join", "inner", "left", "right", "full", "cross", "outer"];
            if self.take_sign(",") {
            } else if joins.iter().any(|keyword| self.is_keyword(keyword)) {
                while joins.iter().any(|keyword| self.take_keyword(keyword)) {}
            } else {
                return Ok(from);
            }
            self.expression(0)?;
            self.source_alias()?;
            if self.take_keyword("on") {
                self.expression(0)?;
            }
            from.several = true;
        }
    }

    fn source_alias(&mut self) -> Result<bool> {
        let mut aliased = self.alias()?;
        for keyword in ["at", "by"] {
            if self.take_keyword(keyword) {
                aliased = true;
                self.skip();
            }
        }
        Ok(aliased)
    }

    fn insert(&mut self) -> Result<Insert> {
        self.expect_keyword("into", "Expected INTO")?;
        let target = self.simple_path()?;
        let several = !self.take_keyword("value");
        let value = self.expression(0)?;
        let returning = self.returning()?.is_some();
        Ok(Insert { target, value, several, returning })
    }

    fn target(&mut self) -> Result<From> {
        Ok(From { source: self.simple_path()?, aliased: self.source_alias()?, several: false })
    }

    fn update(&mut self) -> Result<Update> {
        let from = self.target()?;
        let changes = self.changes()?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        Ok(Update { from, changes, condition, returning })
    }

    fn update_from_first(&mut self) -> Result<Update> {
        let from = self.target()?;
        let condition = self.condition()?;
        let changes = self.changes()?;
        let returning = self.returning()?;
        Ok(Update { from, changes, condition, returning })
    }

    fn delete(&mut self) -> Result<Delete> {
        self.expect_keyword("from", "Expected FROM after DELETE")?;
        let from = self.target()?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        Ok(Delete { from, condition, returning })
    }

    fn condition(&mut self) -> Result<Option<ExprId>> {
        if self.take_keyword("where") { self.expression(0).map(Some) } else { Ok(None) }
    }

    fn changes(&mut self) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        loop {
            if self.take_keyword("set") {
                changes.extend(self.separated(|parser| {
                    let target = parser.simple_path()?;
                    if !parser.take_operator("=") {
                        return Err(Malformed("Expected '=' for assignment"));
                    }
                    if parser.token() == END {
                        return Err(Malformed("Unexpected term"));
                    }
                    Ok(Change::Set { target, value: parser.expression(0)? })
                })?);
            } else if self.take_keyword("remove") {
                changes.push(Change::Remove { target: self.simple_path()? });
            } else if changes.is_empty() {
                return Err(Malformed(NO_WORK));
            } else {
                return Ok(changes);
            }
        }
    }

    fn returning(&mut self) -> Result<Option<Returning>> {
        if !self.take_keyword("returning") {
            return Ok(None);
        }
        const ELEMENT: Malformed =
            Malformed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in a returning element.");
        let all = match self.token() {
            Token::Keyword("all") => true,
            Token::Keyword("modified") => false,
            _ => return Err(ELEMENT),
        };
        self.skip();
        let new = match self.token() {
            Token::Keyword("new") => true,
            Token::Keyword("old") => false,
            _ => return Err(ELEMENT),
        };
        self.skip();
        if !self.take_operator("*") {
            return Err(Malformed("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"));
        }
        if matches!(self.token(), Token::Sign(",")) {
            return Err(Malformed("Invalid syntax with multiple returning elements in RETURNING clause"));
        }
        Ok(Some(match (all, new) {
            (true, true) => Returning::AllNew,
            (true, false) => Returning::AllOld,
            (false, true) => Returning::ModifiedNew,
            (false, false) => Returning::ModifiedOld,
        }))
    }
}
