//! What clients did and were answered, and what one order of it would have to do to a group of items.

use std::fmt;

/// Items of a group: what a transaction writes or reads at once.
pub const KEYS: usize = 3;

/// An item: the number of the request that wrote it last, and its counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The request.
    pub written_by: u64,
    /// The counter.
    pub count: i64,
}

/// A group's items, of which any may be missing.
pub type State = [Option<Cell>; KEYS];

/// What a request does to a group, with its answer as far as it has one. Every write has a number of its own, which
/// it leaves in the items that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// An item is put, with a counter of zero.
    Put {
        /// Which item.
        key: usize,
    },
    /// An item is deleted.
    Delete {
        /// Which item.
        key: usize,
    },
    /// A counter is added to.
    Add {
        /// Which item.
        key: usize,
        /// What is added.
        by: i64,
        /// The counter afterwards, as it was answered.
        answer: Option<i64>,
    },
    /// An item is written if it is as an earlier request left it; without one, if it isn't there.
    Swap {
        /// Which item.
        key: usize,
        /// Who must have written it last.
        expected: Option<u64>,
        /// Whether that was so, as it was answered.
        answer: Option<bool>,
    },
    /// One transaction puts all items of the group.
    PutAll,
    /// One transaction takes from a counter, which must have as much, and adds it to another.
    Move {
        /// Which item is taken from.
        from: usize,
        /// Which item is added to.
        to: usize,
        /// How much.
        by: i64,
        /// Whether there was as much, as it was answered.
        answer: Option<bool>,
    },
    /// An item is read.
    Get {
        /// Which item.
        key: usize,
        /// What was answered.
        answer: Option<Cell>,
    },
    /// One transaction reads all items of the group.
    GetAll {
        /// What was answered.
        answer: State,
    },
}

/// A request to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Its number; those of a batch share one.
    pub number: u64,
    /// When it was sent, in an order of all sendings and answers.
    pub sent: u64,
    /// When it was answered; nothing where it wasn't, so that nobody knows what became of it.
    pub answered: Option<u64>,
    /// What it does.
    pub action: Action,
}

impl Event {
    /// What the request leaves, done to a state; nothing if its answer isn't one that the state gives.
    pub fn applied(&self, before: &State) -> Option<State> {
        let mut after = *before;
        let written = |count| Some(Cell { written_by: self.number, count });
        match self.action {
            Action::Put { key } => after[key] = written(0),
            Action::Delete { key } => after[key] = None,
            Action::Add { key, by, answer } => {
                let count = before[key].map_or(0, |cell| cell.count) + by;
                if answer.is_some_and(|answer| answer != count) {
                    return None;
                }
                after[key] = written(count);
            }
            Action::Swap { key, expected, answer } => {
                let holds = before[key].map(|cell| cell.written_by) == expected;
                if answer.is_some_and(|answer| answer != holds) {
                    return None;
                }
                if holds {
                    after[key] = written(before[key].map_or(0, |cell| cell.count));
                }
            }
            Action::PutAll => after = [written(0); KEYS],
            Action::Move { from, to, by, answer } => {
                let enough = before[from].filter(|cell| cell.count >= by);
                if answer.is_some_and(|answer| answer != enough.is_some()) {
                    return None;
                }
                if let Some(cell) = enough {
                    after[from] = written(cell.count - by);
                    after[to] = written(before[to].map_or(0, |cell| cell.count) + by);
                }
            }
            Action::Get { key, answer } => {
                if before[key] != answer {
                    return None;
                }
            }
            Action::GetAll { answer } => {
                if *before != answer {
                    return None;
                }
            }
        }
        Some(after)
    }

    /// The items that a request writes, if it does.
    pub fn keys_written(&self) -> Vec<usize> {
        match self.action {
            Action::Put { key } | Action::Delete { key } | Action::Add { key, .. } => vec![key],
            Action::Swap { answer: Some(false), .. } | Action::Move { answer: Some(false), .. } => Vec::new(),
            Action::Swap { key, .. } => vec![key],
            Action::PutAll => (0..KEYS).collect(),
            Action::Move { from, to, .. } => vec![from, to],
            Action::Get { .. } | Action::GetAll { .. } => Vec::new(),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event { number, sent, answered, action } = self;
        match answered {
            Some(answered) => write!(f, "{number} from {sent} to {answered}: {action:?}"),
            None => write!(f, "{number} from {sent}, never answered: {action:?}"),
        }
    }
}
