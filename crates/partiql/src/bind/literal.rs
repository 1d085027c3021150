//! Values that are written in a statement.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use keyplan_value::{AttributeValue, Item, Number, NumberError, Value, ValueError, ValueKind};

use super::{Binder, Result, kind, misplaced, path};
use crate::error::{LiteralFault, Misplaced, Rule, StatementError};
use crate::lexer::is_overlarge_number;
use crate::limits::VALUE_LEVELS_MAX;
use crate::syntax::{Expr, ExprId, Placed};

/// The way to a value from the outermost one that it is in.
struct Way {
    text: String,
    levels: usize,
}

impl Binder<'_> {
    /// The item of an INSERT.
    pub(super) fn item(&self, id: ExprId) -> Result<Item> {
        match self.expr(id) {
            Expr::Struct(members) => {
                let mut attributes = BTreeMap::new();
                for (name, value) in members {
                    let name = self.member_name(*name, "")?;
                    let value = match self.expr(*value) {
                        Expr::Parameter(index) => self.parameter(*index)?.as_ref().as_ref().to_owned(),
                        _ => self.literal(*value)?,
                    };
                    if attributes.insert(name.clone(), value).is_some() {
                        return Err(fault(LiteralFault::DuplicateMember(name), ""));
                    }
                }
                Item::from_attributes(attributes).map_err(unstorable)
            }
            Expr::Parameter(index) => {
                let value = self.parameter(*index)?.as_ref().as_ref();
                if value.kind() != ValueKind::M {
                    return Err(Rule::ItemForm.into());
                }
                let attributes = value.members().map(|(name, value)| (name, value.to_owned()));
                Item::from_attributes(attributes).map_err(unstorable)
            }
            _ => Err(Rule::ItemForm.into()),
        }
    }

    /// A value by itself: a literal or a parameter.
    pub(super) fn value(&self, id: ExprId) -> Result<Arc<Value>> {
        match self.expr(id) {
            Expr::Parameter(index) => self.parameter(*index).cloned(),
            _ => Value::try_from(&self.literal(id)?).map(Arc::new).map_err(unstorable),
        }
    }

    fn literal(&self, id: ExprId) -> Result<AttributeValue> {
        self.literal_at(id, &mut Way { text: String::new(), levels: 0 })
    }

    fn literal_at(&self, id: ExprId, way: &mut Way) -> Result<AttributeValue> {
        if way.levels > VALUE_LEVELS_MAX {
            return Err(fault(LiteralFault::NestedTooDeep, &way.text));
        }
        let placed = self.placed(id);
        Ok(match &placed.expr {
            Expr::String(text) => AttributeValue::S(text.clone()),
            Expr::Number(text) => AttributeValue::N(number(text, &way.text)?),
            Expr::Bool(value) => AttributeValue::Bool(*value),
            Expr::Null => AttributeValue::Null,
            Expr::List(elements) => {
                let mut list = Vec::with_capacity(elements.len());
                for (position, element) in elements.iter().enumerate() {
                    let add = |text: &mut String| _ = write!(text, "[{position}]");
                    list.push(way.within_part(add, |way| self.literal_at(*element, way))?);
                }
                AttributeValue::L(list)
            }
            Expr::Struct(members) => {
                let mut map = BTreeMap::new();
                for (name, value) in members {
                    let name = self.member_name(*name, &way.text)?;
                    let add = |text: &mut String| _ = write!(text, ".{name}");
                    let value = way.within_part(add, |way| self.literal_at(*value, way))?;
                    if map.insert(name.clone(), value).is_some() {
                        return Err(fault(LiteralFault::DuplicateMember(name), &way.text));
                    }
                }
                AttributeValue::M(map)
            }
            Expr::Bag(members) => self.set(members, &way.text)?,
            Expr::Missing => return Err(Rule::Missing.into()),
            Expr::Ion(kind) => return Err(misplaced(Misplaced::Ion(kind, way.text.clone()), placed)),
            other => return Err(not_a_value(other, &way.text, placed)),
        })
    }

    fn member_name(&self, id: ExprId, way: &str) -> Result<String> {
        match self.expr(id) {
            Expr::String(name) => path::checked(name).map(str::to_owned),
            _ => Err(fault(LiteralFault::MemberName, way)),
        }
    }

    /// A set: of numbers if it begins with one, else of strings.
    fn set(&self, members: &[ExprId], way: &str) -> Result<AttributeValue> {
        let Some(first) = members.first() else { return Err(Rule::EmptyBag.into()) };
        let of_numbers = matches!(self.expr(*first), Expr::Number(_));
        let (mut numbers, mut strings, mut written) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for id in members {
            let placed = self.placed(*id);
            match &placed.expr {
                Expr::Number(text) if of_numbers => {
                    numbers.insert(number(text, way)?);
                    written.push(text.clone());
                }
                Expr::String(text) if !of_numbers => {
                    strings.insert(text.clone());
                    written.push(text.clone());
                }
                Expr::Null if of_numbers => return Err(fault(LiteralFault::NullInNumbers, way)),
                Expr::Parameter(_) => return Err(not_a_value(&placed.expr, way, placed)),
                // The service has no place for what stands among numbers.
                _ if of_numbers => return Err(Rule::BagMember.into()),
                _ => return Err(misplaced(Misplaced::BagMember, placed)),
            }
        }
        if of_numbers && numbers.len() < written.len() {
            return Err(fault(LiteralFault::DuplicateNumbers(written), way));
        }
        if !of_numbers && strings.len() < written.len() {
            return Err(fault(LiteralFault::DuplicateStrings(written), way));
        }
        Ok(if of_numbers { AttributeValue::Ns(numbers) } else { AttributeValue::Ss(strings) })
    }
}

impl Way {
    /// Goes into a part of a value and back.
    fn within_part<T>(
        &mut self,
        add: impl FnOnce(&mut String),
        read: impl FnOnce(&mut Way) -> Result<T>,
    ) -> Result<T> {
        let length = self.text.len();
        add(&mut self.text);
        self.levels += 1;
        let read = read(self)?;
        self.levels -= 1;
        self.text.truncate(length);
        Ok(read)
    }
}

fn number(text: &str, way: &str) -> Result<Number> {
    let error = |error| match error {
        NumberError::Overflow if is_overlarge_number(text) => NumberError::Underflow,
        error => error,
    };
    Number::parse(text).map_err(|found| fault(LiteralFault::Number(error(found)), way))
}

fn fault(fault: LiteralFault, way: &str) -> StatementError {
    StatementError::Literal { fault, path: way.to_owned() }
}

/// An expression that is no value.
fn not_a_value(expr: &Expr, way: &str, placed: &Placed) -> StatementError {
    let kind = match expr {
        Expr::Call { name, .. } => name.as_str(),
        expr => kind(expr),
    };
    misplaced(Misplaced::Value(kind.to_owned(), way.to_owned()), placed)
}

/// What is left that can make a value unfit to be stored.
fn unstorable(error: ValueError) -> StatementError {
    match error {
        ValueError::EmptyAttributeName | ValueError::AttributeNameTooLarge => Rule::EmptyName.into(),
        _ => fault(LiteralFault::NestedTooDeep, ""),
    }
}
