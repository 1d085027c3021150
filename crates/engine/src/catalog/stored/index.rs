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
        ("Projection", index.projection.word().into()),
        ("Throughput", settings(&index.throughput)),
        ("Added", index.added.into()),
    ];
    if let IndexProjection::Include(names) = &index.projection {
        let names = names.iter().map(|name| name.as_str().into());
        members.push(("NonKeyAttributes", AttributeValue::L(names.collect())));
    }
    map(members)
}

pub(super) fn read(value: ValueRef<'_>) -> Option<IndexDefinition> {
    let text = |name: &str| value.get(name).and_then(|value| value.as_str());
    let named = || {
        let names = value.get("NonKeyAttributes")?.elements();
        names.map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    Some(IndexDefinition {
        name: text("IndexName")?.to_owned(),
        scope: match text("Scope")? {
            "GLOBAL" => IndexScope::Global,
            "LOCAL" => IndexScope::Local,
            _ => return None,
        },
        space: Space(value.get("Space").and_then(whole)?),
        key_schema: read_key_schema(value.get("KeySchema")?)?,
        projection: match text("Projection")? {
            "ALL" => IndexProjection::All,
            "KEYS_ONLY" => IndexProjection::KeysOnly,
            "INCLUDE" => IndexProjection::Include(named()?),
            _ => return None,
        },
        throughput: read_settings(value.get("Throughput")?)?,
        added: value.get("Added")?.as_bool()?,
    })
}
