//! A secondary index, as a part of its table's stored item.

use keyplan_store::Space;
use keyplan_value::{AttributeValue, ValueRef};

use super::key::{key_schema, read_key_schema};
use super::throughput::{read_settings, settings};
use super::{map, whole};
use crate::catalog::{IndexDefinition, IndexProjection, IndexScope};

pub(super) fn index(index: &IndexDefinition) -> AttributeValue {
    let scope = match index.scope {
        IndexScope::Global => "GLOBAL",
        IndexScope::Local => "LOCAL",
    };
    let mut members = vec![
        ("IndexName", index.name.as_str().into()),
        ("Scope", scope.into()),
        ("Space", index.space.0.into()),
        ("KeySchema", key_schema(&index.key_schema)),
        ("Throughput", settings(&index.throughput)),
        ("Added", index.added.into()),
    ];
    members.extend(projection(&index.projection));
    map(members)
}

/// The members that say what an index projects.
pub(super) fn projection(of: &IndexProjection) -> Vec<(&'static str, AttributeValue)> {
    let mut members = vec![("Projection", of.word().into())];
    if let IndexProjection::Include(names) = of {
        let names = names.iter().map(|name| name.as_str().into());
        members.push(("NonKeyAttributes", AttributeValue::L(names.collect())));
    }
    members
}

pub(super) fn read_projection(value: ValueRef<'_>) -> Option<IndexProjection> {
    let named = || {
        let names = value.get("NonKeyAttributes")?.elements();
        names.map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    match value.get("Projection")?.as_str()? {
        "ALL" => Some(IndexProjection::All),
        "KEYS_ONLY" => Some(IndexProjection::KeysOnly),
        "INCLUDE" => Some(IndexProjection::Include(named()?)),
        _ => None,
    }
}

pub(super) fn read(value: ValueRef<'_>) -> Option<IndexDefinition> {
    let text = |name: &str| value.get(name).and_then(|value| value.as_str());
    Some(IndexDefinition {
        name: text("IndexName")?.to_owned(),
        scope: match text("Scope")? {
            "GLOBAL" => IndexScope::Global,
            "LOCAL" => IndexScope::Local,
            _ => return None,
        },
        space: Space(value.get("Space").and_then(whole)?),
        key_schema: read_key_schema(value.get("KeySchema")?)?,
        projection: read_projection(value)?,
        throughput: read_settings(value.get("Throughput")?)?,
        added: value.get("Added")?.as_bool()?,
    })
}
