//! What an endpoint counts while it answers, to be read as Prometheus text.
//!
//! A request that goes well adds to two numbers, which no lock guards; whatever can be told from others is
//! worked out when they are read. Labels have few values whatever is sent: an operation is one of the model's, an
//! error one that the engine answers.

mod text;

pub(crate) use text::CONTENT_TYPE;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use keyplan_engine::shapes::{operation_place, operations};

use crate::WireReply;

/// The upper bounds of the classes of latency, in microseconds; one more class is above all of them.
const LATENCY_CLASSES: [u64; 15] = [
    25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    5_000_000,
];

/// Kinds of errors that are told apart, by operation; what comes beyond is counted as `other`.
const ERRORS_MAX: usize = 2_000;

/// Why a request was no call, or one that nobody looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The host that it was sent to.
    Host,
    /// The page that it came from.
    Origin,
    /// Its headers or its address are too long.
    Head,
    /// Its body is too long, too slow, broken, or of an unknown encoding.
    Body,
    /// It is no call by its method, path or content type.
    Form,
}

impl Refused {
    const ALL: [Refused; 5] = [Refused::Host, Refused::Origin, Refused::Head, Refused::Body, Refused::Form];

    /// The word that it is told by.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Refused::Host => "host",
            Refused::Origin => "origin",
            Refused::Head => "head",
            Refused::Body => "body",
            Refused::Form => "form",
        }
    }
}

/// The counts of an endpoint.
pub(crate) struct Metrics {
    /// By the operation's place in the model; the last is for what is no operation.
    operations: Vec<Answered>,
    /// Errors by that place and their name.
    errors: Mutex<BTreeMap<(usize, String), u64>>,
    refused: [AtomicU64; Refused::ALL.len()],
    connections: AtomicU64,
    connections_open: AtomicU64,
}

/// The answers to one operation.
#[derive(Default)]
struct Answered {
    /// How many there are in each class of latency, not counted into those above.
    classes: [AtomicU64; LATENCY_CLASSES.len() + 1],
    nanoseconds: AtomicU64,
}

/// An operation, as its answers are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OperationPlace(usize);

impl OperationPlace {
    pub(crate) fn of(target: Option<&str>) -> OperationPlace {
        OperationPlace(target.and_then(operation_place).unwrap_or(operations().len()))
    }

