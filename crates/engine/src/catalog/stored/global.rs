//! Global tables, as parts of a table's stored item.

use keyplan_store::Space;
use keyplan_value::{AttributeValue, ValueRef};

use super::{map, whole};
use crate::call::Timestamp;
use crate::catalog::{GlobalTable, Membership, Replica, TableDefinition};

/// Adds what a table that isn't or wasn't a part of a global table doesn't have.
pub(super) fn write(table: &TableDefinition, members: &mut Vec<(&str, AttributeValue)>) {
    members.extend(table.region.as_deref().map(|region| ("Region", region.into())));
    members.extend(table.global.as_ref().map(|global| ("Global", stored(global))));
    members.extend(table.membership.map(|membership| match membership {
        Membership::Eventual { times } => ("Membership", times.0.into()),
        Membership::Strong => ("Membership", true.into()),
    }));
    members.extend(table.is_filling.then(|| ("IsFilling", true.into())));
    members.extend(table.settings_replication.map(|mode| ("SettingsReplication", mode.word().into())));
    let protected = table.disassociation_protection;
    members.extend(protected.map(|protected| ("DisassociationProtection", protected.into())));
}

fn stored(global: &GlobalTable) -> AttributeValue {
    let replica = |replica: &Replica| {
        map([
            ("Region", replica.region.as_str().into()),
            ("Source", replica.source.as_str().into()),
            ("AddedAt", replica.added_at.0.into()),
        ])
    };
    let mut members = vec![
        ("Home", global.home.as_str().into()),
        ("Replicas", AttributeValue::L(global.replicas.iter().map(replica).collect())),
        ("Paused", global.paused.into()),
    ];
    members.extend(global.witness.as_deref().map(|region| ("Witness", region.into())));
    map(members)
}

pub(super) fn read_global(value: ValueRef<'_>) -> Option<GlobalTable> {
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    let replica = |value: ValueRef<'_>| {
        Some(Replica {
            region: value.get("Region")?.as_str()?.to_owned(),
            source: value.get("Source")?.as_str()?.to_owned(),
            added_at: Timestamp(whole(value.get("AddedAt")?)?),
        })
    };
    Some(GlobalTable {
        home: text("Home")?,
        replicas: value.get("Replicas")?.elements().map(replica).collect::<Option<_>>()?,
        witness: text("Witness"),
        paused: value.get("Paused")?.as_bool()?,
    })
}

pub(super) fn read_membership(value: ValueRef<'_>) -> Option<Membership> {
    match value.as_bool() {
        Some(_) => Some(Membership::Strong),
        None => Some(Membership::Eventual { times: Space(whole(value)?) }),
    }
}
