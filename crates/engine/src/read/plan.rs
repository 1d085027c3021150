//! What shall be read, in which order, and how much of it.

use std::ops::Bound;

use keyplan_expression::{Condition, Projection};
use keyplan_partiql::Column;
use keyplan_store::{Bounds, Direction};
use keyplan_value::Item;
use keyplan_value::key::{NotAKeyType, SortCondition, Span};

use super::Source;
use crate::capacity::Consistency;
use crate::error::ItemFault;
use crate::keys::{ItemKey, hash_of_place};

/// A read of a stretch of items.
#[derive(Debug)]
pub struct ReadPlan<'a> {
    /// Whose items: a table's or an index's.
    pub source: Source<'a>,
    /// Whether the items of the table are fetched in the place of an index's entries.
    pub fetch: bool,
    /// Which items.
    pub extent: Extent,
    /// The one partition they are in, if it is one: its hash and its key.
    pub partition: Option<(u32, Item)>,
    /// The order.
    pub direction: Direction,
    /// The place after which the read begins, where it goes on with an earlier one.
    pub start_after: Option<Vec<u8>>,
    /// How many items are examined at most.
    pub limit: Option<u64>,
    /// The bytes of the page that other stretches have taken already.
    pub bytes_before: u64,
    /// Which of the examined items are answered.
    pub filter: Option<&'a Condition>,
    /// What is answered of them.
    pub output: Output<'a>,
    /// What the read is charged for.
    pub consistency: Consistency,
}

impl ReadPlan<'_> {
    /// The hash of the partition that the read begins in. A Scan goes on into others, which come so soon one after
    /// the other that none of them is hot for it.
    pub(crate) fn hash(&self) -> Option<u32> {
        match (&self.partition, &self.start_after) {
            (Some((hash, _)), _) => Some(*hash),
            (None, Some(place)) => Some(hash_of_place(place)),
            (None, None) => Some(hash_of_place(&self.extent.0.lower)),
        }
    }
}

/// What is answered of each item that passes the filter.
#[derive(Debug, Clone, Copy)]
pub enum Output<'a> {
    /// It is counted.
    Count,
    /// All of it.
    Items,
    /// The paths of a projection.
    Projected(&'a Projection),
    /// Paths, each under a name of its own.
    Columns(&'a [Column]),
}

/// A stretch of a table's or an index's keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent(Span);

impl Extent {
    /// Every item of the table.
    pub fn table() -> Extent {
        Extent(Span { lower: Vec::new(), upper: None })
    }

    /// The items whose places begin as `place` does, a partition's or one within it, and whose next key
    /// attribute meets a condition.
    ///
    /// # Errors
    /// When the condition's values are of no key type.
    pub fn beginning(place: &ItemKey, next: Option<&SortCondition<'_>>) -> Result<Extent, ItemFault> {
        match Span::of(place.bytes(), next) {
            Ok(span) => Ok(Extent(span)),
            Err(NotAKeyType(_)) => Err(ItemFault::KeyMismatch),
        }
    }

    /// The share of the table that segment `segment` of `total` owns: a range of hashes.
    pub fn segment(segment: u64, total: u64) -> Extent {
        const HASHES: u128 = 1 << u32::BITS;
        let edge = |segment: u64| {
            let hash = u128::from(segment) * HASHES / u128::from(total.max(1));
            u32::try_from(hash).ok().map(|hash| hash.to_be_bytes().to_vec())
        };
        // The last segment ends where the hashes do.
        Extent(Span { lower: edge(segment).unwrap_or_default(), upper: edge(segment.saturating_add(1)) })
    }

    /// The stretch that is part of both.
    #[must_use]
    pub fn intersection(self, other: &Extent) -> Extent {
        let Span { lower, upper } = self.0;
        let upper = match (upper, &other.0.upper) {
            (Some(one), Some(two)) => Some(one.min(two.clone())),
            (one, two) => one.or_else(|| two.clone()),
        };
        Extent(Span { lower: lower.max(other.0.lower.clone()), upper })
    }

    /// Whether nothing can lie inside.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the stretch begins.
    pub fn lower(&self) -> &[u8] {
        &self.0.lower
    }

    /// Whether a place lies inside.
    pub fn contains(&self, place: &[u8]) -> bool {
        self.0.contains(place)
    }

    /// The stretch as the store's bounds.
    pub fn bounds(&self) -> Bounds<'_> {
        let upper = self.0.upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        Bounds::new(Bound::Included(&self.0.lower), upper)
    }

    /// What remains of the stretch after `place`, walked in `direction`.
    #[must_use]
    pub fn after(self, place: &[u8], direction: Direction) -> Extent {
        let Span { lower, upper } = self.0;
        Extent(match direction {
            Direction::Forward => {
                // The least key above a key is that key with a zero byte behind it.
                let next = [place, &[0]].concat();
                Span { lower: lower.max(next), upper }
            }
            Direction::Backward => {
                let upper = match upper {
                    Some(upper) if upper.as_slice() <= place => upper,
                    _ => place.to_vec(),
                };
                Span { lower, upper: Some(upper) }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use keyplan_value::ValueRef;

    use super::*;

    #[test]
    fn segments_share_the_hashes_without_gap_or_overlap() {
        for total in [1, 2, 3, 7, 1_000_000] {
            let places = [0, 1, 0x5555_5555, 0x8000_0000, u32::MAX - 1, u32::MAX];
            for place in places.map(|hash: u32| [&hash.to_be_bytes()[..], b"rest"].concat()) {
                let near = (u64::from(hash_of_place(&place)) * total) >> 32;
                let owners = (near.saturating_sub(1)..=(near + 1).min(total - 1))
                    .filter(|segment| Extent::segment(*segment, total).contains(&place))
                    .count();
                assert_eq!(owners, 1, "{total} segments, place {place:02x?}");
            }
        }
    }

    fn between(low: &str, high: &str) -> (Extent, impl Fn(&str) -> Vec<u8>) {
        let partition = ItemKey::of_partition([ValueRef::string("p")]).expect("a key type");
        let sort = SortCondition::Between(ValueRef::string(low), ValueRef::string(high));
        let extent = Extent::beginning(&partition, Some(&sort)).expect("key types");
        let place = move |sort: &str| {
            let mut place = partition.bytes().to_vec();
            keyplan_value::key::encode_attribute(ValueRef::string(sort), &mut place).expect("a key type");
            place
        };
        (extent, place)
    }

    #[test]
    fn a_start_narrows_the_stretch_and_never_widens_it() {
        let (extent, place) = between("5", "9");
        let forward = |start: &str| extent.clone().after(&place(start), Direction::Forward);
        let backward = |start: &str| extent.clone().after(&place(start), Direction::Backward);
        assert!(!forward("7").contains(&place("7")));
        assert!(forward("7").contains(&place("70")));
        assert!(backward("7").contains(&place("6")));
        assert!(!backward("7").contains(&place("7")));
        assert!(!forward("2").contains(&place("4")), "the condition still holds");
        assert!(!backward("99").contains(&place("91")), "the condition still holds");
        assert!(!forward("9").contains(&place("9")));
        assert!(!backward("5").contains(&place("5")));
    }
}
