//! The two checks that need a request and its shape alone.
//!
//! [`types`] finds JSON of the wrong type (a SerializationException); [`constraints`] finds members
//! that are missing, too long, too large or outside their words (a ValidationException that lists what
//! is broken). Both walk the tape of the request by the tables of [`crate::shapes`]; which members are
//! looked at together, in which order, and in which of the service's two styles a violation is worded,
//! is data of those tables.

mod constraints;
mod echo;
mod member;
mod root;
mod strict;
mod types;
mod violation;

pub use constraints::{constraints, late_constraints};
pub use member::{boolean, integer, long, present, string, timestamp};
pub use root::without_unknown_members;
pub use strict::Position;
pub(crate) use strict::beyond_32_bits;
pub use types::types;
pub use violation::{Violation, Violations};

#[cfg(test)]
mod tests;
