//! A table's definition as a stored item.

mod destination;
mod global;
mod index;
mod key;
mod stream;
mod throughput;
mod vector_index;

use keyplan_store::{SharedBytes, Snapshot, Space};
use keyplan_value::{AttributeValue, Item, ItemRef, ValueRef, order};

use self::key::{attributes, read_attributes};
pub(crate) use self::key::{key_schema, read_key_schema};
pub(crate) use self::stream::{decode_stream, encode_stream};
use super::definition::{BillingMode, TableClass, TableDefinition, parse_uuid, uuid_text};
use super::global::SettingsReplication;
use crate::call::Timestamp;
use crate::error::InternalError;
use crate::spaces::CATALOG;

pub(super) const MALFORMED: InternalError = InternalError::Malformed("a table's definition");

/// The stored form of a definition.
pub(super) fn encode(table: &TableDefinition) -> Result<SharedBytes, InternalError> {
    let mut members: Vec<(&str, AttributeValue)> = vec![
        ("TableName", table.name.as_str().into()),
        ("TableId", uuid_text(table.id).into()),
        ("Revision", table.revision.into()),
        ("Space", table.space.0.into()),
        ("KeySchema", key::key_schema(&table.key_schema)),
        ("AttributeDefinitions", attributes(&table.attribute_definitions)),
        ("BillingMode", table.billing_mode.word().into()),
        ("Throughput", throughput::settings(&table.throughput)),
        ("DeletionProtection", table.deletion_protection.into()),
        ("CreatedAt", table.created_at.0.into()),
    ];
    members.extend(table.collections.map(|space| ("Collections", space.0.into())));
    members.extend(table.on_demand_since.map(|since| ("OnDemandSince", since.0.into())));
    members.extend(table.table_class.map(|class| ("TableClass", class.word().into())));
    members.extend(table.class_changed_at.map(|at| ("ClassChangedAt", at.0.into())));
    members.extend(table.encryption_key.as_deref().map(|key| ("EncryptionKey", key.into())));
    if !table.indexes.is_empty() {
        let indexes = table.indexes.iter().map(index::index);
        members.push(("Indexes", AttributeValue::L(indexes.collect())));
    }
    if !table.vector_indexes.is_empty() {
        let indexes = table.vector_indexes.iter().map(vector_index::vector_index);
        members.push(("VectorIndexes", AttributeValue::L(indexes.collect())));
    }
    if !table.tags.is_empty() {
        let pair = |(key, value): &(String, String)| {
            map([("Key", key.as_str().into()), ("Value", value.as_str().into())])
        };
        members.push(("Tags", AttributeValue::L(table.tags.iter().map(pair).collect())));
    }
    members.extend(table.journal.map(|space| ("Journal", space.0.into())));
    let restored_from = table.restored_from.as_ref();
    members.extend(restored_from.map(|from| ("RestoredFrom", stream::restore_source(from))));
    if !table.copies.is_empty() {
        let copies = table.copies.iter().map(|space| space.0.into());
        members.push(("Copies", AttributeValue::L(copies.collect())));
    }
    members.extend(table.recovery.as_ref().map(|recovery| ("Recovery", stream::recovery(recovery))));
    if table.importing {
        members.push(("Importing", true.into()));
    }
    members.extend(table.stream.as_ref().map(|stream| ("Stream", stream::table_stream(stream))));
    let time_to_live = table.time_to_live.as_ref();
    members.extend(time_to_live.map(|set| ("TimeToLive", stream::time_to_live(set))));
    if !table.destinations.is_empty() {
        let destinations = table.destinations.iter().map(destination::stored);
        members.push(("Destinations", AttributeValue::L(destinations.collect())));
    }
    global::write(table, &mut members);
    let item = Item::from_attributes(members).map_err(|_| MALFORMED)?;
    Ok(item.into_stored())
}

fn map<'n>(members: impl IntoIterator<Item = (&'n str, AttributeValue)>) -> AttributeValue {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    AttributeValue::M(order::entered(members))
}

/// The definition in a stored item.
pub(super) fn decode(bytes: &[u8]) -> Result<TableDefinition, InternalError> {
    let item = ItemRef::from_stored(bytes)?;
    read(item).ok_or(MALFORMED)
}

