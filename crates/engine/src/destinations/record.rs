//! A record of the journal as a Kinesis data stream gets it.

use keyplan_value::json::Writer;
use twox_hash::XxHash3_128;

use crate::catalog::{TableDefinition, TimePrecision, random_uuid, uuid_text};
use crate::journal::{Cause, Record};
use crate::keys::attributes_of;

/// Appends the line of a record; nothing if it is of no item.
pub(crate) fn write_record(
    table: &TableDefinition,
    region: &str,
    precision: Option<TimePrecision>,
    (number, record): (u64, &Record),
    out: &mut Vec<u8>,
) {
    let Some(item) = record.after.as_ref().or(record.before.as_ref()) else { return };
    let event = match (&record.before, &record.after) {
        (None, _) => "INSERT",
        (Some(_), Some(_)) => "MODIFY",
        (Some(_), None) => "REMOVE",
    };
    let keys = attributes_of(table.key_schema.attributes(), item.as_ref());
    let images =
        [("Keys", Some(&keys)), ("NewImage", record.after.as_ref()), ("OldImage", record.before.as_ref())];
    let id = [uuid_text(table.id), number.to_string()].concat();
    let id = uuid_text(random_uuid(XxHash3_128::oneshot(id.as_bytes())));
    let mut json = Writer::new(out);
    json.begin_object().name("awsRegion").string(region);
    json.name("eventID").string(&id).name("eventName").string(event).name("userIdentity");
    if record.cause == Cause::Expiry {
        json.begin_object().name("principalId").string("dynamodb.amazonaws.com");
        json.name("type").string("Service").end_object();
    } else {
        json.null();
    }
    json.name("recordFormat").string("application/json").name("tableName").string(&table.name);
    json.name("dynamodb").begin_object().name("ApproximateCreationDateTime");
    match precision {
        Some(TimePrecision::Microsecond) => json.integer(record.time.0),
        Some(TimePrecision::Millisecond) | None => json.integer(record.time.0 / 1_000),
    };
    let mut bytes = 0;
    for (name, image) in images {
        if let Some(image) = image {
            bytes += image.as_ref().size();
            json.name(name).value_with(|out| image.as_ref().write_json(out));
        }
    }
    json.name("SizeBytes").integer(bytes);
    if let Some(precision) = precision {
        json.name("ApproximateCreationDateTimePrecision").string(precision.word());
    }
    json.end_object().name("eventSource").string("aws:dynamodb").end_object();
    out.push(b'\n');
}
