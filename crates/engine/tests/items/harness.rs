//! An engine to send requests to, and scripts of requests with their exact answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_engine::trace::Trace;
use keyplan_engine::weather::Weather;
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp, shapes};
use keyplan_store::{MemoryStore, Store};
use proptest::test_runner::Config as ProptestConfig;
use serde_json::{Value, json};

/// An engine on a memory store of its own.
pub struct Harness {
    pub engine: Engine,
    clock: AtomicU64,
    /// Whether a test makes its store one that isn't as the engine leaves it.
    pub is_damaged: bool,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
    pub trace: Option<Trace>,
    pub not_before: Option<Timestamp>,
}

impl Answer {
    /// The body of a success.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    /// The error's name and message.
    #[track_caller]
    pub fn error(self) -> (String, String) {
        assert_eq!(self.status, 400, "{}", self.body);
        let kind = self.body["__type"].as_str().expect("a type");
        let name = kind.rsplit('#').next().expect("a name").to_owned();
        (name, self.body["message"].as_str().unwrap_or_default().to_owned())
    }

    /// The message of a ValidationException.
    #[track_caller]
    pub fn refusal(self) -> String {
        let (name, message) = self.error();
        assert_eq!(name, "ValidationException", "{message}");
        message
    }

    /// The trace as JSON.
    #[track_caller]
    pub fn trace(&self) -> Value {
        let trace = self.trace.as_ref().expect("a trace was asked for");
        serde_json::from_str(&trace.to_json()).expect("a trace is JSON")
    }
}

impl Harness {
    pub fn new() -> Harness {
        Harness::on(Arc::new(MemoryStore::new()), 0)
    }

    pub fn with_undo(depth: usize) -> Harness {
        Harness::on(Arc::new(MemoryStore::new()), depth)
    }

    pub fn on(store: Arc<dyn Store>, undo_depth: usize) -> Harness {
        let engine = Engine::open(store, EngineOptions { undo_depth, ..EngineOptions::default() })
            .expect("an empty store opens");
        Harness::over(engine)
    }

    /// The harness of an engine that is open.
    pub fn over(engine: Engine) -> Harness {
        Harness { engine, clock: AtomicU64::new(1_700_000_000_000), is_damaged: false }
    }

    /// Another engine takes the place of this one, with the same clock.
    pub fn replace(&mut self, engine: Engine) {
        self.engine = engine;
    }

    pub fn now(&self) -> Timestamp {
        Timestamp(self.clock.fetch_add(1, Ordering::Relaxed))
    }

    /// Moves the clock.
    pub fn advance(&self, milliseconds: u64) {
        self.clock.fetch_add(milliseconds, Ordering::Relaxed);
    }

    /// Sets the clock back.
    pub fn set_back(&self, milliseconds: u64) {
        self.clock.fetch_sub(milliseconds, Ordering::Relaxed);
    }

    /// Does what is due, until nothing is at this moment.
    #[track_caller]
    pub fn settle(&self) {
        loop {
            let now = self.now();
            match self.engine.step(now, 1_000).expect("the store works") {
                Some(due) if due <= now => {}
                _ => return,
            }
        }
    }

    pub fn send(&self, operation: &str, body: &str, trace: bool) -> Answer {
        let now = self.now();
        let reply = self.engine.dispatch(&Call {
            target: Some(&format!("{}{operation}", prefix(operation))),
            authentication: Authentication::NotRequired { region: "us-east-1" },
            body: body.as_bytes(),
            now,
            random: u128::from(now.0),
            trace,
        });
        let body = match reply.body.as_slice() {
            // A few operations answer nothing at all.
            [] => Value::Null,
            body => serde_json::from_slice(body).expect("an answer is JSON"),
        };
        Answer { status: reply.status, body, trace: reply.trace, not_before: reply.not_before }
    }