fn read(item: ItemRef<'_>) -> Option<TableDefinition> {
    let text = |name: &str| item.get(name).and_then(|value| value.as_str());
    let whole = |name: &str| item.get(name).and_then(whole);
    let elements = |name: &str| item.get(name).into_iter().flat_map(|list| list.elements());
    Some(TableDefinition {
        name: text("TableName")?.to_owned(),
        id: parse_uuid(text("TableId")?)?,
        revision: whole("Revision")?,
        space: Space(whole("Space")?),
        collections: whole("Collections").map(Space),
        key_schema: read_key_schema(item.get("KeySchema")?)?,
        attribute_definitions: read_attributes(item.get("AttributeDefinitions")?)?,
        indexes: elements("Indexes").map(index::read).collect::<Option<Vec<_>>>()?,
        vector_indexes: elements("VectorIndexes").map(vector_index::read).collect::<Option<Vec<_>>>()?,
        billing_mode: BillingMode::from_word(text("BillingMode")?)?,
        on_demand_since: whole("OnDemandSince").map(Timestamp),
        throughput: throughput::read_settings(item.get("Throughput")?)?,
        table_class: text("TableClass").and_then(TableClass::from_word),
        class_changed_at: whole("ClassChangedAt").map(Timestamp),
        deletion_protection: item.get("DeletionProtection")?.as_bool()?,
        encryption_key: text("EncryptionKey").map(str::to_owned),
        tags: elements("Tags").map(read_tag).collect::<Option<Vec<_>>>()?,
        journal: whole("Journal").map(Space),
        copies: elements("Copies").map(|space| self::whole(space).map(Space)).collect::<Option<Vec<_>>>()?,
        restored_from: match item.get("RestoredFrom") {
            Some(value) => Some(stream::read_restore_source(value)?),
            None => None,
        },
        recovery: match item.get("Recovery") {
            Some(value) => Some(stream::read_recovery(value)?),
            None => None,
        },
        importing: item.get("Importing").and_then(|value| value.as_bool()).unwrap_or_default(),
        stream: match item.get("Stream") {
            Some(value) => Some(stream::read_table_stream(value)?),
            None => None,
        },
        time_to_live: match item.get("TimeToLive") {
            Some(value) => Some(stream::read_time_to_live(value)?),
            None => None,
        },
        destinations: elements("Destinations").map(destination::read).collect::<Option<Vec<_>>>()?,
        region: text("Region").map(str::to_owned),
        global: match item.get("Global") {
            Some(value) => Some(global::read_global(value)?),
            None => None,
        },
        membership: match item.get("Membership") {
            Some(value) => Some(global::read_membership(value)?),
            None => None,
        },
        is_filling: item.get("IsFilling").is_some(),
        settings_replication: text("SettingsReplication").and_then(SettingsReplication::from_word),
        disassociation_protection: item.get("DisassociationProtection").and_then(|value| value.as_bool()),
        created_at: Timestamp(whole("CreatedAt")?),
    })
}

fn whole(value: ValueRef<'_>) -> Option<u64> {
    value.number()?.to_u64()
}

fn read_tag(value: ValueRef<'_>) -> Option<(String, String)> {
    Some((value.get("Key")?.as_str()?.to_owned(), value.get("Value")?.as_str()?.to_owned()))
}

/// Whether the catalog of a snapshot still has this very state of the table. What reads or writes the
/// table's items in a snapshot asks this first: between looking a table up and running, another request
/// may have dropped or changed it.
///
/// # Errors
/// When the store fails or holds a definition of an unknown form.
pub fn is_current(snapshot: &dyn Snapshot, table: &TableDefinition) -> Result<bool, InternalError> {
    let Some(bytes) = snapshot.get(CATALOG, table.key().as_bytes())? else { return Ok(false) };
    let item = ItemRef::from_stored(&bytes)?;
    // A keyspace's number is never used twice, so it names the incarnation as the id does.
    Ok(item.get("Space").and_then(whole) == Some(table.space.0)
        && item.get("Revision").and_then(whole) == Some(table.revision))
}

#[cfg(test)]
mod tests {
    use keyplan_store::Space;
    use keyplan_value::{Item, ValueKind};

    use super::{decode, encode};
    use crate::call::Timestamp;
    use crate::catalog::{
        BillingMode, Destination, DestinationStatus, DistanceFunction, EnableFault, GlobalTable,
        IndexDefinition, IndexProjection, IndexScope, KeyAttribute, KeySchema, Maxima, Membership, Recovery,
        Replica, RestoreSource, SearchElement, SearchRole, SettingsReplication, StreamView, TableClass,
        TableDefinition, TableStream, Throughput, ThroughputChanges, ThroughputSettings, TimePrecision,
        TimeToLive, VectorIndexDefinition,
    };

    fn attribute(name: &str, kind: ValueKind) -> KeyAttribute {
        KeyAttribute { name: name.to_owned(), kind }
    }

    fn plain() -> TableDefinition {
        TableDefinition {
            name: "Shop".to_owned(),
            id: u128::MAX - 1,
            revision: 3,
            space: Space(u64::MAX),
            collections: None,
            key_schema: KeySchema { partition: vec![attribute("pk", ValueKind::S)], sort: Vec::new() },
            attribute_definitions: vec![attribute("pk", ValueKind::S)],
            indexes: Vec::new(),
            vector_indexes: Vec::new(),
            billing_mode: BillingMode::PayPerRequest,
            on_demand_since: Some(Timestamp(1_764_500_000_123)),
            throughput: ThroughputSettings::default(),
            table_class: None,
            class_changed_at: None,
            deletion_protection: false,
            encryption_key: None,
            tags: Vec::new(),
            journal: None,
            copies: Vec::new(),
            recovery: None,
            restored_from: None,
            importing: false,
            stream: None,
            time_to_live: None,
            destinations: Vec::new(),
            region: None,
            global: None,
            membership: None,
            is_filling: false,
            settings_replication: None,
            disassociation_protection: None,
            created_at: Timestamp(1_764_500_000_123),
        }
    }

