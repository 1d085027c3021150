//! The range of keys that a condition on a sort key admits.

use super::{NotAKeyType, encode_attribute, encode_open};
use crate::kind::ValueKind;
use crate::stored::ValueRef;

/// What a key condition may ask of a sort key attribute. A value of another type than the attribute's
/// admits nothing; that the types agree is checked where the table is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortCondition<'v> {
    /// Equal.
    Equal(ValueRef<'v>),
    /// Less.
    Less(ValueRef<'v>),
    /// Less or equal.
    LessOrEqual(ValueRef<'v>),
    /// Greater.
    Greater(ValueRef<'v>),
    /// Greater or equal.
    GreaterOrEqual(ValueRef<'v>),
    /// From the first to the second, both included.
    Between(ValueRef<'v>, ValueRef<'v>),
    /// Beginning with; of strings and binaries.
    BeginsWith(ValueRef<'v>),
}

/// A range of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The least key, included.
    pub lower: Vec<u8>,
    /// The key at which the range ends, not included. None: it has no end.
    pub upper: Option<Vec<u8>>,
}

impl Span {
    /// The keys that begin with `prefix` and whose next attribute meets `condition`. An index entry's
    /// key may go on behind that attribute.
    ///
    /// # Errors
    /// If a value is not an S, N or B, or the beginning is asked of an N.
    pub fn of(prefix: &[u8], condition: Option<&SortCondition<'_>>) -> Result<Span, NotAKeyType> {
        let encoded = |value: &ValueRef<'_>| {
            let mut key = prefix.to_vec();
            encode_attribute(*value, &mut key).map(|()| key)
        };
        // Values of one type are neighbours: a range without a bound of its own ends with the type.
        let of_type = |value: &ValueRef<'_>| {
            let mut key = prefix.to_vec();
            key.push(super::tag(value.kind()).ok_or(NotAKeyType(value.kind()))?);
            Ok(key)
        };
        Ok(match condition {
            None => Span { lower: prefix.to_vec(), upper: prefix_end(prefix) },
            Some(SortCondition::Equal(value)) => {
                let key = encoded(value)?;
                Span { upper: prefix_end(&key), lower: key }
            }
            Some(SortCondition::Less(value)) => Span { lower: of_type(value)?, upper: Some(encoded(value)?) },
            Some(SortCondition::LessOrEqual(value)) => {
                Span { lower: of_type(value)?, upper: prefix_end(&encoded(value)?) }
            }
            Some(SortCondition::Greater(value)) => Span {
                // A tag is never FF, so there always is an end.
                lower: prefix_end(&encoded(value)?).unwrap_or_default(),
                upper: prefix_end(&of_type(value)?),
            },
            Some(SortCondition::GreaterOrEqual(value)) => {
                Span { lower: encoded(value)?, upper: prefix_end(&of_type(value)?) }
            }
            Some(SortCondition::Between(low, high)) => {
                Span { lower: encoded(low)?, upper: prefix_end(&encoded(high)?) }
            }
            Some(SortCondition::BeginsWith(value)) => {
                if value.kind() == ValueKind::N {
                    return Err(NotAKeyType(ValueKind::N));
                }
                let mut key = prefix.to_vec();
                encode_open(*value, &mut key)?;
                Span { upper: prefix_end(&key), lower: key }
            }
        })
    }

    /// True if `key` lies in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        *self.lower <= *key && self.upper.as_deref().is_none_or(|upper| key < upper)
    }

    /// True if no key can lie in the range, as between a greater and a lesser value.
    pub fn is_empty(&self) -> bool {
        self.upper.as_ref().is_some_and(|upper| self.lower >= *upper)
    }
}

/// The least bytes greater than all that begin with `prefix`. None if there are none: `prefix` is empty
/// or all `FF`.
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix.get(..=last)?.to_vec();
    if let Some(byte) = end.last_mut() {
        *byte += 1;
    }
    Some(end)
}
