//! What an exercise and an answer may hold. Both come from a page, so both are bounded.

/// The most requests of one part of an exercise, such as its setup.
pub const EXERCISE_REQUESTS_MAX: usize = 2_000;

/// The most requests of a reader's answer.
pub const ANSWER_REQUESTS_MAX: usize = 50;

/// The most pages that are read of a table to compare it.
pub(crate) const TABLE_PAGES_MAX: usize = 64;
