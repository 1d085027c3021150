//! The limits of PartiQL statements, each with its unit and its one home.

/// Parentheses, lists, maps, sets and calls inside each other: deeper than any value may be nested. It is
/// what bounds every recursion over a statement.
pub const NESTING_LEVELS_MAX: usize = 150;

/// Deepest nesting of a value that is written in a statement.
pub const VALUE_LEVELS_MAX: usize = 31;
