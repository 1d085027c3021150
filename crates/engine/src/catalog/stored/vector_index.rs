//! A vector index, as a part of its table's stored item.

use keyplan_store::Space;
use keyplan_value::{AttributeValue, ValueKind, ValueRef};

use super::index::{projection, read_projection};
use super::{map, whole};
use crate::catalog::{DistanceFunction, KeyAttribute, SearchElement, SearchRole, VectorIndexDefinition};

pub(super) fn vector_index(index: &VectorIndexDefinition) -> AttributeValue {
    let element = |element: &SearchElement| {
        map([
            ("Name", element.attribute.name.as_str().into()),
            ("Type", element.attribute.kind.code().into()),
            ("Role", element.role.word().into()),
        ])
    };
    let mut members = vec![
        ("IndexName", index.name.as_str().into()),
        ("Space", index.space.0.into()),
        ("VectorAttribute", index.attribute.as_str().into()),
        ("Dimensions", u64::from(index.dimensions).into()),
        ("DistanceFunction", index.distance.word().into()),
        ("SearchSchema", AttributeValue::L(index.search_schema.iter().map(element).collect())),
        ("Added", index.added.into()),
    ];
    members.extend(projection(&index.projection));
    map(members)
}

pub(super) fn read(value: ValueRef<'_>) -> Option<VectorIndexDefinition> {
    let text = |name: &str| value.get(name).and_then(|value| value.as_str());
    let element = |value: ValueRef<'_>| {
        Some(SearchElement {
            attribute: KeyAttribute {
                name: value.get("Name")?.as_str()?.to_owned(),
                kind: ValueKind::from_code(value.get("Type")?.as_str()?)?,
            },
            role: SearchRole::from_word(value.get("Role")?.as_str()?)?,
        })
    };
    Some(VectorIndexDefinition {
        name: text("IndexName")?.to_owned(),
        space: Space(value.get("Space").and_then(whole)?),
        attribute: text("VectorAttribute")?.to_owned(),
        dimensions: value.get("Dimensions").and_then(whole)?.try_into().ok()?,
        distance: DistanceFunction::from_word(text("DistanceFunction")?)?,
        search_schema: value.get("SearchSchema")?.elements().map(element).collect::<Option<Vec<_>>>()?,
        projection: read_projection(value)?,
        added: value.get("Added")?.as_bool()?,
    })
}
