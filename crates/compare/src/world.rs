//! A world: steps, run on an engine and on the model side by side.

use std::fmt;

use serde_json::{Map, Value as Json, json};

use crate::model::{Answer, Model};
use crate::order::Order;
use crate::request::{Read, Request, Step};
use crate::subject::{Home, Subject, call};
use crate::tally::Tally;
use crate::value::Item;
use crate::wire;

/// An engine and a model that were told the same.
pub struct World<'o> {
    subject: Subject,
    /// The model; the generator looks into it for keys that are there.
    pub model: Model,
    order: &'o mut Order,
    /// What was compared so far.
    pub compared: Tally,
}

/// Where engine and model part.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What was sent.
    pub request: String,
    /// What the model answers.
    pub expected: Answer,
    /// What the engine answers.
    pub found: Answer,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { request, expected, found } = self;
        writeln!(f, "{request}")?;
        writeln!(f, "  model:  {} {}", expected.status, expected.body)?;
        write!(f, "  engine: {} {}", found.status, found.body)
    }
}

impl<'o> World<'o> {
    /// A world without tables.
    pub fn new(home: &Home, order: &'o mut Order) -> World<'o> {
        let subject = Subject::new(home);
        World { subject, model: Model::default(), order, compared: Tally::default() }
    }

    /// The moment, in milliseconds.
    pub fn now(&self) -> u64 {
        self.subject.now()
    }

    /// Takes one step.
    ///
    /// # Errors
    /// When engine and model part.
    pub fn step(&mut self, step: &Step) -> Result<(), Box<Difference>> {
        match step {
            Step::Advance(milliseconds) => {
                self.subject.advance(*milliseconds);
                self.model.expire(self.subject.now(), self.order);
                Ok(())
            }
            Step::Reopen => {
                self.subject.reopen();
                self.verify()
            }
            Step::ReadStream(table) => self.read_stream(table),
            Step::KillDuring(request, turns) => self.kill_during(request, *turns),
            Step::Request(request) => self.request(request),
        }
    }

    /// What follows from the items in the engine fits them.
    fn verify(&self) -> Result<(), Box<Difference>> {
        let differences = self.subject.verify();
        if differences.is_empty() {
            return Ok(());
        }
        Err(Box::new(Difference {
            request: "(what follows from the items is held against them)".to_owned(),
            expected: Answer { status: 200, body: json!([]) },
            found: Answer { status: 200, body: json!(differences) },
        }))
    }

    /// Kills the engine while it is at a write: all of that is done, or nothing.
    fn kill_during(&mut self, request: &Request, turns: u64) -> Result<(), Box<Difference>> {
        let (operation, body) = wire::body(request);
        if !self.subject.kill_during(operation, body.to_string().as_bytes(), turns) {
            return self.request(request);
        }
        let undone = self.model.clone();
        self.model.answer(request, self.subject.now(), self.order);
        let after = self.all_items();
        if after.is_err() {
            let done = std::mem::replace(&mut self.model, undone);
            // Where neither fits, what differs from the done write is told: most of it is likely there.
            if self.all_items().is_err() {
                self.model = done;
                return after;
            }
        }
        Ok(())
    }

    /// Compares all items of all tables and indexes, and what is counted of them.
    fn all_items(&mut self) -> Result<(), Box<Difference>> {
        let mut requests = Vec::new();
        for table in self.model.tables.values() {
            let name = &table.spec.name;
            requests.push(Request::Describe(name.clone()));
            let indexes = table.spec.indexes.iter().map(|index| Some(index.name.clone()));
            for index in std::iter::once(None).chain(indexes) {
                requests.push(Request::Scan { read: Read::everything(name, index), segment: None });
            }
        }
        requests.iter().try_for_each(|request| self.request(request))
    }

    fn request(&mut self, request: &Request) -> Result<(), Box<Difference>> {
        let mut request = request.clone();
        let pages = match &request {
            Request::Query { read, .. } | Request::Scan { read, .. } => read.pages,
            _ => 1,
        };
        for _ in 0..pages.max(1) {
            self.exchange(&request)?;
            let Some(next) = self.next_page(&request) else { break };
            request = next;
        }
        if changes_table(&request) {
            self.subject.settle();
            self.model.expire(self.subject.now(), self.order);
        }
        Ok(())
    }

    /// The request for the page after the one that the model answers.
    fn next_page(&mut self, request: &Request) -> Option<Request> {
        let now = self.subject.now();
        let (Request::Query { read, .. } | Request::Scan { read, .. }) = request else { return None };
        if read.pages <= 1 {
            return None;
        }
        let answer = self.model.answer(request, now, self.order);
        let start = answer.body.get("LastEvaluatedKey")?.as_object()?;
        let start: Item =
            start.iter().filter_map(|(name, value)| Some((name.clone(), key_value(value)?))).collect();
        let mut next = request.clone();
        if let Request::Query { read, .. } | Request::Scan { read, .. } = &mut next {
            read.start = Some(start);
        }
        Some(next)
    }

    fn exchange(&mut self, request: &Request) -> Result<(), Box<Difference>> {
        let (operation, body) = wire::body(request);
        let mut expected = self.model.answer(request, self.subject.now(), self.order);
        sort_sets(&mut expected.body);
        let (status, answer) = self.subject.send(operation, body.to_string().as_bytes());
        let is_legacy = match request {
            Request::Write { write, .. } => write.is_legacy,
            Request::Query { read, .. } | Request::Scan { read, .. } => read.is_legacy,
            _ => false,
        };
        let which = if is_legacy { "older parameters" } else { operation };
        self.compared.count(which, status == 200);
        let found = Answer { status, body: comparable(request, status, answer) };
        if found == expected {
            return Ok(());
        }
        Err(Box::new(Difference { request: format!("{operation} {body}"), expected, found }))
    }

    /// Reads all of a table's stream, and compares it with what the model has recorded.
    fn read_stream(&mut self, name: &str) -> Result<(), Box<Difference>> {
        let now = self.subject.now();
        let Some(table) = self.model.tables.get(name).filter(|table| table.spec.stream.is_some()) else {
            return Ok(());
        };
        let mut expected = table.readable(now);
        expected.iter_mut().for_each(sort_sets);
        let (subject, compared) = (&mut self.subject, &mut self.compared);
        let mut send = |operation: &str, body: &Json| {
            compared.count(operation, true);
            call(subject, operation, body)
        };
        let described = send("DescribeTable", &json!({ "TableName": name }));
        let stream = &described["Table"]["LatestStreamArn"];
        let (mut found, mut after) = (Vec::new(), Json::Null);
        loop {
            let mut body = json!({ "StreamArn": stream });
            if !after.is_null() {
                body["ExclusiveStartShardId"] = after;
            }
            let described = send("DescribeStream", &body);
            let described = &described["StreamDescription"];
            for shard in described["Shards"].as_array().into_iter().flatten() {
                let start = json!({
                    "StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON",
                });
                let mut iterator = send("GetShardIterator", &start)["ShardIterator"].clone();
                while !iterator.is_null() {
                    // An odd page, so that pages end anywhere.
                    let page = send("GetRecords", &json!({ "ShardIterator": iterator, "Limit": 37 }));
                    let records = page["Records"].as_array().cloned().unwrap_or_default();
                    let is_last = records.is_empty();
                    found.extend(records);
                    iterator = if is_last { Json::Null } else { page["NextShardIterator"].clone() };
                }
            }
            match described.get("LastEvaluatedShardId") {
                Some(last) => after = last.clone(),
                None => break,
            }
        }
        let found: Vec<Json> = found.into_iter().map(record).collect();
        if found == expected {
            return Ok(());
        }
        let answer = |records: Vec<Json>| Answer { status: 200, body: records.into() };
        let request = format!("all records of {name}");
        Err(Box::new(Difference { request, expected: answer(expected), found: answer(found) }))
    }
}

/// Whether a request changes a table, so that there may be work to do.
fn changes_table(request: &Request) -> bool {
    is_about_tables(request) || matches!(request, Request::Expire(..))
}

/// Whether a request's answer describes a table, which has cases of its own.
fn is_about_tables(request: &Request) -> bool {
    matches!(
        request,
        Request::Create(_)
            | Request::Drop(_)
            | Request::Stream(..)
            | Request::AddIndex(..)
            | Request::RemoveIndex(..)
    )
}

/// A key attribute's value, read back.
fn key_value(value: &Json) -> Option<crate::value::Value> {
    crate::value::from_json(value)
}

/// What of an answer the model answers as well; sets have no order.
fn comparable(request: &Request, status: u16, answer: Json) -> Json {
    let mut answer = match request {
        _ if status != 200 => without_free_words(answer),
        _ if is_about_tables(request) => json!({}),
        Request::Describe(_) => counts(&answer["Table"]),
        _ => answer,
    };
    sort_sets(&mut answer);
    answer
}

/// The words of one error are nowhere recorded.
fn without_free_words(mut answer: Json) -> Json {
    let is_free =
        answer["__type"].as_str().is_some_and(|kind| kind.ends_with("IdempotentParameterMismatchException"));
    if let Some(members) = answer.as_object_mut().filter(|_| is_free) {
        members.retain(|name, _| name == "__type");
    }
    answer
}

fn counts(table: &Json) -> Json {
    let mut indexes = Map::new();
    for member in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
        for index in table[member].as_array().into_iter().flatten() {
            let name = index["IndexName"].as_str().unwrap_or_default().to_owned();
            let figures =
                json!({ "ItemCount": index["ItemCount"], "IndexSizeBytes": index["IndexSizeBytes"] });
            indexes.insert(name, figures);
        }
    }
    json!({ "ItemCount": table["ItemCount"], "TableSizeBytes": table["TableSizeBytes"], "Indexes": indexes })
}

fn sort_sets(value: &mut Json) {
    match value {
        Json::Object(members) => {
            for (name, member) in members.iter_mut() {
                match member {
                    Json::Array(elements) if matches!(name.as_str(), "SS" | "NS" | "BS") => {
                        elements.sort_by_key(Json::to_string);
                    }
                    member => sort_sets(member),
                }
            }
        }
        Json::Array(elements) => elements.iter_mut().for_each(sort_sets),
        _ => {}
    }
}

/// A record of a stream without what the service chooses freely.
fn record(mut record: Json) -> Json {
    if let Some(members) = record.as_object_mut() {
        members.remove("eventID");
    }
    if let Some(images) = record["dynamodb"].as_object_mut() {
        images.remove("SequenceNumber");
    }
    sort_sets(&mut record);
    record
}
