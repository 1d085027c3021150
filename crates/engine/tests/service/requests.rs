//! One engine in memory, asked as an adaptor asks it.

use std::sync::Arc;

use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Reply, Timestamp};
use keyplan_store::MemoryStore;
use serde_json::Value;

/// The time of every request.
pub const NOW: Timestamp = Timestamp(1_764_500_000_123);

/// An engine on an empty store.
pub fn engine() -> Engine {
    Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).expect("an empty store opens")
}

/// A request of an operation.
pub fn ask(engine: &Engine, operation: &str, body: &str) -> Reply {
    ask_at(engine, NOW, operation, body)
}

/// A request of an operation at a time.
pub fn ask_at(engine: &Engine, now: Timestamp, operation: &str, body: &str) -> Reply {
    let target = format!("DynamoDB_20120810.{operation}");
    engine.dispatch(&Call {
        target: Some(&target),
        authentication: Authentication::Signed { region: "eu-west-2", access_key: "test" },
        body: body.as_bytes(),
        now,
        random: 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef,
        trace: false,
    })
}

/// The status and the body of an answer.
pub fn answer(engine: &Engine, operation: &str, body: &str) -> (u16, Value) {
    let reply = ask(engine, operation, body);
    let body = serde_json::from_slice(&reply.body).expect("an answer is JSON");
    (reply.status, body)
}

/// Asserts that a request succeeds with an answer.
#[track_caller]
pub fn answers(engine: &Engine, operation: &str, body: &str, expected: &str) {
    let expected: Value = serde_json::from_str(expected).expect("the expected answer is JSON");
    assert_eq!(answer(engine, operation, body), (200, expected), "{operation} {body}");
}

/// Asserts that a request is refused as invalid, with a text.
#[track_caller]
pub fn invalid(engine: &Engine, operation: &str, body: &str, text: &str) {
    refused(engine, operation, body, "com.amazon.coral.validate#ValidationException", text);
}

/// Asserts that a request is refused with an error of a type and a text.
#[track_caller]
pub fn refused(engine: &Engine, operation: &str, body: &str, kind: &str, text: &str) {
    let expected = serde_json::json!({ "__type": kind, "message": text });
    assert_eq!(answer(engine, operation, body), (400, expected), "{operation} {body}");
}
