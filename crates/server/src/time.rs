//! The time of an endpoint: one clock for all its engines.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use keyplan_engine::Timestamp;
use keyplan_engine::weather::{Clock, ClockMove};

/// How long an answer waits at a time: the clock may be moved meanwhile.
const CLOCK_LOOK: Duration = Duration::from_millis(20);

/// A clock that threads share. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Time(Arc<Mutex<Clock>>);

impl Time {
    /// What it shows now.
    pub fn now(&self) -> Timestamp {
        self.clock().now(machine_time())
    }

    /// What it is like, to be told with the machine's time.
    pub fn state(&self) -> (Clock, Timestamp) {
        (*self.clock(), machine_time())
    }

    /// Stops it, moves it, lets it run.
    pub fn apply(&self, asked: &ClockMove) {
        asked.apply(&mut self.clock(), machine_time());
    }

    /// How long it takes until it shows a moment; nothing while it stands.
    pub(crate) fn until(&self, moment: Timestamp) -> Option<Duration> {
        self.clock().until(machine_time(), moment).map(Duration::from_millis)
    }

    /// Waits until it shows a moment. By a clock that stands nothing takes time, so then it doesn't.
    pub(crate) async fn wait_for(&self, moment: Timestamp) {
        while let Some(wait) = self.until(moment)
            && !wait.is_zero()
        {
            tokio::time::sleep(wait.min(CLOCK_LOOK)).await;
        }
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The machine's own time, which nobody moves.
pub(crate) fn machine_time() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
