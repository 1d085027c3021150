//! What a lesson has, in numbers.

use std::ops::RangeInclusive;

/// Words of a lesson's text.
pub const WORDS: RangeInclusive<usize> = 120..=350;

/// Steps of a lesson.
pub const STEPS: RangeInclusive<usize> = 2..=6;

/// Hints of an exercise.
pub const HINTS: usize = 3;
