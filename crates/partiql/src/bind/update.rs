//! Changes, to the updates of the expression languages.

use keyplan_expression::{
    ArithmeticOperator, DocumentPath, ExpressionBuilder, Function, OperandRef, ParsedUpdate, Placeholders,
    Update,
};

use super::{Binder, Result, keyword, misplaced};
use crate::error::{Misplaced, Rule, SetFunction, StatementError};
use crate::syntax::{Change, Expr, ExprId};

/// Changes whose terms are all right, and whose operands are not looked at yet.
pub(super) struct UnboundUpdate {
    parsed: ParsedUpdate,
    pub(super) operators: usize,
}

impl UnboundUpdate {
    pub(super) fn bind(&self) -> Result<Update> {
        Ok(self.parsed.bind(&Placeholders::default())?)
    }
}

impl Binder<'_> {
    pub(super) fn changes(&self, changes: &[Change]) -> Result<UnboundUpdate> {
        let mut builder = ExpressionBuilder::default();
        let mut operators = 0;
        for change in changes {
            match change {
                Change::Remove { target } => builder.remove(&self.document_path(*target)?),
                Change::Set { target, value } => {
                    let target = self.document_path(*target)?;
                    match self.expr(*value) {
                        Expr::Call { name, arguments } if set_function(name).is_some() => {
                            operators += 1;
                            self.set_change(&mut builder, &target, *value, name, arguments)?;
                        }
                        _ => {
                            let value = self.assigned(&mut builder, *value, &mut operators)?;
                            builder.set(&target, value);
                        }
                    }
                }
            }
        }
        Ok(UnboundUpdate { parsed: builder.into_update(), operators })
    }

    /// `path = set_add(path, set)`, and the same with set_delete.
    fn set_change(
        &self,
        builder: &mut ExpressionBuilder,
        target: &DocumentPath,
        call: ExprId,
        name: &str,
        arguments: &[ExprId],
    ) -> Result<()> {
        let Some(function) = set_function(name) else { return Ok(()) };
        let call = self.placed(call);
        let [first, second] = arguments else {
            return Err(misplaced(Misplaced::SetArguments(function), call));
        };
        if !self.document_path(*first).is_ok_and(|path| path == *target) {
            return Err(misplaced(Misplaced::SetTarget(function), call));
        }
        let value = match self.expr(*second) {
            Expr::Name(_) | Expr::Path { .. } | Expr::Call { .. } => None,
            _ => Some(self.value(*second)?),
        };
        let Some(value) = value.filter(|value| value.as_ref().as_ref().kind().is_set()) else {
            // The place is the first argument's.
            return Err(misplaced(Misplaced::SetValue(function), self.placed(*first)));
        };
        let value = builder.value(value);
        match function {
            SetFunction::Add => builder.add(target, value),
            SetFunction::Delete => builder.delete(target, value),
        }
        Ok(())
    }

    /// What SET assigns.
    fn assigned(
        &self,
        builder: &mut ExpressionBuilder,
        root: ExprId,
        operators: &mut usize,
    ) -> Result<OperandRef> {
        let marked = self.marked(root, |expr, mark| match expr {
            Expr::Binary { left, right, .. } => {
                mark(*left);
                mark(*right);
            }
            Expr::Call { name, arguments } if name == "list_append" => {
                arguments.iter().for_each(|id| mark(*id));
            }
            _ => {}
        });
        let mut built: Vec<Option<OperandRef>> = vec![None; root + 1];
        let operand = |built: &[Option<OperandRef>], id: ExprId| {
            built.get(id).copied().flatten().ok_or(StatementError::Rule(Rule::NoCondition))
        };
        for id in marked {
            let placed = self.placed(id);
            let made = match &placed.expr {
                Expr::Name(_) | Expr::Path { .. } => builder.path(&self.document_path(id)?),
                Expr::Binary { operator, left, right } => {
                    *operators += 1;
                    let operator = match *operator {
                        "+" => ArithmeticOperator::Plus,
                        "-" => ArithmeticOperator::Minus,
                        operator => return Err(StatementError::UpdateOperator { operator }),
                    };
                    builder.arithmetic(operator, operand(&built, *left)?, operand(&built, *right)?)
                }
                Expr::Unary { operator, .. } => return Err(StatementError::UpdateOperator { operator }),
                Expr::Call { name, arguments } if name == "list_append" => {
                    *operators += 1;
                    let arguments =
                        arguments.iter().map(|id| operand(&built, *id)).collect::<Result<Vec<_>>>()?;
                    builder.call(Function::ListAppend, &arguments)
                }
                Expr::Call { name, .. } => {
                    return Err(StatementError::UnknownFunction { name: name.clone(), at: placed.at });
                }
                Expr::Is { .. } => return Err(Rule::IsInUpdate.into()),
                Expr::In { .. } => return Err(StatementError::UpdateOperator { operator: "in" }),
                Expr::Between { .. } => return Err(StatementError::UpdateOperator { operator: "between" }),
                Expr::Like { .. } => return Err(StatementError::UpdateOperator { operator: "like" }),
                Expr::Statement(statement) => {
                    return Err(misplaced(Misplaced::Statement(keyword(statement)), placed));
                }
                Expr::Case { .. } => return Err(misplaced(Misplaced::Statement("CASE"), placed)),
                _ => {
                    let value = self.value(id)?;
                    builder.value(value)
                }
            };
            if let Some(place) = built.get_mut(id) {
                *place = Some(made);
            }
        }
        operand(&built, root)
    }
}

fn set_function(name: &str) -> Option<SetFunction> {
    match name {
        "set_add" => Some(SetFunction::Add),
        "set_delete" => Some(SetFunction::Delete),
        _ => None,
    }
}