    fn full() -> TableDefinition {
        let throughput = ThroughputSettings {
            provisioned: Throughput { read: 5, write: 40_000 },
            changes: ThroughputChanges {
                increased_at: Some(Timestamp(1)),
                decreased_at: Some(Timestamp(2)),
                decreases: 3,
            },
            on_demand_maxima: Maxima { read: Some(1), write: Some(2) },
            warm: Some(Throughput { read: 12_000, write: 4_000 }),
        };
        let index = |name: &str, scope, projection, added| IndexDefinition {
            name: name.to_owned(),
            scope,
            space: Space(17),
            key_schema: KeySchema {
                partition: vec![attribute("a", ValueKind::S), attribute("b", ValueKind::N)],
                sort: vec![attribute("sk", ValueKind::B), attribute("pk", ValueKind::N)],
            },
            projection,
            throughput: ThroughputSettings { warm: None, ..throughput },
            added,
        };
        let names = vec!["z".to_owned(), "y".to_owned()];
        let vector_index = VectorIndexDefinition {
            name: "near".to_owned(),
            space: Space(21),
            attribute: "embedding".to_owned(),
            dimensions: 4_096,
            distance: DistanceFunction::DotProduct,
            search_schema: [("a", SearchRole::Hash), ("b", SearchRole::InlineFilter)]
                .map(|(name, role)| SearchElement { attribute: attribute(name, ValueKind::B), role })
                .into(),
            projection: IndexProjection::Include(names.clone()),
            added: true,
        };
        TableDefinition {
            collections: Some(Space(18)),
            key_schema: KeySchema {
                partition: vec![attribute("pk", ValueKind::N)],
                sort: vec![attribute("sk", ValueKind::B)],
            },
            attribute_definitions: vec![attribute("sk", ValueKind::B), attribute("pk", ValueKind::N)],
            indexes: vec![
                index("all", IndexScope::Global, IndexProjection::All, true),
                index("keys", IndexScope::Local, IndexProjection::KeysOnly, false),
                index("some", IndexScope::Global, IndexProjection::Include(names), false),
            ],
            vector_indexes: vec![vector_index],
            billing_mode: BillingMode::Provisioned,
            on_demand_since: None,
            throughput,
            table_class: Some(TableClass::InfrequentAccess),
            class_changed_at: Some(Timestamp(1_700_000_000_124)),
            deletion_protection: true,
            encryption_key: Some("arn:aws:kms:us-east-1:123456789012:key/k".to_owned()),
            tags: vec![("b".to_owned(), String::new()), ("a".to_owned(), "1".to_owned())],
            journal: Some(Space(19)),
            copies: vec![Space(21), Space(u64::MAX)],
            restored_from: Some(RestoreSource {
                table: "Old".to_owned(),
                backup: Some("01764500000123-0123abcd".to_owned()),
                moment: Timestamp(7),
            }),
            recovery: Some(Recovery { since: Timestamp(1_764_500_000_124), days: 35 }),
            importing: true,
            stream: Some(TableStream {
                label: "2026-11-30T21:05:00.123".to_owned(),
                view: Some(StreamView::NewImage),
            }),
            time_to_live: Some(TimeToLive { attribute: "ttl".to_owned(), space: Space(20) }),
            destinations: vec![
                Destination {
                    arn: "arn:aws:kinesis:us-east-1:123456789012:stream/s".to_owned(),
                    status: DestinationStatus::Active,
                    precision: Some(TimePrecision::Microsecond),
                    since: Timestamp(9),
                },
                Destination {
                    arn: String::new(),
                    status: DestinationStatus::Failed(EnableFault::State),
                    precision: None,
                    since: Timestamp(8),
                },
            ],
            region: Some("eu-west-1".to_owned()),
            global: Some(GlobalTable {
                home: "us-east-1".to_owned(),
                replicas: vec![Replica {
                    region: "eu-west-1".to_owned(),
                    source: "us-east-1".to_owned(),
                    added_at: Timestamp(5),
                }],
                witness: Some("us-east-2".to_owned()),
                paused: true,
            }),
            membership: Some(Membership::Eventual { times: Space(21) }),
            is_filling: true,
            settings_replication: Some(SettingsReplication::Disabled),
            disassociation_protection: Some(false),
            ..plain()
        }
    }

    #[test]
    fn a_definition_comes_back_as_it_was_stored() {
        for table in [plain(), full()] {
            let stored = encode(&table).expect("a definition has a stored form");
            assert_eq!(decode(&stored).expect("which is readable"), table);
        }
    }

    #[test]
    fn a_damaged_definition_is_an_error() {
        let stored = encode(&full()).expect("a definition has a stored form");
        let item = Item::from_stored(stored).expect("an item");
        for name in ["TableId", "KeySchema", "BillingMode", "Space", "Throughput"] {
            let mut builder = keyplan_value::ItemBuilder::from_item(item.as_ref());
            builder.remove(name);
            assert!(decode(builder.finish().stored()).is_err(), "without {name}");
        }
        assert!(decode(b"").is_err(), "no bytes");
    }
}
