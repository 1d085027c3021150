//! What an index projects.

use keyplan_value::json::Node;

use super::key_schema::first_repeated;
use crate::catalog::IndexProjection;
use crate::error::IndexError;
use crate::validate::{present, string};

/// Reads and checks the projection of an index.
pub(super) fn projection(index: Node<'_, '_>) -> Result<IndexProjection, IndexError> {
    // The constraints of the shape see to it that an index has one.
    let projection = present(index, "Projection").ok_or(IndexError::ProjectionUnknown)?;
    let named = present(projection, "NonKeyAttributes");
    let Some(kind) = string(projection, "ProjectionType") else {
        return Err(IndexError::ProjectionUnknown);
    };
    let names: Option<Vec<String>> =
        named.map(|names| names.elements().filter_map(|name| name.string()).map(Into::into).collect());
    match (kind.as_ref(), names) {
        ("ALL", Some(_)) => Err(IndexError::NonKeyAttributesWith("ALL")),
        ("KEYS_ONLY", Some(_)) => Err(IndexError::NonKeyAttributesWith("KEYS_ONLY")),
        ("ALL", None) => Ok(IndexProjection::All),
        ("KEYS_ONLY", None) => Ok(IndexProjection::KeysOnly),
        (_, None) => Err(IndexError::NonKeyAttributesMissing),
        (_, Some(names)) => match first_repeated(names.iter().map(String::as_str)) {
            Some(twice) => Err(IndexError::NonKeyAttributeTwice(twice.to_owned())),
            None => Ok(IndexProjection::Include(names)),
        },
    }
}
