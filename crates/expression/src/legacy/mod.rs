//! The parameters from before expressions: they become the same trees.
//!
//! Expected, QueryFilter, ScanFilter and KeyConditions give each attribute a comparison operator and
//! values; AttributeUpdates gives each an action. What is read here of a request is its words and
//! values, already decoded; what is made is a [`Condition`](crate::Condition), a
//! [`KeyCondition`](crate::KeyCondition), an [`Update`](crate::Update) or a
//! [`Projection`](crate::Projection) like any other.

mod condition;
mod error;
mod operator;
mod update;

pub use condition::{Combination, Expectation, LegacyCondition};
pub use error::LegacyError;
pub use operator::ComparisonOperator;
pub use update::{AttributeAction, AttributeUpdate};

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::path::DocumentPath;
use crate::projection::Projection;

impl Projection {
    /// The projection onto whole attributes that AttributesToGet names.
    ///
    /// # Errors
    /// If a name comes twice.
    pub fn of_attributes<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Projection, LegacyError> {
        let names: Vec<&str> = names.into_iter().collect();
        let mut seen = BTreeSet::new();
        let twice = |name: &str| LegacyError::NameTwice { name: name.to_owned() };
        if let Some(name) = names.iter().find(|name| !seen.insert(**name)) {
            return Err(twice(name));
        }
        let paths = names.iter().map(|name| DocumentPath::new(Arc::from(*name), [])).collect();
        // Attributes of different names neither overlap nor conflict.
        Projection::new(paths).map_err(|_| twice(""))
    }
}
