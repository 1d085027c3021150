//! Which keys a range covers, and how it is walked.

use std::ops::Bound;

/// The keys a range covers, compared as unsigned bytes. A range whose lower end lies above its
/// upper end covers nothing; it is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds<'a> {
    /// Where the keys begin.
    pub lower: Bound<&'a [u8]>,
    /// Where they end.
    pub upper: Bound<&'a [u8]>,
}

impl<'a> Bounds<'a> {
    /// Every key of the keyspace.
    pub const ALL: Bounds<'static> = Bounds { lower: Bound::Unbounded, upper: Bound::Unbounded };

    /// The keys between two ends.
    pub fn new(lower: Bound<&'a [u8]>, upper: Bound<&'a [u8]>) -> Self {
        Self { lower, upper }
    }

    /// Whether a key lies inside.
    pub fn contains(&self, key: &[u8]) -> bool {
        let above = match self.lower {
            Bound::Included(lower) => key >= lower,
            Bound::Excluded(lower) => key > lower,
            Bound::Unbounded => true,
        };
        let below = match self.upper {
            Bound::Included(upper) => key <= upper,
            Bound::Excluded(upper) => key < upper,
            Bound::Unbounded => true,
        };
        above && below
    }

    /// Whether the two ends leave no room for any key. Ordered maps panic on such ranges, so
    /// a store asks this first.
    pub fn is_empty(&self) -> bool {
        match (self.lower, self.upper) {
            (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
            (
                Bound::Included(lower) | Bound::Excluded(lower),
                Bound::Included(upper) | Bound::Excluded(upper),
            ) => lower >= upper,
            _ => false,
        }
    }
}

/// Which way a range is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the smallest key to the largest.
    Forward,
    /// From the largest key to the smallest.
    Backward,
}

/// What a visitor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// The next entry, if there is one.
    Continue,
    /// Nothing more; the range ends here.
    Stop,
}
