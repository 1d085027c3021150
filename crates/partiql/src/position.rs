//! Where something stands in a statement.

use std::fmt;

/// The place of a token, as messages write it: line, column and length, counted in characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// The characters.
    pub length: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.line, self.column, self.length)
    }
}
