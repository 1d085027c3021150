//! The cost report: what a run's requests read and wrote, and at whose call.
//!
//! It is made from the trace of each request, of those that failed as well, so its units are those that
//! ConsumedCapacity tells. [`Costs`] adds up within bounds; [`json`] and [`text`] write it down; [`Rules`]
//! say what a run may not cost.

mod json;
mod rules;
mod text;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use keyplan_engine::capacity::Units;
use keyplan_engine::trace::{Access, Tally, Trace};
use keyplan_server::Answered;

pub(crate) use self::rules::Rules;
use crate::clock;

/// Different uses that are told apart; what comes beyond them is added up together.
const USES_MAX: usize = 2_000;

/// The dearest requests that are listed.
const DEAREST_MAX: usize = 20;

/// Scans that are listed; more are counted.
const SCANS_LISTED_MAX: usize = 1_000;

/// Accesses of one request that are listed; a transaction can touch a hundred tables.
const ACCESSES_LISTED_MAX: usize = 8;

/// Characters of a request's body that are listed.
const BODY_CHARACTERS_MAX: usize = 400;

/// Characters of a caller's name.
const CALLER_CHARACTERS_MAX: usize = 80;

/// What a run's requests have read and written so far.
pub(crate) struct Costs(Mutex<Sums>);

/// What is added up.
#[derive(Debug, Default)]
struct Sums {
    /// When adding up began, in milliseconds of the epoch.
    since: u64,
    requests: u64,
    failed: u64,
    read: Units,
    write: Units,
    uses: BTreeMap<Use, Sum>,
    /// Uses beyond those that are told apart.
    other: Sum,
    /// Dearest first.
    dearest: Vec<Request>,
    scans: u64,
    scans_listed: Vec<Request>,
}

/// Who uses what how.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    operation: &'static str,
    table: Option<String>,
    index: Option<String>,
    caller: String,
}

/// What a use came to.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    requests: u64,
    failed: u64,
    read: Units,
    write: Units,
    examined: Tally,
    returned: Tally,
}

/// One request that is listed.
#[derive(Debug, Clone)]
struct Request {
    /// Its number among all, from 1.
    number: u64,
    /// Milliseconds since adding up began.
    at: u64,
    operation: &'static str,
    caller: String,
    namespace: String,
    status: u16,
    read: Units,
    write: Units,
    accesses: Vec<Touched>,
    /// The beginning of its body.
    body: String,
}

/// A table or index that a request touched.
#[derive(Debug, Clone)]
struct Touched {
    table: String,
    index: Option<String>,
    units: Units,
    examined: Tally,
    returned: Tally,
}

/// What stands for the operation of a request that names none that is known.
const UNKNOWN: &str = "(unknown)";

impl Costs {
    pub(crate) fn new() -> Costs {
        Costs(Mutex::new(Sums { since: clock::now().0, ..Sums::default() }))
    }

    /// Begins anew.
    pub(crate) fn clear(&self) {
        *self.sums() = Sums { since: clock::now().0, ..Sums::default() };
    }

    /// Adds a request.
    pub(crate) fn add(&self, answered: &Answered<'_>) {
        let at = clock::now().0;
        self.sums().add(answered, at);
    }

