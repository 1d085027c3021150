//! What the actions of an update make of the values that an item has.

use std::collections::BTreeSet;

use keyplan_value::{AttributeValue, ItemRef, Number, Value, ValueKind, ValueRef};

use super::{Change, Term, UpdateError};
use crate::path::DocumentPath;
use crate::syntax::ArithmeticOperator;

/// What becomes of a place.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Put(Value),
    Remove,
    /// It stays as it is, be it there or not.
    Keep,
}

/// A value of the item or the request, or one just computed.
enum Found<'a> {
    There(ValueRef<'a>),
    Made(Value),
}

impl Found<'_> {
    fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Found::There(value) => *value,
            Found::Made(value) => value.as_ref(),
        }
    }

    fn into_value(self) -> Value {
        match self {
            Found::There(value) => Value::from(value),
            Found::Made(value) => value,
        }
    }
}

/// Computes an ADD or DELETE; the other changes have no part in this step.
pub(super) fn accumulate(
    change: &Change,
    target: &DocumentPath,
    item: ItemRef,
) -> Result<Option<Outcome>, UpdateError> {
    let stored = target.find(item);
    Ok(match (change, stored) {
        (Change::Set(_) | Change::Remove, _) => None,
        (Change::Add(operand), None) => Some(Outcome::Put(Value::clone(operand))),
        (Change::Delete(_), None) => Some(Outcome::Keep),
        (Change::Add(operand), Some(stored)) => Some(Outcome::Put(add(stored, operand)?)),
        (Change::Delete(operand), Some(stored)) => Some(delete(stored, operand)?),
    })
}

/// Computes a SET or REMOVE.
pub(super) fn assign(change: &Change, item: ItemRef) -> Result<Option<Outcome>, UpdateError> {
    Ok(match change {
        Change::Add(_) | Change::Delete(_) => None,
        Change::Remove => Some(Outcome::Remove),
        Change::Set(term) => Some(Outcome::Put(evaluate(term, item)?.into_value())),
    })
}

fn add(stored: ValueRef, operand: &Value) -> Result<Value, UpdateError> {
    if let Some((one, two)) = stored.number().zip(operand.as_ref().number()) {
        return sum(ArithmeticOperator::Plus, one, two);
    }
    match combine(Combination::Union, stored, operand)? {
        Outcome::Put(union) => Ok(union),
        // A union with a set, which is never empty, is not empty.
        Outcome::Remove | Outcome::Keep => Err(UpdateError::OperandType),
    }
}

fn delete(stored: ValueRef, operand: &Value) -> Result<Outcome, UpdateError> {
    combine(Combination::Difference, stored, operand)
}

#[derive(Clone, Copy)]
enum Combination {
    Union,
    Difference,
}

impl Combination {
    fn of<T: Ord + Clone>(self, one: &BTreeSet<T>, two: &BTreeSet<T>) -> BTreeSet<T> {
        match self {
            Combination::Union => one | two,
            Combination::Difference => one - two,
        }
    }
}

/// Combines two sets of one type. What is emptied is removed, for no set is empty.
fn combine(how: Combination, stored: ValueRef, operand: &Value) -> Result<Outcome, UpdateError> {
    let combined = match (stored.to_owned(), operand.as_ref().to_owned()) {
        (AttributeValue::Ss(one), AttributeValue::Ss(two)) => AttributeValue::Ss(how.of(&one, &two)),
        (AttributeValue::Ns(one), AttributeValue::Ns(two)) => AttributeValue::Ns(how.of(&one, &two)),
        (AttributeValue::Bs(one), AttributeValue::Bs(two)) => AttributeValue::Bs(how.of(&one, &two)),
        _ => return Err(UpdateError::OperandType),
    };
    // An empty set is the one set that cannot be made a value.
    Ok(Value::try_from(&combined).map_or(Outcome::Remove, Outcome::Put))
}

fn sum(operator: ArithmeticOperator, one: Number, two: Number) -> Result<Value, UpdateError> {
    let sum = match operator {
        ArithmeticOperator::Plus => one.checked_add(&two),
        ArithmeticOperator::Minus => one.checked_sub(&two),
    };
    sum.map(|sum| Value::number(&sum)).map_err(UpdateError::Number)
}

/// Everything that SET reads is the item as it was before the update.
fn evaluate<'a>(term: &'a Term, item: ItemRef<'a>) -> Result<Found<'a>, UpdateError> {
    Ok(match term {
        Term::Path(path) => Found::There(path.find(item).ok_or(UpdateError::MissingAttribute)?),
        Term::Value(value) => Found::There(Value::as_ref(value)),
        Term::IfNotExists(path, otherwise) => match path.find(item) {
            Some(value) => Found::There(value),
            None => evaluate(otherwise, item)?,
        },
        Term::ListAppend(sides) => {
            let [front, back] = both(sides, item)?;
            let (front, back) = (front.as_ref(), back.as_ref());
            if front.kind() != ValueKind::L || back.kind() != ValueKind::L {
                return Err(UpdateError::OperandType);
            }
            Found::Made(Value::list(front.elements().chain(back.elements())))
        }
        Term::Arithmetic(operator, sides) => {
            let [left, right] = both(sides, item)?;
            let numbers = left.as_ref().number().zip(right.as_ref().number());
            let (left, right) = numbers.ok_or(UpdateError::OperandType)?;
            Found::Made(sum(*operator, left, right)?)
        }
    })
}

fn both<'a>(sides: &'a [Term; 2], item: ItemRef<'a>) -> Result<[Found<'a>; 2], UpdateError> {
    let [one, two] = sides;
    Ok([evaluate(one, item)?, evaluate(two, item)?])
}