    /// Sets the weather.
    #[track_caller]
    pub fn weather(&self, weather: &Value) {
        let weather = Weather::parse(weather.to_string().as_bytes()).expect("it is a weather");
        self.engine.set_weather(weather);
    }

    /// How often something of the weather has happened.
    pub fn happened(&self, what: &str) -> u64 {
        self.engine.weather().happened.count(what)
    }

    pub fn call(&self, operation: &str, body: &Value) -> Answer {
        self.send(operation, &body.to_string(), false)
    }

    pub fn traced(&self, operation: &str, body: &Value) -> Answer {
        self.send(operation, &body.to_string(), true)
    }

    /// Makes a table whose key attributes are `pk` and, with a type, `sk`.
    #[track_caller]
    pub fn create(&self, table: &str, partition: &str, sort: Option<&str>) {
        let mut definitions = vec![json!({"AttributeName": "pk", "AttributeType": partition})];
        let mut schema = vec![json!({"AttributeName": "pk", "KeyType": "HASH"})];
        if let Some(sort) = sort {
            definitions.push(json!({"AttributeName": "sk", "AttributeType": sort}));
            schema.push(json!({"AttributeName": "sk", "KeyType": "RANGE"}));
        }
        let request = json!({
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": definitions, "KeySchema": schema,
        });
        self.call("CreateTable", &request).ok();
    }

    #[track_caller]
    pub fn put(&self, table: &str, item: &Value) {
        self.call("PutItem", &json!({"TableName": table, "Item": item})).ok();
    }

    /// Runs a script: a line `> Operation {body}`, then a line `< status {answer}`. `"x*1018"` stands
    /// for the letter x so many times.
    #[track_caller]
    pub fn script(&self, script: &str) {
        let mut request = None;
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (mark, rest) = line.split_at(2);
            let (word, json) = rest.split_once(' ').expect("a word and JSON");
            let json = expanded(serde_json::from_str(json).unwrap_or_else(|error| panic!("{line}: {error}")));
            match mark {
                "> " => request = Some((line, self.call(word, &json))),
                "< " => {
                    let (sent, answer) = request.take().expect("an answer follows a request");
                    let expected = (word.parse().expect("a status"), json);
                    assert_eq!((answer.status, answer.body), expected, "{sent}");
                }
                _ => panic!("neither request nor answer: {line}"),
            }
        }
    }
}

impl Drop for Harness {
    /// Whatever a test did, all that follows from its items fits them in the end.
    fn drop(&mut self) {
        if std::thread::panicking() || self.is_damaged {
            return;
        }
        let mut differences = Vec::new();
        let verified = self.engine.verify(None, &mut |difference| differences.push(difference.to_string()));
        assert!(verified.is_ok(), "{verified:?}");
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}

fn prefix(operation: &str) -> &'static str {
    let known = shapes::operations().iter().find(|known| known.name == operation);
    known.map_or(shapes::Service::DynamoDb, |known| known.service).prefix()
}

/// Writes out the strings that a script abbreviates.
fn expanded(value: Value) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix("x*").and_then(|count| count.parse().ok()) {
            Some(count) => Value::String("x".repeat(count)),
            None => Value::String(text),
        },
        Value::Array(values) => values.into_iter().map(expanded).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, expanded(value))).collect())
        }
        other => other,
    }
}

/// How a property is tried: with a few cases, so that all tests take seconds; where `PROPTEST_CASES` is set,
/// with as many as it says.
pub fn cases(few: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { config.cases } else { few };
    ProptestConfig { cases, ..config }
}

/// `{"S": text}`
pub fn s(text: &str) -> Value {
    json!({"S": text})
}

/// `{"N": number}`
pub fn n(number: impl ToString) -> Value {
    json!({"N": number.to_string()})
}

/// Items in the order of their keys, `pk` and `sk`.
pub fn sorted(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_by_key(|item| [item["pk"].to_string(), item["sk"].to_string()]);
    items
}
