//! What an index projects.

use keyplan_value::json::Node;

use super::key_schema::first_repeated;
use crate::error::IndexError;
use crate::validate::{present, string};

/// Checks a projection; says how many attributes it names.
pub(super) fn projection(index: Node<'_, '_>) -> Result<usize, IndexError> {
    // The constraints of the shape see to it that an index has one.
    let Some(projection) = present(index, "Projection") else { return Ok(0) };
    let named = present(projection, "NonKeyAttributes");
    let Some(kind) = string(projection, "ProjectionType") else {
        return Err(IndexError::ProjectionUnknown);
    };
    let Some(named) = named else {
        return if kind == "INCLUDE" { Err(IndexError::NonKeyAttributesMissing) } else { Ok(0) };
    };
    match kind.as_ref() {
        "ALL" => return Err(IndexError::NonKeyAttributesWith("ALL")),
        "KEYS_ONLY" => return Err(IndexError::NonKeyAttributesWith("KEYS_ONLY")),
        _ => {}
    }
    let names: Vec<_> = named.elements().filter_map(|name| name.string()).collect();
    match first_repeated(names.iter().map(|name| name.as_ref())) {
        Some(twice) => Err(IndexError::NonKeyAttributeTwice(twice.to_owned())),
        None => Ok(names.len()),
    }
}
