//! What the actions of an update make of the values that an item has.

use std::collections::BTreeSet;
use std::ops::Range;

use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;
use keyplan_value::{AttributeValue, ItemRef, Number, Value, ValueKind, ValueRef};

use super::{Change, Term, TermId, Update, UpdateError};
use crate::path::DocumentPath;
use crate::syntax::ArithmeticOperator;

/// What becomes of a place.
pub(super) enum Outcome<'a> {
    Put(Found<'a>),
    Remove,
    /// It stays as it is, be it there or not.
    Keep,
}

/// A value of the item or the request, or one just made.
pub(super) enum Found<'a> {
    There(ValueRef<'a>),
    Made(Value),
}

impl Found<'_> {
    pub(super) fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Found::There(value) => *value,
            Found::Made(value) => value.as_ref(),
        }
    }
}

impl Update {
    /// What becomes of each target. ADD and DELETE come before SET, as the service looks at them.
    pub(super) fn outcomes<'a>(&'a self, old: ItemRef<'a>) -> Result<Vec<Outcome<'a>>, UpdateError> {
        let mut outcomes = Vec::with_capacity(self.actions.len());
        for action in &self.actions {
            outcomes.push(match &action.change {
                Change::Add(operand) => Outcome::Put(add(&action.target, operand, old)?),
                Change::Delete(operand) => delete(&action.target, operand, old)?,
                Change::Remove => Outcome::Remove,
                Change::Set(_) => Outcome::Keep,
            });
        }
        let mut bytes = 0;
        for (action, outcome) in self.actions.iter().zip(&mut outcomes) {
            if let Change::Set(terms) = &action.change {
                *outcome = Outcome::Put(self.assigned(terms.clone(), old)?);
            }
            // Targets do not overlap, so what is put is all in the new item. A text of 4 KB can copy one
            // large attribute a thousand times: the size is counted before anything is copied.
            if let Outcome::Put(value) = outcome {
                bytes += value.as_ref().size();
            }
            if bytes > ITEM_SIZE_BYTES_MAX {
                return Err(UpdateError::TooLarge);
            }
        }
        Ok(outcomes)
    }

    /// The value of the last of some terms. All are computed, the innermost first, and an error counts if
    /// the last one depends on it: if_not_exists need not look at its second operand.
    fn assigned<'a>(&'a self, terms: Range<TermId>, old: ItemRef<'a>) -> Result<Found<'a>, UpdateError> {
        let first = terms.start;
        let mut computed: Vec<Option<Result<Found<'a>, UpdateError>>> = Vec::with_capacity(terms.len());
        for term in self.terms.get(terms).unwrap_or_default() {
            // Every term but the last is below exactly one other, which takes it.
            let mut take = |id: TermId| {
                let place = id.checked_sub(first).and_then(|place| computed.get_mut(place));
                place.and_then(Option::take).unwrap_or(Err(UpdateError::MissingAttribute))
            };
            let found = match term {
                Term::Path(path) => path.find(old).map(Found::There).ok_or(UpdateError::MissingAttribute),
                Term::Value(value) => Ok(Found::There(Value::as_ref(value))),
                Term::IfNotExists(path, otherwise) => take(*path).or_else(|_| take(*otherwise)),
                Term::ListAppend(front, back) => both(take(*front), take(*back)).and_then(list_append),
                Term::Arithmetic(operator, left, right) => {
                    both(take(*left), take(*right)).and_then(|sides| arithmetic(*operator, sides))
                }
            };
            computed.push(Some(found));
        }
        computed.pop().flatten().unwrap_or(Err(UpdateError::MissingAttribute))
    }
}

fn both<'a>(
    one: Result<Found<'a>, UpdateError>,
    two: Result<Found<'a>, UpdateError>,
) -> Result<[Found<'a>; 2], UpdateError> {
    Ok([one?, two?])
}

fn list_append<'a>(sides: [Found<'a>; 2]) -> Result<Found<'a>, UpdateError> {
    let [front, back] = sides.each_ref().map(Found::as_ref);
    if front.kind() != ValueKind::L || back.kind() != ValueKind::L {
        return Err(UpdateError::OperandType);
    }
    if front.size() + back.size() > ITEM_SIZE_BYTES_MAX {
        return Err(UpdateError::TooLarge);
    }
    Ok(Found::Made(Value::list(front.elements().chain(back.elements()))))
}

fn arithmetic<'a>(operator: ArithmeticOperator, sides: [Found<'a>; 2]) -> Result<Found<'a>, UpdateError> {
    let [left, right] = sides.each_ref().map(|side| side.as_ref().number());
    let (left, right) = left.zip(right).ok_or(UpdateError::OperandType)?;
    sum(operator, left, right).map(Found::Made)
}

fn sum(operator: ArithmeticOperator, one: Number, two: Number) -> Result<Value, UpdateError> {
    let sum = match operator {
        ArithmeticOperator::Plus => one.checked_add(&two),
        ArithmeticOperator::Minus => one.checked_sub(&two),
    };
    sum.map(|sum| Value::number(&sum)).map_err(UpdateError::Number)
}

fn add<'a>(target: &DocumentPath, operand: &'a Value, old: ItemRef<'a>) -> Result<Found<'a>, UpdateError> {
    let operand = operand.as_ref();
    let Some(stored) = target.find(old) else { return Ok(Found::There(operand)) };
    if let Some((one, two)) = stored.number().zip(operand.number()) {
        return sum(ArithmeticOperator::Plus, one, two).map(Found::Made);
    }
    // A union with a set, which is never empty, is not empty.
    combine(Combination::Union, stored, operand)?.map(Found::Made).ok_or(UpdateError::OperandType)
}

fn delete<'a>(
    target: &DocumentPath,
    operand: &'a Value,
    old: ItemRef<'a>,
) -> Result<Outcome<'a>, UpdateError> {
    let Some(stored) = target.find(old) else { return Ok(Outcome::Keep) };
    let rest = combine(Combination::Difference, stored, operand.as_ref())?;
    Ok(rest.map_or(Outcome::Remove, |rest| Outcome::Put(Found::Made(rest))))
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

/// Combines two sets of one type. `None` if nothing is left, for no set is empty.
fn combine(how: Combination, stored: ValueRef, operand: ValueRef) -> Result<Option<Value>, UpdateError> {
    if !stored.kind().is_set() || stored.kind() != operand.kind() {
        return Err(UpdateError::OperandType);
    }
    let combined = match (stored.to_owned(), operand.to_owned()) {
        (AttributeValue::Ss(one), AttributeValue::Ss(two)) => AttributeValue::Ss(how.of(&one, &two)),
        (AttributeValue::Ns(one), AttributeValue::Ns(two)) => AttributeValue::Ns(how.of(&one, &two)),
        (AttributeValue::Bs(one), AttributeValue::Bs(two)) => AttributeValue::Bs(how.of(&one, &two)),
        _ => return Err(UpdateError::OperandType),
    };
    // An empty set is the one set that cannot be made a value.
    Ok(Value::try_from(&combined).ok())
}
