//! Document paths.

use std::fmt::Write;

use keyplan_expression::{DocumentPath, PathElement};

use super::{Binder, Result};
use crate::error::{Rule, StatementError};
use crate::syntax::{Expr, ExprId, Step};

impl Binder<'_> {
    /// The document path that an expression is.
    pub(super) fn document_path(&self, id: ExprId) -> Result<DocumentPath> {
        let placed = self.placed(id);
        let unexpected = StatementError::PathComponent(placed.at);
        match &placed.expr {
            Expr::Name(name) => Ok(DocumentPath::new(checked(name)?.into(), [])),
            Expr::Path { root, steps } => {
                let Expr::Name(name) = self.expr(*root) else { return Err(unexpected) };
                let steps = steps.iter().map(|step| self.step(step)).collect::<Result<Vec<_>>>()?;
                Ok(DocumentPath::new(checked(name)?.into(), steps))
            }
            _ => Err(unexpected),
        }
    }

    fn step(&self, step: &Step) -> Result<PathElement> {
        let id = match step {
            Step::Name(name) => return Ok(PathElement::Name(checked(name)?.into())),
            Step::Unpivot => return Err(Rule::Unpivot.into()),
            Step::Wildcard => return Err(Rule::Wildcard.into()),
            Step::Index(id) => *id,
        };
        let placed = self.placed(id);
        match &placed.expr {
            Expr::String(name) => Ok(PathElement::Name(checked(name)?.into())),
            Expr::Number(text) if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                // `-0` is 0.
                match text.parse::<i64>().ok().and_then(|index| i32::try_from(index).ok()) {
                    Some(index @ 0..) => Ok(PathElement::Index(index.unsigned_abs())),
                    _ => Err(StatementError::ListIndex { index: text.clone(), at: placed.at }),
                }
            }
            _ => Err(StatementError::PathComponent(placed.at)),
        }
    }
}

/// A name that isn't empty.
pub(super) fn checked(name: &str) -> Result<&str> {
    if name.is_empty() { Err(Rule::EmptyName.into()) } else { Ok(name) }
}

/// The name that a path has in an answer: its last name, and the indexes behind that.
pub(super) fn column_name(path: &DocumentPath) -> String {
    let mut name = String::from(&**path.attribute());
    for element in path.inner() {
        match element {
            PathElement::Name(last) => {
                name.clear();
                name.push_str(last);
            }
            PathElement::Index(index) => {
                let _infallible = write!(name, "[{index}]");
            }
        }
    }
    name
}
