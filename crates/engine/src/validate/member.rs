//! Members of a checked request as values. An absent member, one that is `null` and one of the wrong
//! type (which [`super::types`] has refused before) read alike: as nothing.

use std::borrow::Cow;

use keyplan_value::json::{Kind, Node};
use keyplan_value::read_boolean;

use crate::call::Timestamp;

/// A member that is there: the service treats `null` as absent everywhere.
pub fn present<'t, 'a>(node: Node<'t, 'a>, name: &str) -> Option<Node<'t, 'a>> {
    node.get(name).filter(|member| !member.is_null())
}

/// A string member.
pub fn string<'a>(node: Node<'_, 'a>, name: &str) -> Option<Cow<'a, str>> {
    present(node, name)?.string()
}

/// A boolean member; the service takes words for booleans as well.
pub fn boolean(node: Node<'_, '_>, name: &str) -> Option<bool> {
    read_boolean(present(node, name)?).ok()
}

/// A 32-bit integer member; the service drops fractions and holds it at the ends of its range.
pub fn integer(node: Node<'_, '_>, name: &str) -> Option<i32> {
    number(present(node, name)?).map(|number| number.within(i32::MIN.into(), i32::MAX.into()) as i32)
}

/// A 64-bit integer member, read like [`integer`].
pub fn long(node: Node<'_, '_>, name: &str) -> Option<i64> {
    number(present(node, name)?).map(|number| number.within(i64::MIN, i64::MAX))
}

/// A date member: epoch seconds, whose fraction counts.
pub fn timestamp(node: Node<'_, '_>, name: &str) -> Option<Timestamp> {
    let seconds: f64 = present(node, name)?.raw().parse().ok()?;
    // `as` holds the value at the ends of the range.
    Some(Timestamp((seconds * 1_000.0).round() as u64))
}

/// A JSON number as an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Whole {
    value: i128,
    /// Whether it had no fraction.
    exact: bool,
}

impl Whole {
    /// The value held at the ends of a range.
    pub(super) fn within(self, least: i64, most: i64) -> i64 {
        let held = self.value.clamp(least.into(), most.into());
        i64::try_from(held).unwrap_or(if held < 0 { least } else { most })
    }

    /// Whether the range holds the number as it was written.
    pub(super) fn is_exact_within(self, least: i64, most: i64) -> bool {
        self.exact && (i128::from(least)..=i128::from(most)).contains(&self.value)
    }
}

/// Reads a number of any form as an integer, without its fraction.
pub(super) fn number(node: Node<'_, '_>) -> Option<Whole> {
    match node.kind() {
        Kind::Integer => node.integer().map(|value| Whole { value, exact: true }),
        Kind::Decimal => {
            // The grammar of JSON numbers is within what f64 reads; `as` drops the fraction and holds
            // the value at the ends.
            let value: f64 = node.raw().parse().ok()?;
            Some(Whole { value: value as i128, exact: value.fract() == 0.0 })
        }
        _ => None,
    }
}
