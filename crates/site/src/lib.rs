//! The pages of Keyplan, rendered from lessons, model files, prices and the built browser code.
//!
//! # What it is
//!
//! [`Site::build`] takes the texts of model and lesson files, the prices and the outcome of the
//! conformance cases ([`Content`]) and the files that `web/` was built into ([`Assets`]), and makes every
//! page and file of the site. What it made is served
//! ([`Site::page`]) or written out as a static site ([`Site::files`]); both are the same bytes.
//! Addresses inside are relative, so any host and any path will do.
//!
//! A model's page shows the state before the first request: its tables are set up on an engine of
//! the page's own, and the plan is drawn from what that engine's inspection says. The browser code
//! mounts over it from the data in the page and must say the same before the first request; a
//! browser test compares the two texts. Without scripts the page can be read all the same.
//!
//! Every page carries [`CONTENT_SECURITY_POLICY`]: nothing inline, nothing from elsewhere.
//!
//! # What it is not
//!
//! It reads no files, knows no sockets, and holds no content: no table, item or figure of a model
//! stands here. It computes no bytes or units; the engine does.
//!
//! ```
//! use keyplan_site::{Assets, Content, Site};
//!
//! let yaml = r#"
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
//! "#;
//! let content = Content { models: &[("ski-passes.yaml", yaml)], ..Content::default() };
//! let site = Site::build(&content, Assets::none())?;
//! let page = site.page("/models/ski-passes/").expect("a model has a page");
//! assert_eq!(page.content_type, "text/html; charset=utf-8");
//! # Ok::<(), keyplan_site::SiteError>(())
//! ```
#![forbid(unsafe_code)]

mod assets;
mod cells;
mod console_page;
mod content;
mod content_type;
mod course_page;
mod course_texts;
mod error;
mod figures;
mod gallery_page;
mod home_page;
mod indexes;
mod key_plan;
mod layout;
mod lesson_page;
mod lesson_request;
mod lesson_text;
mod model_page;
mod not_found_page;
mod offline;
mod plan;
mod questions;
mod receipt;
mod site;
mod stage;
mod statement_page;
mod values;
mod versus;

pub use assets::Assets;
pub use content::{Content, Statement, StatementTopic};
pub use error::SiteError;
pub use layout::CONTENT_SECURITY_POLICY;
pub use site::{Page, Site, THIRD_PARTY};
