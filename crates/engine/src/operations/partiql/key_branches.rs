//! The stretches of a table or index that a condition names.
//!
//! A condition names partitions where every alternative of it has an equality on the partition key. Then the
//! read goes to these partitions, in each to what the conditions on the sort key leave; otherwise it goes
//! through everything. The items read are tested against the whole condition in both cases.

use keyplan_expression::{Condition, DocumentPath, KeyTest, Part, PartId};
use keyplan_value::{Item, Value, ValueRef, order};

use crate::catalog::{KeyAttribute, KeySchema};
use crate::error::{ItemFault, ServiceError, StatementFault};
use crate::keys::{self, ItemKey};
use crate::limits::STATEMENT_READS_MAX;
use crate::operations::query::sort_condition;
use crate::read::Extent;

/// A stretch of one partition.
pub(super) struct Branch {
    /// The stretch.
    pub(super) extent: Extent,
    /// The partition: its hash and its key.
    pub(super) partition: (u32, Item),
    /// The partition's key as bytes, in the order of keys.
    order: Vec<u8>,
    /// Whether the condition on the sort key is one that leaves out values.
    leaves_out: bool,
    /// The whole partition.
    whole: Extent,
    /// The attributes that the rest of the alternative looks at.
    pub(super) looked_at: Vec<String>,
}

/// The stretches that a condition names, in the order of their keys; nothing if it names none and everything is
/// to be read.
///
/// # Errors
/// Values that are no keys; alternatives that meet; too many.
pub(super) fn branches(
    condition: Option<&Condition>,
    schema: &KeySchema,
) -> Result<Option<Vec<Branch>>, ServiceError> {
    let (Some(condition), Some(partition)) = (condition, schema.partition.first()) else { return Ok(None) };
    let finder = Finder { condition, partition, sort: schema.sort.first() };
    let Some(root) = condition.root().filter(|root| finder.pins(*root)) else { return Ok(None) };
    let alternatives = finder.alternatives(root)?;
    let mut branches = Vec::with_capacity(alternatives.len());
    for alternative in alternatives {
        branches.push(finder.branch(schema, alternative)?);
    }
    order::sort_by(&mut branches, |one, other| {
        one.order.cmp(&other.order).then_with(|| one.extent.lower().cmp(other.extent.lower()))
    });
    check_apart(&branches)?;
    Ok(Some(joined(branches)))
}

/// One alternative of a condition.
#[derive(Clone, Default)]
struct Alternative {
    partition: Option<Value>,
    sort: Vec<KeyTest>,
    leaves_out: bool,
    rest: Vec<PartId>,
}

impl Alternative {
    fn and(&self, other: &Alternative) -> Alternative {
        let joined = |one: &[PartId], other: &[PartId]| [one, other].concat();
        Alternative {
            partition: self.partition.clone().or_else(|| other.partition.clone()),
            sort: self.sort.iter().chain(&other.sort).cloned().collect(),
            leaves_out: self.leaves_out || other.leaves_out,
            rest: joined(&self.rest, &other.rest),
        }
    }
}

struct Finder<'c> {
    condition: &'c Condition,
    partition: &'c KeyAttribute,
    sort: Option<&'c KeyAttribute>,
}

/// Recursion ends after at most as many steps as a condition may have operators.
impl Finder<'_> {
    /// Whether every alternative of a part has an equality on the partition key.
    fn pins(&self, id: PartId) -> bool {
        match self.condition.part(id) {
            Part::And(left, right) => self.pins(left) || self.pins(right),
            Part::Or(left, right) => self.pins(left) && self.pins(right),
            Part::Test { attribute, tests, .. } => {
                **attribute == *self.partition.name
                    && tests.iter().all(|test| matches!(test, KeyTest::Equal(_)))
            }
            Part::Not(_) | Part::Unequal { .. } | Part::Other => false,
        }
    }

    fn is_sort(&self, name: &str) -> bool {
        self.sort.is_some_and(|sort| sort.name == name)
    }

    /// Whether a part has a condition on the sort key.
    fn is_about_sort(&self, id: PartId) -> bool {
        match self.condition.part(id) {
            Part::And(left, right) | Part::Or(left, right) => {
                self.is_about_sort(left) || self.is_about_sort(right)
            }
            Part::Not(negated) => self.is_about_sort(negated),
            Part::Test { attribute, .. } | Part::Unequal { attribute } => self.is_sort(attribute),
            Part::Other => false,
        }
    }

    /// The alternatives of a part that pins.
    fn alternatives(&self, id: PartId) -> Result<Vec<Alternative>, StatementFault> {
        match self.condition.part(id) {
            Part::And(left, right) => {
                // Of several equalities the first names the partition.
                let (pinning, other) = if self.pins(left) { (left, right) } else { (right, left) };
                product(&self.alternatives(pinning)?, &self.ranges(other)?)
            }
            Part::Or(left, right) => together(self.alternatives(left)?, self.alternatives(right)?),
            Part::Test { tests, .. } => {
                let value = |test: KeyTest| match test {
                    KeyTest::Equal(value) => Some(value),
                    _ => None,
                };
                let alternative = |value| Alternative { partition: Some(value), ..Alternative::default() };
                bounded(tests.into_iter().filter_map(value).map(alternative).collect())
            }
            Part::Not(_) | Part::Unequal { .. } | Part::Other => Ok(vec![Alternative::default()]),
        }
    }

    /// What a part says of the sort key.
    fn ranges(&self, id: PartId) -> Result<Vec<Alternative>, StatementFault> {
        let rest = |leaves_out| Alternative { leaves_out, rest: vec![id], ..Alternative::default() };
        match self.condition.part(id) {
            Part::Test { attribute, tests, .. } if self.is_sort(attribute) => {
                let alternative = |test| Alternative { sort: vec![test], ..Alternative::default() };
                bounded(tests.into_iter().map(alternative).collect())
            }
            Part::And(left, right) => product(&self.ranges(left)?, &self.ranges(right)?),
            // Alternatives that have nothing to do with the key are no stretches.
            Part::Or(left, right) if self.is_about_sort(id) => {
                together(self.ranges(left)?, self.ranges(right)?)
            }
            Part::Not(_) | Part::Unequal { .. } => Ok(vec![rest(self.is_about_sort(id))]),
            Part::Or(..) | Part::Test { .. } | Part::Other => Ok(vec![rest(false)]),
        }
    }

    fn branch(&self, schema: &KeySchema, alternative: Alternative) -> Result<Branch, ServiceError> {
        let Alternative { partition, sort, leaves_out, rest } = alternative;
        let partition = partition.ok_or(ItemFault::KeyMismatch)?;
        check_value(self.partition, partition.as_ref())?;
        if let Some(attribute) = self.sort {
            for value in sort.iter().flat_map(KeyTest::values) {
                check_value(attribute, value)?;
            }
        }
        let longest = |test: &KeyTest| test.values().max_by_key(ValueRef::size).map(Value::from);
        for longest in sort.iter().filter_map(longest) {
            keys::check_sizes(std::iter::empty(), std::iter::once(longest.as_ref()))?;
        }
        keys::check_sizes(std::iter::once(partition.as_ref()), std::iter::empty())?;
        let place = ItemKey::of_partition([partition.as_ref()])?;
        let whole = Extent::beginning(&place, None)?;
        let mut extent = whole.clone();
        for test in &sort {
            extent = extent.intersection(&Extent::beginning(&place, Some(&sort_condition(test)))?);
        }
        let mut looked_at: Vec<String> = Vec::new();
        let paths = rest.iter().flat_map(|id| self.condition.paths_of(*id)).map(DocumentPath::attribute);
        for name in paths {
            if !looked_at.iter().any(|known| **known == **name) {
                looked_at.push(name.to_string());
            }
        }
        Ok(Branch {
            extent,
            partition: (place.hash(), place.partition_item(schema)),
            order: place.bytes().get(size_of::<u32>()..).unwrap_or_default().to_vec(),
            leaves_out,
            whole,
            looked_at,
        })
    }
}

