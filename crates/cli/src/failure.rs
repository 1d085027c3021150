//! How a command fails.

/// The exit code of a command that failed.
pub(crate) const EXIT_FAILURE: u8 = 1;

/// The exit code of an endpoint whose requests broke a rule of cost, so that a script can tell it from
/// an endpoint that failed.
const EXIT_COST: u8 = 3;

/// The exit code where nothing can be said of a file, so that a script can tell it from one that is wrong.
const EXIT_UNVERIFIABLE: u8 = 2;

/// What is wrong and what to do, in one line where that can be, and the exit code it ends with.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: EXIT_FAILURE }
    }

    /// A file that can't be looked at.
    pub(crate) fn unverifiable(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: EXIT_UNVERIFIABLE }
    }

    /// A run that cost more, or did more, than it may.
    pub(crate) fn cost(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: EXIT_COST }
    }
}
