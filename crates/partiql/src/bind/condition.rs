//! Conditions, to the trees of the expression languages.

use keyplan_expression::limits::OPERATORS_MAX;
use keyplan_expression::{
    Comparator, Condition, ExpressionBuilder, ExpressionError, Function, OperandRef, ParsedCondition,
    PartRef, Placeholders,
};
use keyplan_value::{AttributeValue, Value, ValueKind};

use super::{Binder, Result, keyword, misplaced};
use crate::error::{Misplaced, Rule, StatementError};
use crate::syntax::{Expr, ExprId, Placed};

/// A condition whose terms are all right, and whose operands are not looked at yet.
pub(super) struct UnboundCondition {
    parsed: ParsedCondition,
    pub(super) operators: usize,
}

impl UnboundCondition {
    pub(super) fn bind(&self) -> Result<Condition> {
        Ok(self.parsed.bind(&Placeholders::default())?)
    }

    /// Binds it, and refuses more operators than there may be.
    pub(super) fn finish(&self) -> Result<Condition> {
        let bound = self.bind()?;
        check_operators(self.operators)?;
        Ok(bound)
    }
}

/// Refuses more operators than there may be.
pub(super) fn check_operators(operators: usize) -> Result<()> {
    if operators > OPERATORS_MAX as usize { Err(ExpressionError::TooManyOperators.into()) } else { Ok(()) }
}

/// What an expression became.
#[derive(Clone, Copy)]
enum Built {
    Operand(OperandRef),
    Part(PartRef),
}

struct Building<'a> {
    binder: Binder<'a>,
    builder: ExpressionBuilder,
    built: Vec<Option<Built>>,
    operators: usize,
}

impl Binder<'_> {
    /// The condition of a WHERE.
    pub(super) fn condition(&self, root: Option<ExprId>) -> Result<Option<UnboundCondition>> {
        let Some(root) = root else { return Ok(None) };
        let mut building = Building {
            binder: *self,
            builder: ExpressionBuilder::default(),
            built: vec![None; root + 1],
            operators: 0,
        };
        for id in self.marked(root, |expr, mark| self.mark_parts(expr, mark)) {
            let built = building.build(id)?;
            if let Some(place) = building.built.get_mut(id) {
                *place = built;
            }
        }
        if !matches!(building.built.get(root), Some(Some(Built::Part(_)))) {
            return Err(Rule::NoCondition.into());
        }
        let Building { builder, operators, .. } = building;
        Ok(Some(UnboundCondition { parsed: builder.into_condition(), operators }))
    }

    /// The expressions that are built before one. Values, paths and what IS and IN look at are built with it.
    fn mark_parts(&self, expr: &Expr, mark: &mut dyn FnMut(ExprId)) {
        match expr {
            Expr::Unary { operand, .. } => mark(*operand),
            Expr::Binary { left, right, .. } => {
                mark(*left);
                mark(*right);
            }
            Expr::Between { operand, lower, upper, .. } => {
                [operand, lower, upper].into_iter().for_each(|id| mark(*id));
            }
            Expr::In { operand, list, .. } => {
                mark(*operand);
                match self.expr(*list) {
                    Expr::List(elements) => elements.iter().for_each(|id| mark(*id)),
                    _ => mark(*list),
                }
            }
            Expr::Call { name, arguments } if function(name).is_some() => {
                arguments.iter().for_each(|id| mark(*id));
            }
            _ => {}
        }
    }
}

fn function(name: &str) -> Option<Function> {
    use Function::*;
    [AttributeExists, AttributeNotExists, AttributeType, BeginsWith, Contains, Size]
        .into_iter()
        .find(|function| function.name() == name)
}

fn comparator(operator: &str) -> Option<Comparator> {
    Some(match operator {
        "=" => Comparator::Equal,
        "<>" | "!=" => Comparator::NotEqual,
        "<" => Comparator::Less,
        "<=" => Comparator::LessOrEqual,
        ">" => Comparator::Greater,
        ">=" => Comparator::GreaterOrEqual,
        _ => return None,
    })
}