/// A value is one that a key attribute can have.
///
/// # Errors
/// How it isn't.
pub(super) fn check_value(attribute: &KeyAttribute, value: ValueRef<'_>) -> Result<(), ServiceError> {
    check_kind(attribute, value)?;
    Ok(keys::check_not_empty(attribute, value)?)
}

/// A value is of a key attribute's type.
///
/// # Errors
/// Whether no key has such a type, or this one hasn't.
pub(super) fn check_kind(attribute: &KeyAttribute, value: ValueRef<'_>) -> Result<(), StatementFault> {
    let name = attribute.name.clone();
    match value.kind() {
        kind if kind == attribute.kind => Ok(()),
        kind if kind.is_key_type() => Err(StatementFault::OtherKeyType { name }),
        kind => Err(StatementFault::NoKeyType { name, kind }),
    }
}

fn bounded(alternatives: Vec<Alternative>) -> Result<Vec<Alternative>, StatementFault> {
    if alternatives.len() > STATEMENT_READS_MAX {
        Err(StatementFault::TooManyReads)
    } else {
        Ok(alternatives)
    }
}

fn together(mut one: Vec<Alternative>, other: Vec<Alternative>) -> Result<Vec<Alternative>, StatementFault> {
    one.extend(other);
    bounded(one)
}

fn product(one: &[Alternative], other: &[Alternative]) -> Result<Vec<Alternative>, StatementFault> {
    if one.len().saturating_mul(other.len()) > STATEMENT_READS_MAX {
        return Err(StatementFault::TooManyReads);
    }
    Ok(one.iter().flat_map(|one| other.iter().map(|other| one.and(other))).collect())
}

/// Stretches of one partition don't meet, but for those that leave out values.
///
/// # Errors
/// When two do.
fn check_apart(branches: &[Branch]) -> Result<(), StatementFault> {
    let mut before: Option<&Branch> = None;
    for branch in branches.iter().filter(|branch| !branch.leaves_out && !branch.extent.is_empty()) {
        // In the order of their beginnings only neighbours can be the first to meet.
        if let Some(before) = before
            && before.order == branch.order
            && !before.extent.clone().intersection(&branch.extent).is_empty()
        {
            return Err(StatementFault::Overlapping);
        }
        before = Some(branch);
    }
    Ok(())
}

/// Reads a partition once as a whole where its stretches may meet.
fn joined(branches: Vec<Branch>) -> Vec<Branch> {
    let mut joined: Vec<Branch> = Vec::with_capacity(branches.len());
    let meets: Vec<bool> = branches
        .iter()
        .map(|branch| {
            let mut same = branches.iter().filter(|other| other.order == branch.order);
            same.clone().count() > 1 && same.any(|other| other.leaves_out)
        })
        .collect();
    for (branch, meets) in branches.into_iter().zip(meets) {
        if !meets {
            joined.push(branch);
        } else if joined.last().is_none_or(|last| last.order != branch.order) {
            joined.push(Branch { extent: branch.whole.clone(), ..branch });
        }
    }
    joined
}

impl Branch {
    /// Whether two stretches are of one partition.
    pub(super) fn is_beside(&self, other: &Branch) -> bool {
        self.order == other.order
    }
}
