//! Model files: one table design as text, read, checked and run.
//!
//! # What it is
//!
//! A model file (YAML) states tables, entities with key templates such as `CUSTOMER#<customerId>`,
//! access patterns with their parameters, sample items, and what each pattern must return and may
//! cost. [`Model::parse`] reads one and either gives a [`Model`] in which every name is resolved, or a
//! [`ModelError`] whose findings say where, what is wrong and what to do. A model can then
//!
//! - be set up: [`Model::setup`] gives the requests that make its tables and put its items;
//! - be asked: [`Pattern::request`] fills a pattern's parameters in, [`Pattern::template`] leaves
//!   `<name>` where they go, for a page that fills them in itself ([`Model::page_data`]);
//! - be run: [`Model::run`] asks every pattern on an engine and compares counts, entities and units, in
//!   total and for each index;
//! - be held against its [`CounterDesign`]: other tables and keys over the same sample items, asked the
//!   same question.
//!
//! [`json_schema`] is the form as a JSON Schema, made from the same types that read the file.
//!
//! ```
//! use keyplan_model::Model;
//!
//! let model = Model::parse(
//!     r#"
//! keyplan: 1
//! title: Ski passes
//! question: Which lifts has this pass used?
//! category: leisure
//! summary: Each pass is a partition; its rides stand in it by time.
//! tables:
//!   Lifts: { key: { partition: pk, sort: sk } }
//! entities:
//!   Ride: { table: Lifts, key: { pk: "PASS#<passId>", sk: "RIDE#<at>" }, attributes: { lift: S } }
//! patterns:
//!   rides:
//!     question: Which lifts has this pass used?
//!     operation: Query
//!     table: Lifts
//!     where: { pk: "PASS#<passId>", sk: { begins_with: "RIDE#" } }
//!     parameters: { passId: { example: p-1 } }
//! items:
//!   - Ride: { passId: p-1, at: "2026-01-03T09:14", lift: north }
//! "#,
//!     "ski-passes.yaml",
//! )?;
//! assert_eq!(model.id, "ski-passes");
//! assert_eq!(model.setup().len(), 2);
//! let rides = &model.patterns[0];
//! let request = rides.request(&rides.examples())?;
//! assert_eq!(request.operation, "Query");
//! assert_eq!(request.body["ExpressionAttributeValues"][":partition"]["S"], "PASS#p-1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it is not
//!
//! It does no I/O: texts come in, findings and requests go out. It knows no DynamoDB behaviour of its
//! own: what a pattern returns and costs is the engine's answer.
//!
//! # How a file is read
//!
//! `yaml` makes nodes that know their place; `decode` reads them into the types of `shape`, which
//! are the form of the file and the source of its schema; `check` resolves names and makes the
//! [`Model`]. `problem` holds every fault and its words. Reading is bounded by [`limits`].
#![forbid(unsafe_code)]

mod check;
mod decode;
mod finding;
pub mod form;
pub mod limits;
mod model;
mod page;
mod parse;
mod pattern;
mod placed;
mod problem;
mod request;
mod run;
mod sample;
mod schema;
mod setup;
mod shape;
mod template;
mod traffic;
mod types;
mod units;
mod yaml;

pub use keyplan_engine::capacity::Units;

pub use finding::{Finding, ModelError, Position};
pub use model::{
    Attribute, Billing, CounterDesign, Design, Entity, Index, IndexScope, KeyAttribute, KeyTemplate, Model,
    Note, NoteKind, Projection, SampleItem, StreamView, Table,
};
pub use pattern::{Costs, Operation, Parameter, Pattern, Returns};
pub use problem::{Named, Problem, TemplateProblem};
pub use request::{ParameterError, Request, RequestTemplate};
pub use run::{Cost, Difference, PatternRun, RunError};
pub use schema::json_schema;
pub use template::{Part, Template};
pub use traffic::{Rate, Traffic};
pub use types::{AttributeType, KeyType};
