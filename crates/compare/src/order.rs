//! In which order a Scan meets partitions, and in which segment of a parallel Scan each lies.
//!
//! The service says only that both are fixed. So they are learned, from tables of an engine that the
//! comparison doesn't touch; that every item is met once, and in one segment, is checked on the way.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::subject::{Home, Subject, call};
use crate::value::Value;

/// Into how many segments a parallel Scan may be cut.
pub const SEGMENTS: [u64; 3] = [2, 3, 5];

/// What is known of partitions.
#[derive(Debug)]
pub struct Order {
    subject: Subject,
    known: BTreeMap<Value, Place>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    rank: u64,
    segments: [u64; SEGMENTS.len()],
}

impl Order {
    /// Nothing is known yet.
    pub fn new() -> Order {
        let mut subject = Subject::new(&Home::Memory);
        for kind in ["S", "N", "B"] {
            let body = json!({
                "TableName": table_of(kind), "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": kind }],
                "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
            });
            call(&mut subject, "CreateTable", &body);
        }
        Order { subject, known: BTreeMap::new() }
    }

    /// Makes partitions known. What is learned of one moves others, so those that are to be compared are made
    /// known first.
    pub fn meet<'v>(&mut self, partitions: impl IntoIterator<Item = &'v Value>) {
        for partition in partitions {
            self.place(partition);
        }
    }

    /// The place of a partition among all of its type, by the value of its key.
    pub fn rank(&mut self, partition: &Value) -> u64 {
        self.place(partition).rank
    }

    /// The segment that a partition lies in.
    pub fn segment(&mut self, partition: &Value, total: u64) -> u64 {
        let place = self.place(partition);
        let which = SEGMENTS.iter().position(|known| *known == total).unwrap_or_default();
        place.segments[which]
    }

    fn place(&mut self, partition: &Value) -> Place {
        if !self.known.contains_key(partition) {
            self.learn(partition);
        }
        self.known[partition]
    }

    fn learn(&mut self, partition: &Value) {
        let table = table_of(partition.kind());
        let put = json!({ "TableName": table, "Item": { "pk": partition.to_json() } });
        call(&mut self.subject, "PutItem", &put);
        self.known.insert(partition.clone(), Place::default());
        let kind = partition.kind();
        let mut by_text: BTreeMap<String, &mut Place> = self
            .known
            .iter_mut()
            .filter(|(value, _)| value.kind() == kind)
            .map(|(value, place)| (value.to_json().to_string(), place))
            .collect();
        let all = scan(&mut self.subject, &table, None);
        assert_eq!(all.len(), by_text.len(), "a Scan of {table} meets every item once");
        for (rank, text) in all.iter().enumerate() {
            by_text.get_mut(text).expect("a Scan meets only what was put").rank = rank as u64;
        }
        for (which, total) in SEGMENTS.into_iter().enumerate() {
            let mut met = 0;
            for number in 0..total {
                for text in scan(&mut self.subject, &table, Some((number, total))) {
                    met += 1;
                    by_text.get_mut(&text).expect("a Scan meets only what was put").segments[which] = number;
                }
            }
            assert_eq!(met, by_text.len(), "{total} segments of {table} share its items");
        }
    }
}

impl Default for Order {
    fn default() -> Order {
        Order::new()
    }
}

fn table_of(kind: &str) -> String {
    format!("Partitions{kind}")
}

fn scan(subject: &mut Subject, table: &str, segment: Option<(u64, u64)>) -> Vec<String> {
    let mut body = json!({ "TableName": table });
    if let Some((number, total)) = segment {
        body["Segment"] = number.into();
        body["TotalSegments"] = total.into();
    }
    let answer = call(subject, "Scan", &body);
    let items = answer.get("Items").and_then(Json::as_array).cloned().unwrap_or_default();
    items.iter().map(|item| item["pk"].to_string()).collect()
}
