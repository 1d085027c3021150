//! Grading of exercises: what an answer returns, what it leaves in the tables, and what it costs.
//!
//! # What it is
//!
//! An [`Exercise`] holds its data, other data on which the right answer is another one, a solution and
//! what is checked. [`grade`] runs the reader's requests and the solution on engines of their own, on both
//! sets of data, and compares. The [`Verdict`] lists the checks and, when one failed, names the mistake: a
//! [`Rule`] of the exercise that fits, or else one of the [`general_diagnoses`], told from traces and results.
//!
//! It runs natively and in the browser's worker, so exercises, answers and verdicts are JSON that is read and
//! written with [`keyplan_value::json`].
//!
//! ```
//! use keyplan_engine::Timestamp;
//! use keyplan_grading::{Checks, Exercise, Request, ReturnedCheck, grade};
//!
//! let request = |operation: &str, body: &str| Request {
//!     target: format!("DynamoDB_20120810.{operation}"),
//!     body: body.to_owned(),
//! };
//! let exercise = Exercise {
//!     setup: vec![
//!         request(
//!             "CreateTable",
//!             r#"{"TableName": "Loans", "BillingMode": "PAY_PER_REQUEST",
//!                 "AttributeDefinitions": [{"AttributeName": "branch", "AttributeType": "S"}],
//!                 "KeySchema": [{"AttributeName": "branch", "KeyType": "HASH"}]}"#,
//!         ),
//!         request("PutItem", r#"{"TableName": "Loans", "Item": {"branch": {"S": "mill"}}}"#),
//!         request("PutItem", r#"{"TableName": "Loans", "Item": {"branch": {"S": "pier"}}}"#),
//!     ],
//!     solution: vec![request("GetItem", r#"{"TableName": "Loans", "Key": {"branch": {"S": "mill"}}}"#)],
//!     checks: Checks { returned: Some(ReturnedCheck::default()), examined: Some(1), ..Checks::default() },
//!     ..Exercise::default()
//! };
//! let scan = r#"{"TableName": "Loans", "FilterExpression": "branch = :b",
//!                "ExpressionAttributeValues": {":b": {"S": "mill"}}}"#;
//! let verdict = grade(&exercise, &[request("Scan", scan)], Timestamp(0))?;
//! assert!(!verdict.passed());
//! assert_eq!(
//!     verdict.diagnosis.expect("it failed").title,
//!     "Right items, but 2 were read to return 1: a filter did the work."
//! );
//! # Ok::<(), keyplan_grading::WorldError>(())
//! ```
//!
//! # What it is not
//!
//! It never touches a reader's own stores, and it computes no units: the engine's traces say what was read and
//! charged.
#![forbid(unsafe_code)]

mod compare;
mod diagnosis;
mod exercise;
mod grade;
pub mod limits;
mod rule;
mod verdict;
mod world;

pub use compare::{ItemsDifference, TableFault};
pub use diagnosis::{general_diagnoses, is_general_diagnosis};
pub use exercise::{Checks, Exercise, FormError, Request, ReturnedCheck, Variant, read_requests};
pub use grade::grade;
pub use keyplan_value::Item;
pub use rule::Rule;
pub use verdict::{Check, CheckKind, Diagnosis, Verdict};
pub use world::{Outcome, Replied, TableImage, World, WorldError};