    /// The operation's name.
    pub(crate) fn name(self) -> &'static str {
        operations().get(self.0).map_or("unknown", |operation| operation.name)
    }
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        Metrics {
            operations: (0..=operations().len()).map(|_| Answered::default()).collect(),
            errors: Mutex::default(),
            refused: Default::default(),
            connections: AtomicU64::new(0),
            connections_open: AtomicU64::new(0),
        }
    }

    /// A call was answered after so long.
    pub(crate) fn answered(&self, operation: OperationPlace, reply: &WireReply, took: Duration) {
        let Some(answered) = self.operations.get(operation.0) else { return };
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let class = LATENCY_CLASSES.partition_point(|bound| bound * 1_000 < nanoseconds);
        if let Some(class) = answered.classes.get(class) {
            class.fetch_add(1, Ordering::Relaxed);
        }
        answered.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        if reply.status != 200 {
            self.failed(operation, error_name(&reply.body));
        }
    }

    fn failed(&self, operation: OperationPlace, name: &str) {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = errors.len() >= ERRORS_MAX;
        let mut key = (operation.0, name.to_owned());
        if is_full && !errors.contains_key(&key) {
            key.1 = "other".to_owned();
        }
        *errors.entry(key).or_default() += 1;
    }

    pub(crate) fn refused(&self, why: Refused) {
        let place = Refused::ALL.iter().position(|refused| *refused == why);
        if let Some(count) = place.and_then(|place| self.refused.get(place)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.connections_open.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn disconnected(&self) {
        self.connections_open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The name of an error that a body tells first: `{"__type":"com.amazonaws.dynamodb.v20120810#Name"`.
fn error_name(body: &[u8]) -> &str {
    let start = body.get(..200).unwrap_or(body);
    let start = std::str::from_utf8(start).unwrap_or_default();
    let name = start.strip_prefix("{\"__type\":\"").and_then(|rest| rest.split('"').next());
    let name = name.map(|name| name.rsplit_once('#').map_or(name, |(_, name)| name));
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    name.filter(is_name).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyplan_engine::Figures;
    use keyplan_engine::capacity::Units;

    fn reply(status: u16, body: &'static str) -> WireReply {
        WireReply { status, body: body.into(), trace: None }
    }

    #[test]
    fn answers_are_told_by_operation_result_and_latency() {
        let metrics = Metrics::new();
        let get = OperationPlace::of(Some("DynamoDB_20120810.GetItem"));
        let nothing = OperationPlace::of(Some("DynamoDB_20120810.BrewTea"));
        for microseconds in [10, 25, 26, 9_000_000] {
            metrics.answered(get, &reply(200, "{}"), Duration::from_micros(microseconds));
        }
        let missing =
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"m"}"#;
        metrics.answered(get, &reply(400, missing), Duration::from_micros(25));
        metrics.answered(nothing, &reply(400, "tea\""), Duration::ZERO);
        metrics.refused(Refused::Origin);
        metrics.connected();
        metrics.connected();
        metrics.disconnected();
        let figures =
            Figures { tables: 1, items: 2, bytes: 30, read: Units::halves(3), write: Units::whole(2) };
        let text = metrics.text(Some(&figures));
        for line in [
            r#"keyplan_requests_total{operation="GetItem",result="success"} 4"#,
            r#"keyplan_requests_total{operation="GetItem",result="ResourceNotFoundException"} 1"#,
            r#"keyplan_requests_total{operation="unknown",result="other"} 1"#,
            r#"keyplan_request_duration_seconds_bucket{operation="GetItem",le="0.000025"} 3"#,
            r#"keyplan_request_duration_seconds_bucket{operation="GetItem",le="0.00005"} 4"#,
            r#"keyplan_request_duration_seconds_bucket{operation="GetItem",le="5"} 4"#,
            r#"keyplan_request_duration_seconds_bucket{operation="GetItem",le="+Inf"} 5"#,
            r#"keyplan_request_duration_seconds_sum{operation="GetItem"} 9.000086"#,
            r#"keyplan_request_duration_seconds_count{operation="GetItem"} 5"#,
            r#"keyplan_refused_requests_total{reason="origin"} 1"#,
            r#"keyplan_refused_requests_total{reason="host"} 0"#,
            "keyplan_connections_total 2",
            "keyplan_connections 1",
            r#"keyplan_consumed_units_total{kind="read"} 1.5"#,
            r#"keyplan_consumed_units_total{kind="write"} 2"#,
            "keyplan_tables 1",
            "keyplan_items 2",
            "keyplan_item_bytes 30",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in:\n{text}");
        }
        assert!(!text.contains("PutItem"), "what was never asked is not told:\n{text}");
    }

    #[test]
    fn names_of_errors_are_names_and_not_too_many() {
        assert_eq!(error_name(br#"{"__type":"a.b#Name","message":"m"}"#), "Name");
        for body in ["", "{}", r#"{"__type":"a#b\nc"}"#, r#"{"__type":""}"#] {
            assert_eq!(error_name(body.as_bytes()), "other", "{body}");
        }
        let metrics = Metrics::new();
        (0..ERRORS_MAX + 10).for_each(|at| metrics.failed(OperationPlace(0), &format!("Error{at}")));
        let errors = metrics.errors.lock().expect("not poisoned");
        assert_eq!(errors.len(), ERRORS_MAX + 1);
        assert_eq!(errors.get(&(0, "other".to_owned())), Some(&10));
    }
}
