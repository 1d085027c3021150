//! What a stream records, and what expires.

use serde_json::{Value as Json, json};

use super::{Key, Model, Table, key_in};
use crate::order::Order;
use crate::request::View;
use crate::value::{Item, ONE, Value, size, to_json};
use crate::wire::view_word;

/// How long a record can be read.
const RECORD_MILLISECONDS: u64 = 24 * 60 * 60 * 1_000;

/// Items that expired longer ago than this stay.
const LOOK_BACK_SECONDS: i128 = 5 * 365 * 24 * 60 * 60;

/// A change of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// When, in milliseconds.
    pub at: u64,
    /// The item before.
    pub before: Option<Item>,
    /// The item after.
    pub after: Option<Item>,
    /// Whether its time had come.
    pub is_expiry: bool,
}

impl Table {
    /// Puts the new image of an item in the place of the old, and records that if it is another.
    pub fn put(&mut self, key: &Key, after: Option<&Item>, now: u64, is_expiry: bool) {
        let before = self.items.remove(key);
        if let Some(item) = after {
            self.items.insert(key.clone(), item.clone());
        }
        if self.spec.stream.is_some() && before.as_ref() != after {
            self.records.push(Record { at: now, before, after: after.cloned(), is_expiry });
        }
    }

    /// The records that can be read at a moment, as the stream shows them.
    pub fn readable(&self, now: u64) -> Vec<Json> {
        let Some(view) = self.spec.stream else { return Vec::new() };
        let is_readable = |record: &&Record| record.at > now.saturating_sub(RECORD_MILLISECONDS);
        self.records.iter().filter(is_readable).map(|record| self.shown(record, view)).collect()
    }

    fn shown(&self, record: &Record, view: View) -> Json {
        let event = match (&record.before, &record.after) {
            (None, _) => "INSERT",
            (_, None) => "REMOVE",
            _ => "MODIFY",
        };
        let item = record.after.as_ref().or(record.before.as_ref());
        let key: Item = item
            .into_iter()
            .flatten()
            .filter(|(name, _)| self.spec.key.has(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let shows_new = matches!(view, View::NewImage | View::NewAndOldImages);
        let shows_old = matches!(view, View::OldImage | View::NewAndOldImages);
        let new = record.after.as_ref().filter(|_| shows_new);
        let old = record.before.as_ref().filter(|_| shows_old);
        let bytes = size(&key) + new.map_or(0, size) + old.map_or(0, size);
        let mut images = json!({
            "ApproximateCreationDateTime": record.at / 1_000,
            "Keys": to_json(&key),
            "SizeBytes": bytes,
            "StreamViewType": view_word(view),
        });
        if let Some(new) = new {
            images["NewImage"] = to_json(new);
        }
        if let Some(old) = old {
            images["OldImage"] = to_json(old);
        }
        let mut shown = json!({
            "eventName": event,
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": "us-east-1",
            "dynamodb": images,
        });
        if record.is_expiry {
            shown["userIdentity"] = json!({ "PrincipalId": "dynamodb.amazonaws.com", "Type": "Service" });
        }
        shown
    }
}

impl Model {
    /// Removes what has expired at a moment, of each table the earliest first.
    pub fn expire(&mut self, now: u64, order: &mut Order) {
        let seconds = i128::from(now / 1_000);
        for table in self.tables.values_mut() {
            let Some(attribute) = table.expires.clone() else { continue };
            let time = |item: &Item| match item.get(&attribute) {
                Some(Value::N(number)) if number.0 >= 0 => Some(number.0 / ONE),
                _ => None,
            };
            order.meet(table.items.keys().map(|(partition, _)| partition));
            let mut expired: Vec<(i128, u64, Key)> = Vec::new();
            for item in table.items.values() {
                let Some(time) =
                    time(item).filter(|time| (seconds - LOOK_BACK_SECONDS..seconds).contains(time))
                else {
                    continue;
                };
                if let Some(key) = key_in(&table.spec.key, item) {
                    expired.push((time, order.rank(&key.0), key));
                }
            }
            expired.sort();
            for (_, _, key) in expired {
                table.put(&key, None, now, true);
            }
        }
    }
}
