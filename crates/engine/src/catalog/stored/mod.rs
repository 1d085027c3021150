//! A table's definition as a stored item.

use std::collections::BTreeMap;

use keyplan_store::{SharedBytes, Snapshot, Space};
use keyplan_value::{AttributeValue, Item, ItemRef, ValueKind, ValueRef};

use super::definition::{
    BillingMode, KeyAttribute, KeySchema, Maxima, TableClass, TableDefinition, Throughput, parse_uuid,
    uuid_text,
};
use crate::call::Timestamp;
use crate::error::InternalError;
use crate::spaces::CATALOG;

const MALFORMED: InternalError = InternalError::Malformed("a table's definition");

/// The stored form of a definition.
pub(super) fn encode(table: &TableDefinition) -> Result<SharedBytes, InternalError> {
    let mut attributes: Vec<(&str, AttributeValue)> = vec![
        ("TableName", table.name.as_str().into()),
        ("TableId", uuid_text(table.id).into()),
        ("Revision", table.revision.into()),
        ("Space", table.space.0.into()),
        ("KeySchema", key_attributes(table.key_schema.attributes())),
        ("AttributeDefinitions", key_attributes(table.attribute_definitions.iter())),
        ("BillingMode", table.billing_mode.word().into()),
        ("ProvisionedThroughput", throughput(table.provisioned_throughput)),
        ("DeletionProtection", table.deletion_protection.into()),
        ("CreatedAt", table.created_at.0.into()),
    ];
    let maxima = table.on_demand_maxima;
    for (name, bound) in [("MaxReadRequestUnits", maxima.read), ("MaxWriteRequestUnits", maxima.write)] {
        attributes.extend(bound.map(|bound| (name, bound.into())));
    }
    attributes.extend(table.warm_throughput.map(|warm| ("WarmThroughput", throughput(warm))));
    attributes.extend(table.table_class.map(|class| ("TableClass", class.word().into())));
    attributes.extend(table.encryption_key.as_deref().map(|key| ("EncryptionKey", key.into())));
    if !table.tags.is_empty() {
        let pair = |(key, value): &(String, String)| {
            map([("Key", key.as_str().into()), ("Value", value.as_str().into())])
        };
        attributes.push(("Tags", AttributeValue::L(table.tags.iter().map(pair).collect())));
    }
    let item = Item::from_attributes(attributes).map_err(|_| MALFORMED)?;
    Ok(item.into_stored())
}

fn map<const N: usize>(members: [(&str, AttributeValue); N]) -> AttributeValue {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    AttributeValue::M(members.collect::<BTreeMap<_, _>>())
}

fn key_attributes<'a>(attributes: impl Iterator<Item = &'a KeyAttribute>) -> AttributeValue {
    let pair = |attribute: &KeyAttribute| {
        map([("Name", attribute.name.as_str().into()), ("Type", attribute.kind.code().into())])
    };
    AttributeValue::L(attributes.map(pair).collect())
}

fn throughput(throughput: Throughput) -> AttributeValue {
    map([("Read", throughput.read.into()), ("Write", throughput.write.into())])
}

/// The definition in a stored item.
pub(super) fn decode(bytes: &[u8]) -> Result<TableDefinition, InternalError> {
    let item = ItemRef::from_stored(bytes)?;
    read(item).ok_or(MALFORMED)
}

fn read(item: ItemRef<'_>) -> Option<TableDefinition> {
    let text = |name: &str| item.get(name).and_then(|value| value.as_str());
    let whole = |name: &str| item.get(name).and_then(whole);
    let mut key = item.get("KeySchema")?.elements().map(read_key_attribute);
    let key_schema = KeySchema {
        partition: key.next()??,
        sort: match key.next() {
            Some(sort) => Some(sort?),
            None => None,
        },
    };
    let definitions = item.get("AttributeDefinitions")?.elements().map(read_key_attribute);
    Some(TableDefinition {
        name: text("TableName")?.to_owned(),
        id: parse_uuid(text("TableId")?)?,
        revision: whole("Revision")?,
        space: Space(whole("Space")?),
        key_schema,
        attribute_definitions: definitions.collect::<Option<Vec<_>>>()?,
        billing_mode: BillingMode::from_word(text("BillingMode")?)?,
        provisioned_throughput: read_throughput(item.get("ProvisionedThroughput")?)?,
        on_demand_maxima: Maxima { read: whole("MaxReadRequestUnits"), write: whole("MaxWriteRequestUnits") },
        warm_throughput: item.get("WarmThroughput").and_then(read_throughput),
        table_class: text("TableClass").and_then(TableClass::from_word),
        deletion_protection: item.get("DeletionProtection")?.as_bool()?,
        encryption_key: text("EncryptionKey").map(str::to_owned),
        tags: item
            .get("Tags")
            .into_iter()
            .flat_map(|tags| tags.elements())
            .map(read_tag)
            .collect::<Option<Vec<_>>>()?,
        created_at: Timestamp(whole("CreatedAt")?),
    })
}

fn whole(value: ValueRef<'_>) -> Option<u64> {
    value.number()?.to_string().parse().ok()
}

fn read_key_attribute(value: ValueRef<'_>) -> Option<KeyAttribute> {
    Some(KeyAttribute {
        name: value.get("Name")?.as_str()?.to_owned(),
        kind: ValueKind::from_code(value.get("Type")?.as_str()?)?,
    })
}

fn read_throughput(value: ValueRef<'_>) -> Option<Throughput> {
    Some(Throughput { read: whole(value.get("Read")?)?, write: whole(value.get("Write")?)? })
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
    let Some(bytes) = snapshot.get(CATALOG, table.name.as_bytes())? else { return Ok(false) };
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
        BillingMode, KeyAttribute, KeySchema, Maxima, TableClass, TableDefinition, Throughput,
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
            key_schema: KeySchema { partition: attribute("pk", ValueKind::S), sort: None },
            attribute_definitions: vec![attribute("pk", ValueKind::S)],
            billing_mode: BillingMode::PayPerRequest,
            provisioned_throughput: Throughput::default(),
            on_demand_maxima: Maxima::default(),
            warm_throughput: None,
            table_class: None,
            deletion_protection: false,
            encryption_key: None,
            tags: Vec::new(),
            created_at: Timestamp(1_764_500_000_123),
        }
    }

    fn full() -> TableDefinition {
        TableDefinition {
            key_schema: KeySchema {
                partition: attribute("pk", ValueKind::N),
                sort: Some(attribute("sk", ValueKind::B)),
            },
            attribute_definitions: vec![attribute("sk", ValueKind::B), attribute("pk", ValueKind::N)],
            billing_mode: BillingMode::Provisioned,
            provisioned_throughput: Throughput { read: 5, write: 40_000 },
            on_demand_maxima: Maxima { read: Some(1), write: Some(2) },
            warm_throughput: Some(Throughput { read: 12_000, write: 4_000 }),
            table_class: Some(TableClass::InfrequentAccess),
            deletion_protection: true,
            encryption_key: Some("arn:aws:kms:us-east-1:000000000000:key/k".to_owned()),
            tags: vec![("b".to_owned(), String::new()), ("a".to_owned(), "1".to_owned())],
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
        for name in ["TableId", "KeySchema", "BillingMode", "Space"] {
            let mut builder = keyplan_value::ItemBuilder::from_item(item.as_ref());
            builder.remove(name);
            assert!(decode(builder.finish().stored()).is_err(), "without {name}");
        }
        assert!(decode(b"").is_err(), "no bytes");
    }
}
