//! What has come of the weather, counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often something has happened since the weather was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Happened([u64; Event::COUNT]);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A read saw an old image.
    Lagging,
    /// A request, or an item of one, found no units left.
    Throttled,
    /// An item of a batch was left unprocessed.
    Unprocessed,
    /// An item, or a token, was held by a transaction.
    Conflict,
    /// An answer was held back.
    Delayed,
    /// A rule's error was answered.
    Error,
    /// A request was refused for the state of its table.
    Unready,
}

impl Event {
    const COUNT: usize = 7;
    const NAMES: [&str; Event::COUNT] =
        ["lagging", "throttled", "unprocessed", "conflicts", "delayed", "errors", "unready"];
}

/// The counts as they grow.
#[derive(Debug, Default)]
pub(super) struct Counters([AtomicU64; Event::COUNT]);

impl Counters {
    pub(super) fn note(&self, event: Event) {
        if let Some(count) = self.0.get(event as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn counted(&self) -> Happened {
        Happened(std::array::from_fn(|at| self.0.get(at).map_or(0, |count| count.load(Ordering::Relaxed))))
    }
}

impl Happened {
    /// The counts of two engines together.
    #[must_use]
    pub fn and(self, other: Happened) -> Happened {
        Happened(std::array::from_fn(|at| [self, other].iter().filter_map(|counted| counted.0.get(at)).sum()))
    }

    /// The counts by their names.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Event::NAMES.into_iter().zip(self.0)
    }

    /// The count of a name; 0 for one that there isn't.
    pub fn count(&self, name: &str) -> u64 {
        self.counts().find(|(counted, _)| *counted == name).map_or(0, |(_, count)| count)
    }
}