    /// The report as JSON.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        json::write(&self.sums())
    }

    /// The report as tables to read.
    pub(crate) fn to_text(&self) -> String {
        text::write(&self.sums())
    }

    /// Which rules the run broke, in words.
    pub(crate) fn broken(&self, rules: &Rules) -> Vec<String> {
        rules.broken(&self.sums())
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sums {
    fn add(&mut self, answered: &Answered<'_>, now: u64) {
        let failed = answered.status != 200;
        let operation = answered.trace.map_or(UNKNOWN, |trace| trace.operation);
        let accesses = answered.trace.map_or(&[][..], |trace| &trace.accesses);
        let read = answered.trace.map_or(Units::ZERO, Trace::read_units);
        let write = answered.trace.map_or(Units::ZERO, Trace::write_units);
        let caller = caller(answered.user_agent);
        self.requests += 1;
        self.failed += u64::from(failed);
        self.read = self.read + read;
        self.write = self.write + write;
        if accesses.is_empty() {
            let used = Use { operation, table: None, index: None, caller: caller.clone() };
            self.sum(used).requests += 1;
        }
        for access in accesses {
            let (table, index) = (Some(access.table.clone()), access.index.clone());
            self.sum(Use { operation, table, index, caller: caller.clone() }).add(access, failed);
        }
        let is_scan = operation == "Scan" && !accesses.is_empty();
        self.scans += u64::from(is_scan);
        let lists_scan = is_scan && self.scans_listed.len() < SCANS_LISTED_MAX;
        let is_dear = self.dearest.len() < DEAREST_MAX
            || self.dearest.last().is_some_and(|least| read + write > least.units());
        if !(lists_scan || is_dear && read + write > Units::ZERO) {
            return;
        }
        let request = Request {
            number: self.requests,
            at: now.saturating_sub(self.since),
            operation,
            caller,
            namespace: answered.namespace.name().to_owned(),
            status: answered.status,
            read,
            write,
            accesses: accesses.iter().take(ACCESSES_LISTED_MAX).map(Touched::of).collect(),
            body: String::from_utf8_lossy(answered.request).chars().take(BODY_CHARACTERS_MAX).collect(),
        };
        if lists_scan {
            self.scans_listed.push(request.clone());
        }
        if is_dear {
            let place = self.dearest.partition_point(|dearer| dearer.units() >= request.units());
            self.dearest.insert(place, request);
            self.dearest.truncate(DEAREST_MAX);
        }
    }

    fn sum(&mut self, used: Use) -> &mut Sum {
        if self.uses.len() >= USES_MAX && !self.uses.contains_key(&used) {
            return &mut self.other;
        }
        self.uses.entry(used).or_default()
    }

    fn units(&self) -> Units {
        self.read + self.write
    }
}

impl Sum {
    fn add(&mut self, access: &Access, failed: bool) {
        self.requests += 1;
        self.failed += u64::from(failed);
        self.read = self.read + access.read_units();
        self.write = self.write + access.write_units();
        for (sum, tally) in [(&mut self.examined, access.examined), (&mut self.returned, access.returned)] {
            sum.items += tally.items;
            sum.bytes += tally.bytes;
        }
    }

    fn units(&self) -> Units {
        self.read + self.write
    }
}

impl Request {
    fn units(&self) -> Units {
        self.read + self.write
    }
}

impl Touched {
    fn of(access: &Access) -> Touched {
        Touched {
            table: access.table.clone(),
            index: access.index.clone(),
            units: access.charge.units(),
            examined: access.examined,
            returned: access.returned,
        }
    }
}

/// Who called: what a User-Agent names first, with its version, and the application that the SDK was told
/// (`AWS_SDK_UA_APP_ID`). The rest of it differs with each request.
fn caller(user_agent: Option<&str>) -> String {
    let mut words = user_agent.unwrap_or_default().split_whitespace();
    let Some(first) = words.next() else { return "(no user agent)".to_owned() };
    let application = words.find(|word| word.starts_with("app/"));
    let named = application.map_or_else(|| first.to_owned(), |application| format!("{first} {application}"));
    named.chars().filter(|character| !character.is_control()).take(CALLER_CHARACTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp};
    use keyplan_server::Namespace;

    use super::*;

    const TABLE: &str = r#"{"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#;

    /// Requests on an empty engine, added up.
    fn after(requests: &[(&str, &str, &str)]) -> Costs {
        let store = Arc::new(keyplan_store::MemoryStore::new());
        let engine = Engine::open(store, EngineOptions { undo_depth: 0, ..EngineOptions::default() })
            .expect("an engine");
        let costs = Costs::new();
        for (operation, body, user_agent) in requests {
            let target = format!("DynamoDB_20120810.{operation}");
            let reply = engine.dispatch(&Call {
                target: Some(&target),
                authentication: Authentication::NotRequired { region: "us-east-1" },
                body: body.as_bytes(),
                now: Timestamp(1_764_500_000_000),
                random: 7,
                trace: true,
            });
            costs.add(&Answered {
                target: Some(&target),
                user_agent: Some(user_agent),
                namespace: &Namespace::default(),
                request: &Bytes::copy_from_slice(body.as_bytes()),
                status: reply.status,
                trace: reply.trace.as_ref(),
                fault: None,
            });
        }
        costs
    }

    fn json(costs: &Costs) -> serde_json::Value {
        serde_json::from_slice(&costs.to_json()).expect("JSON")
    }

    const PUT: &str = r#"{"TableName":"Tab","Item":{"id":{"S":"a"}}}"#;
    const SCAN: &str = r#"{"TableName":"Tab"}"#;

    #[test]
    fn failed_writes_are_charged_and_uses_are_told_apart() {
        let refused =
            r#"{"TableName":"Tab","Item":{"id":{"S":"a"}},"ConditionExpression":"attribute_not_exists(id)"}"#;
        let costs = after(&[
            ("CreateTable", TABLE, "one/1"),
            ("PutItem", PUT, "one/1 md/x app/shop"),
            ("PutItem", refused, "one/1 md/y app/shop"),
            ("Scan", SCAN, "two/2"),
            ("Nonsense", "{}", ""),
        ]);
        let report = json(&costs);
        assert_eq!((report["requests"].as_u64(), report["failed"].as_u64()), (Some(5), Some(2)));
        assert_eq!(report["units"], serde_json::json!({"read": 0.5, "write": 2.0}));
        let puts = &report["uses"][0];
        assert_eq!((&puts["operation"], &puts["table"]), (&"PutItem".into(), &"Tab".into()));
        assert_eq!(puts["caller"], "one/1 app/shop");
        assert_eq!((puts["requests"].as_u64(), puts["failed"].as_u64()), (Some(2), Some(1)));
        assert_eq!(report["scans"]["count"], 1);
        assert_eq!(report["scans"]["listed"][0]["number"], 4);
        assert_eq!(report["scans"]["listed"][0]["accesses"][0]["examined"]["items"], 1);
        assert_eq!(report["dearest"].as_array().map(Vec::len), Some(3), "what costs nothing is not dear");
        let text = costs.to_text();
        for part in ["5 requests (2 failed)", "one/1 app/shop", "Scan", "No. 4"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut requests = vec![("CreateTable", TABLE, "c")];
        let callers: Vec<String> = (0..USES_MAX + 5).map(|number| format!("caller/{number}")).collect();
        requests.extend(callers.iter().map(|caller| ("Scan", SCAN, caller.as_str())));
        let report = json(&after(&requests));
        assert_eq!(report["uses"].as_array().map(Vec::len), Some(USES_MAX));
        assert_eq!(report["otherUses"]["requests"], 6);
        assert_eq!(report["scans"]["count"], USES_MAX + 5);
        assert_eq!(report["scans"]["listed"].as_array().map(Vec::len), Some(SCANS_LISTED_MAX));
        assert_eq!(report["dearest"].as_array().map(Vec::len), Some(DEAREST_MAX));
    }

    #[test]
    fn rules_say_what_broke_them() {
        let costs = after(&[("CreateTable", TABLE, "c"), ("PutItem", PUT, "c"), ("Scan", SCAN, "c")]);
        let broken = |fail_on_scan, max_units| costs.broken(&Rules { fail_on_scan, max_units });
        assert!(broken(false, None).is_empty());
        assert!(broken(false, Some(2)).is_empty(), "1.5 units are within 2");
        assert!(broken(false, Some(1))[0].contains("1.5 units"), "{:?}", broken(false, Some(1)));
        assert!(broken(true, None)[0].contains("Tab (1)"), "{:?}", broken(true, None));
        costs.clear();
        assert!(broken(true, Some(0)).is_empty());
    }
}
