//! Why a command stopped, in words for the person at the terminal.

use std::fmt;

/// A message that says what went wrong and, where that is known, what to do about it.
#[derive(Debug)]
pub struct Failure(String);

/// What every step of `cargo xtask` returns.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Adds to an error what was being done when it came.
pub trait While<T> {
    fn when(self, doing: impl FnOnce() -> String) -> Outcome<T>;
}

impl<T, E: fmt::Display> While<T> for Result<T, E> {
    fn when(self, doing: impl FnOnce() -> String) -> Outcome<T> {
        self.map_err(|error| Failure(format!("{}: {error}", doing())))
    }
}
