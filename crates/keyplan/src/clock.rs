//! Where a database takes its time from.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::Timestamp;

/// A clock: the machine's, or one that stands still until it is moved. It goes forward only.
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
    /// Where the clock stands; nothing for the machine's.
    start: Option<Timestamp>,
    /// How far it was moved, in milliseconds.
    ahead: AtomicU64,
}

impl Clock {
    /// The machine's clock. It can be moved ahead as well, and goes on from there.
    pub fn system() -> Clock {
        Clock::default()
    }

    /// A clock that stands at `start` until it is moved.
    pub fn standing_at(start: Timestamp) -> Clock {
        Clock { hands: Arc::new(Hands { start: Some(start), ahead: AtomicU64::new(0) }) }
    }

    /// The time it shows.
    pub fn now(&self) -> Timestamp {
        let base = self.hands.start.unwrap_or_else(machine_time);
        Timestamp(base.0.saturating_add(self.hands.ahead.load(Ordering::Relaxed)))
    }

    /// Moves it ahead, by whole milliseconds.
    ///
    /// Work that comes due is done by the requests after this; [`Database::advance`] moves the clock and
    /// does it.
    ///
    /// [`Database::advance`]: crate::Database::advance
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        // The closure always gives a value, so neither outcome says anything.
        let _ = self
            .hands
            .ahead
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |ahead| Some(ahead.saturating_add(by)));
    }
}

fn machine_time() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
