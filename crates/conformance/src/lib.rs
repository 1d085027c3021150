//! The conformance cases: DynamoDB's behaviour as data, and what runs it against an endpoint.
//!
//! # What it is
//!
//! A [`CaseFile`] (`conformance/cases/*.yaml`, see `conformance/README.md` for the form) has one topic,
//! the requests that set its tables up, and cases: a request, and the exact answer with the source
//! that says so. [`run`] sends them to a [`Target`] and makes a [`Report`] by topic. [`HttpTarget`] is
//! any endpoint; [`InProcess`] is the engine of this very build, and [`run_in_process`] holds it against
//! cases such as those that are [`built_in`]. [`Against`] sets two reports side by side. [`not_built`] lists the operations that a target doesn't know.
//!
//! ```
//! use keyplan_conformance::{Answer, CaseFile, Target, TargetError, run};
//!
//! /// An endpoint that has no table, whatever it is asked.
//! struct Nothing;
//!
//! impl Target for Nothing {
//!     fn send(&mut self, _target: &str, _body: &[u8]) -> Result<Answer, TargetError> {
//!         let body = br#"{"TableNames":[]}"#.to_vec();
//!         Ok(Answer { status: 200, head: None, body })
//!     }
//! }
//!
//! let file = CaseFile::parse(
//!     r#"
//! topic: tables
//! about: Tables by name.
//! cases:
//!   - name: an account without tables lists none
//!     source: API reference, ListTables
//!     request: {ListTables: {}}
//!     answer: {status: 200, body: {"TableNames": []}}
//! "#,
//!     "tables.yaml",
//! )?;
//! let report = run(&[file], &mut Nothing);
//! assert_eq!((report.passed(), report.failed()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it is not
//!
//! It takes nothing from Keyplan's engine but answers: the cases and their sources are the authority, and
//! any endpoint can be held against them. It signs nothing: the `Authorization` header that it sends has
//! the right form and no secret.
#![forbid(unsafe_code)]

mod against;
mod case;
mod compare;
mod http;
mod in_process;
mod load;
mod not_built;
mod report;
mod run;
mod target;

pub use against::Against;
pub use case::{Case, CaseError, CaseFile, Expected, ObjectFile, Request};
pub use compare::Mismatch;
pub use http::HttpTarget;
pub use in_process::{InProcess, all_targets, run_in_process};
pub use load::{LoadError, built_in, load};
pub use not_built::not_built;
pub use report::{Failure, Outcome, Report, Topic};
pub use run::run;
pub use target::{Answer, Head, Target, TargetError};
