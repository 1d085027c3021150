//! Key attributes and key schemas, as parts of stored items.

use keyplan_value::{AttributeValue, ValueKind, ValueRef};

use super::map;
use crate::catalog::{KeyAttribute, KeySchema};

pub(super) fn attributes(attributes: &[KeyAttribute]) -> AttributeValue {
    let pair = |attribute: &KeyAttribute| {
        map([("Name", attribute.name.as_str().into()), ("Type", attribute.kind.code().into())])
    };
    AttributeValue::L(attributes.iter().map(pair).collect())
}

pub(super) fn read_attributes(list: ValueRef<'_>) -> Option<Vec<KeyAttribute>> {
    list.elements().map(read_attribute).collect()
}

fn read_attribute(value: ValueRef<'_>) -> Option<KeyAttribute> {
    Some(KeyAttribute {
        name: value.get("Name")?.as_str()?.to_owned(),
        kind: ValueKind::from_code(value.get("Type")?.as_str()?)?,
    })
}

pub(crate) fn key_schema(key: &KeySchema) -> AttributeValue {
    map([("Partition", attributes(&key.partition)), ("Sort", attributes(&key.sort))])
}

pub(crate) fn read_key_schema(value: ValueRef<'_>) -> Option<KeySchema> {
    let part = |name: &str| read_attributes(value.get(name)?);
    Some(KeySchema { partition: part("Partition")?, sort: part("Sort")? })
}
