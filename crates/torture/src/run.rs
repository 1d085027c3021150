//! One run: clients and changes of tables at once, and what they did held against what is there afterwards.

use std::sync::atomic::Ordering;
use std::thread;

use crate::definitions::Definitions;
use crate::history::{Action, Event, State};
use crate::linearize;
use crate::load::{self, Events, Load, Shared};
use crate::records::{self, Run};
use crate::service::Service;
use crate::table::StreamReader;

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs, each with its own beginning and end.
    pub runs: u64,
    /// Requests of the groups that were answered.
    pub answered: u64,
    /// Those among them that write.
    pub writes: u64,
    /// Those among them that are transactions.
    pub transactions: u64,
    /// Requests that weren't answered, as the process was killed.
    pub unanswered: u64,
    /// Changes of tables and of the index beside them.
    pub changes: u64,
    /// Records of the stream.
    pub records: u64,
}

impl Counts {
    /// Adds others.
    pub fn add(&mut self, other: Counts) {
        self.runs += other.runs;
        self.answered += other.answered;
        self.writes += other.writes;
        self.transactions += other.transactions;
        self.unanswered += other.unanswered;
        self.changes += other.changes;
        self.records += other.records;
    }
}

/// What is known of a store from one run to the next.
pub struct Knowledge {
    groups: usize,
    states: Vec<State>,
    stream: StreamReader,
    definitions: Definitions,
    /// What all runs share: numbers are never used twice.
    pub shared: Shared,
}

impl Knowledge {
    /// What is known of a store whose table was made and has no item of a group yet.
    pub fn new(groups: usize) -> Knowledge {
        Knowledge {
            groups,
            states: records::nothing(groups),
            stream: StreamReader::default(),
            definitions: Definitions::default(),
            shared: Shared::default(),
        }
    }

    /// Has each service used by a client of its own, and another one by who changes tables, until the clients are
    /// done or `end` has come back. Gives what the clients did.
    ///
    /// # Errors
    /// When an answer is none that a client can get.
    pub fn load(
        &mut self,
        clients: Vec<Box<dyn Service>>,
        changing: &mut dyn Service,
        load: Load,
        end: impl FnOnce(&Shared) + Send,
    ) -> Result<Events, String> {
        let Knowledge { shared, definitions, .. } = self;
        shared.stopping.store(false, Ordering::SeqCst);
        shared.answered.store(0, Ordering::SeqCst);
        let shared = &*shared;
        thread::scope(|scope| {
            let changes = scope.spawn(move || definitions.change(changing, shared, load.seed));
            let ending = scope.spawn(move || end(shared));
            let events = load::run(clients, load, shared);
            shared.stopping.store(true, Ordering::SeqCst);
            let panicked = |_| "a thread panicked".to_owned();
            changes.join().map_err(panicked)??;
            ending.join().map_err(panicked)?;
            events
        })
    }

    /// Holds what was done against what is there now, and goes on from that.
    ///
    /// # Errors
    /// When they differ, in words.
    pub fn check(&mut self, service: &mut dyn Service, mut events: Events) -> Result<Counts, String> {
        let (states, read) = load::read(service, self.groups, &self.shared)?;
        let mut counts = counted(&events);
        events.extend(read);
        for (group, initial) in self.states.iter().enumerate() {
            let of_group: Vec<Event> =
                events.iter().filter(|(of, _)| *of == group).map(|(_, event)| *event).collect();
            linearize::check(*initial, &of_group).map_err(|error| format!("group {group}: {error}"))?;
        }
        let found = self.stream.read(service)?;
        let run = Run { initial: &self.states, last: &states, events: &events };
        records::check(run, &found).map_err(|error| format!("the stream: {error}"))?;
        counts.records = found.len() as u64;
        counts.changes = std::mem::take(&mut self.definitions.changes);
        self.definitions.check(service)?;
        self.states = states;
        Ok(counts)
    }
}

fn counted(events: &Events) -> Counts {
    let is_answered = |event: &&(usize, Event)| event.1.answered.is_some();
    let count = |of: &dyn Fn(&Event) -> bool| {
        events.iter().filter(is_answered).filter(|(_, event)| of(event)).count() as u64
    };
    Counts {
        runs: 1,
        answered: count(&|_| true),
        writes: count(&|event| !matches!(event.action, Action::Get { .. } | Action::GetAll { .. })),
        transactions: count(&|event| {
            matches!(event.action, Action::PutAll | Action::Move { .. } | Action::GetAll { .. })
        }),
        unanswered: events.len() as u64 - count(&|_| true),
        changes: 0,
        records: 0,
    }
}