impl Building<'_> {
    fn build(&mut self, id: ExprId) -> Result<Option<Built>> {
        let placed = self.binder.placed(id);
        let unknown = |name: &str| StatementError::UnknownFunction { name: name.to_owned(), at: placed.at };
        Ok(Some(match &placed.expr {
            Expr::Name(_) | Expr::Path { .. } => {
                let path = self.binder.document_path(id)?;
                Built::Operand(self.builder.path(&path))
            }
            Expr::Unary { operator: "not", operand } => {
                let part = self.part(*operand, Rule::NoConditionBehindNot)?;
                self.operators += 1;
                Built::Part(self.builder.not(part))
            }
            Expr::Unary { operator, .. } => return Err(StatementError::ConditionOperator { operator }),
            Expr::Binary { operator, left, right } => {
                self.operators += 1;
                Built::Part(self.binary(operator, *left, *right)?)
            }
            Expr::Between { operand, lower, upper, negated } => {
                let [operand, lower, upper] =
                    [self.operand(*operand), self.operand(*lower), self.operand(*upper)];
                let part = self.builder.between(operand?, lower?, upper?);
                Built::Part(self.negated(part, *negated))
            }
            Expr::In { operand, list, negated } => {
                let operand = self.operand(*operand)?;
                let list = match self.binder.expr(*list) {
                    Expr::List(elements) => {
                        elements.iter().map(|id| self.operand(*id)).collect::<Result<Vec<_>>>()?
                    }
                    _ => vec![self.operand(*list)?],
                };
                let part = self.builder.is_in(operand, &list);
                Built::Part(self.negated(part, *negated))
            }
            Expr::Like { .. } => return Err(StatementError::ConditionOperator { operator: "LIKE" }),
            Expr::Is { operand, type_name, type_at, negated } => {
                let name = type_name.to_ascii_uppercase();
                let Some(tested) = IsType::named(&name) else {
                    return Err(StatementError::IsType { name, at: *type_at });
                };
                let part = self.is(*operand, tested)?;
                Built::Part(self.negated(part, *negated))
            }
            Expr::Call { name, arguments } => {
                let function = function(name).ok_or_else(|| unknown(name))?;
                let arguments = arguments.iter().map(|id| self.operand(*id)).collect::<Result<Vec<_>>>()?;
                self.operators += 1;
                match function {
                    Function::Size => Built::Operand(self.builder.call(function, &arguments)),
                    function => Built::Part(self.builder.test(function, &arguments)),
                }
            }
            Expr::Statement(statement) => {
                return Err(misplaced(Misplaced::Statement(keyword(statement)), placed));
            }
            Expr::Case { .. } => return Err(misplaced(Misplaced::Statement("CASE"), placed)),
            _ => {
                let value = self.binder.value(id)?;
                Built::Operand(self.builder.value(value))
            }
        }))
    }

    fn binary(&mut self, operator: &'static str, left: ExprId, right: ExprId) -> Result<PartRef> {
        if let "and" | "or" = operator {
            let left = self.part(left, Rule::NoConditionBesideAnd)?;
            let right = self.part(right, Rule::NoConditionBesideAnd)?;
            return Ok(if operator == "and" {
                self.builder.and(left, right)
            } else {
                self.builder.or(left, right)
            });
        }
        let comparator = comparator(operator).ok_or(StatementError::ConditionOperator { operator })?;
        let (left, right) = (self.operand(left)?, self.operand(right)?);
        Ok(self.builder.compare(comparator, left, right))
    }

    /// Counts an operator, and turns it around if NOT is part of it.
    fn negated(&mut self, part: PartRef, negated: bool) -> PartRef {
        self.operators += 1 + usize::from(negated);
        if negated { self.builder.not(part) } else { part }
    }

    fn is(&mut self, operand: ExprId, tested: IsType) -> Result<PartRef> {
        let placed = self.binder.placed(operand);
        let Placed { expr, .. } = placed;
        if matches!(expr, Expr::Name(_) | Expr::Path { .. }) {
            let path = self.binder.document_path(operand)?;
            let path = self.builder.path(&path);
            return Ok(match tested {
                IsType::Missing => self.builder.test(Function::AttributeNotExists, &[path]),
                IsType::Kind(kind) => {
                    let code = self.constant(&AttributeValue::from(kind.code()))?;
                    self.builder.test(Function::AttributeType, &[path, code])
                }
            });
        }
        let found = match expr {
            Expr::Missing => IsType::Missing,
            Expr::Statement(_) | Expr::Call { .. } | Expr::Binary { .. } | Expr::Unary { .. } => {
                return Err(Rule::IsOperand.into());
            }
            _ => IsType::Kind(self.binder.value(operand)?.as_ref().as_ref().kind()),
        };
        let truth = self.constant(&AttributeValue::Bool(true))?;
        let found = self.constant(&AttributeValue::Bool(found == tested))?;
        Ok(self.builder.compare(Comparator::Equal, truth, found))
    }

    fn constant(&mut self, value: &AttributeValue) -> Result<OperandRef> {
        let value = Value::try_from(value).map_err(|_| StatementError::Rule(Rule::NoCondition))?;
        Ok(self.builder.value(value.into()))
    }

    fn part(&self, id: ExprId, otherwise: Rule) -> Result<PartRef> {
        match self.built.get(id) {
            Some(Some(Built::Part(part))) => Ok(*part),
            _ => Err(otherwise.into()),
        }
    }

    fn operand(&mut self, id: ExprId) -> Result<OperandRef> {
        match self.built.get(id) {
            Some(Some(Built::Operand(operand))) => Ok(*operand),
            Some(Some(Built::Part(part))) => {
                let part = *part;
                Ok(self.builder.truth(part))
            }
            _ => Err(Rule::NoCondition.into()),
        }
    }
}

/// What IS can ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsType {
    Missing,
    Kind(ValueKind),
}

impl IsType {
    fn named(name: &str) -> Option<IsType> {
        Some(IsType::Kind(match name {
            "MISSING" => return Some(IsType::Missing),
            "NULL" => ValueKind::Null,
            "BOOLEAN" | "BOOL" => ValueKind::Bool,
            "BLOB" => ValueKind::B,
            "STRING" => ValueKind::S,
            "NUMERIC" => ValueKind::N,
            "STRUCT" | "TUPLE" => ValueKind::M,
            "LIST" => ValueKind::L,
            _ => return None,
        }))
    }
}
