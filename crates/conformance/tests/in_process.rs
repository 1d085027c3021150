//! All cases against the engine in this process, on a store in memory.

use std::path::Path;
use std::sync::Arc;

use keyplan_conformance::{Answer, Target, TargetError, load, not_built, run};
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp, arn, shapes};
use keyplan_store::MemoryStore;

/// The engine, a clock that moves a millisecond with each request, and numbers for chance.
struct InProcess {
    engine: Engine,
    now: u64,
}

impl InProcess {
    fn new() -> InProcess {
        let store = Arc::new(MemoryStore::new());
        let engine = Engine::open(store, EngineOptions::default()).expect("an empty store opens");
        InProcess { engine, now: 1_796_040_000_000 }
    }
}

impl Target for InProcess {
    fn send(&mut self, target: &str, body: &[u8]) -> Result<Answer, TargetError> {
        self.now += 1;
        let reply = self.engine.dispatch(&Call {
            target: Some(target),
            authentication: Authentication::NotRequired { region: arn::DEFAULT_REGION },
            body,
            now: Timestamp(self.now),
            random: u128::from(self.now),
            trace: false,
        });
        Ok(Answer { status: reply.status, head: None, body: reply.body })
    }
}

fn cases() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/cases"))
}

#[test]
fn every_case_holds_on_the_engine() {
    let files = load(cases()).unwrap_or_else(|error| panic!("{error}"));
    let report = run(&files, &mut InProcess::new());
    println!("{report}");
    assert_eq!(report.failed(), 0, "\n{report}");
    for outcome in &report.outcomes {
        assert!(!outcome.as_elsewhere, "{}: the engine gives the first answer", outcome.name);
    }
    assert!(report.passed() >= 650, "there are only {} cases", report.passed());
}

#[test]
fn what_is_not_built_is_listed() {
    let operations: Vec<String> = shapes::operations()
        .iter()
        .map(|operation| format!("{}{}", operation.service.prefix(), operation.name))
        .collect();
    let names = operations.iter().map(String::as_str);
    let unknown = not_built(&mut InProcess::new(), names).expect("the engine answers");
    for built in [
        "CreateTable",
        "DescribeTable",
        "ListTables",
        "DeleteTable",
        "PutItem",
        "GetItem",
        "UpdateItem",
        "DeleteItem",
        "Query",
        "Scan",
        "UpdateTable",
        "BatchGetItem",
        "BatchWriteItem",
        "TransactGetItems",
        "TransactWriteItems",
        "TagResource",
        "UpdateTimeToLive",
        "DescribeTimeToLive",
        "ListStreams",
        "DescribeStream",
        "GetShardIterator",
        "GetRecords",
    ] {
        assert!(!unknown.iter().any(|name| name == built), "{built} answers as if it were not built");
    }
    assert!(unknown.iter().any(|name| name == "ExecuteTransaction"), "{unknown:?}");
}
