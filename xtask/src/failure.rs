//! Why a command stopped, in words for the person at the terminal.

use std::fmt;

/// A message that says what went wrong and, where that is known, what to do about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    /// What the process ends with.
    status: u8,
}

/// What every step of `cargo xtask` returns.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), status: 1 }
    }

    /// The status of what found nothing wrong, but could not look at everything.
    pub const INCOMPLETE: u8 = 2;

    pub fn incomplete(message: impl Into<String>) -> Self {
        Self { message: message.into(), status: Self::INCOMPLETE }
    }

    pub fn status(&self) -> u8 {
        self.status
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Adds to an error what was being done when it came.
pub trait While<T> {
    fn when(self, doing: impl FnOnce() -> String) -> Outcome<T>;
}

impl<T, E: fmt::Display> While<T> for Result<T, E> {
    fn when(self, doing: impl FnOnce() -> String) -> Outcome<T> {
        self.map_err(|error| Failure::new(format!("{}: {error}", doing())))
    }
}
