//! Makes the new item: every outcome in its place, and the rest as it was.

use std::sync::Arc;

use keyplan_value::limits::NESTING_LEVELS_MAX;
use keyplan_value::{Item, ItemBuilder, ItemRef, Value, ValueKind, ValueRef};

use super::evaluate::{Found, Outcome};
use super::{Action, Origin, Update, UpdateError};
use crate::path_tree::{Branch, Step};

impl Update {
    /// The item after the update. `old` is the item before it; where there is none, one with the key alone.
    ///
    /// All paths and right sides mean the old item. The order of clauses changes nothing but which error
    /// is found first.
    ///
    /// # Errors
    /// In this order: ADD and DELETE on what is stored, what SET computes, places that cannot be
    /// reached, nesting. The size of the item after it is the caller's to check: here no more is
    /// promised than that nothing much larger is ever built.
    pub fn apply(&self, old: ItemRef) -> Result<Item, UpdateError> {
        let outcomes = self.outcomes(old).map_err(|error| self.worded(error))?;
        let mut made: Vec<(&str, Option<Found>)> = Vec::with_capacity(self.actions.len());
        for (name, branch) in &self.targets.attributes {
            made.push((name, rebuild(branch, old.get(name), &outcomes)?));
        }
        self.check_nesting(&outcomes)?;
        let mut builder = ItemBuilder::from_item(old);
        for (name, value) in &made {
            match value {
                Some(value) => builder.insert(name, value.as_ref()),
                None => builder.remove(name),
            };
        }
        Ok(builder.finish())
    }

    fn worded(&self, error: UpdateError) -> UpdateError {
        match (self.origin, error) {
            (Origin::AttributeUpdates, UpdateError::OperandType) => UpdateError::AttributeType,
            (_, error) => error,
        }
    }

    fn check_nesting(&self, outcomes: &[Outcome]) -> Result<(), UpdateError> {
        let is_too_deep = |(action, outcome): (&Action, &Outcome)| match outcome {
            Outcome::Put(value) => {
                let room = NESTING_LEVELS_MAX.checked_sub(action.target.inner().len());
                !room.is_some_and(|room| is_within(value.as_ref(), room))
            }
            Outcome::Remove | Outcome::Keep => false,
        };
        let too_deep = self.actions.iter().zip(outcomes).any(is_too_deep);
        if too_deep { Err(UpdateError::NestedTooDeep) } else { Ok(()) }
    }
}

/// Whether a value has at most so many levels.
fn is_within(value: ValueRef, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else { return false };
    match value.kind() {
        ValueKind::L => value.elements().all(|element| is_within(element, below)),
        ValueKind::M => value.members().all(|(_, member)| is_within(member, below)),
        _ => true,
    }
}

/// The value at a place after the update; `None` if nothing is there.
fn rebuild<'o>(
    branch: &Branch,
    old: Option<ValueRef<'o>>,
    outcomes: &'o [Outcome],
) -> Result<Option<Found<'o>>, UpdateError> {
    match &branch.step {
        Step::Here => Ok(match outcomes.get(branch.first) {
            Some(Outcome::Put(value)) => Some(Found::There(value.as_ref())),
            Some(Outcome::Remove) => None,
            Some(Outcome::Keep) | None => old.map(Found::There),
        }),
        Step::Members(branches) => {
            let map = old.filter(|old| old.kind() == ValueKind::M).ok_or(UpdateError::InvalidPath)?;
            rebuild_map(branches, map, outcomes).map(|map| Some(Found::Made(map)))
        }
        Step::Elements(branches) => {
            let list = old.filter(|old| old.kind() == ValueKind::L).ok_or(UpdateError::InvalidPath)?;
            rebuild_list(branches, list, outcomes).map(|list| Some(Found::Made(list)))
        }
    }
}

fn rebuild_map(
    branches: &[(Arc<str>, Branch)],
    map: ValueRef,
    outcomes: &[Outcome],
) -> Result<Value, UpdateError> {
    let mut made: Vec<(&str, Found)> = Vec::with_capacity(branches.len());
    for (name, branch) in branches {
        if let Some(value) = rebuild(branch, map.get(name), outcomes)? {
            made.push((name, value));
        }
    }
    let is_untouched =
        |(name, _): &(&str, ValueRef)| branches.binary_search_by(|(other, _)| (**other).cmp(name)).is_err();
    let untouched = map.members().filter(is_untouched);
    Ok(Value::map(untouched.chain(made.iter().map(|(name, value)| (*name, value.as_ref())))))
}

/// Indexes mean the list as it was. Past its end a value is appended, in the order of the indexes and
/// without padding.
fn rebuild_list(
    branches: &[(u32, Branch)],
    list: ValueRef,
    outcomes: &[Outcome],
) -> Result<Value, UpdateError> {
    let mut branches = branches.iter().peekable();
    let mut elements: Vec<Found> = Vec::with_capacity(list.member_count());
    for (element, index) in list.elements().zip(0_u32..) {
        match branches.next_if(|(wanted, _)| *wanted == index) {
            None => elements.push(Found::There(element)),
            Some((_, branch)) => elements.extend(rebuild(branch, Some(element), outcomes)?),
        }
    }
    for (_, branch) in branches {
        elements.extend(rebuild(branch, None, outcomes)?);
    }
    Ok(Value::list(elements.iter().map(Found::as_ref)))
}
