//! The engine of this very build as a target, through the library.

use std::time::Duration;

use std::sync::Arc;

use keyplan::{Buckets, Clock, Database, MemoryBuckets, Timestamp};
use keyplan_engine::shapes::operations;

use crate::case::CaseFile;
use crate::not_built::not_built;
use crate::report::Report;
use crate::run::run;
use crate::target::{Answer, Target, TargetError};

/// Where the clock stands at first; cases depend on no date.
const START: Timestamp = Timestamp(1_796_040_000_000);

/// The buckets that cases use.
pub(crate) const BUCKETS: [&str; 2] = ["case-in", "case-out"];

/// How far the clock moves with each request.
const TICK: Duration = Duration::from_millis(1);

/// How far it moves before a request is sent again.
const PAUSE: Duration = Duration::from_millis(100);

/// A database in memory, with a clock that moves with each request, so that a run can be repeated.
#[derive(Debug)]
pub struct InProcess {
    database: Database,
    buckets: MemoryBuckets,
}

impl InProcess {
    /// An empty database.
    pub fn new() -> InProcess {
        let buckets = MemoryBuckets::named(BUCKETS);
        let options = Database::options().clock(Clock::standing_at(START)).seed(0);
        InProcess { database: options.buckets(Arc::new(buckets.clone())).in_memory(), buckets }
    }
}

impl Default for InProcess {
    fn default() -> InProcess {
        InProcess::new()
    }
}

impl Target for InProcess {
    fn send(&mut self, target: &str, body: &[u8]) -> Result<Answer, TargetError> {
        self.database.clock().advance(TICK);
        let answer = self.database.call(target, body);
        Ok(Answer { status: answer.status, head: None, body: answer.body })
    }

    fn put_object(&mut self, bucket: &str, key: &str, bytes: &[u8]) -> Result<bool, TargetError> {
        self.buckets.put(bucket, key, bytes).map_err(|error| TargetError(error.to_string()))?;
        Ok(true)
    }

    fn pause(&mut self) {
        self.database.clock().advance(PAUSE);
    }
}

/// Runs the cases on the engine of this very build, without a socket, and lists what it lacks: the
/// statement of what this build does. It takes a second or so for all cases.
pub fn run_in_process(files: &[CaseFile]) -> Report {
    let mut target = InProcess::new();
    let mut report = run(files, &mut target);
    // The library always answers.
    report.not_built = not_built(&mut target, all_targets().iter().map(String::as_str)).unwrap_or_default();
    report
}

/// Every operation of the service as its target, such as `DynamoDB_20120810.UpdateItem`.
pub fn all_targets() -> Vec<String> {
    operations().iter().map(|operation| format!("{}{}", operation.service.prefix(), operation.name)).collect()
}
