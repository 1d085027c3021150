//! Reading a file that people write: YAML text as typed values that know where they stand.
//!
//! Model files are read with it, and so are the other files under `content/`. A form is a set of types
//! that serde reads and schemars describes; a value that can be at fault later is wrapped in [`At`], a
//! list or mapping that shall tell all its faults at once is an [`Each`] or [`Entries`].
//!
//! ```
//! use keyplan_model::form::{At, Findings, read};
//!
//! #[derive(serde::Deserialize)]
//! struct Note {
//!     title: At<String>,
//! }
//!
//! let mut findings = Findings::default();
//! let note: Note = read("title: A day in the key", &mut findings).expect("it fits");
//! assert_eq!(note.title.at.to_string(), "1:8");
//! assert!(read::<Note>("titel: A day", &mut findings).is_none());
//! assert!(!findings.is_empty());
//! ```

use serde::de::DeserializeOwned;

use crate::decode::decode;
use crate::yaml::{self, find_duplicate_members};

pub use crate::check::tables::check as tables;
pub use crate::check::{filled, is_id};
pub use crate::finding::{Findings, nearest};
pub use crate::placed::{At, Each, Entries, Plain};
pub use crate::sample::{inferred, typed};
pub use crate::setup::create_table;
pub use crate::shape::{Flag, TableShape, UnitsText};
pub use crate::units::parse as parse_units;

/// Reads one document as a `T`. Whatever is wrong with it becomes findings.
pub fn read<T: DeserializeOwned>(text: &str, findings: &mut Findings) -> Option<T> {
    match yaml::read(text) {
        Ok(node) => {
            find_duplicate_members(&node, findings);
            decode(&node, findings)
        }
        Err(finding) => {
            findings.add(finding.at, || finding.problem);
            None
        }
    }
}
