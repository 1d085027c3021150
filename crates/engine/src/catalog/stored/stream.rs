//! A stream as a stored item, and what a table's stored item has of its own.

use keyplan_store::{SharedBytes, Space};
use keyplan_value::{AttributeValue, Item, ItemRef, ValueRef};

use super::key::{key_schema, read_key_schema};
use super::{map, whole};
use crate::call::Timestamp;
use crate::catalog::{
    Recovery, RestoreSource, Shard, ShardEnd, StreamDefinition, StreamView, TableStream, TimeToLive,
};
use crate::error::InternalError;

const MALFORMED: InternalError = InternalError::Malformed("a stream's definition");

/// The stored form of a stream.
pub(crate) fn encode_stream(stream: &StreamDefinition) -> Result<SharedBytes, InternalError> {
    let item = Item::from_attributes([
        ("TableName", stream.table.as_str().into()),
        ("Label", stream.label.as_str().into()),
        ("View", stream.view.word().into()),
        ("KeySchema", key_schema(&stream.key_schema)),
        ("Journal", stream.journal.0.into()),
        ("CreatedAt", stream.created_at.0.into()),
        ("Shards", AttributeValue::L(stream.shards.iter().map(shard).collect())),
    ]);
    Ok(item.map_err(|_| MALFORMED)?.into_stored())
}

/// The stream in a stored item.
pub(crate) fn decode_stream(bytes: &[u8]) -> Result<StreamDefinition, InternalError> {
    read_stream(ItemRef::from_stored(bytes)?).ok_or(MALFORMED)
}

fn read_stream(item: ItemRef<'_>) -> Option<StreamDefinition> {
    let text = |name: &str| item.get(name).and_then(|value| value.as_str());
    let number = |name: &str| item.get(name).and_then(whole);
    Some(StreamDefinition {
        table: text("TableName")?.to_owned(),
        label: text("Label")?.to_owned(),
        view: StreamView::from_word(text("View")?)?,
        key_schema: read_key_schema(item.get("KeySchema")?)?,
        journal: Space(number("Journal")?),
        created_at: Timestamp(number("CreatedAt")?),
        shards: item.get("Shards")?.elements().map(read_shard).collect::<Option<_>>()?,
    })
}

fn shard(shard: &Shard) -> AttributeValue {
    let mut members = vec![("Opened", shard.opened.0.into()), ("Start", shard.start.into())];
    members.extend(shard.parent.map(|parent| ("Parent", parent.0.into())));
    if let Some(ShardEnd { at, number }) = shard.closed {
        members.extend([("Closed", at.0.into()), ("End", number.into())]);
    }
    map(members)
}

fn read_shard(value: ValueRef<'_>) -> Option<Shard> {
    let number = |name: &str| value.get(name).and_then(whole);
    let closed = number("Closed").zip(number("End"));
    Some(Shard {
        opened: Timestamp(number("Opened")?),
        parent: number("Parent").map(Timestamp),
        start: number("Start")?,
        closed: closed.map(|(at, number)| ShardEnd { at: Timestamp(at), number }),
    })
}

pub(super) fn table_stream(stream: &TableStream) -> AttributeValue {
    let mut members = vec![("Label", stream.label.as_str().into())];
    members.extend(stream.view.map(|view| ("View", view.word().into())));
    map(members)
}

pub(super) fn read_table_stream(value: ValueRef<'_>) -> Option<TableStream> {
    let view = match value.get("View") {
        Some(word) => Some(StreamView::from_word(word.as_str()?)?),
        None => None,
    };
    Some(TableStream { label: value.get("Label")?.as_str()?.to_owned(), view })
}

pub(super) fn recovery(recovery: &Recovery) -> AttributeValue {
    map([("Since", recovery.since.0.into()), ("Days", recovery.days.into())])
}

pub(super) fn read_recovery(value: ValueRef<'_>) -> Option<Recovery> {
    let number = |name: &str| value.get(name).and_then(whole);
    Some(Recovery { since: Timestamp(number("Since")?), days: number("Days")? })
}

pub(super) fn restore_source(from: &RestoreSource) -> AttributeValue {
    let mut members = vec![("TableName", from.table.as_str().into()), ("Moment", from.moment.0.into())];
    members.extend(from.backup.as_deref().map(|backup| ("Backup", backup.into())));
    map(members)
}

pub(super) fn read_restore_source(value: ValueRef<'_>) -> Option<RestoreSource> {
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    Some(RestoreSource {
        table: text("TableName")?,
        backup: text("Backup"),
        moment: Timestamp(value.get("Moment").and_then(whole)?),
    })
}

pub(super) fn time_to_live(time_to_live: &TimeToLive) -> AttributeValue {
    map([("Attribute", time_to_live.attribute.as_str().into()), ("Space", time_to_live.space.0.into())])
}

pub(super) fn read_time_to_live(value: ValueRef<'_>) -> Option<TimeToLive> {
    let attribute = value.get("Attribute")?.as_str()?.to_owned();
    Some(TimeToLive { attribute, space: Space(value.get("Space").and_then(whole)?) })
}

#[cfg(test)]
mod tests {
    use keyplan_value::ValueKind;

    use super::*;
    use crate::catalog::{KeyAttribute, KeySchema};

    #[test]
    fn a_stream_comes_back_as_it_was_stored() {
        let shard =
            |opened, parent, closed| Shard { opened: Timestamp(opened), parent, start: opened, closed };
        let key = KeyAttribute { name: "pk".to_owned(), kind: ValueKind::B };
        let stream = StreamDefinition {
            table: "Shop".to_owned(),
            label: "2026-11-30T21:05:00.123".to_owned(),
            view: StreamView::OldImage,
            key_schema: KeySchema { partition: vec![key], sort: Vec::new() },
            journal: Space(u64::MAX),
            created_at: Timestamp(1),
            shards: vec![
                shard(2, Some(Timestamp(1)), Some(ShardEnd { at: Timestamp(3), number: 9 })),
                shard(4, None, None),
            ],
        };
        let stored = encode_stream(&stream).expect("a stream has a stored form");
        assert_eq!(decode_stream(&stored).expect("which is readable"), stream);
        assert!(decode_stream(b"").is_err(), "no bytes");
    }
}
