//! Where a database takes its time from.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use keyplan_engine::weather;

use crate::Timestamp;

/// A clock: the machine's, one that stands still until it is moved, or one that runs faster or slower. It goes
/// forward only.
///
/// Clones are handles to the same clock, so a test keeps one and moves the database's time with it.
///
/// ```
/// use std::time::Duration;
/// use keyplan::{Clock, Timestamp};
///
/// let clock = Clock::standing_at(Timestamp(1_764_500_000_000));
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(clock.now(), Timestamp(1_764_500_060_000));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Clock {
    hands: Arc<Hands>,
}

#[derive(Debug, Default)]
struct Hands {
    /// Whether it ever was anything but the machine's clock; most never are, and need no lock to be read.
    moved: AtomicBool,
    clock: Mutex<weather::Clock>,
    /// Told to those who wait for a moment.
    changed: Condvar,
}

impl Clock {
    /// The machine's clock. It can be moved ahead as well, and goes on from there.
    pub fn system() -> Clock {
        Clock::default()
    }

    /// A clock that stands at `start` until it is moved.
    pub fn standing_at(start: Timestamp) -> Clock {
        let clock = Mutex::new(weather::Clock::standing_at(start));
        Clock { hands: Arc::new(Hands { moved: AtomicBool::new(true), clock, ..Hands::default() }) }
    }

    /// The time it shows.
    pub fn now(&self) -> Timestamp {
        if !self.hands.moved.load(Ordering::Acquire) {
            return machine_time();
        }
        self.clock().now(machine_time())
    }

    /// Moves it ahead, by whole milliseconds.
    ///
    /// Work that comes due is done by the requests after this; [`Database::advance`] moves the clock and
    /// does it.
    ///
    /// [`Database::advance`]: crate::Database::advance
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.change(|clock| clock.advance(machine_time(), by));
    }

    /// Lets it run so fast from now on: 0 stops it, 1 is the machine's pace, 60 a minute in a second. At most a day
    /// in a second.
    pub fn set_rate(&self, rate: f64) {
        self.change(|clock| clock.set_rate(machine_time(), rate));
    }

    /// Waits until it shows a moment. By a clock that stands nothing takes time, so then it doesn't.
    pub(crate) fn wait_for(&self, moment: Timestamp) {
        let mut clock = self.clock();
        while let Some(left) = clock.until(machine_time(), moment).filter(|left| *left > 0) {
            let waited = self.hands.changed.wait_timeout(clock, Duration::from_millis(left));
            clock = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn change(&self, change: impl FnOnce(&mut weather::Clock)) {
        change(&mut self.clock());
        self.hands.moved.store(true, Ordering::Release);
        self.hands.changed.notify_all();
    }

    fn clock(&self) -> MutexGuard<'_, weather::Clock> {
        // Each change is a single step.
        self.hands.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn machine_time() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
