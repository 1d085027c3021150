//! The wall clock, read in one place.

use std::time::{SystemTime, UNIX_EPOCH};

use keyplan_engine::Timestamp;

/// Now, as the engine counts time.
pub(crate) fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
