//! Whether Keyplan keeps what it promises under load and when it is killed.
//!
//! # What it is
//!
//! Clients send requests of every kind that writes and reads items, all at once, and note when each was sent and
//! answered ([`load`]). Afterwards
//!
//! - [`linearize`] looks for one order of a group's requests that explains every answer: then items are
//!   linearizable, transactions are atomic and isolated, and no addition is lost;
//! - [`records`] holds the stream against what was answered: a record for each write, in order, those of a
//!   transaction together;
//! - `verify` of the engine holds indexes, counts, expiry times and journals against the items.
//!
//! [`kill`](kill::kill) does it with the command `keyplan serve` on a file, which is killed at random moments;
//! [`histories`](stores::histories) with an engine in this process, on every store, also on ones that run closures
//! again. `cargo xtask torture` runs both for long; the tests of this crate and of the command run a short form.
//!
//! ```
//! use keyplan_torture::stores::{Histories, Home, histories};
//!
//! let each = Histories { clients: 8, requests: 10, seed: 1 };
//! let counts = histories(Home::Memory, each, &mut |counts| counts.runs < 1).expect("all is well");
//! assert!(counts.answered >= 80);
//! ```
//!
//! # What it is not
//!
//! It compares no answers with the service's: that is what `keyplan-compare` and the conformance cases are for.
#![forbid(unsafe_code)]

mod definitions;
pub mod history;
pub mod kill;
pub mod linearize;
pub mod load;
pub mod records;
pub mod run;
pub mod service;
pub mod stores;
mod table;

pub use run::Counts;
